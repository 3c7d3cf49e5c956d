"""Clubs."""

from collections.abc import Callable, Mapping
from datetime import datetime
from itertools import islice
from typing import NamedTuple

from sqlalchemy import bindparam, exists, select, update

from app.repositories.database import Transaction, new_row
from app.repositories.database.pages import Page, after_row, page_of
from app.repositories.tables import CLUBS, SEASONS


class Club(NamedTuple):
    """A stored club."""

    id: int
    slug: str
    name: str
    timezone: str
    created_at: datetime
    day_ends_at: str
    """The time until which it is still the day before, as ``06:00``."""


_AT_ONCE = 1000

_ALL = select(*(CLUBS.c[name] for name in Club._fields))
_BY_SLUG = _ALL.where(CLUBS.c.slug == bindparam("slug"))
_BY_ID = _ALL.where(CLUBS.c.id == bindparam("club"))
_LOCKED = _BY_ID.with_for_update(key_share=True)


def add(tx: Transaction, *, slug: str, name: str, timezone: str, day_ends_at: str = "00:00", at: datetime) -> Club:
    """Create a club.

    Raises:
        NotUnique: ``clubs``, when the slug is taken.
    """
    club = Club(0, slug, name, timezone, at, day_ends_at)
    values = club._asdict()
    del values["id"]
    return club._replace(id=new_row(tx, CLUBS, values))


def by_slug(tx: Transaction, slug: str) -> Club | None:
    """Return the club with a slug."""
    row = tx.execute(_BY_SLUG, {"slug": slug}).first()
    return Club._make(row) if row else None


def by_id(tx: Transaction, club_id: int) -> Club:
    """Return the club with a row number."""
    return Club._make(tx.execute(_BY_ID, {"club": club_id}).one())


def lock(tx: Transaction, club_id: int) -> Club:
    """Lock the club until the transaction ends and return it as it is now.

    Lock the club before you create players or revoke keys. If you lock a season, too, lock the season first.
    """
    return Club._make(tx.execute(_LOCKED, {"club": club_id}).one())


def change(tx: Transaction, club_id: int, values: Mapping[str, str]) -> None:
    """Change some of ``slug``, ``name``, ``timezone`` and ``day_ends_at``.

    Raises:
        NotUnique: ``clubs``, when the slug is taken.
    """
    if values:
        tx.execute(update(CLUBS).where(CLUBS.c.id == club_id).values(values))


def page(
    tx: Transaction,
    *,
    cursor: str | None,
    limit: int,
    with_public_season: bool = False,
    fits: Callable[[Club], bool] | None = None,
) -> Page[Club]:
    """Return clubs, oldest first: all, or those that have a public season; of these all, or those that fit.

    Raises:
        NotACursor: the cursor belongs to another list.
    """
    query = _ALL.order_by(CLUBS.c.id)
    if with_public_season:
        query = query.where(exists().where(SEASONS.c.club_id == CLUBS.c.id, SEASONS.c.public))
    if cursor is not None:
        query = query.where(CLUBS.c.id > after_row(cursor))
    if fits is None:
        query = query.limit(limit + 1)
    with tx.execute(query.execution_options(yield_per=_AT_ONCE)) as rows:
        found = list(islice(filter(fits, map(Club._make, rows)), limit + 1))
    return page_of(found, limit, lambda club: (club.id,))
