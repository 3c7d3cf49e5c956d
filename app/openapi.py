"""The OpenAPI document; ``mafrate openapi`` writes it to a file."""

import json
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, Literal

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from pydantic import BaseModel

from app.schemas.clubs.clubs import ClubChangesIn, ClubIn
from app.schemas.clubs.keys import KeyIn
from app.schemas.clubs.player_merging import MergeIn
from app.schemas.clubs.players import PlayerChangesIn, PlayerIn
from app.schemas.common.problem import Problem
from app.schemas.files.imports import ImportedGame, ImportSummary
from app.schemas.games.approvals import DecisionIn
from app.schemas.seasons.cup_entries import CupEntryIn
from app.schemas.seasons.seasons import SeasonChangesIn, SeasonIn
from app.schemas.standings.lots import DrawIn
from app.schemas.standings.standings import StandingsIn
from app.scoring.game import Game
from app.scoring.rules.kind import KINDS
from app.scoring.systems import newest_systems
from app.services.access import OPERATIONS

_TEMPLATE: Final = "#/components/schemas/{model}"

REQUESTS: Final[Mapping[str, type[BaseModel]]] = {
    "GameIn": Game,
    "StandingsIn": StandingsIn,
    "ClubIn": ClubIn,
    "ClubChangesIn": ClubChangesIn,
    "KeyIn": KeyIn,
    "PlayerIn": PlayerIn,
    "PlayerChangesIn": PlayerChangesIn,
    "MergeIn": MergeIn,
    "SeasonIn": SeasonIn,
    "SeasonChangesIn": SeasonChangesIn,
    "DecisionIn": DecisionIn,
    "CupEntryIn": CupEntryIn,
    "DrawIn": DrawIn,
}
"""What bodies are read as, by the name it has on the wire; parts get the same suffix ``In``."""

ANSWERS: Final[tuple[type[BaseModel], ...]] = (Problem, ImportedGame, ImportSummary)
"""What answers are made of and no route names as its own."""

ANSWERED: Final = Path(__file__).parent / "schemas" / "answers.json"
"""What the service really answered, by the name of the schema or the type of problem; ``tests/examples.py`` asks."""

_DESCRIPTION: Final = """\
Scores games of Mafia under club regulations and says which clause gave which point. A regulation is data: read it at
`/v1/rule-systems/{id}`, send a game to `…/score`, many games to `…/standings`.

Points are JSON numbers with exact decimals. Requests refuse unknown fields; answers may gain some. Words follow
`Accept-Language` (ru, en). Every error is a problem (RFC 9457) whose `type` can be opened.
"""


def document(app: FastAPI) -> dict[str, Any]:
    """The description of ``app``.

    Routes read their bodies themselves, so FastAPI sees models in answers only; those of requests are added here under
    names of their own. That keeps both names stable: FastAPI's ``separate_input_output_schemas`` would either rename
    them as routes come and go or describe answers by what requests may contain.
    """
    described = get_openapi(
        title="mafrate",
        version=version("mafrate"),
        summary="Mafia games, scored by the clause",
        description=_DESCRIPTION,
        routes=app.routes,
        tags=[
            {"name": "Rule systems", "description": "Regulations, and what they say of games that nobody keeps."},
            {"name": "Clubs", "description": "Where seasons are kept."},
            {"name": "Keys", "description": "Who may do what in a club."},
            {"name": "Players", "description": "The people of a club and their nicknames."},
            {"name": "Seasons", "description": "Seasons and tournaments, each under one regulation."},
            {"name": "Games", "description": "Games of a season: each change is a version, and none is lost."},
            {"name": "Approvals", "description": "What waits for the president or a chief judge."},
            {"name": "Entries", "description": "Who enters a cup, with what the qualifying season gives whom."},
            {"name": "Standings", "description": "Tables of a season, line by line, and what its places give."},
            {"name": "Operations", "description": "The service about itself."},
        ],
        license_info={"name": "MIT", "identifier": "MIT"},
    )
    _forget_validation_errors(described)
    _ask_for_keys(described)
    _put_bodies_back(described, app)
    answers = described["components"]["schemas"]
    for model in ANSWERS:
        _add(answers, _schemas(model.__name__, model, "serialization"))
    del answers["Rule"]
    _add(answers, _kinds_of_rule())
    for schema in answers.values():
        schema.pop("additionalProperties", None)
    requests: dict[str, Any] = {}
    for name, model in REQUESTS.items():
        _add(requests, _schemas(name, model, "validation"))
    schemas = answers | requests
    for name, schema in schemas.items():
        schema["title"] = name
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
        if schemas.setdefault(name, schema) != schema:
            raise ValueError(f"two schemas are called {name}")


def _forget_validation_errors(described: dict[str, Any]) -> None:
    """Drop the 422 that FastAPI adds wherever it reads a path parameter: any string is one."""
    for operations in described["paths"].values():
        for operation in operations.values():
            if "application/json" in operation["responses"].get("422", {}).get("content", {}):
                del operation["responses"]["422"]
    for name in ("HTTPValidationError", "ValidationError"):
        described["components"]["schemas"].pop(name, None)


def _ask_for_keys(described: dict[str, Any]) -> None:
    """Say where a key is needed and where it only shows more (:data:`app.services.access.OPERATIONS`)."""
    scheme = {"type": "http", "scheme": "bearer", "description": "A key: of a club, or the admin's."}
    described["components"]["securitySchemes"] = {"key": scheme}
    for operations in described["paths"].values():
        for operation in operations.values():
            roles = OPERATIONS.get(operation["operationId"])
            if roles is not None:
                operation["security"] = [{"key": []}, {}] if "anonymous" in roles else [{"key": []}]


def _put_bodies_back(described: dict[str, Any], app: FastAPI) -> None:
    """Describe bodies as their routes do: FastAPI leaves every null out of their examples."""
    for route in app.routes:
        if isinstance(route, APIRoute) and route.openapi_extra and "requestBody" in route.openapi_extra:
            for method in route.methods or ():
                operation = described["paths"][route.path_format][method.lower()]
                operation["requestBody"] = route.openapi_extra["requestBody"]


def _show_answers(described: dict[str, Any]) -> None:
    """Show at every response what was answered so (:data:`ANSWERED`)."""
    answered = json.loads(ANSWERED.read_text("utf-8"))
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
