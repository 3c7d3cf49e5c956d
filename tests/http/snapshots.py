"""What a test begins with, made over HTTP once in each process and copied into the database of every other test.

On SQLite only: a copy takes two milliseconds there, and on PostgreSQL longer than the requests.
"""

import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from typing import Any, Final, TypeVar

from fastapi import FastAPI

from app.repositories.database.engines import read_url, sqlite_path

Made = TypeVar("Made")

_KEPT: Final[dict[tuple[str, ...], tuple[sqlite3.Connection, Any]]] = {}


async def made_once(app: FastAPI, name: str, make: Callable[[], Awaitable[Made]]) -> Made:
    """What ``make`` makes in the database of a service, after whatever was made there so before; the value it returned
    the first time must hold for every copy.
    """
    url = read_url(app.state.settings.database_url)
    if url.get_backend_name() != "sqlite":
        return await make()
    app.state.made = names = (*getattr(app.state, "made", ()), name)
    with closing(sqlite3.connect(sqlite_path(url))) as database:
        if names in _KEPT:
            kept, value = _KEPT[names]
            kept.backup(database)
            return value  # type: ignore[no-any-return]
        made = await make()
        kept = sqlite3.connect(":memory:", check_same_thread=False)
        database.backup(kept)
    _KEPT[names] = kept, made
    return made
