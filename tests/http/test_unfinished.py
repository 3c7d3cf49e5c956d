"""Games that are still being written down, scored without storage (docs/api.md#unfinished-games)."""

from copy import deepcopy
from typing import Any

import pytest
from httpx import AsyncClient, Response

from tests.http.conftest import ROLES

pytestmark = pytest.mark.anyio

WAITING = ["win", "first_kill_compensation", "judge_bonus", "conduct_penalties", "removal_penalty"]


async def asked(client: AsyncClient, game: object, system: str = "maffamily") -> Response:
    return await client.post(f"/v1/rule-systems/{system}/score?partial=true", json=game)


async def judged(client: AsyncClient, game: object, system: str = "maffamily") -> Any:
    answer = await asked(client, game, system)
    assert answer.status_code == 200, answer.text
    return answer.json()


def of(found: Any, seat: int) -> list[tuple[str, float]]:
    """Codes and points of a seat's lines."""
    (mine,) = [each for each in found["seats"] if each["seat"] == seat]
    return [(line["code"], line["points"]) for line in mine["lines"]]


async def test_an_empty_form_lacks_everything(client: AsyncClient) -> None:
    found = await judged(client, {})
    assert found["incomplete"] == ["/outcome", "/seats"]
    assert found["status"] is None
    assert {waiting["kind"] for waiting in found["later"]} == {*WAITING, "best_move"}
    assert found["remaining"] == [
        {"clause": "4", "code": "judge_bonus", "points_left": 1, "players_left": 3, "by_seat": []}
    ]


async def test_a_finished_game_is_scored_as_ever(client: AsyncClient, game: dict[str, Any]) -> None:
    game["seats"][0]["bonus"] = 0.4
    found = await judged(client, game)
    assert (found["incomplete"], found["later"]) == ([], [])
    whole = (await client.post("/v1/rule-systems/maffamily/score", json=game)).json()
    assert {name: found[name] for name in whole} == whole


async def test_what_is_left_to_give_follows_clause_4(client: AsyncClient, game: dict[str, Any]) -> None:
    """At most three players, 1 in all, a winner 0.7 and a loser 0.4; here red won, seats 8 to 10 lost."""
    game["seats"][0]["bonus"] = 0.4
    game["seats"][8]["bonus"] = 0.1
    (left,) = (await judged(client, game))["remaining"]
    assert (left["points_left"], left["players_left"]) == (0.5, 1)
    most = {each["seat"]: each["most"] for each in left["by_seat"]}
    assert most == {1: 0.7, **dict.fromkeys(range(2, 8), 0.5), 8: 0.4, 9: 0.4, 10: 0.4}
    game["seats"][1]["bonus"] = 0.2
    (left,) = (await judged(client, game))["remaining"]
    assert (left["points_left"], left["players_left"]) == (0.3, 0)
    most = {each["seat"]: each["most"] for each in left["by_seat"]}
    assert most == {1: 0.7, 2: 0.5, **dict.fromkeys(range(3, 9), 0), 9: 0.4, 10: 0}


async def test_no_bonus_is_left_in_a_draw(client: AsyncClient, game: dict[str, Any]) -> None:
    game["outcome"] = "draw"
    (left,) = (await judged(client, game))["remaining"]
    assert (left["points_left"], left["players_left"]) == (0, 0)
    assert {each["most"] for each in left["by_seat"]} == {0}


async def test_before_the_outcome_a_bonus_is_limited_by_what_any_outcome_allows(
    client: AsyncClient, game: dict[str, Any]
) -> None:
    del game["outcome"]
    game["seats"][7]["bonus"] = 0.7
    found = await judged(client, game)
    assert found["incomplete"] == ["/outcome"]
    assert [waiting["kind"] for waiting in found["later"]] == WAITING
    assert {waiting["clause"] for waiting in found["later"]} == {"1", "2", "4", "5"}
    assert of(found, 8) == [("judge_bonus", 0.7)]
    assert {seat["result"] for seat in found["seats"]} == {None}
    game["seats"][7]["bonus"] = 0.8
    answer = await asked(client, game)
    assert answer.status_code == 422
    problem = answer.json()
    assert [(found["code"], found["pointer"]) for found in problem["violations"]] == [("bonus_range", "/seats/7/bonus")]
    assert problem["incomplete"] == ["/outcome"]
    assert problem["remaining"][0]["points_left"] == 0.2


async def test_seats_are_judged_as_their_roles_are_said(client: AsyncClient, game: dict[str, Any]) -> None:
    game["first_kill"] = {"seat": 7, "best_move": [8, 9, 10]}
    game["outcome"] = "black"
    del game["seats"][9]["role"], game["seats"][1]["player"]
    game["seats"][2]["player"] = " "
    found = await judged(client, game)
    assert found["incomplete"] == ["/seats/1/player", "/seats/2/player", "/seats/9/role"]
    assert found["later"] == [{"clause": "3", "kind": "best_move", "needs": ["roles"]}]
    assert of(found, 7) == [("first_kill_compensation", 0.5)]
    assert of(found, 8) == [("win", 2)]
    assert of(found, 10) == []
    assert [(seat["player"], seat["role"], seat["team"]) for seat in found["seats"]][9] == ("P10", None, None)
    assert [seat["player"] for seat in found["seats"]][1:3] == [None, None]


async def test_seats_that_are_not_there_yet_are_no_mistake(client: AsyncClient) -> None:
    seats: list[dict[str, Any]] = [{"player": "Ann", "role": "sheriff"}, {"player": "Ben"}, {"seat": 2, "role": "don"}]
    game = {"outcome": "red", "seats": seats, "first_kill": {"seat": 9, "best_move": [2]}, "ppk": None}
    found = await judged(client, game)
    assert found["incomplete"] == [
        "/seats",
        "/seats/0/seat",
        "/seats/1/seat",
        "/seats/1/role",
        "/seats/2/player",
        "/first_kill/best_move",
    ]
    assert [seat["seat"] for seat in found["seats"]] == [1, 3, 2]
    assert of(found, 1) == [("win", 2)]


@pytest.mark.parametrize(
    "change, code, pointer",
    [
        (lambda game: game["seats"][1].update(player="p1"), "player_duplicate", "/seats/1/player"),
        (lambda game: game["seats"][1].update(seat=1), "seat_duplicate", "/seats/1/seat"),
        (lambda game: game["seats"][1].update(seat=11), "seat_out_of_range", "/seats/1/seat"),
        (lambda game: game["seats"][1].update(role="don"), "role_count", "/seats"),
        (lambda game: game["seats"][1].update(role="doctor"), "role_unknown_here", "/seats/1/role"),
        (lambda game: game.update(first_kill={"seat": 11}), "first_kill_unknown_seat", "/first_kill/seat"),
        (lambda game: game.update(draw_makers=[1, 2]), "field_not_used_here", "/draw_makers"),
        (lambda game: game["seats"][1].update(bonus="0.123"), "bonus_precision", "/seats/1/bonus"),
        (lambda game: game["seats"][1].update(penalties=["rude"]), "penalty_unknown", "/seats/1/penalties/0"),
    ],
)
async def test_what_is_wrong_already_is_told(
    client: AsyncClient, game: dict[str, Any], change: Any, code: str, pointer: str
) -> None:
    del game["outcome"], game["seats"][0]["role"]
    change(game)
    answer = await asked(client, game)
    assert answer.status_code == 422
    assert [(found["code"], found["pointer"]) for found in answer.json()["violations"]] == [(code, pointer)]
    assert answer.json()["incomplete"][:2] == ["/outcome", "/seats/0/role"]


async def test_a_wrong_shape_stays_one(client: AsyncClient) -> None:
    answer = await asked(client, {"seats": [{"seat": "one"}], "outcome": 1, "colour": "red"})
    assert answer.json()["type"] == "/problems/invalid-request"
    assert (await asked(client, [])).json()["type"] == "/problems/invalid-request"
    assert (await asked(client, {"seats": {}})).json()["type"] == "/problems/invalid-request"


CITY = ["citizen"] * 5 + ["sheriff", "doctor", "mafia", "mafia", "don"]


async def test_city_games_say_what_else_they_need(client: AsyncClient) -> None:
    system = (await client.get("/v1/rule-systems/city-average")).json()
    assert {"sheriff", "doctor", "mafia", "don"} <= set(system["table"]["roles"])
    seats = [{"seat": seat, "player": f"P{seat}", "role": role} for seat, role in enumerate(CITY, 1)]
    draw = {"outcome": "draw", "seats": deepcopy(seats)}
    found = await judged(client, draw, "city-average")
    assert found["incomplete"] == ["/draw_makers"]
    assert found["remaining"] == []
    found = await judged(client, {**draw, "draw_makers": [1, 2]}, "city-average")
    assert found["incomplete"] == ["/seats/0/days_lived", "/seats/1/days_lived"]
    unsaid: dict[str, Any] = {
        "seats": deepcopy(seats),
        "draw_makers": [1],
        "night_actions": [{"night": 1, "seat": 7, "target": 8}],
    }
    del unsaid["seats"][6]["role"]
    found = await judged(client, unsaid, "city-average")
    assert found["incomplete"] == ["/outcome", "/seats/6/role"]
    assert found["later"] != []


async def test_a_game_typed_key_by_key_is_never_wrong(client: AsyncClient, game: dict[str, Any]) -> None:
    """Every beginning of a valid game is accepted, and only the whole has nothing missing."""
    game |= {"outcome": "black", "first_kill": {"seat": 7, "best_move": [8, 9, 3]}}
    game["seats"][7]["bonus"] = 0.4
    game["seats"][0]["penalties"] = ["broke_red_at_ten"]
    typed: dict[str, Any] = {"seats": []}
    for seat, role in enumerate(ROLES):
        typed["seats"].append({"seat": seat + 1})
        assert (await judged(client, typed))["incomplete"] != []
        typed["seats"][seat] |= {"player": f"P{seat + 1}"}
        assert (await judged(client, typed))["incomplete"] != []
        typed["seats"][seat] |= {"role": role}
        assert (await judged(client, typed))["incomplete"] != []
    typed["seats"] = game["seats"]
    typed["first_kill"] = {"seat": 7, "best_move": []}
    for number in game["first_kill"]["best_move"]:
        typed["first_kill"]["best_move"].append(number)
        await judged(client, typed)
    typed["outcome"] = "black"
    found = await judged(client, typed)
    assert found["incomplete"] == []
    assert of(found, 7) == [("first_kill_compensation", 0.5), ("best_move", 0.25)]
