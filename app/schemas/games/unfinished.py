"""What is said of a game that is still being written down, on the wire (docs/api.md#unfinished-games)."""

from typing import Annotated, Any

from pydantic import BaseModel, Field, StringConstraints

from app.patterns import PLAIN_TEXT
from app.schemas.common.numbers import Exact
from app.schemas.games.breakdown import Breakdown, SeatScore, breakdown_wire
from app.scoring import game as core
from app.scoring.rules.kind import Remaining as Left
from app.scoring.unfinished import Judged
from app.web.language import Language
from app.web.render import exact

_Player = Annotated[str, StringConstraints(strict=True, max_length=64, pattern=PLAIN_TEXT)]


class UnfinishedSeat(core.Seat):
    """One seat of a game that is still being written down. What is null, blank or absent is not said yet."""

    seat: core.Whole | None = None  # type: ignore[assignment]
    player: _Player | None = None  # type: ignore[assignment]
    role: core.Name | None = None  # type: ignore[assignment]


class UnfinishedGame(core.Game):
    """A game that is still being written down, with `partial=true`. What is null, blank or absent is not said yet."""

    seats: Annotated[tuple[UnfinishedSeat, ...], core.UpTo(core.MOST_SEATS)] = ()


class Waiting(BaseModel):
    """A rule that cannot judge the game yet."""

    clause: str
    kind: Annotated[str, Field(description="The kind of the rule, as in the rule system.")]
    needs: Annotated[list[str], Field(description="What is missing: `outcome`, `roles`.")]


class SeatRemaining(BaseModel):
    """What one seat may get."""

    seat: int
    most: Annotated[
        Exact, Field(description="The most that the seat may have in all, if the other seats stay as they are.")
    ]


class Remaining(BaseModel):
    """What the judge may still give under a rule."""

    clause: str
    code: Annotated[str, Field(description="The code of its lines: `judge_bonus`.")]
    points_left: Annotated[Exact | None, Field(description="For the whole table; null: no limit.")]
    players_left: Annotated[int | None, Field(description="How many more players may get some; null: no limit.")]
    by_seat: list[SeatRemaining]


class UnfinishedSeatScore(SeatScore):
    """The points of one seat so far. What is not known yet is null."""

    player: str | None  # type: ignore[assignment]
    role: str | None  # type: ignore[assignment]
    team: str | None  # type: ignore[assignment]


class UnfinishedBreakdown(Breakdown):
    """What can be said of a game that may be unfinished: also what is missing and what may still be given."""

    status: Annotated[  # type: ignore[assignment]
        str | None, Field(description="As if the game were stored; null while it is incomplete.")
    ]
    seats: list[UnfinishedSeatScore]  # type: ignore[assignment]
    incomplete: Annotated[list[str], Field(description="JSON pointers to what the game does not say yet.")]
    later: Annotated[list[Waiting], Field(description="Rules that cannot judge before more is said.")]
    remaining: list[Remaining]


def unfinished_wire(judged: Judged, language: Language) -> dict[str, Any]:
    """The judgement as :class:`UnfinishedBreakdown` describes it."""
    wire = breakdown_wire(judged.breakdown, language)
    if judged.incomplete:
        wire["status"] = None
    for i, seat in enumerate(wire["seats"]):
        seat["role"] = seat["role"] or None
        seat["team"] = seat["team"] or None
        if f"/seats/{i}/player" in judged.incomplete:
            seat["player"] = None
    return wire | missing_wire(judged)


def missing_wire(judged: Judged) -> dict[str, Any]:
    """What is missing in the game, and what may still be given."""
    return {
        "incomplete": list(judged.incomplete),
        "later": [{"clause": one.clause, "kind": one.kind, "needs": list(one.needs)} for one in judged.later],
        "remaining": [_remaining_wire(clause, left) for clause, left in judged.remaining],
    }


def _remaining_wire(clause: str, left: Left) -> dict[str, Any]:
    return {
        "clause": clause,
        "code": left.code,
        "points_left": None if left.points_left is None else exact(left.points_left),
        "players_left": left.players_left,
        "by_seat": [{"seat": seat, "most": exact(most)} for seat, most in left.by_seat],
    }
