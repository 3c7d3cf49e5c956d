"""Days in sheets: moments with a time zone, serial numbers, and cells that a spreadsheet made dates of."""

import io
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import xlsxwriter

from app.sheets import day_here, read_csv, read_xlsx
from app.sheets.vocabulary.calendar import Calendar
from app.sheets.vocabulary.dates import day
from app.sheets.vocabulary.words import UnreadableCell
from tests.sheets.books import HEADER, packed, parts, row, written
from tests.sheets.sheet import csv, faults


def in_zone(name: str) -> Calendar:
    return Calendar(lambda moment: moment.astimezone(ZoneInfo(name)).date())


@pytest.mark.parametrize(
    "written, zone, expected",
    [
        ("2026-03-11T21:00:00.000Z", "Europe/Moscow", date(2026, 3, 12)),  # midnight, as a script writes a date cell
        ("2026-03-11T22:00:00.000Z", "Europe/Kyiv", date(2026, 3, 12)),
        ("2026-07-11T21:00:00.000Z", "Europe/Kyiv", date(2026, 7, 12)),  # in summer time
        ("2026-03-11T20:59:59Z", "Europe/Moscow", date(2026, 3, 11)),
        ("2026-03-12T02:00:00+0300", "Europe/London", date(2026, 3, 11)),
        ("2026-03-11 23:30:00-05:00", "Asia/Almaty", date(2026, 3, 12)),
        ("11.03.2026 21:00Z", "Europe/Moscow", date(2026, 3, 12)),
        ("11 марта 2026 21:00 Z", "Europe/Moscow", None),
        ("2026-03-11T21:00:00", "Europe/Moscow", date(2026, 3, 11)),  # no zone: the day that is written
        ("2026-03-11T24:00:00Z", "Europe/Moscow", None),
        ("2026-03-11T21:00:00+99:00", "Europe/Moscow", None),
        ("0001-01-01T00:00:00+14:00", "Europe/London", None),
    ],
)
def test_a_moment_with_a_zone_is_a_day_of_the_club(written: str, zone: str, expected: date | None) -> None:
    if expected is None:
        with pytest.raises(UnreadableCell, match="a date such as"):
            day(written, in_zone(zone))
    else:
        assert day(written, in_zone(zone)) == expected


def test_readers_are_told_whose_day_it_is() -> None:
    header = ",".join((*HEADER, "date"))
    sheet = csv("1,4,Ann,don,draw,2026-03-11T21:00:00.000Z", header=header)
    days = [
        read.game and read.game.played_on
        for day_of in (in_zone("Europe/Moscow").day_of, in_zone("UTC").day_of)
        for read in read_csv([sheet], None, day_of)
    ]
    assert days == [date(2026, 3, 12), date(2026, 3, 11)]
    file = packed(parts(row(1, *HEADER, "date") + row(2, "1", "4", "Ann", "don", "draw", "2026-03-11T21:00:00.000Z")))
    (found,) = read_xlsx(file, None, in_zone("Europe/Moscow").day_of)
    assert found.game is not None
    assert found.game.played_on == date(2026, 3, 12)


def test_this_machine_has_days_of_its_own() -> None:
    noon = datetime(2026, 3, 12, 12).astimezone()
    assert day_here(noon) == date(2026, 3, 12)


@pytest.mark.parametrize("since_1904", [False, True])
@pytest.mark.parametrize("format", ["General", "d.m.yyyy"])
def test_a_serial_number_counts_from_the_day_of_its_workbook(since_1904: bool, format: str) -> None:
    """45730 days after 30.12.1899 and 44268 days after 1.1.1904 are both 14.03.2025."""
    file = io.BytesIO()
    with xlsxwriter.Workbook(file, {"date_1904": since_1904}) as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, (*HEADER, "Дата"))
        sheet.write_row(1, 0, (1, 4, "Ann", "don", "draw"))
        sheet.write_number(1, 5, 44268 if since_1904 else 45730, book.add_format({"num_format": format}))
    (found,) = read_xlsx(file)
    assert found.game is not None
    assert found.game.played_on == date(2025, 3, 14)


@pytest.mark.parametrize("format", ["dd.mm", "dd.mm.yyyy", "[$-419]d mmm", "h:mm"])
@pytest.mark.parametrize("column", ["player", "Судья", "Внешний номер", "bonus_note"])
def test_a_text_that_a_spreadsheet_made_a_date_of_is_an_error(column: str, format: str) -> None:
    """Someone called 11.09, typed into a cell of no particular format."""
    header = (*HEADER, *(() if column == "player" else (column,)))

    def fill(book: Any, sheet: Any) -> None:
        sheet.write_row(0, 0, header)
        sheet.write_row(1, 0, (1, 4, "Ann", "don", "draw"))
        at = header.index(column)
        sheet.write_number(1, at, 45911, book.add_format({"num_format": format}))

    (found,) = read_xlsx(written(fill))
    assert faults(found) == [("value", f"/rows/2/{column}")]
    assert "converted it to a date; format the cell as text" in found.violations[0].message("en")
    assert "задайте ячейке текстовый формат" in found.violations[0].message("ru")


def test_a_date_cell_in_iso_form_is_a_date_too() -> None:
    cells = [("A", "1"), ("B", "4"), ("D", "don"), ("E", "draw")]
    values = "".join(f'<c r="{at}2" t="str"><v>{value}</v></c>' for at, value in cells)
    second = f'<row r="2">{values}<c r="C2" t="d"><v>2025-09-11</v></c></row>'
    (found,) = read_xlsx(packed(parts(row(1, *HEADER) + second)))
    assert faults(found) == [("value", "/rows/2/player")]


def test_a_text_that_looks_like_a_date_is_a_text() -> None:
    """In a workbook the cell says which it is; a CSV has texts only."""
    (found,) = read_csv([csv("1,4,11.09.2025,don,draw")])
    assert found.game is not None
    assert found.game.seats[0].player == "11.09.2025"

    def fill(_book: Any, sheet: Any) -> None:
        sheet.write_row(0, 0, HEADER)
        sheet.write_row(1, 0, (1, 4, "2025-09-11", "don", "draw"))

    (found,) = read_xlsx(written(fill))
    assert found.game is not None
    assert found.game.seats[0].player == "2025-09-11"


def test_a_key_of_a_game_may_be_a_date() -> None:
    """It is only told from the next, and never kept."""

    def fill(book: Any, sheet: Any) -> None:
        sheet.write_row(0, 0, HEADER)
        for at, serial in enumerate((45911, 45912), start=1):
            sheet.write_row(at, 0, (None, 4, "Ann", "don", "draw"))
            sheet.write_number(at, 0, serial, book.add_format({"num_format": "dd.mm"}))

    assert [read.game is None for read in read_xlsx(written(fill))] == [False, False]
