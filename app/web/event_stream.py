"""Server-sent events: an answer that goes on (WHATWG HTML, 9.2)."""

from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from typing import Final, TypeAlias

import anyio
from prometheus_client import Gauge
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

COMMENT_SECONDS: Final = 15.0
"""After so long a comment shows that the connection is alive, to proxies too."""

RETRY_MILLISECONDS: Final = 3_000
"""How long a client waits before it comes back."""

MEDIA_TYPE: Final = "text/event-stream"

STREAMS: Final = Gauge("mafrate_open_streams", "Event streams that are open.", multiprocess_mode="livesum")

Next: TypeAlias = Callable[[], Awaitable[bytes | None]]
"""Gives what is sent next, once there is something; None: the stream ends."""

_COMMENT: Final = b": \n\n"
_BEGINNING: Final = f"retry: {RETRY_MILLISECONDS}\n\n".encode()


def event_bytes(name: str, id: int, data: bytes) -> bytes:
    """An event; ``data`` has no line breaks."""
    return b"event: %s\nid: %d\ndata: %s\n\n" % (name.encode(), id, data)


class EventStream(Response):
    """A response that sends events until there are no more, or the client hangs up.

    It asks for the next one when the client has taken the last: a slow client holds what the connection's buffer
    holds, and no more.

    Args:
        next_events: what is sent.
        held: what is held for as long as the stream goes on.
    """

    media_type = MEDIA_TYPE

    def __init__(self, next_events: Next, held: ExitStack) -> None:
        super().__init__(headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})
        # Of unknown length, and exactly this type: some readers know no parameters.
        kept = [(name, value) for name, value in self.raw_headers if name not in (b"content-length", b"content-type")]
        self.raw_headers = [*kept, (b"content-type", MEDIA_TYPE.encode()), (b"x-content-type-options", b"nosniff")]
        self._next_events = next_events
        self._held = held

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the head at once, and events as they come."""
        with self._held, STREAMS.track_inprogress():
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_end_when_gone, receive, tasks.cancel_scope)
                await self._send_events(send)
                tasks.cancel_scope.cancel()
            await send({"type": "http.response.body", "body": b""})

    async def _send_events(self, send: Send) -> None:
        async def send_on(body: bytes) -> None:
            await send({"type": "http.response.body", "body": body, "more_body": True})

        await send_on(_BEGINNING)
        comment_at = anyio.current_time() + COMMENT_SECONDS
        while True:
            body: bytes | None = b""
            with anyio.move_on_at(comment_at):
                body = await self._next_events()
            if body is None:
                return
            if body:
                await send_on(body)
            if anyio.current_time() >= comment_at:
                await send_on(_COMMENT)
                comment_at = anyio.current_time() + COMMENT_SECONDS


async def _end_when_gone(receive: Receive, stream: anyio.CancelScope) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    stream.cancel()
