"""The names by which formulas ask a tally: ``wins``, ``points``, ``wins_as_don``, ``first_kills_in_final`` …

A name is a measure, then optionally ``_as_`` a role of the table, then optionally ``_in_`` a stage:

- ``games``, ``wins``, ``losses``, ``draws``, ``first_kills``: how many games of that kind;
- ``points``, ``main_points``, ``extra_points``: points of all lines, or of one category;
- ``n_CODE``, ``p_CODE``: how many lines with that code, and their points (``n_best_move``, ``p_best_move``).
"""

from collections.abc import Collection, Iterator
from typing import Final

from app.scoring.tally import Ask
from app.scoring.terms import STAGES, Result

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
        return Ask("games", roles, stages, result=_RESULTS[measure])
    if measure == "first_kills":
        return Ask("games", roles, stages, first_kill=True)
    if measure in _CATEGORIES:
        return Ask("points", roles, stages, category=_CATEGORIES[measure])
    return Ask("lines" if measure.startswith("n_") else "points", roles, stages, code=measure[2:])
