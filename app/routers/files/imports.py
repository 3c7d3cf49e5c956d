"""Importing games (docs/api.md#import)."""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, BinaryIO, Final, NamedTuple

import anyio.to_thread
import orjson
from fastapi import APIRouter, Request, Response
from starlette.background import BackgroundTask

from app.routers.common.openapi import NEEDS_KEY, asks, fails
from app.routers.common.resources import BODY_FAILURES, ClubSlug, SeasonSlug
from app.routers.common.use_case import caller_of
from app.schemas.files.imports import ImportQuery, UnratedGames, summary_wire, taken_wire
from app.scoring.club_game import ClubGame
from app.scoring.rule_system import RuleSystem
from app.scoring.text import words
from app.scoring.violation import Violation
from app.services.access import Caller
from app.services.clubs.clubs import day_of
from app.services.clubs.key_use import note_use
from app.services.errors import Unauthorized
from app.services.files.import_step import ImportOptions, ImportResult, Result
from app.services.files.importing import Import, admit, in_batches
from app.services.files.new_players import NewPlayers
from app.services.games.sent_game import rules_of
from app.services.storage import Database
from app.sheets import DayOf, ReadGame, read_csv, read_ndjson, read_xlsx
from app.validation import UnreadableFile
from app.web.bodies import read_query, type_of_file
from app.web.header_values import weights
from app.web.language import Language, language_of
from app.web.render import render, streamed
from app.web.streaming import BodyStream, chunks_of, sent, spooled, whole, with_room

JSON: Final = "application/json"
NDJSON: Final = "application/x-ndjson"
CSV: Final = "text/csv"
XLSX: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

XLSX_BYTES: Final = 32_000_000
SPOOLED_BYTES: Final = 1_000_000_000
"""The largest file that is kept aside before it is imported in one transaction."""

MOST_FAULTS: Final = 100_000_000
"""Bytes of what is said about games that cannot be taken; a file that needs more is given up there."""

_TOO_FAULTY: Final = words(
    "в файле слишком много ошибок; исправьте показанные и отправьте снова", "the file has too many errors"
)

_LINES: Final = {"anyOf": [{"$ref": f"#/components/schemas/{name}"} for name in ("ImportedGame", "ImportSummary")]}
_REPORTED: Final = {
    NDJSON: {"schema": _LINES},
    JSON: {"schema": {"$ref": "#/components/schemas/ImportReport"}},
}
_ANSWERED: Final[dict[int | str, dict[str, Any]]] = {
    200: {"description": "The result for each game.", "content": _REPORTED},
    **fails(*BODY_FAILURES),
}
_ANSWERED[422]["content"] |= _REPORTED
_ANSWERED[422]["description"] += " Or an atomic import was refused, and here is why."
_BODIES: Final = {
    NDJSON: {"schema": {"type": "string", "description": "One game (`ClubGameIn`) per line."}},
    CSV: {"schema": {"type": "string", "description": "One seat per row."}},
    XLSX: {"schema": {"type": "string", "format": "binary", "description": "One seat per row."}},
}

router = APIRouter(prefix="/v1/clubs/{club}/seasons/{season}/games", tags=["Games"])


class _ImportRequest(NamedTuple):
    """What is to be done with the body of a request."""

    club: str
    season: str
    query: ImportQuery
    media: str
    system: RuleSystem
    day_of: DayOf
    language: Language
    media_of_answer: str


class _Answer:
    """The lines of an answer, kept aside until the last byte of the file was read; ``status`` goes before them."""

    def __init__(self, language: Language) -> None:
        self.status = 200
        self.lines: BinaryIO = spooled()
        self._counts: Counter[Result] = Counter()
        self._unrated = UnratedGames()
        self._faults = 0
        self._language = language

    def add(self, taken: ImportResult) -> None:
        self._counts[taken.result] += 1
        self._unrated.add(taken)
        line = render(taken_wire(taken, self._language)) + b"\n"
        self.lines.write(line)
        if taken.violations:
            self._faults += len(line)
            if self._faults > MOST_FAULTS:
                raise UnreadableFile([Violation("too_many_faults", "", _TOO_FAULTY)])

    def forget_new_ids(self) -> None:
        """Remove the IDs of new games from the response, because nothing was stored."""
        made: set[str] = set()
        with self.lines as told:
            self.lines = spooled()
            told.seek(0)
            for line in told:
                game = orjson.loads(line)
                if game["result"] in {"created", "pending"}:
                    made.add(game["id"])
                if game["id"] in made:
                    game["id"] = None
                self.lines.write(render(game) + b"\n")

    def end(self, new_players: NewPlayers, *, applied: bool) -> None:
        summary = summary_wire(self._counts, new_players, self._unrated, applied=applied)
        self.lines.write(render(summary) + b"\n")

    def as_document(self) -> None:
        """Make one JSON document of the lines (:class:`app.schemas.files.imports.ImportReport`)."""
        with self.lines as told:
            self.lines = spooled()
            self.lines.write(b'{"items":[')
            told.seek(0)
            before, line = b"", told.readline()
            while after := told.readline():
                self.lines.write(before + line)
                before, line = b",", after
            self.lines.write(b"]," + line.removeprefix(b"{"))


@router.post(
    "/import",
    summary="Import games",
    response_class=Response,
    responses=_ANSWERED,
    openapi_extra=asks(ImportQuery) | NEEDS_KEY | {"requestBody": {"required": True, "content": _BODIES}},
)
async def import_games(club: ClubSlug, season: SeasonSlug, request: Request) -> Response:
    """Imports many games: one game per line, or one seat per row in CSV and XLSX. Each game is treated as if submitted
    alone. A rejected game does not affect the others, unless `mode=atomic`. The response follows after the last byte of
    the body: one line per game, in order, and a summary; with `Accept: application/json`, one document. A game without
    an `external_id` gets one derived from its facts, so importing the same file again changes nothing. A rejected
    atomic import returns 422 in the same format.
    """
    query = read_query(request, ImportQuery)
    if "authorization" not in request.headers:
        raise Unauthorized
    media = type_of_file(request, NDJSON, CSV, XLSX)
    state = request.app.state
    now = datetime.now(UTC)
    caller, system, day_in_club = await anyio.to_thread.run_sync(_admit, request, club, season, query, now)
    media_of_answer = _media_of_answer(request)
    order = _ImportRequest(club, season, query, media, system, day_in_club, language_of(request), media_of_answer)
    with state.import_slots.of(club):
        # A place of its own: a client that sends slowly must not keep others from the threads that answer them.
        told = await anyio.to_thread.run_sync(
            _import, request, order, abandon_on_cancel=True, limiter=state.import_slots.threads
        )
    size = told.lines.seek(0, 2)
    return streamed(
        sent(told.lines),
        order.language,
        status=told.status,
        media_type=media_of_answer,
        headers={"Content-Length": str(size)},
        background=BackgroundTask(note_use, state.database, caller, now),
    )


def _media_of_answer(request: Request) -> str:
    """JSON where ``Accept`` names it and does not prefer lines."""
    accept = request.headers.get("accept", "")
    if JSON not in accept.lower():
        return NDJSON
    accepted = weights(accept)
    return JSON if accepted.get(JSON, 0.0) > accepted.get(NDJSON, 0.0) else NDJSON


def _admit(
    request: Request, club: str, season: str, query: ImportQuery, now: datetime
) -> tuple[Caller, RuleSystem, DayOf]:
    caller = caller_of(request, now)
    database: Database = request.app.state.database
    with database.read() as tx:
        found = admit(tx, caller, club, season, register_players=query.registered)
    return caller, rules_of(found), partial(day_of, found.timezone)


@with_room()
def _import(request: Request, order: _ImportRequest) -> _Answer:
    query, state = order.query, request.app.state
    answer = _Answer(order.language)
    plan = ImportOptions(
        judge_window=timedelta(hours=state.settings.judge_hours),
        create_players=query.create_players,
        register_players=query.registered,
        correct=query.on_conflict == "correct",
        allow_duplicate=query.allow_duplicate,
    )
    job = Import(state.database, partial(caller_of, request), lambda: datetime.now(UTC), order.club, order.season, plan)
    with ExitStack() as undo:
        undo.callback(lambda: answer.lines.close())
        if query.mode == "partial" and not query.dry_run:
            with _games(request, order) as found:
                for taken in job.by_batches(found):
                    answer.add(taken)
            applied = True
        else:
            with _games(request, order, aside=True) as found:
                ended = job.at_once(found, answer.add, atomic=query.mode == "atomic", dry_run=query.dry_run)
            applied = ended.applied
            if not applied:
                answer.forget_new_ids()
            if ended.refused:
                answer.status = 422
        answer.end(job.new_players, applied=applied)
        if order.media_of_answer == JSON:
            answer.as_document()
        undo.pop_all()
    return answer


@contextmanager
def _games(request: Request, order: _ImportRequest, *, aside: bool = False) -> Iterator[Iterator[list[ReadGame]]]:
    """The games of the body in batches: as it arrives, or when all of it has come (``aside``, and any workbook).

    Raises:
        ClientDisconnect, BodyTooLarge, BodyTooSlow: see :class:`app.web.streaming.BodyStream`.
        UnreadableFile: no game can be read from it.
    """
    is_book = order.media == XLSX
    body = BodyStream(request, XLSX_BYTES if is_book else SPOOLED_BYTES if aside else None)
    if not (aside or is_book):
        yield in_batches(_read(order, body), partial(getattr, body, "received"))
        return
    with whole(body) as file:
        reads = read_xlsx(file, order.system, order.day_of) if is_book else _read(order, chunks_of(file))
        yield in_batches(reads, file.tell)


def _read(order: _ImportRequest, chunks: Iterable[bytes]) -> Iterator[ReadGame]:
    if order.media == NDJSON:
        return read_ndjson(chunks, ClubGame)
    return read_csv(chunks, order.system, order.day_of)
