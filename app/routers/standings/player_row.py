"""A player's row of a season's table, line by line (docs/api.md#standings)."""

from typing import Annotated

from fastapi import APIRouter, Path, Query

from app.routers.common.resources import ClubSlug, SeasonSlug
from app.routers.common.strict_route import AnswerLanguage
from app.routers.standings.ready_tables import FAILURES, READ_BY_ANYONE, TableRoute, TableView
from app.schemas.standings.player_row import PlayerStanding, player_wire
from app.schemas.standings.season_standings import MovesQuery
from app.services.standings.cache.answers import View
from app.services.standings.moves import previous_ranks
from app.services.standings.standings import Table, player_row
from app.services.storage import Transaction
from app.web.prepared_response import JSON
from app.web.render import render

TablePlayerId = Annotated[str, Path(description="The ID of the player.", examples=["p_1jqf0v3k8m2x5r7t9w"])]

router = APIRouter(
    prefix="/v1/clubs/{club}/seasons/{season}", tags=["Standings"], route_class=TableRoute, dependencies=READ_BY_ANYONE
)


@router.get(
    "/standings/{player}",
    summary="Get a player's row, line by line",
    response_model=PlayerStanding,
    responses=FAILURES,
)
def get_player_standing(
    club: ClubSlug,
    season: SeasonSlug,
    player: TablePlayerId,
    query: Annotated[MovesQuery, Query()],
    language: AnswerLanguage,
) -> TableView:
    """The row and every line behind it, game by game. The lines add up to the row."""
    asked = query.asked()

    def write(tx: Transaction, table: Table) -> bytes:
        made = player_row(tx, table, asked, player)
        return render(player_wire(table, made, language, previous_ranks(tx, table, asked).get(made.who.id)))

    return TableView(View("player", language, asked, player), JSON, write)
