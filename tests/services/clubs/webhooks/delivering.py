"""Webhooks in a test: a receiver that does what it is told, a clock that is set, and a deliverer that settles."""

import asyncio
import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import anyio

from app.repositories.database import Database
from app.services.clubs.webhooks import deliverer
from app.services.clubs.webhooks.deliverer import Deliverer
from app.services.clubs.webhooks.sending import Outcome, Sender

TAKEN = Outcome(204)
REFUSED = Outcome(500, "status")
NOBODY = Outcome(None, "unreachable")


class Message(NamedTuple):
    """What a receiver got."""

    url: str
    headers: Mapping[str, str]
    body: bytes
    at: datetime

    @property
    def told(self) -> dict[str, Any]:
        """The event."""
        value: dict[str, Any] = json.loads(self.body)
        return value

    @property
    def sequence(self) -> int:
        """Of the event."""
        number: int = self.told["data"]["sequence"]
        return number

    @property
    def type(self) -> str:
        """Of the event."""
        return str(self.told["type"])


class Clock:
    """What time it is: what a test says."""

    def __init__(self) -> None:
        self.now = datetime.now(UTC)

    def __call__(self) -> datetime:
        return self.now

    def pass_by(self, **time: float) -> None:
        """Let some time pass."""
        self.now += timedelta(**time)


class Receivers(Sender):
    """All receivers that there are: no request leaves the test."""

    def __init__(self, clock: Clock) -> None:
        self.got: list[Message] = []
        self.answers: Callable[[Message], Outcome] = lambda _: TAKEN
        self.hang_up = asyncio.Event()
        self.hanging: set[str] = set()
        """URLs that take a message and never answer."""
        self._clock = clock

    async def close(self) -> None:
        """Nothing is open."""

    async def send(self, url: str, headers: Mapping[str, str], body: bytes) -> Outcome:
        """Get a message, and answer as the test says."""
        message = Message(url, headers, body, self._clock())
        self.got.append(message)
        if url in self.hanging:
            await self.hang_up.wait()
        await asyncio.sleep(0)
        return self.answers(message)

    def sequences(self, url: str | None = None) -> list[int]:
        """The sequence numbers of what was got, in the order of arrival."""
        return [message.sequence for message in self.got if url in (None, message.url)]


class Desk:
    """Everything that delivers, in one hand."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.clock = Clock()
        self.receivers = Receivers(self.clock)
        self.deliverer = self.another()

    def another(self) -> Deliverer:
        """A deliverer of another process."""
        return Deliverer(self.database, self.receivers, self.clock)

    async def settle(self, **later: float) -> list[Message]:
        """Some time later: deliver all that is due; what the receivers got by that."""
        self.clock.pass_by(**(later or {"seconds": deliverer._LOOK_AGAIN.total_seconds()}))
        before = len(self.receivers.got)
        async with anyio.create_task_group() as tasks:
            await self.deliverer.look(tasks)
        return self.receivers.got[before:]
