"""A club with a season, and games of ten players, for tests of storage."""

from datetime import UTC, date, datetime
from typing import NamedTuple

from app.repositories.clubs import clubs, keys, players
from app.repositories.database import Database, Transaction
from app.repositories.games import games, ledger
from app.repositories.games.games import Version, compact_json
from app.repositories.games.ledger import Entry, Line, Seat
from app.repositories.seasons import seasons

NOON = datetime(2025, 3, 14, 12, 0, 0, 123456, tzinfo=UTC)
WIN = Line("1", "win", "main", 2_000_000)


class Kept(NamedTuple):
    """What :func:`keep` made."""

    club: clubs.Club
    key: keys.Key
    season: seasons.Season
    players: list[players.Player]


def keep(database: Database, slug: str = "club") -> Kept:
    """A club, its president's key, an empty season and ten players p1 to p10."""
    with database.write() as tx:
        club = clubs.add(tx, slug=slug, name="Club", timezone="Europe/Kyiv", at=NOON)
        key = keys.add(
            tx, club_id=club.id, role="president", name="first", prefix=f"mf_{slug}", secret_hash="0" * 64, at=NOON
        )
        season = new_season(tx, club)
        newcomers = [players.Newcomer(f"P{n}", f"p{n}", True, None) for n in range(1, 11)]
        made = players.add(tx, club.id, newcomers, NOON)
    return Kept(club, key, season, [made[f"p{n}"] for n in range(1, 11)])


def new_season(tx: Transaction, club: clubs.Club, slug: str = "spring") -> seasons.Season:
    """A season of the club that follows maffamily 1."""
    return seasons.add(
        tx,
        club_id=club.id,
        slug=slug,
        name="Spring",
        rule_system="maffamily",
        rule_version=1,
        format="season",
        starts_on=date(2025, 1, 1),
        ends_on=date(2025, 6, 30),
        public=True,
        at=NOON,
    )


def version_of(
    kept: Kept, revision: int, *, number: int = 1, action: str = "submitted", status: str = "counted"
) -> Version:
    """A version of a game of the ten players, seat n to player n; red won, so seats 1 to 7 have 2 points."""
    return Version(
        version=number,
        action=action,
        status=status,
        revision=revision,
        rule_system="maffamily",
        rule_version=1,
        key_id=kept.key.id,
        role=kept.key.role,
        at=NOON,
        reason=None,
        fingerprint="f" * 64,
        facts='{"outcome":"red"}',
        seats_json=compact_json([(n, player.id, True) for n, player in enumerate(kept.players, 1)]),
        totals_json=compact_json([(n, WIN.points if n <= 7 else 0) for n in range(1, 11)]),
    )


def entries(kept: Kept, game_id: int, played_on: date) -> list[Entry]:
    """The ledger's entry of that game; seat 1 was shot first."""
    return [
        Entry(
            game_id=game_id,
            number=n,
            played_on=played_on,
            seat=Seat(
                player_id=player.id,
                registered=True,
                role="citizen" if n <= 7 else "mafia",
                team="red" if n <= 7 else "black",
                result="won" if n <= 7 else "lost",
                outcome="red",
                stage=None,
                first_kill=n == 1,
                opens=n == 1,
            ),
            lines=(WIN,) if n <= 7 else (),
        )
        for n, player in enumerate(kept.players, 1)
    ]


def play(database: Database, kept: Kept, *, on: date = date(2025, 3, 14), external_id: str | None = None) -> games.Game:
    """Submit a counted game in a transaction of its own."""
    with database.write() as tx:
        season = seasons.lock(tx, kept.season.id)
        revision = seasons.advance(tx, season)
        game_id, public_id = games.add(
            tx,
            season_id=season.id,
            external_id=external_id,
            played_on=on,
            stage=None,
            entered=revision,
            version=version_of(kept, revision),
        )
        ledger.enter(tx, season.id, revision, entries(kept, game_id, on))
        game = games.find(tx, season.id, public_id)
    assert game
    return game


def void(database: Database, kept: Kept, game: games.Game) -> int:
    """Take a counted game out of the tables; the new revision."""
    assert game.entered
    with database.write() as tx:
        revision = seasons.advance(tx, seasons.lock(tx, kept.season.id))
        games.rewrite(
            tx,
            game,
            external_id=game.external_id,
            played_on=game.played_on,
            stage=game.stage,
            entered=None,
            version=version_of(kept, revision, number=game.version + 1, action="voided", status="voided"),
        )
        ledger.reverse(tx, kept.season.id, game.id, entered=game.entered, revision=revision)
    return revision


def in_force(tx: Transaction, season_id: int, *, revision: int | None = None) -> list[ledger.Row]:
    """Every row of the ledger that none takes out again, by game and seat."""
    rows = ledger.after(tx, season_id, 0, **({} if revision is None else {"up_to": revision}))
    standing: dict[tuple[int, int], ledger.Row] = {}
    for row in sorted(rows, key=lambda row: (row.game_id, row.number, row.revision, row.sign)):
        if row.sign == 1:
            assert (row.game_id, row.number) not in standing
            standing[row.game_id, row.number] = row
        else:
            assert standing.pop((row.game_id, row.number))._replace(revision=row.revision, sign=-1) == row
    return list(standing.values())
