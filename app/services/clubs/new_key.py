"""Creating keys: a secret that is shown once, and the row that stores its hash."""

import secrets
from datetime import datetime
from typing import Final, NamedTuple

from app.repositories.clubs import keys
from app.repositories.clubs.keys import Key
from app.repositories.database import Transaction
from app.services.access import hash_of

_MARK: Final = "mfr"
"""The beginning of every secret, by which people and scanners of leaked secrets recognize it."""


class NewKey(NamedTuple):
    """A new key and its secret, which nothing can show again."""

    key: Key
    secret: str


def issue(
    tx: Transaction,
    *,
    club_id: int | None,
    role: str,
    name: str,
    now: datetime,
    expires_at: datetime | None = None,
    handle: str | None = None,
) -> NewKey:
    """Create a key whose secret is ``mfr_<handle>_<256 random bits in hex>``; the handle is random unless given.

    Raises:
        NotUnique: ``keys``, when there is a key with this handle.
    """
    prefix = f"{_MARK}_{handle or secrets.token_hex(6)}"
    secret = f"{prefix}_{secrets.token_hex(32)}"
    key = keys.add(
        tx,
        club_id=club_id,
        role=role,
        name=name,
        prefix=prefix,
        secret_hash=hash_of(secret),
        at=now,
        expires_at=expires_at,
    )
    return NewKey(key, secret)
