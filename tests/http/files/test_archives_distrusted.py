"""What an archive says and no fact proves: it is made anew, or refused where no service would have written it."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from fastapi import FastAPI
from httpx import AsyncClient

from app.services.archive import staging
from app.services.audit import audit
from tests.http.archives import (
    archive_of,
    bring_in,
    database_of,
    edited,
    faults,
    kept_nothing,
    lines_of,
    moved,
    new_club,
    with_lines,
)
from tests.http.desk import ask, table
from tests.http.everything import everything
from tests.http.files.test_archives import lived
from tests.http.kept_season import KeptSeason, make_season, read

pytestmark = pytest.mark.anyio

HOSTILE = "{0.__class__.__init__.__globals__} {0:>9999} {9}"


def with_tables(archive: bytes, change: Callable[[dict[str, Any]], None]) -> bytes:
    """The archive of a closed season with something else frozen."""
    tables = json.loads(lines_of(archive, "frozen_seasons")[0]["tables"])
    change(tables)
    return edited(archive, "frozen_seasons", 1, tables=json.dumps(tables))


def other_words(told: Any) -> Any:
    """The same with every text to be filled in replaced by one that asks for what it must not have."""
    match told:
        case {"ru": str(), "en": str()}:
            return {"ru": HOSTILE, "en": HOSTILE}
        case dict():
            return {name: other_words(member) for name, member in told.items()}
        case list():
            return [other_words(member) for member in told]
        case _:
            return told


def reworded(tables: dict[str, Any]) -> None:
    tables |= other_words(tables)


def warned(tables: dict[str, Any]) -> None:
    for row in tables["rows"]:
        row[2] = [["warning", None, {"ru": HOSTILE, "en": HOSTILE}, [{"fraction": "1/2"}]]]


def labelled_by_numbers(tables: dict[str, Any]) -> None:
    for column in tables["columns"]:
        column[1] = 7


def of_other_rows(tables: dict[str, Any]) -> None:
    for player in tables["players"]:
        player[0] += 1000


def of_another_format(tables: dict[str, Any]) -> None:
    tables["format"] = {"season": []}


@pytest.mark.parametrize("change", [reworded, warned, labelled_by_numbers, of_other_rows, of_another_format])
async def test_of_a_frozen_table_only_names_and_order_are_taken(
    spring: KeptSeason, game: dict[str, Any], elsewhere: AsyncClient, change: Callable[[dict[str, Any]], None]
) -> None:
    """Its words would be filled in when it is read: whoever writes them chooses what is shown."""
    await lived(spring, game)
    read(await ask(spring, "president", "POST", "/seasons/spring/close"))
    secret = await new_club(elsewhere)
    read(await bring_in(elsewhere, secret, with_tables(await archive_of(spring), change)), 201)
    there = KeptSeason(elsewhere, database_of(elsewhere), "moscow", "spring", {"president": secret}, {})
    assert await everything(there) == await everything(spring)


async def test_a_frozen_table_keeps_the_names_of_its_day(
    spring: KeptSeason, game: dict[str, Any], elsewhere: AsyncClient
) -> None:
    await spring.kept({**game, "played_on": "2025-03-14"})
    read(await ask(spring, "president", "POST", "/seasons/spring/close"))
    before = await table(spring)
    ids = {row["player"]["nickname"]: row["player"]["id"] for row in before["rows"]}
    for old, new in (("P1", "Zoe"), ("P10", "Ada")):
        read(await ask(spring, "president", "PATCH", f"/players/{ids[old]}", {"nickname": new}))
    secret = await new_club(elsewhere)
    read(await bring_in(elsewhere, secret, await archive_of(spring)), 201)
    there = KeptSeason(elsewhere, database_of(elsewhere), "moscow", "spring", {"president": secret}, {})
    assert await table(there) == before == await table(spring)


@pytest.mark.parametrize("name", [7, None, [], {}, "", " P1", "a\0b", "x" * 65, "\ud800"])
async def test_a_frozen_name_that_nobody_has(archive: bytes, elsewhere: AsyncClient, name: object) -> None:
    def renamed(tables: dict[str, Any]) -> None:
        tables["players"][0][2] = name

    answer = await bring_in(elsewhere, await new_club(elsewhere), with_tables(archive, renamed))
    assert {code for code, _ in faults(answer)} == {"unsound"}


async def test_a_frozen_order_that_places_deny(archive: bytes, elsewhere: AsyncClient) -> None:
    def turned(tables: dict[str, Any]) -> None:
        for order in tables["orders"]:
            order["places"].reverse()

    answer = await bring_in(elsewhere, await new_club(elsewhere), with_tables(archive, turned))
    assert {code for code, _ in faults(answer)} == {"unsound"}


def floats(written: str) -> str:
    """The same JSON with another kind of number: 1.0 for 1."""
    return json.dumps(json.loads(written, parse_int=float))


def flags_as_numbers(written: str) -> str:
    return written.replace("true", "1").replace("false", "0")


@pytest.mark.parametrize(
    "table, column, change",
    [
        ("ledger", "lines", floats),
        ("ledger", "lines", lambda _: "nonsense"),
        ("ledger", "lines", lambda _: '[["1", "win", "main"]]'),
        ("game_versions", "totals", floats),
        ("game_versions", "totals", lambda _: "{}"),
        ("game_versions", "seated", floats),
        ("game_versions", "seated", flags_as_numbers),
        ("game_versions", "seated", lambda _: "7"),
        ("game_versions", "seated", lambda _: f"[[1, {2**63}, true]]"),
        ("game_versions", "reason", lambda _: "a\nb"),
        ("game_versions", "reason", lambda _: "x" * 501),
        ("game_versions", "facts", lambda facts: facts + " " * 400_000),
        ("game_versions", "rule_system", lambda _: "x" * 1001),
        ("changes", "action", lambda _: "Done"),
        ("changes", "target", lambda _: "a b"),
        ("changes", "target", lambda _: ""),
        ("changes", "reason", lambda _: "x" * 501),
        ("changes", "club_id", lambda _: None),
        ("changes", "detail", lambda _: "nonsense"),
        ("changes", "detail", lambda _: '{"a":0.5}'),
        ("changes", "detail", lambda _: '{"a":1e999999999}'),
        ("changes", "detail", lambda _: '{"a":%s}' % ("9" * 4000)),
        ("changes", "detail", lambda _: '{"a":"\\ud800"}'),
        ("changes", "detail", lambda _: '{"a":' * 9 + "1" + "}" * 9),
        ("changes", "detail", lambda _: '{"a":' * 700 + "1" + "}" * 700),
        ("keys", "name", lambda _: ""),
        ("keys", "name", lambda _: "x" * 129),
        ("seasons", "name", lambda _: "a\tb"),
        ("seasons", "name", lambda _: ""),
        ("clubs", "name", lambda _: "x" * 129),
        ("clubs", "timezone", lambda _: "x" * 1001),
        ("clubs", "day_ends_at", lambda _: "12:01"),
        ("approvals", "note", lambda _: "x" * 501),
    ],
)
async def test_a_value_that_no_service_writes(
    archive: bytes, elsewhere: AsyncClient, table: str, column: str, change: Callable[[Any], object]
) -> None:
    secret = await new_club(elsewhere)
    wrong = change(lines_of(archive, table)[0][column])
    answer = await bring_in(elsewhere, secret, edited(archive, table, 1, **{column: wrong}))
    assert faults(answer) == [("value", f"/{table}.ndjson/1/{column}")]
    assert await kept_nothing(elsewhere, secret)


async def test_the_longest_game_that_can_be_submitted_comes_through(
    kept_app: FastAPI, kept_client: AsyncClient, elsewhere: AsyncClient
) -> None:
    """Twenty seats, notes of characters that JSON writes in six, two thousand actions of the night."""
    city = make_season(kept_app.state.database, kept_client, system="city-average", nicknames=20)
    note = "\u0001" * 2000
    seats = [
        {"seat": seat, "player": f"P{seat}", "role": "citizen", "bonus_note": note, "fouls": 1_000_000}
        for seat in range(1, 21)
    ]
    seats[0]["role"], seats[1]["role"] = "don", "sheriff"
    action = {"seat": 2, "target": 10, "saved": False, "died": False}
    nights = [{"night": 1_000_000 - night, **action} for night in range(2000)]
    game = {"played_on": "2025-03-14", "outcome": "draw", "draw_makers": [], "seats": seats, "judge": "x" * 200}
    kept = await city.kept({**game, "external_id": "x" * 128, "night_actions": nights}, "president")
    there = await moved(city, elsewhere)
    assert await there.get(kept["id"], "president") == await city.get(kept["id"], "president") == kept


async def test_a_former_approval_that_nobody_could_give(
    spring: KeptSeason, game: dict[str, Any], elsewhere: AsyncClient
) -> None:
    """It would stand again under the rules that it was given under."""
    await lived(spring, game)
    archive = await archive_of(spring)
    lines = lines_of(archive, "former_approvals")
    given = next(number for number, line in enumerate(lines, 1) if line["state"] == "approved")
    secret = await new_club(elsewhere)
    for wrong in ({"decided_by": None}, {"at": None}, {"decided_role": "judge"}, {"state": "pending"}):
        answer = await bring_in(elsewhere, secret, edited(archive, "former_approvals", given, **wrong))
        assert faults(answer) == [("value", f"/former_approvals.ndjson/{given}/state")], wrong


@pytest.mark.parametrize(
    "limit, most, pointer",
    [
        ("MOST_ROWS", {"keys": 1}, "/keys.ndjson"),
        ("MOST_ROWS", {"players": 9}, "/players.ndjson"),
        ("MOST_ROWS", {"nicknames": 9}, "/nicknames.ndjson"),
        ("MOST_TURNS", 1, ""),
        ("MOST_FACTS", 100, ""),
    ],
)
async def test_more_than_can_be_proved_in_any_time(
    archive: bytes, elsewhere: AsyncClient, monkeypatch: pytest.MonkeyPatch, limit: str, most: object, pointer: str
) -> None:
    """The limits are those of what is looked at in pairs, or held at once: two games under one rule are two turns."""
    monkeypatch.setattr(staging, limit, most)
    secret = await new_club(elsewhere)
    assert faults(await bring_in(elsewhere, secret, archive)) == [("file_too_large", pointer)]
    assert await kept_nothing(elsewhere, secret)


async def test_rows_that_would_be_left_behind(archive: bytes, elsewhere: AsyncClient) -> None:
    """Keys and players whom the season does not know, what was done elsewhere, a ledger of another season."""
    secret = await new_club(elsewhere)
    for name, members in (
        ("keys", {"id": 999, "public_id": f"k_{'z' * 18}"}),
        ("players", {"id": 999, "public_id": f"p_{'z' * 18}"}),
        ("changes", {"id": 999, "season_id": None}),
        ("ledger", {"season_id": 999}),
    ):
        lines = lines_of(archive, name)
        stray = {**lines[0], **members}
        answer = await bring_in(elsewhere, secret, with_lines(archive, name, [*lines, stray]))
        assert faults(answer) == [("unsound", f"/{name}.ndjson")], name
    assert await kept_nothing(elsewhere, secret)


async def test_players_who_are_not_who_they_say(
    spring: KeptSeason, game: dict[str, Any], elsewhere: AsyncClient
) -> None:
    """By a name that is another's or nobody's; merged into himself, or into who is somebody else now; and both."""
    await lived(spring, game)
    archive = await archive_of(spring)
    players = lines_of(archive, "players")
    (gone,) = (number for number, line in enumerate(players, 1) if line["merged_into"] is not None)
    merged, survivor = players[gone - 1], next(one for one in players if one["id"] == players[gone - 1]["merged_into"])
    claims = lines_of(archive, "nicknames")
    own = next(number for number, claim in enumerate(claims, 1) if claim["nickname"] == merged["nickname"])
    secret = await new_club(elsewhere)
    for wrong in (
        edited(archive, "players", 2, nickname="Nobody"),
        edited(archive, "players", 2, nickname=players[2]["nickname"]),
        edited(archive, "players", gone, merged_into=merged["id"]),
        edited(archive, "players", players.index(survivor) + 1, merged_into=survivor["id"]),
        edited(archive, "nicknames", own, player_id=merged["id"]),
    ):
        assert {code for code, _ in faults(await bring_in(elsewhere, secret, wrong))} == {"unsound"}
    assert await kept_nothing(elsewhere, secret)
    assert list(audit(database_of(elsewhere))) == []
