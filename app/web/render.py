"""Answers: built once to bytes, numbers exact."""

import hashlib
from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final, NamedTuple

import orjson
from starlette.background import BackgroundTask
from starlette.responses import Response, StreamingResponse

from app.scoring.points import Points, decimal_of
from app.web.header_values import entity_tags
from app.web.language import Language

_NOSNIFF: Final = (b"x-content-type-options", b"nosniff")
_SPOKEN: Final[dict[Language, list[tuple[bytes, bytes]]]] = {
    language: [(b"content-language", language.encode()), (b"vary", b"Accept-Language")] for language in ("ru", "en")
}


class BodyTag(NamedTuple):
    """The ETag that a body makes: the same bytes, the same tag. It begins with the tag of the ``settings`` of what has
    some (:func:`app.services.storage.settings_tag.settings_tag`), which is all that ``If-Match`` looks at.
    """

    settings: str | None = None

    def of(self, body: bytes) -> str:
        """Return the strong validator, quotes included."""
        digest = hashlib.sha256(body).hexdigest()[:32]
        return f'"{digest}"' if self.settings is None else f'"{self.settings}.{digest}"'


class UseCaseResult(NamedTuple):
    """What a use case made, as it goes out; ``wire`` None: no body."""

    wire: object
    status: int = 200
    language: Language | None = None
    location: str | None = None
    etag: str | BodyTag | None = None
    cache_control: str | None = None
    replayed: object = None
    """What a repetition is answered instead of ``wire``, where a secret must not be shown twice."""


@lru_cache(maxsize=4096)
def exact(points: Points) -> orjson.Fragment:
    """Millionths of a point as the JSON number with the exact decimals: 250000 is ``0.25``."""
    return orjson.Fragment(f"{decimal_of(points):f}")


def _decimal(value: object) -> orjson.Fragment:
    if isinstance(value, Decimal):
        return orjson.Fragment(f"{value:f}")
    raise TypeError(f"{type(value).__name__} does not go into an answer")


def render(value: object) -> bytes:
    """``value`` as JSON; a :class:`~decimal.Decimal` becomes a number with its exact decimals."""
    return orjson.dumps(value, default=_decimal)


def answer(
    body: bytes,
    language: Language | None = None,
    *,
    status: int = 200,
    media_type: str = "application/json",
    headers: Mapping[str, str] | None = None,
) -> Response:
    """``body`` as a response; ``language`` is the one its words were chosen in, ``None`` when it has no such words."""
    response = Response(body, status, headers, media_type)
    response.raw_headers.append(_NOSNIFF)
    if language is not None:
        response.raw_headers.extend(_SPOKEN[language])
    return response


def response_of(made: UseCaseResult, if_none_match: str | None = None) -> Response:
    """What a use case made as a response; 304 where ``if_none_match`` names its ETag."""
    body = b"" if made.wire is None else render(made.wire)
    etag = made.etag.of(body) if isinstance(made.etag, BodyTag) else made.etag
    headers = {}
    if made.location is not None:
        headers["Location"] = made.location
    if etag is not None:
        headers["ETag"] = etag
    if made.cache_control is not None:
        headers["Cache-Control"] = made.cache_control
    if etag is not None and matches(if_none_match, etag):
        return Response(status_code=304, headers=headers)
    if made.wire is None:
        return Response(status_code=made.status, headers=headers)
    return answer(body, made.language, status=made.status, headers=headers)


def streamed(
    chunks: Iterator[bytes],
    language: Language | None = None,
    *,
    status: int = 200,
    media_type: str,
    headers: Mapping[str, str],
    background: BackgroundTask | None = None,
) -> Response:
    """As :func:`answer`, of a body that is read from somewhere while it is sent."""
    response = StreamingResponse(chunks, status, headers, media_type, background)
    response.raw_headers.append(_NOSNIFF)
    if language is not None:
        response.raw_headers.extend(_SPOKEN[language])
    return response


def matches(if_none_match: str | None, etag: str) -> bool:
    """Whether ``If-None-Match`` names ``etag`` (weak comparison, RFC 9110, 13.1.2)."""
    if if_none_match is None:
        return False
    named = entity_tags(if_none_match)
    return "*" in named or etag.removeprefix("W/").strip('"') in named


def fresh(body: bytes, etag: str, if_none_match: str | None, cache_control: str) -> Response:
    """``body`` with its validator, or 304 when the client already has it."""
    headers: dict[str, Any] = {"ETag": etag, "Cache-Control": cache_control}
    if matches(if_none_match, etag):
        return Response(status_code=304, headers=headers)
    return answer(body, headers=headers)
