"""What the games of a season come to: statistics, and a player's way through the table (docs/api.md#statistics)."""

from typing import Annotated

from fastapi import APIRouter, Query

from app.routers.common.resources import ClubSlug, SeasonSlug
from app.routers.common.strict_route import AnswerLanguage
from app.routers.standings.player_row import TablePlayerId
from app.routers.standings.ready_tables import FAILURES, READ_BY_ANYONE, TableRoute, TableView
from app.schemas.standings.progress import PlayerProgress, progress_wire
from app.schemas.standings.season_standings import RowQuery
from app.schemas.standings.statistics import (
    PlayerSeasonStatistics,
    SeasonFigures,
    StatisticsQuery,
    player_statistics_wire,
    season_statistics_wire,
)
from app.services.standings import statistics
from app.services.standings.cache.answers import PROGRESS, STATISTICS, View
from app.services.standings.progress import progress_of
from app.services.standings.standings import Table
from app.services.standings.table_query import TableQuery
from app.services.storage import Transaction
from app.web.prepared_response import JSON
from app.web.render import render

router = APIRouter(
    prefix="/v1/clubs/{club}/seasons/{season}", tags=["Standings"], route_class=TableRoute, dependencies=READ_BY_ANYONE
)


@router.get(
    "/standings/{player}/progress",
    summary="Get a player's place after each day",
    response_model=PlayerProgress,
    responses=FAILURES,
)
def get_player_progress(
    club: ClubSlug,
    season: SeasonSlug,
    player: TablePlayerId,
    query: Annotated[RowQuery, Query()],
    language: AnswerLanguage,
) -> TableView:
    """The player's place and values as of each day with a counted game, from the first day in the table on."""
    asked = query.asked()

    def write(tx: Transaction, table: Table) -> bytes:
        return render(progress_wire(table, progress_of(tx, table, asked, player), language))

    return TableView(View(PROGRESS, language, asked, player), JSON, write)


@router.get(
    "/players/{player}/statistics",
    summary="Get a player's statistics",
    response_model=PlayerSeasonStatistics,
    responses=FAILURES,
)
def get_player_statistics(
    club: ClubSlug, season: SeasonSlug, player: TablePlayerId, query: Annotated[StatisticsQuery, Query()]
) -> TableView:
    """A player's counted games by role, team, seat, judge and result; first kills, best moves by hits, checks and shots
    of city games, the longest runs, and with and against whom (from three games on).
    """
    asked = query.asked()

    def write(tx: Transaction, table: Table) -> bytes:
        found = statistics.of_player(tx, table, asked, player)
        return render(player_statistics_wire(table, found.who, found.statistics, found.others))

    return TableView(View(STATISTICS, None, asked, player), JSON, write)


@router.get("/statistics", summary="Get a season's statistics", response_model=SeasonFigures, responses=FAILURES)
def get_season_statistics(club: ClubSlug, season: SeasonSlug) -> TableView:
    """Outcomes, first kills by role and best moves by hits of all counted games; outcomes by judge and by day."""

    def write(tx: Transaction, table: Table) -> bytes:
        return render(season_statistics_wire(table, statistics.of_season(tx, table)))

    return TableView(View(STATISTICS, None, TableQuery()), JSON, write)
