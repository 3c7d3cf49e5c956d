"""How this service lays out a sheet of an XLSX workbook: header, widths, real numbers and days, text as text."""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any, Final

from app.sheets.vocabulary.cells import FORMULA_STARTS, LONGEST_TEXT
from app.sheets.vocabulary.columns import Column
from app.sheets.writing.rows import Cell, Language, title

CREATED_AT: Final = datetime(2000, 1, 1, tzinfo=UTC)
"""A workbook says when it was made; the same games must be the same bytes."""

_EXACT_DIGITS: Final = 15
"""A spreadsheet keeps so many digits of a number."""
_FIRST_YEAR: Final = 1901
"""Earlier days are text: some spreadsheets count a 29 February 1900 that never was."""


class Formats:
    """The formats of one workbook (``xlsxwriter.Workbook``)."""

    def __init__(self, book: Any) -> None:
        self.title = book.add_format({"bold": True, "bg_color": "#E8E8E8", "bottom": 1, "text_wrap": True})
        self.day = book.add_format({"num_format": "yyyy-mm-dd"})
        self.text = book.add_format({"num_format": "@"})
        self.quoted = book.add_format({"quote_prefix": True})
        """What editing the cell does not make a formula of."""
        self.last = book.add_format({"bottom": 1, "bottom_color": "#B0B0B0"})
        self.wrapped = book.add_format({"text_wrap": True, "valign": "top"})


def lay_out(sheet: Any, formats: Formats, language: Language, columns: Sequence[Column]) -> None:
    """The header row, frozen, and the width of each column."""
    sheet.freeze_panes(1, 0)
    for at, column in enumerate(columns):
        sheet.set_column(at, at, column.width)
        sheet.write_string(0, at, title(column, language), formats.title)


def write_cell(sheet: Any, row: int, column: int, cell: Cell, formats: Formats) -> None:
    """One value into one cell (both counted from 0).

    Raises:
        ValueError: a text longer than a cell may be.
    """
    if isinstance(cell, str):
        if len(cell) > LONGEST_TEXT:
            raise ValueError(f"a cell takes at most {LONGEST_TEXT} characters, not {len(cell)}")
        sheet.write_string(row, column, cell, formats.quoted if cell[:1] in FORMULA_STARTS else None)
    elif isinstance(cell, date):
        if cell.year < _FIRST_YEAR:
            sheet.write_string(row, column, cell.isoformat())
        else:
            sheet.write_datetime(row, column, cell, formats.day)
    elif isinstance(cell, Decimal) and len(cell.as_tuple().digits) > _EXACT_DIGITS:
        sheet.write_string(row, column, f"{cell:f}")
    elif cell is not None:
        sheet.write_number(row, column, cell)
