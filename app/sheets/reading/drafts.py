"""Games some of whose cells could not be read, as they may be once those are mended.

So one reading tells both what is wrong with the cells and what the regulation forbids in the others.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any, Final

from app.scoring.game import Game
from app.scoring.rule_system import RuleSystem
from app.scoring.violation import Violation
from app.sheets.vocabulary.columns import BY_FIELD

_MOST: Final = 16
"""Drafts of one game; with more cells in doubt nothing certain is left to say."""

_MADE_UP: Final = frozenset({"role", "player", "seat"})
"""Facts of a seat that no game is without; others are left out where they are lost."""

_BY_SEAT: Final = frozenset({"first_kill", "best_move", "ppk", "draw_makers", "night_actions"})
"""Facts that name seats."""


@dataclass(frozen=True, slots=True)
class Drafts:
    """One game, with its faulty cells mended in every way that matters."""

    games: Sequence[Game]
    seats: frozenset[int]
    """Seats (from 0) about which nothing is certain but who sits there."""
    cells: frozenset[tuple[int, str]]
    """Facts of a seat that are made up."""
    fields: frozenset[str]
    """Facts of the whole game about which nothing is certain."""

    def certain(self, check: Callable[[Game], Iterable[Violation]]) -> list[Violation]:
        """What ``check`` finds however the faulty cells are mended: the same, or something in the same cell."""
        first, *others = [list(check(game)) for game in self.games]
        common = [one for one in first if all(any(_is_alike(one, other) for other in found) for found in others)]
        return [violation for violation in common if not self._is_in_doubt(violation.pointer)]

    def _is_in_doubt(self, pointer: str) -> bool:
        top, *rest = pointer.split("/")[1:] or [""]
        if top == "seats" and rest:
            seat, field = int(rest[0]), rest[1] if len(rest) > 1 else ""
            return (seat, field) in self.cells or (seat in self.seats and field != "player")
        return top in self.fields or (top == "first_kill" and rest == ["best_move"] and "best_move" in self.fields)


def _is_alike(one: Violation, other: Violation) -> bool:
    return one == other or (one.pointer == other.pointer and one.pointer.startswith("/seats/"))


def drafts(
    facts: Mapping[str, Any], rows: Sequence[int], spoiled: Collection[tuple[int, str]], system: RuleSystem
) -> Drafts | None:
    """The game with the ``spoiled`` cells (row, field) mended; None where that may be done in too many ways.

    ``facts``: as read; ``rows``: the row of each seat.

    Raises:
        ValidationError: what could be read is no game.
    """
    lost = {field for _, field in spoiled}
    lost |= _BY_SEAT if "seat" in lost else {"best_move"} if "first_kill" in lost else set()
    fields = frozenset(field for field in lost if BY_FIELD[field].of != "seat")
    kept = {field: value for field, value in facts.items() if field not in fields}
    if "best_move" in fields and kept.get("first_kill"):
        kept["first_kill"] = {"seat": kept["first_kill"].get("seat")}
    seats = _filled_in(facts["seats"], system.table.most)
    roles = [at for at, seat in enumerate(seats) if "role" not in seat]
    outcomes: Collection[str | None] = [kept.get("outcome")]
    if kept.get("outcome") is None and not kept.get("cancelled"):
        outcomes = system.table.outcomes
    choices: list[Collection[str | None]] = [outcomes, *[system.table.roles] * len(roles)]
    if prod(map(len, choices)) > _MOST:
        return None
    games = []
    for outcome, *chosen in product(*choices):
        named = dict(zip(roles, chosen, strict=True))
        of_game = [{**seat, "role": named.get(at, seat.get("role"))} for at, seat in enumerate(seats)]
        games.append(Game.read({**kept, "outcome": outcome, "seats": of_game}))
    at = {row: index for index, row in enumerate(rows)}
    cells = {(at[row], field) for row, field in spoiled if row in at and BY_FIELD[field].of == "seat"}
    in_doubt = frozenset(seat for seat, field in cells if field not in _MADE_UP)
    return Drafts(games, in_doubt, frozenset(cells), fields)


def _filled_in(seats: Iterable[Mapping[str, Any]], most: int) -> list[dict[str, Any]]:
    """The seats without what could not be read; numbers and nicknames that are missing are made up."""
    known = [{field: value for field, value in seat.items() if value is not None} for seat in seats]
    taken = {seat.get("seat") for seat in known}
    free = (number for number in range(1, most + len(known) + 1) if number not in taken)
    filled = []
    for at, seat in enumerate(known):
        number = seat["seat"] if "seat" in seat else next(free)
        filled.append({"player": f"№ {at + 1}", **seat, "seat": number})
    return filled
