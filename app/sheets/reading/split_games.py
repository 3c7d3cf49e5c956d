"""From rows to games: which rows make one, and where the next begins."""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from app.scoring.text import words
from app.scoring.violation import Violation
from app.sheets.reading.evening import Evening
from app.sheets.reading.game_from_rows import GameRows
from app.sheets.reading.header import Header, Row
from app.sheets.reading.read_game import ReadGame, cell_pointer, excerpt
from app.sheets.reading.sheet import Sheet
from app.sheets.vocabulary.cells import DASHES
from app.sheets.vocabulary.columns import CARRIED, Context
from app.sheets.vocabulary.words import UnreadableCell

_REMEMBERED: Final = 10_000
"""Games; rows of one that are further apart are not noticed to be."""

_WAITING: Final = 20
"""Games; so many are kept until one of them says what the first of them means."""

_APART: Final = words(
    "строки одной игры должны идти подряд; игра «{}» уже была в строке {}",
    "the rows of a game must be consecutive; game {} already appeared in row {}",
)
_AGAIN: Final = words(
    "игра «{}» уже была в строке {}; если это другой вечер или стол, впишите здесь день или стол",
    "game {} already appeared in row {}; if this is another evening or table, fill in its day or table here",
)
_TORN: Final = words(
    "строка {} может быть из этой игры: день, стол или номер там не тот, что выше",
    "row {} may belong to this game: its day, table or number differs from the rows above it",
)


def split_games(rows: Iterable[Row], header: Header, context: Context) -> Iterator[ReadGame]:
    """The games of a sheet, each as soon as its last row is read and leaves no doubt. Blank rows and the header once
    more are skipped.

    A game's rows share its keys; where all keys are blank, the row belongs to the game above. Where neither row has an
    external id, another day, table or number begins a game too, if the row's seat is taken in the game above.
    """
    split = _Games(header)
    sheet = Sheet(header, context)
    gathered: GameRows | None = None
    for row in rows:
        if row.fault is None and not any(cell and not cell.isspace() for cell in row.cells):
            continue
        if header.is_repeated_in(row):
            continue
        key = _key(sheet, row)
        if gathered is None:
            gathered = GameRows(sheet, key, row.number)
        elif split.has_other_keys(gathered, key):
            yield from split.ended(gathered)
            gathered = GameRows(sheet, key, row.number)
        elif not split.is_elsewhere(gathered, key):
            gathered.key = {**key, **gathered.key}
        elif gathered.has_taken(key.get("seat")):
            torn = gathered.torn_at
            yield from split.ended(gathered)
            gathered = GameRows(sheet, key, row.number)
            if torn:
                gathered.faults.of_rows(Violation("contradiction", cell_pointer(torn), _TORN, (torn,)))
        else:
            gathered.torn_at = gathered.torn_at or row.number
            gathered.faults.beyond_cells = True
        gathered.add(row)
    if gathered is not None:
        yield from split.ended(gathered)
    yield from split.told(but_for=0)


class _Games:
    """The games of a sheet so far: which there were, and what evening it is."""

    def __init__(self, header: Header) -> None:
        self._header = header
        self._evening = Evening(header)
        self._begun: dict[tuple[object, ...], int] = {}
        self._waiting: deque[GameRows] = deque()

    def has_other_keys(self, above: GameRows, key: Mapping[str, object]) -> bool:
        """Whether the keys of a row differ from those of the game above it, or none of them is its."""
        keys = self._header.keys
        if self._differ(above.key, key, keys):
            return True
        return any(field in key for field in keys) and not any(field in key and field in above.key for field in keys)

    def is_elsewhere(self, above: GameRows, key: Mapping[str, object]) -> bool:
        """Whether the day, table or number is another, and no external id says that the game is the same."""
        if "external_id" in key or "external_id" in above.key:
            return False
        return self._differ({**self._evening.carried, **above.key}, key, self._header.evening)

    @staticmethod
    def _differ(old: Mapping[str, object], new: Mapping[str, object], fields: Iterable[str]) -> bool:
        """Whether both say something of one of the fields, and not the same."""
        return any(field in old and field in new and old[field] != new[field] for field in fields)

    def ended(self, rows: GameRows) -> Iterator[ReadGame]:
        """What can be told now that all rows of a game are gathered."""
        is_left = self._evening.carry_into(rows)
        if not rows.is_filled or rows.says_only(CARRIED):
            return
        fields = ("game", "external_id") if "external_id" in rows.key else ("game", *self._header.evening)
        known = {**self._evening.carried, **rows.key}
        key = tuple(known.get(field) for field in fields)
        if key in self._begun:
            name = excerpt(" ".join(str(part) for part in key if part is not None))
            args = (name, self._begun[key])
            again = Violation(
                "rows_apart", cell_pointer(rows.first_row), _AGAIN if is_left else _APART, args, actual=name
            )
            rows.faults.of_rows(again, at_front=True)
        self._begun[key] = rows.first_row
        if len(self._begun) > _REMEMBERED:
            del self._begun[next(iter(self._begun))]
        rows.marks.teach()
        self._waiting.append(rows)
        yield from self.told(but_for=_WAITING)

    def told(self, *, but_for: int) -> Iterator[ReadGame]:
        """The games whose cells leave no doubt, and of the others all but ``but_for``."""
        while self._waiting and (len(self._waiting) > but_for or not self._waiting[0].marks.in_doubt()):
            yield from self._waiting.popleft().finished()


def _key(sheet: Sheet, row: Row) -> dict[str, object]:
    """What the row says of the columns that tell games apart, and of its seat; blank cells are left out."""
    key: dict[str, object] = {}
    for field, at in sheet.header.telling.items():
        text = row.cells[at].strip() if at < len(row.cells) else ""
        if text and text not in DASHES:
            try:
                key[field] = sheet.read(field, text)
            except UnreadableCell:
                key[field] = text
    return key
