"""One game as it stands in the rows of a sheet, put together from its cells."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from pydantic import ValidationError

from app.scoring.game import Game
from app.scoring.text import Text, words
from app.scoring.violation import Violation
from app.shape import shape_violations
from app.sheets.cells import DASHES, FORMULA_ERRORS, Act, Mark, Marked, Misread
from app.sheets.columns import BY_FIELD, FLAGS
from app.sheets.header import Header, Row
from app.sheets.read_game import Places, ReadGame, cell_pointer, shown, undecodable
from app.sheets.words import Vocabulary

MOST_ROWS: Final = 101
"""More rows cannot be one game: a game has at most 100 seats, and may have a row of its own."""

_VALUE: Final = words(
    "строка {}, столбец «{}»: ожидается {}, получено «{}»", "row {}, column {}: expected {}, found {!r}"
)
_MISSING: Final = words("строка {}, столбец «{}»: пусто, ожидается {}", "row {}, column {}: expected {}, found nothing")
_CONTRADICTION: Final = words(
    "строка {}, столбец «{}»: ожидается то же, что в строке {}, получено «{}»",
    "row {}, column {}: expected the same as in row {}, found {!r}",
)
_NAMELESS: Final = words(
    "строка {}: значение «{}» в столбце {}, у которого нет названия (дробные числа через запятую — в кавычках)",
    "row {0}: {1!r} in column {2}, which has no name (decimal commas need quotes)",
)
_DECODED: Final = words("текст в UTF-8 или Windows-1251", "text in UTF-8 or Windows-1251")
_A_VALUE: Final = words("значение вместо ошибки формулы", "a value instead of a formula's error")
_TOO_MANY: Final = words("в одной игре больше {} строк", "more than {} rows in one game")
_ONE_FIRST_KILL: Final = words("одна отметка на игру", "one mark in a game")
_WITH_FIRST_KILL: Final = words("лучший ход в строке первого убитого", "the best move in the row of the first killed")
_KEY: Final = words("номер игры", "what tells this game from the next")


class _Cell(NamedTuple):
    row: Row
    field: str
    text: str
    value: Any
    seat: dict[str, Any]
    """The seat of the row, as far as it has been read."""


class Gathered:
    """The rows of one game, gathered until the next game begins."""

    def __init__(self, header: Header, known: Vocabulary, key: tuple[str, ...]) -> None:
        self.key = key
        self.found: list[Violation] = []
        self._header = header
        self._known = known
        self._rows: list[Row] = []
        self._first_row = 0

    def add(self, row: Row) -> None:
        """One more row of this game."""
        self._first_row = self._first_row or row.number
        if len(self._rows) < MOST_ROWS:
            self._rows.append(row)
        elif len(self._rows) == MOST_ROWS:
            self._rows.append(row)
            pointer = cell_pointer(row.number)
            self.found.append(Violation("too_long", pointer, _TOO_MANY, (MOST_ROWS,), MOST_ROWS))

    def finished(self) -> Iterator[ReadGame]:
        """The game; none where its rows hold nothing but a key and seat numbers, as in a template."""
        facts = _Facts(self._header, self._known, self.found)
        for row in self._rows[:MOST_ROWS]:
            facts.read(row)
        if facts.filled or self.found:
            if not any(self.key):
                facts.missing(self._first_row, self._header.fields[self._header.keys[0]] or "", _KEY)
            yield facts.game(self._first_row)


class _Facts:
    """What the cells of one game say."""

    def __init__(self, header: Header, known: Vocabulary, found: list[Violation]) -> None:
        self.filled = False
        self.found = found
        self._header = header
        self._known = known
        self._seats: list[dict[str, Any]] = []
        self._seat_rows: list[int] = []
        self._cells: dict[str, list[_Cell]] = {}

    def read(self, row: Row) -> None:
        """Take what the cells of one row say."""
        if row.fault is not None:
            self.found.append(row.fault)
            self.filled = True
            return
        seat: dict[str, Any] = {}
        sits = False
        for at, cell in enumerate(row.cells):
            text = cell.strip()
            if not text:
                continue
            field = self._header.fields[at] if at < len(self._header.fields) else None
            if field is None:
                self.filled = True
                self._nameless(row.number, at, text)
                continue
            if text in DASHES and field not in FLAGS:
                continue
            column = BY_FIELD[field]
            self.filled = self.filled or not (field == "seat" or at in self._header.keys)
            try:
                value = self._value(field, text)
            except Misread as misread:
                self._misread(row.number, field, text, misread)
                sits = sits or (column.of == "seat" and field != "seat")
                seat[field] = None
                continue
            if column.of == "seat":
                seat[field] = value
                sits = sits or field != "seat"
            elif field != "game":
                self._cells.setdefault(field, []).append(_Cell(row, field, text, value, seat))
                sits = sits or (column.of == "either" and _is_of_row(value))
        if sits:
            self._seats.append(seat)
            self._seat_rows.append(row.number)
            for field in ("seat", "player", "role"):
                if field not in seat:
                    self.missing(row.number, field, BY_FIELD[field].hint)

    def game(self, first_row: int) -> ReadGame:
        """The game, or what is wrong with it."""
        facts: dict[str, Any] = {"seats": self._seats}
        for field in (
            *("external_id", "played_on", "table", "number", "judge", "stage"),
            *("outcome", "rated", "cancelled"),
        ):
            if field in self._cells:
                facts[field] = self._agreed(field)
        line = self._seat_rows[0] if self._seat_rows else first_row
        if "outcome" not in facts and not facts.get("cancelled"):
            self.missing(line, "outcome", BY_FIELD["outcome"].hint)
        facts |= self._first_kill()
        for field in ("ppk", "draw_makers"):
            marked = self._marked(field)
            if marked is not None:
                facts[field] = marked
        facts["night_actions"] = self._night_actions()
        for seat in self._seats:
            if seat.get("removed") is not None:
                seat["removed"] = {"affected_team": seat["removed"]}
        at = {field: cells[0].row.number for field, cells in self._cells.items()}
        places = Places(line, self._seat_rows, at, self._header.names)
        external_id = facts.get("external_id")
        if self.found:
            return ReadGame(line, None, self.found, external_id, places)
        try:
            game = Game.read(facts)
        except ValidationError as error:
            read = ReadGame(line, None, [], external_id, places)
            read.violations.extend(read.located(shape_violations(error)))
            return read
        return ReadGame(line, game, [], game.external_id, places)

    def missing(self, row: int, field: str, expected: Text) -> None:
        """Note that a cell is blank which must not be."""
        name = self._header.names.get(field, field)
        pointer = cell_pointer(row, name)
        self.found.append(Violation("missing", pointer, _MISSING, (row, name, expected)))

    def _value(self, field: str, text: str) -> Any:
        if undecodable(text):
            raise Misread(_DECODED)
        if text in FORMULA_ERRORS:
            raise Misread(_A_VALUE)
        return BY_FIELD[field].read(text, self._known)

    def _misread(self, row: int, field: str, text: str, misread: Misread) -> None:
        name, said = self._header.names[field], shown(text)
        args = (row, name, misread.expected, said)
        pointer = cell_pointer(row, name)
        self.found.append(Violation("value", pointer, _VALUE, args, actual=said, suggestions=misread.suggestions))

    def _nameless(self, row: int, at: int, text: str) -> None:
        said = shown(text)
        args = (row, said, at + 1)
        pointer = cell_pointer(row, f"#{at + 1}")
        if not self.found or self.found[-1].pointer.rpartition("/")[0] != pointer.rpartition("/")[0]:
            self.found.append(Violation("unknown_field", pointer, _NAMELESS, args, actual=said))

    def _agreed(self, field: str) -> Any:
        """What all cells of a fact say."""
        first, *others = self._cells[field]
        for cell in others:
            if cell.value != first.value:
                self._contradiction(first, cell)
        return first.value

    def _contradiction(self, first: _Cell, other: _Cell) -> None:
        row, said = other.row.number, shown(other.text)
        name = self._header.names[other.field]
        args = (row, name, first.row.number, said)
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

    def _first_kill(self) -> dict[str, Any]:
        marked = self._marked("first_kill") or []
        if len(set(marked)) > 1:
            cell = self._cells["first_kill"][-1]
            self._misread(cell.row.number, cell.field, cell.text, Misread(_ONE_FIRST_KILL))
        kill: dict[str, Any] = {"seat": marked[0]} if marked else {}
        moves = [cell for cell in self._cells.get("best_move", ()) if cell.value]
        if moves:
            kill["best_move"] = self._best_move(moves, kill)
        return {"first_kill": kill} if kill else {}

    def _best_move(self, moves: list[_Cell], kill: dict[str, Any]) -> list[int]:
        first, *others = moves
        for cell in others:
            if cell.value != first.value:
                self._contradiction(first, cell)
        sits = first.seat.get("seat")
        if not others and sits is not None:
            if "first_kill" not in self._header.names:
                kill["seat"] = sits  # nobody but the first killed names three; there is no other column to say so
            elif kill and sits != kill["seat"] and first.row.number != self._seat_rows[0]:
                self._misread(first.row.number, first.field, first.text, Misread(_WITH_FIRST_KILL))
        return list(first.value)

    def _night_actions(self) -> list[dict[str, Any]]:
        told: list[list[Act]] = []
        for cell in self._cells.get("night_actions", ()):
            sits = cell.seat.get("seat")
            acts = [act._replace(seat=sits) if act.seat is None else act for act in cell.value]
            if acts not in told:  # a fact of the whole game may be repeated in its rows
                told.append(acts)
        return [act._asdict() for acts in told for act in acts]


def _is_of_row(value: Marked | list[Any]) -> bool:
    """Whether the cell speaks of the player of its row."""
    return isinstance(value, Mark) or (
        isinstance(value, list) and any(isinstance(member, Act) and member.seat is None for member in value)
    )


def _is_own(cell: _Cell) -> bool:
    return isinstance(cell.value, Mark) or cell.value == (cell.seat.get("seat"),)
