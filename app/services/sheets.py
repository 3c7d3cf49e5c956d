"""A table as a sheet: CSV for programs, XLSX for people."""

import csv
import io
from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Final

import xlsxwriter

from app.scoring.points import rounded
from app.scoring.ranking import RankingColumn, Row
from app.scoring.text import words
from app.services.standings import Asked, Table, shown

_RANK: Final = words("Место", "Place")
_PLAYER: Final = words("Игрок", "Player")
_SHEET: Final = words("Таблица", "Standings")
_FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r")
_MADE: Final = datetime(2000, 1, 1, tzinfo=UTC)
"""A workbook says when it was made; the same table must be the same bytes."""

_NOT_IN_XML: Final = {0xFFFE: "\N{REPLACEMENT CHARACTER}", 0xFFFF: "\N{REPLACEMENT CHARACTER}"}

_NICKNAME_WIDTH: Final = 28
_LEAST_WIDTH: Final = 9


def csv_sheet(table: Table, asked: Asked) -> bytes:
    """The table as RFC 4180 in UTF-8: place, player's id and nickname, then the columns under their keys.

    Numbers are exact, with a point. A nickname that a spreadsheet would take for a formula has an apostrophe before it.
    """
    columns = table.standings.columns
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["rank", "id", "player", *(column.key for column in columns)])
    for who, row in shown(table, asked):
        numbers = ["" if value is None else f"{value:f}" for value in _values(row, columns)]
        place = "" if row.rank is None else str(row.rank)
        writer.writerow([place, who.public_id, _harmless(who.nickname), *numbers])
    return text.getvalue().encode()


def xlsx_sheet(table: Table, asked: Asked, language: str) -> bytes:
    """The table as a workbook: real numbers, the header and the nicknames stay in sight.

    Nicknames are written as texts, which no spreadsheet computes.
    """
    columns = table.standings.columns
    file = io.BytesIO()
    with xlsxwriter.Workbook(file, {"in_memory": True}) as book:
        book.set_properties({"title": table.head.season.name, "created": _MADE})
        head = book.add_format({"bold": True, "text_wrap": True, "valign": "top"})
        sheet = book.add_worksheet(_SHEET.say(language))
        sheet.freeze_panes(1, 2)
        sheet.set_column(1, 1, _NICKNAME_WIDTH)
        sheet.write_string(0, 0, _RANK.say(language), head)
        sheet.write_string(0, 1, _PLAYER.say(language), head)
        formats = [book.add_format({"num_format": _pattern(column.decimals)}) for column in columns]
        for i, column in enumerate(columns, 2):
            label = _label(column, language)
            sheet.set_column(i, i, max(_LEAST_WIDTH, len(label) + 1))
            sheet.write_string(0, i, label, head)
        for line, (who, row) in enumerate(shown(table, asked), 1):
            if row.rank is not None:
                sheet.write_number(line, 0, row.rank)
            sheet.write_string(line, 1, who.nickname.translate(_NOT_IN_XML))
            for i, value in enumerate(_values(row, columns)):
                if value is not None:
                    sheet.write_number(line, i + 2, float(value), formats[i])
    return file.getvalue()


def _values(row: Row, columns: Sequence[RankingColumn]) -> list[Decimal | None]:
    written = []
    for column in columns:
        value = row.values[column.key]
        written.append(None if value is None else rounded(value, column.decimals))
    return written


def _harmless(nickname: str) -> str:
    return f"'{nickname}" if nickname.startswith(_FORMULA_STARTS) else nickname


def _label(column: RankingColumn, language: str) -> str:
    label = column.label.say(language)
    return f"{label}, {column.unit}" if column.unit else label


def _pattern(decimals: int) -> str:
    return "0." + "0" * decimals if decimals else "0"
