"""Taking games out (API.md, "Kept"), and empty sheets to write games into."""

import hashlib
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, BinaryIO, Final, NamedTuple

import anyio.to_thread
from fastapi import APIRouter, Request, Response
from starlette.background import BackgroundTask

from app.repositories import heads
from app.repositories.database import Database
from app.routers.documented import UNCHANGED, asks, fails
from app.routers.kept import admit, caller_of, note_use
from app.routers.resources import READ_FAILURES, ClubSlug, SeasonSlug
from app.routers.rule_systems import SystemId
from app.schemas.exports import TemplateQuery
from app.schemas.rule_systems import NoQuery
from app.scoring.game import Format, Game
from app.scoring.rule_system import RuleSystem
from app.scoring.systems import find_system
from app.services.exporting import demand_a_sheet, games_of, season_of
from app.services.heads import known_of
from app.sheets import csv_template, write_csv, write_ndjson, write_xlsx, xlsx_template
from app.web.arriving import sent, spooled
from app.web.language import Language, language_of
from app.web.ready import Media
from app.web.render import answer, matches, streamed
from app.web.requests import read_query

Write = Callable[[Iterable[Game], BinaryIO], None]
Template = Callable[[RuleSystem, Language, Format], bytes]

_NDJSON: Final = Media("ndjson", "application/x-ndjson", "ndjson")
_CSV: Final = Media("csv", "text/csv; charset=utf-8", "csv")
_XLSX: Final = Media("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx")

router = APIRouter(tags=["Games"])


class _Told(NamedTuple):
    """An export as it is answered; ``file`` None: the client has it already."""

    file: BinaryIO | None
    headers: dict[str, str]
    background: BackgroundTask


def _answered(media: Media, *failures: str, **schema: str) -> dict[int | str, dict[str, Any]]:
    content = {media.type.partition(";")[0]: {"schema": {"type": "string", **schema}}}
    return {200: {"content": content}, **UNCHANGED, **fails(*failures)}


@router.get(
    "/v1/clubs/{club}/seasons/{season}/games.ndjson",
    summary="Take the games out, a game a line",
    response_class=Response,
    responses=_answered(_NDJSON, *READ_FAILURES),
)
async def export_games_ndjson(club: ClubSlug, season: SeasonSlug, request: Request) -> Response:
    """The facts of every game that is not voided, in the order submitted; what an import takes. A game without an
    `external_id` gets its id for one, by which an import into the same season knows it again.
    """

    def write(games: Iterable[Game], file: BinaryIO) -> None:
        file.writelines(write_ndjson(games))

    return await _export(request, club, season, _NDJSON, None, write)


@router.get(
    "/v1/clubs/{club}/seasons/{season}/games.csv",
    summary="Take the games out as CSV",
    response_class=Response,
    responses=_answered(_CSV, *READ_FAILURES),
)
async def export_games_csv(club: ClubSlug, season: SeasonSlug, request: Request) -> Response:
    """A row a seat, as an import takes it. In Russian with the clubs' words, semicolons and decimal commas. No text is
    one that a spreadsheet takes for a formula.
    """
    language = language_of(request)

    def write(games: Iterable[Game], file: BinaryIO) -> None:
        file.writelines(write_csv(games, language))

    return await _export(request, club, season, _CSV, language, write)


@router.get(
    "/v1/clubs/{club}/seasons/{season}/games.xlsx",
    summary="Take the games out as a workbook",
    response_class=Response,
    responses=_answered(_XLSX, *READ_FAILURES, format="binary"),
)
async def export_games_xlsx(club: ClubSlug, season: SeasonSlug, request: Request) -> Response:
    """A row a seat with real numbers and days, as an import takes it; words in the language of the request."""
    language = language_of(request)

    def write(games: Iterable[Game], file: BinaryIO) -> None:
        write_xlsx(games, file, language)

    return await _export(request, club, season, _XLSX, language, write)


@router.get(
    "/v1/rule-systems/{system_id}/template.csv",
    summary="An empty sheet for games, as CSV",
    response_class=Response,
    responses=_answered(_CSV, "unauthorized", "rate-limited", "unavailable", "not-found", "invalid-request"),
    openapi_extra=asks(TemplateQuery),
)
async def get_csv_template(system_id: SystemId, request: Request) -> Response:
    """The header and the numbered seats of a game, in the language of the request; filled in, it imports."""
    return await _template(request, system_id, _CSV, csv_template)


@router.get(
    "/v1/rule-systems/{system_id}/template.xlsx",
    summary="An empty sheet for games, as a workbook",
    response_class=Response,
    responses=_answered(
        _XLSX, "unauthorized", "rate-limited", "unavailable", "not-found", "invalid-request", format="binary"
    ),
    openapi_extra=asks(TemplateQuery),
)
async def get_xlsx_template(system_id: SystemId, request: Request) -> Response:
    """Numbered games and seats, drop-down lists of roles, outcomes and penalties, and a page of help, in the language
    of the request; filled in, it imports.
    """
    return await _template(request, system_id, _XLSX, xlsx_template)


async def _export(
    request: Request, club: str, season: str, media: Media, language: Language | None, write: Write
) -> Response:
    read_query(request, NoQuery)
    state = request.app.state
    with state.file_places:
        told = await anyio.to_thread.run_sync(
            _written, request, club, season, media, language, write, limiter=state.file_threads
        )
    if told.file is None:
        return Response(status_code=304, headers=told.headers, background=told.background)
    size = {"Content-Length": str(told.file.seek(0, 2))}
    return streamed(
        sent(told.file),
        language,
        media_type=media.type,
        headers=told.headers | size | _named(f"{club}-{season}", media),
        background=told.background,
    )


def _written(request: Request, club: str, season: str, media: Media, language: Language | None, write: Write) -> _Told:
    now = datetime.now(UTC)
    caller = caller_of(request, now)
    database: Database = request.app.state.database
    background = BackgroundTask(note_use, database, caller, now)
    with database.read() as tx:
        found = season_of(tx, caller, club, season)
        in_full = caller.is_of(found.club_id)
        parts = (known_of(heads.by_id(tx, found.id)).stamp, media.name, language, in_full)
        tag = f'"{hashlib.sha256(repr(parts).encode()).hexdigest()[:32]}"'
        headers = {"ETag": tag, "Cache-Control": "no-cache" if found.public and not in_full else "private, no-cache"}
        if matches(request.headers.get("if-none-match"), tag):
            return _Told(None, headers, background)
        if media is _XLSX:
            demand_a_sheet(tx, found)
        file = spooled()
        try:
            write(games_of(tx, caller, found), file)
        except BaseException:
            file.close()
            raise
    return _Told(file, headers, background)


async def _template(request: Request, system_id: str, media: Media, write: Template) -> Response:
    await admit(request)
    query = read_query(request, TemplateQuery)
    language = language_of(request)
    system = find_system(system_id, query.version)
    made = await anyio.to_thread.run_sync(_template_of, write, system.id, system.version, language, query.format)
    return answer(made, language, media_type=media.type, headers=_named(system.id, media))


@lru_cache(maxsize=64)
def _template_of(
    write: Template,
    system: str,
    version: int,
    language: Language,
    format: Format,
) -> bytes:
    return write(find_system(system, version), language, format)


def _named(name: str, media: Media) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}.{media.extension}"'}
