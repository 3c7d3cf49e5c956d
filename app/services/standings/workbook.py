"""A table as a workbook, for people: the table, in a tournament a sheet per stage, and all the lines behind it."""

import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import xlsxwriter

from app.repositories.database import Transaction
from app.scoring.ranking import RankingColumn, Row
from app.scoring.text import Text, words
from app.services.standings.csv_file import values_of
from app.services.standings.standings import Table, TablePlayer, visible_rows
from app.services.standings.table_query import TableQuery
from app.services.standings.workbook_lines import TableLine, lines, stage_tables
from app.sheets.writing.layout import CREATED_AT, Formats, write_cell
from app.sheets.writing.rows import Cell

MOST_LINES_OF: Final = 10_000
"""Games of a table; those of a larger one are not listed: a sheet has no room for them, and nobody the patience."""

_TABLE: Final = words("Таблица", "Standings")
_STAGES: Final[Mapping[str, Text]] = {
    "qualifying": words("Отбор", "Qualifying"),
    "semifinal": words("Полуфинал", "Semifinal"),
    "final": words("Финал", "Final"),
}
_LINES: Final = words("Начисления", "Lines")
_TOO_MANY: Final = words(
    "Игр больше {}, лист начислений не помещается; начисления игрока — по адресу …/standings/<id игрока>",
    "More than {} games: all lines of a player are at …/standings/<player id>",
)

_RANK: Final = words("Место", "Place")
_PLAYER: Final = words("Игрок", "Player")
_OF_LINES: Final = (
    (_PLAYER, 28),
    (words("Игра", "Game"), 22),
    (words("Дата", "Date"), 12),
    (words("Стадия", "Stage"), 12),
    (words("Место за столом", "Seat"), 11),
    (words("Роль", "Role"), 16),
    (words("Результат", "Result"), 12),
    (words("Пункт", "Clause"), 16),
    (words("За что", "Reason"), 48),
    (words("Вид баллов", "Kind"), 16),
    (words("Баллы", "Points"), 10),
)
_RESULTS: Final = {
    "won": words("победа", "won"),
    "lost": words("поражение", "lost"),
    "draw": words("ничья", "draw"),
}
_KINDS: Final = {
    "main": words("основные", "main"),
    "extra": words("дополнительные", "extra"),
    "rating": words("рейтинг", "rating"),
}

_NOT_IN_XML: Final = {0xFFFE: "\N{REPLACEMENT CHARACTER}", 0xFFFF: "\N{REPLACEMENT CHARACTER}"}
_NICKNAME_WIDTH: Final = 28
_LEAST_WIDTH: Final = 9


def table_book(tx: Transaction, table: Table, query: TableQuery, language: str) -> bytes:
    """Real numbers and days; headers stay in sight, in the tables the nicknames too. Texts are never computed.

    The table of a stage is that of its games alone: Ci, K and places are what the regulation gives for those.
    """
    file = io.BytesIO()
    with xlsxwriter.Workbook(file, {"constant_memory": True}) as book:
        book.set_properties({"title": table.state.season.name, "created": CREATED_AT})
        layout = _Layout(book, language)
        rows = visible_rows(table, query)
        layout.table(_TABLE, table.standings.columns, rows)
        whos = {who for who, _ in rows}
        for stage, standings in stage_tables(tx, table, query):
            of_stage = [
                (who, row) for row in standings.rows if isinstance(who := row.player, TablePlayer) and who in whos
            ]
            layout.table(_STAGES[stage], standings.columns, of_stage)
        if table.standings.games > MOST_LINES_OF:
            layout.note(_LINES, _TOO_MANY.say(language, MOST_LINES_OF))
        else:
            layout.lines(table, lines(tx, table, query, language))
    return file.getvalue()


class _Layout:
    """Writes the sheets of one workbook (``xlsxwriter.Workbook``), each row as it comes."""

    def __init__(self, book: Any, language: str) -> None:
        self._book = book
        self._language = language
        self._formats = Formats(book)
        self._numbers: dict[int, Any] = {}

    def table(self, name: Text, columns: Sequence[RankingColumn], rows: Iterable[tuple[TablePlayer, Row]]) -> None:
        """A table as it is ranked."""
        labels = [_label(column, self._language) for column in columns]
        widths = [max(_LEAST_WIDTH, len(label) + 1) for label in labels]
        sheet = self._sheet(
            name, [(_RANK, _LEAST_WIDTH), (_PLAYER, _NICKNAME_WIDTH)], [*zip(labels, widths, strict=True)], frozen=2
        )
        formats = [self._number(column.decimals) for column in columns]
        for at, (who, row) in enumerate(rows, 1):
            if row.rank is not None:
                sheet.write_number(at, 0, row.rank)
            self._put(sheet, at, 1, who.nickname)
            for column, (value, number) in enumerate(zip(values_of(row, columns), formats, strict=True), 2):
                if value is not None:
                    sheet.write_number(at, column, float(value), number)

    def lines(self, table: Table, given: Iterable[TableLine]) -> None:
        """Every line, with arrows to filter by."""
        sheet = self._sheet(_LINES, _OF_LINES, [], frozen=1)
        roles = {code: role.name.say(self._language) for code, role in table.system.table.roles.items()}
        last = 0
        for last, line in enumerate(given, 1):
            for column, cell in enumerate(self._cells(line, roles)):
                self._put(sheet, last, column, cell)
            sheet.write_number(last, len(_OF_LINES) - 1, float(line.points))
        sheet.autofilter(0, 0, max(last, 1), len(_OF_LINES) - 1)

    def _cells(self, line: TableLine, roles: Mapping[str, str]) -> list[Cell]:
        """All of a line but its points."""
        say, entry = self._language, line.entry
        of_seat: list[Cell] = [None] * 5
        if entry is not None:
            seat = entry.seat
            stage = None if seat.stage is None else _STAGES[seat.stage].say(say)
            role = roles.get(seat.role, seat.role)
            of_seat = [entry.played_on, stage, entry.number, role, _RESULTS[seat.result].say(say)]
        return [line.who.nickname, line.game, *of_seat, line.clause, line.reason, _KINDS[line.category].say(say)]

    def note(self, name: Text, text: str) -> None:
        """A sheet that holds one sentence."""
        self._book.add_worksheet(name.say(self._language)).write_string(0, 0, text)

    def _sheet(
        self, name: Text, first: Iterable[tuple[Text, int]], more: Iterable[tuple[str, int]], *, frozen: int
    ) -> Any:
        sheet = self._book.add_worksheet(name.say(self._language))
        sheet.freeze_panes(1, frozen)
        titles = [(title.say(self._language), width) for title, width in first]
        for at, (title, width) in enumerate([*titles, *more]):
            sheet.set_column(at, at, width)
            sheet.write_string(0, at, title, self._formats.title)
        return sheet

    def _put(self, sheet: Any, row: int, column: int, cell: Cell) -> None:
        write_cell(sheet, row, column, cell.translate(_NOT_IN_XML) if isinstance(cell, str) else cell, self._formats)

    def _number(self, decimals: int) -> Any:
        if decimals not in self._numbers:
            pattern = "0." + "0" * decimals if decimals else "0"
            self._numbers[decimals] = self._book.add_format({"num_format": pattern})
        return self._numbers[decimals]


def _label(column: RankingColumn, language: str) -> str:
    label = column.label.say(language)
    return f"{label}, {column.unit}" if column.unit else label
