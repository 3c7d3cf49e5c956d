"""The map of the repository: every folder has its row, and what pages name is there."""

import re
from pathlib import Path

from tests.docs.pages import ROOT, code_spans, pages

ARCHITECTURE = ROOT / "docs" / "architecture.md"
ROW = re.compile(r"^\| `(app/[\w/]*)` \| (.+) \|$", re.MULTILINE)
TOP = ("app", "alembic", "bench", "docs", "openapi", "tests")


def test_every_folder_of_the_application_has_its_row() -> None:
    rows = [folder for folder, _ in ROW.findall(ARCHITECTURE.read_text("utf-8"))]
    there = folders(ROOT / "app")
    assert [folder for folder in there if folder not in rows] == []
    assert [folder for folder in rows if folder not in there] == []


def test_the_readme_names_every_folder_at_the_top_of_the_repository_and_of_the_application() -> None:
    named = set(code_spans(ROOT / "README.md"))
    inner = [folder for folder in folders(ROOT / "app") if folder.count("/") == 2]
    outer = [f"{name}/" for name in TOP if name != "app"]
    assert [folder for folder in [*inner, *outer] if folder not in named] == []


def test_every_file_and_folder_that_a_page_names_is_in_the_repository() -> None:
    named = re.compile(rf"(?:{'|'.join(TOP)})/[\w./-]*")
    lost = [
        f"{page.relative_to(ROOT)}: {span}"
        for page in pages()
        for span in code_spans(page)
        if named.fullmatch(span) and not (ROOT / span).exists() and span not in to_be_created(page)
    ]
    assert lost == []


def to_be_created(page: Path) -> list[str]:
    """What the page tells its reader to write: "Create `app/…`", "put it into `tests/…`"."""
    return re.findall(r"(?:Create|put the new text into) `([^`]+)`", page.read_text("utf-8"))


def folders(top: Path) -> list[str]:
    """``top`` and its folders, but for what is not code of ours: ``app/services/games/``."""
    inner = [found for found in top.rglob("*") if found.is_dir() and found.name != "__pycache__"]
    named = [f"{folder.relative_to(ROOT).as_posix()}/" for folder in [top, *inner] if any(folder.glob("*.*"))]
    return sorted(name for name in named if not name.startswith("app/static/swagger-ui/"))
