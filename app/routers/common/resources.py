"""What the routers of clubs, keys, players and seasons have in common."""

import hashlib
from typing import Annotated, Any, Final, TypeVar

from fastapi import Path, Request
from pydantic import BaseModel
from starlette.convertors import Convertor, register_url_convertor

from app.patterns import GAME_ID, PLAYER_ID, SLUG
from app.routers.common.use_case import UseCaseResult
from app.scoring.exact_json import loads
from app.services.errors import Unauthorized
from app.web.bodies import GAME_BYTES, read_json_bytes
from app.web.language import Language
from app.web.render import render

ClubSlug = Annotated[str, Path(pattern=SLUG, description="The club's slug.", examples=["maffamily"])]
SeasonSlug = Annotated[str, Path(pattern=SLUG, description="The season's slug.", examples=["2025-spring"])]


class _Ids(Convertor[str]):
    """Ids in a path: an address beside them that is none, such as ``duplicates``, has methods of its own."""

    def convert(self, value: str) -> str:
        """The id as it is written."""
        return value

    def to_string(self, value: str) -> str:
        """The id as it is written."""
        return value


class _PlayerIds(_Ids):
    regex = PLAYER_ID


class _GameIds(_Ids):
    regex = GAME_ID


register_url_convertor("player_id", _PlayerIds())
register_url_convertor("game_id", _GameIds())

READ_FAILURES: Final = ("unauthorized", "not-found", "invalid-request", "rate-limited", "unavailable")
WRITE_FAILURES: Final = ("unauthorized", "forbidden", "not-found", "rate-limited", "unavailable")
BODY_FAILURES: Final = (
    *WRITE_FAILURES,
    "too-slow",
    "conflict",
    "too-large",
    "unsupported-media-type",
    "invalid-request",
)
"""What can go wrong wherever something is read, written, and written as a body says."""

ONCE: Final[dict[str, Any]] = {
    "parameters": [
        {
            "name": "Idempotency-Key",
            "in": "header",
            "required": False,
            "description": "For 24 hours the same body under the same key is answered as the first time.",
            "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[ -~]+$"},
        }
    ]
}
"""Where a POST may be repeated without doing anything twice."""

Model = TypeVar("Model", bound=BaseModel)


async def read_as(request: Request, model: type[Model]) -> tuple[Model, bytes]:
    """The JSON body as ``model``, and its bytes, which must be the same under the same ``Idempotency-Key``.

    Of who brings no key nothing is read.

    Raises:
        Unauthorized: there is no key.
        UnsupportedMediaType, BodyTooLarge, BodyTooSlow, MalformedJSON: see :func:`app.web.bodies.read_json`.
        pydantic.ValidationError: the body has another shape.
    """
    if "authorization" not in request.headers:
        raise Unauthorized
    body = await read_json_bytes(request, GAME_BYTES)
    return model.model_validate(loads(body)), body


def current(wire: object, language: Language | None = None, *, public: bool = False) -> UseCaseResult:
    """What is there now, with the tag of its bytes; a cache that others share keeps only what is public."""
    return UseCaseResult(
        wire, language=language, etag=tag_of(wire), cache_control="no-cache" if public else "private, no-cache"
    )


def tag_of(wire: object) -> str:
    """A strong validator of what is answered in no language: the same bytes, the same tag."""
    return f'"{hashlib.sha256(render(wire)).hexdigest()[:32]}"'
