"""The first start makes the admin's key once, whoever else starts at the same time."""

import hashlib
import threading
from contextlib import closing
from datetime import UTC, datetime

import pytest

from app.repositories.clubs import keys
from app.repositories.database import Database
from app.services.access import identify
from app.services.clubs.admin_key import make_admin_key
from app.services.errors import Unauthorized

NOON = datetime(2025, 3, 14, 12, tzinfo=UTC)


def test_the_key_is_shown_once_and_kept_as_a_hash(database: Database) -> None:
    shown: list[str] = []
    assert make_admin_key(database, announce=shown.append, now=NOON) is True
    assert make_admin_key(database, announce=shown.append, now=NOON) is False
    (secret,) = shown
    with database.read() as tx:
        key = keys.admin(tx)
    assert key
    assert key.secret_hash == hashlib.sha256(secret.encode()).hexdigest()
    assert (key.club_id, key.role, key.expires_at) == (None, "admin", None)
    assert identify(database, secret, admin_hash=None, now=NOON).role == "admin"


def test_of_many_that_start_at_once_one_makes_the_key(database_url: str) -> None:
    shown: list[str] = []
    made: list[bool] = []
    together = threading.Barrier(6)

    def start() -> None:
        with closing(Database(database_url)) as database:
            together.wait()
            made.append(make_admin_key(database, announce=shown.append, now=NOON))

    starting = [threading.Thread(target=start) for _ in range(6)]
    for thread in starting:
        thread.start()
    for thread in starting:
        thread.join()
    assert sorted(made) == [False] * 5 + [True]
    with closing(Database(database_url)) as database:
        assert len(shown) == 1
        assert identify(database, shown[0], admin_hash=None, now=NOON).role == "admin"


def test_a_key_that_nobody_was_shown_is_not_in_force(database: Database) -> None:
    shown: list[str] = []

    def fail(secret: str) -> None:
        shown.append(secret)
        raise OSError("no space left on device")

    with pytest.raises(OSError, match="no space"):
        make_admin_key(database, announce=fail, now=NOON)
    with pytest.raises(Unauthorized):
        identify(database, shown[0], admin_hash=None, now=NOON)
    assert make_admin_key(database, announce=shown.append, now=NOON) is True
    assert shown[1] != shown[0]


def test_the_key_of_the_settings_wins_over_the_stored_one(database: Database) -> None:
    shown: list[str] = []
    make_admin_key(database, announce=shown.append, now=NOON)
    admin_hash = hashlib.sha256(b"the key of the settings").hexdigest()
    assert identify(database, "the key of the settings", admin_hash=admin_hash, now=NOON).role == "admin"
    with pytest.raises(Unauthorized):
        identify(database, shown[0], admin_hash=admin_hash, now=NOON)
