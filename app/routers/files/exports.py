"""Taking games out (docs/api.md#export), and empty sheets to write games into."""

import hashlib
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import lru_cache
from typing import Annotated, Any, BinaryIO, Final, Literal, NamedTuple

import anyio.to_thread
from fastapi import APIRouter, Depends, Path, Query, Request, Response
from starlette.background import BackgroundTask

from app.routers.common.openapi import UNCHANGED, fails
from app.routers.common.resources import READ_FAILURES, ClubSlug, SeasonSlug
from app.routers.common.strict_route import AnswerLanguage, OpenSession, StrictRoute
from app.routers.common.use_case import admit, caller_of
from app.routers.rule_systems import SystemId
from app.schemas.files.exports import TemplateQuery
from app.scoring.game import Game
from app.scoring.systems import find_system
from app.scoring.terms import Format
from app.services.clubs.key_use import note_use
from app.services.files.exporting import demand_a_sheet, games_of, season_of
from app.services.standings.cache.season_state import stamp_of
from app.services.storage import Database
from app.sheets import csv_template, write_csv, write_ndjson, write_xlsx, xlsx_template
from app.web.language import Language
from app.web.prepared_response import CSV, NDJSON, XLSX, Media
from app.web.render import answer, matches, streamed
from app.web.streaming import sent, spool, with_room

_FORMS: Final[dict[str, Media]] = {media.name: media for media in (NDJSON, CSV, XLSX)}

GamesForm = Annotated[Literal["ndjson", "csv", "xlsx"], Path(description="The file format.", examples=["csv"])]
SheetForm = Annotated[Literal["csv", "xlsx"], Path(description="The file format.", examples=["xlsx"])]

router = APIRouter(tags=["Games"], route_class=StrictRoute)


class _Export(NamedTuple):
    """An export as it is answered; ``file`` None: the client has it already."""

    file: BinaryIO | None
    headers: dict[str, str]
    background: BackgroundTask


def _answered(*media: Media) -> dict[int | str, dict[str, Any]]:
    content = {one.type.partition(";")[0]: {"schema": {"type": "string"}} for one in media}
    return {200: {"content": content}}


@router.get(
    "/v1/clubs/{club}/seasons/{season}/games.{form}",
    summary="Export games",
    response_class=Response,
    responses=_answered(NDJSON, CSV, XLSX) | UNCHANGED | fails(*READ_FAILURES),
)
async def export_games(
    club: ClubSlug, season: SeasonSlug, form: GamesForm, session: OpenSession, language: AnswerLanguage
) -> Response:
    """The facts of every game that is not voided, in order of submission, in the format that an import accepts: one
    game per line, or one seat per row in CSV and XLSX with texts in the language of the request. A game without an
    `external_id` gets its ID as `external_id`, so that an import into the same season recognizes it. Notes are included
    only for keys of the club. No text can be taken for a formula by a spreadsheet.
    """
    request, state = session.request, session.state
    media = _FORMS[form]
    spoken = None if media is NDJSON else language
    with state.export_slots.of(club):
        told = await anyio.to_thread.run_sync(
            _written, request, club, season, media, spoken, limiter=state.export_slots.threads
        )
    if told.file is None:
        return Response(status_code=304, headers=told.headers, background=told.background)
    size = {"Content-Length": str(told.file.seek(0, 2))}
    return streamed(
        sent(told.file),
        spoken,
        media_type=media.type,
        headers=told.headers | size | _named(f"{club}-{season}", media),
        background=told.background,
    )


@router.get(
    "/v1/rule-systems/{system_id}/template.{form}",
    summary="Get an empty game sheet",
    response_class=Response,
    responses=_answered(CSV, XLSX)
    | fails("unauthorized", "rate-limited", "unavailable", "not-found", "invalid-request"),
    dependencies=[Depends(admit)],
)
async def get_template(
    system_id: SystemId, form: SheetForm, query: Annotated[TemplateQuery, Query()], language: AnswerLanguage
) -> Response:
    """Numbered seats under a header in the language of the request. XLSX also has drop-down lists of roles, outcomes
    and penalties, and a help page. The completed sheet can be imported.
    """
    media = _FORMS[form]
    system = find_system(system_id, query.version)
    made = await anyio.to_thread.run_sync(_template, media, system.id, system.version, language, query.format)
    return answer(made, language, media_type=media.type, headers=_named(system.id, media))


@with_room()
def _written(request: Request, club: str, season: str, media: Media, language: Language | None) -> _Export:
    now = datetime.now(UTC)
    caller = caller_of(request, now)
    database: Database = request.app.state.database
    background = BackgroundTask(note_use, database, caller, now)
    with database.read() as tx:
        found = season_of(tx, caller, club, season)
        in_full = caller.is_of(found.club_id)
        parts = (stamp_of(tx, found.id), media.name, language, in_full)
        tag = f'"{hashlib.sha256(repr(parts).encode()).hexdigest()[:32]}"'
        headers = {"ETag": tag, "Cache-Control": "no-cache" if found.public and not in_full else "private, no-cache"}
        if matches(request.headers.get("if-none-match"), tag):
            return _Export(None, headers, background)
        if media is XLSX:
            demand_a_sheet(tx, found)
        games = games_of(tx, caller, found)
        file = spool(lambda file: _write(games, file, media, language))
    return _Export(file, headers, background)


def _write(games: Iterable[Game], file: BinaryIO, media: Media, language: Language | None) -> None:
    if language is None:
        file.writelines(write_ndjson(games))
    elif media is CSV:
        file.writelines(write_csv(games, language))
    else:
        write_xlsx(games, file, language)


@lru_cache(maxsize=64)
def _template(media: Media, system: str, version: int, language: Language, format: Format) -> bytes:
    write = csv_template if media is CSV else xlsx_template
    return write(find_system(system, version), language, format)


def _named(name: str, media: Media) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}.{media.extension}"'}
