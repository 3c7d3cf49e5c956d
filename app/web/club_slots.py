"""Places for work on files: so many of a process, and of them a share for each club."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import anyio

from app.web.concurrency import RETRY_SECONDS, Saturated


class ClubSlots:
    """Places of one event loop that tasks take for a club; who finds none is told to come again.

    Args:
        size: how many there are.
        share: how many of them one club can have at a time.
    """

    def __init__(self, size: int, *, share: int) -> None:
        self.free = size
        self.threads = anyio.CapacityLimiter(size)
        """A thread for each place, so that work on files takes none from everybody else."""
        self._share = share
        self._taken: Counter[str] = Counter()

    @contextmanager
    def of(self, club: str) -> Iterator[None]:
        """Hold a place for the club with this slug.

        Raises:
            Saturated: no place is free, or the club has its share.
        """
        if self.free == 0 or self._taken[club] >= self._share:
            raise Saturated(RETRY_SECONDS)
        self.free -= 1
        self._taken[club] += 1
        try:
            yield
        finally:
            self.free += 1
            self._taken[club] -= 1
            if not self._taken[club]:
                del self._taken[club]
