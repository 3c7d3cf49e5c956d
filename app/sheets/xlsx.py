"""Games as XLSX: a row a seat, on one sheet of a workbook."""

from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import islice
from typing import BinaryIO, Final

import xlsxwriter

from app.scoring.game import Game
from app.scoring.rule_system import RuleSystem
from app.scoring.text import words
from app.sheets.archive import Archive, refused
from app.sheets.columns import COLUMNS
from app.sheets.header import HEADER_WITHIN, Row, header_in, recognised, understood
from app.sheets.read_game import ReadGame, shown
from app.sheets.rows import games_in
from app.sheets.spreadsheet import MADE, Formats, lay_out, put
from app.sheets.words import vocabulary
from app.sheets.workbook import Workbook
from app.sheets.written import Language, rows_of

_ENOUGH: Final = 3
"""Names of columns that make a row the header of games."""

_SEVERAL: Final = words(
    "игры на нескольких листах: {}; отправьте каждый лист отдельной книгой",
    "games on several sheets: {}; send each as a workbook of its own",
)


def read_xlsx(file: BinaryIO, system: RuleSystem | None = None) -> Iterator[ReadGame]:
    """The games of the one sheet that has a header of games; see :func:`app.sheets.csv_rows.read_csv`.

    ``file``: seekable; read, not closed. Cells may be numbers, days and flags as well as text. Memory: the workbook's
    different texts and one game, whatever the sheet's size.

    Raises:
        UnreadableFile: what :class:`app.sheets.archive.Archive` refuses, games on several sheets, no header or one that
            is not understood: before the first game; a sheet that is damaged or too wide further down: there.
    """
    book = Workbook(Archive(file))
    headers = {sheet: header_in(islice(book.rows(sheet), HEADER_WITHIN)) for sheet in book.parts}
    found = {sheet: row for sheet, row in headers.items() if row is not None and recognised(row) >= _ENOUGH}
    if len(found) > 1:
        raise refused("several_sheets", _SEVERAL, ", ".join(map(shown, found)))
    header = understood(next(iter(found.values()), next(iter(headers.values()), None)))
    sheet = next(iter(found or headers))
    rows: Iterator[Row] = (row for row in book.rows(sheet) if row.number > header.row)
    yield from games_in(rows, header, vocabulary(system))


def write_xlsx(games: Iterable[Game], file: BinaryIO, language: Language = "en") -> None:
    """One sheet with a header and the rows of each game; :func:`read_xlsx` gives the same games.

    Numbers and days are real ones, text is never a formula. Rows go to the file as they come.

    Raises:
        ValueError: a fact is longer than a cell may be (32,767 characters); no game that a regulation accepts has one.
    """
    book = xlsxwriter.Workbook(file, {"constant_memory": True})
    with closing(book):
        book.set_properties({"created": MADE})
        sheet = book.add_worksheet("Игры" if language == "ru" else "games")
        formats = Formats(book)
        lay_out(sheet, formats, language, COLUMNS)
        for row, cells in enumerate(rows_of(games, language, formulas=False), start=1):
            for column, cell in enumerate(cells):
                put(sheet, row, column, cell, formats)
