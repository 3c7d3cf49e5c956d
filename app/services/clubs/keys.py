"""Keys of a club: its president makes and revokes them; the admin makes presidents' keys only."""

import json
from datetime import datetime
from typing import Final

from app.repositories import journal
from app.repositories.clubs import clubs, keys
from app.repositories.clubs.clubs import Club
from app.repositories.clubs.keys import Key as Key
from app.repositories.database import Transaction
from app.repositories.database.pages import Page
from app.scoring.text import words
from app.scoring.violation import Violation
from app.services.access import Caller, require
from app.services.clubs.clubs import find
from app.services.clubs.new_key import NewKey, issue
from app.services.errors import Conflict, Forbidden, NotFound
from app.validation import InvalidInput

_NO_KEY: Final = words("Нет такого ключа.", "There is no such key.")
_PRESIDENTS_ONLY: Final = words(
    "Ключ администратора создаёт только ключи президентов.", "The admin's key makes presidents' keys only."
)
_PAST: Final = words("ожидается момент в будущем", "expected a moment in the future")
_LAST: Final = words(
    "Это последний действующий ключ президента; сначала создайте другой.",
    "This is the last key that opens the club as its president; make another one first.",
)


def create(
    tx: Transaction,
    caller: Caller,
    club: str,
    *,
    role: str,
    name: str | None,
    expires_at: datetime | None,
    now: datetime,
) -> NewKey:
    """A new key of the club; without a name it is called by its role.

    Raises:
        Unauthorized, Forbidden: the caller makes no such keys there.
        NotFound: there is no such club.
        InvalidInput: ``expires_at`` has passed.
    """
    found = find(tx, club)
    require(caller, "create_key", found.id)
    if caller.role == "admin" and role != "president":
        raise Forbidden(_PRESIDENTS_ONLY)
    if expires_at is not None and expires_at <= now:
        raise InvalidInput([Violation("value", "/expires_at", _PAST)])
    issued = issue(tx, club_id=found.id, role=role, name=name or role, now=now, expires_at=expires_at)
    _record(tx, caller, issued.key, "key_created", now)
    return issued


def page(tx: Transaction, caller: Caller, club: str, *, cursor: str | None, limit: int) -> Page[Key]:
    """The club's keys that were not revoked, expired ones too, the oldest first.

    Raises:
        Unauthorized, Forbidden: only the president sees them.
        NotFound: there is no such club for the caller.
        NotACursor: the cursor is of another list.
    """
    found = find(tx, club)
    require(caller, "list_keys", found.id)
    return keys.page(tx, found.id, cursor=cursor, limit=limit)


def revoke(tx: Transaction, caller: Caller, club: str, key: str, *, now: datetime) -> None:
    """The key opens nothing from now on.

    Raises:
        Unauthorized, Forbidden: only the president revokes keys.
        NotFound: there is no such club or key, or it was revoked before.
        Conflict: ``last_president_key``: without it nobody would open the club as its president.
    """
    found = find(tx, club)
    require(caller, "delete_key", found.id)
    clubs.lock(tx, found.id)
    revoked = keys.by_public_id(tx, found.id, key)
    if revoked is None or revoked.revoked_at is not None:
        raise NotFound(_NO_KEY)
    keys.revoke(tx, revoked.id, now)
    if revoked.role == "president" and not keys.presidents(tx, found.id, now):
        raise Conflict("last_president_key", _LAST)
    _record(tx, caller, revoked, "key_revoked", now)


def club_of(tx: Transaction, caller: Caller) -> Club | None:
    """The club that the caller's key opens; None for the admin's key.

    Raises:
        Unauthorized: the caller has no key.
    """
    require(caller, "get_me")
    return None if caller.club_id is None else clubs.by_id(tx, caller.club_id)


def _record(tx: Transaction, caller: Caller, key: Key, action: str, now: datetime) -> None:
    journal.record(
        tx,
        action=action,
        target=key.public_id,
        at=now,
        key_id=caller.key_id,
        role=caller.role,
        club_id=key.club_id,
        detail=json.dumps({"role": key.role, "name": key.name}, ensure_ascii=False),
    )
