"""Keyset pages: a cursor says after which row the next page begins, so pages neither repeat nor skip what moved."""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Sequence
from datetime import date
from typing import Generic, NamedTuple, TypeVar

Item = TypeVar("Item")

_LONGEST = 512
_EXPECTED = "expected a cursor that this list gave out"


class NotACursor(ValueError):
    """The cursor was not given out by the same list."""


class Page(NamedTuple, Generic[Item]):
    """Some of a list's items, and the cursor of those that follow."""

    items: list[Item]
    next_cursor: str | None


def page_of(rows: Sequence[Item], limit: int, key: Callable[[Item], tuple[int | str, ...]]) -> Page[Item]:
    """The first ``limit`` of ``rows``; one row more than that says that another page follows."""
    items = list(rows[:limit])
    if len(rows) <= limit:
        return Page(items, None)
    written = json.dumps(key(items[-1]), separators=(",", ":"))
    return Page(items, urlsafe_b64encode(written.encode()).decode().rstrip("="))


def after_row(cursor: str) -> int:
    """The row number that a cursor of a list ordered by it holds.

    Raises:
        NotACursor: the cursor is of another list or of nobody.
    """
    (row,) = _parts(cursor, int)
    return int(row)


def after_rows(cursor: str, numbers: int) -> tuple[int, ...]:
    """The numbers that a cursor of a list ordered by so many of them holds.

    Raises:
        NotACursor: the cursor is of another list or of nobody.
    """
    return tuple(map(int, _parts(cursor, *[int] * numbers)))


def after_day_and_row(cursor: str) -> tuple[date, int]:
    """The day and row number that a cursor of a list ordered by both holds.

    Raises:
        NotACursor: the cursor is of another list or of nobody.
    """
    day, row = _parts(cursor, str, int)
    try:
        return date.fromisoformat(str(day)), int(row)
    except ValueError:
        raise NotACursor(_EXPECTED) from None


def _parts(cursor: str, *kinds: type) -> list[int | str]:
    try:
        if len(cursor) > _LONGEST:
            raise ValueError
        parts = json.loads(urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4)))
    except (ValueError, RecursionError):
        raise NotACursor(_EXPECTED) from None
    if not isinstance(parts, list) or [type(part) for part in parts] != list(kinds):
        raise NotACursor(_EXPECTED)
    if any(isinstance(part, int) and not 0 <= part < 2**63 for part in parts):
        raise NotACursor(_EXPECTED)
    return parts
