"""GET /v1/rule-systems: the very values that score."""

import json
from decimal import Decimal

import pytest
from httpx import AsyncClient

from app.scoring.rule_system import RuleSystem
from app.scoring.systems import all_systems, newest_systems

pytestmark = pytest.mark.anyio

SYSTEMS = pytest.mark.parametrize("system", all_systems(), ids=lambda system: f"{system.id} {system.version}")


async def test_the_list_names_the_newest_version_of_each_system(client: AsyncClient) -> None:
    items = (await client.get("/v1/rule-systems")).json()["items"]
    assert [(item["id"], item["version"]) for item in items] == [
        (system.id, system.version) for system in newest_systems()
    ]
    assert {"city-average", "maffamily", "sport-percent"} <= {item["id"] for item in items}
    assert all(set(item) == {"id", "version", "title", "source"} for item in items)
    assert all(item["title"]["ru"] and item["title"]["en"] and item["source"] for item in items)


@SYSTEMS
async def test_a_system_is_served_as_the_very_value_that_scores(client: AsyncClient, system: RuleSystem) -> None:
    answer = await client.get(f"/v1/rule-systems/{system.id}?version={system.version}")
    assert RuleSystem.from_json(answer.content) == system
    assert answer.headers["etag"] == f'"{system.fingerprint}"'


async def test_without_a_version_the_newest_is_served(client: AsyncClient) -> None:
    for system in newest_systems():
        answer = await client.get(f"/v1/rule-systems/{system.id}")
        assert RuleSystem.from_json(answer.content) == system


async def test_clauses_come_in_order_with_both_languages_readings_and_rules(client: AsyncClient) -> None:
    body = json.loads((await client.get("/v1/rule-systems/maffamily")).content, parse_float=Decimal)
    assert [clause["number"] for clause in body["clauses"]] == ["1", "2", "3", "4", "5", "6", "7"]
    second = body["clauses"][1]
    assert "компенсационные баллы" in second["text"]["ru"]
    assert second["text"]["en"]
    assert any(reading["ru"] and reading["en"] for clause in body["clauses"] for reading in clause["readings"])
    [compensation] = [rule for rule in second["rules"] if rule["kind"] == "first_kill_compensation"]
    assert compensation["points"] == Decimal("0.5")


@pytest.mark.parametrize("path", ["/v1/rule-systems", "/v1/rule-systems/maffamily"])
async def test_what_has_not_changed_is_not_sent_again(client: AsyncClient, path: str) -> None:
    first = await client.get(path)
    etag = first.headers["etag"]
    assert first.headers["cache-control"]
    for named in (etag, f"W/{etag}", f'"other", {etag}', "*"):
        again = await client.get(path, headers={"if-none-match": named})
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["etag"] == etag
    assert (await client.get(path, headers={"if-none-match": '"other"'})).status_code == 200


async def test_an_unknown_version_is_not_found(client: AsyncClient) -> None:
    answer = await client.get("/v1/rule-systems/maffamily?version=999")
    assert (answer.status_code, answer.json()["type"]) == (404, "/problems/not-found")
