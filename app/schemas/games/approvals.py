"""Approvals on the wire: the queue and a decision (API.md, "Kept")."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, StringConstraints

from app.schemas.common.fields import Body, page_wire
from app.schemas.common.numbers import Exact
from app.schemas.games.games import KeptGame, KeyName, kept_wire
from app.services.games.approvals import PendingGame
from app.services.storage import Page
from app.web.language import Language
from app.web.render import exact

_MOST_CLAUSE_CHARACTERS = 32


class DecisionIn(Body):
    """What is decided of a game, and why."""

    decision: Literal["approve", "reject"]
    note: Annotated[
        str | None,
        StringConstraints(strict=True, strip_whitespace=True, max_length=500, pattern="^[^\\x00-\\x1f\\x7f-\\x9f]*$"),
        Field(description="Why, for the club's own keys; a rejection must say what to correct."),
    ] = None
    clause: Annotated[
        str | None,
        StringConstraints(strict=True, max_length=_MOST_CLAUSE_CHARACTERS),
        Field(description="Only what waits under this clause; null: all that the key may decide."),
    ] = None
    seat: Annotated[
        int | None,
        Field(strict=True, ge=-(2**31), le=2**31 - 1, description="Only what waits for this seat; null: any."),
    ] = None


class WaitingPlayer(BaseModel):
    """Whose points wait."""

    id: str
    nickname: str


class WaitingApproval(BaseModel):
    """Points that wait for somebody to agree to them."""

    clause: str
    seat: int
    player: WaitingPlayer
    points: Exact
    by: Annotated[str, Field(description="Who may decide: `president` or `chief_judge`, for whom the president may.")]
    may_decide: Annotated[bool, Field(description="Whether the key of this request may.")]


class ClauseText(BaseModel):
    """What the regulation says."""

    number: str
    text: Annotated[str, Field(description="In the language of the answer.")]


class SubmittedBy(BaseModel):
    """Whose key wrote the game as it waits."""

    role: str
    key: KeyName


class ApprovalCase(BaseModel):
    """A game that waits for a decision, with all that is needed to decide."""

    game: Annotated[KeptGame, Field(description="Its `etag` is the `If-Match` of the decision.")]
    waiting: Annotated[list[WaitingApproval], Field(description="What is open.")]
    clauses: Annotated[list[ClauseText], Field(description="The clauses that it is open under.")]
    who: SubmittedBy
    at: Annotated[str, Field(description="Since when the game is as it waits.")]


class ApprovalList(BaseModel):
    """Games that wait for a decision, the first submitted first."""

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
        "game": kept_wire(case.game, language).wire,
        "waiting": waiting,
        "clauses": [{"number": clause.number, "text": clause.text.say(language)} for clause in case.clauses],
        "who": {"role": case.current.role, "key": {"id": case.author.public_id, "name": case.author.name}},
        "at": case.current.at,
    }
