"""Sheets imported into a season and taken out of it; a template that was filled in."""

import csv
import io
from decimal import Decimal
from typing import Any

import pytest
from fastapi import FastAPI
from httpx import AsyncClient, Response

from app.scoring.game import Game
from app.services.audit import audit
from app.services.files import exporting
from app.sheets import write_csv, write_ndjson, write_xlsx
from tests.http.club import bearer
from tests.http.importing import CSV, NDJSON, ON, XLSX, Imported, bring, ndjson, post, stored
from tests.http.kept_season import KeptSeason, make_season, points, problem, read

pytestmark = pytest.mark.anyio

RUSSIAN = """\
Игра;Дата;Исход;Место;Игрок;Роль;Доп;ПУ;ЛХ
1;14.03.2025;победа черных;1; P1 ;мирный;;;
;;;2;P2;Мирный житель;;;
;;;3;P3;красный;;;
;;;4;P4;мирный;;;
;;;5;P5;мирный;;;
;;;6;P6;мирный;;;
;;;7;p7;ШЕРИФ;0,3;+;8 9 3
;;;8;P8;мафия;;;
;;;9;P9;чёрный;;;
;;;10;P10;дон;;;
2;14.03.2025;красные;1;P1;мирный;;;
;;;2;Ёж;мирный;;;
;;;3;P3;мирный;;;
;;;4;P4;мирный;;;
;;;5;P5;мирный;;;
;;;6;P6;мирный;0,9;;
;;;7;P7;шериф;;;
;;;8;P8;мафия;;;
;;;9;P9;мафия;;;
;;;10;P10;джокер;;;
3;14.03.2025;красные;1;P1;что-то не то;;;
"""


def workbook(games: list[Game]) -> bytes:
    file = io.BytesIO()
    write_xlsx(games, file)
    return file.getvalue()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1251"])
async def test_a_clubs_sheet_imports_and_faults_name_row_and_column(spring: KeptSeason, encoding: str) -> None:
    """Regulation A: the sheriff of the first game has 1.05."""
    found = await bring(spring, RUSSIAN.encode(encoding), media=CSV)
    assert found.results == ["created", "invalid", "invalid"]
    assert [game["line"] for game in found.games] == [2, 12, 22]
    assert points(await spring.get(found.games[0]["id"]))[7] == Decimal("1.05")
    assert found.faults[0][0] == 12
    assert {(code, pointer) for line, code, pointer in found.faults if line == 22} == {
        ("value", "/rows/22/Роль"),
        ("table_size", "/rows/22"),
    }


async def test_what_the_regulation_finds_points_at_cells(spring: KeptSeason) -> None:
    rows = RUSSIAN.replace("джокер", "дон").splitlines()
    found = await bring(spring, "\n".join([rows[0], *rows[11:21]]).encode(), media=CSV)
    assert found.faults == [
        (2, "bonus_range", "/rows/7/Доп"),
        (2, "unknown_player", "/rows/3/Игрок"),
    ]


async def test_the_same_games_in_any_format_are_the_same(spring: KeptSeason, game: dict[str, Any]) -> None:
    games = [Game.read({**game, "played_on": f"2025-03-1{n}", "judge": "=cmd"}) for n in range(3)]
    files = {
        NDJSON: b"".join(write_ndjson(games)),
        CSV: b"".join(write_csv(games, "ru")),
        XLSX: workbook(games),
    }
    results = {media: (await bring(spring, content, media=media)).results for media, content in files.items()}
    assert results == {NDJSON: ["created"] * 3, CSV: ["unchanged"] * 3, XLSX: ["unchanged"] * 3}


@pytest.mark.parametrize(
    "content, media, code",
    [
        (b"", CSV, "missing"),
        (b"winner,loser\n1,2\n", CSV, "missing"),
        ("Место,Игрок,Роль,Исход,Игра,Ролль\n".encode(), CSV, "unknown_field"),
        (b"", XLSX, "file_type"),
        (b"PK\x03\x04 and nothing else", XLSX, "file_broken"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512), XLSX, "file_type"),
    ],
)
@pytest.mark.parametrize("query", ["", "?mode=atomic", "?dry_run=true"])
async def test_a_file_that_cannot_be_read_is_a_problem(
    spring: KeptSeason, content: bytes, media: str, code: str, query: str
) -> None:
    answer = await post(spring, content, query, media=media)
    assert problem(answer) == (422, "invalid-request", None)
    assert code in [found["code"] for found in answer.json()["violations"]]
    assert stored(spring) == {}


async def test_a_workbook_has_a_largest_size(
    spring: KeptSeason, game: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.routers.files.imports.XLSX_BYTES", 3_000)
    answer = await post(spring, workbook([Game.read({**game, **ON})]), media=XLSX)
    assert problem(answer) == (413, "too-large", None)


async def test_a_compressed_body_is_not_read(spring: KeptSeason) -> None:
    headers = {**bearer(spring.secrets["judge"]), "content-type": CSV, "content-encoding": "gzip"}
    answer = await spring.client.post(f"{spring.path}/import", content=b"x", headers=headers)
    assert problem(answer) == (415, "unsupported-media-type", None)


async def take(season: KeptSeason, form: str, role: str = "president", **headers: str) -> Response:
    carried = bearer(season.secrets[role]) if role in season.secrets else {}
    answer = await season.client.get(f"{season.path}.{form}", headers={**carried, **headers})
    assert answer.status_code == 200, answer.text
    return answer


async def test_a_season_goes_from_service_to_service_in_every_format(
    kept_app: FastAPI, kept_client: AsyncClient, spring: KeptSeason, game: dict[str, Any]
) -> None:
    """NDJSON → CSV → XLSX → NDJSON, each time through a season that was empty."""
    game["seats"][1] |= {"bonus": "0.25", "bonus_note": '=1+1; и "кавычки"'}
    game["seats"][9] |= {"removed": {"affected_team": False}, "fouls": 3}
    file = [{**game, **ON, "number": n, "external_id": f"a/{n}"} for n in range(3)]
    file[1] |= {"outcome": "black", "first_kill": {"seat": 7, "best_move": [8, 9, 3]}}
    del file[1]["seats"]
    file[1]["seats"] = [{**seat, "bonus": None} for seat in game["seats"]]
    await bring(spring, ndjson(file))
    await spring.kept({**game, "played_on": "2025-03-15", "number": 9}, "president")
    voided = await spring.kept({**game, **ON, "external_id": "voided"}, "president")
    await spring.ask("president", "DELETE", f"/{voided['id']}")
    first = (await take(spring, "ndjson")).content
    content = first
    for number, (form, media, language) in enumerate(
        [("csv", NDJSON, "ru"), ("xlsx", CSV, "ru"), ("csv", XLSX, "en"), ("ndjson", CSV, "en")]
    ):
        into = make_season(kept_app.state.database, kept_client, club=f"club-{number}", nicknames=0)
        found = await bring(into, content, "?create_players=true", media=media)
        assert found.results == ["created"] * 4
        content = (await take(into, form, **{"accept-language": language})).content
    assert content == first
    tables = [read(await kept_client.get(one.path.replace("/games", "/standings"))) for one in (spring, into)]
    values = [[(row["rank"], row["player"]["nickname"], row["values"]) for row in table["rows"]] for table in tables]
    assert values[0] == values[1]
    assert (await bring(spring, content)).results == ["unchanged"] * 4
    assert list(audit(spring.database)) == []


async def test_an_export_shows_present_nicknames_and_notes_to_the_club_alone(
    spring: KeptSeason, game: dict[str, Any]
) -> None:
    game["seats"][1] |= {"bonus": 0.2, "bonus_note": "a secret"}
    kept = await spring.kept({**game, **ON})
    player = kept["game"]["seats"][0]["player_id"]
    headers = bearer(spring.secrets["president"])
    path = f"/v1/clubs/{spring.club}/players/{player}"
    read(await spring.client.patch(path, json={"nickname": "Newly named"}, headers=headers))
    for form in ("ndjson", "csv"):
        ours, theirs = (await take(spring, form)).text, (await take(spring, form, "anonymous")).text
        assert ("a secret" in ours, "a secret" in theirs) == (True, False)
        assert ("Newly named" in ours, "P1," in ours) == (True, False)
    workbooks = [(await take(spring, "xlsx", role)).content for role in ("reader", "anonymous")]
    assert [b"PK" == one[:2] for one in workbooks] == [True, True]


async def test_an_export_is_named_and_is_sent_once(spring: KeptSeason, game: dict[str, Any]) -> None:
    await spring.kept({**game, **ON})
    for form in ("ndjson", "csv", "xlsx"):
        answer = await take(spring, form, "anonymous")
        assert answer.headers["content-disposition"] == f'attachment; filename="moscow-spring.{form}"'
        assert answer.headers["cache-control"] == "no-cache"
        tag = {"if-none-match": answer.headers["etag"]}
        again = await spring.client.get(f"{spring.path}.{form}", headers=tag)
        assert (again.status_code, again.content) == (304, b"")
        keyed = await spring.client.get(f"{spring.path}.{form}", headers={**tag, **bearer(spring.secrets["judge"])})
        assert (keyed.status_code, keyed.headers["cache-control"]) == (200, "private, no-cache")
    await spring.kept({**game, "played_on": "2025-03-15"})
    assert (await spring.client.get(f"{spring.path}.{form}", headers=tag)).status_code == 200


async def test_a_sheet_holds_no_more_games_than_it_has_rows(
    spring: KeptSeason, game: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    await bring(spring, ndjson([{**game, "played_on": f"2025-03-1{n}"} for n in range(3)]))
    monkeypatch.setattr(exporting, "_SHEET_ROWS", 29)
    assert problem(await spring.client.get(f"{spring.path}.xlsx")) == (422, "invalid-request", None)
    assert (await take(spring, "csv")).text.count("\r\n") == 31


async def test_an_export_of_a_hidden_season_is_not_there(
    kept_app: FastAPI, kept_client: AsyncClient, spring: KeptSeason
) -> None:
    hidden = make_season(kept_app.state.database, kept_client, club="tver", public=False)
    for form in ("ndjson", "csv", "xlsx"):
        for headers in ({}, bearer(spring.secrets["president"])):
            assert problem(await kept_client.get(f"{hidden.path}.{form}", headers=headers))[0] == 404


ROLES = ["мирный"] * 6 + ["шериф", "мафия", "мафия", "дон"]


async def filled(season: KeptSeason, template: str) -> Imported:
    """The template with a game of P1 to P10 that red won."""
    (header, *rows) = csv.reader(io.StringIO(template), delimiter=";")
    at = {name: index for index, name in enumerate(header)}
    written = io.StringIO()
    writer = csv.writer(written, delimiter=";")
    writer.writerow(header)
    for number, row in enumerate(rows[:10], 1):
        row[at["Игрок"]], row[at["Роль"]] = f"P{number}", ROLES[number - 1]
        if number == 1:
            row[at["Дата"]], row[at["Исход"]] = "14.03.2025", "красные"
        writer.writerow(row)
    return await bring(season, written.getvalue().encode(), media=CSV)


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_a_template_that_was_filled_in_imports(spring: KeptSeason) -> None:
    answer = await spring.client.get("/v1/rule-systems/maffamily/template.csv", headers={"accept-language": "ru"})
    assert answer.headers["content-disposition"] == 'attachment; filename="maffamily.csv"'
    assert (await filled(spring, answer.content.decode("utf-8-sig"))).results == ["created"]


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
@pytest.mark.parametrize("system", ["maffamily", "sport-percent", "city-average"])
async def test_there_is_a_template_for_every_regulation_and_format(kept_client: AsyncClient, system: str) -> None:
    path = f"/v1/rule-systems/{system}/template"
    season, cup = [(await kept_client.get(f"{path}.csv?format={format}")).text for format in ("season", "tournament")]
    assert ("stage" in season.splitlines()[0], "stage" in cup.splitlines()[0]) == (False, True)
    book = await kept_client.get(f"{path}.xlsx")
    assert book.content.startswith(b"PK")
    assert book.headers["content-type"] == XLSX
    assert problem(await kept_client.get("/v1/rule-systems/chess/template.csv")) == (404, "not-found", None)
