"""A season's state: everything that says whether what is known of its tables is still so, in one SELECT."""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import bindparam, func, select

from app.repositories.database import Transaction
from app.repositories.seasons.seasons import COLUMNS, Season
from app.repositories.tables import CHANGES, CLUBS, LEDGER, SEASONS


class StateMark(NamedTuple):
    """Identifies a state of a season's tables, even if the database was restored in between.

    A restored database may reuse the numbers of seasons and revisions. The times distinguish them.
    """

    season_id: int
    revision: int
    created_at: datetime
    changed: datetime | None
    """When the season came to this revision; None if nothing was written down."""


class SeasonState(NamedTuple):
    """A season as it is now, and ``changed``: when it came to this revision (:class:`StateMark`)."""

    season: Season
    changed: datetime | None

    @property
    def mark(self) -> StateMark:
        """What distinguishes its tables from others."""
        return StateMark(self.season.id, self.season.revision, self.season.created_at, self.changed)


_CHANGED = (
    select(func.max(CHANGES.c.at))
    .where(CHANGES.c.season_id == SEASONS.c.id, CHANGES.c.revision == SEASONS.c.revision)
    .correlate(SEASONS)
    .scalar_subquery()
)
_ALL = select(*COLUMNS, _CHANGED).join_from(SEASONS, CLUBS)
_FIND = _ALL.where(CLUBS.c.slug == bindparam("club"), SEASONS.c.slug == bindparam("season"))
_BY_ID = _ALL.where(SEASONS.c.id == bindparam("season"))
_WHERE = (
    select(SEASONS.c.id, SEASONS.c.revision)
    .join_from(SEASONS, CLUBS)
    .where(CLUBS.c.slug == bindparam("club"), SEASONS.c.slug == bindparam("season"))
)
_WHERE_AND_WHEN = _WHERE.add_columns(SEASONS.c.created_at, _CHANGED)
_CHANGED_AT = select(func.max(CHANGES.c.at)).where(
    CHANGES.c.season_id == bindparam("season"), CHANGES.c.revision == bindparam("revision")
)
_BEYOND = (
    select(LEDGER.c.seat)
    .where(LEDGER.c.season_id == bindparam("season"), LEDGER.c.revision > bindparam("after"))
    .limit(1)
    .offset(bindparam("rows"))
)


def find(tx: Transaction, club: str, season: str) -> SeasonState | None:
    """The state of the season at an address: the slugs of club and season."""
    row = tx.execute(_FIND, {"club": club, "season": season}).first()
    return SeasonState(Season._make(row[:-1]), row[-1]) if row else None


def is_unchanged(tx: Transaction, state: SeasonState) -> bool:
    """Whether the season is where it was: then its state is the same.

    On PostgreSQL the moments are left out, which would take the statement half as long again: nothing but a restoration
    changes them alone, and there that is done while no service runs.
    """
    where = {"club": state.season.club, "season": state.season.slug}
    if tx.dialect.name == "postgresql":
        return tx.execute(_WHERE, where).first() == state.mark[:2]
    return tx.execute(_WHERE_AND_WHEN, where).first() == state.mark


def changed_at(tx: Transaction, season_id: int, revision: int) -> datetime | None:
    """When the season came to a revision; None if it never did, or nothing was written down."""
    moment: datetime | None = tx.execute(_CHANGED_AT, {"season": season_id, "revision": revision}).scalar()
    return moment


def find_by_id(tx: Transaction, season_id: int) -> SeasonState | None:
    """The state of the season with a row number; None once it was deleted."""
    row = tx.execute(_BY_ID, {"season": season_id}).first()
    return SeasonState(Season._make(row[:-1]), row[-1]) if row else None


def by_id(tx: Transaction, season_id: int) -> SeasonState:
    """The state of the season with a row number, which there is."""
    row = tx.execute(_BY_ID, {"season": season_id}).one()
    return SeasonState(Season._make(row[:-1]), row[-1])


def lags(tx: Transaction, season_id: int, revision: int, *, rows: int) -> bool:
    """Whether more than so many rows of the ledger came after a revision; counts no further than that."""
    return tx.execute(_BEYOND, {"season": season_id, "after": revision, "rows": rows}).first() is not None
