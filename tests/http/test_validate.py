"""POST /v1/rule-systems/validate: every fault of a regulation at once, and its worked cases."""

import json
from copy import deepcopy
from typing import Any

import pytest
from httpx import AsyncClient, Response

from app.schemas.common.examples import VALIDATIONS
from app.scoring.systems import all_systems
from tests.http.conftest import RED_WON

pytestmark = pytest.mark.anyio

DUEL: dict[str, Any] = VALIDATIONS["duel"][1]  # type: ignore[assignment]


async def validated(client: AsyncClient, body: object) -> Response:
    return await client.post("/v1/rule-systems/validate", json=body)


async def copied(client: AsyncClient, id: str) -> dict[str, Any]:
    system = json.loads((await client.get(f"/v1/rule-systems/{id}")).content)
    return {**system, "id": "club:moscow:own"}


async def test_a_system_with_its_case_is_valid(client: AsyncClient) -> None:
    answer = await validated(client, DUEL)
    assert answer.status_code == 200, answer.text
    told = answer.json()
    assert (told["valid"], told["uncovered"], told["warnings"]) == (True, [], [])
    assert told["cases"] == [{"name": "red won", "passed": True, "differences": [], "actual": None}]


@pytest.mark.parametrize("id", sorted({system.id for system in all_systems()}))
async def test_a_copy_of_a_built_in_system_is_valid_under_another_id_only(client: AsyncClient, id: str) -> None:
    system = await copied(client, id)
    answer = await validated(client, {"system": system})
    assert answer.status_code == 200, answer.text
    assert len(answer.json()["uncovered"]) > 3  # without a case, every rule that gives or refuses something
    taken = await validated(client, {"system": {**system, "id": id}})
    assert [(found["code"], found["pointer"]) for found in taken.json()["violations"]] == [("name_taken", "/system/id")]


async def test_every_fault_is_told_with_its_place_and_what_is_close(client: AsyncClient) -> None:
    system = await copied(client, "maffamily")
    system["clauses"][0]["rules"][0] = {"kind": "winn", "points": 2}
    system["clauses"][1]["rules"][0]["pionts"] = 1
    system["clauses"][2]["rules"][0]["roles"] = ["sherif"]
    system["clauses"][3]["rules"][0]["players"] = -3
    system["clauses"][4]["rules"][2]["columns"][0]["formula"] = "p_penalti"
    system["clauses"][5]["rules"][2]["by"] = ["rating", "poins"]
    system["clauses"][6]["rules"][0]["code"] = "priority_registration"
    system["table"]["roles"]["Mayor"] = {"team": "red", "name": {"en": "mayor"}}
    answer = await validated(client, {"system": system})
    assert answer.status_code == 422
    told = {(found["pointer"], found["code"]): found.get("suggestions") for found in answer.json()["violations"]}
    assert told == {
        ("/system/table/roles", "value"): None,
        ("/system/clauses/0/rules/0/kind", "unknown_kind"): ["win"],
        ("/system/clauses/1/rules/0/pionts", "unknown_parameter"): ["points"],
        ("/system/clauses/3/rules/0/players", "too_small"): None,
        ("/system/clauses/2/rules/0/roles/0", "unknown_role"): ["sheriff"],
        ("/system/clauses/4/rules/2/columns/0/formula", "unknown_name"): ["p_penalty"],
        ("/system/clauses/5/rules/2/by/1", "order_without_column"): ["points"],
        ("/system/clauses/6/rules/1/code", "name_taken"): None,
    }


async def test_a_case_that_differs_says_where_and_by_which_lines(client: AsyncClient) -> None:
    body = deepcopy(DUEL)
    body["cases"][0]["expected"]["points"] |= {"1": 2.5, "4": 1}
    (case,) = (await validated(client, body)).json()["cases"]
    assert case["passed"] is False
    assert case["differences"] == [
        {
            "pointer": "/expected/points/1",
            "expected": 2.5,
            "actual": 3,
            "lines": [{"clause": "1", "code": "win", "points": 3}],
        },
        {"pointer": "/expected/points/4", "expected": 1, "actual": None, "lines": []},
    ]


async def test_cases_of_refusals_tables_and_without_expectation(client: AsyncClient) -> None:
    """P1 won all three games: 6 points, a rating of 6 * 3/3 * 6/3 = 12. Nobody was shot first or penalized."""
    system = await copied(client, "maffamily")
    bonus = deepcopy(RED_WON)
    bonus["seats"][0]["bonus"] = 0.9
    games = [{**RED_WON, "external_id": str(n)} for n in range(3)]
    row = {"player": "P1", "rank": 1, "values": {"points": 6, "games": 3, "rating": 12}}
    cases = [
        {"name": "too much", "game": bonus, "expected": {"violations": ["bonus_range"]}},
        {"name": "nothing refused", "game": RED_WON, "expected": {"violations": ["bonus_range"]}},
        {"name": "table", "format": "season", "games": games, "expected": {"rows": [row]}},
        {"name": "wrong table", "games": games, "expected": {"rows": [{**row, "rank": 2, "values": {"points": 5}}]}},
        {"name": "shown", "game": RED_WON},
    ]
    answer = await validated(client, {"system": system, "cases": cases})
    assert answer.status_code == 200, answer.text
    told = {case["name"]: case for case in answer.json()["cases"]}
    assert {name: case["passed"] for name, case in told.items()} == {
        "too much": True, "nothing refused": False, "table": True, "wrong table": False, "shown": None,
    }  # fmt: skip
    assert [(one["pointer"], one["expected"], one["actual"]) for one in told["wrong table"]["differences"]] == [
        ("/expected/rows/0/rank", 2, 1),
        ("/expected/rows/0/values/points", 5, 6),
    ]
    assert told["shown"]["actual"]["points"]["1"] == 2
    kinds = {rule["kind"] for rule in answer.json()["uncovered"]}
    assert kinds == {"first_kill_compensation", "best_move", "conduct_penalties", "removal_penalty"}


@pytest.mark.parametrize(
    "cases, pointers",
    [
        ([{"name": "neither"}], ["/cases/0"]),
        ([{"name": "both", "game": RED_WON, "games": [RED_WON]}], ["/cases/0"]),
        ([{"name": "no game", "game": {"outcome": "blue"}}], ["/cases/0/game/outcome", "/cases/0/game/seats"]),
        ([{"game": RED_WON}], ["/cases/0/name"]),
    ],
)
async def test_what_is_no_case_is_refused(
    client: AsyncClient, cases: list[dict[str, Any]], pointers: list[str]
) -> None:
    answer = await validated(client, {"system": DUEL["system"], "cases": cases})
    assert answer.status_code == 422
    assert sorted(found["pointer"] for found in answer.json()["violations"]) == pointers


@pytest.mark.parametrize("where, count", [("clauses", 201), ("rules", 501)])
async def test_what_is_too_large_is_refused_before_it_is_read(client: AsyncClient, where: str, count: int) -> None:
    clause = {"number": "1", "text": {"en": ""}, "rules": []}
    rules = [{"kind": "award", "code": "a", "name": {"en": ""}, "by": "points", "places": 1}] * count
    clauses = [clause] * count if where == "clauses" else [{**clause, "rules": rules}]
    answer = await validated(client, {"system": {**DUEL["system"], "clauses": clauses}})
    assert answer.status_code == 422
    assert {found["code"] for found in answer.json()["violations"]} == {"too_many"}
