"""Who did what, when and why, in the order it was committed within a season or club."""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import bindparam, insert, select

from app.repositories.database import Transaction
from app.repositories.database.pages import Page, after_row, page_of
from app.repositories.tables import CHANGES


class Change(NamedTuple):
    """One change; ``detail`` is JSON, ``target`` a public id or slug."""

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
_RECORD = insert(CHANGES)


def record(
    tx: Transaction,
    *,
    action: str,
    target: str,
    at: datetime,
    key_id: int | None,
    role: str,
    club_id: int | None = None,
    season_id: int | None = None,
    revision: int | None = None,
    reason: str | None = None,
    detail: str | None = None,
) -> None:
    """Write down a change in the transaction that makes it."""
    values = {
        "club_id": club_id,
        "season_id": season_id,
        "revision": revision,
        "at": at,
        "key_id": key_id,
        "role": role,
        "action": action,
        "target": target,
        "reason": reason,
        "detail": detail,
    }
    tx.execute(_RECORD, values)


def after(tx: Transaction, season_id: int, revision: int, *, limit: int) -> list[Change]:
    """What changed a season after ``revision``, the first first."""
    rows = tx.execute(_AFTER, {"season": season_id, "revision": revision, "limit": limit})
    return [Change._make(row) for row in rows]


def page(
    tx: Transaction, club_id: int, *, season_id: int | None = None, cursor: str | None, limit: int
) -> Page[Change]:
    """What changed in a club, or in one season of it, the last written down first.

    Raises:
        NotACursor: the cursor is of another list.
    """
    query = _ALL.where(CHANGES.c.club_id == club_id).order_by(CHANGES.c.id.desc()).limit(limit + 1)
    if season_id is not None:
        query = query.where(CHANGES.c.season_id == season_id)
    if cursor is not None:
        query = query.where(CHANGES.c.id < after_row(cursor))
    return page_of([Change._make(row) for row in tx.execute(query)], limit, lambda change: (change.id,))
