"""GET /v1/rule-kinds: every kind of rule, described so that an editor of regulations can be built on it."""

import json
import re
from typing import Any

import pytest
from httpx import AsyncClient
from jsonschema_rs import Draft202012Validator

from app.scoring.rule_kinds import rule_kinds
from app.scoring.systems import all_systems, catalogue_systems

UNUSED = {"foul_points", "protocol", "vote_points"}
"""Kinds that neither a built-in system nor the catalogue uses."""

pytestmark = pytest.mark.anyio


@pytest.fixture
async def kinds(client: AsyncClient) -> dict[str, dict[str, Any]]:
    answer = await client.get("/v1/rule-kinds")
    assert answer.status_code == 200
    return {kind["kind"]: kind for kind in answer.json()["items"]}


async def test_every_rule_of_the_built_in_systems_fits_the_schema_of_its_kind(
    client: AsyncClient, kinds: dict[str, dict[str, Any]]
) -> None:
    used = set()
    for system in (*all_systems(), *catalogue_systems()):
        served = json.loads((await client.get(f"/v1/rule-systems/{system.id}?version={system.version}")).content)
        for rule in [rule for clause in served["clauses"] for rule in clause["rules"]]:
            used.add(rule["kind"])
            validator = Draft202012Validator(kinds[rule["kind"]]["parameters"])
            assert list(validator.iter_errors(rule)) == []
            assert list(validator.iter_errors(rule | {"no_such_parameter": 1})) != []
    assert set(kinds) - used == UNUSED


async def test_a_kind_says_what_it_sees_reads_and_gives(kinds: dict[str, dict[str, Any]]) -> None:
    best_move, ci, award = kinds["best_move"], kinds["first_kill_coefficient"], kinds["award"]
    assert {name: best_move[name] for name in ("sees", "repeatable", "reads", "codes", "names")} == {
        "sees": "game",
        "repeatable": False,
        "reads": ["first_kill"],
        "codes": ["best_move"],
        "names": ["n_best_move", "p_best_move"],
    }
    assert (ci["sees"], ci["names"], ci["codes"]) == ("season", ["ci", "ci_compensation"], [])
    assert (award["sees"], award["repeatable"], award["names"]) == ("table", True, [])


async def test_every_kind_is_described_in_both_languages(kinds: dict[str, dict[str, Any]]) -> None:
    for kind in kinds.values():
        assert re.search("[а-я]{3}", kind["description"]["ru"])
        assert not re.search("[а-я]", kind["description"]["en"])
        named = {name: set(re.findall("`([a-z_]+)`", kind["description"][name])) for name in ("ru", "en")}
        assert named["ru"] == named["en"], kind["kind"]


def test_kinds_come_by_name() -> None:
    names = [kind.kind for kind in rule_kinds()]
    assert names == sorted(set(names))
