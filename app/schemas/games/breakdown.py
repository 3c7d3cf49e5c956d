"""A breakdown on the wire: every point of a game with the clause that gave it (docs/api.md, "A breakdown")."""

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import BaseModel, Field

from app.schemas.common.numbers import Exact
from app.scoring import breakdown as core
from app.scoring.terms import Outcome
from app.web.language import Language
from app.web.render import exact


class SystemReference(BaseModel):
    """A rule system and its version."""

    id: str
    version: int


class Line(BaseModel):
    """The points that one clause gave one seat. Lines worth 0 are omitted."""

    clause: str
    code: Annotated[str, Field(description="win, best_move, judge_bonus, penalty …; defined by the rule system.")]
    category: Annotated[str, Field(description="`main` or `extra`.")]
    points: Exact
    reason: Annotated[str, Field(description="In the language of the response.")]


class SeatScore(BaseModel):
    """The points of one seat. The total is the sum of its lines."""

    seat: int
    player: str
    role: str
    team: str
    result: Annotated[str | None, Field(description="`won`, `lost` or `draw`; null in a cancelled game.")]
    total: Exact
    lines: list[Line]


class Approval(BaseModel):
    """Points that need approval."""

    clause: str
    seat: int
    by: Annotated[str, Field(description="Who may decide: `president` or `chief_judge`.")]
    state: Annotated[str, Field(description="`pending`, `approved` or `rejected`.")]
    decided_by: str | None
    at: str | None
    note: str | None


class GameWarning(BaseModel):
    """Something that the rules allow but that may be a mistake."""

    code: str
    seat: int | None
    message: Annotated[str, Field(description="In the language of the response.")]


class Breakdown(BaseModel):
    """Every seat's points and, for each point, the clause that awarded it."""

    rule_system: SystemReference
    outcome: Outcome | None
    status: Annotated[
        str, Field(description="`counted`, `pending`, `unrated` or `cancelled`, as if the game were stored.")
    ]
    approvals: list[Approval]
    seats: list[SeatScore]
    warnings: list[GameWarning]


def breakdown_wire(
    breakdown: core.Breakdown, language: Language, more: Sequence[core.SeatWarning] = ()
) -> dict[str, Any]:
    """The breakdown as :class:`Breakdown` describes it, ready to render; ``more``: warnings beside its own."""
    status, approvals, seats, warnings = breakdown.status, breakdown.approvals, breakdown.seats, breakdown.warnings
    return {
        "rule_system": {"id": breakdown.system.id, "version": breakdown.system.version},
        "outcome": breakdown.game.outcome,
        "status": status,
        "approvals": [
            {
                "clause": approval.clause,
                "seat": approval.seat,
                "by": approval.by,
                "state": "pending",
                "decided_by": None,
                "at": None,
                "note": None,
            }
            for approval in approvals
        ],
        "seats": [
            {
                "seat": seat.seat,
                "player": seat.player,
                "role": seat.role,
                "team": team,
                "result": result,
                "total": exact(total),
                "lines": [
                    {
                        "clause": clause,
                        "code": code,
                        "category": category,
                        "points": exact(points),
                        "reason": reason.say(language, *args),
                    }
                    for clause, (code, category, points, reason, args) in lines
                ],
            }
            for seat, team, result, lines, total in seats
        ],
        "warnings": [warning_wire(warning, language) for warning in [*warnings, *more]],
    }


def warning_wire(warning: core.SeatWarning, language: Language) -> dict[str, Any]:
    """The warning as :class:`GameWarning` describes it."""
    code, seat, text, args = warning
    return {"code": code, "seat": seat, "message": text.say(language, *args)}
