"""A club with players and seasons to measure, written straight into the ledger."""

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Final, NamedTuple

from sqlalchemy import insert

from app.repositories.clubs import clubs, keys, players
from app.repositories.clubs.keys import Key
from app.repositories.clubs.players import Newcomer, Player
from app.repositories.database import Database
from app.repositories.games.games import SeatedPlayer
from app.repositories.seasons import seasons
from app.repositories.seasons.seasons import Season
from app.repositories.tables import LEDGER
from app.scoring.nickname import folded
from app.scoring.systems import find_system
from app.services.access import hash_of
from app.services.games.ledger_entries import entries_of
from bench import games

SLUG: Final = "bench"
SECRET: Final = "mf_bench_" + "0" * 32
SYSTEM: Final = find_system("maffamily")
_AT: Final = datetime(2025, 1, 1, tzinfo=UTC)
_AT_ONCE: Final = 1_000


class Club(NamedTuple):
    """What :func:`found` made."""

    club: clubs.Club
    key: Key
    players: Sequence[Player]


def found(database: Database, size: int) -> Club:
    """A club, its president's key, and players with the nicknames of :func:`bench.games.season`."""
    with database.write() as tx:
        club = clubs.add(tx, slug=SLUG, name="Bench", timezone="UTC", at=_AT)
        key = keys.add(
            tx,
            club_id=club.id,
            role="president",
            name="bench",
            prefix=SECRET.rpartition("_")[0],
            secret_hash=hash_of(SECRET),
            at=_AT,
        )
        nicknames = games.nicknames(size)
        made = players.add(tx, club.id, [Newcomer(name, folded(name), True, None) for name in nicknames], _AT)
    return Club(club, key, [made[folded(name)] for name in nicknames])


class Writer(NamedTuple):
    """Who writes rows of the club: row numbers of its key and, by nickname, of its players."""

    key: int
    players: dict[str, int]


@cache
def written_by(database: Database) -> Writer:
    """The key and the players of :func:`found`, looked up once."""
    with database.read() as tx:
        key = keys.by_prefix(tx, SECRET.rpartition("_")[0])
        assert key
        assert key.club_id
        return Writer(key.id, {player.nickname: player.id for player in players.of_club(tx, key.club_id).values()})


def play(database: Database, club: Club, slug: str, count: int) -> Season:
    """A season that ``count`` games were played in, a revision each.

    Only the ledger has them: that is what tables are made of.
    """
    with database.write() as tx:
        season = seasons.add(
            tx,
            club_id=club.club.id,
            slug=slug,
            name=slug,
            rule_system=SYSTEM.id,
            rule_version=SYSTEM.version,
            format="season",
            starts_on=None,
            ends_on=None,
            public=True,
            at=_AT,
        )
    ids = {player.nickname: player.id for player in club.players}
    sample = games.season(SYSTEM, min(count, 2_000), len(club.players))
    entries = []
    for wire in sample:
        breakdown = SYSTEM.examine(games.read(games.body(wire)))
        seated = [SeatedPlayer(seat.seat, ids[seat.player], True) for seat in breakdown.game.seats]
        day = breakdown.game.played_on
        assert day is not None
        entries.append(entries_of(breakdown, seated, game_id=0, played_on=day))
    for start in range(1, count + 1, _AT_ONCE):
        revisions = range(start, min(start + _AT_ONCE, count + 1))
        rows = [
            {
                **entry.seat._asdict(),
                "seat": entry.number,
                "played_on": entry.played_on,
                "season_id": season.id,
                "revision": revision,
                "game_id": -revision,
                "sign": 1,
                "points": sum(line.points for line in entry.lines),
                "lines": games.written(entry.lines),
            }
            for revision in revisions
            for entry in entries[revision % len(entries)]
        ]
        with database.write() as tx:
            tx.execute(insert(LEDGER), rows)
            seasons.advance(tx, season._replace(revision=start - 1), by=len(revisions))
    return season
