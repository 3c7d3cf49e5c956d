"""How a kept operation is answered.

The caller is identified, the use case runs in a thread and in one transaction, and what it made is rendered once.
"""

import hashlib
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple, cast

import anyio.to_thread
from fastapi import Request, Response
from starlette.background import BackgroundTask
from starlette.datastructures import State

from app.scoring.text import words
from app.scoring.violation import Violation
from app.services.access import NOBODY, Caller, can_be_guessed, identify, identify_now
from app.services.clubs.key_use import note_use, use_is_due
from app.services.errors import Conflict, RateLimited, Unauthorized
from app.services.storage import Database, SharedReads, Transaction, idempotency
from app.validation import InvalidInput
from app.web.failed_logins import FailedLogins
from app.web.render import UseCaseResult, answer, render, response_of

_MOST_KEY_CHARACTERS: Final = 255
_KEY_SHAPE: Final = words(
    "Idempotency-Key: латинские буквы, цифры и знаки, длина от 1 до {}",
    "Idempotency-Key must have 1 to {} printable ASCII characters",
)
_IN_PROGRESS: Final = words(
    "Запрос с этим Idempotency-Key ещё выполняется. Подождите и повторите.",
    "A request with this Idempotency-Key is still in progress.",
)


Read = Callable[[Transaction, Caller], UseCaseResult]
Write = Callable[[Transaction, Caller, datetime], UseCaseResult]


class Session(NamedTuple):
    """How a route runs its use case: in a thread, for the caller, who is identified there, and in one transaction."""

    request: Request

    @property
    def judge_window(self) -> timedelta:
        """How long a judge may correct what the same key submitted."""
        return timedelta(hours=self.state.settings.judge_hours)

    @property
    def state(self) -> State:
        """What the service was started with."""
        return cast(State, self.request.app.state)

    def read(self, use_case: Read) -> Awaitable[Response]:
        """Answer what ``use_case`` reads in one state of the database; 304 where ``If-None-Match`` has its ETag."""
        return _read_as_caller(self.request, use_case)

    def write(self, use_case: Write, once: str | None = None) -> Awaitable[Response]:
        """Answer what ``use_case`` makes in one transaction.

        ``once``: the ``Idempotency-Key`` under which the same body is answered once and then repeated.
        """
        return anyio.to_thread.run_sync(_write, self.request, use_case, once)


def caller_of(request: Request, now: datetime) -> Caller:
    """Whose key the request carries; :data:`app.services.access.NOBODY` when it carries none.

    Raises:
        Unauthorized: it carries something else, or a key that opens nothing.
        RateLimited: and that too often from this address; there the key of the settings opens nothing either.
    """
    secret = _secret_of(request)
    if secret is None:
        return NOBODY
    state = request.app.state
    try:
        return identify(state.database, secret, admin_hash=state.admin_hash, now=now)
    except Unauthorized:
        raise _refusal(request) from None


async def caller_now(request: Request, reads: SharedReads, now: datetime) -> Caller:
    """As :func:`caller_of`, by a read that requests share.

    Raises:
        Unauthorized, RateLimited: see :func:`caller_of`.
    """
    secret = _secret_of(request)
    if secret is None:
        return NOBODY
    try:
        return await identify_now(reads, secret, admin_hash=request.app.state.admin_hash, now=now)
    except Unauthorized:
        raise _refusal(request) from None


def _secret_of(request: Request) -> str | None:
    """What the request carries for a key; None: it carries nothing."""
    header = request.headers.get("authorization")
    if header is None:
        return None
    scheme, _, secret = header.partition(" ")
    secret = secret.strip()
    # Past the limit nothing that could be a guess is even compared.
    wait = request.app.state.failed_logins.wait(_address(request)) if can_be_guessed(secret) else None
    if wait is not None:
        raise RateLimited(wait)
    if scheme.lower() != "bearer":
        raise _refusal(request)
    return secret


def _refusal(request: Request) -> Exception:
    """What a request is told whose key opens nothing, which is counted."""
    failed: FailedLogins = request.app.state.failed_logins
    wait = failed.note(_address(request))
    return Unauthorized() if wait is None else RateLimited(wait)


def _address(request: Request) -> str:
    return request.client.host if request.client else ""


async def admit(request: Request) -> None:
    """Let anyone in who brings no key, and whoever brings one only if it opens something: for what needs none.

    Raises:
        Unauthorized, RateLimited: see :func:`caller_of`.
    """
    if "authorization" in request.headers:
        await anyio.to_thread.run_sync(caller_of, request, datetime.now(UTC))


async def _read_as_caller(request: Request, use_case: Read) -> Response:
    reads: SharedReads | None = request.app.state.database.shared_reads
    caller = None if reads is None else await caller_now(request, reads, datetime.now(UTC))
    return await anyio.to_thread.run_sync(_read, request, use_case, caller)


def _read(request: Request, use_case: Read, known: Caller | None) -> Response:
    database: Database = request.app.state.database
    now = datetime.now(UTC)
    caller = caller_of(request, now) if known is None else known
    with database.read() as tx:
        made = use_case(tx, caller)
    response = response_of(made, request.headers.get("if-none-match"))
    if use_is_due(caller, now):
        response.background = BackgroundTask(note_use, database, caller, now)  # it may wait for its turn to write
    return response


def _write(request: Request, use_case: Write, once: str | None) -> Response:
    database: Database = request.app.state.database
    now = datetime.now(UTC)
    caller = caller_of(request, now)
    if once is None:
        with database.write() as tx:
            made = use_case(tx, caller, now)
        response = response_of(made)
    else:
        response = _write_alone(request, use_case, caller, now, _demand_printable(once))
    if use_is_due(caller, now):
        response.background = BackgroundTask(note_use, database, caller, now)
    return response


def _write_alone(request: Request, use_case: Write, caller: Caller, now: datetime, once: str) -> Response:
    """As :func:`_write_once`, refused while this process is answering the same request."""
    if caller is NOBODY:
        raise Unauthorized
    state = request.app.state
    claimed = idempotency.Request(caller.key_id or 0, request.method, request.scope["path"], once)
    running: set[idempotency.Request] = state.running
    if claimed in running:
        raise Conflict("in_progress", _IN_PROGRESS)
    running.add(claimed)
    try:
        return _write_once(state.database, claimed, use_case, caller, now, _hash(request))
    finally:
        running.discard(claimed)


def _write_once(
    database: Database, claimed: idempotency.Request, use_case: Write, caller: Caller, now: datetime, body_hash: str
) -> Response:
    with database.write() as tx:
        before = idempotency.claim(tx, claimed, body_hash=body_hash, at=now)
        if before is not None:
            return answer(before.body, status=before.status, headers={**before.headers, "Idempotency-Replayed": "true"})
        made = use_case(tx, caller, now)
        response = response_of(made)
        kept = bytes(response.body) if made.replayed is None else render(made.replayed)
        headers = {
            name: value
            for name, value in response.headers.items()
            if name in ("location", "etag", "content-language", "vary")
        }
        idempotency.keep(tx, claimed, status=made.status, headers=headers, body=kept)
    return response


def _demand_printable(once: str) -> str:
    if not 1 <= len(once) <= _MOST_KEY_CHARACTERS or not once.isascii() or not once.isprintable():
        pointer = "Idempotency-Key"
        raise InvalidInput(
            [Violation("value", pointer, _KEY_SHAPE, (_MOST_KEY_CHARACTERS,), limit=_MOST_KEY_CHARACTERS)]
        )
    return once


def _hash(request: Request) -> str:
    body: bytes = getattr(request.state, "body", b"")  # a request that is read without one has none
    return hashlib.sha256(request.scope["query_string"] + b"\n" + body).hexdigest()
