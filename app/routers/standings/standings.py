"""A season's table (docs/api.md#standings)."""

from typing import Annotated

from fastapi import APIRouter, Query

from app.routers.common.resources import ClubSlug, SeasonSlug
from app.routers.common.strict_route import AnswerLanguage
from app.routers.standings.ready_tables import FAILURES, READ_BY_ANYONE, TableRoute, TableView
from app.schemas.seasons.rule_change import WhatIfStandings, what_if_wire
from app.schemas.standings.season_standings import KeptStandings, StandingsQuery, kept_standings_wire
from app.services.seasons import what_if
from app.services.standings.cache.answers import View
from app.services.standings.moves import previous_ranks
from app.services.standings.standings import Table
from app.services.standings.workbook_lines import stage_table
from app.services.storage import Transaction
from app.web.prepared_response import JSON
from app.web.render import render

router = APIRouter(
    prefix="/v1/clubs/{club}/seasons/{season}", tags=["Standings"], route_class=TableRoute, dependencies=READ_BY_ANYONE
)


@router.get("/standings", summary="Get the table", response_model=KeptStandings | WhatIfStandings, responses=FAILURES)
def get_standings(
    club: ClubSlug, season: SeasonSlug, query: Annotated[StandingsQuery, Query()], language: AnswerLanguage
) -> TableView:
    """Includes every counted game from the moment its submission is confirmed. A public season needs no key. With
    `rule_system`, the same games are scored by that system and shown beside the season's own places; nothing is
    changed. With `stage`, only the games of that stage of a tournament make the table.
    """
    asked, other = query.asked(), query.system()

    def write(tx: Transaction, table: Table) -> bytes:
        table = stage_table(tx, table, asked)
        if other is None:
            return render(kept_standings_wire(table, asked, language, previous_ranks(tx, table, asked)))
        return render(what_if_wire(what_if.under(tx, table, asked, other), asked, language))

    under = None if other is None else other.fingerprint
    return TableView(View("standings", language, asked, under=under), JSON, write)
