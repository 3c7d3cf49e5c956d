"""The OpenAPI document: current, complete, and made for generated clients."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import jsonschema_rs
import pytest
from fastapi import Body

from app.config import Settings
from app.main import create_app
from app.openapi import ANSWERED, written
from app.routers.common.openapi import shown as shown_bodies
from app.scoring.exact_json import loads
from app.scoring.game import Game
from app.scoring.rules.kind import KINDS
from app.scoring.systems import find_system
from app.web.render import render
from tests import examples

FILE = Path(__file__).parents[1] / "openapi" / "openapi.json"


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return create_app(Settings()).openapi()


def operations(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield f"{method.upper()} {path}", operation


def schema(document: dict[str, Any], name: str) -> dict[str, Any]:
    """One component as a schema of its own."""
    return {"$ref": f"#/components/schemas/{name}", "components": document["components"]}


def named(schema: dict[str, Any]) -> set[str]:
    """The components that an answer of this schema is."""
    return {choice["$ref"].rpartition("/")[2] for choice in schema.get("anyOf", [schema]) if "$ref" in choice}


def shown(document: dict[str, Any], content: dict[str, Any]) -> dict[str, Any]:
    """The values of the examples of a body, by name."""
    examples = document["components"]["examples"]
    return {
        name: examples[example["$ref"].rpartition("/")[2]]["value"] if "$ref" in example else example["value"]
        for name, example in content.get("examples", {}).items()
    }


def every_example(document: dict[str, Any]) -> Iterator[tuple[object, dict[str, Any], Any]]:
    """Where it is, the schema that it is an example of, and the example."""
    for name, operation in operations(document):
        for parameter in operation.get("parameters", []):
            described = parameter["schema"]
            for value in [parameter[key] for key in parameter.keys() & {"example"}] + described.get("examples", []):
                yield (name, parameter["name"]), described, value
        bodies = [operation["requestBody"]] if "requestBody" in operation else []
        for body in [*bodies, *operation["responses"].values()]:
            for content in body.get("content", {}).values():
                for title, value in shown(document, content).items():
                    yield (name, title), content["schema"], value
    for name, component in document["components"]["schemas"].items():
        for member, described in component.get("properties", {}).items():
            for value in described.get("examples", []):
                yield (name, member), described, value


def as_sent(example: dict[str, Any]) -> Game:
    return Game.read(loads(json.dumps(example["value"])))


def test_the_committed_document_is_what_the_code_says() -> None:
    assert FILE.read_text(encoding="utf-8") == written(create_app(Settings())), "stale; run make openapi"


def test_operation_ids_read_as_function_names_and_are_unique(document: dict[str, Any]) -> None:
    ids = [operation["operationId"] for _, operation in operations(document)]
    assert len(ids) == len(set(ids))
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)+", id) for id in ids)
    assert {"list_rule_systems", "get_rule_system", "score_game", "rank_games"} <= set(ids)


def test_every_operation_says_what_it_does(document: dict[str, Any]) -> None:
    for name, operation in operations(document):
        assert operation["summary"], name
        assert operation["description"], name
        assert operation["tags"], name


def test_every_failure_is_a_problem(document: dict[str, Any]) -> None:
    for name, operation in operations(document):
        for status, response in operation["responses"].items():
            if status >= "4":
                is_report = status == "422" and name.endswith("/games/import")
                others = {"application/json", "application/x-ndjson"} if is_report else set()
                assert set(response["content"]) == {"application/problem+json", *others}, (name, status)
                reference = response["content"]["application/problem+json"]["schema"]["$ref"]
                assert reference == "#/components/schemas/Problem"
    score = document["paths"]["/v1/rule-systems/{system_id}/score"]["post"]
    assert set(score["responses"]) == {"200", "401", "404", "408", "413", "415", "422", "429", "503"}


def test_every_example_is_what_its_schema_says(document: dict[str, Any]) -> None:
    for where, described, value in every_example(document):
        validator = jsonschema_rs.validator_for({**described, "components": document["components"]})
        assert [str(error) for error in validator.iter_errors(value)] == [], where


def test_the_answers_that_are_shown_are_those_that_are_given() -> None:
    assert ANSWERED.read_text("utf-8") == examples.written(), "stale; run make openapi"


def test_every_answer_is_shown_once_as_it_is_given(document: dict[str, Any]) -> None:
    """What is missing here is asked for in tests/examples.py."""
    for name, operation in operations(document):
        for status, response in operation["responses"].items():
            for media_type, content in response.get("content", {}).items():
                if media_type == "application/problem+json":
                    problems = shown(document, content)
                    assert set(problems) == set(re.findall("`([a-z-]+)`:", response["description"])), name
                    for slug, problem in problems.items():
                        assert (problem["type"], str(problem["status"])) == (f"/problems/{slug}", status), name
                elif media_type == "application/json":
                    assert set(shown(document, content)) == named(content["schema"]), (name, status)


def test_a_null_in_an_example_is_shown() -> None:
    """FastAPI leaves it out."""
    app = create_app(Settings())
    stopped: dict[str, object] = {"outcome": None, "cancelled": True, "seats": []}
    examples = shown_bodies({"stopped": ("A game that was stopped", stopped)})

    @app.post("/here")
    async def submit(game: Annotated[Game, Body(openapi_examples=examples)]) -> None: ...

    content = app.openapi()["paths"]["/here"]["post"]["requestBody"]["content"]["application/json"]
    assert content["examples"] == {"stopped": {"summary": "A game that was stopped", "value": stopped}}


def test_every_reference_leads_somewhere(document: dict[str, Any]) -> None:
    references = set(re.findall(r'"#/components/([a-z]+)/([^"]+)"', json.dumps(document)))
    components = {(kind, name) for kind, named in document["components"].items() for name in named}
    assert references - components == set()
    assert {("examples", name) for name in document["components"]["examples"]} <= references


def test_names_of_schemas_are_the_wires_and_not_the_frameworks(document: dict[str, Any]) -> None:
    names = set(document["components"]["schemas"])
    assert {"GameIn", "Game", "StandingsIn", "Standings", "Breakdown", "RuleSystem", "Problem", "Violation"} <= names
    assert [name for name in names if not re.fullmatch("[A-Z][A-Za-z]*", name) or "Validation" in name] == []


def test_requests_are_closed_and_answers_are_open(document: dict[str, Any]) -> None:
    for name, component in document["components"]["schemas"].items():
        if component.get("type") == "object" and "properties" in component:
            closed = component.get("additionalProperties") is False
            assert closed is name.endswith("In"), name


def test_roles_penalties_and_codes_are_words_and_not_closed_lists(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    for name, member in (("SeatIn", "role"), ("Seat", "role"), ("Violation", "code"), ("Line", "code")):
        assert schemas[name]["properties"][member]["type"] == "string"
        assert "enum" not in schemas[name]["properties"][member]


def test_there_is_an_example_game_for_each_regulation_and_it_scores(document: dict[str, Any]) -> None:
    content = document["paths"]["/v1/rule-systems/{system_id}/score"]["post"]["requestBody"]["content"]
    examples = content["application/json"]["examples"]
    assert set(examples) == {"maffamily", "sport-percent", "city-average"}
    validator = jsonschema_rs.validator_for(schema(document, "GameIn"))
    for system, example in examples.items():
        validator.validate(example["value"])
        find_system(system).examine(as_sent(example))


def test_a_canonical_game_is_what_the_document_calls_a_game(document: dict[str, Any]) -> None:
    content = document["paths"]["/v1/rule-systems/{system_id}/score"]["post"]["requestBody"]["content"]
    validator = jsonschema_rs.validator_for(schema(document, "Game"))
    for example in content["application/json"]["examples"].values():
        facts = as_sent(example).canonical()
        for seat in facts["seats"]:
            seat["player_id"] = "p_1"  # all that a kept game adds
        validator.validate(json.loads(render(facts)))


def test_each_kind_of_rule_is_described_with_its_parameters(document: dict[str, Any]) -> None:
    mapping = document["components"]["schemas"]["Rule"]["discriminator"]["mapping"]
    assert set(mapping) == set(KINDS)
    for kind, reference in mapping.items():
        properties = document["components"]["schemas"][reference.rpartition("/")[2]]["properties"]
        assert properties["kind"]["const"] == kind
        assert set(properties) == set(KINDS[kind].model_fields)


def test_the_built_in_systems_are_what_the_document_calls_a_rule_system(document: dict[str, Any]) -> None:
    validator = jsonschema_rs.validator_for(schema(document, "RuleSystem"))
    for system in ("maffamily", "sport-percent", "city-average"):
        validator.validate(json.loads(render(find_system(system).model_dump())))
