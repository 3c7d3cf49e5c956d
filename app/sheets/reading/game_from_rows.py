"""One game as it stands in the rows of a sheet, put together from its cells."""

from collections.abc import Container, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, NamedTuple

from pydantic import ValidationError

from app.scoring.game import Game
from app.scoring.text import words
from app.scoring.violation import Violation
from app.sheets.reading.drafts import Drafts, drafts
from app.sheets.reading.faults import Faults
from app.sheets.reading.header import Row
from app.sheets.reading.marks import Marks, is_of_row
from app.sheets.reading.read_game import CellPositions, ReadGame, cell_pointer
from app.sheets.reading.sheet import Cell, Sheet
from app.sheets.vocabulary.cells import DASHES, NO_DATE, whole
from app.sheets.vocabulary.columns import BY_FIELD, COLUMNS, FLAGS, NEVER_DATES
from app.sheets.vocabulary.words import UnreadableCell
from app.validation import input_violations

MOST_ROWS: Final = 101
"""More rows cannot be one game: a game has at most 100 seats, and may have a row of its own."""

_LARGEST_NUMBER: Final = 1_000_000
"""A larger key is no number of a game (:data:`app.scoring.game.Count`)."""

_OF_GAME: Final = tuple(column.field for column in COLUMNS if column.of == "game" and column.field != "game")

_TOO_MANY: Final = words("в одной игре больше {} строк", "more than {} rows in one game")
_KEY: Final = words("номер игры", "a value that separates this game from the next")


class Said(NamedTuple):
    """What the rows of a game say of a fact of it."""

    row: int
    value: object
    """None: that there is none."""
    is_doubtful: bool = False
    """Whether a cell could not be read, or two contradict each other."""


class GameRows:
    """One game, gathered row by row until the next begins."""

    def __init__(self, sheet: Sheet, key: Mapping[str, object], first_row: int) -> None:
        self.key = key
        """What the rows say of the columns that tell games apart; blank cells are left out."""
        self.first_row = first_row
        self.torn_at = 0
        """The first row whose day, table or number contradicts the key; 0: none."""
        self.faults = Faults(sheet.header)
        self._sheet = sheet
        self._header = sheet.header
        self._count = 0
        self._filled = False
        self._seats: list[dict[str, Any]] = []
        self._seat_rows: list[int] = []
        self._cells: dict[str, list[Cell]] = {}
        self._misread_at: dict[str, int] = {}
        self._dashed_at: dict[str, int] = {}
        self._broken_row = 0

    def add(self, row: Row) -> None:
        """Take what the cells of one more row say."""
        self._count += 1
        if self._count > MOST_ROWS:
            if self._count == MOST_ROWS + 1:
                pointer = cell_pointer(row.number)
                self.faults.of_rows(Violation("too_long", pointer, _TOO_MANY, (MOST_ROWS,), MOST_ROWS))
        elif row.fault is not None:
            self.faults.of_rows(row.fault)
            self._broken_row = row.number
        else:
            seat: dict[str, Any] = {}
            if self._read(row, seat):
                self._seats.append(seat)
                self._seat_rows.append(row.number)
                for field in ("seat", "player", "role"):
                    if field not in seat and field in self._header.names:
                        self.faults.missing(row.number, field, BY_FIELD[field].hint)

    def finished(self) -> Iterator[ReadGame]:
        """The game; none where its rows hold nothing but a key and seat numbers, as in a template."""
        if self.is_filled:
            if self._header.keys and not any(field in self.key for field in self._header.keys):
                self.faults.missing(self.first_row, self._header.keys[0], _KEY)
            yield self._game()

    @property
    def marks(self) -> Marks:
        """The cells that may speak of a row's player or of the whole game."""
        return Marks(self._sheet, self._cells, self._seats, self.faults)

    @property
    def is_filled(self) -> bool:
        """Whether the rows hold more than a key and seat numbers."""
        return self._filled or bool(self.faults.found)

    def has_taken(self, seat: object) -> bool:
        """Whether somebody sits in the seat already; None: in any."""
        return any(seat in (None, taken.get("seat")) for taken in self._seats)

    def says_only(self, fields: Container[str]) -> bool:
        """Whether the rows name no player and no fact of the game but these."""
        return not (self._seats or self.faults.found) and all(field in fields for field in (*self.key, *self._cells))

    def said(self, field: str) -> "Said | None":
        """What the rows say of a fact of the whole game; None: their cells are blank."""
        cells = self._cells.get(field)
        if field in self._misread_at:
            return Said(self._misread_at[field], None, is_doubtful=True)
        if cells:
            return Said(cells[0].row, cells[0].value, any(cell.value != cells[0].value for cell in cells))
        if field in self._dashed_at:
            return Said(self._dashed_at[field], None)
        if self._broken_row:
            return Said(self._broken_row, None, is_doubtful=True)  # it may stand in the row that could not be read
        return None

    def say(self, field: str, value: object) -> None:
        """Take a fact of the whole game from the games above."""
        self._cells[field] = [Cell(self.first_row, field, str(value), value, {})]

    def _read(self, row: Row, seat: dict[str, Any]) -> bool:
        """Take the facts of a row, those of its seat into ``seat``; whether it speaks of a player at all."""
        sits = False
        fields = self._header.fields
        for at, cell in enumerate(row.cells):
            if not cell or not (text := cell.strip()):
                continue
            field = fields[at] if at < len(fields) else None
            if field == "":
                continue
            if field is None:
                self.faults.nameless(row.number, at, text)
                continue
            if text in DASHES and field not in FLAGS:
                self._dashed_at.setdefault(field, row.number)
                continue
            of = BY_FIELD[field].of
            self._filled = self._filled or not (field == "seat" or field in self._header.keys)
            try:
                if at in row.dates and field in NEVER_DATES:
                    raise UnreadableCell(NO_DATE)
                value = self._sheet.read(field, text)
            except UnreadableCell as misread:
                self.faults.misread(row.number, field, text, misread)
                sits = sits or (of == "seat" and field != "seat")
                seat[field] = None
                self._misread_at.setdefault(field, row.number)
                continue
            if of == "seat":
                seat[field] = value
                sits = sits or field != "seat"
            elif field != "game":
                self._cells.setdefault(field, []).append(Cell(row.number, field, text, value, seat))
                sits = sits or (of == "either" and is_of_row(value))
        return sits

    def _game(self) -> ReadGame:
        facts: dict[str, Any] = {field: self._agreed(field) for field in _OF_GAME if field in self._cells}
        line = self._seat_rows[0] if self._seat_rows else self.first_row
        said = self.said("outcome")
        is_given = "outcome" in facts or facts.get("cancelled") or (said is not None and said.is_doubtful)
        if not is_given and "outcome" in self._header.names:
            self.faults.missing(line, "outcome", BY_FIELD["outcome"].hint)
        if self._header.numbers_games:
            facts["number"] = _number(self.key.get("game"))
        facts["seats"] = self._seats
        marks = self.marks
        facts["first_kill"] = marks.first_kill()
        facts["ppk"] = marks.marked("ppk")
        facts["draw_makers"] = marks.marked("draw_makers")
        facts["night_actions"] = marks.night_actions()
        at = {field: cells[0].row for field, cells in self._cells.items()}
        read = ReadGame(
            line,
            None,
            self.faults.found,
            facts.get("external_id"),
            CellPositions(line, self._seat_rows, at, self._header.names),
        )
        try:
            if not self.faults.found:
                return replace(read, game=Game.read(facts))
            return replace(read, drafts=self._drafts(facts))
        except ValidationError as error:
            return replace(read, violations=[*self.faults.found, *read.located(input_violations(error))])

    def _drafts(self, facts: Mapping[str, Any]) -> Drafts | None:
        """The game with its faulty cells mended, if no more than cells is wrong."""
        system = self._sheet.system
        if system is None or self._header.lacks or self.faults.beyond_cells or not self._sheet.may_draft():
            return None
        return drafts(facts, self._seat_rows, self.faults.spoiled, system)

    def _agreed(self, field: str) -> Any:
        """What all cells of a fact say."""
        first, *others = self._cells[field]
        for cell in others:
            if cell.value != first.value:
                self.faults.contradiction(first, cell)
        return first.value


def _number(key: object) -> int | None:
    try:
        number = whole(str(key))
    except UnreadableCell:
        return None
    return number if 0 <= number <= _LARGEST_NUMBER else None
