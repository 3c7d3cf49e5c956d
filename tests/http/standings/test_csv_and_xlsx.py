"""The table as CSV and as a workbook."""

import csv
import io
import re
import zipfile
from decimal import Decimal
from typing import Any

import pytest
from python_calamine import CalamineWorkbook

from tests.http.club import bearer
from tests.http.kept_season import KeptSeason
from tests.http.tables import FIRST, POINTS, SECOND, ask, id_of, table

pytestmark = pytest.mark.anyio

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


@pytest.fixture
async def played(spring: KeptSeason) -> KeptSeason:
    """The season after both games."""
    await spring.kept(FIRST)
    await spring.kept(SECOND)
    return spring


async def rename(season: KeptSeason, nickname: str, to: str) -> None:
    player = id_of(await table(season), nickname)
    address = f"/v1/clubs/{season.club}/players/{player}"
    answer = await season.client.patch(address, json={"nickname": to}, headers=bearer(season.secrets["president"]))
    assert answer.status_code == 200, answer.text


async def csv_rows(season: KeptSeason, query: str = "") -> list[dict[str, str]]:
    answer = await ask(season, f"/standings.csv{query}")
    assert answer.status_code == 200, answer.text
    return list(csv.DictReader(io.StringIO(answer.content.decode(), newline="")))


async def workbook(season: KeptSeason, query: str = "", **headers: str) -> bytes:
    answer = await ask(season, f"/standings.xlsx{query}", **headers)
    assert answer.status_code == 200, answer.text
    return answer.content


def cells(book: bytes) -> list[list[Any]]:
    return CalamineWorkbook.from_filelike(io.BytesIO(book)).get_sheet_by_index(0).to_python()


def sheet_xml(book: bytes) -> str:
    return zipfile.ZipFile(io.BytesIO(book)).read("xl/worksheets/sheet1.xml").decode()


async def test_csv_has_a_row_a_player_with_exact_numbers_under_the_keys(played: KeptSeason) -> None:
    found = await table(played)
    rows = await csv_rows(played)
    assert list(rows[0]) == ["rank", "id", "player", *(column["key"] for column in found["columns"])]
    assert [(row["rank"], row["id"], row["player"]) for row in rows] == [
        (str(row["rank"]), row["player"]["id"], row["player"]["nickname"]) for row in found["rows"]
    ]
    assert {row["player"]: Decimal(row["points"]) for row in rows} == POINTS
    assert rows[0]["rating"] == "1.8906"


async def test_csv_is_utf_8_and_comes_as_a_file(played: KeptSeason) -> None:
    await rename(played, "P7", "Мадам «Ли», Ёж")
    answer = await ask(played, "/standings.csv")
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.headers["content-disposition"] == 'attachment; filename="moscow-spring.csv"'
    assert (await csv_rows(played))[0]["player"] == "Мадам «Ли», Ёж"


@pytest.mark.parametrize("nickname", ["=1+1", "+7", "-x", "@cmd", '=HYPERLINK("http://evil.example";"x")'])
async def test_a_nickname_that_a_spreadsheet_would_compute_is_a_text(played: KeptSeason, nickname: str) -> None:
    await rename(played, "P7", nickname)
    assert (await csv_rows(played))[0]["player"] == f"'{nickname}"
    book = await workbook(played)
    assert cells(book)[1][1] == nickname
    assert "<f>" not in sheet_xml(book)


@pytest.mark.parametrize(
    "nickname", ["a,b", 'say "hi"', "line; two", "http://example.org", "1e5", "_x0041_", "<&>", "\uffff"]
)
async def test_any_nickname_leaves_a_sheet_that_can_be_read(played: KeptSeason, nickname: str) -> None:
    await rename(played, "P7", nickname)
    assert (await csv_rows(played))[0]["player"] == (nickname if nickname.isprintable() else '\'"\\uffff"')
    assert cells(await workbook(played))[1][1] == nickname.replace("\uffff", "\N{REPLACEMENT CHARACTER}")


async def test_a_workbook_has_real_numbers(played: KeptSeason) -> None:
    found = await table(played)
    head, *rows = cells(await workbook(played))
    assert head[:2] == ["Place", "Player"]
    assert len(rows) == 10
    for shown, row in zip(found["rows"], rows, strict=True):
        assert row[:2] == [shown["rank"], shown["player"]["nickname"]]
        assert [Decimal(repr(cell)) for cell in row[2:]] == [
            shown["values"][column["key"]] for column in found["columns"]
        ]


@pytest.mark.parametrize(
    "language, words", [("ru", ["Место", "Игрок", "Рейтинг"]), ("en", ["Place", "Player", "Rating"])]
)
async def test_a_workbooks_labels_speak_the_language_of_the_request(
    played: KeptSeason, language: str, words: list[str]
) -> None:
    head, *_ = cells(await workbook(played, accept_language=language))
    assert [word for word in words if word in head] == words
    answer = await ask(played, "/standings.xlsx", accept_language=language)
    assert (answer.headers["content-language"], answer.headers["vary"]) == (language, "Accept-Language")


async def test_a_workbook_keeps_its_header_in_sight_and_is_wide_enough(played: KeptSeason) -> None:
    xml = sheet_xml(await workbook(played))
    assert re.search(r'<pane xSplit="2" ySplit="1" [^>]*state="frozen"', xml)
    ranges = re.findall(r'<col min="(\d+)" max="(\d+)" width="([\d.]+)"', xml)
    widths = {i: float(width) for first, last, width in ranges for i in range(int(first), int(last) + 1)}
    head, *_ = cells(await workbook(played))
    assert all(widths[i] >= len(label) for i, label in enumerate(head, 1) if i > 1)


async def test_a_workbook_comes_as_a_file_and_the_same_table_is_the_same_bytes(played: KeptSeason) -> None:
    answer = await ask(played, "/standings.xlsx")
    assert answer.headers["content-type"] == XLSX
    assert answer.headers["content-disposition"] == 'attachment; filename="moscow-spring.xlsx"'
    assert "content-encoding" not in answer.headers
    await rename(played, "P7", "P77")
    await rename(played, "P77", "P7")
    assert await workbook(played) == answer.content


async def test_sheets_take_every_filter_of_the_table(played: KeptSeason) -> None:
    for query in ("?as_of=2025-03-14", "?revision=1", "?order=points"):
        expected = [row["player"]["nickname"] for row in (await table(played, query))["rows"]]
        assert [row["player"] for row in await csv_rows(played, query)] == expected
        assert [row[1] for row in cells(await workbook(played, query))[1:]] == expected
    for path in ("/standings.csv", "/standings.xlsx"):
        assert (await ask(played, f"{path}?include=unpublished")).status_code == 401
        assert (await ask(played, f"{path}?order=luck")).status_code == 422


async def test_the_sheets_of_an_empty_season_have_a_header_only(spring: KeptSeason) -> None:
    assert await csv_rows(spring) == []
    assert len(cells(await workbook(spring))) == 1
