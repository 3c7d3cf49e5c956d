"""Responses that the server itself gives, when no application will: problems as any other (RFC 9457)."""

from collections.abc import Iterable
from http import HTTPStatus
from typing import Final, NamedTuple

from prometheus_client import Counter
from starlette.requests import Request

from app.problems import Problem, respond
from app.schemas.common.problem_kinds import HEADERS_TOO_LARGE, TOO_SLOW, UNAVAILABLE
from app.scoring.text import words
from app.server.limits import BODY_BYTES_PER_SECOND, HEAD_BYTES, HEAD_SECONDS

REFUSED: Final = Counter(
    "mafrate_refused_connections_total", "Connections that the server closed because of a limit.", ("reason",)
)

_LONGEST_PATH: Final = 1_000
_HEADERS_AT_MOST: Final = words(
    "Строка запроса и заголовки вместе не должны превышать {} байт.",
    "The request line and the headers may have at most {} bytes together.",
)
_HEADERS_WITHIN: Final = words("Заголовки должны дойти за {} секунд.", "The headers must arrive within {} seconds.")
_BODY_RATE: Final = words(
    "Тело должно идти не медленнее {} байт в секунду.", "The body must arrive at {} bytes per second or more."
)
_CROWDED: Final = words(
    "Открыто слишком много соединений; повторите позже.", "Too many connections are open; try again later."
)


class Refusal(NamedTuple):
    """Why a connection ends, and what the client is told; ``problem`` None: nothing."""

    reason: str
    problem: Problem | None = None


HEAD_TOO_LARGE: Final = Refusal("head_too_large", Problem(HEADERS_TOO_LARGE, _HEADERS_AT_MOST, (HEAD_BYTES,)))
HEAD_TOO_SLOW: Final = Refusal("head_too_slow", Problem(TOO_SLOW, _HEADERS_WITHIN, (round(HEAD_SECONDS),)))
BODY_TOO_SLOW: Final = Refusal("body_too_slow", Problem(TOO_SLOW, _BODY_RATE, (BODY_BYTES_PER_SECOND,)))
CROWDED: Final = Refusal("crowded", Problem(UNAVAILABLE, _CROWDED, headers={"Retry-After": "2"}))
SILENT: Final = Refusal("silent")
RESPONSE_NOT_TAKEN: Final = Refusal("response_not_taken")


def response_bytes(problem: Problem, url: bytes, headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Return a whole HTTP/1.1 response; ``url`` and ``headers`` are what has come of the request so far."""
    path = url.partition(b"?")[0].decode("latin-1")
    if not path.startswith("/") or len(path) > _LONGEST_PATH:
        path = "/"
    spoken = [(name, value) for name, value in headers if name == b"accept-language" and len(value) <= _LONGEST_PATH]
    response = respond(Request({"type": "http", "path": path, "headers": spoken}), problem)
    status = HTTPStatus(response.status_code)
    lines = [b"HTTP/1.1 %d %s" % (status, status.phrase.encode())]
    lines += [b"%s: %s" % header for header in [*response.raw_headers, (b"connection", b"close")]]
    return b"\r\n".join([*lines, b"", bytes(response.body)])
