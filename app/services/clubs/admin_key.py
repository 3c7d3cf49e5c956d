"""The first start: the admin key is created once, even if several processes start at the same time."""

from collections.abc import Callable
from datetime import datetime
from typing import Final

from app.repositories.clubs import keys
from app.repositories.database import Database
from app.repositories.database.errors import NotUnique
from app.services import journal
from app.services.access import ADMIN
from app.services.clubs.new_key import issue
from app.services.journal import Scope

_HANDLE: Final = "admin"
"""Handles are unique: of several processes that create the key at once, the database lets one do it."""


def make_admin_key(database: Database, *, announce: Callable[[str], None], now: datetime) -> bool:
    """Create the admin key unless there is one, and return whether it was created. Only its hash is stored.

    ``announce`` shows the secret to whoever starts the service. It is called before the key is stored: a key that
    nobody has seen is never valid, and if announcing fails, the next start tries again.

    Raises:
        Unavailable: the database is locked or gone.
    """
    with database.glance() as tx:
        if keys.admin(tx) is not None:
            return False
    try:
        with database.write() as tx:
            key, secret = issue(tx, club_id=None, role="admin", name="admin", now=now, handle=_HANDLE)
            journal.record(tx, ADMIN, key.public_id, "key_created", Scope(None), now)
            announce(secret)
    except NotUnique:
        return False
    return True
