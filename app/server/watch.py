"""All connections of a process: looked at once a second, and never more than their limit."""

import asyncio
from contextlib import suppress
from typing import Final, Protocol, cast
from weakref import WeakKeyDictionary

from uvicorn.server import ServerState

from app.server import limits
from app.server.memory import give_back_memory
from app.server.refusals import CROWDED, Refusal

_EVERY_SECONDS: Final = 1.0
_CROWDED: Final = 4
_CALM: Final = 16
"""Past a quarter of the places the process holds much; below a sixteenth again it gives that back."""


class Watched(Protocol):
    """What is asked of a connection."""

    transport: asyncio.Transport
    heard: float
    """When the last byte came, by the loop's time."""

    @property
    def awaits_client(self) -> bool:
        """Whether nothing happens here until the client sends more."""

    def check(self, now: float, lag: float) -> None:
        """End the connection if its time is over."""

    def refuse(self, refusal: Refusal) -> None:
        """End the connection and say why."""


class Watch:
    """Looks after the connections that a server has, as long as there are any."""

    def __init__(self, state: ServerState, loop: asyncio.AbstractEventLoop) -> None:
        self._connections = cast("set[Watched]", state.connections)
        self._loop = loop
        self._most = limits.most_connections()
        self._is_waiting = False
        self._was_crowded = False

    def admits(self, newcomer: Watched) -> bool:
        """Whether there is room for a connection that was just made; the client that was silent longest makes it."""
        if not self._is_waiting:
            self._wait()
        if len(self._connections) > self._most // _CROWDED:
            self._was_crowded = True
        if len(self._connections) <= self._most:
            return True
        silent = min(
            (each for each in self._connections if each is not newcomer and each.awaits_client),
            key=lambda each: each.heard,
            default=None,
        )
        if silent is None:
            return False
        silent.refuse(CROWDED)
        if silent.transport.get_write_buffer_size():
            silent.transport.abort()
        else:
            silent.transport.close()
        # What is closed leaves at the loop's next turn; it must not be chosen again before.
        self._connections.discard(silent)
        return True

    def _wait(self) -> None:
        self._is_waiting = True
        self._loop.call_later(_EVERY_SECONDS, self._look, self._loop.time())

    def _look(self, since: float) -> None:
        now = self._loop.time()
        lag = max(0.0, now - since - 2 * _EVERY_SECONDS)
        for connection in list(self._connections):
            with suppress(RuntimeError):  # its transport was closed a moment ago
                connection.check(now, lag)
        self._is_waiting = False
        if self._was_crowded and len(self._connections) < self._most // _CALM:
            self._was_crowded = False
            give_back_memory()
        if self._connections:
            self._wait()


_WATCHES: Final[WeakKeyDictionary[ServerState, Watch]] = WeakKeyDictionary()


def watch_of(state: ServerState, loop: asyncio.AbstractEventLoop) -> Watch:
    """Return the watch of a server's connections, the same one each time."""
    watch = _WATCHES.get(state)
    if watch is None:
        watch = _WATCHES[state] = Watch(state, loop)
    return watch
