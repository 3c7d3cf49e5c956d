"""Ranking games that are sent along and not stored."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from pydantic import ValidationError

from app.scoring.game import Game
from app.scoring.nickname import folded
from app.scoring.ranking import Lot
from app.scoring.rule_system import RuleSystem
from app.scoring.tally import Tallies
from app.scoring.terms import Format
from app.scoring.text import words
from app.scoring.violation import RuleViolations, Violation
from app.validation import MOST_VIOLATIONS, input_violations

_ORDER: Final = words("так таблица не сортируется; можно по столбцам: {}", "unknown order; expected one of: {}")
_SECOND_LOT: Final = words("жребий этих игроков уже указан: {}", "these players already have a lot: {}")


class GameTallies(NamedTuple):
    """What games add up to: tallies by folded nickname, how each player is written, and the breaches of the rules."""

    tallies: Tallies
    nicknames: dict[str, str]
    breaches: list[Violation]


def unrankable(system: RuleSystem, format: Format, order: str | None, lots: Sequence[Lot]) -> Iterator[Violation]:
    """What makes a table impossible: an order that the system has not, a second lot for the same players."""
    orders = system.rankings[format].orders
    if order is not None and order not in orders:
        yield Violation("value", "/order", _ORDER, (", ".join(orders),), list(orders))
    first: dict[frozenset[object], str] = {}
    for position, lot in enumerate(lots):
        pointer = f"/lots/{position}"
        if first.setdefault(lot.group, pointer) != pointer:
            yield Violation("value", pointer, _SECOND_LOT, (first[lot.group],))


def read_games(values: list[object], faults: list[Violation]) -> Iterator[tuple[int, Game]]:
    """Each well-shaped game with its position; what is wrong with the others goes to ``faults``, until it is enough.

    ``values`` is emptied on the way, so that a game's memory is free again before the next one is read.
    """
    values.reverse()
    for position in range(len(values)):
        try:
            game = Game.read(values.pop())
        except ValidationError as error:
            faults += input_violations(error, f"/games/{position}")
            if len(faults) > MOST_VIOLATIONS:
                return
        else:
            yield position, game


def tally_games(system: RuleSystem, games: Iterable[tuple[int, Game]], format: Format | None) -> GameTallies:
    """Check, score and add up ``games``; a game that breaks a rule is in no sum.

    When there are more breaches than are ever listed, the games that follow are read and not looked into.
    """
    tallies = Tallies()
    spellings: set[str] = set()
    breaches: list[Violation] = []
    for position, game in games:
        if len(breaches) > MOST_VIOLATIONS:
            continue
        try:
            system.examine(game, format).add_to(tallies)
        except RuleViolations as error:
            breaches += [found._replace(pointer=f"/games/{position}{found.pointer}") for found in error.violations]
        spellings.update([seat.player for seat in game.seats])
    # The first in code points, so that the order of games changes nothing.
    nicknames = {folded(spelling): spelling for spelling in sorted(spellings, reverse=True)}
    return GameTallies(tallies, nicknames, breaches)
