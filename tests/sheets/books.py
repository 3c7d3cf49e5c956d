"""Workbooks for tests: by a spreadsheet library, and by hand part by part."""

import io
import zipfile
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import xlsxwriter

from app.sheets import ReadGame, read_xlsx

HEADER = ("game", "seat", "player", "role", "outcome")

TYPES = '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'
BOOK = (
    '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">'
    '<sheets><sheet name="one" sheetId="1" r:id="rId1"/></sheets></workbook>'
)
LINKS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" '
    'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" '
    'Target="worksheets/sheet1.xml"/></Relationships>'
)
SHEET = "xl/worksheets/sheet1.xml"


def text(reference: str, value: str) -> str:
    return f'<c r="{reference}" t="inlineStr"><is><t>{value}</t></is></c>'


def row(number: int, *values: str) -> str:
    cells = (text(f"{column}{number}", value) for column, value in zip("ABCDEFGHIJ", values, strict=False))
    return f'<row r="{number}">{"".join(cells)}</row>'


GAME = row(1, *HEADER) + row(2, "1", "4", "Ann", "don", "draw")


def parts(rows: str = GAME, others: Mapping[str, str | bytes] = {}) -> dict[str, str | bytes]:
    """The fewest parts that make a workbook, its one sheet with these rows; ``others`` by their paths."""
    return {
        "[Content_Types].xml": TYPES,
        "xl/workbook.xml": BOOK,
        "xl/_rels/workbook.xml.rels": LINKS,
        SHEET: f"<worksheet><sheetData>{rows}</sheetData></worksheet>",
        **others,
    }


def packed(contents: Mapping[str, str | bytes], compression: int = zipfile.ZIP_DEFLATED) -> io.BytesIO:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as archive:
        for name, content in contents.items():
            archive.writestr(name, content)
    return file


def written(fill: Callable[[Any, Any], object]) -> io.BytesIO:
    """What ``fill`` does with a workbook and its first sheet."""
    file = io.BytesIO()
    with xlsxwriter.Workbook(file) as book:
        fill(book, book.add_worksheet())
    return file


def of_rows(*rows: Sequence[Any], header: Sequence[str] = HEADER) -> io.BytesIO:
    def fill(_book: Any, sheet: Any) -> None:
        for number, cells in enumerate((header, *rows)):
            sheet.write_row(number, 0, cells)

    return written(fill)


def read(file: io.BytesIO) -> list[ReadGame]:
    return list(read_xlsx(file))
