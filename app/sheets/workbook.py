"""The sheets of an XLSX workbook as rows of text."""

import posixpath
import re
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from decimal import Decimal
from functools import lru_cache
from typing import Final

from app.scoring.text import words
from app.sheets.archive import Archive, damaged, refused
from app.sheets.header import MOST_COLUMNS, Row

MOST_ROWS: Final = 1_048_576
"""The last row that a spreadsheet has."""
MOST_STRINGS: Final = 1_000_000
MOST_STYLES: Final = 65_536
LONGEST: Final = 32_767
"""Characters; no spreadsheet has more in a cell."""

_TOO_WIDE: Final = words(
    "в строке {} занят столбец {}; столбцов не больше {}", "row {} has something in column {}; at most {} columns"
)
_TOO_MANY: Final = words("разных текстов больше {}", "more than {} different texts")

_PACKAGE: Final = "xl/"
_DATE_FORMATS: Final = frozenset((*range(14, 23), *range(27, 37), 45, 46, 47, *range(50, 59)))
"""The numbers of formats that every spreadsheet has (ECMA-376, part 1, 18.8.30)."""
_LETTERS: Final = 4
"""Letters of a column, more than any spreadsheet has."""
_QUOTED: Final = re.compile(r'"[^"]*"|\\.|_.|\*.|\[(?!(?:h+|m+|s+)\])[^]]*\]', re.I)
_ESCAPED: Final = re.compile(r"_x([0-9A-Fa-f]{4})_")


class Workbook:
    """What the cells of an archive mean: sheets by name, each read as it is unpacked.

    Raises:
        UnreadableFile: what belongs to every workbook is missing or damaged.
    """

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        book = _Book()
        _all(archive, "xl/workbook.xml", book)
        links = _Links()
        _all(archive, "xl/_rels/workbook.xml.rels", links)
        self.parts: Mapping[str, str] = {name: links.parts[id] for name, id in book.sheets.items() if id in links.parts}
        """The part of each sheet, by the sheet's name, in the order of the workbook."""
        strings, styles = _Strings(), _Styles()
        if links.strings in archive:
            _all(archive, links.strings, strings)
        if links.styles in archive:
            _all(archive, links.styles, styles)
        self._strings = strings.texts
        self._dates = styles.dates
        self._since_1904 = book.since_1904

    def rows(self, sheet: str) -> Iterator[Row]:
        """The rows of a sheet that hold something, each as soon as it is unpacked."""
        cells = _Cells(self._strings, self._dates, since_1904=self._since_1904)
        for _ in self._archive.parse(self.parts[sheet], cells):
            yield from cells.rows
            cells.rows.clear()


def _all(archive: Archive, part: str, handler: "_Silent") -> None:
    for _ in archive.parse(part, handler):
        pass


class _Silent:
    """A handler that nothing concerns."""

    def start(self, name: str, attributes: Mapping[str, str]) -> None: ...

    def end(self, name: str) -> None: ...

    def text(self, data: str) -> None: ...


class _Book(_Silent):
    def __init__(self) -> None:
        self.sheets: dict[str, str] = {}
        self.since_1904 = False

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "sheet":
            ids = [value for key, value in attributes.items() if key.rpartition(":")[2] == "id"]
            if ids:
                self.sheets[attributes.get("name", "")] = ids[0]
        elif name == "workbookPr":
            self.since_1904 = attributes.get("date1904") in ("1", "true", "on")


class _Links(_Silent):
    def __init__(self) -> None:
        self.parts: dict[str, str] = {}
        self.strings = "xl/sharedStrings.xml"
        self.styles = "xl/styles.xml"

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "Relationship":
            target = attributes.get("Target", "").replace("\\", "/")
            part = target.lstrip("/") if target.startswith("/") else posixpath.normpath(_PACKAGE + target)
            kind = attributes.get("Type", "").rpartition("/")[2]
            if kind == "sharedStrings":
                self.strings = part
            elif kind == "styles":
                self.styles = part
            elif kind == "worksheet":
                self.parts[attributes.get("Id", "")] = part


class _Texts(_Silent):
    """Collects the text of ``t`` elements, without how it is pronounced."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._length = 0
        self._listens = False
        self._spoken = False

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "t":
            self._listens = not self._spoken
        elif name == "rPh":
            self._spoken = True

    def end(self, name: str) -> None:
        if name == "t":
            self._listens = False
        elif name == "rPh":
            self._spoken = False

    def text(self, data: str) -> None:
        if self._listens and self._length < LONGEST:
            self._pieces.append(data)
            self._length += len(data)

    def collected(self) -> str:
        """The text so far; the next one begins."""
        text = "".join(self._pieces)
        if self._pieces:
            self._pieces = []
            self._length = 0
        return text


class _Strings(_Texts):
    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def end(self, name: str) -> None:
        super().end(name)
        if name == "si":
            self.texts.append(_unescaped(self.collected()))
            if len(self.texts) > MOST_STRINGS:
                raise refused("file_too_large", _TOO_MANY, MOST_STRINGS, limit=MOST_STRINGS)


def _unescaped(text: str) -> str:
    """The text with the characters that XML cannot hold (``_x000D_``)."""
    text = text[:LONGEST]
    if "_x" not in text:
        return text
    text = _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class _Styles(_Silent):
    def __init__(self) -> None:
        self.dates: list[bool] = []
        """Whether each style of cells shows a date or a time."""
        self._formats = dict.fromkeys(_DATE_FORMATS, True)
        self._of_cells = False

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "numFmt":
            number = _number(attributes.get("numFmtId", ""))
            code = _QUOTED.sub("", attributes.get("formatCode", "")[:256])
            self._formats[number] = code.lower() != "general" and re.search("[ymdhs]", code, re.I) is not None
        elif name == "cellXfs":
            self._of_cells = True
        elif name == "xf" and self._of_cells:
            if len(self.dates) >= MOST_STYLES:
                raise damaged()
            self.dates.append(self._formats.get(_number(attributes.get("numFmtId", "0")), False))

    def end(self, name: str) -> None:
        if name == "cellXfs":
            self._of_cells = False


class _Cells(_Texts):
    """Makes rows of the cells of a sheet."""

    def __init__(self, strings: list[str], dates: list[bool], *, since_1904: bool) -> None:
        super().__init__()
        self.rows: list[Row] = []
        self._strings = strings
        self._dates = dates
        self._day_0 = date(1904, 1, 1) if since_1904 else date(1899, 12, 30)
        self._row = 0
        self._row_digits = "0"
        self._column = 0
        self._cells: list[str] = []
        self._kind = ""
        self._style = ""

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "c":
            self._begin_cell(attributes.get("r"))
            self._kind = attributes.get("t", "n")
            self._style = attributes.get("s", "")
        elif name == "v":
            self._listens = True
        elif name == "row":
            number = attributes.get("r")
            row = self._row + 1 if number is None else _number(number)
            if not self._row < row <= MOST_ROWS:
                raise damaged()
            self._row, self._column, self._cells = row, 0, []
            self._row_digits = str(row)
        else:
            super().start(name, attributes)

    def end(self, name: str) -> None:
        if name == "c":
            text = self.collected()
            if text:
                self._put(self._meaning(text))
        elif name == "v":
            self._listens = False
        elif name == "row":
            if self._cells:
                self.rows.append(Row(self._row, self._cells))
        else:
            super().end(name)

    def _begin_cell(self, reference: str | None) -> None:
        if reference is None:
            self._column += 1
            return
        letters = reference.rstrip("0123456789")
        if reference[len(letters) :] != self._row_digits:
            raise damaged()
        self._column = _column(letters)

    def _put(self, text: str) -> None:
        if self._column > MOST_COLUMNS:
            args = (self._row, self._column, MOST_COLUMNS)
            raise refused("file_too_large", _TOO_WIDE, *args, limit=MOST_COLUMNS)
        if len(self._cells) < self._column:
            self._cells += [""] * (self._column - len(self._cells))
        self._cells[self._column - 1] = text

    def _meaning(self, text: str) -> str:
        """The cell as text: numbers with the digits that a spreadsheet shows, days as ISO, flags as true and false."""
        if self._kind == "s":
            at = _number(text)
            if at >= len(self._strings):
                raise damaged()
            return self._strings[at]
        if self._kind == "b":
            return "true" if text.strip() == "1" else "false"
        if self._kind != "n":
            return _unescaped(text)
        try:
            number = float(text)
        except ValueError:
            return _unescaped(text)
        at = int(self._style) if self._style.isascii() and self._style.isdigit() and len(self._style) < 6 else 0
        if at < len(self._dates) and self._dates[at]:
            return self._moment(number)
        return _plain(number)

    def _moment(self, number: float) -> str:
        seconds = round(number % 1 * 86400) if 0 <= number < 3_000_000 else -1
        if seconds < 0:
            return _plain(number)
        days, seconds = int(number) + seconds // 86400, seconds % 86400
        time = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
        if days == 0:
            return time
        # Spreadsheets count a 29 February 1900 that never was.
        days += self._day_0.year == 1899 and days < 60
        try:
            day = (self._day_0 + timedelta(days=days)).isoformat()
        except OverflowError:
            return _plain(number)
        return f"{day} {time}" if seconds else day


@lru_cache(maxsize=1024)
def _column(letters: str) -> int:
    """The number of a column, from 1: AA is 27."""
    if not (0 < len(letters) <= _LETTERS and letters.isascii() and letters.isalpha()):
        raise damaged()
    column = 0
    for letter in letters.upper():
        column = 26 * column + ord(letter) - 64
    return column


def _plain(number: float) -> str:
    """The number without what binary fractions add beyond 15 digits, and without an exponent."""
    if number.is_integer() and abs(number) < 1e16:
        return str(int(number))
    return f"{Decimal(f'{number:.15g}'):f}"


def _number(digits: str) -> int:
    digits = digits.strip()
    if not (digits.isascii() and digits.isdigit() and len(digits) < 10):
        raise damaged()
    return int(digits)
