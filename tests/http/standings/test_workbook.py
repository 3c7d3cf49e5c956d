"""The workbook of a table: a sheet per stage, and every line behind the table."""

import io
import zipfile
from collections import defaultdict
from datetime import date
from decimal import Decimal
from typing import Any, Final

import pytest
from fastapi import FastAPI
from httpx import AsyncClient
from python_calamine import CalamineWorkbook

from app.services.standings import workbook
from tests.http.club import bearer
from tests.http.kept_season import KeptSeason, make_season
from tests.http.tables import FIRST, SECOND, ask, id_of, table

pytestmark = pytest.mark.anyio

QUALIFYING: Final = {
    **{f"P{n}": Decimal("1.6") for n in (2, 3, 4, 5, 6, 8, 9)},
    "P1": Decimal("1.2"),
    "P7": Decimal("2.3"),
    "P10": Decimal("2"),
}
"""After FIRST and SECOND, by hand under sport-percent: 1 for winning, 0.3 for each game. P1 broke red at ten (-0.4), P7
named two blacks (0.3) and has Ci (B = round(0.4 * 2) = 1, i = 1: 0.4), P10 has the judge's 0.4. Each side won once:
K = 1."""

FINAL: Final = {**{f"P{n}": Decimal("1.3") for n in range(1, 8)}, **{f"P{n}": Decimal("0.3") for n in (8, 9, 10)}}
"""Red won once more."""

THIRD: Final = Decimal("0.333333333333")
"""What K = 1 + (3/2 - 1)/(3/2) = 4/3 adds to the one win of each black, over all three games."""


@pytest.fixture
async def cup(kept_app: FastAPI, kept_client: AsyncClient) -> KeptSeason:
    """A tournament of two qualifying games and a final."""
    made = make_season(kept_app.state.database, kept_client, system="sport-percent", format="tournament")
    for game, stage in ((FIRST, "qualifying"), (SECOND, "qualifying"), ({**FIRST, "played_on": "2025-03-21"}, "final")):
        await made.kept({**game, "stage": stage}, "president")
    return made


async def book(season: KeptSeason, query: str = "", role: str = "anonymous", **headers: str) -> CalamineWorkbook:
    answer = await ask(season, f"/standings.xlsx{query}", role, **headers)
    assert answer.status_code == 200, answer.text
    return CalamineWorkbook.from_filelike(io.BytesIO(answer.content))


def by_nickname(found: CalamineWorkbook, sheet: str, column: str) -> dict[str, Decimal]:
    head, *rows = found.get_sheet_by_name(sheet).to_python()
    return {str(row[1]): Decimal(repr(row[head.index(column)])).normalize() for row in rows}


def added_up(found: CalamineWorkbook, sheet: str = "Lines") -> dict[str, Decimal]:
    """Points by nickname."""
    _, *rows = found.get_sheet_by_name(sheet).to_python()
    sums: defaultdict[str, Decimal] = defaultdict(Decimal)
    for row in rows:
        sums[str(row[0])] += Decimal(repr(row[-1]))
    return dict(sums)


async def test_a_tournament_has_a_sheet_per_stage_that_was_played(cup: KeptSeason) -> None:
    found = await book(cup)
    assert found.sheet_names == ["Standings", "Qualifying", "Final", "Lines"]
    assert by_nickname(found, "Qualifying", "Points") == {name: value.normalize() for name, value in QUALIFYING.items()}
    assert by_nickname(found, "Final", "Points") == FINAL
    _, *rows = found.get_sheet_by_name("Qualifying").to_python()
    assert [(row[0], row[1]) for row in rows[:2]] == [(1, "P7"), (2, "P10")]
    russian = await book(cup, accept_language="ru")
    assert russian.sheet_names == ["Таблица", "Отбор", "Финал", "Начисления"]


async def test_every_line_of_every_player_is_there(cup: KeptSeason) -> None:
    found = await book(cup)
    head, *rows = found.get_sheet_by_name("Lines").to_python()
    assert head == [
        "Player", "Game", "Date", "Stage", "Seat", "Role", "Result", "Clause", "Reason", "Kind", "Points",
    ]  # fmt: skip
    mine = [row[2:8] + row[9:] for row in rows if row[0] == "P10"]
    assert mine == [
        [date(2025, 3, 14), "Qualifying", 10, "don", "lost", "auto", "extra", 0.3],
        [date(2025, 3, 20), "Qualifying", 10, "don", "won", "win", "main", 1],
        [date(2025, 3, 20), "Qualifying", 10, "don", "won", "auto", "extra", 0.3],
        [date(2025, 3, 20), "Qualifying", 10, "don", "won", "bonus", "extra", 0.4],
        [date(2025, 3, 21), "Final", 10, "don", "lost", "auto", "extra", 0.3],
        ["", "", "", "", "", "k", "main", float(THIRD)],
    ]
    ids = {item["id"] for item in (await ask(cup, "/games")).json()["items"]}
    assert {row[1] for row in rows} == {"", *ids}
    assert all(row[8] for row in rows)
    expected = {name: QUALIFYING[name] + FINAL[name] for name in FINAL}
    for name in ("P8", "P9", "P10"):
        expected[name] += THIRD
    assert added_up(found) == expected


async def test_filters_hold_for_every_sheet(cup: KeptSeason) -> None:
    found = await book(cup, "?as_of=2025-03-20")
    assert found.sheet_names == ["Standings", "Qualifying", "Lines"]
    assert added_up(found) == QUALIFYING
    assert (await book(cup, "?revision=1")).sheet_names == ["Standings", "Qualifying", "Lines"]
    assert set(added_up(await book(cup, "?revision=1")).values()) == {Decimal("1.3"), Decimal("0.3")}


async def test_a_voided_and_a_corrected_game_count_as_they_stand(cup: KeptSeason) -> None:
    games = {item["game"]["stage"]: item for item in (await ask(cup, "/games")).json()["items"]}
    await cup.ask("president", "DELETE", f"/{games['final']['id']}")
    found = await book(cup)
    assert found.sheet_names == ["Standings", "Qualifying", "Lines"]
    assert added_up(found) == QUALIFYING


async def test_a_season_has_no_stages(spring: KeptSeason) -> None:
    assert (await book(spring)).sheet_names == ["Standings", "Lines"]
    await spring.kept(FIRST)
    await spring.kept(SECOND)
    found = await book(spring)
    assert found.sheet_names == ["Standings", "Lines"]
    assert added_up(found) == {
        row["player"]["nickname"]: row["values"]["points"] for row in (await table(spring))["rows"]
    }


async def test_a_closed_season_is_laid_out_under_the_names_that_were_frozen(cup: KeptSeason) -> None:
    president = bearer(cup.secrets["president"])
    path = f"/v1/clubs/{cup.club}"
    assert (await cup.client.post(f"{path}/seasons/{cup.slug}/close?lots=shared", headers=president)).status_code == 200
    open_book = await book(cup)
    player = id_of(await table(cup), "P7")
    renamed = await cup.client.patch(f"{path}/players/{player}", json={"nickname": "Zoe"}, headers=president)
    assert renamed.status_code == 200
    found = await book(cup)
    for sheet in found.sheet_names:
        assert found.get_sheet_by_name(sheet).to_python() == open_book.get_sheet_by_name(sheet).to_python()
    assert by_nickname(found, "Final", "Points") == FINAL


async def test_lines_of_rows_that_are_not_published_are_for_the_club_alone(
    kept_app: FastAPI, kept_client: AsyncClient
) -> None:
    """city-average publishes from ten games on."""
    city = make_season(kept_app.state.database, kept_client, club="tver", system="city-average")
    game = {**FIRST, "seats": [{**seat, "days_lived": 2} for seat in FIRST["seats"]]}
    await city.kept(game)
    assert added_up(await book(city)) == {}
    found = added_up(await book(city, "?include=unpublished", "reader"))
    assert found == {f"P{n}": Decimal(3) if n <= 7 else Decimal(1) for n in range(1, 11)}


async def test_a_table_of_more_games_than_anybody_reads_says_where_its_lines_are(
    spring: KeptSeason, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workbook, "MOST_LINES_OF", 1)
    for game in (FIRST, SECOND):
        await spring.kept(game)
    (said,) = (await book(spring)).get_sheet_by_name("Lines").to_python()
    assert said == ["More than 1 games: all lines of a player are at …/standings/<player id>"]


async def test_no_sheet_computes_a_text(cup: KeptSeason) -> None:
    president = bearer(cup.secrets["president"])
    found = await table(cup)
    for name, new in (("P7", "=HYPERLINK(1)"), ("P8", "+1"), ("P9", "-1"), ("P10", "@x")):
        path = f"/v1/clubs/{cup.club}/players/{id_of(found, name)}"
        assert (await cup.client.patch(path, json={"nickname": new}, headers=president)).status_code == 200
    game = {**SECOND, "stage": "semifinal", "external_id": "=1+1", "played_on": "2025-03-20"}
    seats = [dict(seat) for seat in game["seats"]]
    for at, new in ((6, "=HYPERLINK(1)"), (7, "+1"), (8, "-1"), (9, "@x")):
        seats[at]["player"] = new
    await cup.kept({**game, "seats": seats}, "president")
    answer = await ask(cup, "/standings.xlsx")
    parts = zipfile.ZipFile(io.BytesIO(answer.content))
    sheets = [parts.read(name).decode() for name in parts.namelist() if name.startswith("xl/worksheets/")]
    assert len(sheets) == 5
    assert not any("<f>" in sheet or "hyperlink" in sheet.lower().replace("=hyperlink(1)", "") for sheet in sheets)
    lines: list[list[Any]] = (await book(cup)).get_sheet_by_name("Lines").to_python()
    assert {"=HYPERLINK(1)", "+1", "-1", "@x"} <= {row[0] for row in lines}
    assert "=1+1" in {row[1] for row in lines}
    rows = (await ask(cup, "/standings.csv")).text.splitlines()
    assert {"'=HYPERLINK(1)", "'+1", "'-1", "'@x"} <= {row.split(",")[2] for row in rows}


@pytest.mark.parametrize("nickname", ["a;=1+1", "b,-1", "c; @x", "＝1+1"])
async def test_a_formula_that_begins_where_another_program_splits_is_none(spring: KeptSeason, nickname: str) -> None:
    await spring.kept(FIRST)
    path = f"/v1/clubs/{spring.club}/players/{id_of(await table(spring), 'P1')}"
    president = bearer(spring.secrets["president"])
    assert (await spring.client.patch(path, json={"nickname": nickname}, headers=president)).status_code == 200
    text = (await ask(spring, "/standings.csv")).text
    for cells in (text.replace(separator, "\n").splitlines() for separator in ",;\t"):
        assert not [cell for cell in cells if cell.strip().strip('"').startswith(("=", "+", "-", "@", "＝"))]
