"""What a reader yields: one item per game of a file, and where in the file its facts stand."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from app.scoring.game import Game
from app.scoring.violation import Violation
from app.sheets.reading.drafts import Drafts

_SHOWN: Final = 60
"""Characters."""


@dataclass(frozen=True, slots=True)
class CellPositions:
    """Where in a sheet the facts of one game stand."""

    line: int
    """The row of the first seat; the header is row 1."""
    rows: Sequence[int]
    """The row of each seat."""
    at: Mapping[str, int]
    """The row of each fact of the whole game."""
    names: Mapping[str, str]
    """The columns as the sheet names them, by field."""

    def pointer(self, pointer: str) -> str:
        """``/rows/17/Доп`` for ``/seats/3/bonus``: the cell that a JSON pointer into the game speaks of."""
        parts = pointer.split("/")[1:] or [""]
        row, column = self.line, parts[0]
        if column == "seats" and len(parts) > 1:
            row, column = self.rows[int(parts[1])], parts[2] if len(parts) > 2 else ""
        else:
            if parts[:2] == ["first_kill", "best_move"]:
                column = "best_move"
            row = self.at.get(column, row)
        return cell_pointer(row, self.names.get(column))


@dataclass(frozen=True, slots=True)
class ReadGame:
    """One game of a file: ``game``, or None and what is wrong with it."""

    line: int
    """The file's line; in a sheet the row of the game's first seat (header = 1)."""
    game: Game | None
    violations: list[Violation] = field(default_factory=list)
    external_id: str | None = None
    """The file's, also where the rest of the game could not be read."""
    positions: CellPositions | None = None
    """None for NDJSON, where pointers into the game say it all."""
    drafts: Drafts | None = None
    """The game as it may be once its faulty cells are mended."""

    def faults(self, check: Callable[[Game], Iterable[Violation]]) -> list[Violation]:
        """All that is wrong: with the cells, and with the game by ``check``, as far as that is certain."""
        if self.game is not None:
            return self.located(check(self.game))
        if self.drafts is None:
            return self.violations
        return [*self.violations, *self.located(self.drafts.certain(check))]

    def located(self, violations: Iterable[Violation]) -> list[Violation]:
        """What a regulation finds in :attr:`game`, its pointers leading to cells of the sheet, if it was one."""
        if self.positions is None:
            return list(violations)
        return [violation._replace(pointer=self.positions.pointer(violation.pointer)) for violation in violations]


def cell_pointer(row: int, column: str | None = None) -> str:
    """``/rows/17/Роль``: the cell in row 17 (header = 1) below that name; without a name the whole row."""
    if column is None:
        return f"/rows/{row}"
    return f"/rows/{row}/{column.replace('~', '~0').replace('/', '~1')}"


def excerpt(text: str) -> str:
    """As much of a cell as a message repeats, in one line and fit for UTF-8."""
    return " ".join(text[:_SHOWN].encode("utf-8", "replace").decode().split())


def is_undecodable(text: str) -> bool:
    """Whether the text holds bytes that its encoding does not have (kept as surrogates)."""
    return not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text)
