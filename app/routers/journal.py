"""What was done in a club and in a season, and by whom (docs/api.md#seasons)."""

from fastapi import APIRouter, Response

from app.routers.common.openapi import UNCHANGED, fails
from app.routers.common.resources import READ_FAILURES, ClubSlug, Page, SeasonSlug, current
from app.routers.common.strict_route import KeySession, StrictRoute
from app.schemas.common.fields import page_wire
from app.schemas.journal import ChangeList, change_wire
from app.services import journal
from app.services.access import Caller
from app.services.storage import Transaction
from app.web.render import UseCaseResult

router = APIRouter(prefix="/v1/clubs/{club}", route_class=StrictRoute)


@router.get(
    "/changes",
    tags=["Clubs"],
    summary="List changes in a club",
    response_model=ChangeList,
    responses=UNCHANGED | fails(*READ_FAILURES, "forbidden"),
)
async def list_club_changes(club: ClubSlug, query: Page, session: KeySession) -> Response:
    """Requires the president's key. Every change to the club and its seasons, newest first: games, players, seasons,
    lots and keys, with author, time and reason.
    """

    def use_case(tx: Transaction, caller: Caller) -> UseCaseResult:
        page = journal.of_club(tx, caller, club, cursor=query.cursor, limit=query.limit)
        return current(page_wire(page, change_wire))

    return await session.read(use_case)


@router.get(
    "/seasons/{season}/changes",
    tags=["Seasons"],
    summary="List changes in a season",
    response_model=ChangeList,
    responses=UNCHANGED | fails(*READ_FAILURES),
)
async def list_season_changes(club: ClubSlug, season: SeasonSlug, query: Page, session: KeySession) -> Response:
    """Requires a key of the club. Every change to the season, newest first, with author, time and reason. What a
    correction changed is in the game's history.
    """

    def use_case(tx: Transaction, caller: Caller) -> UseCaseResult:
        page = journal.of_season(tx, caller, club, season, cursor=query.cursor, limit=query.limit)
        return current(page_wire(page, change_wire))

    return await session.read(use_case)
