"""A season's tables (API.md, "Standings")."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache, partial
from typing import Annotated, Any, Final, NamedTuple

import anyio.to_thread
from fastapi import APIRouter, Path, Request, Response

from app.repositories.database import Transaction
from app.repositories.heads import Head
from app.routers.documented import UNCHANGED, asks, fails
from app.routers.kept import caller_of, note_use
from app.routers.resources import READ_FAILURES, ClubSlug, SeasonSlug
from app.schemas.kept_standings import (
    KeptStandings,
    PlayerStanding,
    RowQuery,
    SeasonAwards,
    awards_wire,
    kept_standings_wire,
    player_wire,
)
from app.schemas.rule_systems import NoQuery
from app.services import awards, sheets, standings
from app.services.access import NOBODY, Caller
from app.services.scoreboard import Scoreboard
from app.services.snapshots import Key, Snapshot, View, key_of, tag_of
from app.services.standings import Asked, Table
from app.web.language import Language, language_of
from app.web.render import render
from app.web.requests import read_query

PlayerId = Annotated[str, Path(description="The player's id.", examples=["p_1jqf0v3k8m2x5r7t9w"])]

Write = Callable[[Transaction, Table], bytes]
"""Makes the body of an answer from a table and the state of the database that it was read in."""


class _Media(NamedTuple):
    """A form that answers have."""

    name: str
    type: str
    extension: str | None
    """Of the file that it is saved as; None: it is shown."""
    compressed: bool
    """Whether gzip makes it smaller."""


_JSON: Final = _Media("json", "application/json", None, compressed=True)
_CSV: Final = _Media("csv", "text/csv; charset=utf-8", "csv", compressed=True)
_XLSX: Final = _Media(
    "xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx", compressed=False
)

_FAILURES: Final = UNCHANGED | fails(*READ_FAILURES, "forbidden")
_GZIP: Final = "-gzip"

router = APIRouter(prefix="/v1/clubs/{club}/seasons/{season}", tags=["Standings"])


def _file(media: _Media) -> dict[int | str, dict[str, Any]]:
    schema = {"type": "string"} if media is _CSV else {"type": "string", "format": "binary"}
    return {200: {"content": {media.type.partition(";")[0]: {"schema": schema}}}}


@router.get(
    "/standings",
    summary="Read the table",
    response_model=KeptStandings,
    responses=_FAILURES,
    openapi_extra=asks(RowQuery),
)
async def get_standings(club: ClubSlug, season: SeasonSlug, request: Request) -> Response:
    """Every game that counts is in it the moment it is answered. A public season needs no key."""
    asked = read_query(request, RowQuery).asked()
    language = language_of(request)

    def write(_: Transaction, table: Table) -> bytes:
        return render(kept_standings_wire(table, asked, language))

    return await _answered(request, club, season, _view("standings", _JSON, language, asked), _JSON, write)


@router.get(
    "/standings.csv",
    summary="Read the table as CSV",
    response_class=Response,
    responses=_file(_CSV) | _FAILURES,
    openapi_extra=asks(RowQuery),
)
async def get_standings_csv(club: ClubSlug, season: SeasonSlug, request: Request) -> Response:
    """The table's rows in UTF-8: place, id, nickname, then the columns under their keys. A nickname that a spreadsheet
    would take for a formula has an apostrophe before it.
    """
    asked = read_query(request, RowQuery).asked()

    def write(_: Transaction, table: Table) -> bytes:
        return sheets.csv_sheet(table, asked)

    return await _answered(request, club, season, _view("standings", _CSV, None, asked), _CSV, write)


@router.get(
    "/standings.xlsx",
    summary="Read the table as a workbook",
    response_class=Response,
    responses=_file(_XLSX) | _FAILURES,
    openapi_extra=asks(RowQuery),
)
async def get_standings_xlsx(club: ClubSlug, season: SeasonSlug, request: Request) -> Response:
    """The table's rows with real numbers, labels in the language of the request."""
    asked = read_query(request, RowQuery).asked()
    language = language_of(request)

    def write(_: Transaction, table: Table) -> bytes:
        return sheets.xlsx_sheet(table, asked, language)

    return await _answered(request, club, season, _view("standings", _XLSX, language, asked), _XLSX, write)


@router.get(
    "/standings/{player}",
    summary="Read a player's row, line by line",
    response_model=PlayerStanding,
    responses=_FAILURES,
    openapi_extra=asks(RowQuery),
)
async def get_player_standing(club: ClubSlug, season: SeasonSlug, player: PlayerId, request: Request) -> Response:
    """The row and every line that made it, game by game; the lines add up to the row."""
    asked = read_query(request, RowQuery).asked()
    language = language_of(request)

    def write(tx: Transaction, table: Table) -> bytes:
        return render(player_wire(table, standings.player_row(tx, table, asked, player), language))

    view = _view("player", _JSON, language, asked)._replace(player=player)
    return await _answered(request, club, season, view, _JSON, write)


@router.get("/awards", summary="Read the awards", response_model=SeasonAwards, responses=_FAILURES)
async def get_awards(club: ClubSlug, season: SeasonSlug, request: Request) -> Response:
    """What the regulation gives for places of the table, and what each player lacks for it. Provisional until the
    season is closed.
    """
    read_query(request, NoQuery)
    language = language_of(request)

    def write(_: Transaction, table: Table) -> bytes:
        return render(awards_wire(table, awards.states(table), language))

    return await _answered(request, club, season, _view("awards", _JSON, language, Asked()), _JSON, write)


def _view(name: str, media: _Media, language: Language | None, asked: Asked) -> View:
    return View(name, media.name, language, asked.order or "", asked.unpublished, asked.as_of, asked.revision)


async def _answered(request: Request, club: str, season: str, view: View, media: _Media, write: Write) -> Response:
    """The view, if the caller may see it: unchanged, ready, or made now."""
    scoreboard: Scoreboard = request.app.state.scoreboard
    known = request.headers.get("if-none-match")
    gzipped = media.compressed and _takes_gzip(request.headers.get("accept-encoding", ""))
    while True:
        caller, found = await _asker(request, scoreboard, club, season)
        head = standings.readable(caller, found, unpublished=view.unpublished)
        standings.demand_revision(head, view.revision)
        key = key_of(head, standings.rules_of(head), view)
        if known is not None and _names(known, tag_of(key)):
            return Response(status_code=304, headers=_validators(key, media, gzipped=gzipped))
        snapshot = scoreboard.snapshots.ready(key)
        if snapshot is None:
            snapshot = await scoreboard.snapshots.obtain(key, partial(_build, scoreboard, view, head, write))
        if snapshot.key.public == key.public:
            return _response(snapshot, media, f"{club}-{season}", gzipped=gzipped)
        # The season was opened or hidden in between: look again at who asks.


async def _asker(request: Request, scoreboard: Scoreboard, club: str, season: str) -> tuple[Caller, Head | None]:
    """Who asks, and the season as it is now; without a key and where nothing was committed since, nobody is asked."""
    if "authorization" not in request.headers:
        head = scoreboard.heads.known(club, season)
        if head is not None:
            return NOBODY, head
    return await anyio.to_thread.run_sync(_look_up, request, scoreboard, club, season)


def _look_up(request: Request, scoreboard: Scoreboard, club: str, season: str) -> tuple[Caller, Head | None]:
    now = datetime.now(UTC)
    caller = caller_of(request, now)
    head = scoreboard.heads.read(club, season)
    note_use(scoreboard.database, caller, now)
    return caller, head


def _build(scoreboard: Scoreboard, view: View, head: Head, write: Write) -> tuple[Key, bytes]:
    asked = Asked(view.order or None, view.unpublished, view.as_of, view.revision)
    with standings.opened(scoreboard.database, scoreboard.folds, head.season.id, asked) as (tx, table):
        return key_of(table.head, standings.rules_of(table.head), view), write(tx, table)


def _response(snapshot: Snapshot, media: _Media, name: str, *, gzipped: bool) -> Response:
    headers = _validators(snapshot.key, media, gzipped=gzipped)
    headers["X-Content-Type-Options"] = "nosniff"
    if snapshot.key.view.language is not None:
        headers["Content-Language"] = snapshot.key.view.language
    if gzipped:
        headers["Content-Encoding"] = "gzip"
    if media.extension is not None:
        headers["Content-Disposition"] = f'attachment; filename="{name}.{media.extension}"'
    return Response(snapshot.gzipped if gzipped else snapshot.body, headers=headers, media_type=media.type)


def _validators(key: Key, media: _Media, *, gzipped: bool) -> dict[str, str]:
    """What says for how long and for whom an answer holds; a 304 has it too. Each coding has a strong ETag of its own
    (RFC 9110, 8.8.3.3).
    """
    varies = "" if key.view.language is None else "Accept-Language"
    if media.compressed:
        varies = f"{varies}, Accept-Encoding" if varies else "Accept-Encoding"
    return {
        "ETag": f'"{tag_of(key)}{_GZIP if gzipped else ""}"',
        "Cache-Control": "no-cache" if key.public and not key.view.unpublished else "private, no-cache",
        "Vary": varies,
    }


@lru_cache(maxsize=256)
def _names(if_none_match: str, tag: str) -> bool:
    """Whether ``If-None-Match`` names the answer with this tag, in either coding (RFC 9110, 13.1.2)."""
    named = [each.strip().removeprefix("W/").strip('"').removesuffix(_GZIP) for each in if_none_match.split(",")]
    return tag in named


@lru_cache(maxsize=256)
def _takes_gzip(accept_encoding: str) -> bool:
    """Whether ``Accept-Encoding`` allows gzip (RFC 9110, 12.5.3)."""
    weights: dict[str, float] = {}
    for choice in accept_encoding.lower().split(","):
        coding, _, parameter = choice.partition(";")
        weights[coding.strip()] = _weight(parameter)
    return weights.get("gzip", weights.get("*", 0.0)) > 0


def _weight(parameter: str) -> float:
    name, _, value = parameter.partition("=")
    try:
        return float(value) if name.strip() == "q" else 1.0
    except ValueError:
        return 0.0
