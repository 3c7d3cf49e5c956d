"""The OpenAPI document; ``mafrate openapi`` writes it to a file."""

import json
import re
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, Literal, cast

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.params import Body
from fastapi.routing import APIRoute
from pydantic import BaseModel

from app.routers.common.strict_route import NEEDED_KEY, OPTIONAL_KEY
from app.schemas.common.problem import Problem
from app.schemas.files.imports import ImportedGame, ImportReport, ImportSummary
from app.schemas.games.unfinished import UnfinishedGame
from app.schemas.rule_system_proof import RuleSystemProofIn
from app.schemas.standings.events import RevisionEvent
from app.schemas.standings.standings import StandingsIn
from app.scoring.rules.kind import KINDS
from app.scoring.systems import newest_systems

_SCHEMA: Final = "#/components/schemas/"
_TEMPLATE: Final = _SCHEMA + "{model}"
_FRAMEWORKS: Final = re.compile("^.+__|-(In|Out)put$")
"""What FastAPI adds to the name of a model when another has it, or it is read and answered."""

ANSWERS: Final[tuple[type[BaseModel], ...]] = (Problem, ImportedGame, ImportReport, ImportSummary, RevisionEvent)
"""What answers are made of and no route names as its own."""

READ_BY_HAND: Final[Mapping[str, type[BaseModel]]] = {
    "StandingsIn": StandingsIn,
    "UnfinishedGameIn": UnfinishedGame,
    "RuleSystemProofIn": RuleSystemProofIn,
}
"""Bodies that no signature names (docs/decisions/0010-reading-requests.md)."""

ANSWERED: Final = Path(__file__).parents[1] / "openapi" / "answers.json"
"""What the service really answered, by the name of the schema or the type of problem; ``tests/examples.py`` asks."""

_INSTALLED: Final = Path(__file__).parent / "answers.json"
"""Where a wheel carries the same file."""

_DESCRIPTION: Final = """\
mafrate scores Mafia games under club regulations and names the clause behind every point. A regulation is data: read it
at `/v1/rule-systems/{id}`, send one game to `…/score`, or many games to `…/standings`.

Points are JSON numbers with exact decimals. Requests with unknown fields are rejected; responses may gain fields. Texts
follow `Accept-Language` (ru, en). Every error is a problem document (RFC 9457) with a `type` that you can open.
"""


def document(app: FastAPI) -> dict[str, Any]:
    """The description of ``app``.

    It is FastAPI's, but for what a generated client stumbles over: names of components that change as routes come and
    go, null in a query string, examples without their nulls.
    """
    described = get_openapi(
        title="mafrate",
        version=version("mafrate"),
        summary="Scores Mafia games clause by clause",
        description=_DESCRIPTION,
        routes=app.routes,
        tags=[
            {"name": "Rule systems", "description": "Regulations, and scoring without storing anything."},
            {"name": "Clubs", "description": "Clubs, which own seasons, players and keys."},
            {"name": "Keys", "description": "Keys and roles of a club."},
            {"name": "Players", "description": "Players of a club and their nicknames."},
            {"name": "Seasons", "description": "Seasons and tournaments, each under one regulation."},
            {"name": "Games", "description": "Games of a season. Every change creates a version; none is deleted."},
            {"name": "Approvals", "description": "Games waiting for the president or a chief judge."},
            {"name": "Evenings", "description": "Who is there on an evening, and who plays next."},
            {"name": "Entries", "description": "Entries for a cup, and the awards of its qualifying season."},
            {"name": "Standings", "description": "Tables of a season, player rows line by line, and awards."},
            {"name": "Webhooks", "description": "Telling other services what happens in a club."},
            {"name": "Operations", "description": "Health, metrics and documentation."},
        ],
        license_info={"name": "MIT", "identifier": "MIT"},
    )
    _forget_validation_errors(described)
    _offer_keys(described)
    for operation in _operations(described):
        for parameter in operation.get("parameters", []):
            parameter["schema"] = _parameter(parameter["schema"])
    made = _Answers(described["components"]["schemas"])
    described["paths"] = made.renamed(described["paths"])
    answers = made.components()
    for model in ANSWERS:
        _add(answers, _schemas(model.__name__, model, "serialization"))
    del answers["Rule"]
    _add(answers, _kinds_of_rule())
    for schema in answers.values():
        schema.pop("additionalProperties", None)
    requests = _bodies(described, app)
    for name, model in READ_BY_HAND.items():
        _add(requests, _schemas(name, model, "validation"))
    schemas = answers | requests
    described["components"]["schemas"] = dict(sorted(schemas.items()))
    _show_answers(described)
    return described


def _kinds_of_rule() -> dict[str, Any]:
    """``Rule`` as one of the kinds there are; the core finds a kind by its name, which no annotation tells."""
    newest_systems()  # A kind enters by being imported.
    schemas: dict[str, Any] = {}
    mapping: dict[str, str] = {}
    for kind, model in sorted(KINDS.items()):
        name = model.__name__ + "Rule"
        _add(schemas, _schemas(name, model, "serialization"))
        mapping[kind] = _TEMPLATE.format(model=name)
    choices = [{"$ref": reference} for reference in mapping.values()]
    return {**schemas, "Rule": {"oneOf": choices, "discriminator": {"propertyName": "kind", "mapping": mapping}}}


def _add(schemas: dict[str, Any], more: dict[str, Any]) -> None:
    """Add ``more``; two different schemas of one name would make a client misread one of them."""
    for name, schema in more.items():
        schema["title"] = name
        if schemas.setdefault(name, schema) != schema:
            raise ValueError(f"two schemas are called {name}")


def _forget_validation_errors(described: dict[str, Any]) -> None:
    """Drop the 422 that FastAPI adds wherever it reads a path parameter: any string is one."""
    for operations in described["paths"].values():
        for operation in operations.values():
            content = operation["responses"].get("422", {}).get("content", {})
            if content.get("application/json", {}).get("schema", {}).get("$ref", "").endswith("/HTTPValidationError"):
                del operation["responses"]["422"]
    for name in ("HTTPValidationError", "ValidationError"):
        described["components"]["schemas"].pop(name, None)


def _operations(described: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for operations in described["paths"].values():
        yield from operations.values()


def _offer_keys(described: dict[str, Any]) -> None:
    """Say where a key only shows more: an alternative to none, for which FastAPI has no words."""
    described["components"]["securitySchemes"].pop(OPTIONAL_KEY.scheme_name)
    for operation in _operations(described):
        if operation.get("security") == [{OPTIONAL_KEY.scheme_name: []}]:
            operation["security"] = [{NEEDED_KEY.scheme_name: []}, {}]


def _parameter(schema: dict[str, Any]) -> dict[str, Any]:
    """Null is how a model says absent; a query string cannot say it."""
    kept = {name: value for name, value in schema.items() if name not in {"default", "title", "description"}}
    choices = [choice for choice in kept.pop("anyOf", []) if choice != {"type": "null"}]
    return {**kept, **choices[0]} if len(choices) == 1 else kept


def _bodies(described: dict[str, Any], app: FastAPI) -> dict[str, Any]:
    """The schemas of what signatures name as bodies, each of which its operation now refers to and shows examples of.

    FastAPI's own have names that change as routes come and go, and it leaves every null out of schemas and examples.
    """
    schemas: dict[str, Any] = {}
    for route in app.routes:
        if isinstance(route, APIRoute) and route.body_field is not None:
            field = cast(Body, route.body_field.field_info)
            model = cast(type[BaseModel], field.annotation)
            name = model.__name__.removesuffix("In") + "In"
            _add(schemas, _schemas(name, model, "validation"))
            content = {"schema": {"$ref": _TEMPLATE.format(model=name)}, "examples": field.openapi_examples}
            for method in route.methods or ():
                operation = described["paths"][route.path_format][method.lower()]
                operation["requestBody"]["content"] = {"application/json": content}
    return schemas


class _Answers:
    """The components that answers are made of, under the names of their models alone, whoever else has that name."""

    def __init__(self, schemas: Mapping[str, Any]) -> None:
        self._schemas = schemas
        self._used: dict[str, None] = {}

    def renamed(self, node: Any) -> Any:
        """``node`` with these names in its references."""
        match node:
            case {"$ref": str(reference)} if reference.removeprefix(_SCHEMA) in self._schemas:
                name = reference.removeprefix(_SCHEMA)
                self._used[name] = None
                return {**node, "$ref": _SCHEMA + _FRAMEWORKS.sub("", name)}
            case dict():
                return {key: each if key == "requestBody" else self.renamed(each) for key, each in node.items()}
            case list():
                return [self.renamed(each) for each in node]
            case _:
                return node

    def components(self) -> dict[str, Any]:
        """What was referred to, and all that it refers to in turn."""
        found: dict[str, Any] = {}
        done: set[str] = set()
        while waiting := [name for name in self._used if name not in done]:
            for name in waiting:
                done.add(name)
                _add(found, {_FRAMEWORKS.sub("", name): self.renamed(self._schemas[name])})
        return found


def _show_answers(described: dict[str, Any]) -> None:
    """Show at every response what was answered so (:data:`ANSWERED`)."""
    answered = json.loads((_INSTALLED if _INSTALLED.exists() else ANSWERED).read_text("utf-8"))
    described["components"]["examples"] = {name: {"value": value} for name, value in sorted(answered.items())}
    for operations in described["paths"].values():
        for operation in operations.values():
            for response in operation["responses"].values():
                content = response.get("content", {}).get("application/json", {"schema": {}})
                choices = content["schema"].get("anyOf", [content["schema"]])
                names = [choice.get("$ref", "").rpartition("/")[2] for choice in choices]
                shown = {name: {"$ref": f"#/components/examples/{name}"} for name in names if name in answered}
                if shown:
                    content["examples"] = shown


def _schemas(name: str, model: type[BaseModel], mode: Literal["validation", "serialization"]) -> dict[str, Any]:
    """The schemas of a model and of its parts; the parts of a request end in ``In`` too."""
    suffix = "In" if mode == "validation" else ""
    whole = model.model_json_schema(mode=mode, ref_template=_TEMPLATE.replace("}", "}" + suffix))
    parts = {f"{part}{suffix}": schema for part, schema in whole.pop("$defs", {}).items()}
    return {**parts, name: whole}


def written(app: FastAPI) -> str:
    """The document as its file holds it."""
    return json.dumps(app.openapi(), ensure_ascii=False, indent=2, sort_keys=True) + "\n"
