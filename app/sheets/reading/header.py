"""The header row of a sheet: which column holds what."""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from app.scoring.suggestion import perhaps
from app.scoring.text import words
from app.scoring.violation import Violation
from app.sheets.reading.read_game import cell_pointer, excerpt
from app.sheets.vocabulary.columns import BY_FIELD, column_named, names_near
from app.validation import UnreadableFile

HEADER_WITHIN: Final = 20
"""Rows; titles may stand above the header, but not more."""

MOST_COLUMNS: Final = 256

_REQUIRED: Final = ("seat", "player", "role", "outcome")
_KEYS: Final = ("game", "external_id")
_NATURAL_KEYS: Final = ("played_on", "table", "number")

_UNKNOWN: Final = words("неизвестный столбец «{}»{}", "unknown column: {}{}")
_TWICE: Final = words("два столбца об одном и том же: «{1}» и «{0}»", "duplicate column {}: {}")
_LACKING: Final = words("нет столбца «{1}» ({0})", "column {} ({}) is missing")
_NO_KEY: Final = words(
    "не видно, где кончается одна игра и начинается другая: "
    "нужен столбец «Игра» (game), «Внешний номер» (external_id) или «Номер» (number)",
    "a column that separates games is missing: game (Игра), external_id or number (Номер)",
)
_TOO_WIDE: Final = words("в строке больше {} столбцов", "more than {} columns in the row")
_NO_HEADER: Final = words("нет строки с названиями столбцов; нужны: {}", "header row not found; required columns: {}")


class Row(NamedTuple):
    """One row of a sheet as text; ``fault``: what was wrong with the row as such."""

    number: int
    """The header is row 1, if nothing stands above it."""
    cells: Sequence[str]
    fault: Violation | None = None
    dates: Container[int] = ()
    """The places of cells that a spreadsheet keeps as dates or times of day."""


@dataclass(frozen=True, slots=True)
class Header:
    """A header row, understood."""

    row: int
    fields: Sequence[str | None]
    """The field of each column; None: a column without a name; blank: one whose name is faulty."""
    names: Mapping[str, str]
    """How the sheet writes each field's name."""
    keys: Sequence[str]
    """The fields that tell one game from the next by themselves."""
    telling: Mapping[str, int]
    """The column of each field that helps to tell games apart: the keys, the evening and the seat."""
    faults: Sequence[Violation]
    """What is wrong with the header."""

    @property
    def lacks(self) -> bool:
        """Whether a column is missing without which no row can be understood."""
        return not self.keys or any(field not in self.names for field in _REQUIRED)

    @property
    def evening(self) -> tuple[str, ...]:
        """The fields that say at which evening, where and when a game was played."""
        return tuple(field for field in _NATURAL_KEYS if field in self.names)

    @property
    def numbers_games(self) -> bool:
        """Whether ``game`` is the game's number: beside a day and a table, where no other column is."""
        return "number" not in self.names and {"game", "played_on", "table"} <= self.names.keys()

    def is_repeated_in(self, row: Row) -> bool:
        """Whether the row is the header once more, as on each page of some sheets."""
        seat = self.telling.get("seat", len(row.cells))
        if seat >= len(row.cells) or column_named(row.cells[seat]) is not BY_FIELD["seat"]:
            return False
        named = [column.field if (column := column_named(cell)) else None for cell in row.cells]
        return named[: len(self.fields)] == [*self.fields] and not any(named[len(self.fields) :])


def count_columns(row: Row) -> int:
    """How many cells of the row name a column."""
    return sum(column_named(cell) is not None for cell in row.cells if cell)


def is_of_games(row: Row) -> bool:
    """Whether the row names the columns that only a sheet of games has: seats and roles.

    A rating has nicknames, places, first kills and best moves too.
    """
    return {"seat", "role"} <= {column.field for cell in row.cells if (column := column_named(cell))}


def find_header(rows: Iterable[Row]) -> Row | None:
    """The row that names most columns, at least two; the first of equals."""
    best = max(rows, key=count_columns, default=None)
    return best if best is not None and count_columns(best) >= 2 else None


def read_header(row: Row | None) -> Header:
    """What each column of a header row holds.

    Its faults are an unknown name (with suggestions), one name twice, a required one missing; all of these at once.

    Raises:
        UnreadableFile: there is no header, or one that is too wide.
    """
    if row is None:
        names = ", ".join(f"{field} ({BY_FIELD[field].russian})" for field in _REQUIRED)
        raise UnreadableFile([Violation("missing", "/rows/1", _NO_HEADER, (names,))])
    if len(row.cells) > MOST_COLUMNS:
        wide = Violation("too_long", cell_pointer(row.number), _TOO_WIDE, (MOST_COLUMNS,), MOST_COLUMNS, len(row.cells))
        raise UnreadableFile([wide])
    fields: list[str | None] = []
    names_of: dict[str, str] = {}
    found: list[Violation] = []
    named = {column.field for cell in row.cells if (column := column_named(cell))}
    for cell in row.cells:
        name = excerpt(cell)
        column = column_named(name) if name else None
        is_new = column is not None and column.field not in names_of
        fields.append(column.field if column and is_new else "" if name else None)
        if column is None and name:
            found.append(_unknown(row.number, name, named))
        elif column is not None and not is_new:
            args = (name, names_of[column.field])
            found.append(Violation("column_twice", cell_pointer(row.number, name), _TWICE, args))
        elif column is not None:
            names_of[column.field] = name
    where = cell_pointer(row.number)
    found += [
        Violation("missing", where, _LACKING, (field, BY_FIELD[field].russian))
        for field in _REQUIRED
        if field not in names_of
    ]
    keys: list[str] = [field for field in _KEYS if field in names_of]
    if not keys and "number" in names_of:
        keys = [field for field in _NATURAL_KEYS if field in names_of]
    if not keys:
        found.append(Violation("missing", where, _NO_KEY))
    telling: dict[str, int] = {
        field: fields.index(field) for field in (*_KEYS, *_NATURAL_KEYS, "seat") if field in names_of
    }
    return Header(row.number, fields, names_of, keys, telling, found)


def _unknown(row: int, name: str, named: set[str]) -> Violation:
    near = names_near(name, named)
    return Violation(
        "unknown_field", cell_pointer(row, name), _UNKNOWN, (name, perhaps(near)), actual=name, suggestions=near
    )
