"""The evening that the games of a sheet belong to: its day and table, which are often written once."""

from typing import Final

from app.scoring.text import words
from app.scoring.violation import Violation
from app.sheets.reading.game_from_rows import GameRows
from app.sheets.reading.header import Header
from app.sheets.reading.read_game import cell_pointer
from app.sheets.vocabulary.columns import CARRIED

_DOUBTFUL: Final = words(
    "строка {}, столбец «{}»: пусто, а значение выше, в строке {}, не прочитано",
    "row {}, column {}: blank, and the value above, in row {}, could not be read",
)


class Evening:
    """Carries day and table down a sheet, from game to game.

    A day is good for the games below until another day or a dash. A table is, until another table, a dash or another
    day. Where the value above could not be read, the games below that rely on it cannot be either.
    """

    def __init__(self, header: Header) -> None:
        self._names = {field: header.names[field] for field in CARRIED if field in header.names}
        self.carried: dict[str, object] = {}
        """What a blank cell says, by field."""
        self._doubtful: dict[str, int] = {}
        """The row of what could not be read, by field."""

    def carry_into(self, rows: GameRows) -> bool:
        """Give the game what its blank cells leave to the games above, and keep what it says for those below.

        Returns whether anything was left to the games above.
        """
        day = rows.said("played_on")
        if day is not None and day.value != self.carried.get("played_on"):
            self._forget("table")
        left = [field for field in self._names if self._is_left(field, rows)]
        return bool(left)

    def _is_left(self, field: str, rows: GameRows) -> bool:
        said = rows.said(field)
        if said is not None:
            self._forget(field)
            if said.is_doubtful:
                self._doubtful[field] = said.row
            elif said.value is not None:
                self.carried[field] = said.value
            return False
        if field in self._doubtful and rows.is_filled:
            name, row = self._names[field], rows.first_row
            args = (row, name, self._doubtful[field])
            violation = Violation("missing", cell_pointer(row, name), _DOUBTFUL, args)
            rows.faults.of_cell(row, field, violation)
        elif field in self.carried:
            rows.say(field, self.carried[field])
        return True

    def _forget(self, field: str) -> None:
        self.carried.pop(field, None)
        self._doubtful.pop(field, None)
