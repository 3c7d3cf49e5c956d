"""What the text of a cell says of a day, in the ways that clubs and spreadsheets write one."""

import re
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Final

from app.scoring.text import words
from app.sheets.vocabulary.calendar import IN_UTC, Calendar
from app.sheets.vocabulary.words import UnreadableCell, bare

A_DAY: Final = words("дата вида 14.03.2025 или 2025-03-14", "a date such as 2025-03-14 or 14.03.2025")
ONE_DAY: Final = words(
    "дата, где ясно, что день, а что месяц: 14.03.2025 или 2025-03-14",
    "an unambiguous date such as 2025-03-14",
)

_ZONE: Final = r"(?P<zone>Z|(?P<sign>[+-])(?P<hours>[0-9]{2}):?(?P<minutes>[0-9]{2}))"
_TIME: Final = (
    r"(?:[T ]\s*(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:[.,][0-9]+)?)?" + _ZONE + "?)?"
)
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


def day(text: str, calendar: Calendar = IN_UTC) -> date:
    """The day; a time after it is left out, unless its zone tells which day it was in the club.

    ``03/04/2025`` is refused: it is two days, depending on the country.

    Raises:
        UnreadableCell: no day, or not without doubt.
    """
    text = _OF_THE_WEEK.sub("", " ".join(text.split()).rstrip(",;"))
    if written := _DAY_AND_MONTH.fullmatch(text):
        return _dated(written, calendar, written[3], _month(written[2]), written[1])
    if written := _MONTH_AND_DAY.fullmatch(text):
        return _dated(written, calendar, written[3], _month(written[1]), written[2])
    text = re.sub(r"(?<=[0-9][-./])\s+(?=[0-9])", "", text)
    if written := YEAR_FIRST.fullmatch(text):
        return _dated(written, calendar, written[1], written[3], written[4])
    if written := _YEAR_LAST.fullmatch(text):
        first, separator, second, year = written.group(1, 2, 3, 4)
        year = year if len(year) == 4 else f"20{year}"
        if separator != "." and first != second and int(first) <= 12 and int(second) <= 12:
            raise UnreadableCell(ONE_DAY)
        month_first = separator != "." and int(second) > 12
        month, day_of_month = (first, second) if month_first else (second, first)
        return _dated(written, calendar, year, month, day_of_month)
    if written := _TOGETHER.fullmatch(text):
        return _date(written[1], written[2], written[3])
    if (written := _SERIAL.fullmatch(text)) and int(written[1]) in _SERIALS:
        return calendar.day_0 + timedelta(days=int(written[1]))
    raise UnreadableCell(A_DAY)


def _month(word: str) -> str:
    """The number of the month that the word names, or begins to."""
    short = bare(word)
    found = [number for number, names in enumerate(_MONTHS, 1) if any(name.startswith(short) for name in names)]
    if len(found) != 1:
        raise UnreadableCell(A_DAY)
    return str(found[0])


def _dated(written: re.Match[str], calendar: Calendar, year: str, month: str, day: str) -> date:
    """The day that is written; with a time and its zone, the day that it was in the club then."""
    on = _date(year, month, day)
    if written["zone"] is None:
        return on
    hour, minute, second, hours, minutes = (
        int(written[part] or 0) for part in ("hour", "minute", "second", "hours", "minutes")
    )
    try:
        offset = timedelta(hours=hours, minutes=minutes)
        zone = timezone(-offset if written["sign"] == "-" else offset) if written["sign"] else UTC
        return calendar.day_of(datetime(on.year, on.month, on.day, hour, minute, second, tzinfo=zone))
    except (ValueError, OverflowError):
        raise UnreadableCell(A_DAY) from None


def _date(year: str, month: str, day: str) -> date:
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        raise UnreadableCell(A_DAY) from None
