"""What the routers of clubs, keys, players and seasons have in common."""

from typing import Annotated, Final

from fastapi import Header, Path, Query
from pydantic import WithJsonSchema
from starlette.convertors import Convertor, register_url_convertor

from app.patterns import GAME_ID, PLAYER_ID, SLUG
from app.schemas.common.fields import PageQuery
from app.web.language import Language
from app.web.render import BodyTag, UseCaseResult

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

Page = Annotated[PageQuery, Query()]

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

IdempotencyKey = Annotated[
    str | None,
    WithJsonSchema({"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[ -~]+$"}),
    Header(
        alias="Idempotency-Key",
        description="For 24 hours, repeating the request with the same key and body returns the first response.",
    ),
]
"""Where a POST may be repeated without doing anything twice."""

IfMatch = Annotated[
    str | None,
    WithJsonSchema({"type": "string"}),
    Header(alias="If-Match", description="The ETag of what is to be changed, as you read it, or `*`."),
]
"""Without a default: required, which the service says (428), after it has looked at everything else."""


def current(
    wire: object, language: Language | None = None, *, public: bool = False, settings: str | None = None
) -> UseCaseResult:
    """What is there now, with its tag; a cache that others share keeps only what is public."""
    cache_control = "no-cache" if public else "private, no-cache"
    return UseCaseResult(wire, language=language, etag=BodyTag(settings), cache_control=cache_control)


def changed(wire: object, settings: str | None = None) -> UseCaseResult:
    """What was changed, as it is now, with its tag."""
    return UseCaseResult(wire, etag=BodyTag(settings))
