"""Answers that can be given again before any route is searched: a table that nothing changed since it was answered."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Final, NamedTuple, TypeAlias

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

MOST: Final = 1_000
"""How many answers a process remembers; it keeps their bytes elsewhere."""

LONGEST: Final = 1_000
"""Bytes of a request's path, query and headers together that are remembered; longer requests are answered anew."""

Again: TypeAlias = Callable[[str | None], Awaitable[Response | None]]
"""Gives an answer once more, told ``If-None-Match``; None when it may be another by now."""

_ASKED: Final = frozenset({b"accept-language", b"accept-encoding", b"if-none-match", b"authorization"})


class _Signature(NamedTuple):
    """All of a request, but for the method, that an answer to nobody in particular depends on."""

    path: str
    query: bytes
    language: bytes | None
    encoding: bytes | None


class ReadyAnswers:
    """How to answer again what was answered lately to requests without a key."""

    def __init__(self) -> None:
        self._again: dict[_Signature, tuple[object, Again]] = {}

    def __len__(self) -> int:
        return len(self._again)

    def put(self, scope: Scope, again: Again) -> None:
        """Remember how the request is answered again; it must carry no key."""
        asked = _asked(scope)
        if asked is None or b"authorization" in asked:
            return
        signature = _signature(scope, asked)
        if sum(len(part) for part in signature if part is not None) > LONGEST:
            return
        if len(self._again) >= MOST:
            self._again.clear()
        self._again[signature] = (scope["route"], again)

    async def take(self, scope: Scope) -> Response | None:
        """The answer to the request, if it was answered before and that still holds."""
        asked = _asked(scope)
        if asked is None or b"authorization" in asked:
            return None
        found = self._again.get(_signature(scope, asked))
        if found is None:
            return None
        route, again = found
        named = asked.get(b"if-none-match")
        response = await again(None if named is None else named.decode("latin-1"))
        if response is not None:
            scope["route"] = route
        return response


class ReadyAnswersFirst:
    """ASGI middleware that looks on the application's :class:`ReadyAnswers` before it passes a request on.

    Searching the routes and running an endpoint takes several times as long as sending bytes that are ready.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer what is on the shelf, pass everything else on."""
        if scope["type"] == "http" and scope["method"] == "GET":
            response = await scope["app"].state.ready_answers.take(scope)
            if response is not None:
                await response(scope, receive, send)
                return
        await self.app(scope, receive, send)


def _asked(scope: Scope) -> Mapping[bytes, bytes] | None:
    """The headers that matter; None when one stands twice."""
    found = {}
    for name, value in scope["headers"]:
        if name in _ASKED:
            if name in found:
                return None
            found[name] = value
    return found


def _signature(scope: Scope, asked: Mapping[bytes, bytes]) -> _Signature:
    return _Signature(
        scope["path"], scope["query_string"], asked.get(b"accept-language"), asked.get(b"accept-encoding")
    )
