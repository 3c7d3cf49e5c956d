"""Games as CSV: a row a seat, with commas, semicolons or tabs, in UTF-8, Windows-1251 or UTF-16."""

import csv
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Final

from app.scoring.rule_system import RuleSystem
from app.scoring.text import words
from app.scoring.violation import Violation
from app.sheets.reading.header import HEADER_WITHIN, Header, Row, count_columns, find_header, read_header
from app.sheets.reading.lines import text_lines
from app.sheets.reading.read_game import ReadGame, cell_pointer
from app.sheets.reading.read_sheet import read_sheet
from app.sheets.vocabulary.calendar import Calendar, DayOf, day_in_utc
from app.sheets.vocabulary.columns import Context
from app.sheets.vocabulary.words import vocabulary

MOST_LETTERS: Final = 200_000
"""Of a row, over all the lines it may have."""

_DELIMITERS: Final = ",;\t"
_HEAD: Final = 65536
"""Letters that the header and the delimiter are looked for in."""

_BROKEN: Final = words(
    "строка {}: кавычки не закрыты или стоят не на месте, либо строка слишком длинная",
    "row {}: unclosed or misplaced quote, or row too long",
)


_WITH_COMMAS: Final = frozenset({"bonus", "best_move"})
_SPLIT: Final = words(
    "строка {}: ячеек {}, а названий {}; если «{}» — одна ячейка, ей нужны кавычки",
    "row {}: {} cells for {} columns; if {!r} is one cell, put it in quotes",
)


def read_csv(
    chunks: Iterable[bytes], system: RuleSystem | None = None, day_of: DayOf = day_in_utc
) -> Iterator[ReadGame]:
    """The games of a sheet as it arrives, one item as soon as the last row of a game is read.

    ``system``: its names of roles and penalties are known beside the usual words. ``day_of``: the day of a moment that
    is written with its zone. Memory: a chunk, the first 64 KB, the rows of a game and the keys of the last 10,000. A
    broken row spoils its own game only. What ``chunks`` raises comes out, and the game it cut short does not.

    Raises:
        UnreadableFile: no header, or one that is not understood; before the first game.
    """
    lines = text_lines(chunks)
    head = _head(lines)
    headers = {mark: find_header(islice(_rows(iter(head), mark), HEADER_WITHIN)) for mark in _DELIMITERS}
    delimiter = max(_DELIMITERS, key=lambda mark: count_columns(row) if (row := headers[mark]) else 0)
    header = read_header(headers[delimiter])
    rows = (row for row in _rows(chain(head, lines), delimiter) if row.number > header.row)
    if delimiter == ",":
        rows = (_unsplit(row, header) for row in rows)
    yield from read_sheet(header, rows, Context(vocabulary(system), Calendar(day_of), system))


def _unsplit(row: Row, header: Header) -> Row:
    """The row, faulty where commas without quotes may have split a number or a list of seats into several cells."""
    cells, names = row.cells, len(header.fields)
    if row.fault is None and len(cells) > names and not any(cells[names:]):
        for at, (field, cell) in enumerate(zip(header.fields, cells, strict=False)):
            if field in _WITH_COMMAS and _is_number(cell) and _is_number(cells[at + 1]):
                said = f"{cell},{cells[at + 1]}"
                args = (row.number, len(cells), names, said)
                return row._replace(fault=Violation("row", cell_pointer(row.number), _SPLIT, args, actual=said))
    return row


def _is_number(cell: str) -> bool:
    return cell.strip().lstrip("-").isdecimal()


def _head(lines: Iterator[str]) -> list[str]:
    head = []
    letters = 0
    for line in lines:
        head.append(line)
        letters += len(line) + 1
        if letters >= _HEAD:
            break
    return head


class _Feed:
    """Lines for a csv reader, with the ones it took for the present row, so that they can be given back."""

    def __init__(self, lines: Iterator[str]) -> None:
        self.taken: list[str] = []
        self._lines = lines
        self._again: deque[str] = deque()
        self._letters = 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._again.popleft() if self._again else next(self._lines)
        self.taken.append(line)
        self._letters += len(line)
        if self._letters > MOST_LETTERS:
            raise csv.Error("the row is too long")
        return line + "\n"

    def begin_row(self) -> None:
        """What was taken makes a row; the next begins."""
        self.taken.clear()
        self._letters = 0

    def give_back_all_but_one(self) -> str:
        """The first line that was taken; the others come again."""
        first, *rest = self.taken
        self._again.extendleft(reversed(rest))
        self.begin_row()
        return first


def _rows(lines: Iterator[str], delimiter: str) -> Iterator[Row]:
    """The rows, numbered as a spreadsheet shows them. A quote that is never closed costs one line, not the rest."""
    feed = _Feed(lines)
    reader = csv.reader(feed, delimiter=delimiter, strict=True, skipinitialspace=True)
    number = 0
    while True:
        number += 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error:
            first = feed.give_back_all_but_one()
            fault = Violation("row", cell_pointer(number), _BROKEN, (number,))
            yield Row(number, [cell.strip(' "') for cell in first[:MOST_LETTERS].split(delimiter)], fault)
            reader = csv.reader(feed, delimiter=delimiter, strict=True, skipinitialspace=True)
        else:
            feed.begin_row()
            yield Row(number, cells)
