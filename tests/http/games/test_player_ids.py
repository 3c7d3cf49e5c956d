"""Games that name their players by ids (docs/games.md#players-by-id)."""

from copy import deepcopy
from typing import Any

import pytest
from fastapi import FastAPI
from httpx import AsyncClient

from tests.http.club import new_club
from tests.http.desk import merge, newcomer, player
from tests.http.games.test_submitting import ON, city_game, rename
from tests.http.importing import bring, ndjson
from tests.http.kept_season import KeptSeason, faults, make_season, points, read

pytestmark = pytest.mark.anyio

NOBODY = "p_000000000000000000"


async def by_ids(spring: KeptSeason, game: dict[str, Any], **also: Any) -> dict[str, Any]:
    """The same game, its players named by their ids alone."""
    told = deepcopy(game) | ON | also
    for seat in told["seats"]:
        seat["player_id"] = (await player(spring, seat.pop("player")))["id"]
    return told


def names_of(kept: dict[str, Any]) -> list[str]:
    return [seat["player"] for seat in kept["game"]["seats"]]


async def test_an_id_alone_names_the_player(spring: KeptSeason, game: dict[str, Any]) -> None:
    told = await by_ids(spring, game, external_id="a")
    kept = await spring.kept(told)
    assert names_of(kept) == [f"P{seat}" for seat in range(1, 11)]
    assert [seat["player_id"] for seat in kept["game"]["seats"]] == [seat["player_id"] for seat in told["seats"]]
    by_name = await spring.submit({**game, **ON, "external_id": "a"})
    assert (by_name.status_code, by_name.json()["id"]) == (200, kept["id"])


async def test_what_was_answered_can_be_sent_back(spring: KeptSeason, game: dict[str, Any]) -> None:
    game["seats"][3]["bonus"] = 0.3
    kept = await spring.kept({**game, **ON, "external_id": "a", "number": 2})
    rename(spring, "p4", "Nora")
    got = await spring.get(kept["id"])
    answered = deepcopy(got["game"])
    for seat in answered["seats"]:
        seat["bonus"] = float(seat["bonus"]) if "bonus" in seat else None
    corrected = read(await spring.correct(got, answered))
    assert corrected["game"] == got["game"]
    assert (corrected["version"], points(corrected)) == (2, points(kept))
    history = await spring.get(kept["id"], path="/history")
    recorded = history["items"][0]["game"]
    recorded["seats"][3]["bonus"] = 0.3
    assert recorded["seats"][3]["player"] == "P4"
    back = read(await spring.correct(corrected, recorded))
    assert back["game"] == got["game"]


async def test_what_a_city_game_answered_changes_no_registration(kept_app: FastAPI, kept_client: AsyncClient) -> None:
    city = make_season(kept_app.state.database, kept_client, system="city-average", nicknames=5)
    kept = read(await city.ask("judge", "POST", "?create_players=true", city_game()), 201)
    corrected = read(await city.correct(kept, (await city.get(kept["id"]))["game"]))
    assert corrected["game"] == kept["game"]
    assert corrected["breakdown"]["warnings"] == kept["breakdown"]["warnings"] != []


async def test_the_id_of_a_merged_player_means_the_survivor(spring: KeptSeason, game: dict[str, Any]) -> None:
    gone, here = await newcomer(spring, "Old"), await newcomer(spring, "New")
    read(await merge(spring, gone, here))
    game["seats"][0] = {"seat": 1, "player_id": gone["id"], "role": "citizen"}
    kept = await spring.kept({**game, **ON})
    assert kept["game"]["seats"][0] | {"player": "New", "player_id": here["id"]} == kept["game"]["seats"][0]
    for nickname in ("Old", "new"):
        again = deepcopy(game)
        again["seats"][0] |= {"player_id": gone["id"], "player": nickname}
        read(await spring.correct(kept, again | ON))
        kept = await spring.get(kept["id"])


@pytest.mark.parametrize("nickname", ["P1", "p1 ", "Ann"])
async def test_a_nickname_beside_the_id_may_be_any_of_the_players(
    spring: KeptSeason, game: dict[str, Any], nickname: str
) -> None:
    rename(spring, "p1", "Ann")
    one = await player(spring, "Ann")
    game["seats"][0] |= {"player": nickname, "player_id": one["id"]}
    assert names_of(await spring.kept({**game, **ON}))[0] == "Ann"


@pytest.mark.parametrize("nickname", ["Other", "Nobody"])
@pytest.mark.parametrize("query", ["", "?create_players=true"])
async def test_a_nickname_of_another_beside_the_id_is_refused(
    spring: KeptSeason, game: dict[str, Any], nickname: str, query: str
) -> None:
    await newcomer(spring, "Other")
    one = await player(spring, "P1")
    game |= {**ON, "external_id": "a"}
    await spring.kept(game)
    told = deepcopy(game)
    told["seats"][0] |= {"player": nickname, "player_id": one["id"]}
    answer = await spring.ask("judge", "POST", query, told)
    assert faults(answer) == [("player_mismatch", "/seats/0/player")]
    (found,) = answer.json()["violations"]
    assert found["actual"] == nickname
    assert found["message"] == f"{nickname} is no nickname of the player P1"


async def test_an_id_of_nobody_is_an_unknown_player_and_makes_none(
    spring: KeptSeason, game: dict[str, Any], kept_client: AsyncClient
) -> None:
    other = await new_club(kept_client, "kyiv")
    stranger = (await other.ask("judge", "POST", "/players", {"nickname": "P1"})).json()
    game["seats"][0] |= {"player_id": NOBODY}
    game["seats"][1] = {"seat": 2, "player_id": stranger["id"], "role": "citizen"}
    answer = await spring.ask("judge", "POST", "?create_players=true", {**game, **ON})
    assert faults(answer) == [("unknown_player", "/seats/0/player_id"), ("unknown_player", "/seats/1/player_id")]
    assert [found["actual"] for found in answer.json()["violations"]] == [NOBODY, stranger["id"]]


async def test_two_ids_of_one_player_are_one_player_twice(spring: KeptSeason, game: dict[str, Any]) -> None:
    one = await player(spring, "P1")
    game["seats"][1] = {"seat": 2, "player_id": one["id"], "role": "citizen"}
    answer = await spring.submit({**game, **ON})
    assert ("player_duplicate", "/seats/1/player") in faults(answer)


@pytest.mark.parametrize(
    "seat, fault",
    [
        ({}, ("missing", "/seats/0/player")),
        ({"player": None, "player_id": None}, ("missing", "/seats/0/player")),
        ({"player_id": "p_1"}, ("value", "/seats/0/player_id")),
        ({"player_id": 1}, ("type", "/seats/0/player_id")),
        ({"player_id": NOBODY, "player": ""}, ("too_short", "/seats/0/player")),
    ],
)
async def test_a_seat_names_somebody(
    spring: KeptSeason, game: dict[str, Any], seat: dict[str, Any], fault: tuple[str, str]
) -> None:
    game["seats"][0] = {"seat": 1, "role": "citizen", **seat}
    answer = await spring.submit(game)
    assert answer.json()["type"] == "/problems/invalid-request"
    assert [(found["code"], found["pointer"]) for found in answer.json()["violations"]] == [fault]


async def test_without_a_club_there_are_no_ids(spring: KeptSeason, game: dict[str, Any]) -> None:
    told = await by_ids(spring, game)
    answer = await spring.client.post("/v1/rule-systems/maffamily/score", json=told)
    assert {found["code"] for found in answer.json()["violations"]} == {"missing", "unknown_field"}


async def test_lines_of_a_file_name_players_by_ids(spring: KeptSeason, game: dict[str, Any]) -> None:
    told = await by_ids(spring, game, external_id="a")
    unknown = deepcopy(told) | {"external_id": "b"}
    unknown["seats"][4]["player_id"] = NOBODY
    mixed = deepcopy(game) | ON | {"external_id": "c", "number": 3}
    mixed["seats"][0] = {"seat": 1, "player_id": told["seats"][0]["player_id"], "role": "citizen", "player": "No"}
    imported = await bring(spring, ndjson([told, unknown, mixed]), "?create_players=true")
    assert imported.results == ["created", "invalid", "invalid"]
    assert imported.faults == [(2, "unknown_player", "/seats/4/player_id"), (3, "player_mismatch", "/seats/0/player")]
    assert (await bring(spring, ndjson([told]))).results == ["unchanged"]
    assert (await bring(spring, ndjson([{**game, **ON, "external_id": "a"}]))).results == ["unchanged"]


async def test_a_correction_may_make_and_register_players(kept_app: FastAPI, kept_client: AsyncClient) -> None:
    city = make_season(kept_app.state.database, kept_client, system="city-average")
    kept = await city.kept(city_game())
    told = deepcopy(kept["game"])
    told["seats"][-1] |= {"player": "New"}
    del told["seats"][-1]["player_id"], told["seats"][-1]["registered"]
    query = "?create_players=true&registered=true"
    refused = await city.correct(kept, told, query=query)
    assert refused.status_code == 403
    corrected = read(await city.correct(kept, told, "chief_judge", query))
    assert corrected["game"]["seats"][-1]["registered"] is True
    assert (await player(city, "New"))["registered_on"] == kept["game"]["played_on"]
