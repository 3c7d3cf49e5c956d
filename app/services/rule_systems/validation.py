"""Whether a regulation can be computed, and whether it gives what its cases say."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from app.scoring.rule_system import RuleSystem
from app.scoring.text import words
from app.scoring.violation import Violation
from app.services.rule_systems import cases as worked
from app.services.rule_systems.reading import read_system
from app.validation import InvalidInput

_EITHER: Final = words("нужно одно из двух: game или games", "expected either game or games")
_TOO_MANY: Final = words("игр во всех примерах — не больше {}, здесь {}", "expected at most {} games in all, got {}")


class Proof(NamedTuple):
    """A system, and what its cases show."""

    system: RuleSystem
    report: worked.CaseReport


def prove(document: object, cases: Sequence[Mapping[str, Any]]) -> Proof:
    """Read a system and its cases, and compare each case with what the system gives.

    Args:
        document: the system, at ``/system`` of the request.
        cases: at ``/cases``: each with ``name``, ``game`` or ``format`` and ``games``, and ``expected`` or None.

    Raises:
        InvalidInput: with every fault of the system and of the games.
    """
    system, faults = read_system(document, "/system")
    told = list(faults)
    read = [case for i, value in enumerate(cases) if (case := _case(value, f"/cases/{i}", told)) is not None]
    count = sum(len(case.games) for case in read)
    if count > worked.MOST_GAMES:
        limit = worked.MOST_GAMES
        told.append(Violation("too_many", "/cases", _TOO_MANY, (limit, count), limit, count))
    if told or system is None:
        raise InvalidInput(told)
    return Proof(system, worked.run(system, read))


def _case(value: Mapping[str, Any], pointer: str, told: list[Violation]) -> worked.Case | None:
    if (value["game"] is None) == (value["games"] is None):
        told.append(Violation("value", pointer, _EITHER))
        return None
    game, games = worked.read_games(value, pointer, told)
    if game is None and value["games"] is None:
        return None
    return worked.Case(value["name"], value["expected"], game, value["format"], games)
