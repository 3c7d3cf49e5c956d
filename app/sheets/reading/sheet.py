"""What all games of one sheet share: its header, what its cells say, and how it uses its columns."""

from typing import Any, Final, Literal, NamedTuple, TypeAlias

from app.scoring.text import words
from app.sheets.reading.header import Header
from app.sheets.reading.read_game import is_undecodable
from app.sheets.vocabulary.cells import FORMULA_ERRORS
from app.sheets.vocabulary.columns import BY_FIELD, Context
from app.sheets.vocabulary.words import UnreadableCell

_REMEMBERED: Final = 8_192
"""Cells of a sheet whose meaning is kept, none longer than this:"""
_SHORT: Final = 64

_DRAFTED: Final = 100
"""Games with faulty cells that are checked by the regulation too."""

_DECODED: Final = words("текст в UTF-8 или Windows-1251", "text in UTF-8 or Windows-1251")
_A_VALUE: Final = words(
    "готовое значение, а не формула с ошибкой или без результата "
    "(откройте книгу в программе таблиц, пересчитайте и сохраните)",
    "a value, not a formula error or an uncalculated formula (open and save the file in a spreadsheet program)",
)

Meaning: TypeAlias = Literal["row", "game"]
"""Of whom a cell speaks: of the player of its row, or of the whole game, naming seats."""


class Cell(NamedTuple):
    """A cell that speaks of the whole game, or may."""

    row: int
    field: str
    text: str
    value: Any
    seat: dict[str, Any]
    """The seat of the row, as far as it has been read."""


class Sheet:
    """The header of a sheet, and what is learned of its cells on the way down."""

    def __init__(self, header: Header, context: Context) -> None:
        self.header = header
        self.meanings: dict[str, set[Meaning]] = {}
        """How cells that leave no doubt use each column."""
        self.system = context.system
        self._context = context
        self._drafted = 0
        self._said: dict[tuple[str, str], Any] = {}

    def may_draft(self) -> bool:
        """Whether another game with faulty cells may be checked as far as it goes, which takes time; counted here."""
        self._drafted += 1
        return self._drafted <= _DRAFTED

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
