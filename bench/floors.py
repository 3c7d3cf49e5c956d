"""The application with the endpoints that its own are compared with; they exist here only."""

from datetime import UTC, date, datetime
from typing import Final

import anyio.to_thread
from fastapi import APIRouter, FastAPI, Request, Response

from app.main import create_app
from app.repositories import journal
from app.repositories.database import Database
from app.repositories.games import games, ledger
from app.repositories.games.games import SeatedPlayer, Version, compact_json
from app.repositories.games.ledger import Entry, Line, Seat
from app.repositories.journal import NewChange
from app.repositories.seasons import seasons
from app.scoring.game import Game
from app.web.bodies import read_json
from app.web.render import answer, render
from bench import import_floor
from bench.club import SLUG, written_by
from bench.games import traits

router = APIRouter(prefix="/bench", include_in_schema=False)

FIXED = render({"status": "ok"})


def create() -> FastAPI:
    """The service with the floors before it."""
    app = create_app()
    app.state.content = b""
    # First, and as flat as the application's own, so that a floor does not pay for the search through routes before it.
    app.router.routes[:0] = [*router.routes, *import_floor.router.routes]
    return app


@router.post("/fixed")
async def fixed() -> Response:
    """Whatever is sent, nothing is read and the same bytes are written."""
    return answer(FIXED)


@router.post("/echo")
async def echo(request: Request) -> Response:
    """A game is read as every endpoint reads it, and written in its canonical form."""
    return answer(render(Game.read(await read_json(request)).canonical()))


@router.get("/sized/{size}")
async def size(size: int, request: Request) -> Response:
    """How many bytes :func:`sized` and :func:`selected` write from now on."""
    request.app.state.content = b"x" * size
    return answer(FIXED)


@router.get("/sized")
async def sized(request: Request) -> Response:
    """As many bytes as a table has."""
    return answer(request.app.state.content)


@router.get("/unchanged")
async def unchanged() -> Response:
    """304, whatever is asked."""
    return Response(status_code=304)


@router.get("/selected")
def selected(request: Request) -> Response:
    """As many bytes as a table has, after one SELECT."""
    _select(request)
    return answer(request.app.state.content)


@router.get("/selected/unchanged")
def selected_unchanged(request: Request) -> Response:
    """304, after one SELECT."""
    _select(request)
    return Response(status_code=304)


def _select(request: Request) -> None:
    database: Database = request.app.state.database
    with database.glance() as tx:
        seasons.revision_of(tx, 1)


@router.post("/games/{slug}", status_code=201)
async def keep(slug: str, request: Request) -> Response:
    """A game is read as the service reads it and its rows are written as the service writes them; no key is looked at,
    no rule, no nickname.
    """
    game = Game.read(await read_json(request))
    await anyio.to_thread.run_sync(_write, request.app.state.database, slug, game)
    return answer(FIXED, status=201)


def _write(database: Database, slug: str, game: Game) -> None:
    day = game.played_on or date.min
    now = datetime.now(UTC)
    club = written_by(database)
    seats = [SeatedPlayer(seat.seat, club.players[seat.player], True) for seat in game.seats]
    with database.write() as tx:
        season = seasons.find_locked(tx, SLUG, slug)
        assert season
        revision = seasons.advance(tx, season)
        version = Version(
            version=1,
            action="submitted",
            status="counted",
            revision=revision,
            rule_system=season.rule_system,
            rule_version=season.rule_version,
            key_id=club.key,
            role="president",
            at=now,
            reason=None,
            fingerprint="f" * 64,
            facts=render(game.canonical()).decode(),
            seats_json=compact_json(seats),
            totals_json=compact_json([(seat.seat, 2_000_000) for seat in game.seats]),
        )
        game_id, public_id = games.add(
            tx,
            season_id=season.id,
            external_id=game.external_id,
            played_on=day,
            stage=None,
            entered=revision,
            version=version,
            traits=traits(version.facts),
        )
        entries = [
            Entry(game_id, seat.seat, day, Seat(seat.player_id, True, *_SEAT, seat.seat == 1), _LINES) for seat in seats
        ]
        ledger.enter(tx, season.id, revision, entries)
        journal.add(
            tx,
            NewChange(
                action="game_submitted",
                target=public_id,
                at=now,
                key_id=club.key,
                role="president",
                club_id=season.club_id,
                season_id=season.id,
                revision=revision,
                detail=_DETAIL,
            ),
        )


_SEAT: Final = ("citizen", "red", "won", "red", None, False)
_LINES: Final = (Line("1", "win", "main", 2_000_000),)
_DETAIL: Final = '{"version": 1, "status": "counted"}'
