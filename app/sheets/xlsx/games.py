"""Games as XLSX: a row a seat, on one sheet of a workbook."""

from collections.abc import Iterator
from itertools import islice
from typing import BinaryIO, Final

from app.scoring.rule_system import RuleSystem
from app.scoring.text import words
from app.sheets.reading.header import HEADER_WITHIN, Row, count_columns, find_header, is_of_games, read_header
from app.sheets.reading.read_game import ReadGame, excerpt
from app.sheets.reading.read_sheet import read_sheet
from app.sheets.vocabulary.calendar import Calendar, DayOf, day_in_utc
from app.sheets.vocabulary.columns import Context
from app.sheets.vocabulary.words import vocabulary
from app.sheets.xlsx.package import Package, rejection
from app.sheets.xlsx.workbook import Workbook

_SEVERAL: Final = words(
    "игры на нескольких листах: {}; отправьте каждый лист отдельным файлом",
    "several sheets contain games: {}; send each in a separate workbook",
)


def read_xlsx(file: BinaryIO, system: RuleSystem | None = None, day_of: DayOf = day_in_utc) -> Iterator[ReadGame]:
    """The games of the one sheet whose header names seats and roles; see :func:`app.sheets.reading.csv_games.read_csv`.

    Where none does, the sheet whose header names most columns is refused for what it lacks.

    ``file``: seekable; read, not closed. Cells may be numbers, days and flags as well as text. Memory: the workbook's
    different texts and one game, whatever the sheet's size.

    Raises:
        UnreadableFile: what :class:`app.sheets.xlsx.package.Package` refuses, games on several sheets, no header or one
            that is not understood: before the first game; a sheet that is damaged or too wide further down: there.
    """
    book = Workbook(Package(file))
    headers = {sheet: find_header(islice(book.rows(sheet), HEADER_WITHIN)) for sheet in book.parts}
    named = {sheet: row for sheet, row in headers.items() if row is not None}
    games = [sheet for sheet, row in named.items() if is_of_games(row)]
    if len(games) > 1:
        raise rejection("several_sheets", _SEVERAL, ", ".join(map(excerpt, games)))
    sheet = games[0] if games else max(named, key=lambda sheet: count_columns(named[sheet]), default="")
    header = read_header(named.get(sheet))
    rows: Iterator[Row] = (row for row in book.rows(sheet) if row.number > header.row)
    yield from read_sheet(header, rows, Context(vocabulary(system), Calendar(day_of, book.day_0), system))
