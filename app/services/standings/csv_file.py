"""A table as CSV, for programs."""

import csv
import io
from collections.abc import Sequence
from decimal import Decimal

from app.scoring.points import rounded
from app.scoring.ranking import RankingColumn, Row
from app.services.standings.standings import Table, visible_rows
from app.services.standings.table_query import TableQuery
from app.sheets import neutral


def csv_sheet(table: Table, query: TableQuery) -> bytes:
    """The table as RFC 4180 in UTF-8: place, player's id and nickname, then the columns under their keys.

    Numbers are exact, with a point. A nickname in which a spreadsheet would see a formula is escaped
    (:func:`app.sheets.neutral`).
    """
    columns = table.standings.columns
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["rank", "id", "player", *(column.key for column in columns)])
    for who, row in visible_rows(table, query):
        numbers = ["" if value is None else f"{value:f}" for value in values_of(row, columns)]
        place = "" if row.rank is None else str(row.rank)
        writer.writerow([place, who.public_id, neutral(who.nickname), *numbers])
    return text.getvalue().encode()


def values_of(row: Row, columns: Sequence[RankingColumn]) -> list[Decimal | None]:
    """A row's numbers with the decimals of their columns."""
    written = []
    for column in columns:
        value = row.values[column.key]
        written.append(None if value is None else rounded(value, column.decimals))
    return written
