"""The days of a season (docs/api.md#standings)."""

from fastapi import APIRouter

from app.routers.common.resources import ClubSlug, SeasonSlug
from app.routers.standings.ready_tables import FAILURES, READ_BY_ANYONE, TableRoute, TableView
from app.schemas.standings.days import SeasonDay
from app.services.standings.cache.answers import View
from app.services.standings.season_days import season_days
from app.services.standings.standings import Table
from app.services.standings.table_query import TableQuery
from app.services.storage import Transaction
from app.web.prepared_response import JSON
from app.web.render import render

router = APIRouter(
    prefix="/v1/clubs/{club}/seasons/{season}", tags=["Standings"], route_class=TableRoute, dependencies=READ_BY_ANYONE
)


@router.get("/days", summary="List the days of a season", response_model=list[SeasonDay], responses=FAILURES)
def get_days(club: ClubSlug, season: SeasonSlug) -> TableView:
    """Every day with a counted game, the first day first: a page's choice of days for `as_of` and `moves_since`."""

    def write(tx: Transaction, table: Table) -> bytes:
        return render([day._asdict() for day in season_days(tx, table)])

    return TableView(View("days", None, TableQuery()), JSON, write)
