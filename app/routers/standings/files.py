"""A season's table as a file (docs/api.md#standings)."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from app.routers.common.resources import ClubSlug, SeasonSlug
from app.routers.common.strict_route import AnswerLanguage
from app.routers.standings.ready_tables import FAILURES, READ_BY_ANYONE, TableRoute, TableView
from app.schemas.standings.season_standings import RowQuery
from app.services.standings.cache.answers import WORKBOOK, View
from app.services.standings.csv_file import csv_sheet
from app.services.standings.standings import Table
from app.services.standings.workbook import table_book
from app.services.storage import Transaction
from app.web.prepared_response import CSV, XLSX, Media

router = APIRouter(
    prefix="/v1/clubs/{club}/seasons/{season}", tags=["Standings"], route_class=TableRoute, dependencies=READ_BY_ANYONE
)


def _file(media: Media, **schema: str) -> dict[int | str, dict[str, Any]]:
    return {200: {"content": {media.type.partition(";")[0]: {"schema": {"type": "string", **schema}}}}} | FAILURES


@router.get(
    "/standings.csv",
    summary="Get the table as CSV",
    response_class=Response,
    response_model=None,
    responses=_file(CSV),
)
def get_standings_csv(club: ClubSlug, season: SeasonSlug, query: Annotated[RowQuery, Query()]) -> TableView:
    """The rows of the table in UTF-8: place, ID, nickname, then the columns by key. A nickname that a spreadsheet could
    take for a formula is prefixed with an apostrophe.
    """
    asked = query.asked()

    def write(_: Transaction, table: Table) -> bytes:
        return csv_sheet(table, asked)

    return TableView(View("standings.csv", None, asked), CSV, write)


@router.get(
    "/standings.xlsx",
    summary="Get the table as XLSX",
    response_class=Response,
    response_model=None,
    responses=_file(XLSX, format="binary"),
)
def get_standings_xlsx(
    club: ClubSlug, season: SeasonSlug, query: Annotated[RowQuery, Query()], language: AnswerLanguage
) -> TableView:
    """The table with real numbers; for a tournament, one sheet per stage with the table of that stage's games alone;
    and every line of every player, which add up to the player's row. In the language of the request.
    """
    asked = query.asked()

    def write(tx: Transaction, table: Table) -> bytes:
        return table_book(tx, table, asked, language)

    return TableView(View(WORKBOOK, language, asked), XLSX, write)
