"""What places of a season's table give (API.md, "Standings")."""

from fastapi import APIRouter, Request, Response

from app.routers.common.resources import ClubSlug, SeasonSlug
from app.routers.standings.ready_tables import FAILURES, READ_BY_ANYONE, TableRoute, ready_table
from app.schemas.standings.season_standings import SeasonAwards, awards_wire
from app.services.standings.awards import states
from app.services.standings.cache.answers import View
from app.services.standings.standings import Table
from app.services.standings.table_query import TableQuery
from app.services.storage import Transaction
from app.web.language import language_of
from app.web.prepared_response import JSON
from app.web.render import render

router = APIRouter(
    prefix="/v1/clubs/{club}/seasons/{season}", tags=["Standings"], route_class=TableRoute, dependencies=READ_BY_ANYONE
)


@router.get("/awards", summary="Read the awards", response_model=SeasonAwards, responses=FAILURES)
async def get_awards(club: ClubSlug, season: SeasonSlug, request: Request) -> Response:
    """What the regulation gives for places of the table, and what each player lacks for it. Provisional until the
    season is closed.
    """
    language = language_of(request)

    def write(_: Transaction, table: Table) -> bytes:
        return render(awards_wire(table, states(table), language))

    return await ready_table(request, club, season, View("awards", language, TableQuery()), JSON, write)
