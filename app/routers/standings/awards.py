"""What places of a season's table give (docs/api.md#standings)."""

from fastapi import APIRouter

from app.routers.common.resources import ClubSlug, SeasonSlug
from app.routers.common.strict_route import AnswerLanguage
from app.routers.standings.ready_tables import FAILURES, READ_BY_ANYONE, TableRoute, TableView
from app.schemas.standings.season_standings import SeasonAwards, awards_wire
from app.services.standings.awards import states
from app.services.standings.cache.answers import View
from app.services.standings.standings import Table
from app.services.standings.table_query import TableQuery
from app.services.storage import Transaction
from app.web.prepared_response import JSON
from app.web.render import render

router = APIRouter(
    prefix="/v1/clubs/{club}/seasons/{season}", tags=["Standings"], route_class=TableRoute, dependencies=READ_BY_ANYONE
)


@router.get("/awards", summary="Get the awards", response_model=SeasonAwards, responses=FAILURES)
def get_awards(club: ClubSlug, season: SeasonSlug, language: AnswerLanguage) -> TableView:
    """The awards for places in the table, and what each player still needs. Provisional until the season is closed."""

    def write(_: Transaction, table: Table) -> bytes:
        return render(awards_wire(table, states(table), language))

    return TableView(View("awards", language, TableQuery()), JSON, write)
