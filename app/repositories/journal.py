"""The journal: who changed what, when and why, in the order of commits within a season or club."""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import bindparam, insert, select

from app.repositories.database import Transaction
from app.repositories.database.pages import Page, after_row, page_of
from app.repositories.tables import CHANGES


class NewChange(NamedTuple):
    """A change to be recorded; ``target`` is a public id or slug, ``detail`` JSON."""

    action: str
    target: str
    at: datetime
    key_id: int | None
    role: str
    club_id: int | None = None
    season_id: int | None = None
    revision: int | None = None
    reason: str | None = None
    detail: str | None = None


class Change(NamedTuple):
    """A recorded change."""

    id: int
    club_id: int | None
    season_id: int | None
    revision: int | None
    at: datetime
    key_id: int | None
    role: str
    action: str
    target: str
    reason: str | None
    detail: str | None


_ALL = select(*(CHANGES.c[name] for name in Change._fields))
_AFTER = (
    _ALL.where(CHANGES.c.season_id == bindparam("season"), CHANGES.c.revision > bindparam("revision"))
    .order_by(CHANGES.c.revision, CHANGES.c.id)
    .limit(bindparam("limit"))
)
_ADD = insert(CHANGES)


def add(tx: Transaction, change: NewChange) -> None:
    """Record a change in the transaction that makes it."""
    tx.execute(_ADD, change._asdict())


def after(tx: Transaction, season_id: int, revision: int, *, limit: int) -> list[Change]:
    """Return the changes of a season after ``revision``, oldest first."""
    rows = tx.execute(_AFTER, {"season": season_id, "revision": revision, "limit": limit})
    return [Change._make(row) for row in rows]


def page(
    tx: Transaction, club_id: int, *, season_id: int | None = None, cursor: str | None, limit: int
) -> Page[Change]:
    """Return the changes of a club, or of one season of it, newest first.

    Raises:
        NotACursor: the cursor belongs to another list.
    """
    query = _ALL.where(CHANGES.c.club_id == club_id).order_by(CHANGES.c.id.desc()).limit(limit + 1)
    if season_id is not None:
        query = query.where(CHANGES.c.season_id == season_id)
    if cursor is not None:
        query = query.where(CHANGES.c.id < after_row(cursor))
    return page_of([Change._make(row) for row in tx.execute(query)], limit, lambda change: (change.id,))
