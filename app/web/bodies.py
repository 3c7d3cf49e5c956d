"""Reading a request: strict JSON within a limit, a query without unknown names.

FastAPI could read both, but it accepts repeated keys, echoes what it refuses and asks of every request what only few
need; its body limit answers plain text. Both readers take a model, so that a router still says what it takes once.
"""

import asyncio
from collections import Counter
from functools import lru_cache
from typing import Any, Final, TypeVar, cast

from pydantic import BaseModel, ValidationError
from starlette.requests import ClientDisconnect, Request

from app.scoring import exact_json
from app.scoring.text import Text, words
from app.scoring.violation import Violation
from app.validation import InvalidInput, input_violations

GAME_BYTES: Final = 1_000_000
"""The largest body of a single game, and of everything else that names no other limit."""

BODY_SECONDS: Final = 60
"""How long a body may take to arrive."""

Model = TypeVar("Model", bound=BaseModel)


class BodyTooLarge(Exception):
    """The body is larger than ``limit`` bytes."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"a body of at most {limit} bytes expected")
        self.limit = limit


class BodyTooSlow(Exception):
    """The body did not arrive within ``seconds``."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"the body did not arrive within {seconds} seconds")
        self.seconds = seconds


class UnsupportedMediaType(Exception):
    """The body is not of a type that is read here; ``text`` says what is missing."""

    def __init__(self, text: Text) -> None:
        super().__init__(text.en)
        self.text = text


_TWICE: Final = words("параметр указан дважды; оставьте один", "the parameter appears twice")
_UNTYPED: Final = words("Укажите заголовок Content-Type: application/json.", "Set Content-Type: application/json.")
_FILE: Final = words("Укажите Content-Type, один из: {}.", "Set Content-Type to one of: {}.")
_NOT_JSON: Final = words(
    "Здесь принимается только JSON: Content-Type: application/json.",
    "Only JSON is accepted; set Content-Type: application/json.",
)
_CHARSET: Final = words("JSON принимается только в UTF-8.", "JSON must be encoded in UTF-8.")
_ENCODED: Final = words(
    "Сжатые запросы не принимаются; отправьте без Content-Encoding.", "Content-Encoding is not supported."
)


async def read_json(request: Request, limit: int = GAME_BYTES) -> Any:
    """The value of a JSON body, as :func:`app.scoring.exact_json.loads` gives it.

    Raises:
        UnsupportedMediaType: the body is not said to be JSON in UTF-8.
        BodyTooLarge: it exceeds ``limit`` bytes.
        BodyTooSlow: it takes longer than :data:`BODY_SECONDS`.
        app.scoring.exact_json.MalformedJSON: it is not strict JSON.
    """
    return exact_json.loads(await read_json_bytes(request, limit))


async def read_json_bytes(request: Request, limit: int) -> bytes:
    """The bytes of a JSON body, for who parses them elsewhere; raises what :func:`read_json` does but for parsing."""
    _demand_json(request)
    return await read_body(request, limit)


def _demand_json(request: Request) -> None:
    headers = request.headers
    stated = headers.get("content-type")
    if stated != "application/json":
        if stated is None:
            raise UnsupportedMediaType(_UNTYPED)
        essence, *parameters = (part.strip().lower() for part in stated.split(";"))
        if essence != "application/json" and not (essence.startswith("application/") and essence.endswith("+json")):
            raise UnsupportedMediaType(_NOT_JSON)
        for parameter in parameters:
            name, _, value = parameter.partition("=")
            if name.strip() == "charset" and value.strip().strip('"') not in {"utf-8", "utf8"}:
                raise UnsupportedMediaType(_CHARSET)
    if headers.get("content-encoding", "identity").lower() != "identity":
        raise UnsupportedMediaType(_ENCODED)


def type_of_file(request: Request, *expected: str) -> str:
    """Which of the expected types the body, a file, is said to be.

    Raises:
        UnsupportedMediaType: none of them, or compressed besides.
    """
    stated = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if stated not in expected:
        named = ", ".join(expected)
        raise UnsupportedMediaType(words(*[line.format(named) for line in (_FILE.ru, _FILE.en)]))
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        raise UnsupportedMediaType(_ENCODED)
    return stated


async def read_body(request: Request, limit: int) -> bytes:
    """The whole body, counted while it arrives; ``Content-Length`` is believed only when it already says too much."""
    stated = request.headers.get("content-length", "")
    if stated.isascii() and stated.isdigit() and (len(stated) > 18 or int(stated) > limit):
        raise BodyTooLarge(limit)
    message = await request.receive()
    body = message.get("body", b"")
    if message.get("more_body"):
        body = await _rest(request, [body], limit)
    elif message["type"] == "http.disconnect":
        raise ClientDisconnect
    if len(body) > limit:
        raise BodyTooLarge(limit)
    return bytes(body)


async def _rest(request: Request, chunks: list[bytes], limit: int) -> bytes:
    size = len(chunks[0])
    more = True
    try:
        async with asyncio.timeout(BODY_SECONDS):
            while more:
                message = await request.receive()
                if message["type"] == "http.disconnect":
                    raise ClientDisconnect
                chunks.append(message.get("body", b""))
                size += len(chunks[-1])
                if size > limit:
                    raise BodyTooLarge(limit)
                more = message.get("more_body", False)
    except TimeoutError:
        raise BodyTooSlow(BODY_SECONDS) from None
    return b"".join(chunks)


def read_query(request: Request, model: type[Model]) -> Model:
    """The query string as ``model``, whose fields are strings or can be read from one.

    Raises:
        InvalidInput: a name is unknown or stands twice, or a value is not what its field takes.
    """
    if not request.scope["query_string"]:
        return cast(Model, _without_query(model))
    pairs = request.query_params.multi_items()
    given = dict(pairs)
    if len(given) != len(pairs):
        twice = [name for name, times in Counter(name for name, _ in pairs).items() if times > 1]
        raise InvalidInput([Violation("value", f"?{name}", _TWICE) for name in twice])
    return _read(model, given)


@lru_cache(maxsize=64)
def _without_query(model: type[BaseModel]) -> BaseModel:
    return _read(model, {})


def _read(model: type[Model], given: dict[str, str]) -> Model:
    try:
        return model.model_validate_strings(given, strict=True)
    except ValidationError as error:
        raise InvalidInput(input_violations(error, "?")) from None
