"""Keys: only the hash of a secret is stored, and the row stays when the key is revoked."""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import bindparam, func, or_, select, update

from app.repositories.database import Transaction, batches, new_row
from app.repositories.database.ids import new_id
from app.repositories.database.pages import Page, after_row, page_of
from app.repositories.database.shared_reads import SharedQuery, SharedReads
from app.repositories.tables import KEYS

USE_NOTED_EVERY = timedelta(minutes=1)


class Key(NamedTuple):
    """A stored key; ``club_id`` is None for the admin key."""

    id: int
    public_id: str
    club_id: int | None
    role: str
    name: str
    prefix: str
    secret_hash: str
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None

    def opens_at(self, moment: datetime) -> bool:
        """Return whether the key is neither revoked nor expired."""
        return self.revoked_at is None and (self.expires_at is None or moment < self.expires_at)


_ALL = select(*(KEYS.c[name] for name in Key._fields))
_BY_PREFIX = _ALL.where(KEYS.c.prefix == bindparam("prefix"))
_SHARED = SharedQuery(_ALL, KEYS.c.prefix)
_NOTE_USE = (
    update(KEYS)
    .where(
        KEYS.c.id == bindparam("key"),
        or_(KEYS.c.last_used_at.is_(None), KEYS.c.last_used_at <= bindparam("stale", type_=KEYS.c.last_used_at.type)),
    )
    .values(last_used_at=bindparam("at"))
)


def add(
    tx: Transaction,
    *,
    club_id: int | None,
    role: str,
    name: str,
    prefix: str,
    secret_hash: str,
    at: datetime,
    expires_at: datetime | None = None,
) -> Key:
    """Create a key.

    Raises:
        NotUnique: ``keys``, when the prefix was drawn before.
    """
    public_id = new_id("k")
    values = {
        "public_id": public_id,
        "club_id": club_id,
        "role": role,
        "name": name,
        "prefix": prefix,
        "secret_hash": secret_hash,
        "created_at": at,
        "expires_at": expires_at,
    }
    number = new_row(tx, KEYS, values)
    return Key(number, public_id, club_id, role, name, prefix, secret_hash, at, expires_at, None, None)


def by_prefix(tx: Transaction, prefix: str) -> Key | None:
    """Return the only key whose secret can have this prefix, revoked or expired ones included."""
    row = tx.execute(_BY_PREFIX, {"prefix": prefix}).first()
    return Key._make(row) if row else None


async def by_prefix_now(reads: SharedReads, prefix: str) -> Key | None:
    """As :func:`by_prefix`, by a SELECT for all who ask.

    Raises:
        Unavailable: the database cannot be asked.
    """
    row = await reads.row(_SHARED, prefix)
    return Key._make(row) if row else None


def by_public_id(tx: Transaction, club_id: int, public_id: str) -> Key | None:
    """Return a key of the club."""
    row = tx.execute(_ALL.where(KEYS.c.club_id == club_id, KEYS.c.public_id == public_id)).first()
    return Key._make(row) if row else None


def by_ids(tx: Transaction, key_ids: Collection[int]) -> dict[int, Key]:
    """Return the keys with these row numbers, revoked ones included."""
    found = {}
    for batch in batches(key_ids):
        for row in tx.execute(_ALL.where(KEYS.c.id.in_(batch))):
            found[row[0]] = Key._make(row)
    return found


def page(tx: Transaction, club_id: int, *, cursor: str | None, limit: int) -> Page[Key]:
    """Return a club's keys that are not revoked, oldest first.

    Raises:
        NotACursor: the cursor belongs to another list.
    """
    query = _ALL.where(KEYS.c.club_id == club_id, KEYS.c.revoked_at.is_(None)).order_by(KEYS.c.id).limit(limit + 1)
    if cursor is not None:
        query = query.where(KEYS.c.id > after_row(cursor))
    return page_of([Key._make(row) for row in tx.execute(query)], limit, lambda key: (key.id,))


def presidents(tx: Transaction, club_id: int, at: datetime) -> int:
    """Count the president's keys of the club that are valid at a time; lock the club before you decide by it."""
    query = select(func.count()).where(
        KEYS.c.club_id == club_id,
        KEYS.c.role == "president",
        KEYS.c.revoked_at.is_(None),
        or_(KEYS.c.expires_at.is_(None), KEYS.c.expires_at > at),
    )
    return int(tx.execute(query).scalar_one())


def admin(tx: Transaction) -> Key | None:
    """Return the admin's stored key that is not revoked."""
    row = tx.execute(
        _ALL.where(KEYS.c.club_id.is_(None), KEYS.c.revoked_at.is_(None)).order_by(KEYS.c.id.desc())
    ).first()
    return Key._make(row) if row else None


def revoke(tx: Transaction, key_id: int, at: datetime) -> None:
    """Revoke the key: it is invalid from now on."""
    tx.execute(update(KEYS).where(KEYS.c.id == key_id, KEYS.c.revoked_at.is_(None)).values(revoked_at=at))


def note_use(tx: Transaction, key_id: int, at: datetime) -> None:
    """Store when the key was last used, unless that was stored less than a minute ago."""
    tx.execute(_NOTE_USE, {"key": key_id, "at": at, "stale": at - USE_NOTED_EVERY})
