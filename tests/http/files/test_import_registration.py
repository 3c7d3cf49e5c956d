"""Registration in imports: who is not rated is told, and new players can be registered (docs/import.md)."""

from typing import Any

import pytest
from fastapi import FastAPI
from httpx import AsyncClient

from tests.http.desk import newcomer, player
from tests.http.games.test_submitting import city_game
from tests.http.importing import CSV, bring, ndjson, post
from tests.http.kept_season import KeptSeason, make_season, problem, read

pytestmark = pytest.mark.anyio

REGISTER = "?create_players=true&registered=true"


@pytest.fixture
def city(kept_app: FastAPI, kept_client: AsyncClient) -> KeptSeason:
    """A season under city-average whose players P1 to P5 are registered since 1 March, the day it starts."""
    return make_season(kept_app.state.database, kept_client, system="city-average", nicknames=5)


def on(day: str, **players: str) -> dict[str, Any]:
    """A game of a day; ``P6="Zoe"``: who sits instead."""
    game = city_game() | {"played_on": day}
    for seat in game["seats"]:
        seat["player"] = players.get(seat["player"], seat["player"])
    return game


@pytest.mark.parametrize("dry_run", [False, True])
async def test_the_summary_names_who_is_not_rated(city: KeptSeason, dry_run: bool) -> None:
    for nickname in ("P6", "P7"):
        await newcomer(city, nickname, registered=False)
    games = [on("2025-03-14"), on("2025-03-15", P6="P7"), on("2025-03-16"), on("2025-03-17")]
    games[3]["seats"].pop()
    found = await bring(city, ndjson(games), "?dry_run=true" if dry_run else "")
    assert found.summary["not_registered"] == {"games": 3, "players": ["P6", "P7"]}
    assert [[(one["code"], one["seat"]) for one in game["warnings"]] for game in found.games] == [
        [("not_registered", 6)], [("not_registered", 6)], [("not_registered", 6)], [],
    ]  # fmt: skip


async def test_where_everybody_is_rated_it_names_nobody(city: KeptSeason) -> None:
    found = await bring(city, ndjson([on("2025-03-14") | {"seats": city_game()["seats"][:5]}]))
    assert found.summary["not_registered"] == {"games": 0, "players": []}
    again = await bring(city, ndjson([on("2025-03-14") | {"seats": city_game(P5=False)["seats"][:5], "table": 2}]))
    assert again.summary["not_registered"] == {"games": 0, "players": []}


async def test_new_players_are_registered_on_the_day_of_the_game_that_makes_them(city: KeptSeason) -> None:
    """In the order of the file: the first game makes him."""
    games = [on("2025-03-14"), on("2025-03-12"), on("2025-03-16", P6="Zoe"), on("2025-03-15")]
    found = await bring(city, ndjson(games), REGISTER)
    assert found.results == ["created"] * 4
    assert [[one["seat"] for one in game["warnings"]] for game in found.games] == [[], [6], [], []]
    assert (await player(city, "P6"))["registered_on"] == "2025-03-14"
    assert (await player(city, "Zoe"))["registered_on"] == "2025-03-16"
    shown = [(await city.get(game["id"]))["game"]["seats"][5]["registered"] for game in found.games]
    assert shown == [True, False, True, True]


async def test_a_game_that_is_refused_makes_nobody(city: KeptSeason) -> None:
    refused = on("2025-03-10") | {"outcome": "draw"}
    refused["seats"][0]["role"] = "mafia"
    found = await bring(city, ndjson([refused, on("2025-03-14")]), REGISTER)
    assert found.results == ["invalid", "created"]
    assert (await player(city, "P6"))["registered_on"] == "2025-03-14"
    assert found.games[1]["warnings"] == []


async def test_a_sheet_registers_as_games_in_lines_do(city: KeptSeason) -> None:
    roles = ("citizen", "citizen", "citizen", "citizen", "mafia", "don")
    rows = [f"1,2025-03-14,red,{n},P{n},{role},{3 if n < 5 else ''}" for n, role in enumerate(roles, 1)]
    sheet = "\n".join(["game,played_on,outcome,seat,player,role,days_lived", *rows]).encode()
    found = await bring(city, sheet, REGISTER, media=CSV)
    assert (found.results, found.summary["not_registered"]["games"]) == (["created"], 0)
    assert (await player(city, "P6"))["registered_on"] == "2025-03-14"


async def test_a_judge_registers_nobody_as_of_a_games_day(city: KeptSeason) -> None:
    answer = await post(city, ndjson([on("2025-03-14")]), REGISTER, role="judge")
    assert problem(answer)[0] == 403
    assert read(await city.ask("judge", "GET"))["items"] == []


async def test_an_exported_guest_stays_a_guest_by_the_club_alone(city: KeptSeason) -> None:
    """An export says ``registered: false`` of him; with a bonus corrected in it, it is not the judge's word."""
    await newcomer(city, "P6", registered=False)
    kept = await city.kept(on("2025-03-14"))
    shown = kept["game"] | {"external_id": kept["id"], "table": 7}
    shown["seats"] = [{k: v for k, v in seat.items() if k != "player_id"} for seat in shown["seats"]]
    found = await bring(city, ndjson([shown]), "?on_conflict=correct")
    assert found.results == ["corrected"]
    assert found.summary["not_registered"] == {"games": 1, "players": ["P6"]}
