"""The application: routers, problems, middleware."""

import asyncio
import gc
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import anyio
from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware
from fastapi.routing import APIRoute
from fastapi.staticfiles import StaticFiles
from starlette.routing import BaseRoute

from app import openapi, problems
from app.config import Settings
from app.routers import journal, operations, rule_systems, stateless
from app.routers.clubs import clubs, keys, player_merging, players, webhooks
from app.routers.files import archives, exports, imports
from app.routers.games import approvals, evenings, games
from app.routers.seasons import closing, cup_entries, seasons
from app.routers.standings import awards, days, events, files, lots, player_row, standings, statistics
from app.scoring.systems import newest_systems
from app.server.limits import most_connections
from app.services.access import hash_of
from app.services.clubs.player_search import PlayerDirectories
from app.services.clubs.webhooks.deliverer import Deliverer
from app.services.clubs.webhooks.sending import Sender
from app.services.standings.cache.scoreboard import Scoreboard
from app.services.standings.events.live_seasons import LiveSeasons
from app.services.storage import Database
from app.web.club_slots import ClubSlots
from app.web.concurrency import Slots
from app.web.failed_logins import FailedLogins
from app.web.middleware.drain_body import DrainBody
from app.web.middleware.head import HeadAsGet
from app.web.middleware.metrics import RequestMetrics
from app.web.middleware.ready_answers import ReadyAnswers, ReadyAnswersFirst

FILES_AT_ONCE: Final = 8
"""Files that a process takes in at once, and as many that it gives out; each holds a thread, an import until its last
byte has come."""

FILES_OF_A_CLUB: Final = 4
"""How many of either are one club's."""

STREAMS_AT_ONCE: Final = 600
"""Event streams of a process; a quarter of its connections, at least, is left to others."""

ROUTERS: Final = (
    # Each route is tried in turn: those that are asked for most come first.
    stateless.router,
    rule_systems.router,
    standings.router,
    days.router,
    files.router,
    events.router,  # before player_row, which would take its address for a player's
    player_row.router,
    awards.router,
    statistics.router,
    games.router,
    imports.router,
    exports.router,
    archives.router,
    approvals.router,
    clubs.router,
    journal.router,
    keys.router,
    lots.router,
    player_merging.router,
    players.router,
    seasons.router,
    closing.router,
    cup_entries.router,
    webhooks.router,
    evenings.router,
    operations.router,
)


class Service(FastAPI):
    """FastAPI with our own OpenAPI document."""

    def openapi(self) -> dict[str, Any]:
        """The description of every operation, made once; see :func:`app.openapi.document`."""
        if self.openapi_schema is None:
            self.openapi_schema = openapi.document(self)
        return self.openapi_schema


def _routes() -> Iterator[BaseRoute]:
    """The routes of all routers in a row, for each is tried in turn.

    FastAPI's ``include_router`` would keep a tree of routers and search it twice for every request, which costs a table
    that is ready a third of its speed.
    """
    for router in ROUTERS:
        for route in router.routes:
            if isinstance(route, APIRoute):
                route.unique_id = route.name
            yield route


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[dict[str, Any]]:
    # What the start has made stays until the end; each collection would look at it anew, a quarter of an import's time.
    gc.collect()
    gc.freeze()
    # Called by app.server.connection, for a server waits for open streams before it ends the lifespan.
    if app.state.database.read_only:
        app.state.deliverer.stop()
    delivering = asyncio.create_task(app.state.deliverer.run())
    yield {"stopping": app.state.live_seasons.stop}
    # Not cancelled from outside: that would leave a thread behind, at work in a database that is closed.
    app.state.deliverer.stop()
    await delivering
    await app.state.live_seasons.ended()
    app.state.scoreboard.close()
    app.state.database.close()


def create_app(settings: Settings | None = None) -> FastAPI:
    """The service under ``settings``, by default those of the environment.

    Raises:
        WrongSetting: the environment holds a setting that cannot be used.
    """
    settings = settings or Settings.from_environ(os.environ)
    app = Service(
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=_lifespan,
    )
    app.state.settings = settings
    app.state.database = Database(settings.database_url, read_only=settings.read_only)
    app.state.scoreboard = Scoreboard(app.state.database, settings.cache_url)
    app.state.player_directories = PlayerDirectories()
    app.state.ready_answers = ReadyAnswers()
    app.state.admin_hash = hash_of(settings.admin_key.get_secret_value()) if settings.admin_key else None
    app.state.failed_logins = FailedLogins()
    app.state.running = set()  # the requests with an Idempotency-Key that this process is answering
    app.state.standings_slots = Slots(settings.standings_at_once)
    app.state.import_slots = ClubSlots(FILES_AT_ONCE, share=FILES_OF_A_CLUB)
    app.state.export_slots = ClubSlots(FILES_AT_ONCE, share=FILES_OF_A_CLUB)
    app.state.deliverer = Deliverer(app.state.database, Sender(private=settings.webhook_private))
    app.state.live_seasons = LiveSeasons(app.state.database, events.write_event, events.write_reset)
    app.state.stream_slots = Slots(min(STREAMS_AT_ONCE, most_connections() * 3 // 4))
    # Ranking holds the interpreter: two at once would each take twice as long, and twice the memory.
    app.state.one_at_a_time = anyio.CapacityLimiter(1)
    # Past tables are added up by the database, which must have time for others.
    app.state.past_tables = anyio.CapacityLimiter(2)
    for system in newest_systems():  # A regulation that cannot be computed stops the start, not the first request.
        system.prepare()
    problems.install(app)
    app.add_middleware(ReadyAnswersFirst)
    app.add_middleware(RequestMetrics)
    if settings.cors_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=settings.cors_origins,
            allow_methods=["*"],
            allow_headers=["*"],
            expose_headers=["ETag", "Location", "Retry-After", "Content-Language"],
        )
    app.add_middleware(HeadAsGet)
    app.add_middleware(DrainBody)
    app.router.routes.extend(_routes())
    app.mount("/static", StaticFiles(directory=Path(__file__).parent / "static"), name="static")
    return app
