"""Answers kept as ready bytes under a key that holds all that the bytes depend on. There is nothing to invalidate.

A new game is a new revision, which is a new key; the key's hash is also the ETag. Old answers go as they are not asked
for: from this process by their size, from Redis by their age.
"""

import asyncio
import gzip
import hashlib
import zlib
from collections import OrderedDict
from collections.abc import Callable
from datetime import date
from functools import lru_cache, partial
from typing import Final, NamedTuple, TypeAlias

import anyio
import anyio.to_thread

from app.repositories.standings.shared_cache import SharedCache
from app.services.standings.table_query import TableQuery

MOST_BYTES: Final = 64_000_000
"""How large the answers that a process keeps may be together."""

_OVERHEAD: Final = 1_000
_TAG_CHARACTERS: Final = 32


WORKBOOK: Final = "standings.xlsx"
"""The view that is a workbook, with every line of every game."""


PROGRESS: Final = "progress"
STATISTICS: Final = "statistics"
SLOW: Final = frozenset({WORKBOOK, PROGRESS, STATISTICS})
"""The views that read every game of the season."""


class View(NamedTuple):
    """Which answer about a season is asked for."""

    name: str
    """``standings``, ``standings.csv``, ``awards`` …"""
    language: str | None
    """None where it has no words of ours."""
    asked: TableQuery
    player: str | None = None
    under: str | None = None
    """The fingerprint of another system than the season's own, whose table it is."""

    @property
    def scores_games(self) -> bool:
        """Whether it takes scoring every game of the season, and not only its tallies."""
        return self.under is not None or self.name in SLOW

    @property
    def sums_ledger(self) -> bool:
        """Whether the database adds up the ledger of the season for it."""
        asked = self.asked
        return asked.as_of is not None or asked.revision is not None or asked.moves_since is not None


class AnswerKey(NamedTuple):
    """All that the bytes of an answer depend on."""

    stamp: str
    """Of the season as it is (:class:`app.services.standings.cache.season_state.StampedState`)."""
    view: View


class Openness(NamedTuple):
    """What of a season those see who have no key of its club."""

    public: bool
    hidden_stage: str | None
    hidden_day: date | None


class ReadyAnswer(NamedTuple):
    """An answer's bytes, and the same compressed; ``openness``: of the season when they were made."""

    key: AnswerKey
    openness: Openness
    body: bytes
    gzipped: bytes


class BuiltAnswer(NamedTuple):
    """An answer as it was made; the key is of what was read on the way, which may be newer than what was asked for."""

    key: AnswerKey
    openness: Openness
    body: bytes


Build: TypeAlias = Callable[[], BuiltAnswer]


@lru_cache(maxsize=4096)
def tag_of(key: AnswerKey) -> str:
    """The key's hash: what names the bytes in an ETag and in Redis."""
    return hashlib.sha256(repr(key).encode()).hexdigest()[:_TAG_CHARACTERS]


class AnswerCache:
    """The answers that this process keeps, before those that all share; used by one event loop."""

    def __init__(self, shared: SharedCache | None = None, most_bytes: int = MOST_BYTES) -> None:
        self._shared = shared
        self._most_bytes = most_bytes
        self._kept: OrderedDict[AnswerKey, ReadyAnswer] = OrderedDict()
        self._bytes = 0
        self._flights: dict[AnswerKey, asyncio.Future[ReadyAnswer]] = {}

    def ready(self, key: AnswerKey) -> ReadyAnswer | None:
        """The answer, if this process has it."""
        answer = self._kept.get(key)
        if answer is not None:
            self._kept.move_to_end(key)
        return answer

    async def obtain(
        self, key: AnswerKey, build: Build, *, openness: Openness, limiter: anyio.CapacityLimiter | None = None
    ) -> ReadyAnswer:
        """The answer from Redis, else built in a thread; who asks for it meanwhile waits for the same one.

        ``limiter``: how many threads may build such answers at once.
        """
        flight = self._flights.get(key)
        if flight is None:
            make = partial(self._make, key, build, openness=openness)
            flight = asyncio.ensure_future(anyio.to_thread.run_sync(make, limiter=limiter))
            self._flights[key] = flight
            flight.add_done_callback(partial(self._land, key))
        return await asyncio.shield(flight)

    def _land(self, key: AnswerKey, flight: "asyncio.Future[ReadyAnswer]") -> None:
        del self._flights[key]
        if not flight.cancelled() and flight.exception() is None:
            self._keep(flight.result())

    def _keep(self, answer: ReadyAnswer) -> None:
        known = self._kept.pop(answer.key, None)
        self._bytes += _size(answer) - (_size(known) if known else 0)
        self._kept[answer.key] = answer
        while self._bytes > self._most_bytes:
            _, oldest = self._kept.popitem(last=False)
            self._bytes -= _size(oldest)

    def _make(self, key: AnswerKey, build: Build, *, openness: Openness) -> ReadyAnswer:
        if self._shared is not None:
            packed = self._shared.get(tag_of(key))
            shared = None if packed is None else _unpacked(key, packed, openness=openness)
            if shared is not None:
                return shared
        built = build()
        answer = ReadyAnswer(built.key, built.openness, built.body, gzip.compress(built.body, 6, mtime=0))
        if self._shared is not None:
            self._shared.put(tag_of(built.key), _packed(answer))
        return answer


def _size(answer: ReadyAnswer) -> int:
    return len(answer.body) + len(answer.gzipped) + _OVERHEAD


def _packed(answer: ReadyAnswer) -> bytes:
    return tag_of(answer.key).encode() + answer.gzipped


def _unpacked(key: AnswerKey, packed: bytes, *, openness: Openness) -> ReadyAnswer | None:
    """What :func:`_packed` wrote under this key; None for anything else."""
    if packed[:_TAG_CHARACTERS] != tag_of(key).encode():
        return None
    gzipped = packed[_TAG_CHARACTERS:]
    try:
        # gzip.decompress would take nothing at all for the compressed form of nothing.
        return ReadyAnswer(key, openness, zlib.decompress(gzipped, 16 + zlib.MAX_WBITS), gzipped)
    except zlib.error:
        return None
