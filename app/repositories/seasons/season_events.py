"""What happened to a season after a revision: which games got which version, for whoever follows it."""

from collections.abc import Collection, Iterable
from datetime import date
from typing import NamedTuple

from sqlalchemy import bindparam, select

from app.repositories.database import Transaction, batches
from app.repositories.games.hidden_games import HiddenGames
from app.repositories.tables import CHANGES, GAME_VERSIONS, GAMES, SEASONS


class WatchedSeason(NamedTuple):
    """How far a season has come, and who may know."""

    id: int
    club_id: int
    public: bool
    revision: int
    hidden_stage: str | None
    hidden_day: date | None
    change_token: int | None
    """Of this revision in this history: a database that lost commits counts the same revisions again."""

    @property
    def hidden_games(self) -> HiddenGames | None:
        """The games that only the club sees."""
        return HiddenGames.of(self.hidden_stage, self.hidden_day)


class RecordedStep(NamedTuple):
    """A record of the journal: what was done to what."""

    revision: int
    action: str
    target: str


class ChangedGame(NamedTuple):
    """The version that a game got under a revision."""

    revision: int
    id: str
    """Public."""
    status: str
    played_on: date
    stage: str | None


_WATCHED = select(*(SEASONS.c[name] for name in WatchedSeason._fields))
_STEPS = (
    select(CHANGES.c.revision, CHANGES.c.action, CHANGES.c.target)
    .where(
        CHANGES.c.season_id == bindparam("season"),
        CHANGES.c.revision > bindparam("after"),
        CHANGES.c.revision <= bindparam("up_to"),
    )
    .order_by(CHANGES.c.revision, CHANGES.c.id)
)
_GAMES = (
    select(GAME_VERSIONS.c.revision, GAMES.c.public_id, GAME_VERSIONS.c.status, GAMES.c.played_on, GAMES.c.stage)
    .join_from(GAMES, GAME_VERSIONS)
    .order_by(GAME_VERSIONS.c.revision, GAMES.c.id)
)


def watched(tx: Transaction, season_ids: Collection[int]) -> dict[int, WatchedSeason]:
    """Return the seasons with these row numbers that there are."""
    return {
        row[0]: WatchedSeason._make(row)
        for batch in batches(season_ids)
        for row in tx.execute(_WATCHED.where(SEASONS.c.id.in_(batch)))
    }


def steps(tx: Transaction, season_id: int, *, after: int, up_to: int) -> list[RecordedStep]:
    """Return what was recorded of the season between two revisions, the second included."""
    rows = tx.execute(_STEPS, {"season": season_id, "after": after, "up_to": up_to})
    return [RecordedStep._make(row) for row in rows]


def games_named(tx: Transaction, public_ids: Iterable[str], *, after: int, up_to: int) -> list[ChangedGame]:
    """Return the versions that these games got between two revisions of their season, the second included."""
    within = (GAME_VERSIONS.c.revision > after, GAME_VERSIONS.c.revision <= up_to)
    return [
        ChangedGame._make(row)
        for batch in batches(public_ids)
        for row in tx.execute(_GAMES.where(GAMES.c.public_id.in_(batch), *within))
    ]


def games_under(tx: Transaction, season_id: int, revisions: Iterable[int]) -> list[ChangedGame]:
    """Return the versions that games of the season got under these revisions; looks at every game of the season."""
    return [
        ChangedGame._make(row)
        for batch in batches(revisions)
        for row in tx.execute(_GAMES.where(GAMES.c.season_id == season_id, GAME_VERSIONS.c.revision.in_(batch)))
    ]
