"""Events of a season, for pages that show its table live (docs/live.md)."""

import re
from contextlib import ExitStack
from datetime import UTC, datetime
from functools import partial
from typing import Annotated, Any, Final

import anyio.to_thread
from fastapi import APIRouter, Header, Query, Request, Response
from pydantic import WithJsonSchema

from app.routers.common.openapi import fails
from app.routers.common.resources import READ_FAILURES, ClubSlug, SeasonSlug
from app.routers.common.strict_route import OpenSession, StrictRoute
from app.routers.common.use_case import caller_of
from app.schemas.standings.events import EventsQuery, event_wire
from app.scoring.text import words
from app.scoring.violation import Violation
from app.services.access import Caller
from app.services.clubs.key_use import note_use
from app.services.standings.events.live_seasons import LiveSeasons, WatchedSeason
from app.services.standings.events.season_events import SeasonEvent
from app.validation import InvalidInput
from app.web.event_stream import MEDIA_TYPE, EventStream, event_bytes
from app.web.render import render

_REVISION: Final = re.compile("[0-9]{1,18}", re.ASCII)
_NO_REVISION: Final = words("нужен id последнего полученного события", "expected the id of the last event received")

LastEventId = Annotated[
    str | None,
    WithJsonSchema({"type": "string", "pattern": "^[0-9]{1,18}$"}),
    Header(alias="Last-Event-ID", description="The `id` of the last event received; browsers send it by themselves."),
]

_STREAM: Final[dict[int | str, dict[str, Any]]] = {200: {"content": {MEDIA_TYPE: {"schema": {"type": "string"}}}}}

router = APIRouter(prefix="/v1/clubs/{club}/seasons/{season}/standings", tags=["Standings"], route_class=StrictRoute)


@router.get(
    "/events",
    summary="Follow a season",
    response_class=Response,
    responses=_STREAM | fails(*READ_FAILURES),
)
async def get_events(
    club: ClubSlug,
    season: SeasonSlug,
    query: Annotated[EventsQuery, Query()],
    session: OpenSession,
    last: LastEventId = None,
) -> Response:
    """Server-sent events. `revision` is sent for every revision of the season, with its number as `id`; its data is
    `{"revision", "games": [{"id", "status"}], "more"}` with the games that got a version. `reset`: read the table
    again, because too much was missed. The stream has no end. A public season needs no key.
    """
    after = query.after if last is None else _revision(last)
    live: LiveSeasons = session.state.live_seasons
    with ExitStack() as held:
        held.enter_context(session.state.stream_slots)
        caller, found = await anyio.to_thread.run_sync(_find, session.request, live, club, season)
        listener = live.follow(caller, found, after)
        held.callback(live.leave, listener)
        return EventStream(partial(live.next, listener), held.pop_all())


def write_event(event: SeasonEvent) -> bytes:
    """An event ``revision``."""
    return event_bytes("revision", event.revision, render(event_wire(event)))


def write_reset(revision: int) -> bytes:
    """An event ``reset``."""
    return event_bytes("reset", revision, render({"revision": revision}))


def _find(request: Request, live: LiveSeasons, club: str, season: str) -> tuple[Caller, WatchedSeason]:
    now = datetime.now(UTC)
    caller = caller_of(request, now)
    found = live.find(caller, club, season)
    note_use(request.app.state.database, caller, now)
    return caller, found


def _revision(last: str) -> int:
    if _REVISION.fullmatch(last) is None:
        raise InvalidInput([Violation("value", "Last-Event-ID", _NO_REVISION)])
    return int(last)
