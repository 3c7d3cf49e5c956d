"""Keys: only the hash of a secret is kept, and the row stays when the key is revoked."""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from sqlalchemy import bindparam, func, or_, select, update

from app.repositories.database import Transaction, batches, new_row
from app.repositories.database.ids import new_id
from app.repositories.database.pages import Page, after_row, page_of
from app.repositories.tables import KEYS

USE_NOTED_EVERY: Final = timedelta(minutes=1)
"""How often the use of a key is written down at most."""


class Key(NamedTuple):
    """A key as it is kept; ``club_id`` is None for the admin's."""

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
        """Whether the key is neither revoked nor expired."""
        return self.revoked_at is None and (self.expires_at is None or moment < self.expires_at)


_ALL = select(*(KEYS.c[name] for name in Key._fields))
_BY_PREFIX = _ALL.where(KEYS.c.prefix == bindparam("prefix"))
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
    """A new key.

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
    """The only key that a secret with this prefix can be, revoked and expired ones included."""
    row = tx.execute(_BY_PREFIX, {"prefix": prefix}).first()
    return Key._make(row) if row else None


def by_public_id(tx: Transaction, club_id: int, public_id: str) -> Key | None:
    """A key of the club."""
    row = tx.execute(_ALL.where(KEYS.c.club_id == club_id, KEYS.c.public_id == public_id)).first()
    return Key._make(row) if row else None


def by_ids(tx: Transaction, key_ids: Collection[int]) -> dict[int, Key]:
    """The keys with these row numbers, revoked ones too."""
    found = {}
    for batch in batches(key_ids):
        for row in tx.execute(_ALL.where(KEYS.c.id.in_(batch))):
            found[row[0]] = Key._make(row)
    return found


def page(tx: Transaction, club_id: int, *, cursor: str | None, limit: int) -> Page[Key]:
    """A club's keys that were not revoked, the oldest first.

    Raises:
        NotACursor: the cursor is of another list.
    """
    query = _ALL.where(KEYS.c.club_id == club_id, KEYS.c.revoked_at.is_(None)).order_by(KEYS.c.id).limit(limit + 1)
    if cursor is not None:
        query = query.where(KEYS.c.id > after_row(cursor))
    return page_of([Key._make(row) for row in tx.execute(query)], limit, lambda key: (key.id,))


def presidents(tx: Transaction, club_id: int, at: datetime) -> int:
    """How many keys open the club as its president at a moment; take the club's lock before deciding by it."""
    query = select(func.count()).where(
        KEYS.c.club_id == club_id,
        KEYS.c.role == "president",
        KEYS.c.revoked_at.is_(None),
        or_(KEYS.c.expires_at.is_(None), KEYS.c.expires_at > at),
    )
    return int(tx.execute(query).scalar_one())


def admin(tx: Transaction) -> Key | None:
    """The admin's stored key that was not revoked."""
    row = tx.execute(
        _ALL.where(KEYS.c.club_id.is_(None), KEYS.c.revoked_at.is_(None)).order_by(KEYS.c.id.desc())
    ).first()
    return Key._make(row) if row else None


def revoke(tx: Transaction, key_id: int, at: datetime) -> None:
    """The key opens nothing from now on."""
    tx.execute(update(KEYS).where(KEYS.c.id == key_id, KEYS.c.revoked_at.is_(None)).values(revoked_at=at))


def note_use(tx: Transaction, key_id: int, at: datetime) -> None:
    """Write when the key was last used, unless less than a minute has passed since that was written."""
    tx.execute(_NOTE_USE, {"key": key_id, "at": at, "stale": at - USE_NOTED_EVERY})
