"""A stream of events from the application without a socket; httpx would wait for its end."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, NamedTuple

from fastapi import FastAPI
from starlette.types import Message

PATIENCE = 30.0


class Event(NamedTuple):
    """What a browser makes of an event."""

    name: str
    id: int
    data: Any


class Stream:
    """A response that is read while it is sent; a client that does not read takes nothing from the application."""

    def __init__(self) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self.is_over = False
        self.comments = 0
        self.retry: int | None = None
        self.gone = asyncio.Event()
        self._sent: asyncio.Queue[Message] = asyncio.Queue(maxsize=1)
        self._text = ""
        self._asked = False

    async def receive(self) -> Message:
        """What the application learns of the client."""
        if not self._asked:
            self._asked = True
            return {"type": "http.request", "body": b"", "more_body": False}
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        """What the application sends, when the last was taken."""
        await self._sent.put(message)

    async def take(self) -> Message:
        """The next message."""
        async with asyncio.timeout(PATIENCE):
            message = await self._sent.get()
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {name.decode(): value.decode() for name, value in message["headers"]}
        else:
            self._text += message.get("body", b"").decode()
            self.is_over = not message.get("more_body", False)
        return message

    async def event(self) -> Event:
        """The next event; comments and ``retry`` are noted on the way."""
        while True:
            block, end, rest = self._text.partition("\n\n")
            if not end:
                assert not self.is_over, "the stream has ended"
                await self.take()
                continue
            self._text = rest
            if block.startswith(":"):
                self.comments += 1
                continue
            fields = dict(line.split(": ", 1) for line in block.splitlines())
            if "retry" in fields:
                self.retry = int(fields["retry"])
            else:
                return Event(fields["event"], int(fields["id"]), json.loads(fields["data"]))

    async def events_to(self, revision: int) -> list[Event]:
        """The events up to a revision."""
        events = [await self.event()]
        while events[-1].id < revision:
            events.append(await self.event())
        return events

    async def end(self) -> None:
        """Return once the stream has ended."""
        while not self.is_over:
            await self.take()


@asynccontextmanager
async def streaming(
    app: FastAPI, path: str, headers: dict[str, str] | None = None, method: str = "GET"
) -> AsyncIterator[Stream]:
    """The stream at a path, its head taken; the client hangs up at the end."""
    stream = Stream()
    path, _, query = path.partition("?")
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": query.encode(),
        "headers": [(name.lower().encode(), value.encode()) for name, value in (headers or {}).items()],
        "client": ("127.0.0.1", 1),
        "server": ("mafrate", 80),
        "state": {},
    }
    answering = asyncio.ensure_future(app(scope, stream.receive, stream.send))
    try:
        await stream.take()
        yield stream
    finally:
        stream.gone.set()
        while not answering.done():
            with suppress(TimeoutError):
                async with asyncio.timeout(0.01):
                    await asyncio.shield(answering) if stream._sent.empty() else await stream.take()
        await answering
