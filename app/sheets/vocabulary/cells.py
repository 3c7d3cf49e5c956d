"""What the text of one cell says: numbers, flags, words, lists of seats, acts of a night."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, NamedTuple, TypeAlias

from app.scoring.exact_json import MalformedJSON, loads
from app.scoring.text import words
from app.sheets.vocabulary.dates import YEAR_FIRST
from app.sheets.vocabulary.words import UnreadableCell, Words, bare

LONGEST_TEXT: Final = 32_767
"""Characters; no spreadsheet has more in a cell."""

DASHES: Final = frozenset({"-", "–", "—", "−"})
"""What clubs write where there is nothing."""

NOT_COMPUTED: Final = "#FORMULA?"
"""What is read of a formula that has no value."""

FORMULA_ERRORS: Final = frozenset(
    {
        *("#N/A", "#REF!", "#VALUE!", "#DIV/0!", "#NAME?", "#NULL!", "#NUM!"),
        *("#Н/Д", "#ССЫЛКА!", "#ЗНАЧ!", "#ДЕЛ/0!", "#ИМЯ?", "#ПУСТО!", "#ЧИСЛО!"),
        NOT_COMPUTED,
    }
)
"""What a spreadsheet shows in place of a value."""

RESERVED: Final = DASHES | FORMULA_ERRORS
"""What is never read as a text, unless an apostrophe stands before it."""

FORMULA_STARTS: Final = frozenset("=+-@\t\r＝＋－＠")
"""A spreadsheet may take a cell that begins so for a formula."""

_YES: Final = frozenset({"+", "1", "✓", "✔", "☑", "✅"})
_YES_WORDS: Final = frozenset(map(bare, ["да", "yes", "y", "true", "истина", "так", "істина", "v", "x", "х", "on"]))
_NO: Final = frozenset({"0", "❌", "✗", "☐"}) | DASHES
_NO_WORDS: Final = frozenset(map(bare, ["нет", "no", "n", "false", "ложь", "ні", "хиба", "хибність", "off"]))

_WHOLE: Final = re.compile(r"[+-]?[0-9]{1,16}(?:[.,]0*)?", re.ASCII)
_DECIMAL: Final = re.compile(r"[+-]?(?:[0-9]{1,30}(?:[.,][0-9]{0,30})?|[.,][0-9]{1,30})", re.ASCII)
_CODE: Final = re.compile(r"[a-z][a-z0-9_:-]{0,63}", re.ASCII)

A_NUMBER: Final = words("целое число", "a whole number")
POINTS: Final = words("число, например 0,25", "a number such as 0.25")
YES_OR_NO: Final = words("да или нет", "yes or no")
REMOVAL: Final = words("да, нет или «не повлияло»", "yes, no or no_effect")
SEATS: Final = words("номера мест через пробел, например 3 8 9", "seat numbers separated by spaces: 3 8 9")
NOT_A_DAY: Final = words(
    "номера мест через пробел, например 3 8 9 (программа превратила их в дату: задайте ячейке текстовый формат)",
    "seat numbers separated by spaces: 3 8 9 (the spreadsheet converted them to a date; format the cell as text)",
)
NO_DATE: Final = words(
    "текст (программа превратила его в дату: задайте ячейке текстовый формат и наберите заново)",
    "text (the spreadsheet converted it to a date; format the cell as text and type it again)",
)
A_MARK: Final = words(
    "«да» или + в строке игрока, у остальных пусто", "yes or + in the player's row, blank in the others"
)
ACTS: Final = words(
    "ходы ночью: 1:2>4 — в 1-ю ночь место 2 выбрало место 4; 1:2>4+ — спас, 1:2>4- — цель осталась жива",
    "night actions: 1:2>4 (in night 1 seat 2 chose seat 4); add + if saved, - if the target did not die",
)


def whole(text: str) -> int:
    """The whole number, also ``№4``, ``4.`` and one that a spreadsheet wrote with a zero fraction (``4,0``)."""
    text = text.strip().removeprefix("№").strip().replace("−", "-")
    if not _WHOLE.fullmatch(text):
        raise UnreadableCell(A_NUMBER)
    return int(re.split("[.,]", text)[0])


def points(text: str) -> Decimal:
    """The exact number, with a decimal point or comma."""
    text = re.sub(r"\s*([.,+-])\s*", r"\1", text.replace("−", "-"))
    if not _DECIMAL.fullmatch(text):
        raise UnreadableCell(POINTS)
    return Decimal(text.replace(",", "."))


def flag(text: str) -> bool:
    """Yes or no, in any of the ways that clubs write it."""
    word = bare(text)
    if text in _YES or word in _YES_WORDS:
        return True
    if text in _NO or word in _NO_WORDS:
        return False
    raise UnreadableCell(YES_OR_NO)


_HARMLESS: Final = frozenset(
    map(bare, ("no_effect", "without effect", "не повлияло", "без последствий", "не вплинуло", "без наслідків"))
)
_REMOVED: Final = frozenset(
    map(bare, ("removed", "удалён", "удалена", "удаление", "дисквалификация", "дискв", "видалений", "видалена"))
)


def removal(text: str) -> bool | None:
    """Whether a removal affected the team; None: nobody was removed."""
    word = bare(text)
    if word in _HARMLESS:
        return False
    try:
        return word in _REMOVED or flag(text) or None
    except UnreadableCell:
        raise UnreadableCell(REMOVAL) from None


def word(text: str, known: Words) -> str:
    """The code that the text means; a code that no word is known for stays as it is, and so does ``"any text"``."""
    if text.startswith('"'):
        literal = _json(text)
        if isinstance(literal, str):
            return literal
    code = known.find(text)
    if code is not None:
        return code
    if _CODE.fullmatch(text):
        return text
    raise UnreadableCell(known.expected, known.near(text))


def one_of(text: str, known: Words) -> str:
    """One of the codes that ``known`` has, and no other."""
    code = known.find(text)
    if code is None:
        raise UnreadableCell(known.expected, known.near(text))
    return code


def reasons(text: str, known: Words) -> list[str]:
    """Penalties: one, or several with ``;``, commas or line breaks between, or a JSON list."""
    if text.startswith("["):
        listed = _json(text)
        if isinstance(listed, list) and all(isinstance(member, str) for member in listed):
            return listed
    if flagged_no(text):
        return []
    return [word(reason, known) for part in re.split(r"[;,\n]", text) if (reason := part.strip())]


def flagged_no(text: str) -> bool:
    """Whether the text says no (``0``, ``нет``, a dash)."""
    return text in _NO or bare(text) in _NO_WORDS


_DECLINED: Final = frozenset(map(bare, ("отказ", "отказался", "отказалась", "без ЛХ", "відмова", "declined")))


def seats(text: str) -> list[int]:
    """Seat numbers: ``3 8 9``, ``3,8,9``, ``389``, a JSON list; nothing where the text says no."""
    if text.startswith("["):
        listed = _json(text)
        if isinstance(listed, list) and all(type(member) is int for member in listed):
            return listed
        raise UnreadableCell(SEATS)
    if flagged_no(text) or bare(text) in _DECLINED:
        return []
    if YEAR_FIRST.fullmatch(text):
        raise UnreadableCell(NOT_A_DAY)
    parts = re.split(r"\s*[\s,;./+-]\s*", text.strip(" ,;."))
    if not all(re.fullmatch("[0-9]{1,16}", part, re.ASCII) for part in parts):
        raise UnreadableCell(SEATS)
    if re.fullmatch("[1-9]{3}", parts[0], re.ASCII) and len(parts) == 1:
        return [int(digit) for digit in parts[0]]
    return [int(part) for part in parts]


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark for the player of its row; ``one``: it was written ``1``, which could also be the number of a seat."""

    one: bool


Marked: TypeAlias = Mark | tuple[int, ...] | None
"""A mark, or the seats that the cell names; None: it says no."""

_NOBODY: Final = frozenset(map(bare, ("nobody", "none", "никто", "ніхто")))


def mark(names: frozenset[str]) -> Callable[[str], Marked]:
    """A reader of marks, where ``names`` (bare) of the column itself are marks too."""

    def read(text: str) -> Marked:
        name = bare(text)
        if text in _YES or name in _YES_WORDS or name in names:
            return Mark(text == "1")
        if name in _NOBODY:
            return ()
        if flagged_no(text):
            return None
        try:
            return tuple(seats(text)) if text.startswith("[") else tuple(whole(part) for part in text.split())
        except UnreadableCell:
            raise UnreadableCell(A_MARK) from None

    return read


class Act(NamedTuple):
    """What a seat did in a night; ``seat`` None: the player of the cell's row."""

    night: int
    seat: int | None
    target: int
    saved: bool
    died: bool


_ACT: Final = re.compile(r"([0-9]{1,7})(?::\s*(-?[0-9]{1,16}))?\s*>\s*(-?[0-9]{1,16})(\+?)(-?)", re.ASCII)


def acts(text: str) -> list[Act]:
    """Acts of nights, with spaces, commas or ``;`` between."""
    text = re.sub(r"\s*([:>])\s*", r"\1", text.replace("−", "-"))
    found = []
    for part in re.split(r"[\s,;]+", text):
        if part:
            written = _ACT.fullmatch(part)
            if written is None:
                raise UnreadableCell(ACTS)
            night, seat, target, saved, survived = written.groups()
            found.append(Act(int(night), None if seat is None else int(seat), int(target), bool(saved), not survived))
    return found


def text_of(cell: str) -> str:
    """Free text without what :func:`app.sheets.writing.rows.neutral` put before it."""
    cell = cell.strip()
    if cell.startswith("'"):
        rest = cell[1:]
        if rest.startswith('"'):
            literal = _json(rest)
            if isinstance(literal, str):
                return literal
        elif rest and (rest in RESERVED or rest[0] in FORMULA_STARTS or rest[0] == "'"):
            return rest
    return cell


def _json(text: str) -> object:
    try:
        value: object = loads(text)
    except MalformedJSON:
        return None
    return value
