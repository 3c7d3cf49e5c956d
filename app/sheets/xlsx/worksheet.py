"""One worksheet of an XLSX workbook: cells as text, row by row."""

import re
from collections.abc import Mapping
from datetime import date, timedelta
from decimal import Decimal
from functools import lru_cache
from typing import Final

from app.scoring.text import words
from app.sheets.reading.header import MOST_COLUMNS, Row
from app.sheets.vocabulary.cells import FORMULA_ERRORS, LONGEST_TEXT, NOT_COMPUTED
from app.sheets.xlsx.package import damaged, rejection

MOST_ROWS: Final = 1_048_576
"""The last row that a spreadsheet has."""
_TOO_WIDE: Final = words(
    "в строке {} заполнен столбец {}; столбцов может быть не больше {}",
    "row {} has a value in column {}; expected at most {} columns",
)
_ESCAPED: Final = re.compile(r"_x([0-9A-Fa-f]{4})_")
_LETTERS: Final = 4
"""Letters of a column, more than any spreadsheet has."""


class IgnoringHandler:
    """A handler that nothing concerns."""

    def start(self, name: str, attributes: Mapping[str, str]) -> None: ...

    def end(self, name: str) -> None: ...

    def text(self, data: str) -> None: ...


class Texts(IgnoringHandler):
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
        if self._listens and self._length < LONGEST_TEXT:
            self._pieces.append(data)
            self._length += len(data)

    def collected(self) -> str:
        """The text so far; the next one begins."""
        text = "".join(self._pieces)
        if self._pieces:
            self._pieces = []
            self._length = 0
        return text


def unescaped(text: str) -> str:
    """The text with the characters that XML cannot hold (``_x000D_``)."""
    text = text[:LONGEST_TEXT]
    if "_x" not in text:
        return text
    text = _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class Cells(Texts):
    """Makes rows of the cells of a sheet."""

    def __init__(self, strings: list[str], dates: list[bool], day_0: date) -> None:
        super().__init__()
        self.rows: list[Row] = []
        self._strings = strings
        self._dates = dates
        self._day_0 = day_0
        self._row = 0
        self._row_digits = "0"
        self._column = 0
        self._cells: list[str] = []
        self._days: set[int] = set()
        self._kind = ""
        self._style = ""
        self._is_formula = False

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "c":
            self._is_formula = False
            self._begin_cell(attributes.get("r"))
            self._kind = attributes.get("t", "n")
            self._style = attributes.get("s", "")
        elif name == "v":
            self._listens = True
        elif name == "f":
            self._is_formula = True
        elif name == "row":
            number = attributes.get("r")
            row = self._row + 1 if number is None else whole(number)
            if not self._row < row <= MOST_ROWS:
                raise damaged()
            self._row, self._column, self._cells, self._days = row, 0, [], set()
            self._row_digits = str(row)
        else:
            super().start(name, attributes)

    def end(self, name: str) -> None:
        if name == "c":
            text = self.collected()
            if text:
                self._put(self._meaning(text))
                if self._is_date():
                    self._days.add(self._column - 1)
            elif self._is_formula and self._kind != "str":
                self._put(NOT_COMPUTED)
        elif name == "v":
            self._listens = False
        elif name == "row":
            if self._cells:
                self.rows.append(Row(self._row, self._cells, dates=self._days))
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
            raise rejection("file_too_large", _TOO_WIDE, *args, limit=MOST_COLUMNS)
        if len(self._cells) < self._column:
            self._cells += [""] * (self._column - len(self._cells))
        self._cells[self._column - 1] = text

    def _meaning(self, text: str) -> str:
        """The cell as text: numbers with the digits that a spreadsheet shows, days as ISO, flags as true and false."""
        if self._kind == "s":
            at = whole(text)
            if at >= len(self._strings):
                raise damaged()
            return self._strings[at]
        if self._kind == "b":
            return "true" if text.strip() == "1" else "false"
        if self._kind == "e" and text not in FORMULA_ERRORS:
            return NOT_COMPUTED
        if self._kind != "n":
            return unescaped(text)
        try:
            number = float(text)
        except ValueError:
            return unescaped(text)
        return self._moment(number) if self._is_date() else _plain(number)

    def _is_date(self) -> bool:
        """Whether the spreadsheet shows the cell as a date or a time of day."""
        if self._kind != "n":
            return self._kind == "d"
        at = int(self._style) if self._style.isascii() and self._style.isdigit() and len(self._style) < 6 else 0
        return at < len(self._dates) and self._dates[at]

    def _moment(self, number: float) -> str:
        seconds = round(number % 1 * 86400) if 0 <= number < 3_000_000 else -1
        if seconds < 0:
            return _plain(number)
        days, seconds = int(number) + seconds // 86400, seconds % 86400
        time = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
        if days == 0:
            return time
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


def whole(digits: str) -> int:
    """The number that an attribute or a reference holds."""
    digits = digits.strip()
    if not (digits.isascii() and digits.isdigit() and len(digits) < 10):
        raise damaged()
    return int(digits)
