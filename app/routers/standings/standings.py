"""A season's tables (API.md, "Standings")."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final, NamedTuple

import anyio
import anyio.to_thread
from fastapi import APIRouter, Request, Response

from app.routers.common.openapi import UNCHANGED, asks, fails
from app.routers.common.resources import READ_FAILURES
from app.routers.common.use_case import caller_of
from app.routers.rule_systems import TURN_SECONDS
from app.schemas.common.fields import SLUG_PATTERN
from app.schemas.rule_systems import NoQuery
from app.schemas.seasons.rule_change import StandingsQuery, WhatIfStandings, what_if_wire
from app.schemas.standings.season_standings import (
    KeptStandings,
    PlayerStanding,
    RowQuery,
    SeasonAwards,
    awards_wire,
    kept_standings_wire,
    player_wire,
)
from app.services.access import NOBODY, Caller
from app.services.clubs.key_use import note_use
from app.services.seasons import what_if
from app.services.standings import awards, csv_file, standings
from app.services.standings.cache.answers import AnswerKey, BuiltAnswer, ReadyAnswer, View, tag_of
from app.services.standings.cache.scoreboard import Scoreboard
from app.services.standings.cache.season_state import StampedState, stamped
from app.services.standings.standings import Table
from app.services.standings.table_query import TableQuery
from app.services.standings.workbook import table_book
from app.services.storage import Transaction, Unavailable
from app.web.bodies import read_query
from app.web.concurrency import RETRY_SECONDS, Saturated
from app.web.language import language_of
from app.web.prepared_response import Headers, Media, PreparedResponse, described, names, takes_gzip, validators
from app.web.render import render

Write = Callable[[Transaction, Table], bytes]
"""Makes the body of an answer from a table and the state of the database that it was read in."""

_JSON: Final = Media("json", "application/json")
_CSV: Final = Media("csv", "text/csv; charset=utf-8", "csv")
_XLSX: Final = Media(
    "xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx", compressed=False
)
_BOOK: Final = "standings.xlsx"
_FAILURES: Final = UNCHANGED | fails(*READ_FAILURES, "forbidden")
_SLUG: Final = re.compile(SLUG_PATTERN)


def _path(name: str, description: str, example: str, **schema: str) -> dict[str, Any]:
    """A parameter of the path. The endpoints read them by themselves: having FastAPI read them costs a table that is
    ready a seventh of its speed.
    """
    return {
        "name": name,
        "in": "path",
        "required": True,
        "description": description,
        "schema": {"type": "string", "examples": [example], **schema},
    }


_CLUB: Final = _path("club", "The club's slug.", "maffamily", pattern=SLUG_PATTERN)
_SEASON: Final = _path("season", "The season's slug.", "2025-spring", pattern=SLUG_PATTERN)
_PLAYER: Final = _path("player", "The player's id.", "p_1jqf0v3k8m2x5r7t9w")
_OF_SEASON: Final = {"parameters": [_CLUB, _SEASON]}
_OF_TABLE: Final = {"parameters": [*_OF_SEASON["parameters"], *asks(RowQuery)["parameters"]]}
_OF_PLAYER: Final = {"parameters": [_PLAYER, *_OF_TABLE["parameters"]]}


def _file(media: Media, **schema: str) -> dict[int | str, dict[str, Any]]:
    return {200: {"content": {media.type.partition(";")[0]: {"schema": {"type": "string", **schema}}}}} | _FAILURES


router = APIRouter(prefix="/v1/clubs/{club}/seasons/{season}", tags=["Standings"])


@router.get(
    "/standings",
    summary="Read the table",
    response_model=KeptStandings | WhatIfStandings,
    responses=_FAILURES,
    openapi_extra={"parameters": [*_OF_SEASON["parameters"], *asks(StandingsQuery)["parameters"]]},
)
async def get_standings(request: Request) -> Response:
    """Every game that counts is in it the moment it is answered. A public season needs no key. With `rule_system` the
    same games are scored by that system and ranked beside the season's own places; nothing changes.
    """
    query = read_query(request, StandingsQuery)
    asked, other = query.asked(), query.system()
    language = language_of(request)

    def write(tx: Transaction, table: Table) -> bytes:
        if other is None:
            return render(kept_standings_wire(table, asked, language))
        return render(what_if_wire(what_if.under(tx, table, asked, other), asked, language))

    under = None if other is None else other.fingerprint
    return await _answered(request, View("standings", language, asked, under=under), _JSON, write)


@router.get(
    "/standings.csv",
    summary="Read the table as CSV",
    response_class=Response,
    responses=_file(_CSV),
    openapi_extra=_OF_TABLE,
)
async def get_standings_csv(request: Request) -> Response:
    """The table's rows in UTF-8: place, id, nickname, then the columns under their keys. A nickname that a spreadsheet
    would take for a formula has an apostrophe before it.
    """
    asked = read_query(request, RowQuery).asked()

    def write(_: Transaction, table: Table) -> bytes:
        return csv_file.csv_sheet(table, asked)

    return await _answered(request, View("standings.csv", None, asked), _CSV, write)


@router.get(
    "/standings.xlsx",
    summary="Read the table as a workbook",
    response_class=Response,
    responses=_file(_XLSX, format="binary"),
    openapi_extra=_OF_TABLE,
)
async def get_standings_xlsx(request: Request) -> Response:
    """The table with real numbers; in a tournament a sheet per stage, each the table that its games alone would make;
    and every line of every player, which add up to his row. In the language of the request.
    """
    asked = read_query(request, RowQuery).asked()
    language = language_of(request)

    def write(tx: Transaction, table: Table) -> bytes:
        return table_book(tx, table, asked, language)

    return await _answered(request, View(_BOOK, language, asked), _XLSX, write)


@router.get(
    "/standings/{player}",
    summary="Read a player's row, line by line",
    response_model=PlayerStanding,
    responses=_FAILURES,
    openapi_extra=_OF_PLAYER,
)
async def get_player_standing(request: Request) -> Response:
    """The row and every line that made it, game by game; the lines add up to the row."""
    asked = read_query(request, RowQuery).asked()
    language = language_of(request)
    player = request.path_params["player"]

    def write(tx: Transaction, table: Table) -> bytes:
        return render(player_wire(table, standings.player_row(tx, table, asked, player), language))

    return await _answered(request, View("player", language, asked, player), _JSON, write)


@router.get(
    "/awards",
    summary="Read the awards",
    response_model=SeasonAwards,
    responses=_FAILURES,
    openapi_extra=_OF_SEASON,
)
async def get_awards(request: Request) -> Response:
    """What the regulation gives for places of the table, and what each player lacks for it. Provisional until the
    season is closed.
    """
    read_query(request, NoQuery)
    language = language_of(request)

    def write(_: Transaction, table: Table) -> bytes:
        return render(awards_wire(table, awards.states(table), language))

    return await _answered(request, View("awards", language, TableQuery()), _JSON, write)


async def _answered(request: Request, view: View, media: Media, write: Write) -> Response:
    """The view, if the caller may see it: unchanged, ready, or made now."""
    scoreboard: Scoreboard = request.app.state.scoreboard
    club, season = request.path_params["club"], request.path_params["season"]
    has = request.headers.get("if-none-match")
    gzipped = media.compressed and takes_gzip(request.headers.get("accept-encoding", ""))
    while True:
        caller, known = await _asker(request, scoreboard, club, season)
        state = standings.demand_readable(caller, known and known.state, view.asked)
        key = AnswerKey(known.stamp if known else "", view)
        public = state.season.public
        form = _Representation(media, view.language, f"{club}-{season}", not public or view.asked.unpublished, gzipped)
        response = _ready(scoreboard, key, form, has)
        if response is not None:
            if caller is NOBODY and known is not None:
                request.app.state.ready_answers.put(request.scope, partial(_again, scoreboard, known, key, form))
            return response
        build = partial(_build, scoreboard, state.season.id, view, write)
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
    if key.view.under is None and key.view.name != _BOOK:
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


def _build(scoreboard: Scoreboard, season_id: int, view: View, write: Write) -> BuiltAnswer:
    # The orders of another system are not the season's own.
    asked = view.asked if view.under is None else view.asked._replace(order=None)
    with standings.open_table(scoreboard.database, scoreboard.tallies, season_id, asked) as (tx, table):
        known = stamped(table.state)
        return BuiltAnswer(AnswerKey(known.stamp, view), known.state.season.public, write(tx, table))
