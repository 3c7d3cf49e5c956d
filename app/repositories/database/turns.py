"""Taking turns in the order of arrival, which the standard library's semaphores do not promise."""

import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from app.repositories.database.errors import Unavailable


class Turns:
    """A semaphore that serves who came first: a thread that has just had its turn does not overtake those who wait."""

    def __init__(self, at_once: int) -> None:
        self._free = at_once
        self._moved = time.monotonic()
        self._guard = threading.Lock()
        self._waiting: deque[threading.Lock] = deque()

    @contextmanager
    def turn(self, wait: float) -> Iterator[float]:
        """A turn, and the monotonic time until which its holder may go on waiting for others.

        Raises:
            Unavailable: none came within ``wait`` seconds.
        """
        deadline = time.monotonic() + wait
        if not self.take(wait):
            raise Unavailable("too many writers wait in this process")
        try:
            yield deadline
        finally:
            self.give_back()

    def take(self, wait: float) -> bool:
        """Whether a turn came within ``wait`` seconds; it must be given back then."""
        with self._guard:
            if self._free:
                self._free -= 1
                if not self._free:
                    self._moved = time.monotonic()
                return True
            ticket = threading.Lock()
            ticket.acquire()
            self._waiting.append(ticket)
        if ticket.acquire(timeout=wait):
            return True
        with self._guard:
            if ticket in self._waiting:
                self._waiting.remove(ticket)
                return False
        return True  # it was called in the very moment that it gave up

    def is_stuck(self, seconds: float) -> bool:
        """Whether every turn is taken and none has come back for so long."""
        with self._guard:
            return not self._free and time.monotonic() - self._moved > seconds

    def give_back(self) -> None:
        """End a turn: it passes to whoever has waited longest."""
        with self._guard:
            self._moved = time.monotonic()
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._free += 1
