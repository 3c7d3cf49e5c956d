"""What an audit says: something is stored that the facts do not give."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

UNREADABLE: Final = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError)
"""What reading rows raises that nobody wrote like this."""


class Difference(NamedTuple):
    """Something stored that the facts do not give."""

    club: str | None
    """None where no club is meant: something belongs to none."""
    season: str | None
    """None where no season is meant, but its club."""
    game: str | None
    """Public id; None where the season itself is meant."""
    seat: int | None
    what: str
    expected: Any
    found: Any

    def __str__(self) -> str:
        where = "/".join([part for part in (self.club, self.season) if part is not None])
        game = "" if self.game is None else f", game {self.game}"
        seat = "" if self.seat is None else f", seat {self.seat}"
        return f"{where}{game}{seat}: {self.what}: expected {self.expected}, found {self.found}".removeprefix(": ")


class FoundDifference(NamedTuple):
    """A difference before it is known whose season it is in."""

    game: str | None
    seat: int | None
    what: str
    expected: Any
    found: Any


def differs(what: str, expected: Any, found: Any) -> FoundDifference:
    """A difference of a season, or of a game that is yet to be named."""
    return FoundDifference(None, None, what, expected, found)


def unreadable(what: str, error: Exception) -> FoundDifference:
    """Rows that nobody wrote like this."""
    return differs(what, "readable", type(error).__name__)


def by_seat(what: str, expected: Mapping[int, Any], found: Mapping[int, Any]) -> Iterator[FoundDifference]:
    """What differs, seat by seat; a seat that is missing has None."""
    for seat in sorted({*expected, *found}):
        if expected.get(seat) != found.get(seat):
            yield FoundDifference(None, seat, what, expected.get(seat), found.get(seat))
