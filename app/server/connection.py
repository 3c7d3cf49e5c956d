"""A connection that knows what it waits for, and since when."""

import asyncio
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from app.server import limits
from app.server.refusals import (
    BODY_TOO_SLOW,
    CROWDED,
    HEAD_TOO_SLOW,
    REFUSED,
    RESPONSE_NOT_TAKEN,
    SILENT,
    Refusal,
    response_bytes,
)
from app.server.watch import watch_of

if TYPE_CHECKING:
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol as Protocol
else:
    Protocol = object  # which parser follows is for the classes that inherit to say

Phase: TypeAlias = Literal["headers", "body", "response"]
"""What the connection waits for: the rest of the headers, the rest of a body, or the application and its response."""


class TimedConnection(Protocol):
    """Mix-in for uvicorn's protocols: a client that is too slow, or silent when others need the place, is closed."""

    loop: asyncio.AbstractEventLoop

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.heard = self.loop.time()
        """When the last byte came."""
        self._received = 0
        self._refused_at: float | None = None
        self._phase: Phase = "headers"
        self._since = self.heard  # of the phase, or of the stretch in which a body's rate is judged
        self._unsent = 0
        self._sent = self.heard  # when the client last took something of a response
        self._is_last = False  # the next request is the last one, for the server stops

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Join the connections of the process, in another's place when there are too many."""
        super().connection_made(transport)
        if not watch_of(self.server_state, self.loop).admits(self):
            self.refuse(CROWDED)

    def data_received(self, data: bytes) -> None:
        """Pass bytes on to the parser, unless the client was refused."""
        if self._refused_at is not None:
            return
        self.heard = self.loop.time()
        self._received += len(data)
        super().data_received(data)
        request = self._request
        if self._is_last and request is not None:
            request.keep_alive = False

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        self._phase, self._since, self._received = "headers", self.loop.time(), 0
        super().on_response_complete()

    def resume_writing(self) -> None:
        """Note that the client has taken most of what waited for it."""
        self._sent = self.loop.time()
        super().resume_writing()

    def shutdown(self) -> None:
        """Close when the request under way is answered, or at once without one, and tell the application of the end:
        streams of its would never end by themselves.

        A connection that has had no request yet waits for it a moment: its client has just connected and is sending it.
        """
        stopping = self.app_state.get("stopping")
        if stopping is not None:
            stopping()
        if self._awaits_first and self._refused_at is None:
            self._is_last = True
            self.loop.call_later(limits.FIRST_REQUEST_SECONDS, self._close_unless_used)
        else:
            super().shutdown()

    def _close_unless_used(self) -> None:
        if self._awaits_first:
            self.transport.close()

    @property
    def _awaits_first(self) -> bool:
        cycle: Any = self.cycle
        return cycle is None

    @property
    def _request(self) -> Any:
        """What uvicorn knows of the request that is being answered; None between requests."""
        cycle: Any = self.cycle
        return None if cycle is None or cycle.response_complete else cycle

    @property
    def phase(self) -> Phase:
        """What the connection waits for."""
        request = self._request
        if request is None:
            return "headers"
        is_held_up = self.flow.read_paused or request.waiting_for_100_continue  # by the application, not by the client
        return "body" if request.more_body and not is_held_up else "response"

    @property
    def awaits_client(self) -> bool:
        """Whether nothing happens here until the client sends more."""
        return self._refused_at is not None or self.phase != "response"

    def check(self, now: float, lag: float) -> None:
        """End the connection if its time is over; called about once a second.

        Args:
            now: the loop's time.
            lag: seconds that the loop itself was late, which are nobody else's fault.
        """
        self._since += lag
        self._sent += lag
        unsent = self.transport.get_write_buffer_size()
        if unsent:
            self._check_response(now, unsent)
            return
        self._unsent = 0
        if self._refused_at is not None:
            if now - self._refused_at >= limits.LINGER_SECONDS:
                self.transport.close()
            return
        if self.phase != self._phase:
            self._phase, self._since, self._received = self.phase, max(self._since, now - 1), 0
        if self._phase == "headers" and now - self._since >= limits.HEAD_SECONDS:
            self.refuse(HEAD_TOO_SLOW if self._received else SILENT)
        elif self._phase == "body" and now - self._since >= limits.BODY_WINDOW_SECONDS:
            if self._received < limits.BODY_BYTES_PER_SECOND * (now - self._since):
                self.refuse(BODY_TOO_SLOW)
            else:
                self._since, self._received = now, 0

    def _check_response(self, now: float, unsent: int) -> None:
        """Drop a client that takes nothing of what waits for it."""
        if not self._unsent or unsent < self._unsent:
            self._sent = now
        self._unsent = unsent
        self._since = now  # whatever else is awaited is awaited from then on
        self._received = 0
        if now - self._sent >= limits.RESPONSE_SECONDS:
            REFUSED.labels(RESPONSE_NOT_TAKEN.reason).inc()
            self.transport.abort()

    def refuse(self, refusal: Refusal) -> None:
        """Answer with a problem where no response has begun, tell the application that nobody is there, and close."""
        if self._refused_at is not None or self.transport.is_closing():
            return
        REFUSED.labels(refusal.reason).inc()
        self._refused_at = self.loop.time()
        self._unset_keepalive_if_required()
        request = self._request
        if request is not None:
            request.disconnected = True
            request.message_event.set()
        if refusal.problem is None or (request is not None and request.response_started):
            self.transport.close()
            return
        headers: Any = self.headers  # None before the first request
        self.transport.write(response_bytes(refusal.problem, getattr(self, "url", b""), headers or ()))
        self.flow.resume_reading()
        if self.transport.can_write_eof():
            self.transport.write_eof()
