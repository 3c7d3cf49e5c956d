"""What the text of a cell says of a day, in the ways that clubs and spreadsheets write one."""

import re
from datetime import date, timedelta
from typing import Final

from app.scoring.text import words
from app.sheets.vocabulary.words import UnreadableCell, bare

A_DAY: Final = words("дата вида 14.03.2025 или 2025-03-14", "a date such as 2025-03-14 or 14.03.2025")
ONE_DAY: Final = words(
    "дата, где ясно, что день, а что месяц: 14.03.2025 или 2025-03-14",
    "an unambiguous date such as 2025-03-14",
)

_TIME: Final = r"(?:[T ]\s*[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?"
_OF_THE_YEAR: Final = r"(?:\s*(?:г|р|года|року)\.?)?"
_WORD: Final = r"([^\W\d_]{3,10})\.?"
YEAR_FIRST: Final = re.compile(rf"([0-9]{{4}})([-./])([0-9]{{1,2}})\2([0-9]{{1,2}}){_TIME}", re.ASCII)
_YEAR_LAST: Final = re.compile(
    rf"([0-9]{{1,2}})([-./])([0-9]{{1,2}})\2([0-9]{{4}}|[0-9]{{2}}){_OF_THE_YEAR}{_TIME}", re.ASCII
)
_DAY_AND_MONTH: Final = re.compile(rf"([0-9]{{1,2}})\.?\s+{_WORD},?\s+([0-9]{{4}}){_OF_THE_YEAR},?{_TIME}", re.I)
_MONTH_AND_DAY: Final = re.compile(rf"{_WORD}\s+([0-9]{{1,2}})(?:st|nd|rd|th)?,?\s+([0-9]{{4}}),?{_TIME}", re.I)
_OF_THE_WEEK: Final = re.compile(r"^[^\W\d_]+\.?,\s*")
_TOGETHER: Final = re.compile(r"((?:19|20)[0-9]{2})([0-9]{2})([0-9]{2})", re.ASCII)
_SERIAL: Final = re.compile(r"([0-9]{5})(?:[.,][0-9]+)?", re.ASCII)
_SERIALS: Final = range(20_000, 80_000)
_SERIAL_0: Final = date(1899, 12, 30)

_MONTHS: Final = tuple(
    tuple(map(bare, names.split()))
    for names in (
        "январь января січень січня january",
        "февраль февраля лютий лютого february",
        "март марта березень березня march",
        "апрель апреля квітень квітня april",
        "май мая травень травня may",
        "июнь июня червень червня june",
        "июль июля липень липня july",
        "август августа серпень серпня august",
        "сентябрь сентября вересень вересня september",
        "октябрь октября жовтень жовтня october",
        "ноябрь ноября листопад листопада november",
        "декабрь декабря грудень грудня december",
    )
)


def day(text: str) -> date:
    """The day; a time after it is left out. ``03/04/2025`` is refused: it is two days, depending on the country.

    Raises:
        UnreadableCell: no day, or not without doubt.
    """
    text = _OF_THE_WEEK.sub("", " ".join(text.split()).rstrip(",;"))
    if written := _DAY_AND_MONTH.fullmatch(text):
        return _date(written[3], _month(written[2]), written[1])
    if written := _MONTH_AND_DAY.fullmatch(text):
        return _date(written[3], _month(written[1]), written[2])
    text = re.sub(r"(?<=[0-9][-./])\s+(?=[0-9])", "", text)
    if written := YEAR_FIRST.fullmatch(text):
        return _date(written[1], written[3], written[4])
    if written := _YEAR_LAST.fullmatch(text):
        first, separator, second, year = written.groups()
        year = year if len(year) == 4 else f"20{year}"
        if separator != "." and first != second and int(first) <= 12 and int(second) <= 12:
            raise UnreadableCell(ONE_DAY)
        month_first = separator != "." and int(second) > 12
        return _date(year, first, second) if month_first else _date(year, second, first)
    if written := _TOGETHER.fullmatch(text):
        return _date(written[1], written[2], written[3])
    if (written := _SERIAL.fullmatch(text)) and int(written[1]) in _SERIALS:
        return _SERIAL_0 + timedelta(days=int(written[1]))
    raise UnreadableCell(A_DAY)


def _month(word: str) -> str:
    """The number of the month that the word names, or begins to."""
    short = bare(word)
    found = [number for number, names in enumerate(_MONTHS, 1) if any(name.startswith(short) for name in names)]
    if len(found) != 1:
        raise UnreadableCell(A_DAY)
    return str(found[0])


def _date(year: str, month: str, day: str) -> date:
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        raise UnreadableCell(A_DAY) from None
