"""The task of a process that tells webhooks what happened: one attempt at a time to each, to all of them at once."""

import asyncio
import logging
import secrets
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Final, ParamSpec, TypeVar

import anyio
import anyio.to_thread
from anyio.abc import TaskGroup

from app.repositories.clubs import webhooks
from app.repositories.database import Database
from app.repositories.database.errors import Unavailable
from app.services.clubs.webhooks import deliveries, outbox
from app.services.clubs.webhooks.deliveries import Due
from app.services.clubs.webhooks.sending import Sender
from app.services.clubs.webhooks.signature import signed

LOOK_SECONDS: Final = 1.0
"""How often it is looked whether anything happened or is due."""

_LOOK_AGAIN: Final = timedelta(seconds=5)
"""How often at least, also where nobody has committed anything."""

_AFTER_A_FAULT_SECONDS: Final = 60.0
_FORGET_EVERY: Final = timedelta(hours=1)
_AT_ONCE: Final = 200
"""Receivers that are talked to at once."""

Arguments = ParamSpec("Arguments")
Value = TypeVar("Value")


def _now() -> datetime:
    return datetime.now(UTC)


class Deliverer:
    """Tells webhooks what happened. Several processes may each have one: a webhook is leased by one of them at a time.

    Args:
        database: where the clubs are.
        sender: what sends a message.
        clock: what time it is.
    """

    def __init__(self, database: Database, sender: Sender, clock: Callable[[], datetime] = _now) -> None:
        self._database = database
        self._sender = sender
        self._clock = clock
        self._name = secrets.token_hex(8)
        self._running: anyio.CancelScope | None = None
        self._is_stopped = False
        self._threads = anyio.CapacityLimiter(4)
        self._at_once = anyio.CapacityLimiter(_AT_ONCE)
        self._busy: set[int] = set()
        """The webhooks that it is at: whatever became of their leases, it begins with none of them anew."""
        self._has_leased = False
        self._mark: int | None = None
        self._looked_at = self._forgot_at = datetime.min.replace(tzinfo=UTC)

    def stop(self) -> None:
        """Let :meth:`run` end, as soon as its threads are done with the database."""
        self._is_stopped = True
        if self._running is not None:
            self._running.cancel()

    async def run(self) -> None:
        """Go on until stopped; what was leased is free then."""
        try:
            with anyio.CancelScope() as self._running:
                if not self._is_stopped:
                    await self._go_on()
        finally:
            with anyio.CancelScope(shield=True), suppress(Unavailable):
                if self._has_leased:
                    await self._in_thread(self._release)
                await self._sender.close()

    async def _go_on(self) -> None:
        async with anyio.create_task_group() as tasks:
            while True:
                try:
                    await self.look(tasks)
                except Unavailable:
                    pass  # as for everybody; what is stored waits
                except Exception:
                    logging.getLogger(__name__).exception("webhooks are looked for again in a minute")
                    await asyncio.sleep(_AFTER_A_FAULT_SECONDS)
                await asyncio.sleep(LOOK_SECONDS)

    async def look(self, tasks: TaskGroup) -> None:
        """Make events of what was committed, and begin to deliver what is due.

        Raises:
            Unavailable: the database is gone or crowded out.
        """
        for webhook_id in await self._in_thread(self._due, frozenset(self._busy)):
            self._busy.add(webhook_id)
            tasks.start_soon(self._deliver, webhook_id)

    async def _deliver(self, webhook_id: int) -> None:
        """Send a webhook what is due, the oldest first."""
        try:
            with suppress(Unavailable):  # then the lease runs out
                async with self._at_once:
                    due = await self._in_thread(self._next, webhook_id)
                    while due is not None:
                        due = await self._attempt(due)
        finally:
            self._busy.discard(webhook_id)

    def _next(self, webhook_id: int) -> Due | None:
        return deliveries.next_due(self._database, webhook_id, self._name, self._clock())

    async def _attempt(self, due: Due) -> Due | None:
        body = due.delivery.body.encode()
        headers = signed(due.delivery.event_id, body, due.secrets, self._clock())
        outcome = await self._sender.send(due.url, headers, body)
        return await self._in_thread(deliveries.record, self._database, due, self._name, outcome, self._clock())

    def _due(self, busy: frozenset[int]) -> list[int]:
        mark, now = self._database.change_mark(), self._clock()
        if mark is not None and mark == self._mark and now - self._looked_at < _LOOK_AGAIN:
            return []
        outbox.make_events(self._database, now)
        leased = deliveries.lease_due(self._database, self._name, now, but_for=busy)
        self._has_leased |= bool(leased)
        self._mark, self._looked_at = mark, now
        if leased and now - self._forgot_at >= _FORGET_EVERY:
            outbox.forget_old(self._database, now)
            self._forgot_at = now
        return leased

    def _release(self) -> None:
        with self._database.write() as tx:
            webhooks.release(tx, by=self._name)

    async def _in_thread(
        self, work: Callable[Arguments, Value], *arguments: Arguments.args, **named: Arguments.kwargs
    ) -> Value:
        return await anyio.to_thread.run_sync(lambda: work(*arguments, **named), limiter=self._threads)
