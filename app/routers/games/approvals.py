"""Approvals of a season's games (docs/api.md#games-of-a-season)."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Body, Response

from app.routers.common.openapi import UNCHANGED, fails, shown
from app.routers.common.resources import (
    BODY_FAILURES,
    READ_FAILURES,
    ClubSlug,
    IdempotencyKey,
    IfMatch,
    Page,
    SeasonSlug,
    current,
)
from app.routers.common.strict_route import AnswerLanguage, KeySession, StrictRoute
from app.routers.games.games import GameId, game_result
from app.schemas.games.approvals import ApprovalList, DecisionIn, cases_wire
from app.schemas.games.games import KeptGame
from app.services.access import Caller
from app.services.games import approvals
from app.services.storage import Transaction
from app.web.conditional import tags_of
from app.web.render import UseCaseResult

_EXAMPLES = {
    "approve": ("Approve everything that the key may decide", {"decision": "approve"}),
    "reject": ("Ask for a correction", {"decision": "reject", "note": "0.6 is too much: give 0.5", "seat": 4}),
}

DecisionBody = Annotated[DecisionIn, Body(openapi_examples=shown(_EXAMPLES))]

router = APIRouter(prefix="/v1/clubs/{club}/seasons/{season}", tags=["Approvals"], route_class=StrictRoute)


@router.get(
    "/approvals",
    summary="List pending approvals",
    response_model=ApprovalList,
    responses=UNCHANGED | fails(*READ_FAILURES),
)
async def list_approvals(
    club: ClubSlug, season: SeasonSlug, query: Page, session: KeySession, language: AnswerLanguage
) -> Response:
    """Requires a key of the club. Pending games, oldest submission first, with their points, the text of the clauses
    that require approval, and what this key may decide.
    """

    def use_case(tx: Transaction, caller: Caller) -> UseCaseResult:
        page = approvals.page(tx, caller, club, season, cursor=query.cursor, limit=query.limit)
        return current(cases_wire(page, language), language)

    return await session.read(use_case)


@router.post(
    "/games/{game:game_id}/approval",
    summary="Decide an approval",
    response_model=KeptGame,
    responses=fails(*BODY_FAILURES, "idempotency-mismatch", "precondition-failed", "precondition-required"),
)
async def decide_approval(
    club: ClubSlug,
    season: SeasonSlug,
    game: GameId,
    asked: DecisionBody,
    match: IfMatch,
    session: KeySession,
    language: AnswerLanguage,
    once: IdempotencyKey = None,
) -> Response:
    """A chief judge decides approvals that the rules assign to the chief judge, a president decides all. `If-Match`
    names the version that you reviewed. When everything is approved, the game counts. A rejected game stays out of all
    tables until it is corrected. `not_pending`: nothing is waiting for this key. 403: this role decides no approval of
    this game.
    """

    def use_case(tx: Transaction, caller: Caller, now: datetime) -> UseCaseResult:
        found = approvals.decide(
            tx,
            caller,
            club,
            season,
            game,
            approvals.Verdict(asked.decision, asked.note, asked.clause, asked.seat),
            expected=tags_of(match),
            now=now,
        )
        return game_result(found, language)

    return await session.write(use_case, once)
