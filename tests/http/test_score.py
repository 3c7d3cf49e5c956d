"""POST …/score: breakdowns, rule violations, languages, exact numbers."""

import json
from decimal import Decimal
from typing import Any

import pytest
from httpx import AsyncClient

pytestmark = pytest.mark.anyio

WORKED_EXAMPLE = {
    "outcome": "black",
    "seats": [
        {"seat": 1, "player": "A", "role": "citizen"},
        {"seat": 2, "player": "B", "role": "citizen"},
        {"seat": 3, "player": "C", "role": "citizen"},
        {"seat": 4, "player": "D", "role": "sheriff", "bonus": 0.3},
        {"seat": 5, "player": "E", "role": "citizen"},
        {"seat": 6, "player": "F", "role": "citizen"},
        {"seat": 7, "player": "G", "role": "citizen"},
        {"seat": 8, "player": "H", "role": "mafia"},
        {"seat": 9, "player": "I", "role": "mafia"},
        {"seat": 10, "player": "J", "role": "don"},
    ],
    "first_kill": {"seat": 4, "best_move": [8, 9, 3]},
}
"""Worked by hand: 0.5 + 0.25 + 0.3 = 1.05."""


async def test_the_worked_example_names_the_clause_of_every_point(client: AsyncClient) -> None:
    answer = await client.post("/v1/rule-systems/maffamily/score?version=1", json=WORKED_EXAMPLE)
    assert answer.status_code == 200
    body = answer.json()
    assert body["rule_system"] == {"id": "maffamily", "version": 1}
    assert (body["outcome"], body["status"], body["approvals"], body["warnings"]) == ("black", "counted", [], [])
    sheriff = body["seats"][3]
    assert {key: value for key, value in sheriff.items() if key != "lines"} == {
        "seat": 4, "player": "D", "role": "sheriff", "team": "red", "result": "lost", "total": 1.05,
    }  # fmt: skip
    assert [(line["clause"], line["code"], line["category"], line["points"]) for line in sheriff["lines"]] == [
        ("2", "first_kill_compensation", "main", 0.5),
        ("3", "best_move", "extra", 0.25),
        ("4", "judge_bonus", "extra", 0.3),
    ]
    assert all(line["reason"] for line in sheriff["lines"])
    assert [seat["total"] for seat in body["seats"]] == [0, 0, 0, 1.05, 0, 0, 0, 2, 2, 2]


async def test_points_leave_with_their_exact_decimals(client: AsyncClient) -> None:
    answer = await client.post("/v1/rule-systems/maffamily/score", json=WORKED_EXAMPLE)
    assert b'"points":0.25' in answer.content
    assert b'"total":1.05' in answer.content
    assert b'"total":2,' in answer.content


async def test_a_bonus_may_be_written_as_a_string_with_a_comma(client: AsyncClient, game: dict[str, Any]) -> None:
    game["seats"][0]["bonus"] = "0,25"
    answer = await client.post("/v1/rule-systems/maffamily/score", json=game)
    assert b'"points":0.25' in answer.content
    assert b'"total":2.25' in answer.content


async def test_a_bonus_that_needs_the_president_makes_the_game_pending(
    client: AsyncClient, game: dict[str, Any]
) -> None:
    game["seats"][1]["bonus"] = 0.6
    answer = await client.post("/v1/rule-systems/maffamily/score", json=game)
    assert answer.json()["status"] == "pending"
    assert answer.json()["approvals"] == [
        {
            "clause": "4",
            "seat": 2,
            "by": "president",
            "state": "pending",
            "decided_by": None,
            "at": None,
            "note": None,
        }
    ]


async def test_a_cancelled_game_moves_nobodys_numbers(client: AsyncClient, game: dict[str, Any]) -> None:
    game |= {"outcome": None, "cancelled": True}
    body = (await client.post("/v1/rule-systems/maffamily/score", json=game)).json()
    assert (body["status"], body["outcome"]) == ("cancelled", None)
    assert {(seat["result"], seat["total"], len(seat["lines"])) for seat in body["seats"]} == {(None, 0, 0)}


async def test_a_warning_says_which_seat_deserves_a_second_look(client: AsyncClient, game: dict[str, Any]) -> None:
    game["seats"][4] |= {"bonus": 0.1, "removed": True}
    body = (await client.post("/v1/rule-systems/maffamily/score", json=game)).json()
    assert [(warning["code"], warning["seat"]) for warning in body["warnings"]] == [("bonus_to_penalised", 5)]
    assert body["warnings"][0]["message"]


async def test_the_stage_does_not_matter(client: AsyncClient, game: dict[str, Any]) -> None:
    for stage in (None, "qualifying", "final"):
        answer = await client.post("/v1/rule-systems/sport-percent/score", json=game | {"stage": stage})
        assert answer.status_code == 200


async def test_all_violations_come_at_once_each_with_clause_place_limit_and_finding(
    client: AsyncClient, game: dict[str, Any]
) -> None:
    game["seats"][0]["bonus"] = 0.71
    game["seats"][7]["bonus"] = 0.41
    game["first_kill"] = {"seat": 1, "best_move": [8, 9]}
    game["ppk"] = 3
    answer = await client.post("/v1/rule-systems/maffamily/score", json=game)
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert {key: problem[key] for key in ("type", "status", "instance", "code")} == {
        "type": "/problems/rule-violation",
        "status": 422,
        "instance": "/v1/rule-systems/maffamily/score",
        "code": None,
    }
    assert problem["title"]
    assert problem["detail"] == "Regulation violations: 5."
    found = {
        (v["code"], v["clause"], v["pointer"], v["limit"], v["actual"]) for v in problem["violations"] if v["message"]
    }
    assert found == {
        ("bonus_range", "4", "/seats/0/bonus", 0.7, 0.71),
        ("bonus_range", "4", "/seats/7/bonus", 0.4, 0.41),
        ("bonus_total_exceeded", "4", "/seats", 1, 1.12),
        ("best_move_size", "3", "/first_kill/best_move", 3, 2),
        ("field_not_used_here", None, "/ppk", None, None),
    }


async def test_limits_and_findings_leave_with_their_exact_decimals(client: AsyncClient, game: dict[str, Any]) -> None:
    for seat in (0, 1, 2):
        game["seats"][seat]["bonus"] = 0.4
    answer = await client.post("/v1/rule-systems/maffamily/score", json=game)
    assert b'"limit":1,"actual":1.2}' in answer.content


@pytest.mark.parametrize(
    "accepted, spoken",
    [
        (None, "en"),
        ("ru", "ru"),
        ("RU-ru, en;q=0.9", "ru"),
        ("en, ru", "en"),
        ("de, ru;q=0.3", "ru"),
        ("ru;q=0.2, en;q=0.3", "en"),
        ("*, en;q=0.1", "ru"),
        ("ru;q=0", "en"),
        ("de", "en"),
        ("ru;q=first", "en"),
        (";;,=,ru", "ru"),
    ],
)
async def test_reasons_and_problems_follow_accept_language(
    client: AsyncClient, game: dict[str, Any], accepted: str | None, spoken: str
) -> None:
    headers = {} if accepted is None else {"accept-language": accepted}
    good = await client.post("/v1/rule-systems/maffamily/score", json=game, headers=headers)
    bad = await client.post("/v1/rule-systems/maffamily/score", json=game | {"outcome": "rot"}, headers=headers)
    for answer in (good, bad):
        assert answer.headers["content-language"] == spoken
        assert answer.headers["vary"] == "Accept-Language"
    reason = good.json()["seats"][0]["lines"][0]["reason"]
    assert ("а" <= reason[0] <= "я") is (spoken == "ru")
    message = bad.json()["violations"][0]["message"]
    assert message.startswith("нужно" if spoken == "ru" else "expected")


async def test_a_version_may_be_named(client: AsyncClient, game: dict[str, Any]) -> None:
    assert (await client.post("/v1/rule-systems/maffamily/score?version=1", json=game)).status_code == 200
    assert (await client.post("/v1/rule-systems/maffamily/score?version=999", json=game)).status_code == 404


@pytest.mark.parametrize(
    "bonus", ["1e29", "-1e29", "123456789012345678901234567890", "0.70000000000000000000000000001", "1e-30"]
)
@pytest.mark.parametrize("system", ["maffamily", "sport-percent"])
async def test_a_bonus_of_very_many_digits_is_a_breach_told_exactly(
    client: AsyncClient, game: dict[str, Any], system: str, bonus: str
) -> None:
    game["seats"][0]["bonus"] = game["seats"][1]["bonus"] = 0
    body = json.dumps(game).replace('"bonus": 0', f'"bonus": {bonus}')

    answer = await client.post(
        f"/v1/rule-systems/{system}/score", content=body, headers={"Content-Type": "application/json"}
    )

    assert answer.status_code == 422
    problem = json.loads(answer.content, parse_float=Decimal, parse_int=Decimal)
    assert problem["type"] == "/problems/rule-violation"
    told = [found["actual"] for found in problem["violations"] if found["pointer"] == "/seats/0/bonus"]
    assert set(told) == {Decimal(bonus)}
