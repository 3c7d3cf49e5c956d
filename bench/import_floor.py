"""What an import is compared with: the same lines parsed and validated, the same rows written, nothing looked at."""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Final

import anyio.to_thread
from fastapi import APIRouter, Request, Response

from app.repositories import journal
from app.repositories.database import Database
from app.repositories.games import batches, ledger
from app.repositories.games.batches import NewGame
from app.repositories.games.games import SeatedPlayer, Version, compact_json
from app.repositories.games.ledger import Entry, Line, Seat
from app.repositories.journal import NewChange
from app.repositories.seasons import seasons
from app.services.files.importing import MOST_GAMES
from app.sheets import ReadGame, read_ndjson
from app.web.render import answer, render
from app.web.streaming import BodyStream
from bench.club import SLUG, written_by
from bench.games import traits

router = APIRouter(prefix="/bench", include_in_schema=False)

_SEAT: Final = ("citizen", "red", "won", "red", None, False)
_LINES: Final = (Line("1", "win", "main", 2_000_000),)


@router.post("/import/{slug}")
async def keep_all(slug: str, request: Request) -> Response:
    """Games a line into a season whose players are all known, a thousand to a transaction; no key is looked at, no
    rule, no nickname's spelling, no external id.
    """
    await anyio.to_thread.run_sync(_keep_all, request, slug)
    return answer(b"{}")


def _keep_all(request: Request, slug: str) -> None:
    batch: list[ReadGame] = []
    for read in read_ndjson(BodyStream(request)):
        batch.append(read)
        if len(batch) == MOST_GAMES:
            _write(request.app.state.database, slug, batch)
            batch = []
    if batch:
        _write(request.app.state.database, slug, batch)


def _write(database: Database, slug: str, batch: Sequence[ReadGame]) -> None:
    club = written_by(database)
    now = datetime.now(UTC)
    new: list[NewGame] = []
    entries: list[Entry] = []
    with database.write() as tx:
        season = seasons.find_locked(tx, SLUG, slug)
        assert season
        revision = seasons.advance(tx, season)
        for number, read in zip(batches.numbers(tx, len(batch)), batch, strict=True):
            game = read.game
            assert game
            day = game.played_on or date.min
            seats = [SeatedPlayer(seat.seat, club.players[seat.player], True) for seat in game.seats]
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
            new.append(NewGame(number, game.external_id, day, None, revision, version, traits(version.facts)))
            entries += [
                Entry(number, seat.seat, day, Seat(seat.player_id, True, *_SEAT, seat.seat == 1), _LINES)
                for seat in seats
            ]
        batches.add_all(tx, season.id, new)
        ledger.enter(tx, season.id, revision, entries)
        journal.add(
            tx,
            NewChange(
                action="games_imported",
                target=slug,
                at=now,
                key_id=club.key,
                role="president",
                club_id=season.club_id,
                season_id=season.id,
                revision=revision,
            ),
        )
