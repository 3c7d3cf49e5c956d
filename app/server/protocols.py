"""HTTP/1.1 with limits, by whichever parser is installed; :data:`HTTP` is the one to serve with."""

import asyncio
from typing import Any, Final

from uvicorn.protocols.http.h11_impl import H11Protocol

from app.server.connection import TimedConnection
from app.server.limits import HEAD_BYTES
from app.server.refusals import HEAD_TOO_LARGE

try:
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
except ImportError:  # which has no Windows version
    HttpToolsProtocol = None  # type: ignore[assignment,misc]


class HeadTooLarge(Exception):
    """The request line and the headers are longer than :data:`app.server.limits.HEAD_BYTES`."""


class H11Connection(TimedConnection, H11Protocol):  # type: ignore[misc]
    """By h11, which has a limit of its own (``h11_max_incomplete_event_size``) and answers 400 beyond it."""


if HttpToolsProtocol is not None:

    class HttpToolsConnection(TimedConnection, HttpToolsProtocol):
        """By httptools, which has none: it collects a header until its last byte."""

        def __init__(self, *arguments: Any, **named: Any) -> None:
            super().__init__(*arguments, **named)
            self._undigested = 0  # bytes since the parser last had a whole head or a piece of a body
            self._digests = False
            self._is_head_too_large = False

        def data_received(self, data: bytes) -> None:
            """Parse bytes; refuse the client when too many of them make no whole head."""
            self._digests = False
            super().data_received(data)
            self._undigested = 0 if self._digests else self._undigested + len(data)
            if self._undigested > HEAD_BYTES:
                self.refuse(HEAD_TOO_LARGE)

        def on_headers_complete(self) -> None:
            """Begin a request, unless its head is too large."""
            self._digests = True
            if len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers) > HEAD_BYTES:
                self._is_head_too_large = True
                raise HeadTooLarge  # which ends the parser's work, and comes back as an invalid request
            super().on_headers_complete()

        def on_body(self, body: bytes) -> None:
            """Take in a piece of a body."""
            self._digests = True
            super().on_body(body)

        def on_message_complete(self) -> None:
            """End a request."""
            self._digests = True
            super().on_message_complete()

        def send_400_response(self, msg: str) -> None:
            """Answer what is no HTTP, or whose head is too large."""
            if self._is_head_too_large:
                self.refuse(HEAD_TOO_LARGE)
            else:
                super().send_400_response(msg)


HTTP: Final[type[asyncio.Protocol]] = H11Connection if HttpToolsProtocol is None else HttpToolsConnection
