"""Keys of a club: the president creates and revokes them; the admin creates president's keys only."""

from collections.abc import Collection
from datetime import datetime
from typing import Final

from app.repositories.clubs import clubs, keys
from app.repositories.clubs.clubs import Club
from app.repositories.clubs.keys import Key as Key
from app.repositories.database import Transaction
from app.repositories.database.pages import Page
from app.scoring.text import words
from app.scoring.violation import Violation
from app.services import journal
from app.services.access import Caller, club_for, require
from app.services.clubs.new_key import NewKey, issue
from app.services.errors import Conflict, Forbidden, NotFound
from app.services.journal import Scope
from app.services.storage.settings_tag import demand_settings, settings_tag
from app.validation import InvalidInput

_NO_KEY: Final = words("Нет такого ключа.", "Key not found.")
_PRESIDENTS_ONLY: Final = words(
    "С ключом администратора создаются только ключи президентов.", "The admin key can create president's keys only."
)
_PAST: Final = words("срок ключа должен быть в будущем", "expected a time in the future")
_LAST: Final = words(
    "Это последний действующий ключ президента; сначала создайте другой.",
    "This is the last valid president's key of the club. Create another one first.",
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
    """Create a key of the club; without a name it is named after its role.

    Raises:
        Unauthorized, Forbidden: the caller may not create such keys there.
        NotFound: there is no such club.
        InvalidInput: ``expires_at`` has passed.
    """
    found = club_for(tx, caller, club, "create_key")
    if caller.role == "admin" and role != "president":
        raise Forbidden(_PRESIDENTS_ONLY)
    if expires_at is not None and expires_at <= now:
        raise InvalidInput([Violation("value", "/expires_at", _PAST)])
    issued = issue(tx, club_id=found.id, role=role, name=name or role, now=now, expires_at=expires_at)
    _record(tx, caller, issued.key, "key_created", now)
    return issued


def page(tx: Transaction, caller: Caller, club: str, *, cursor: str | None, limit: int) -> Page[Key]:
    """Return the club's keys that are not revoked, expired ones included, oldest first.

    Raises:
        Unauthorized, Forbidden: only the president may list them.
        NotFound: there is no such club for the caller.
        NotACursor: the cursor belongs to another list.
    """
    found = club_for(tx, caller, club, "list_keys")
    return keys.page(tx, found.id, cursor=cursor, limit=limit)


def tag_of(key: Key) -> str:
    """Return the tag of the key's settings; using it does not alter them."""
    return settings_tag(key.public_id, key.role, key.name, key.expires_at)


def revoke(
    tx: Transaction,
    caller: Caller,
    club: str,
    key: str,
    *,
    expected: Collection[str] | None = None,
    now: datetime,
) -> None:
    """Revoke a key: it is invalid from now on. ``expected``: the tags that the caller takes for current; None: any.

    Raises:
        PreconditionFailed: what is expected is given and not the current tag.
        Unauthorized, Forbidden: only the president revokes keys.
        NotFound: there is no such club or key, or it was revoked before.
        Conflict: ``last_president_key``: the club has no other valid key of its president.
    """
    found = club_for(tx, caller, club, "delete_key")
    clubs.lock(tx, found.id)
    revoked = keys.by_public_id(tx, found.id, key)
    if revoked is None or revoked.revoked_at is not None:
        raise NotFound(_NO_KEY)
    if expected is not None:
        demand_settings(expected, tag_of(revoked))
    keys.revoke(tx, revoked.id, now)
    if revoked.role == "president" and not keys.presidents(tx, found.id, now):
        raise Conflict("last_president_key", _LAST)
    _record(tx, caller, revoked, "key_revoked", now)


def club_of(tx: Transaction, caller: Caller) -> Club | None:
    """Return the club of the caller's key, or None for the admin key.

    Raises:
        Unauthorized: the caller has no key.
    """
    require(caller, "get_me")
    return None if caller.club_id is None else clubs.by_id(tx, caller.club_id)


def _record(tx: Transaction, caller: Caller, key: Key, action: str, now: datetime) -> None:
    detail = {"role": key.role, "name": key.name}
    journal.record(tx, caller, key.public_id, action, Scope(key.club_id), now, detail=detail)
