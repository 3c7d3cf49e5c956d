"""The sheets of an XLSX workbook as rows of text."""

import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import Final

from app.scoring.text import words
from app.sheets.reading.header import Row
from app.sheets.vocabulary.calendar import DAY_0, DAY_0_OF_1904
from app.sheets.xlsx.package import Package, damaged, rejection
from app.sheets.xlsx.worksheet import Cells, IgnoringHandler, Texts, unescaped, whole

MOST_SHEETS: Final = 1_000
"""A sheet for each evening of a few years; each is looked at before the first game is read."""
MOST_STRINGS: Final = 1_000_000
MOST_STYLES: Final = 65_536
_TOO_MANY_SHEETS: Final = words("книга слишком большая: листов больше {}", "more than {} sheets")
_TOO_MANY: Final = words("книга слишком большая: разных текстов больше {}", "more than {} distinct texts")

_PACKAGE: Final = "xl/"
_DATE_FORMATS: Final = frozenset((*range(14, 23), *range(27, 37), 45, 46, 47, *range(50, 59)))
"""The numbers of formats that every spreadsheet has (ECMA-376, part 1, 18.8.30)."""
_QUOTED: Final = re.compile(r'"[^"]*"|\\.|_.|\*.|\[(?!(?:h+|m+|s+)\])[^]]*\]', re.I)


class Workbook:
    """What the cells of an archive mean: sheets by name, each read as it is unpacked.

    Raises:
        UnreadableFile: what belongs to every workbook is missing or damaged.
    """

    def __init__(self, archive: Package) -> None:
        self._archive = archive
        book = _Book()
        _all(archive, "xl/workbook.xml", book)
        links = _Links()
        _all(archive, "xl/_rels/workbook.xml.rels", links)
        self.parts: Mapping[str, str] = {name: links.parts[id] for name, id in book.sheets.items() if id in links.parts}
        """The part of each sheet, by the sheet's name, in the order of the workbook."""
        if len({part.lower() for part in self.parts.values()}) < len(self.parts):
            raise damaged()  # a part that a thousand sheets share would be unpacked a thousand times
        strings, styles = _Strings(), _Styles()
        if links.strings in archive:
            _all(archive, links.strings, strings)
        if links.styles in archive:
            _all(archive, links.styles, styles)
        self._strings = strings.texts
        self._dates = styles.dates
        self.day_0 = DAY_0_OF_1904 if book.since_1904 else DAY_0
        """The day that serial numbers of days count from."""

    def rows(self, sheet: str) -> Iterator[Row]:
        """The rows of a sheet that hold something, each as soon as it is unpacked."""
        cells = Cells(self._strings, self._dates, self.day_0)
        for _ in self._archive.parse(self.parts[sheet], cells):
            yield from cells.rows
            cells.rows.clear()


def _all(archive: Package, part: str, handler: "IgnoringHandler") -> None:
    for _ in archive.parse(part, handler):
        pass


class _Book(IgnoringHandler):
    def __init__(self) -> None:
        self.sheets: dict[str, str] = {}
        self.since_1904 = False
        self._seen = 0

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "sheet":
            ids = [value for key, value in attributes.items() if key.rpartition(":")[2] == "id"]
            if ids:
                self.sheets[attributes.get("name", "")] = ids[0]
            self._seen += 1
            if self._seen > MOST_SHEETS:
                raise rejection("file_too_large", _TOO_MANY_SHEETS, MOST_SHEETS, limit=MOST_SHEETS)
        elif name == "workbookPr":
            self.since_1904 = attributes.get("date1904") in ("1", "true", "on")


class _Links(IgnoringHandler):
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


class _Strings(Texts):
    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def end(self, name: str) -> None:
        super().end(name)
        if name == "si":
            self.texts.append(unescaped(self.collected()))
            if len(self.texts) > MOST_STRINGS:
                raise rejection("file_too_large", _TOO_MANY, MOST_STRINGS, limit=MOST_STRINGS)


class _Styles(IgnoringHandler):
    def __init__(self) -> None:
        self.dates: list[bool] = []
        """Whether each style of cells shows a date or a time."""
        self._formats = dict.fromkeys(_DATE_FORMATS, True)
        self._of_cells = False

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "numFmt":
            number = whole(attributes.get("numFmtId", ""))
            code = _QUOTED.sub("", attributes.get("formatCode", "")[:256])
            self._formats[number] = code.lower() != "general" and re.search("[ymdhs]", code, re.I) is not None
        elif name == "cellXfs":
            self._of_cells = True
        elif name == "xf" and self._of_cells:
            if len(self.dates) >= MOST_STYLES:
                raise damaged()
            self.dates.append(self._formats.get(whole(attributes.get("numFmtId", "0")), False))

    def end(self, name: str) -> None:
        if name == "cellXfs":
            self._of_cells = False
