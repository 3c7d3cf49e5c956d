"""When a key was last used, to the minute."""

from contextlib import suppress
from datetime import datetime

from app.repositories.clubs import keys
from app.repositories.database import Database
from app.repositories.database.errors import Unavailable
from app.services.access import Caller


def use_is_due(caller: Caller, now: datetime) -> bool:
    """Whether the use of the caller's key is to be written down again."""
    if caller.key_id is None:
        return False
    return caller.last_used_at is None or now - caller.last_used_at >= keys.USE_NOTED_EVERY


def note_use(database: Database, caller: Caller, now: datetime) -> None:
    """Write when the key was last used, at most once a minute, and never at the cost of the answer."""
    if caller.key_id is None or database.read_only or not use_is_due(caller, now):
        return
    with suppress(Unavailable), database.write() as tx:
        keys.note_use(tx, caller.key_id, now)
