"""What the text of one cell says: numbers, days, flags, words, lists of seats, acts of a night."""

import re
from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal
from typing import Final, NamedTuple, TypeAlias

from app.scoring.exact_json import MalformedJSON, loads
from app.scoring.text import Text, words
from app.sheets.words import Words, bare


class Misread(ValueError):
    """A cell does not say what its column is for; ``expected`` says what that is."""

    def __init__(self, expected: Text, suggestions: tuple[str, ...] = ()) -> None:
        super().__init__(expected.en)
        self.expected = expected
        self.suggestions = suggestions


DASHES: Final = frozenset({"-", "–", "—", "−"})
"""What clubs write where there is nothing."""

FORMULA_ERRORS: Final = frozenset(
    {
        *("#N/A", "#REF!", "#VALUE!", "#DIV/0!", "#NAME?", "#NULL!", "#NUM!"),
        *("#Н/Д", "#ССЫЛКА!", "#ЗНАЧ!", "#ДЕЛ/0!", "#ИМЯ?", "#ПУСТО!", "#ЧИСЛО!"),
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

_WHOLE: Final = re.compile(r"[+-]?[0-9]{1,16}(?:[.,]0+)?", re.ASCII)
_DECIMAL: Final = re.compile(r"[+-]?(?:[0-9]{1,30}(?:[.,][0-9]{0,30})?|[.,][0-9]{1,30})", re.ASCII)
_CODE: Final = re.compile(r"[a-z][a-z0-9_:-]{0,63}", re.ASCII)

A_NUMBER: Final = words("целое число", "a whole number")
POINTS: Final = words("число, например 0,25", "a number such as 0.25")
A_DAY: Final = words("день вида 14.03.2025 или 2025-03-14", "a day such as 2025-03-14 or 14.03.2025")
ONE_DAY: Final = words(
    "день без сомнений, где день, а где месяц: 2025-03-14",
    "a day that leaves no doubt which part is the month: 2025-03-14",
)
YES_OR_NO: Final = words("да или нет", "yes or no")
REMOVAL: Final = words("да, нет или «не повлияло»", "yes, no or no_effect")
SEATS: Final = words("номера мест через пробел: 3 8 9", "seat numbers with spaces between: 3 8 9")
NOT_A_DAY: Final = words(
    "номера мест через пробел: 3 8 9 (таблица превратила их в дату, задайте ячейке текстовый формат)",
    "seat numbers with spaces between: 3 8 9 (the spreadsheet made a date of them; format the cell as text)",
)
A_MARK: Final = words(
    "да или + в строке игрока, пусто у остальных", "yes or + in the player's row, blank in the others"
)
ACTS: Final = words(
    "действия ночей: 1:2>4 — в первую ночь место 2 выбрало место 4; + после — спас, - после — не умер",
    "acts of nights: 1:2>4, in night 1 seat 2 chose seat 4; + after it: saved, - after it: did not die",
)


def whole(text: str) -> int:
    """The whole number, also one that a spreadsheet wrote with a zero fraction (``4,0``)."""
    text = text.strip().replace("−", "-")
    if not _WHOLE.fullmatch(text):
        raise Misread(A_NUMBER)
    return int(re.split("[.,]", text)[0])


def points(text: str) -> Decimal:
    """The exact number, with a decimal point or comma."""
    text = re.sub(r"\s*([.,+-])\s*", r"\1", text.replace("−", "-"))
    if not _DECIMAL.fullmatch(text):
        raise Misread(POINTS)
    return Decimal(text.replace(",", "."))


def flag(text: str) -> bool:
    """Yes or no, in any of the ways that clubs write it."""
    word = bare(text)
    if text in _YES or word in _YES_WORDS:
        return True
    if text in _NO or word in _NO_WORDS:
        return False
    raise Misread(YES_OR_NO)


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
    except Misread:
        raise Misread(REMOVAL) from None


_TIME: Final = r"(?:[T ]\s*[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?"
_YEAR_FIRST: Final = re.compile(rf"([0-9]{{4}})([-./])([0-9]{{1,2}})\2([0-9]{{1,2}}){_TIME}", re.ASCII)
_YEAR_LAST: Final = re.compile(
    rf"([0-9]{{1,2}})([-./])([0-9]{{1,2}})\2([0-9]{{4}}|[0-9]{{2}})(?:\s*г\.?)?{_TIME}", re.ASCII
)
_TOGETHER: Final = re.compile(r"((?:19|20)[0-9]{2})([0-9]{2})([0-9]{2})", re.ASCII)
_SERIAL: Final = re.compile(r"([0-9]{5})(?:[.,][0-9]+)?", re.ASCII)
_SERIALS: Final = range(20_000, 80_000)
_SERIAL_0: Final = date(1899, 12, 30)


def day(text: str) -> date:
    """The day; a time after it is left out. ``03/04/2025`` is refused: it is two days, depending on the country."""
    text = text.strip().rstrip(",;")
    if written := _YEAR_FIRST.fullmatch(text):
        return _date(written[1], written[3], written[4])
    if written := _YEAR_LAST.fullmatch(text):
        first, separator, second, year = written.groups()
        year = year if len(year) == 4 else f"20{year}"
        if separator != "." and first != second and int(first) <= 12 and int(second) <= 12:
            raise Misread(ONE_DAY)
        month_first = separator != "." and int(second) > 12
        return _date(year, first, second) if month_first else _date(year, second, first)
    if written := _TOGETHER.fullmatch(text):
        return _date(written[1], written[2], written[3])
    if (written := _SERIAL.fullmatch(text)) and int(written[1]) in _SERIALS:
        return _SERIAL_0 + timedelta(days=int(written[1]))
    raise Misread(A_DAY)


def _date(year: str, month: str, day: str) -> date:
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        raise Misread(A_DAY) from None


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
    raise Misread(known.expected, known.near(text))


def one_of(text: str, known: Words) -> str:
    """One of the codes that ``known`` has, and no other."""
    code = known.find(text)
    if code is None:
        raise Misread(known.expected, known.near(text))
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


def seats(text: str) -> list[int]:
    """Seat numbers: ``3 8 9``, ``3,8,9``, ``389``, a JSON list; nothing where the text says no."""
    if text.startswith("["):
        listed = _json(text)
        if isinstance(listed, list) and all(type(member) is int for member in listed):
            return listed
        raise Misread(SEATS)
    if flagged_no(text):
        return []
    if _YEAR_FIRST.fullmatch(text):
        raise Misread(NOT_A_DAY)
    parts = re.split(r"\s*[\s,;./+-]\s*", text.strip(" ,;."))
    if not all(re.fullmatch("[0-9]{1,16}", part, re.ASCII) for part in parts):
        raise Misread(SEATS)
    if re.fullmatch("[1-9]{3}", parts[0], re.ASCII) and len(parts) == 1:
        return [int(digit) for digit in parts[0]]
    return [int(part) for part in parts]


class Mark(NamedTuple):
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
        except Misread:
            raise Misread(A_MARK) from None

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
                raise Misread(ACTS)
            night, seat, target, saved, survived = written.groups()
            found.append(Act(int(night), None if seat is None else int(seat), int(target), bool(saved), not survived))
    return found


def text_of(cell: str) -> str:
    """Free text without what :func:`app.sheets.written.neutral` put before it."""
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
