"""A season as one file, out of one service and into another (docs/archive.md)."""

from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from typing import Annotated, Any, BinaryIO, Final

import anyio.to_thread
from fastapi import APIRouter, Query, Request, Response
from starlette.background import BackgroundTask

from app.routers.common.openapi import fails
from app.routers.common.resources import BODY_FAILURES, WRITE_FAILURES, ClubSlug, SeasonSlug
from app.routers.common.strict_route import KeySession, StrictRoute
from app.routers.common.use_case import caller_of
from app.schemas.files.archives import ArchiveQuery, ImportedSeason, adopted_wire
from app.schemas.seasons.seasons import season_wire
from app.services import archive
from app.services.access import Caller
from app.services.archive import AdoptedSeason, StagedSeason
from app.services.clubs.key_use import note_use
from app.services.errors import Unauthorized
from app.services.seasons import seasons
from app.services.storage import Database, DryRun
from app.web.bodies import type_of_file
from app.web.render import BodyTag, answer, render, streamed
from app.web.streaming import BodyStream, sent, spool, whole, with_room

ZIP: Final = "application/zip"
ARCHIVE_BYTES: Final = 256_000_000

_FILE: Final = {ZIP: {"schema": {"type": "string", "format": "binary"}}}
_TAKEN: Final[dict[int | str, dict[str, Any]]] = {200: {"content": _FILE}}
_DRY: Final[dict[int | str, dict[str, Any]]] = {200: {"model": ImportedSeason, "description": "What would happen."}}

router = APIRouter(prefix="/v1/clubs/{club}", tags=["Seasons"], route_class=StrictRoute)


@router.get(
    "/seasons/{season}/archive.zip",
    summary="Export a season archive",
    response_class=Response,
    responses=_TAKEN | fails(*WRITE_FAILURES, "invalid-request"),
)
async def get_season_archive(club: ClubSlug, season: SeasonSlug, session: KeySession) -> Response:
    """Requires the president's key, because the archive contains everything: all versions of games, approvals, lots,
    revisions, authors and reasons, frozen tables. It never contains the secret of a key.
    """
    request, state = session.request, session.state
    now = datetime.now(UTC)
    with state.export_slots.of(club):
        caller, file = await anyio.to_thread.run_sync(
            _written, request, club, season, now, limiter=state.export_slots.threads
        )
    headers = {
        "Content-Length": str(file.seek(0, 2)),
        "Content-Disposition": f'attachment; filename="{club}-{season}.zip"',
        "Cache-Control": "private, no-store",
    }
    background = BackgroundTask(note_use, state.database, caller, now)
    return streamed(sent(file), media_type=ZIP, headers=headers, background=background)


@router.post(
    "/archives",
    status_code=201,
    summary="Import a season archive",
    response_model=ImportedSeason,
    responses=_DRY | fails(*BODY_FAILURES),
    openapi_extra={"requestBody": {"required": True, "content": _FILE}},
)
async def import_season(club: ClubSlug, query: Annotated[ArchiveQuery, Query()], session: KeySession) -> Response:
    """Requires the president's key. Imports a season with the same IDs, revisions, versions and tables as in the
    original. Players are matched by ID or nickname, or created. Derived data is recomputed from the facts of the games;
    if anything differs, the whole archive is rejected.
    """
    request = session.request
    if "authorization" not in request.headers:
        raise Unauthorized
    type_of_file(request, ZIP)
    state = request.app.state
    now = datetime.now(UTC)
    caller = await anyio.to_thread.run_sync(_admitted, request, club, now)
    with state.import_slots.of(club):
        adopted = await anyio.to_thread.run_sync(
            _import, request, club, query, abandon_on_cancel=True, limiter=state.import_slots.threads
        )
    wire = adopted_wire(adopted, applied=not query.dry_run)
    headers = {} if query.dry_run else _made(club, adopted.season)
    response = answer(render(wire), status=200 if query.dry_run else 201, headers=headers)
    response.background = BackgroundTask(note_use, state.database, caller, now)
    return response


def _made(club: str, season: seasons.Season) -> dict[str, str]:
    tag = BodyTag(seasons.tag_of(season)).of(render(season_wire(season)))
    return {"Location": f"/v1/clubs/{club}/seasons/{season.slug}", "ETag": tag}


@with_room()
def _written(request: Request, club: str, season: str, now: datetime) -> tuple[Caller, BinaryIO]:
    caller = caller_of(request, now)
    database: Database = request.app.state.database
    with database.read() as tx:
        return caller, spool(partial(archive.write, tx, archive.season_of(tx, caller, club, season)))


def _admitted(request: Request, club: str, now: datetime) -> Caller:
    caller = caller_of(request, now)
    database: Database = request.app.state.database
    with database.read() as tx:
        archive.demand_club(tx, caller, club)
    return caller


@with_room()
def _import(request: Request, club: str, query: ArchiveQuery) -> AdoptedSeason:
    database: Database = request.app.state.database
    with whole(BodyStream(request, ARCHIVE_BYTES)) as file, archive.staged(file) as staged:
        return _adopted(request, database, club, staged, query)


def _adopted(
    request: Request, database: Database, club: str, staged: StagedSeason, query: ArchiveQuery
) -> AdoptedSeason:
    now = datetime.now(UTC)
    caller = caller_of(request, now)  # a key may have been revoked while the file arrived
    with suppress(DryRun), database.write() as tx:
        adopted = archive.adopt(tx, caller, club, staged, slug=query.slug, now=now)
        if query.dry_run:
            raise DryRun
    return adopted
