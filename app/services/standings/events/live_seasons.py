"""Who follows which season in this process, and what they are told.

One task looks for new revisions, whoever made them in whichever process; nothing runs while nobody listens. What it
finds is written once for all who follow a season. A listener holds no events, only how far it has come: one that is
slow, or comes back, reads what it missed from the database.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Final, NamedTuple, TypeAlias

import anyio
import anyio.to_thread

from app.repositories.clubs import keys
from app.repositories.database import Database, Transaction
from app.repositories.database.errors import Unavailable
from app.repositories.games.hidden_games import HiddenGames
from app.repositories.seasons import season_events
from app.repositories.seasons.season_events import WatchedSeason as WatchedSeason
from app.services.access import Caller, season_for_reading
from app.services.standings.events.season_events import SeasonEvent, events_between

LOOK_SECONDS: Final = 0.5
"""How often new revisions are looked for."""

MOST_MISSED: Final = 1_000
"""Revisions that a listener may have missed and still be told one by one."""

CHUNK_BYTES: Final = 65_536
"""About how much is written to a listener at once."""

_CHUNK_REVISIONS: Final = 200
_CHUNKS_KEPT: Final = 16
_FRESH_SECONDS: Final = 5.0
"""How long what was written for all is given out without asking again who may read it."""


_Mark: TypeAlias = tuple[int, int | None]
"""A revision and its token."""


class Chunk(NamedTuple):
    """Some events, written: what a listener that has seen ``after`` is told, to have seen ``up_to`` then."""

    after: int
    up_to: int
    body: bytes
    hidden: HiddenGames | None = None
    """The games that it does not name; None: it is for the club."""
    at: float = 0.0
    """By the monotonic clock."""


class Listener:
    """Somebody who follows a season, and how far it has come."""

    def __init__(self, caller: Caller, season: WatchedSeason, seen: int) -> None:
        self.caller = caller
        self.season_id = season.id
        self.sees_all = caller.is_of(season.club_id)
        self.seen = seen
        """The revision up to which it was told."""
        self.is_lost = False
        """Whether it was ahead of the season: it is told to begin anew."""
        self.is_open = True


class _Followed:
    """A season that somebody follows."""

    def __init__(self, season: WatchedSeason) -> None:
        self.revision = season.revision
        self.token = season.change_token
        self.hidden = season.hidden_games
        self.listeners: set[Listener] = set()
        self.moved = asyncio.Event()
        self._chunks: deque[Chunk] = deque(maxlen=_CHUNKS_KEPT)

    def publish(self, revision: int, chunks: Iterable[Chunk]) -> None:
        """Wake everybody."""
        self.revision = revision
        self._chunks.extend(chunks)
        self.moved.set()
        self.moved = asyncio.Event()

    def chunk_after(self, revision: int, *, sees_all: bool) -> Chunk | None:
        """What was just written for those who have seen this revision."""
        since, hidden = time.monotonic() - _FRESH_SECONDS, None if sees_all else self.hidden
        return next(
            (
                chunk
                for chunk in self._chunks
                if chunk.after == revision and chunk.hidden == hidden and chunk.at > since
            ),
            None,
        )


class _News(NamedTuple):
    """What a look found of a season."""

    season_id: int
    season: WatchedSeason | None
    invalid_keys: frozenset[int]
    chunks: list[Chunk]


class LiveSeasons:
    """The seasons that are followed in this process; used by one event loop.

    Args:
        database: where the seasons are.
        write: an event as bytes.
        write_reset: as bytes, that the client must read everything anew; it is then at this revision.
    """

    def __init__(
        self, database: Database, write: Callable[[SeasonEvent], bytes], write_reset: Callable[[int], bytes]
    ) -> None:
        self._database = database
        self._write = write
        self._write_reset = write_reset
        self._followed: dict[int, _Followed] = {}
        self._mark: int | None = None
        self._looking: asyncio.Task[None] | None = None
        self._readers = anyio.CapacityLimiter(4)
        """Threads for listeners that catch up: they hold a connection for as long as that takes."""
        self._look_thread = anyio.CapacityLimiter(1)
        self._stopped = False

    def find(self, caller: Caller, club: str, season: str) -> WatchedSeason:
        """Return the season to follow as it is now; in a thread.

        Raises:
            NotFound: there is none that the caller may read.
        """
        with self._database.read() as tx:
            found = season_for_reading(tx, caller, club, season)
            return season_events.watched(tx, [found.id])[found.id]

    def follow(self, caller: Caller, season: WatchedSeason, after: int | None) -> Listener:
        """Return a listener that is told what comes after a revision, by default after the one that was found."""
        listener = Listener(caller, season, season.revision if after is None else after)
        listener.is_lost = listener.seen > season.revision
        followed = self._followed.setdefault(season.id, _Followed(season))
        followed.listeners.add(listener)
        if self._looking is None or self._looking.done():
            self._mark = None
            self._looking = asyncio.get_running_loop().create_task(self._look_on())
        return listener

    def leave(self, listener: Listener) -> None:
        """Forget a listener."""
        followed = self._followed.get(listener.season_id)
        if followed is not None:
            followed.listeners.discard(listener)
            if not followed.listeners:
                del self._followed[listener.season_id]

    def stop(self) -> None:
        """Let every stream end, now and from now on: the process is about to."""
        self._stopped = True
        for followed in self._followed.values():
            followed.publish(followed.revision, ())

    async def ended(self) -> None:
        """Return once nothing looks into the database any more, after :meth:`stop`."""
        if self._looking is not None:
            await asyncio.wait([self._looking])

    async def next(self, listener: Listener) -> bytes | None:
        """Return what the listener is told next, once there is something; None: no more, for it may not read on."""
        while listener.is_open and not self._stopped:
            followed = self._followed[listener.season_id]
            moved = followed.moved
            if listener.seen < followed.revision or listener.is_lost:
                chunk = None if listener.is_lost else followed.chunk_after(listener.seen, sees_all=listener.sees_all)
                if chunk is None:
                    try:
                        chunk = await anyio.to_thread.run_sync(self._missed, listener, limiter=self._readers)
                    except Unavailable:
                        await asyncio.sleep(LOOK_SECONDS)
                        continue
                if chunk is None:
                    return None
                listener.is_lost = False
                listener.seen = chunk.up_to
                return chunk.body
            await moved.wait()
        return None

    def _missed(self, listener: Listener) -> Chunk | None:
        """What the listener is told next as the database has it; None: it may not know."""
        with self._database.read() as tx:
            season = season_events.watched(tx, [listener.season_id]).get(listener.season_id)
            if season is None or not _may_follow(listener.caller, season, _invalid(tx, [listener.caller])):
                return None
            after = listener.seen
            if listener.is_lost or not 0 <= season.revision - after <= MOST_MISSED:
                return Chunk(after, season.revision, self._write_reset(season.revision))
            up_to = min(season.revision, after + _CHUNK_REVISIONS)
            hidden = None if listener.sees_all else season.hidden_games
            events = events_between(tx, season.id, after=after, up_to=up_to, hidden=hidden)
        return next(iter(self._chunks(events, hidden)), Chunk(after, after, b""))

    async def _look_on(self) -> None:
        """Look for new revisions as long as anybody listens."""
        try:
            while self._followed and not self._stopped:
                await asyncio.sleep(LOOK_SECONDS)
                known = {number: (followed.revision, followed.token) for number, followed in self._followed.items()}
                callers = {
                    number: [one.caller for one in followed.listeners] for number, followed in self._followed.items()
                }
                try:
                    found = await anyio.to_thread.run_sync(self._look, known, callers, limiter=self._look_thread)
                except Unavailable:
                    continue
                for news in found:
                    self._tell(news)
        finally:
            # Nobody would be told anything any more; whoever listens comes back.
            for followed in self._followed.values():
                _close(followed, followed.listeners)

    def _look(self, known: dict[int, _Mark], callers: dict[int, list[Caller]]) -> list[_News]:
        mark = self._database.change_mark()
        if mark is not None and mark == self._mark:
            return []
        with self._database.glance() as tx:
            seasons = season_events.watched(tx, known)
        found = []
        moved = [number for number, mark in known.items() if _mark(seasons.get(number)) != mark]
        if moved:
            with self._database.read() as tx:
                seasons = season_events.watched(tx, moved)
                for number in moved:
                    season = seasons.get(number)
                    chunks = [] if season is None else self._news(tx, season, known[number][0])
                    found.append(_News(number, season, _invalid(tx, callers[number]), chunks))
        self._mark = mark
        return found

    def _news(self, tx: Transaction, season: WatchedSeason, after: int) -> list[Chunk]:
        """What everybody is told who has seen ``after``; nothing where that is too much."""
        if not 0 < season.revision - after <= MOST_MISSED:
            return []
        return [
            chunk
            for hidden in {None, season.hidden_games}
            for chunk in self._chunks(
                events_between(tx, season.id, after=after, up_to=season.revision, hidden=hidden), hidden
            )
        ]

    def _chunks(self, events: Iterable[SeasonEvent], hidden: HiddenGames | None) -> list[Chunk]:
        chunks = []
        after, body = None, b""
        now = time.monotonic()
        for event in events:
            after = event.revision - 1 if after is None else after
            body += self._write(event)
            if len(body) >= CHUNK_BYTES:
                chunks.append(Chunk(after, event.revision, body, hidden, now))
                after, body = None, b""
        if after is not None:
            chunks.append(Chunk(after, event.revision, body, hidden, now))
        return chunks

    def _tell(self, news: _News) -> None:
        followed = self._followed.get(news.season_id)
        if followed is None:
            return
        season = news.season
        if season is None:
            _close(followed, followed.listeners)
            return
        _close(followed, [one for one in followed.listeners if not _may_follow(one.caller, season, news.invalid_keys)])
        if season.revision <= followed.revision:
            # The database was restored from an older copy, or a standby that lacked commits took over.
            for listener in followed.listeners:
                listener.is_lost |= listener.seen >= season.revision
        followed.token, followed.hidden = season.change_token, season.hidden_games
        followed.publish(season.revision, news.chunks)


def _mark(season: WatchedSeason | None) -> _Mark | None:
    return None if season is None else (season.revision, season.change_token)


def _close(followed: _Followed, listeners: Iterable[Listener]) -> None:
    for listener in listeners:
        listener.is_open = False
    followed.publish(followed.revision, ())


def _invalid(tx: Transaction, callers: Iterable[Caller]) -> frozenset[int]:
    """Those of the callers' keys that are not valid any more."""
    now = datetime.now(UTC)
    used = {caller.key_id for caller in callers if caller.key_id is not None}
    return frozenset(number for number, key in keys.by_ids(tx, used).items() if not key.opens_at(now))


def _may_follow(caller: Caller, season: WatchedSeason, invalid_keys: frozenset[int]) -> bool:
    """Whether the caller may still read the season; a key that became invalid opens nothing, as everywhere."""
    if caller.key_id in invalid_keys:
        return False
    return season.public or caller.is_of(season.club_id)
