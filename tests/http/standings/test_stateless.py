"""POST …/standings: tables of games that nothing keeps."""

import json
import time
from copy import deepcopy
from decimal import Decimal
from typing import Any

import anyio
import pytest
from fastapi import FastAPI
from httpx import AsyncClient, Response

from app.routers import stateless
from app.scoring.breakdown import Breakdown
from app.scoring.game import Game
from app.scoring.rule_system import RuleSystem
from app.scoring.terms import Format

pytestmark = pytest.mark.anyio


async def ranked(client: AsyncClient, system: str, games: list[dict[str, Any]], **more: Any) -> Response:
    body = {"format": "season", "games": games, **more}
    return await client.post(f"/v1/rule-systems/{system}/standings?version=1", json=body)


def table(answer: Response) -> dict[str, Any]:
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = json.loads(answer.content, parse_float=Decimal)
    return body


def nicknames(body: dict[str, Any]) -> list[tuple[int | None, str]]:
    return [(row["rank"], row["player"]["nickname"]) for row in body["rows"]]


async def test_the_worked_season_has_the_rating_of_the_regulation(client: AsyncClient, game: dict[str, Any]) -> None:
    """By hand: 10 games, 6 wins, 14.35 points: k1 = 8.61, k2 = 1.435, rating = 12.35535."""
    games = []
    for number, bonus in enumerate([0.5, 0.5, 0.5, 0.5, 0, 0, 0.35, 0, 0, 0]):
        played = deepcopy(game)
        played["outcome"] = "red" if number < 6 else "black"
        played["seats"][0] |= {"player": "Ann", "bonus": bonus}
        for seat in played["seats"][1:]:
            seat["player"] = f"{number}-{seat['seat']}"
        games.append(played)
    body = table(await ranked(client, "maffamily", games))
    ann = next(row for row in body["rows"] if row["player"]["nickname"] == "Ann")
    assert ann["rank"] == 1
    assert ann["published"] is True
    assert ann["warnings"] == []
    expected = {"games": "10", "wins": "6", "win_rate": "60", "points": "14.35", "k1": "8.61", "k2": "1.435"}
    assert {key: ann["values"][key] for key in expected} == {key: Decimal(value) for key, value in expected.items()}
    assert ann["values"]["rating"] == Decimal("12.3554")
    assert {key: body[key] for key in ("season", "rule_system", "format", "revision", "games", "order")} == {
        "season": None,
        "rule_system": {"id": "maffamily", "version": 1},
        "format": "season",
        "revision": None,
        "games": 10,
        "order": "rating",
    }
    assert {"clause": "7", "code": "free_entry", "players": ["Ann"]} in body["awards"]
    column = next(column for column in body["columns"] if column["key"] == "rating")
    assert column == {"key": "rating", "label": "Rating", "decimals": 4, "unit": None, "clause": "6"}


async def test_the_order_of_games_changes_not_a_byte(client: AsyncClient, game: dict[str, Any]) -> None:
    other = deepcopy(game) | {"outcome": "black"}
    other["seats"][0]["player"] = "p1"
    one = await ranked(client, "maffamily", [game, other])
    two = await ranked(client, "maffamily", [other, game])
    assert one.content == two.content


async def test_spellings_of_one_nickname_are_one_player_written_as_the_first_in_code_points(
    client: AsyncClient, game: dict[str, Any]
) -> None:
    games = []
    for spelling in ("ann  lee", "Ann Lee", "ANN lee"):
        games.append(deepcopy(game))
        games[-1]["seats"][0]["player"] = spelling
    body = table(await ranked(client, "maffamily", games))
    assert [name for _, name in nicknames(body) if name.casefold().startswith("ann")] == ["ANN lee"]
    assert len(body["rows"]) == 10


async def test_columns_and_reasons_speak_the_language_that_is_asked_for(
    client: AsyncClient, game: dict[str, Any]
) -> None:
    answer = await client.post(
        "/v1/rule-systems/maffamily/standings",
        json={"format": "season", "games": [game]},
        headers={"accept-language": "ru"},
    )
    labels = {column["key"]: column["label"] for column in table(answer)["columns"]}
    assert labels["rating"] == "Рейтинг"
    assert answer.headers["content-language"] == "ru"


async def test_a_table_can_be_ordered_by_another_of_the_systems_orders(
    client: AsyncClient, game: dict[str, Any]
) -> None:
    assert table(await ranked(client, "maffamily", [game], order="points"))["order"] == "points"
    refused = await ranked(client, "maffamily", [game], order="bonus")
    assert refused.status_code == 422
    violation = refused.json()["violations"][0]
    assert refused.json()["type"] == "/problems/invalid-request"
    assert (violation["code"], violation["pointer"], violation["limit"]) == ("value", "/order", ["rating", "points"])


async def test_friendly_and_cancelled_games_count_nowhere(client: AsyncClient, game: dict[str, Any]) -> None:
    body = table(await ranked(client, "maffamily", [game | {"rated": False}, game | {"cancelled": True}]))
    assert (body["games"], body["rows"]) == (0, [])


async def test_no_games_make_an_empty_table(client: AsyncClient) -> None:
    body = table(await ranked(client, "city-average", []))
    assert (body["games"], body["rows"], body["ties"]) == (0, [], [])


async def test_players_below_the_threshold_come_last_and_have_no_rank(client: AsyncClient) -> None:
    played = {
        "outcome": "red",
        "seats": [
            {"seat": 1, "player": "Ann", "role": "citizen", "days_lived": 3},
            {"seat": 2, "player": "Bob", "role": "citizen", "days_lived": 2},
            {"seat": 3, "player": "Cid", "role": "citizen", "days_lived": 1},
            {"seat": 4, "player": "Dan", "role": "sheriff", "days_lived": 1},
            {"seat": 5, "player": "Eve", "role": "mafia"},
        ],
    }
    once = deepcopy(played)
    once["seats"][0]["player"] = "Guest"  # type: ignore[index]
    body = table(await ranked(client, "city-average", [played] * 9 + [once]))
    ranks = {row["player"]["nickname"]: (row["rank"], row["published"]) for row in body["rows"]}
    assert ranks["Bob"] == (1, True)
    assert ranks["Ann"] == (None, False)
    assert ranks["Guest"] == (None, False)
    assert [row["published"] for row in body["rows"]] == [True] * 4 + [False] * 2


TIED = ["P4", "P5", "P6"]


async def tournament(client: AsyncClient, game: dict[str, Any], *lots: dict[str, Any]) -> Response:
    """Red won; P1 to P3 have bonuses, P7 is the sheriff, so P4 to P6 are alike."""
    game |= {"stage": "final"}
    for seat, bonus in enumerate((0.5, 0.4, 0.3)):
        game["seats"][seat]["bonus"] = bonus
    return await ranked(client, "sport-percent", [game], format="tournament", lots=list(lots))


async def test_a_tie_says_that_a_lot_is_needed(client: AsyncClient, game: dict[str, Any]) -> None:
    body = table(await tournament(client, game))
    assert {"rank": 5, "players": TIED, "lot": "needed"} in body["ties"]
    assert [rank for rank, name in nicknames(body) if name in TIED] == [5, 5, 5]


async def test_a_lot_that_was_drawn_gives_the_places(client: AsyncClient, game: dict[str, Any]) -> None:
    body = table(await tournament(client, game, {"group": TIED, "drawn": ["p6", "P4", " P5"]}))
    assert {"rank": 5, "players": ["P6", "P4", "P5"], "lot": "drawn"} in body["ties"]
    assert [pair for pair in nicknames(body) if pair[1] in TIED] == [(5, "P6"), (6, "P4"), (7, "P5")]


async def test_a_lot_for_another_group_is_void(client: AsyncClient, game: dict[str, Any]) -> None:
    body = table(await tournament(client, game, {"group": ["P4", "P5"], "drawn": ["P5", "P4"]}))
    assert {"rank": 5, "players": TIED, "lot": "needed"} in body["ties"]


@pytest.mark.parametrize(
    "lot, code, pointer",
    [
        ({"group": ["P4", "P5"], "drawn": ["P4", "P6"]}, "value", "/lots/0"),
        ({"group": ["P4", "P5"], "drawn": ["P4"]}, "too_short", "/lots/0/drawn"),
        ({"group": ["P4", "p4"], "drawn": ["P4", "P4"]}, "value", "/lots/0"),
        ({"group": ["P4", "P5"]}, "missing", "/lots/0/drawn"),
        ({"group": "P4", "drawn": ["P4", "P5"]}, "type", "/lots/0/group"),
        ({"group": ["P4", "P5"], "drawn": ["P5", "P4"], "seed": 1}, "unknown_field", "/lots/0/seed"),
    ],
)
async def test_a_lot_orders_at_least_two_different_players(
    client: AsyncClient, game: dict[str, Any], lot: dict[str, Any], code: str, pointer: str
) -> None:
    answer = await tournament(client, game, lot)
    assert answer.status_code == 422
    assert [(v["code"], v["pointer"]) for v in answer.json()["violations"]] == [(code, pointer)]


@pytest.mark.parametrize("system", ["maffamily", "sport-percent", "city-average"])
async def test_a_group_has_one_lot_and_a_second_one_is_refused_where_it_stands(
    client: AsyncClient, game: dict[str, Any], system: str
) -> None:
    lots = [
        {"group": ["P4", "P5"], "drawn": ["P4", "P5"]},
        {"group": TIED, "drawn": TIED},
        {"group": ["p5", " P4 "], "drawn": ["P4", "P5"]},
        {"group": ["P5", "P4"], "drawn": ["P5", "P4"]},
    ]
    answer = await ranked(client, system, [game], lots=lots)
    assert (answer.status_code, answer.json()["type"]) == (422, "/problems/invalid-request")
    found = [(v["code"], v["pointer"], v["message"]) for v in answer.json()["violations"]]
    assert found == [
        ("value", "/lots/2", "these players already have a lot: /lots/0"),
        ("value", "/lots/3", "these players already have a lot: /lots/0"),
    ]


async def test_violations_point_into_the_game_that_they_are_in(client: AsyncClient, game: dict[str, Any]) -> None:
    bad = deepcopy(game)
    bad["seats"][2]["bonus"] = 0.8
    staged = game | {"stage": "final"}
    answer = await ranked(client, "maffamily", [game, bad, game, staged])
    assert answer.status_code == 422
    assert answer.json()["type"] == "/problems/rule-violation"
    assert [(v["code"], v["clause"], v["pointer"]) for v in answer.json()["violations"]] == [
        ("bonus_range", "4", "/games/1/seats/2/bonus"),
        ("stage_not_allowed", None, "/games/3/stage"),
    ]


async def test_a_tournament_asks_every_game_for_its_stage(client: AsyncClient, game: dict[str, Any]) -> None:
    answer = await ranked(client, "sport-percent", [game], format="tournament")
    assert [(v["code"], v["pointer"]) for v in answer.json()["violations"]] == [("stage_required", "/games/0/stage")]


async def test_shape_errors_of_all_games_come_at_once_and_alone(client: AsyncClient, game: dict[str, Any]) -> None:
    breaks_a_rule = game | {"seats": game["seats"][:9]}
    answer = await ranked(client, "maffamily", [breaks_a_rule, game | {"table": "1"}, 7, game | {"x/y~": 1}], ordre=1)  # type: ignore[list-item]
    assert answer.json()["type"] == "/problems/invalid-request"
    assert {(v["code"], v["pointer"]) for v in answer.json()["violations"]} == {
        ("unknown_field", "/ordre"),
        ("type", "/games/1/table"),
        ("type", "/games/2"),
        ("unknown_field", "/games/3/x~1y~0"),
    }


@pytest.mark.parametrize(
    "body, faults",
    [
        ({}, {("missing", "/format"), ("missing", "/games")}),
        ({"format": "cup", "games": {}}, {("value", "/format"), ("type", "/games")}),
        ({"format": "season", "games": [], "lots": {}, "order": 1}, {("type", "/lots"), ("type", "/order")}),
        ([], {("type", "")}),
    ],
)
async def test_what_surrounds_the_games_has_a_shape_too(
    client: AsyncClient, body: object, faults: set[tuple[str, str]]
) -> None:
    answer = await client.post("/v1/rule-systems/maffamily/standings", json=body)
    assert answer.status_code == 422
    assert {(v["code"], v["pointer"]) for v in answer.json()["violations"]} == faults


async def test_ten_thousand_games_are_taken_and_not_one_more(client: AsyncClient) -> None:
    answer = await ranked(client, "maffamily", [{}] * 10_001)
    assert [(v["code"], v["pointer"], v["limit"], v["actual"]) for v in answer.json()["violations"]] == [
        ("too_long", "/games", 10_000, 10_001)
    ]
    answer = await ranked(client, "maffamily", [{}] * 10_000)
    assert "/games" not in {v["pointer"] for v in answer.json()["violations"]}


async def test_a_flood_of_violations_is_cut_and_says_so(client: AsyncClient, game: dict[str, Any]) -> None:
    for flawed in ({}, game | {"seats": []}):
        answer = await ranked(client, "maffamily", [flawed] * 2000)
        assert len(answer.json()["violations"]) == 1000
        assert answer.json()["detail"] == "Showing only the first 1000."


async def test_rules_are_not_asked_of_more_games_than_breaches_are_shown_of(
    client: AsyncClient, game: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Game] = []
    check = RuleSystem.examine

    def examine(system: RuleSystem, facts: Game, format: Format | None = None) -> Breakdown:
        asked.append(facts)
        return check(system, facts, format)

    monkeypatch.setattr(RuleSystem, "examine", examine)
    three_breaches = game | {"stage": "final", "ppk": 1, "draw_makers": [1, 2]}
    answer = await ranked(client, "maffamily", [three_breaches] * 2000)
    assert answer.json()["type"] == "/problems/rule-violation"
    assert len(answer.json()["violations"]) == 1000
    assert len(asked) == 334


async def test_a_misshapen_game_after_any_number_of_breaches_is_reported_alone(
    client: AsyncClient, game: dict[str, Any]
) -> None:
    answer = await ranked(client, "maffamily", [game | {"ppk": 1}] * 1100 + [{}])
    assert answer.json()["type"] == "/problems/invalid-request"
    assert {v["pointer"] for v in answer.json()["violations"]} == {"/games/1100/outcome", "/games/1100/seats"}


async def test_an_order_is_looked_at_before_anything_is_ranked(
    client: AsyncClient, game: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(RuleSystem, "rank")
    refused = await ranked(client, "maffamily", [game | {"ppk": 1}], order="luck")
    assert [(v["code"], v["pointer"]) for v in refused.json()["violations"]] == [("value", "/order")]
    broken = await ranked(client, "maffamily", [game | {"ppk": 1}], order="points")
    assert [v["code"] for v in broken.json()["violations"]] == ["field_not_used_here"]


async def test_when_every_place_is_taken_others_are_told_to_come_back(app: FastAPI, client: AsyncClient) -> None:
    with app.state.standings_slots:
        answer = await ranked(client, "maffamily", [])
    assert (answer.status_code, answer.json()["type"]) == (503, "/problems/unavailable")
    assert int(answer.headers["retry-after"]) > 0
    assert (await ranked(client, "maffamily", [])).status_code == 200


async def test_nobody_waits_for_his_turn_for_long(
    app: FastAPI, client: AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stateless, "TURN_SECONDS", 0.01)
    limiter: anyio.CapacityLimiter = app.state.one_at_a_time
    await limiter.acquire_on_behalf_of("another request")
    answer = await ranked(client, "maffamily", [])
    limiter.release_on_behalf_of("another request")
    assert (answer.status_code, answer.json()["type"]) == (503, "/problems/unavailable")
    assert int(answer.headers["retry-after"]) > 0
    monkeypatch.undo()
    assert (await ranked(client, "maffamily", [])).status_code == 200


async def test_a_table_that_is_being_made_is_waited_for(client: AsyncClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(*_: object) -> bytes:
        time.sleep(1)
        return b"{}"

    monkeypatch.setattr(stateless, "TURN_SECONDS", 0.5)
    monkeypatch.setattr(stateless, "_ranked", slow)
    assert (await ranked(client, "maffamily", [])).status_code == 200


async def test_a_refused_request_gives_its_place_back(client: AsyncClient) -> None:
    for _ in range(3):
        assert (await client.post("/v1/rule-systems/maffamily/standings", content=b"[")).status_code == 415
        assert (await ranked(client, "maffamily", [{}])).status_code == 422


async def test_other_requests_are_answered_while_a_table_is_made(client: AsyncClient, game: dict[str, Any]) -> None:
    answers: list[str] = []

    async def long_table() -> None:
        table(await ranked(client, "maffamily", [game] * 3000))
        answers.append("table")

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(long_table)
        await anyio.sleep(0.05)
        assert (await client.get("/healthz")).status_code == 200
        answers.append("health")
    assert answers == ["health", "table"]
