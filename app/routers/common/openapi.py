"""How a route says in OpenAPI what :mod:`app.web.bodies` reads and :mod:`app.problems` answers."""

from collections.abc import Mapping
from typing import Any, Final

from fastapi.openapi.models import Example
from pydantic import BaseModel

from app.problems import MEDIA_TYPE
from app.schemas.common.problem_kinds import KINDS

_SCHEMA: Final = "#/components/schemas/"
_EXAMPLE: Final = "#/components/examples/"

UNCHANGED: Final[dict[int | str, dict[str, Any]]] = {304: {"description": "The version in `If-None-Match` is current."}}
"""The response of a route that answers with an ETag."""


NEEDS_KEY: Final[dict[str, Any]] = {"security": [{"key": []}]}
"""Of a route that looks for the key by itself."""


def shown(examples: Mapping[str, tuple[str, object]]) -> dict[str, Example]:
    """Examples of a body as FastAPI takes them; ``examples``: name to (summary, value)."""
    return {name: {"summary": summary, "value": value} for name, (summary, value) in examples.items()}


def takes(schema: str, examples: Mapping[str, tuple[str, object]], *others: str) -> dict[str, Any]:
    """A required JSON body of the named schema, or of another of those; ``examples``: name to (summary, value)."""
    choices = [{"$ref": _SCHEMA + name} for name in (schema, *others)]
    content = {
        "schema": choices[0] if len(choices) == 1 else {"anyOf": choices},
        "examples": shown(examples),
    }
    return {"requestBody": {"required": True, "content": {"application/json": content}}}


def asks(query: type[BaseModel]) -> dict[str, Any]:
    """The query parameters that are the fields of ``query``."""
    described = query.model_json_schema()
    return {
        "parameters": [
            {
                "name": name,
                "in": "query",
                "required": name in described.get("required", ()),
                "description": schema.pop("description"),
                "schema": _without_null(schema),
            }
            for name, schema in described["properties"].items()
        ]
    }


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """Null is how a model says absent; a query string cannot say it."""
    schema.pop("default", None)
    schema.pop("title", None)
    choices = [choice for choice in schema.pop("anyOf", []) if choice != {"type": "null"}]
    return {**schema, **choices[0]} if len(choices) == 1 else schema


def fails(*slugs: str) -> dict[int | str, dict[str, Any]]:
    """The responses for these types of problem, each with an answer as it was given (:mod:`app.openapi`)."""
    responses: dict[int | str, dict[str, Any]] = {}
    for slug in slugs:
        kind = KINDS[slug]
        known = responses.setdefault(
            kind.status,
            {"description": "", "content": {MEDIA_TYPE: {"schema": {"$ref": _SCHEMA + "Problem"}, "examples": {}}}},
        )
        known["description"] = " ".join([known["description"], f"`{slug}`: {kind.meaning.en}"]).strip()
        known["content"][MEDIA_TYPE]["examples"][slug] = {"$ref": _EXAMPLE + slug}
    return responses
