"""One game as it stands in the rows of a sheet, put together from its cells."""

from collections.abc import Container, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, NamedTuple

from pydantic import ValidationError

from app.scoring.game import Game
from app.scoring.text import Text, words
from app.scoring.violation import Violation
from app.sheets.reading.header import Header, Row
from app.sheets.reading.read_game import CellPositions, ReadGame, cell_pointer, excerpt, is_undecodable
from app.sheets.vocabulary.cells import DASHES, FORMULA_ERRORS, NO_DATE, Act, Mark, Marked, whole
from app.sheets.vocabulary.columns import BY_FIELD, COLUMNS, FLAGS, NEVER_DATES, Context
from app.sheets.vocabulary.words import UnreadableCell
from app.validation import input_violations

MOST_ROWS: Final = 101
"""More rows cannot be one game: a game has at most 100 seats, and may have a row of its own."""

_LARGEST_NUMBER: Final = 1_000_000
"""A larger key is no number of a game (:data:`app.scoring.game.Count`)."""

_REMEMBERED: Final = 8_192
"""Cells of a sheet whose meaning is kept, none longer than this:"""
_SHORT: Final = 64

_OF_GAME: Final = tuple(column.field for column in COLUMNS if column.of == "game" and column.field != "game")

_VALUE: Final = words(
    "строка {0}, столбец «{1}»: стоит «{3}», нужно: {2}", "row {}, column {}: expected {}, found {!r}"
)
_MISSING: Final = words("строка {}, столбец «{}»: пусто, нужно: {}", "row {}, column {}: expected {}, found nothing")
_CONTRADICTION: Final = words(
    "строка {0}, столбец «{1}»: стоит «{3}», а в строке {2} той же игры — другое",
    "row {}, column {}: expected the same as in row {}, found {!r}",
)
_NAMELESS: Final = words(
    "строка {}: «{}» стоит в столбце {} без названия; если это дробь с запятой, возьмите её в кавычки",
    "row {0}: {1!r} in column {2}, which has no header (decimal commas need quotes)",
)
_DECODED: Final = words("текст в UTF-8 или Windows-1251", "text in UTF-8 or Windows-1251")
_A_VALUE: Final = words(
    "готовое значение, а не формула с ошибкой или без результата "
    "(откройте книгу в программе таблиц, пересчитайте и сохраните)",
    "a value, not a formula error or an uncalculated formula (open and save the file in a spreadsheet program)",
)
_TOO_MANY: Final = words("в одной игре больше {} строк", "more than {} rows in one game")
_ONE_FIRST_KILL: Final = words("один первый убиенный на игру", "only one mark per game")
_WITH_FIRST_KILL: Final = words(
    "лучший ход — в строке первого убиенного", "the best move in the row of the player killed first"
)
_KEY: Final = words("номер игры", "a value that separates this game from the next")


class _Cell(NamedTuple):
    row: int
    field: str
    text: str
    value: Any
    seat: dict[str, Any]
    """The seat of the row, as far as it has been read."""


class Said(NamedTuple):
    """What the rows of a game say of a fact of it."""

    row: int
    value: object
    """None: that there is none."""
    is_doubtful: bool = False
    """Whether a cell could not be read, or two contradict each other."""


class Sheet:
    """What all games of one sheet share: its header, and what its cells say."""

    def __init__(self, header: Header, context: Context) -> None:
        self.header = header
        self._context = context
        self._said: dict[tuple[str, str], Any] = {}

    def read(self, field: str, text: str) -> Any:
        """What a cell says of ``field``; most say what another has said before.

        Raises:
            UnreadableCell: not what the column is for.
        """
        said = self._said.get((field, text), self)
        if said is self:
            if is_undecodable(text):
                raise UnreadableCell(_DECODED)
            if text in FORMULA_ERRORS:
                raise UnreadableCell(_A_VALUE)
            said = BY_FIELD[field].read(text, self._context)
            if len(text) <= _SHORT:
                if len(self._said) >= _REMEMBERED:
                    self._said.clear()
                self._said[field, text] = said
        return said


class GameRows:
    """One game, gathered row by row until the next begins."""

    def __init__(self, sheet: Sheet, key: Mapping[str, object], first_row: int) -> None:
        self.key = key
        """What the rows say of the columns that tell games apart; blank cells are left out."""
        self.first_row = first_row
        self.torn_at = 0
        """The first row whose day, table or number contradicts the key; 0: none."""
        self.found: list[Violation] = []
        self._sheet = sheet
        self._header = sheet.header
        self._count = 0
        self._filled = False
        self._seats: list[dict[str, Any]] = []
        self._seat_rows: list[int] = []
        self._cells: dict[str, list[_Cell]] = {}
        self._misread_at: dict[str, int] = {}
        self._dashed_at: dict[str, int] = {}
        self._broken_row = 0
        self._nameless_row = 0

    def add(self, row: Row) -> None:
        """Take what the cells of one more row say."""
        self._count += 1
        if self._count > MOST_ROWS:
            if self._count == MOST_ROWS + 1:
                pointer = cell_pointer(row.number)
                self.found.append(Violation("too_long", pointer, _TOO_MANY, (MOST_ROWS,), MOST_ROWS))
        elif row.fault is not None:
            self.found.append(row.fault)
            self._broken_row = row.number
        else:
            seat: dict[str, Any] = {}
            if self._read(row, seat):
                self._seats.append(seat)
                self._seat_rows.append(row.number)
                for field in ("seat", "player", "role"):
                    if field not in seat:
                        self._missing(row.number, field, BY_FIELD[field].hint)

    def finished(self) -> Iterator[ReadGame]:
        """The game; none where its rows hold nothing but a key and seat numbers, as in a template."""
        if self.is_filled:
            if not any(field in self.key for field in self._header.keys):
                self._missing(self.first_row, self._header.keys[0], _KEY)
            yield self._game()

    @property
    def is_filled(self) -> bool:
        """Whether the rows hold more than a key and seat numbers."""
        return self._filled or bool(self.found)

    def has_taken(self, seat: object) -> bool:
        """Whether somebody sits in the seat already; None: in any."""
        return any(seat in (None, taken.get("seat")) for taken in self._seats)

    def says_only(self, fields: Container[str]) -> bool:
        """Whether the rows name no player and no fact of the game but these."""
        return not (self._seats or self.found) and all(field in fields for field in (*self.key, *self._cells))

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
        self._cells[field] = [_Cell(self.first_row, field, str(value), value, {})]

    def _read(self, row: Row, seat: dict[str, Any]) -> bool:
        """Take the facts of a row, those of its seat into ``seat``; whether it speaks of a player at all."""
        sits = False
        fields = self._header.fields
        for at, cell in enumerate(row.cells):
            if not cell or not (text := cell.strip()):
                continue
            field = fields[at] if at < len(fields) else None
            if field is None:
                self._nameless(row.number, at, text)
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
                self._misread(row.number, field, text, misread)
                sits = sits or (of == "seat" and field != "seat")
                seat[field] = None
                self._misread_at.setdefault(field, row.number)
                continue
            if of == "seat":
                seat[field] = value
                sits = sits or field != "seat"
            elif field != "game":
                self._cells.setdefault(field, []).append(_Cell(row.number, field, text, value, seat))
                sits = sits or (of == "either" and _is_of_row(value))
        return sits

    def _game(self) -> ReadGame:
        facts: dict[str, Any] = {field: self._agreed(field) for field in _OF_GAME if field in self._cells}
        line = self._seat_rows[0] if self._seat_rows else self.first_row
        said = self.said("outcome")
        if "outcome" not in facts and not (said and said.is_doubtful) and not facts.get("cancelled"):
            self._missing(line, "outcome", BY_FIELD["outcome"].hint)
        if self._header.numbers_games:
            facts["number"] = _number(self.key.get("game"))
        facts["seats"] = self._seats
        facts["first_kill"] = self._first_kill()
        facts["ppk"] = self._marked("ppk")
        facts["draw_makers"] = self._marked("draw_makers")
        facts["night_actions"] = self._night_actions()
        at = {field: cells[0].row for field, cells in self._cells.items()}
        read = ReadGame(
            line,
            None,
            self.found,
            facts.get("external_id"),
            CellPositions(line, self._seat_rows, at, self._header.names),
        )
        if self.found:
            return read
        try:
            return replace(read, game=Game.read(facts))
        except ValidationError as error:
            return replace(read, violations=read.located(input_violations(error)))

    def _missing(self, row: int, field: str, expected: Text) -> None:
        """Note that a cell is blank which must not be."""
        name = self._header.names.get(field, field)
        pointer = cell_pointer(row, name)
        self.found.append(Violation("missing", pointer, _MISSING, (row, name, expected)))

    def _misread(self, row: int, field: str, text: str, misread: UnreadableCell) -> None:
        name, said = self._header.names[field], excerpt(text)
        args = (row, name, misread.expected, said)
        pointer = cell_pointer(row, name)
        self.found.append(Violation("value", pointer, _VALUE, args, actual=said, suggestions=misread.suggestions))

    def _nameless(self, row: int, at: int, text: str) -> None:
        """Note the first of a row's values that stand below no name."""
        if row != self._nameless_row:
            self._nameless_row = row
            said = excerpt(text)
            pointer = cell_pointer(row, f"#{at + 1}")
            self.found.append(Violation("unknown_field", pointer, _NAMELESS, (row, said, at + 1), actual=said))

    def _agreed(self, field: str) -> Any:
        """What all cells of a fact say."""
        first, *others = self._cells[field]
        for cell in others:
            if cell.value != first.value:
                self._contradiction(first, cell)
        return first.value

    def _contradiction(self, first: _Cell, other: _Cell) -> None:
        row, said = other.row, excerpt(other.text)
        name = self._header.names[other.field]
        args = (row, name, first.row, said)
        self.found.append(Violation("contradiction", cell_pointer(row, name), _CONTRADICTION, args, actual=said))

    def _marked(self, field: str) -> list[int] | None:
        """The seats that a column marks or names; None: it says nothing."""
        cells = [cell for cell in self._cells.get(field, ()) if cell.value is not None]
        if not cells:
            return None
        if len(cells) == len(self._seats) > 1 and all(cell.value == Mark(True) for cell in cells):
            return [1]
        own = [cell.seat.get("seat") for cell in cells if _is_own(cell)]
        named = [cell for cell in cells if not _is_own(cell)]
        if not named:
            return [seat for seat in own if seat is not None]
        for cell in named[1:]:
            if cell.value != named[0].value:
                self._contradiction(named[0], cell)
        if own and set(own) != set(named[0].value):
            self._contradiction(named[0], next(cell for cell in cells if _is_own(cell)))
        return list(named[0].value)

    def _first_kill(self) -> dict[str, Any] | None:
        marked = self._marked("first_kill") or []
        if len(set(marked)) > 1:
            cell = self._cells["first_kill"][-1]
            self._misread(cell.row, cell.field, cell.text, UnreadableCell(_ONE_FIRST_KILL))
        kill: dict[str, Any] = {"seat": marked[0]} if marked else {}
        moves = [cell for cell in self._cells.get("best_move", ()) if cell.value]
        if moves:
            kill["best_move"] = self._best_move(moves, kill)
        return kill or None

    def _best_move(self, moves: list[_Cell], kill: dict[str, Any]) -> list[int]:
        first, *others = moves
        for cell in others:
            if cell.value != first.value:
                self._contradiction(first, cell)
        sits = first.seat.get("seat")
        if not others and sits is not None:
            if "first_kill" not in self._header.names:
                kill["seat"] = sits  # nobody but the first killed names three; there is no other column to say so
            elif kill and sits != kill["seat"] and first.row != self._seat_rows[0]:
                self._misread(first.row, first.field, first.text, UnreadableCell(_WITH_FIRST_KILL))
        return list(first.value)

    def _night_actions(self) -> list[dict[str, Any]]:
        told: list[list[Act]] = []
        for cell in self._cells.get("night_actions", ()):
            sits = cell.seat.get("seat")
            acts = [act._replace(seat=sits) if act.seat is None else act for act in cell.value]
            if acts not in told:  # a fact of the whole game may be repeated in its rows
                told.append(acts)
        return [act._asdict() for acts in told for act in acts]


def _number(key: object) -> int | None:
    try:
        number = whole(str(key))
    except UnreadableCell:
        return None
    return number if 0 <= number <= _LARGEST_NUMBER else None


def _is_of_row(value: Marked | list[Any]) -> bool:
    """Whether the cell speaks of the player of its row."""
    return isinstance(value, Mark) or (
        isinstance(value, list) and any(isinstance(member, Act) and member.seat is None for member in value)
    )


def _is_own(cell: _Cell) -> bool:
    return isinstance(cell.value, Mark) or cell.value == (cell.seat.get("seat"),)
