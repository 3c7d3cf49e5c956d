"""The only table of exception to ``application/problem+json`` (RFC 9457; docs/api.md#errors)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.routing import Match, Mount

from app.schemas.common.problem import violation_wire
from app.schemas.common.problem_kinds import (
    CONFLICT,
    FORBIDDEN,
    IDEMPOTENCY_MISMATCH,
    INTERNAL,
    INVALID_REQUEST,
    KINDS,
    METHOD_NOT_ALLOWED,
    NOT_FOUND,
    PRECONDITION_FAILED,
    PRECONDITION_REQUIRED,
    RATE_LIMITED,
    RULE_VIOLATION,
    TOO_LARGE,
    TOO_SLOW,
    UNAUTHORIZED,
    UNAVAILABLE,
    UNSUPPORTED_MEDIA_TYPE,
    Kind,
)
from app.schemas.games.unfinished import missing_wire
from app.scoring.exact_json import MalformedJSON
from app.scoring.systems import UnknownRuleSystem
from app.scoring.text import Text, words
from app.scoring.unfinished import UnfinishedViolations
from app.scoring.violation import RuleViolations, Violation
from app.services.errors import (
    Conflict,
    Forbidden,
    GamesRefused,
    IdempotencyMismatch,
    NotFound,
    PreconditionFailed,
    PreconditionRequired,
    RateLimited,
    Unauthorized,
)
from app.services.storage import Damaged, DiskFull, FileGone, NotACursor, ReadOnly, Unavailable, Unstorable
from app.validation import MOST_VIOLATIONS, InvalidInput, UnreadableFile, input_violations
from app.web.bodies import BodyTooLarge, BodyTooSlow, UnsupportedMediaType
from app.web.concurrency import Saturated
from app.web.language import language_of
from app.web.render import answer, render

MEDIA_TYPE: Final = "application/problem+json"


class Problem(NamedTuple):
    """What one failed request is told."""

    kind: Kind
    detail: Text | None = None
    args: tuple[Any, ...] = ()
    violations: Sequence[Violation] = ()
    code: str | None = None
    headers: Mapping[str, str] = {}
    members: Mapping[str, object] = {}
    """More members of the answer, such as ``existing``."""


def _listed(kind: Kind, violations: Sequence[Violation], detail: Text) -> Problem:
    if len(violations) > MOST_VIOLATIONS:
        return Problem(kind, _CUT, (MOST_VIOLATIONS,), violations[:MOST_VIOLATIONS])
    return Problem(kind, detail, (len(violations),), violations)


def _invalid(violations: Sequence[Violation]) -> Problem:
    return _listed(INVALID_REQUEST, violations, _MISSHAPEN)


def _refused(error: GamesRefused) -> Problem:
    """All violations of the kept games that rules forbid, and each game once."""
    named = [game._asdict() for game in error.named]
    members = {"games": named, "refused": error.games}
    return _listed(RULE_VIOLATION, error.violations, _BROKEN)._replace(members=members)


def _unfinished(error: UnfinishedViolations) -> Problem:
    """What is wrong already, and what else a form shows."""
    return _listed(RULE_VIOLATION, error.violations, _BROKEN)._replace(members=missing_wire(error.judged))


def _unavailable(code: str, detail: Text, seconds: int) -> Problem:
    return Problem(UNAVAILABLE, detail, code=code, headers={"Retry-After": str(seconds)})


def _of_framework(error: HTTPException) -> Problem:
    kind = next((kind for kind in KINDS.values() if kind.status == error.status_code), INTERNAL)
    return Problem(kind, headers=error.headers or {})


_MISSHAPEN: Final = words(
    "Ошибок в запросе: {}. Исправьте все и повторите.", "Format errors: {}. Fix them all and try again."
)
_BROKEN: Final = words("Нарушений регламента: {}.", "Regulation violations: {}.")
_CUT: Final = words("Ошибок слишком много; показаны первые: {}.", "Showing only the first {}.")
_AT_MOST: Final = words(
    "Запрос слишком большой: можно не больше {} байт.", "The request body must not exceed {} bytes."
)
_WITHIN: Final = words(
    "Запрос не дошёл целиком вовремя; срок — {} с.", "The request body must arrive within {} seconds."
)
_JSON: Final = words("ошибка в JSON: {}", "invalid JSON: {}")

_FULL: Final = words(
    "На диске сервиса нет места, ничего не сохранено. Освободите место и повторите.",
    "The service's disk is full; nothing was stored. Free some space and try again.",
)
_GONE: Final = words(
    "Файла базы данных нет на месте, ничего не сохраняется. Верните его или восстановите копию (mafrate restore).",
    "The database file is not where it was; nothing is stored. Put it back, or restore a copy (mafrate restore).",
)
_READ_ONLY: Final = words(
    "Этот процесс только читает, ничего не сохранено. Отправьте запрос тому, который пишет.",
    "This process only reads; nothing was stored. Send the request to one that writes.",
)
_DAMAGED: Final = words(
    "Файл базы данных повреждён, ничего не сохраняется. Уберите его и восстановите копию (mafrate restore).",
    "The database file is damaged; nothing is stored. Move it away and restore a copy (mafrate restore).",
)
_DAMAGED_SECONDS: Final = 60
_UNSTORABLE: Final = words("такое значение сохранить нельзя; измените его", "this value cannot be stored")
_CURSOR: Final = words("cursor не от этого списка; начните без него", "the cursor does not belong to this list")
_CHALLENGE: Final = {"WWW-Authenticate": 'Bearer realm="mafrate"'}

TABLE: Final[Mapping[type[Exception], Callable[[Any], Problem]]] = {
    MalformedJSON: lambda error: _invalid([Violation("json", "", _JSON, (error.reason,))]),
    ValidationError: lambda error: _invalid(input_violations(error)),
    InvalidInput: lambda error: _invalid(error.violations),
    UnreadableFile: lambda error: _invalid(error.violations),
    UnfinishedViolations: lambda error: _unfinished(error),
    RuleViolations: lambda error: _listed(RULE_VIOLATION, error.violations, _BROKEN),
    GamesRefused: lambda error: _refused(error),
    UnknownRuleSystem: lambda error: Problem(NOT_FOUND, error.text),
    UnsupportedMediaType: lambda error: Problem(UNSUPPORTED_MEDIA_TYPE, error.text),
    BodyTooLarge: lambda error: Problem(TOO_LARGE, _AT_MOST, (error.limit,), headers={"Connection": "close"}),
    BodyTooSlow: lambda error: Problem(TOO_SLOW, _WITHIN, (error.seconds,), headers={"Connection": "close"}),
    Saturated: lambda error: Problem(UNAVAILABLE, headers={"Retry-After": str(error.seconds)}),
    NotFound: lambda error: Problem(NOT_FOUND, error.text),
    Unauthorized: lambda _error: Problem(UNAUTHORIZED, headers=_CHALLENGE),
    RateLimited: lambda error: Problem(RATE_LIMITED, headers={"Retry-After": str(error.seconds)}),
    Forbidden: lambda error: Problem(FORBIDDEN, error.text, error.args_of_text),
    Conflict: lambda error: Problem(CONFLICT, error.text, error.args_of_text, code=error.code, members=error.members),
    PreconditionRequired: lambda _error: Problem(PRECONDITION_REQUIRED),
    PreconditionFailed: lambda _error: Problem(PRECONDITION_FAILED),
    IdempotencyMismatch: lambda _error: Problem(IDEMPOTENCY_MISMATCH),
    DiskFull: lambda error: _unavailable("disk_full", _FULL, error.retry_after),
    FileGone: lambda error: _unavailable("database_gone", _GONE, error.retry_after),
    ReadOnly: lambda error: _unavailable("read_only", _READ_ONLY, error.retry_after),
    Damaged: lambda _error: _unavailable("database_damaged", _DAMAGED, _DAMAGED_SECONDS),
    Unavailable: lambda error: Problem(UNAVAILABLE, headers={"Retry-After": str(error.retry_after)}),
    Unstorable: lambda _error: _invalid([Violation("value", "", _UNSTORABLE)]),
    NotACursor: lambda _error: _invalid([Violation("value", "?cursor", _CURSOR)]),
    HTTPException: _of_framework,
    # Of a request the framework itself reads nothing but the path.
    RequestValidationError: lambda _error: Problem(NOT_FOUND),
    Exception: lambda _error: Problem(INTERNAL),
}


CLIENT_GONE: Final = 499
"""The status under which metrics count a request whose client hung up; nobody is sent it."""


def install(app: FastAPI) -> None:
    """Let every exception of ``app`` be answered by its row of :data:`TABLE`."""
    app.add_exception_handler(ClientDisconnect, _count_as_gone)
    for kind_of_error, problem_of in TABLE.items():
        app.add_exception_handler(kind_of_error, _handler(problem_of))


async def _count_as_gone(_request: Request, _error: Exception) -> Response:
    """A client that hung up: no fault of the service's, and nothing for its log."""
    return Response(status_code=CLIENT_GONE)


def _handler(problem_of: Callable[[Any], Problem]) -> Callable[[Request, Exception], Any]:
    async def handle(request: Request, error: Exception) -> Response:
        problem = problem_of(error)
        if problem.kind is METHOD_NOT_ALLOWED:
            problem = problem._replace(headers={"Allow": ", ".join(_allowed(request))})
        return respond(request, problem)

    return handle


def respond(request: Request, problem: Problem) -> Response:
    """The problem as an answer to ``request``, in its language."""
    language = language_of(request)
    kind = problem.kind
    body = {
        "type": f"/problems/{kind.slug}",
        "title": kind.title.say(language),
        "status": kind.status,
        "detail": (problem.detail or kind.meaning).say(language, *problem.args),
        "instance": quote(request.scope["path"], safe="/:@!$&'()*+,;=~-._"),
        "code": problem.code,
        "violations": [violation_wire(violation, language) for violation in problem.violations],
        **problem.members,
    }
    return answer(render(body), language, status=kind.status, media_type=MEDIA_TYPE, headers=problem.headers)


def _allowed(request: Request) -> list[str]:
    """Every method that some route of the application takes at the request's path; a router knows only its own."""
    bare = {"type": "http", "path": request.scope["path"], "root_path": "", "headers": [], "query_string": b""}
    methods = [
        method
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE")
        if any(
            route.matches({**bare, "method": method})[0] is Match.FULL
            for route in request.app.routes
            if method == "GET" or not isinstance(route, Mount)  # what is mounted are files
        )
    ]
    return ["GET", "HEAD", *methods[1:]] if methods[:1] == ["GET"] else methods
