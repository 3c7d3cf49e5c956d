"""Approvals on the wire: the queue and a decision (docs/api.md#games-of-a-season)."""

from typing import Annotated, Any

from pydantic import BaseModel, Field, StringConstraints

from app.patterns import PLAIN_TEXT
from app.schemas.common.fields import Body, page_wire
from app.schemas.common.numbers import Exact
from app.schemas.games.games import KeptGame, KeyName, kept_wire
from app.services.games.approvals import Decision, PendingGame
from app.services.storage import Page
from app.web.language import Language
from app.web.render import exact

_MOST_CLAUSE_CHARACTERS = 32


class DecisionIn(Body):
    """A decision about a game, with a reason."""

    decision: Decision
    note: Annotated[
        str | None,
        StringConstraints(strict=True, strip_whitespace=True, max_length=500, pattern=PLAIN_TEXT),
        Field(description="The reason, visible to the club's own keys. Required for a rejection: say what to correct."),
    ] = None
    clause: Annotated[
        str | None,
        StringConstraints(strict=True, max_length=_MOST_CLAUSE_CHARACTERS),
        Field(description="Decide only approvals under this clause; null: all that the key may decide."),
    ] = None
    seat: Annotated[
        int | None,
        Field(
            strict=True, ge=-(2**31), le=2**31 - 1, description="Decide only approvals of this seat; null: all seats."
        ),
    ] = None


class WaitingPlayer(BaseModel):
    """The player whose points are waiting."""

    id: str
    nickname: str


class WaitingApproval(BaseModel):
    """Points waiting for approval."""

    clause: str
    seat: int
    player: WaitingPlayer
    points: Exact
    by: Annotated[
        str, Field(description="Who may decide: `president` or `chief_judge`. The president may decide both.")
    ]
    may_decide: Annotated[bool, Field(description="Whether the key of this request may decide it.")]


class ClauseText(BaseModel):
    """The text of the regulation."""

    number: str
    text: Annotated[str, Field(description="In the language of the response.")]


class SubmittedBy(BaseModel):
    """The key that wrote the current version."""

    role: str
    key: KeyName


class ApprovalCase(BaseModel):
    """A game that is waiting for a decision, with everything needed to decide."""

    season: Annotated[str, Field(description="The slug of the season.")]
    game: Annotated[KeptGame, Field(description="Use its `etag` as `If-Match` when you decide.")]
    waiting: Annotated[list[WaitingApproval], Field(description="The open approvals.")]
    clauses: Annotated[list[ClauseText], Field(description="The clauses that require approval.")]
    who: SubmittedBy
    at: Annotated[str, Field(description="When the current version was written.")]


class ApprovalList(BaseModel):
    """Games waiting for a decision, oldest submission first."""

    items: list[ApprovalCase]
    next_cursor: str | None


def cases_wire(page: Page[PendingGame], language: Language) -> dict[str, Any]:
    """The page as :class:`ApprovalList` describes it."""
    return page_wire(page, lambda case: _case_wire(case, language))


def _case_wire(case: PendingGame, language: Language) -> dict[str, Any]:
    waiting = []
    for approval, may_decide in case.waiting:
        player = case.game.players[approval.seat]
        waiting.append(
            {
                "clause": approval.clause,
                "seat": approval.seat,
                "player": {"id": player.public_id, "nickname": player.nickname},
                "points": exact(approval.points),
                "by": approval.decider,
                "may_decide": may_decide,
            }
        )
    return {
        "season": case.season,
        "game": kept_wire(case.game, language).wire,
        "waiting": waiting,
        "clauses": [{"number": clause.number, "text": clause.text.say(language)} for clause in case.clauses],
        "who": {"role": case.current.role, "key": {"id": case.author.public_id, "name": case.author.name}},
        "at": case.current.at,
    }
