"""The pages of the documentation: their headings, links and what they name as code."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).parents[2]
_MARKDOWN = MarkdownIt("commonmark").enable("table")


def pages() -> list[Path]:
    """The pages at the top of the repository, then those of ``docs/``."""
    return [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


def links(page: Path) -> list[str]:
    """Where the links and images of a page lead, as they are written."""
    targets = [token.attrs.get("href", token.attrs.get("src")) for token in _inline(page)]
    return [target for target in targets if isinstance(target, str)]


def code_spans(page: Path) -> list[str]:
    """What stands in backquotes, outside code blocks."""
    return [token.content for token in _inline(page) if token.type == "code_inline"]


@cache
def anchors(page: Path) -> frozenset[str]:
    """The names of a page's headings in an address, as GitHub makes them."""
    seen: Counter[str] = Counter()
    found = set()
    for heading in _headings(page):
        name = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        found.add(f"{name}-{seen[name]}" if seen[name] else name)
        seen[name] += 1
    return frozenset(found)


def missing(target: Path, anchor: str) -> str | None:
    """What a reference lacks: the page, the heading, or nothing."""
    if not target.exists():
        return "no such page"
    if anchor and anchor not in anchors(target):
        return "no such heading"
    return None


def _tokens(page: Path) -> list[Token]:
    return _MARKDOWN.parse(page.read_text("utf-8"))


def _inline(page: Path) -> Iterator[Token]:
    for token in _tokens(page):
        yield from token.children or ()


def _headings(page: Path) -> Iterator[str]:
    for opening, inline in pairwise(_tokens(page)):
        if opening.type == "heading_open":
            yield "".join(child.content for child in inline.children or ())
