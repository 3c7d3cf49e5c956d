"""The names by which formulas ask a tally: ``wins``, ``points``, ``wins_as_don``, ``first_kills_in_final`` …

A name is a measure, then optionally ``_as_`` a role of the table, then optionally ``_in_`` a stage:

- ``games``, ``wins``, ``losses``, ``draws``, ``first_kills``: how many games of that kind;
- ``points``, ``main_points``, ``extra_points``: points of all lines, or of one category;
- ``n_CODE``, ``p_CODE``: how many lines with that code, and their points (``n_best_move``, ``p_best_move``).
"""

from collections.abc import Callable, Collection, Iterator
from typing import Final

from app.scoring.formula import Number
from app.scoring.points import in_points
from app.scoring.tally import Tally
from app.scoring.terms import STAGES, Result

Ask = Callable[[Tally], Number]

_RESULTS: Final[dict[str, Result | None]] = {"games": None, "wins": "won", "losses": "lost", "draws": "draw"}
_CATEGORIES: Final[dict[str, str | None]] = {"points": None, "main_points": "main", "extra_points": "extra"}


def tally_names(roles: Collection[str], codes: Collection[str]) -> dict[str, Ask]:
    """Every name that a system with these roles and line codes knows, and how to ask for it."""
    return {
        f"{measure}{role_suffix}{stage_suffix}": _ask(measure, role, stage)
        for measure in _measures(codes)
        for role_suffix, role in _options("_as_", roles)
        for stage_suffix, stage in _options("_in_", STAGES)
    }


def _measures(codes: Collection[str]) -> Iterator[str]:
    yield from _RESULTS
    yield "first_kills"
    yield from _CATEGORIES
    for code in sorted(codes):
        yield f"n_{code}"
        yield f"p_{code}"


def _options(joint: str, words: Collection[str]) -> Iterator[tuple[str, tuple[str, ...] | None]]:
    yield "", None
    for word in words:
        yield f"{joint}{word}", (word,)


def _ask(measure: str, roles: tuple[str, ...] | None, stages: tuple[str, ...] | None) -> Ask:
    if measure in _RESULTS:
        result = _RESULTS[measure]
        return lambda tally: tally.count(roles=roles, result=result, stages=stages)
    if measure == "first_kills":
        return lambda tally: tally.count(roles=roles, stages=stages, first_kill=True)
    if measure in _CATEGORIES:
        category = _CATEGORIES[measure]
        return lambda tally: in_points(tally.earned(category=category, roles=roles, stages=stages)[1])
    code = measure[2:]
    if measure.startswith("n_"):
        return lambda tally: tally.earned(code=code, roles=roles, stages=stages)[0]
    return lambda tally: in_points(tally.earned(code=code, roles=roles, stages=stages)[1])
