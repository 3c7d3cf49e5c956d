"""Links of the documentation, and what code and pages cite."""

import ast
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

from tests.docs.pages import ROOT, links, missing, pages

CITED = re.compile(r"(?<![\w/.:-])((?:[\w-]+/)*[\w-]+\.md)\b(#[\w-]+)?")
"""A page, by its path from the top of the repository, and a heading: ``docs/api.md#errors``."""


def test_every_link_within_the_documentation_leads_to_a_page_and_a_heading() -> None:
    broken = []
    for page in pages():
        for link in links(page):
            path, _, anchor = link.partition("#")
            if re.match(r"\w+:", link) is None:
                why = missing(page.parent / path if path else page, anchor)
                broken += [f"{page.relative_to(ROOT)}: {link}: {why}"] if why else []
    assert broken == []


def test_the_index_leads_to_every_page_of_the_documentation() -> None:
    index = ROOT / "docs" / "index.md"
    linked = {(index.parent / link.partition("#")[0]).resolve() for link in links(index)}
    assert {*(ROOT / "docs").rglob("*.md")} - linked == {index}


def test_every_page_and_heading_that_code_cites_is_in_the_repository() -> None:
    broken = []
    for file in [*sources(), *sources_without_docstrings()]:
        for path, anchor in CITED.findall(prose(file)):
            why = missing(ROOT / path, anchor.removeprefix("#"))
            broken += [f"{file.relative_to(ROOT)}: {path}{anchor}: {why}"] if why else []
    assert broken == []


def sources() -> list[Path]:
    folders = ("app", "alembic", "tests", "bench")
    return [file for folder in folders for file in sorted((ROOT / folder).rglob("*.py"))]


def sources_without_docstrings() -> list[Path]:
    """Files in which a page may be cited anywhere."""
    named = [ROOT / name for name in ("Makefile", "Dockerfile", "alembic.ini", "pyproject.toml")]
    return [*named, *sorted((ROOT / "tests").rglob("*.yaml"))]


def prose(file: Path) -> str:
    """What of a file is written for its reader: of Python code docstrings and comments."""
    text = file.read_text("utf-8")
    return text if file.suffix != ".py" else "\n".join([*docstrings(text), *comments(file)])


def docstrings(text: str) -> Iterator[str]:
    """Strings that stand alone, those below attributes too."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.value.value


def comments(file: Path) -> Iterator[str]:
    with tokenize.open(file) as lines:
        for token in tokenize.generate_tokens(lines.readline):
            if token.type == tokenize.COMMENT:
                yield token.string
