"""What is wrong with the cells of one game, told so that it can be mended."""

from typing import Final

from app.scoring.text import Text, words
from app.scoring.violation import Violation
from app.sheets.reading.header import Header
from app.sheets.reading.read_game import cell_pointer, excerpt
from app.sheets.reading.sheet import Cell
from app.sheets.vocabulary.words import UnreadableCell

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


class Faults:
    """The violations found in the rows of one game."""

    def __init__(self, header: Header) -> None:
        self.found: list[Violation] = []
        self.spoiled: set[tuple[int, str]] = set()
        """The row and field of each faulty cell."""
        self.beyond_cells = False
        """Whether more is wrong than single cells: rows are missing, or may be another game's."""
        self._names = header.names
        self._nameless_row = 0

    def of_rows(self, violation: Violation, *, at_front: bool = False) -> None:
        """Note what is wrong with the rows as such."""
        self.beyond_cells = True
        self.found.insert(0 if at_front else len(self.found), violation)

    def of_cell(self, row: int, field: str, violation: Violation) -> None:
        """Note what is wrong with one cell."""
        self.spoiled.add((row, field))
        self.found.append(violation)

    def missing(self, row: int, field: str, expected: Text) -> None:
        """Note that a cell is blank which must not be."""
        name = self._names.get(field, field)
        self.of_cell(row, field, Violation("missing", cell_pointer(row, name), _MISSING, (row, name, expected)))

    def misread(self, row: int, field: str, text: str, misread: UnreadableCell) -> None:
        """Note that a cell does not say what its column is for."""
        name, said = self._names[field], excerpt(text)
        args = (row, name, misread.expected, said)
        pointer, near = cell_pointer(row, name), misread.suggestions
        self.of_cell(row, field, Violation("value", pointer, _VALUE, args, actual=said, suggestions=near))

    def nameless(self, row: int, at: int, text: str) -> None:
        """Note the first of a row's values that stand below no name."""
        if row != self._nameless_row:
            self._nameless_row = row
            said = excerpt(text)
            pointer = cell_pointer(row, f"#{at + 1}")
            self.of_rows(Violation("unknown_field", pointer, _NAMELESS, (row, said, at + 1), actual=said))

    def contradiction(self, first: Cell, other: Cell) -> None:
        """Note that two cells of one game say different things of one fact."""
        row, said = other.row, excerpt(other.text)
        name = self._names[other.field]
        args = (row, name, first.row, said)
        violation = Violation("contradiction", cell_pointer(row, name), _CONTRADICTION, args, actual=said)
        self.of_cell(row, other.field, violation)
