"""Games as XLSX: a row a seat, on one sheet of a workbook."""

from collections.abc import Iterator
from itertools import islice
from typing import BinaryIO, Final

from app.scoring.rule_system import RuleSystem
from app.scoring.text import words
from app.sheets.reading.header import HEADER_WITHIN, Row, count_columns, find_header, read_header
from app.sheets.reading.read_game import ReadGame, excerpt
from app.sheets.reading.split_games import split_games
from app.sheets.vocabulary.calendar import Calendar, DayOf, day_in_utc
from app.sheets.vocabulary.columns import Context
from app.sheets.vocabulary.words import vocabulary
from app.sheets.xlsx.package import Package, rejection
from app.sheets.xlsx.workbook import Workbook

_ENOUGH: Final = 3
"""Names of columns that make a row the header of games."""

_SEVERAL: Final = words(
    "игры на нескольких листах: {}; отправьте каждый лист отдельным файлом",
    "several sheets contain games: {}; send each in a separate workbook",
)


def read_xlsx(file: BinaryIO, system: RuleSystem | None = None, day_of: DayOf = day_in_utc) -> Iterator[ReadGame]:
    """The games of the one sheet that has a header of games; see :func:`app.sheets.reading.csv_games.read_csv`.

    ``file``: seekable; read, not closed. Cells may be numbers, days and flags as well as text. Memory: the workbook's
    different texts and one game, whatever the sheet's size.

    Raises:
        UnreadableFile: what :class:`app.sheets.xlsx.package.Package` refuses, games on several sheets, no header or one
            that is not understood: before the first game; a sheet that is damaged or too wide further down: there.
    """
    book = Workbook(Package(file))
    headers = {sheet: find_header(islice(book.rows(sheet), HEADER_WITHIN)) for sheet in book.parts}
    found = {sheet: row for sheet, row in headers.items() if row is not None and count_columns(row) >= _ENOUGH}
    if len(found) > 1:
        raise rejection("several_sheets", _SEVERAL, ", ".join(map(excerpt, found)))
    header = read_header(next(iter(found.values()), next(iter(headers.values()), None)))
    sheet = next(iter(found or headers))
    rows: Iterator[Row] = (row for row in book.rows(sheet) if row.number > header.row)
    yield from split_games(rows, header, Context(vocabulary(system), Calendar(day_of, book.day_0)))
