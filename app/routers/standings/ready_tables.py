"""A season's table as it is answered: unchanged, ready, or built now (docs/decisions/0005-ready-tables.md)."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Final, NamedTuple

import anyio
import anyio.to_thread
from fastapi import Depends, Request
from fastapi.params import Depends as Dependency

from app.routers.common.openapi import UNCHANGED, fails
from app.routers.common.resources import READ_FAILURES
from app.routers.common.strict_route import StrictRoute
from app.routers.common.use_case import OPTIONAL_KEY, caller_of
from app.schemas.common.fields import SLUG_PATTERN
from app.services.access import NOBODY, Caller
from app.services.clubs.key_use import note_use
from app.services.standings import ready_tables
from app.services.standings.cache.answers import AnswerKey, BuiltAnswer, ReadyAnswer, View, tag_of
from app.services.standings.cache.scoreboard import Scoreboard
from app.services.standings.cache.season_state import StampedState
from app.services.standings.standings import demand_readable
from app.services.storage import Unavailable
from app.web.concurrency import RETRY_SECONDS, TURN_SECONDS, Saturated
from app.web.prepared_response import Headers, Media, PreparedResponse, described, names, takes_gzip, validators

FAILURES: Final = UNCHANGED | fails(*READ_FAILURES, "forbidden")
READ_BY_ANYONE: Final[list[Dependency]] = [Depends(OPTIONAL_KEY)]
_SLUG: Final = re.compile(SLUG_PATTERN)


class TableRoute(StrictRoute):
    """A route of tables: what FastAPI would read of the path costs a table that is ready a seventh of its speed."""

    reads_path = False


async def ready_table(
    request: Request, club: str, season: str, view: View, media: Media, write: ready_tables.Write
) -> PreparedResponse:
    """The view of a season, if the caller may see it: unchanged, ready, or built now.

    Raises:
        Unauthorized, RateLimited: see :func:`app.routers.common.use_case.caller_of`.
        NotFound, Forbidden, InvalidInput: see :func:`app.services.standings.standings.demand_readable`.
        Saturated: there is no place to build it, or no turn.
    """
    scoreboard: Scoreboard = request.app.state.scoreboard
    has = request.headers.get("if-none-match")
    gzipped = media.compressed and takes_gzip(request.headers.get("accept-encoding", ""))
    while True:
        caller, known = await _asker(request, scoreboard, club, season)
        state = demand_readable(caller, known and known.state, view.asked)
        key = AnswerKey(known.stamp if known else "", view)
        public = state.season.public
        form = _Representation(media, view.language, f"{club}-{season}", not public or view.asked.unpublished, gzipped)
        response = _ready(scoreboard, key, form, has)
        if response is not None:
            if caller is NOBODY and known is not None:
                request.app.state.ready_answers.put(request.scope, partial(_again, scoreboard, known, key, form))
            return response
        build = partial(ready_tables.build, scoreboard, state.season.id, view, write)
        snapshot = await _obtained(request, scoreboard, key, build, public=public)
        if snapshot.public == public:
            return form.whole(snapshot)
        # The season was opened or hidden in between: look again at who asks.


class _Representation(NamedTuple):
    """How an answer is written for one request."""

    media: Media
    language: str | None
    file: str
    private: bool
    gzipped: bool

    def whole(self, snapshot: ReadyAnswer) -> PreparedResponse:
        """The answer with its bytes."""
        return PreparedResponse(
            200,
            snapshot.gzipped if self.gzipped else snapshot.body,
            self._validators(snapshot.key) + described(self.media, self.language, self.file, gzipped=self.gzipped),
        )

    def unchanged(self, key: AnswerKey) -> PreparedResponse:
        """304."""
        return PreparedResponse(304, b"", self._validators(key))

    def _validators(self, key: AnswerKey) -> Headers:
        return validators(tag_of(key), self.media, self.language, private=self.private, gzipped=self.gzipped)


def _ready(
    scoreboard: Scoreboard, key: AnswerKey, form: _Representation, if_none_match: str | None
) -> PreparedResponse | None:
    """The answer without making anything, if that can be."""
    if if_none_match is not None and names(if_none_match, tag_of(key)):
        return form.unchanged(key)
    snapshot = scoreboard.answers.ready(key)
    return None if snapshot is None else form.whole(snapshot)


def _again(
    scoreboard: Scoreboard, known: StampedState, key: AnswerKey, form: _Representation, if_none_match: str | None
) -> PreparedResponse | None:
    """The same answer to the next who asks without a key, as long as nothing was committed anywhere."""
    season = known.state.season
    try:
        holds = scoreboard.season_states.known(season.club, season.slug) is known
    except Unavailable:
        return None
    return _ready(scoreboard, key, form, if_none_match) if holds else None


async def _obtained(
    request: Request, scoreboard: Scoreboard, key: AnswerKey, build: Callable[[], BuiltAnswer], *, public: bool
) -> ReadyAnswer:
    """The answer, made now; one for which every game of the season is scored needs a place, and waits for its turn.

    Raises:
        Saturated: there is no place, or it takes long: who comes back may find the answer made meanwhile.
    """
    if not ready_tables.scores_games(key.view):
        return await scoreboard.answers.obtain(key, build, public=public)
    state = request.app.state
    with state.standings_slots:
        try:
            with anyio.fail_after(TURN_SECONDS):
                return await scoreboard.answers.obtain(key, build, public=public, limiter=state.one_at_a_time)
        except TimeoutError:
            raise Saturated(RETRY_SECONDS) from None


async def _asker(
    request: Request, scoreboard: Scoreboard, club: str, season: str
) -> tuple[Caller, StampedState | None]:
    """Who asks, and the season as it is now; without a key and where nothing was committed since, nobody is asked."""
    if request.headers.get("authorization") is None:
        known = scoreboard.season_states.known(club, season)
        if known is not None:
            return NOBODY, known
    return await anyio.to_thread.run_sync(_look_up, request, scoreboard, club, season)


def _look_up(request: Request, scoreboard: Scoreboard, club: str, season: str) -> tuple[Caller, StampedState | None]:
    now = datetime.now(UTC)
    caller = caller_of(request, now)
    are_slugs = _SLUG.fullmatch(club) and _SLUG.fullmatch(season)
    known = scoreboard.season_states.read(club, season) if are_slugs else None
    note_use(scoreboard.database, caller, now)
    return caller, known
