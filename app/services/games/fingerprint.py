"""The facts of a game as JSON, and a fingerprint that is equal for equal facts."""

import hashlib
from collections.abc import Iterable, Mapping
from decimal import Decimal
from operator import itemgetter
from typing import Any, Final, NamedTuple, Self

import orjson

_OF_SEATS: Final = frozenset({"player", "registered"})
"""What says who sits in a seat, and not what happened there."""

_NOT_COMPARED: Final = frozenset({"external_id", "played_on", "seats"})
_SETS: Final = ("ppk", "draw_makers")
_NUMBER: Final = itemgetter("seat")
_SEAT: Final = itemgetter(0)


class Fingerprint(NamedTuple):
    """A value that is equal for equal facts: numbers by value, and seats and other unordered items in any order.

    Players are not included, so renaming and merging do not change it. Compare players separately.
    """

    facts: str
    """SHA-256, in hex."""
    played_on: str
    unregistered: str
    """The seats whose players the judge called unregistered, as ``3,7``."""

    @classmethod
    def read(cls, written: str) -> Self:
        """The fingerprint that ``str`` wrote."""
        return cls(*written.split(" "))

    def __str__(self) -> str:
        return " ".join(self)


def fingerprint(facts: Mapping[str, Any], unregistered: Iterable[int]) -> Fingerprint:
    """The fingerprint of canonical facts, in which the judge called the players of these seats unregistered."""
    compared = {name: value for name, value in facts.items() if name not in _NOT_COMPARED}
    seats = sorted(facts["seats"], key=_NUMBER)
    compared["seats"] = [{name: value for name, value in seat.items() if name not in _OF_SEATS} for seat in seats]
    for seat in compared["seats"]:
        if "penalties" in seat:
            seat["penalties"] = sorted(seat["penalties"])
    for name in _SETS:
        if name in compared:
            compared[name] = sorted(compared[name])
    if "best_move" in compared.get("first_kill", ()):
        compared["first_kill"] = {**compared["first_kill"], "best_move": sorted(compared["first_kill"]["best_move"])}
    if "night_actions" in compared:
        compared["night_actions"] = sorted(compared["night_actions"], key=lambda action: sorted(action.items()))
    digest = hashlib.sha256(orjson.dumps(compared, _decimal, orjson.OPT_SORT_KEYS)).hexdigest()
    return Fingerprint(digest, facts.get("played_on", ""), unregistered_seats(unregistered))


class Traits(NamedTuple):
    """What a game may be recognised by: 64-bit hashes that equal parts have in common, and no others."""

    whole: int
    """Of its facts, its day and who sat where."""
    facts: int
    """Of its facts and who sat where."""
    seats: int
    """Of its day and who sat where in which role."""
    place: int | None
    """Of its day, stage, table and number; None without a number."""

    @property
    def present(self) -> tuple[int, ...]:
        """All that there are."""
        return self[:3] if self.place is None else self[:3] + (self.place,)


def traits(facts: Mapping[str, Any], digest: str, day: str, players: Iterable[tuple[int, int | str]]) -> Traits:
    """What a game is recognised by.

    Args:
        facts: canonical.
        digest: :attr:`Fingerprint.facts`.
        day: when it was played.
        players: seat and row number of each player; of who has none yet the nickname.
    """
    roles = {seat["seat"]: seat["role"] for seat in facts["seats"]}
    seats = ",".join([f"{seat}:{player}:{roles[seat]}" for seat, player in sorted(players, key=_SEAT)])
    place = None
    if "number" in facts:
        place = _hash(f"place {day} {facts.get('stage')} {facts.get('table')} {facts['number']}")
    return Traits(
        _hash(f"whole {digest} {day} {seats}"), _hash(f"facts {digest} {seats}"), _hash(f"seats {day} {seats}"), place
    )


def _hash(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest(), "big", signed=True)


def unregistered_seats(seats: Iterable[int]) -> str:
    """Seats as a fingerprint writes them."""
    return ",".join(map(str, sorted(seats)))


def written(facts: Mapping[str, Any]) -> str:
    """Canonical facts as JSON with exact numbers."""
    return orjson.dumps(facts, _decimal).decode()


def _decimal(value: object) -> orjson.Fragment:
    if isinstance(value, Decimal):
        return orjson.Fragment(f"{value:f}")
    raise TypeError(f"{type(value).__name__} is no fact")
