"""Approvals of a season's games (API.md, "Kept")."""

from datetime import datetime

from fastapi import APIRouter, Request, Response

from app.routers.common.openapi import UNCHANGED, asks, conditional, fails, takes, together
from app.routers.common.resources import BODY_FAILURES, ONCE, READ_FAILURES, ClubSlug, SeasonSlug, current, read_as
from app.routers.common.use_case import UseCaseResult, reading, writing
from app.routers.games.games import GameId, made_of
from app.schemas.common.fields import PageQuery
from app.schemas.games.approvals import ApprovalList, DecisionIn, cases_wire
from app.schemas.games.games import KeptGame
from app.schemas.rule_systems import NoQuery
from app.services.access import Caller
from app.services.games import approvals
from app.services.storage import Transaction
from app.web.bodies import read_query
from app.web.conditional import if_match
from app.web.language import language_of

_EXAMPLES = {
    "approve": ("Agree to all that the key may decide", {"decision": "approve"}),
    "reject": ("Ask for a correction", {"decision": "reject", "note": "0.6 is too much: give 0.5", "seat": 4}),
}

router = APIRouter(prefix="/v1/clubs/{club}/seasons/{season}", tags=["Approvals"])


@router.get(
    "/approvals",
    summary="List what waits for a decision",
    response_model=ApprovalList,
    responses=UNCHANGED | fails(*READ_FAILURES),
    openapi_extra=asks(PageQuery),
)
async def list_approvals(club: ClubSlug, season: SeasonSlug, request: Request) -> Response:
    """Games that wait, the first submitted first, each with its points, the text of the clauses that it waits under,
    and what of it this key may decide. Needs a key of the club.
    """
    query = read_query(request, PageQuery)
    language = language_of(request)

    def use_case(tx: Transaction, caller: Caller) -> UseCaseResult:
        page = approvals.page(tx, caller, club, season, cursor=query.cursor, limit=query.limit)
        return current(cases_wire(page, language), language)

    return await reading(request, use_case)


@router.post(
    "/games/{game:game_id}/approval",
    summary="Decide what waits",
    response_model=KeptGame,
    responses=fails(*BODY_FAILURES, "idempotency-mismatch", "precondition-failed", "precondition-required"),
    openapi_extra=together(conditional(required=True), ONCE, takes("DecisionIn", _EXAMPLES)),
)
async def decide_approval(club: ClubSlug, season: SeasonSlug, game: GameId, request: Request) -> Response:
    """A chief judge decides what the rules leave to the chief judge, a president whatever waits; `If-Match` says which
    version was looked at. Once all is approved the game counts. A rejected game is out of every table until it is
    corrected. `not_pending`: nothing of it waits for this key; 403: no approval of this game is up to its role.
    """
    read_query(request, NoQuery)
    asked, body = await read_as(request, DecisionIn)
    language = language_of(request)

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
            expected=if_match(request),
            now=now,
        )
        return made_of(found, language)

    return await writing(request, use_case, body)
