"""A season's state: everything that says whether what is known of its tables is still so, in one SELECT."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import bindparam, func, select

from app.repositories.database import Transaction
from app.repositories.database.shared_reads import SharedQuery, SharedReads
from app.repositories.seasons import seasons
from app.repositories.seasons.seasons import COLUMNS, Season
from app.repositories.tables import CHANGES, CLUBS, LEDGER, SEASONS


class StateMark(NamedTuple):
    """Identifies a state of a season's tables, whatever became of the database in between.

    A database that was restored, or a standby that lacked commits when it was promoted, counts the same revisions
    again. The token tells them apart; the times do where a version of the service wrote that knew no tokens.
    """

    season_id: int
    revision: int
    created_at: datetime
    token: int | None
    """Random, of this revision alone."""
    changed: datetime | None
    """When the season came to this revision; None if nothing was written down."""


class SeasonState(NamedTuple):
    """A season as it is now, and what its :class:`StateMark` adds."""

    season: Season
    token: int | None
    changed: datetime | None

    @property
    def mark(self) -> StateMark:
        """What distinguishes its tables from others."""
        season = self.season
        return StateMark(season.id, season.revision, season.created_at, self.token, self.changed)


_CHANGED = (
    select(func.max(CHANGES.c.at))
    .where(CHANGES.c.season_id == SEASONS.c.id, CHANGES.c.revision == SEASONS.c.revision)
    .correlate(SEASONS)
    .scalar_subquery()
)
_ALL = select(*COLUMNS, SEASONS.c.change_token, _CHANGED).join_from(SEASONS, CLUBS)
_FIND = _ALL.where(CLUBS.c.slug == bindparam("club"), SEASONS.c.slug == bindparam("season"))
_BY_ID = _ALL.where(SEASONS.c.id == bindparam("season"))
_MARK = (
    select(SEASONS.c.id, SEASONS.c.revision, SEASONS.c.created_at, SEASONS.c.change_token, _CHANGED)
    .join_from(SEASONS, CLUBS)
    .where(CLUBS.c.slug == bindparam("club"), SEASONS.c.slug == bindparam("season"))
)
_CHANGED_AT = select(func.max(CHANGES.c.at)).where(
    CHANGES.c.season_id == bindparam("season"), CHANGES.c.revision == bindparam("revision")
)
_BEYOND = (
    select(LEDGER.c.seat)
    .where(LEDGER.c.season_id == bindparam("season"), LEDGER.c.revision > bindparam("after"))
    .limit(1)
    .offset(bindparam("rows"))
)


_SHARED_MARK = SharedQuery(
    select(CLUBS.c.slug, SEASONS.c.slug, SEASONS.c.revision, SEASONS.c.change_token).join_from(SEASONS, CLUBS),
    SEASONS.c.id,
)


def find(tx: Transaction, club: str, season: str) -> SeasonState | None:
    """The state of the season at an address: the slugs of club and season."""
    row = tx.execute(_FIND, {"club": club, "season": season}).first()
    return None if row is None else _state(row)


def is_unchanged(tx: Transaction, state: SeasonState) -> bool:
    """Whether the season is where it was and as it was: then its state is the same."""
    where = {"club": state.season.club, "season": state.season.slug}
    return tx.execute(_MARK, where).first() == state.mark


async def is_unchanged_now(reads: SharedReads, state: SeasonState) -> bool:
    """As :func:`is_unchanged`, by a SELECT for all who ask, half as long; False of a revision that has no token.

    Raises:
        Unavailable: the database cannot be asked.
    """
    season, token = state.season, state.token
    if not seasons.is_token_of(token, season.revision):
        return False
    return await reads.row(_SHARED_MARK, season.id) == (season.club, season.slug, season.revision, token)


def changed_at(tx: Transaction, season_id: int, revision: int) -> datetime | None:
    """When the season came to a revision; None if it never did, or nothing was written down."""
    moment: datetime | None = tx.execute(_CHANGED_AT, {"season": season_id, "revision": revision}).scalar()
    return moment


def find_by_id(tx: Transaction, season_id: int) -> SeasonState | None:
    """The state of the season with a row number; None once it was deleted."""
    row = tx.execute(_BY_ID, {"season": season_id}).first()
    return None if row is None else _state(row)


def by_id(tx: Transaction, season_id: int) -> SeasonState:
    """The state of the season with a row number, which there is."""
    row = tx.execute(_BY_ID, {"season": season_id}).one()
    return _state(row)


def _state(row: Sequence[Any]) -> SeasonState:
    return SeasonState(Season._make(row[:-2]), row[-2], row[-1])


def lags(tx: Transaction, season_id: int, revision: int, *, rows: int) -> bool:
    """Whether more than so many rows of the ledger came after a revision; counts no further than that."""
    return tx.execute(_BEYOND, {"season": season_id, "after": revision, "rows": rows}).first() is not None
