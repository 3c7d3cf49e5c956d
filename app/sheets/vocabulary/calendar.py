"""How a file counts its days: whose day a moment belongs to, and from which day serial numbers count."""

from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Final, NamedTuple, TypeAlias

DayOf: TypeAlias = Callable[[datetime], date]
"""The day that a moment with a time zone belongs to."""

DAY_0: Final = date(1899, 12, 30)
"""Day 0 of spreadsheets, right from March 1900 on: they count a 29 February 1900 that never was."""
DAY_0_OF_1904: Final = date(1904, 1, 1)
"""Day 0 of workbooks that count from 1904."""


def day_in_utc(moment: datetime) -> date:
    """The day of a moment in UTC."""
    return moment.astimezone(UTC).date()


def day_here(moment: datetime) -> date:
    """The day of a moment in the time zone of this machine."""
    return moment.astimezone().date()


class Calendar(NamedTuple):
    """How the days of one file are counted."""

    day_of: DayOf = day_in_utc
    day_0: date = DAY_0


IN_UTC: Final = Calendar()
