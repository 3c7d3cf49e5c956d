"""Games as XLSX: a row a seat, on one sheet of a workbook."""

from collections.abc import Iterable
from contextlib import closing
from typing import BinaryIO

import xlsxwriter

from app.scoring.game import Game
from app.sheets.vocabulary.columns import COLUMNS
from app.sheets.writing.layout import CREATED_AT, Formats, lay_out, write_cell
from app.sheets.writing.rows import Language, rows_of


def write_xlsx(games: Iterable[Game], file: BinaryIO, language: Language = "en") -> None:
    """One sheet with a header and the rows of each game; :func:`read_xlsx` gives the same games.

    Numbers and days are real ones, text is never a formula. Rows go to the file as they come.

    Raises:
        ValueError: a fact is longer than a cell may be (32,767 characters); no game that a regulation accepts has one.
    """
    book = xlsxwriter.Workbook(file, {"constant_memory": True})
    with closing(book):
        book.set_properties({"created": CREATED_AT})
        sheet = book.add_worksheet("Игры" if language == "ru" else "games")
        formats = Formats(book)
        lay_out(sheet, formats, language, COLUMNS)
        for row, cells in enumerate(rows_of(games, language, formulas=False), start=1):
            for column, cell in enumerate(cells):
                write_cell(sheet, row, column, cell, formats)
