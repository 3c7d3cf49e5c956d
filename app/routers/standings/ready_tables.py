"""Answers about a season's table: unchanged, ready, or built now (docs/decisions/0005-ready-tables.md)."""

import asyncio
import re
from collections.abc import Callable, Coroutine
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final, NamedTuple, cast

import anyio
import anyio.to_thread
from fastapi import Depends, Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.params import Depends as Dependency
from starlette.background import BackgroundTask

from app.patterns import SLUG
from app.routers.common.openapi import UNCHANGED, fails
from app.routers.common.resources import READ_FAILURES
from app.routers.common.strict_route import OPTIONAL_KEY, StrictRoute, given_of, model_of
from app.routers.common.use_case import caller_now, caller_of
from app.schemas.common.fields import NoQuery
from app.services.access import NOBODY, Caller
from app.services.clubs.key_use import note_use, use_is_due
from app.services.standings import ready_tables
from app.services.standings.cache.answers import AnswerKey, BuiltAnswer, Openness, ReadyAnswer, View, tag_of
from app.services.standings.cache.scoreboard import Scoreboard
from app.services.standings.cache.season_state import StampedState
from app.services.standings.standings import demand_readable
from app.services.storage import Unavailable
from app.web.bodies import read_query
from app.web.concurrency import RETRY_SECONDS, TURN_SECONDS, Saturated
from app.web.prepared_response import (
    Headers,
    Media,
    PreparedResponse,
    Readers,
    described,
    names,
    takes_gzip,
    validators,
)

FAILURES: Final = UNCHANGED | fails(*READ_FAILURES, "forbidden")
READ_BY_ANYONE: Final[list[Dependency]] = [Depends(OPTIONAL_KEY)]
_SLUG: Final = re.compile(SLUG)


class TableView(NamedTuple):
    """Which answer about a season's table is asked for, in which form, and how its body is made."""

    view: View
    media: Media
    write: ready_tables.Write


class TableRoute(StrictRoute):
    """A route of tables, whose endpoint says what is asked for; it is answered here: unchanged, ready, or built now.

    The path is read by :func:`_look_up`: FastAPI's reading of it costs a table that is ready a seventh of its speed.
    """

    def left_to_framework(self, described: Dependant) -> Dependant:
        """Nothing."""
        left = super().left_to_framework(described)
        return replace(left, call=_answering(described), path_params=[], dependencies=[])


def _answering(described: Dependant) -> Callable[[Request], Coroutine[Any, Any, Response]]:
    endpoint = cast(Callable[..., TableView], described.call)
    query_name, query = model_of(described.query_params)
    given = given_of(described)

    async def answer(request: Request) -> Response:
        path = request.path_params
        values = {**path}
        asked = read_query(request, query or NoQuery)
        if query_name is not None:
            values[query_name] = asked
        for name, give in given:
            values[name] = give(request)
        return await _answered(request, path["club"], path["season"], endpoint(**values))

    return answer


async def _answered(request: Request, club: str, season: str, asked: TableView) -> PreparedResponse:
    """The view, if the caller may see it."""
    scoreboard: Scoreboard = request.app.state.scoreboard
    media = asked.media
    has = request.headers.get("if-none-match")
    gzipped = media.compressed and takes_gzip(request.headers.get("accept-encoding", ""))
    while True:
        caller, state = await _asker(request, scoreboard, club, season)
        found, query = demand_readable(caller, state and state.state, asked.view.asked)
        view = asked.view._replace(asked=query)
        key = AnswerKey(state.stamp if state else "", view)
        openness = Openness(found.season.public, found.season.hidden_stage, found.season.hidden_day)
        by_key = found.season.hidden_stage is not None or found.season.hidden_day is not None
        private = not openness.public or query.unpublished or (by_key and query.hidden is None)
        form = _Representation(media, view.language, f"{club}-{season}", Readers(private, by_key), gzipped)
        response = _ready(scoreboard, key, form, has)
        if response is not None:
            _note_use(scoreboard, caller, response)
            if caller is NOBODY and state is not None:
                request.app.state.ready_answers.put(request.scope, partial(_again, scoreboard, state, key, form))
            return response
        build = partial(ready_tables.build, scoreboard, found.season.id, view, asked.write)
        answer = await _obtained(request, scoreboard, key, build, openness=openness)
        if answer.openness == openness:
            return _note_use(scoreboard, caller, form.whole(answer))
        # The season, or some games, were opened or hidden in between: look again at who asks.


def _note_use(scoreboard: Scoreboard, caller: Caller, response: PreparedResponse) -> PreparedResponse:
    """Let the use of the caller's key be noted once the response is sent."""
    now = datetime.now(UTC)
    if caller is not NOBODY and use_is_due(caller, now):
        response.background = BackgroundTask(note_use, scoreboard.database, caller, now)
    return response


class _Representation(NamedTuple):
    """How an answer is written for one request."""

    media: Media
    language: str | None
    file: str
    readers: Readers
    gzipped: bool

    def whole(self, answer: ReadyAnswer) -> PreparedResponse:
        """The answer with its bytes."""
        return PreparedResponse(
            200,
            answer.gzipped if self.gzipped else answer.body,
            self._validators(answer.key) + described(self.media, self.language, self.file, gzipped=self.gzipped),
        )

    def unchanged(self, key: AnswerKey) -> PreparedResponse:
        """304."""
        return PreparedResponse(304, b"", self._validators(key))

    def _validators(self, key: AnswerKey) -> Headers:
        return validators(tag_of(key), self.media, self.language, readers=self.readers, gzipped=self.gzipped)


def _ready(
    scoreboard: Scoreboard, key: AnswerKey, form: _Representation, if_none_match: str | None
) -> PreparedResponse | None:
    """The answer without making anything, if that can be."""
    if if_none_match is not None and names(if_none_match, tag_of(key)):
        return form.unchanged(key)
    answer = scoreboard.answers.ready(key)
    return None if answer is None else form.whole(answer)


async def _again(
    scoreboard: Scoreboard, state: StampedState, key: AnswerKey, form: _Representation, if_none_match: str | None
) -> PreparedResponse | None:
    """The same answer to the next who asks without a key, as long as the season is as it was."""
    season = state.state.season
    try:
        holds = await scoreboard.season_states.current(season.club, season.slug) is state
    except Unavailable:
        return None
    return _ready(scoreboard, key, form, if_none_match) if holds else None


async def _obtained(
    request: Request, scoreboard: Scoreboard, key: AnswerKey, build: Callable[[], BuiltAnswer], *, openness: Openness
) -> ReadyAnswer:
    """Return the response, built now if needed. What scores every game of the season, or makes the database add up its
    ledger, waits for its turn.

    Raises:
        Saturated: the queue is full or the wait is too long. A retry may find the finished response.
    """
    state, answers = request.app.state, scoreboard.answers
    if not key.view.scores_games and not key.view.sums_ledger:
        return await answers.obtain(key, build, openness=openness)
    try:
        with anyio.fail_after(TURN_SECONDS):
            if not key.view.scores_games:
                return await answers.obtain(key, build, openness=openness, limiter=state.past_tables)
            with state.standings_slots:
                return await answers.obtain(key, build, openness=openness, limiter=state.one_at_a_time)
    except TimeoutError:
        raise Saturated(RETRY_SECONDS) from None


async def _asker(
    request: Request, scoreboard: Scoreboard, club: str, season: str
) -> tuple[Caller, StampedState | None]:
    """Who asks, and the season as it is now; without a key and where nothing was committed since, nobody is asked."""
    reads = scoreboard.database.shared_reads
    if request.headers.get("authorization") is None:
        state = await scoreboard.season_states.current(club, season)
        if state is not None:
            return NOBODY, state
    elif reads is not None:
        who = caller_now(request, reads, datetime.now(UTC))
        caller, state = await asyncio.gather(who, scoreboard.season_states.current(club, season))
        if state is not None:
            return caller, state
    return await anyio.to_thread.run_sync(_look_up, request, scoreboard, club, season)


def _look_up(request: Request, scoreboard: Scoreboard, club: str, season: str) -> tuple[Caller, StampedState | None]:
    now = datetime.now(UTC)
    caller = caller_of(request, now)
    are_slugs = _SLUG.fullmatch(club) and _SLUG.fullmatch(season)
    state = scoreboard.season_states.read(club, season) if are_slugs else None
    return caller, state
