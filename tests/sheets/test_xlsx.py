"""XLSX: what cells of each kind say, which sheet holds the games, and what is refused before it costs anything."""

import io
import zipfile
import zlib
from collections.abc import Callable
from contextlib import suppress
from datetime import date
from typing import Any

import pytest
import xlsxwriter
from hypothesis import given, settings
from hypothesis import strategies as st
from python_calamine import CalamineWorkbook

from app.scoring.game import Game
from app.sheets import read_xlsx, write_xlsx
from app.sheets.xlsx.package import MOST_UNPACKED, Package
from app.sheets.xlsx.workbook import MOST_SHEETS, Workbook
from app.sheets.xlsx.worksheet import IgnoringHandler
from app.validation import UnreadableFile
from tests.sheets.books import BOOK, GAME, HEADER, LINKS, SHEET, of_rows, packed, parts, read, row, text, written
from tests.sheets.sheet import faults


def game_of(file: io.BytesIO) -> Game:
    (found,) = read(file)
    assert [violation.message("en") for violation in found.violations] == []
    assert found.game is not None
    return found.game


def test_the_fewest_parts_make_a_game() -> None:
    game = game_of(packed(parts()))
    assert (game.outcome, game.seats[0].seat, game.seats[0].player) == ("draw", 4, "Ann")


def test_numbers_days_and_flags_are_what_they_are() -> None:
    header = (*HEADER, "Доп", "Дата", "Зарегистрирован", "Фолы", "Стол")

    def fill(book: Any, sheet: Any) -> None:
        sheet.write_row(0, 0, header)
        sheet.write_row(1, 0, (1, 4, 7, "мирный", "красные", 0.1 + 0.2))
        sheet.write_number(1, 6, 45730.7708333, book.add_format({"num_format": "dd.mm.yyyy hh:mm"}))
        sheet.write_boolean(1, 7, False)
        sheet.write_string(1, 8, "3")
        sheet.write_formula(1, 9, "=1+1", None, 2)

    game = game_of(written(fill))
    (seat,) = game.seats
    assert (seat.player, str(seat.bonus), seat.registered, seat.fouls) == ("7", "0.3", False, 3)
    assert (game.played_on, game.table) == (date(2025, 3, 14), 2)


@pytest.mark.parametrize(
    "format",
    ["yyyy-mm-dd", "d/m/yy", "dd.mm.yyyy", '[$-419]d mmmm yyyy" г.";@', "m/d/yy h:mm", "General", "0.00", "# ##0"],
)
def test_a_day_is_a_day_in_whatever_format_or_none(format: str) -> None:
    def fill(book: Any, sheet: Any) -> None:
        sheet.write_row(0, 0, (*HEADER, "Дата"))
        sheet.write_row(1, 0, (1, 4, "Ann", "don", "draw"))
        sheet.write_number(1, 5, 45730, book.add_format({"num_format": format}))

    assert game_of(written(fill)).played_on == date(2025, 3, 14)


def test_workbooks_that_count_days_from_1904_are_read() -> None:
    file = io.BytesIO()
    with xlsxwriter.Workbook(file, {"date_1904": True}) as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, (*HEADER, "Дата"))
        sheet.write_row(1, 0, (1, 4, "Ann", "don", "draw"))
        sheet.write_datetime(1, 5, date(2025, 3, 14), book.add_format({"num_format": "d.m.yyyy"}))
    assert game_of(file).played_on == date(2025, 3, 14)


def test_a_day_where_a_number_belongs_is_an_error() -> None:
    def fill(book: Any, sheet: Any) -> None:
        sheet.write_row(0, 0, (*HEADER, "Доп"))
        sheet.write_row(1, 0, (1, 4, "Ann", "don", "draw"))
        sheet.write_datetime(1, 5, date(2025, 5, 1), book.add_format({"num_format": "d mmm"}))

    (found,) = read(written(fill))
    assert faults(found) == [("value", "/rows/2/Доп")]
    assert found.violations[0].actual == "2025-05-01"


def test_a_formula_that_gives_an_error_is_an_error_and_not_a_blank() -> None:
    def fill(_book: Any, sheet: Any) -> None:
        sheet.write_row(0, 0, (*HEADER, "Доп"))
        sheet.write_row(1, 0, (1, 4, "Ann", "don", "draw"))
        sheet.write_formula(1, 5, "=VLOOKUP(1,A:B,9)", None, "#REF!")

    (found,) = read(written(fill))
    assert faults(found) == [("value", "/rows/2/Доп")]


def sheets(count: int, parts_of: Callable[[int], int]) -> dict[str, str | bytes]:
    """Sheets by the number, each linked to a part by its number."""
    named = "".join(f'<sheet name="s{n}" sheetId="{n + 1}" r:id="rId{n}"/>' for n in range(count))
    linked = "".join(
        f'<Relationship Id="rId{n}" Type="x/worksheet" Target="worksheets/sheet{parts_of(n)}.xml"/>'
        for n in range(count)
    )
    return {
        "xl/workbook.xml": f'<workbook xmlns:r="r"><sheets>{named}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f"<Relationships>{linked}</Relationships>",
    }


@pytest.mark.parametrize("count", [MOST_SHEETS + 1, 200_000])
def test_more_sheets_than_people_have_are_refused_before_any_is_looked_at(count: int) -> None:
    assert refusal(packed(parts(others=sheets(count, lambda n: n + 1)))) == "file_too_large"


def test_sheets_that_share_a_part_are_damage() -> None:
    """A part of megabytes would be unpacked once for each."""
    assert refusal(packed(parts(others=sheets(100, lambda _n: 1)))) == "file_broken"


def test_as_many_sheets_as_are_allowed_are_looked_through() -> None:
    blank = {f"xl/worksheets/sheet{n + 2}.xml": "<worksheet><sheetData/></worksheet>" for n in range(MOST_SHEETS - 1)}
    (read,) = read_xlsx(packed(parts(others=sheets(MOST_SHEETS, lambda n: n + 1) | blank)))
    assert read.game is not None


@pytest.mark.parametrize("column", ["Доп", "Дата", "ПУ", "Судья"])
def test_a_formula_that_was_never_computed_is_an_error_and_not_a_blank(column: str) -> None:
    """As libraries write it that compute nothing. One that was computed and gives an empty text is a blank."""

    def fill(_book: Any, sheet: Any) -> None:
        sheet.write_row(0, 0, (*HEADER, column))
        sheet.write_row(1, 0, (1, 4, "Ann", "don", "draw"))
        sheet.write_formula(1, 5, "=Other!A1", None, "text")

    def with_cell(content: bytes) -> io.BytesIO:
        return repacked(written(fill), SHEET, b' t="str"><f>Other!A1</f><v>text</v>', content)

    assert game_of(with_cell(b' t="str"><f>Other!A1</f><v></v>')).seats[0].player == "Ann"
    for content in (b"><f>Other!A1</f><v></v>", b"><f>Other!A1</f><v/>", b"><f>Other!A1</f>"):
        (found,) = read(with_cell(content))
        assert faults(found) == [("value", f"/rows/2/{column}")]
        assert "uncalculated formula" in found.violations[0].message("en")


@pytest.mark.parametrize("error", ["#SPILL!", "#CALC!", "#BUSY!"])
def test_every_error_of_a_formula_is_one(error: str) -> None:
    def fill(_book: Any, sheet: Any) -> None:
        sheet.write_row(0, 0, HEADER)
        sheet.write_row(1, 0, (1, 4, None, "don", "draw"))
        sheet.write_formula(1, 2, "=Other!A1", None, "#N/A")

    book = repacked(written(fill), SHEET, b"<v>#N/A</v>", f"<v>{error}</v>".encode())
    (found,) = read(book)
    assert faults(found) == [("value", "/rows/2/player")]


def repacked(book: io.BytesIO, part: str, old: bytes, new: bytes) -> io.BytesIO:
    """The workbook with other bytes in one part."""
    file = io.BytesIO()
    with zipfile.ZipFile(book) as before, zipfile.ZipFile(file, "w") as after:
        for name in before.namelist():
            content = before.read(name)
            if name == part:
                assert old in content
                content = content.replace(old, new)
            after.writestr(name, content)
    return file


def test_rows_and_columns_are_counted_from_the_corner_of_the_sheet() -> None:
    def fill(_book: Any, sheet: Any) -> None:
        sheet.write_string(1, 2, "Сезон 2025")
        sheet.write_row(4, 2, HEADER)
        sheet.write_row(7, 2, (1, 4, "Ann", "дон", "ничья"))
        sheet.write_row(9, 2, (2, 4, "Ann", "дн", "ничья"))
        sheet.write_string(9, 9, "note")

    found = read(written(fill))
    assert [read.line for read in found] == [8, 10]
    assert faults(found[1]) == [("value", "/rows/10/role"), ("unknown_field", "/rows/10/#10")]


def test_cells_of_one_column_over_several_rows_are_read_once() -> None:
    def fill(book: Any, sheet: Any) -> None:
        sheet.write_row(0, 0, HEADER)
        sheet.merge_range(1, 0, 2, 0, 1, book.add_format())
        sheet.merge_range(1, 4, 2, 4, "ничья", book.add_format())
        sheet.write_row(1, 1, (1, "Ann", "дон"))
        sheet.write_row(2, 1, (2, "Bob", "мафия"))

    assert len(game_of(written(fill)).seats) == 2


def test_the_sheet_with_a_header_of_games_is_found_among_others() -> None:
    def fill(book: Any, sheet: Any) -> None:
        sheet.write_row(0, 0, ("Игрок", "Баллы"))
        games = book.add_worksheet("Игры")
        games.write_row(0, 0, HEADER)
        games.write_row(1, 0, (1, 4, "Ann", "дон", "ничья"))
        book.add_worksheet("empty")

    assert game_of(written(fill)).outcome == "draw"


def test_games_on_two_sheets_are_refused_by_their_names() -> None:
    def fill(book: Any, sheet: Any) -> None:
        for month in (sheet, book.add_worksheet("май")):
            month.write_row(0, 0, HEADER)

    assert refusal(written(fill)) == "several_sheets"


@pytest.mark.parametrize("header", [("Ник", "ПУ", "ЛХ"), ("Место", "Ник", "Игра", "Доп", "ПУ", "ЛХ", "Дата")])
@pytest.mark.parametrize("is_first", [True, False])
def test_a_sheet_without_seats_and_roles_has_no_games(header: tuple[str, ...], is_first: bool) -> None:
    """A rating, with more columns of a known name than the games have."""

    def fill(book: Any, sheet: Any) -> None:
        games = book.add_worksheet("Игры") if is_first else sheet
        rating = sheet if is_first else book.add_worksheet("Рейтинг")
        rating.write_row(0, 0, header)
        rating.write_row(1, 0, ["1"] * len(header))
        games.write_row(0, 0, HEADER)
        games.write_row(1, 0, (1, 4, "Ann", "дон", "ничья"))

    assert game_of(written(fill)).outcome == "draw"


def test_of_sheets_without_games_the_likeliest_is_refused_for_what_it_lacks() -> None:
    def fill(book: Any, sheet: Any) -> None:
        sheet.write_row(0, 0, ("Ник", "ПУ", "ЛХ"))
        book.add_worksheet("Игры").write_row(0, 0, ("Игра", "Место", "Игрок", "Ролль", "Исход"))

    with pytest.raises(UnreadableFile) as caught:
        read(written(fill))
    assert [(found.code, found.pointer) for found in caught.value.violations] == [
        ("unknown_field", "/rows/1/Ролль"),
        ("missing", "/rows/1"),
    ]


def test_rich_text_is_text_and_how_it_is_pronounced_is_not() -> None:
    strings = (
        "<sst><si><r><t>An</t></r><r><rPr><b/></rPr><t>n</t></r><rPh sb='0' eb='1'><t>ann</t></rPh></si>"
        "<si><t xml:space='preserve'> don </t></si></sst>"
    )
    rows = row(1, *HEADER) + (
        '<row r="2"><c r="A2"><v>1</v></c><c r="B2"><v>4</v></c><c r="C2" t="s"><v>0</v></c>'
        '<c r="D2" t="s"><v>1</v></c><c r="E2" t="str"><f>"dr"&amp;"aw"</f><v>draw</v></c></row>'
    )
    game = game_of(packed(parts(rows, {"xl/sharedStrings.xml": strings})))
    assert (game.seats[0].player, game.seats[0].role) == ("Ann", "don")


def test_prefixes_of_elements_and_missing_references_are_fine() -> None:
    rows = "".join(
        "<x:row>" + "".join(f'<x:c t="inlineStr"><x:is><x:t>{cell}</x:t></x:is></x:c>' for cell in cells) + "</x:row>"
        for cells in (HEADER, ("1", "4", "Ann", "don", "draw"))
    )
    sheet = f'<x:worksheet xmlns:x="http://purl.oclc.org/ooxml/spreadsheetml/main"><x:sheetData>{rows}</x:sheetData></x:worksheet>'
    assert game_of(packed({**parts(), SHEET: sheet})).outcome == "draw"


@pytest.mark.parametrize("encoding", ["UTF-8", "yes", "utf-7", "cp1251", "idna"])
def test_parts_are_utf_8_whatever_they_say(encoding: str) -> None:
    declared = f'<?xml version="1.0" encoding="{encoding}"?><worksheet><sheetData>{GAME}</sheetData></worksheet>'
    assert game_of(packed(parts(others={SHEET: declared}))).outcome == "draw"


CELLS = st.one_of(
    st.none(),
    st.text(st.characters(codec="utf-8", exclude_characters="\r_\ufffe\uffff"), max_size=8),
    st.integers(-(10**9), 10**9),
    st.booleans(),
    st.dates(date(1900, 3, 1)),
)


@settings(max_examples=60, deadline=None)
@given(rows=st.lists(st.lists(CELLS, min_size=1, max_size=6), min_size=1, max_size=6))
def test_cells_are_read_as_an_independent_reader_reads_them(rows: list[list[Any]]) -> None:
    def fill(book: Any, sheet: Any) -> None:
        day = book.add_format({"num_format": "yyyy-mm-dd"})
        for number, cells in enumerate(rows):
            for at, cell in enumerate(cells):
                if isinstance(cell, str):
                    sheet.write_string(number, at, cell)
                elif isinstance(cell, bool):
                    sheet.write_boolean(number, at, cell)
                elif isinstance(cell, date):
                    sheet.write_datetime(number, at, cell, day)
                elif cell is not None:
                    sheet.write_number(number, at, cell)

    def said(cell: Any) -> str:
        if isinstance(cell, bool):
            return str(cell).lower()
        return str(int(cell)) if isinstance(cell, float) else str(cell)

    file = written(fill)
    ours = {
        (row.number - 1, at): cell
        for row in Workbook(Package(file)).rows("Sheet1")
        for at, cell in enumerate(row.cells)
        if cell
    }
    file.seek(0)
    with CalamineWorkbook.from_filelike(file) as book:
        theirs = {
            (number, at): said(cell)
            for number, cells in enumerate(book.get_sheet_by_index(0).to_python(skip_empty_area=False))
            for at, cell in enumerate(cells)
            if cell != ""
        }
    assert ours == theirs


def refusal(file: io.BytesIO) -> str:
    with pytest.raises(UnreadableFile) as caught:
        read(file)
    (violation,) = caught.value.violations
    assert violation.message("ru") != violation.message("en")
    return violation.code


@pytest.mark.parametrize(
    "contents",
    [
        {"xl/vbaProject.bin": b"x"},
        {"xl/macrosheets/sheet1.xml": "<x/>"},
        {"XL/VBAPROJECT.BIN": b"x"},
        {"xl/externalLinks/externalLink1.xml": "<x/>"},
        {"xl/workbook.bin": b"x"},
    ],
    ids=lambda contents: next(iter(contents)),
)
def test_macros_links_and_binary_workbooks_are_refused(contents: dict[str, str | bytes]) -> None:
    assert refusal(packed(parts(others=contents))) == "file_type"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"game,seat,player\n",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 600,
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 600 + "EncryptedPackage".encode("utf-16-le"),
    ],
)
def test_other_kinds_of_files_are_refused(body: bytes) -> None:
    assert refusal(io.BytesIO(body)) == "file_type"


def test_what_kind_of_file_it_is_instead_is_told() -> None:
    ole = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 600
    for body, word in ((ole, ".xls format;"), (ole + "EncryptedPackage".encode("utf-16-le"), "password")):
        with pytest.raises(UnreadableFile, match=word):
            read(io.BytesIO(body))


@pytest.mark.parametrize("contents", [{"mimetype": "application/vnd.oasis.opendocument.spreadsheet"}, {"a": "b"}, {}])
def test_other_archives_are_refused(contents: dict[str, str | bytes]) -> None:
    assert refusal(packed(contents)) == "file_type"


def test_an_encrypted_part_is_refused() -> None:
    body = bytearray(packed(parts()).getvalue())
    directory = body.index(b"PK\x01\x02")
    body[directory + 8] |= 1
    assert refusal(io.BytesIO(bytes(body))) == "file_type"


def test_a_bomb_is_refused_by_the_archives_directory() -> None:
    bomb = packed(parts(others={"xl/media/image1.png": b"\x00" * 30_000_000}))
    assert len(bomb.getvalue()) < 100_000
    assert refusal(bomb) == "file_too_large"


def test_parts_that_are_too_large_together_are_refused() -> None:
    body = bytearray(packed(parts()).getvalue())
    at = body.index(b"PK\x01\x02")
    body[at + 24 : at + 28] = (MOST_UNPACKED + 1).to_bytes(4, "little")
    body[at + 20 : at + 24] = MOST_UNPACKED.to_bytes(4, "little")
    assert refusal(io.BytesIO(bytes(body))) == "file_too_large"


def test_a_part_that_is_longer_than_the_directory_says_is_not_read_on() -> None:
    long = f"<worksheet><sheetData>{GAME}</sheetData></worksheet>" + " " * 50_000_000
    body = bytearray(packed({**parts(), SHEET: long}).getvalue())
    at = body.index(b"PK\x01\x02", body.index(b"PK\x01\x02" + b"") + 1)
    while SHEET.encode() not in body[at + 46 : at + 46 + len(SHEET)]:
        at = body.index(b"PK\x01\x02", at + 1)
    body[at + 24 : at + 28] = (5000).to_bytes(4, "little")
    body[at + 16 : at + 20] = zlib.crc32(long.encode()[:5000]).to_bytes(4, "little")
    assert game_of(io.BytesIO(bytes(body))).outcome == "draw"


def test_thousands_of_parts_are_refused() -> None:
    many: dict[str, str | bytes] = {f"xl/media/{number}": b"" for number in range(2_001)}
    assert refusal(packed(parts(others=many))) == "file_too_large"


@pytest.mark.parametrize("column", ["IW", "XFD", "ZZZ", "ZZZZ"])
def test_a_cell_far_to_the_right_is_refused(column: str) -> None:
    rows = GAME + f'<row r="3">{text(column + "3", "x")}</row>'
    assert refusal(packed(parts(rows))) == "file_too_large"


def test_blank_cells_far_to_the_right_and_far_below_are_nothing() -> None:
    rows = GAME + '<row r="3"><c r="XFD3" s="1"/></row><row r="1048576"><c r="A1048576" s="1"/></row>'
    assert game_of(packed(parts(rows))).outcome == "draw"


def test_a_game_in_the_last_row_of_a_sheet_costs_no_more_than_another() -> None:
    rows = GAME + row(1_048_576, "2", "4", "Ann", "don", "draw")
    assert [read.line for read in read(packed(parts(rows)))] == [2, 1_048_576]


@pytest.mark.parametrize(
    "rows",
    [
        "<row r='2'/><row r='1'/>",
        "<row r='0'/>",
        "<row r='x'/>",
        "<row r='1048577'/>",
        "<row r='99999999999999999999'/>",
        '<row r="1"><c r="A2"><v>1</v></c></row>',
        '<row r="1"><c r="1A"><v>1</v></c></row>',
        '<row r="1"><c r="AAAAA1"><v>1</v></c></row>',
        '<row r="1"><c r="A1" t="s"><v>7</v></c></row>',
        '<row r="1"><c r="A1" t="s"><v>x</v></c></row>',
        "<row>",
        "</sheetData>",
        "&undefined;",
        "<a>" * 100 + "</a>" * 100,
    ],
)
def test_damaged_sheets_are_refused(rows: str) -> None:
    assert refusal(packed(parts(rows))) == "file_broken"


@pytest.mark.parametrize(
    "part, content",
    [
        (SHEET, "<!DOCTYPE a [<!ENTITY b 'c'>]><worksheet/>"),
        (SHEET, b"<worksheet/>\xff"),
        (SHEET, ""),
        (SHEET, "<worksheet " + "a" * 3_000_000),
        ("xl/workbook.xml", "<workbook>"),
        ("xl/_rels/workbook.xml.rels", LINKS.replace("sheet1", "sheet9")),
        ("xl/sharedStrings.xml", "<sst><si>"),
        ("xl/styles.xml", "<styleSheet><numFmt numFmtId='x'/></styleSheet>"),
    ],
)
def test_damaged_parts_are_refused(part: str, content: str | bytes) -> None:
    assert refusal(packed({**parts(), part: content}, zipfile.ZIP_STORED)) == "file_broken"


def test_a_tag_without_end_is_not_waited_for() -> None:
    contents: dict[str, str | bytes] = {**parts(), SHEET: "<worksheet " + "a" * 20_000_000}
    archive = Package(packed(contents, zipfile.ZIP_STORED))
    unpacked = 0
    with suppress(UnreadableFile):
        for _ in archive.parse(SHEET, IgnoringHandler()):
            unpacked += 1
    assert unpacked * 65_536 < 2_000_000


@pytest.mark.parametrize("part", ["xl/_rels/workbook.xml.rels"])
def test_a_workbook_without_a_part_that_it_needs_is_refused(part: str) -> None:
    contents = parts()
    del contents[part]
    assert refusal(packed(contents)) == "file_broken"


def test_a_workbook_without_sheets_has_no_header() -> None:
    book = BOOK.replace('<sheet name="one" sheetId="1" r:id="rId1"/>', "")
    assert refusal(packed({**parts(), "xl/workbook.xml": book})) == "missing"


def test_a_text_beyond_what_a_cell_holds_is_cut_and_refused_as_too_long() -> None:
    rows = row(1, *HEADER, "bonus_note") + row(2, "1", "4", "Ann", "don", "draw", "x" * 900_000)
    (found,) = read(packed(parts(rows)))
    assert faults(found) == [("too_long", "/rows/2/bonus_note")]


def test_one_long_text_in_many_cells_is_kept_once() -> None:
    note = "x" * 30_000
    refs = "".join(f'<row r="{number}"><c r="A{number}" t="s"><v>0</v></c></row>' for number in range(3, 60_000))
    strings = f"<sst><si><t>{note}</t></si></sst>"
    found = read(packed(parts(GAME + refs, {"xl/sharedStrings.xml": strings})))
    assert found[0].game is not None


def test_a_broken_sheet_gives_the_games_above_the_break() -> None:
    rows = row(1, *HEADER) + "".join(row(number, str(number), "4", "Ann", "don", "draw") for number in range(2, 9_000))
    games = read_xlsx(packed({**parts(), SHEET: f"<worksheet><sheetData>{rows}</oops>"}))
    assert next(games).line == 2
    with pytest.raises(UnreadableFile):
        list(games)


def test_numbers_and_days_are_written_as_such_and_the_header_is_frozen() -> None:
    wire = {"played_on": "2025-03-14", "outcome": "red", "seats": [{"seat": 1, "player": "Ann", "role": "don"}]}
    file = io.BytesIO()
    write_xlsx([Game.read(wire)], file, "ru")
    file.seek(0)
    with CalamineWorkbook.from_filelike(file) as book:
        header, cells = book.get_sheet_by_name("Игры").to_python()
    found = dict(zip(header, cells, strict=True))
    assert (found["Дата"], found["Место"], found["Исход"]) == (date(2025, 3, 14), 1.0, "красные")
    with zipfile.ZipFile(file) as archive:
        assert b'state="frozen"' in archive.read(SHEET)


def test_the_file_stays_open_and_may_be_read_again() -> None:
    file = of_rows((1, 4, "Ann", "don", "draw"))
    assert read(file) == read(file)
