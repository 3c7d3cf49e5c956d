"""Approvals of a season's games (API.md, "Kept")."""

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
from app.routers.common.use_case import UseCaseResult
from app.routers.games.games import GameId, game_result
from app.schemas.games.approvals import ApprovalList, DecisionIn, cases_wire
from app.schemas.games.games import KeptGame
from app.services.access import Caller
from app.services.games import approvals
from app.services.storage import Transaction
from app.web.conditional import tags_of

_EXAMPLES = {
    "approve": ("Agree to all that the key may decide", {"decision": "approve"}),
    "reject": ("Ask for a correction", {"decision": "reject", "note": "0.6 is too much: give 0.5", "seat": 4}),
}

DecisionBody = Annotated[DecisionIn, Body(openapi_examples=shown(_EXAMPLES))]

router = APIRouter(prefix="/v1/clubs/{club}/seasons/{season}", tags=["Approvals"], route_class=StrictRoute)


@router.get(
    "/approvals",
    summary="List what waits for a decision",
    response_model=ApprovalList,
    responses=UNCHANGED | fails(*READ_FAILURES),
)
async def list_approvals(
    club: ClubSlug, season: SeasonSlug, query: Page, session: KeySession, language: AnswerLanguage
) -> Response:
    """Games that wait, the first submitted first, each with its points, the text of the clauses that it waits under,
    and what of it this key may decide. Needs a key of the club.
    """

    def use_case(tx: Transaction, caller: Caller) -> UseCaseResult:
        page = approvals.page(tx, caller, club, season, cursor=query.cursor, limit=query.limit)
        return current(cases_wire(page, language), language)

    return await session.read(use_case)


@router.post(
    "/games/{game:game_id}/approval",
    summary="Decide what waits",
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
    """A chief judge decides what the rules leave to the chief judge, a president whatever waits; `If-Match` says which
    version was looked at. Once all is approved the game counts. A rejected game is out of every table until it is
    corrected. `not_pending`: nothing of it waits for this key; 403: no approval of this game is up to its role.
    """

    def use_case(tx: Transaction, caller: Caller, now: datetime) -> UseCaseResult:
        found = approvals.decide(
            tx,
            caller,
            club,
            season,
            game,
            decision=asked.decision,
            note=asked.note,
            clause=asked.clause,
            seat=asked.seat,
            expected=tags_of(match),
            now=now,
        )
        return game_result(found, language)

    return await session.write(use_case, once)
