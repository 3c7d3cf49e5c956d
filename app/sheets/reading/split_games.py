"""From rows to games: which rows make one, and where the next begins."""

from collections.abc import Iterable, Iterator
from typing import Final

from app.scoring.text import words
from app.scoring.violation import Violation
from app.sheets.reading.game_from_rows import GameRows, Sheet
from app.sheets.reading.header import Header, Row
from app.sheets.reading.read_game import ReadGame, cell_pointer, excerpt
from app.sheets.vocabulary.cells import DASHES
from app.sheets.vocabulary.columns import Context

_REMEMBERED: Final = 10_000
"""Games; rows of one that are further apart are not noticed to be."""

_APART: Final = words(
    "строки одной игры должны идти подряд; игра «{}» уже была в строке {}",
    "the rows of a game must be consecutive; game {} already appeared in row {}",
)


def split_games(rows: Iterable[Row], header: Header, context: Context) -> Iterator[ReadGame]:
    """The games of a sheet, each as soon as its last row is read. Blank rows and the header once more are skipped.

    A game's rows share its keys; where all keys are blank, the row belongs to the game above.
    """
    begun: dict[tuple[str, ...], int] = {}
    gathered: GameRows | None = None
    sheet = Sheet(header, context)
    for row in rows:
        if row.fault is None and not any(cell and not cell.isspace() for cell in row.cells):
            continue
        if header.is_repeated_in(row):
            continue
        key = tuple(_key_part(row, at) for at in header.keys)
        if gathered is None or not _same(gathered.key, key):
            if gathered is not None:
                yield from gathered.finished()
            gathered = GameRows(sheet, key, row.number)
            if key in begun:
                name = excerpt(" ".join(filter(None, key)))
                pointer = cell_pointer(row.number)
                gathered.found.append(Violation("rows_apart", pointer, _APART, (name, begun[key]), actual=name))
            begun[key] = row.number
            if len(begun) > _REMEMBERED:
                del begun[next(iter(begun))]
        else:
            gathered.key = tuple(new or old for new, old in zip(key, gathered.key, strict=True))
        gathered.add(row)
    if gathered is not None:
        yield from gathered.finished()


def _key_part(row: Row, at: int) -> str:
    part = row.cells[at].strip() if at < len(row.cells) else ""
    return "" if part in DASHES else part


def _same(old: tuple[str, ...], new: tuple[str, ...]) -> bool:
    """Whether nothing in ``new`` contradicts ``old``, and something agrees with it or nothing is said."""
    if any(b and a and a != b for a, b in zip(old, new, strict=True)):
        return False
    return not any(new) or any(a and a == b for a, b in zip(old, new, strict=True))
