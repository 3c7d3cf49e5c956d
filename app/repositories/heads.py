"""A season's head: everything that says whether what is known of its tables is still so, in one SELECT."""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import bindparam, func, select

from app.repositories.database import Transaction
from app.repositories.seasons import COLUMNS, Season
from app.repositories.tables import CHANGES, CLUBS, LEDGER, SEASONS


class Head(NamedTuple):
    """A season as it is now, and ``changed``: when it came to this revision, None if nothing was written down.

    A database that was restored counts revisions anew; the moment tells the two revisions of one number apart.
    """

    season: Season
    changed: datetime | None


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
_BEYOND = (
    select(LEDGER.c.seat)
    .where(LEDGER.c.season_id == bindparam("season"), LEDGER.c.revision > bindparam("after"))
    .limit(1)
    .offset(bindparam("rows"))
)


def find(tx: Transaction, club: str, season: str) -> Head | None:
    """The head of the season at an address: the slugs of club and season."""
    row = tx.execute(_FIND, {"club": club, "season": season}).first()
    return Head(Season._make(row[:-1]), row[-1]) if row else None


def standing_at(tx: Transaction, club: str, season: str) -> tuple[int, int] | None:
    """Row number and revision of the season at an address: as long as they are the same, its head is the same."""
    row = tx.execute(_WHERE, {"club": club, "season": season}).first()
    return (row[0], row[1]) if row else None


def by_id(tx: Transaction, season_id: int) -> Head:
    """The head of the season with a row number."""
    row = tx.execute(_BY_ID, {"season": season_id}).one()
    return Head(Season._make(row[:-1]), row[-1])


def lags(tx: Transaction, season_id: int, revision: int, *, rows: int) -> bool:
    """Whether more than so many rows of the ledger came after a revision; counts no further than that."""
    return tx.execute(_BEYOND, {"season": season_id, "after": revision, "rows": rows}).first() is not None
