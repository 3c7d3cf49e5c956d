"""The columns whose cells may speak of the player of their row or of the whole game: marks, best moves, nights.

``1`` in a column of marks says yes, or names seat 1. A best move in a game's first row is that of its player, or of
whoever was killed first. Where the game itself leaves this in doubt, the other games of the sheet decide.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from app.scoring.text import words
from app.sheets.reading.faults import Faults
from app.sheets.reading.sheet import Cell, Meaning, Sheet
from app.sheets.vocabulary.cells import Act, Mark
from app.sheets.vocabulary.words import UnreadableCell

_MARKED: Final = ("first_kill", "ppk", "draw_makers")

_ONE_FIRST_KILL: Final = words("один первый убиенный на игру", "only one mark per game")
_WITH_FIRST_KILL: Final = words(
    "лучший ход — в строке первого убиенного", "the best move in the row of the player killed first"
)


class Marks:
    """The cells of one game that may speak of a row's player or of the whole game."""

    def __init__(
        self, sheet: Sheet, cells: Mapping[str, Sequence[Cell]], seats: Sequence[Mapping[str, Any]], faults: Faults
    ) -> None:
        self._sheet = sheet
        self._cells = cells
        self._seats = seats
        self._faults = faults
        self._has_kills = "first_kill" in sheet.header.names

    def teach(self) -> None:
        """Let the sheet learn from the cells that leave no doubt."""
        for field in _MARKED:
            if meaning := self._meaning_of_marks(field):
                self._sheet.meanings.setdefault(field, set()).add(meaning)
        moves = self._moves()
        if len(moves) == 1 and not self._has_kills and moves[0].seat and not self._is_first(moves[0]):
            self._sheet.meanings.setdefault("best_move", set()).add("row")

    def in_doubt(self) -> bool:
        """Whether a cell has two meanings, and nothing in the sheet so far says which."""
        doubtful = [field for field in _MARKED if self._doubtful_mark(field)]
        if self._doubtful_move():
            doubtful.append("best_move")
        return any(not self._sheet.meanings.get(field) for field in doubtful)

    def marked(self, field: str) -> list[int] | None:
        """The seats that a column marks or names; None: it says nothing."""
        cells = [cell for cell in self._cells.get(field, ()) if cell.value is not None]
        if not cells:
            return None
        if self._are_all_one(cells):
            return [1]
        doubtful = self._doubtful_mark(field)
        if doubtful is not None and self._decided(field) != "row":
            if self._decided(field) is None:
                self._refuse_one(doubtful)
            return [1]
        own = [cell.seat.get("seat") for cell in cells if _is_own(cell)]
        named = [cell for cell in cells if not _is_own(cell)]
        if not named:
            return [seat for seat in own if seat is not None]
        for cell in named[1:]:
            if _named(cell) != _named(named[0]):
                self._faults.contradiction(named[0], cell)
        if own and set(own) != set(_named(named[0])):
            self._faults.contradiction(named[0], next(cell for cell in cells if _is_own(cell)))
        return _named(named[0])

    def first_kill(self) -> dict[str, Any] | None:
        """Who was killed first, and the best move."""
        marked = self.marked("first_kill") or []
        if len(set(marked)) > 1:
            cell = self._cells["first_kill"][-1]
            self._faults.misread(cell.row, cell.field, cell.text, UnreadableCell(_ONE_FIRST_KILL))
        kill: dict[str, Any] = {"seat": marked[0]} if marked else {}
        moves = self._moves()
        if moves:
            kill["best_move"] = self._best_move(moves, kill)
        return kill or None

    def night_actions(self) -> list[dict[str, Any]]:
        """The acts of all nights, each once."""
        told: list[list[Act]] = []
        for cell in self._cells.get("night_actions", ()):
            sits = cell.seat.get("seat")
            acts = [act._replace(seat=sits) if act.seat is None else act for act in cell.value]
            if acts not in told:  # a fact of the whole game may be repeated in its rows
                told.append(acts)
        return [act._asdict() for acts in told for act in acts]

    def _best_move(self, moves: Sequence[Cell], kill: dict[str, Any]) -> list[int]:
        first, *others = moves
        for cell in others:
            if cell.value != first.value:
                self._faults.contradiction(first, cell)
        sits = first.seat.get("seat")
        if self._doubtful_move() and self._decided("best_move") != "row":
            self._refuse_move(first)
        elif not others and sits is not None:
            if not self._has_kills:
                kill["seat"] = sits  # nobody but the first killed names three; there is no other column to say so
            elif kill and sits != kill["seat"] and not self._is_first(first):
                self._faults.misread(first.row, first.field, first.text, UnreadableCell(_WITH_FIRST_KILL))
        return list(first.value)

    def _moves(self) -> list[Cell]:
        return [cell for cell in self._cells.get("best_move", ()) if cell.value]

    def _decided(self, field: str) -> Meaning | None:
        """How the rest of the sheet uses the column; None: not at all without doubt, or both ways."""
        found = self._sheet.meanings.get(field, set())
        return next(iter(found)) if len(found) == 1 else None

    def _is_first(self, cell: Cell) -> bool:
        return bool(self._seats) and cell.seat is self._seats[0]

    def _are_all_one(self, cells: Sequence[Cell]) -> bool:
        return len(cells) == len(self._seats) > 1 and all(cell.value == Mark(True) for cell in cells)

    def _meaning_of_marks(self, field: str) -> Meaning | None:
        """How the game uses a column of marks, where that is beyond doubt."""
        cells = self._cells.get(field, ())
        said = [cell for cell in cells if cell.value is not None]
        if any(isinstance(cell.value, tuple) and cell.value for cell in said) or self._are_all_one(said):
            return "game"
        if any(cell.value == Mark(False) for cell in said) or (said and len(cells) > 1):
            return "row"
        if said and said[0].value == Mark(True) and not self._is_first(said[0]) and said[0].seat.get("seat", 1) != 1:
            return "row"
        return None

    def _doubtful_mark(self, field: str) -> Cell | None:
        """The only cell of the game that says anything, if it is a 1 that may be a yes or name seat 1."""
        cells = self._cells.get(field, ())
        if len(cells) != 1 or cells[0].value != Mark(True) or cells[0].seat.get("seat", 1) == 1:
            return None
        if all(seat.get("seat") != 1 for seat in self._seats):
            return None
        if not self._is_first(cells[0]) and "game" not in self._sheet.meanings.get(field, ()):
            return None
        return cells[0]

    def _doubtful_move(self) -> bool:
        """Whether the only best move may be that of its row's player or of whoever was killed first."""
        moves = self._moves()
        return len(moves) == 1 and len(self._seats) > 1 and not self._has_kills and self._is_first(moves[0])

    def _refuse_one(self, cell: Cell) -> None:
        seat = cell.seat["seat"]
        expected = words(
            f"+, если это место {seat}, или [1], если это место 1",
            f"+ if it means seat {seat}, or [1] if it means seat 1",
        )
        self._faults.misread(cell.row, cell.field, cell.text, UnreadableCell(expected))

    def _refuse_move(self, cell: Cell) -> None:
        seat = cell.seat.get("seat")
        expected = words(
            f"лучший ход в строке первого убиенного или столбец «ПУ»: "
            f"здесь он может быть ходом места {seat} или записью обо всей игре",
            f"the best move in the row of the player killed first, or a column first_kill (ПУ); "
            f"here it may be that of seat {seat} or of the whole game",
        )
        self._faults.misread(cell.row, cell.field, cell.text, UnreadableCell(expected))


def is_of_row(value: object) -> bool:
    """Whether a cell can only speak of the player of its row."""
    return value == Mark(False) or (
        isinstance(value, list) and any(isinstance(member, Act) and member.seat is None for member in value)
    )


def _is_own(cell: Cell) -> bool:
    if isinstance(cell.value, Mark):
        return not cell.value.one or "seat" in cell.seat
    return bool(cell.value == (cell.seat.get("seat"),))


def _named(cell: Cell) -> list[int]:
    return [1] if isinstance(cell.value, Mark) else list(cell.value)
