"""Copies of an SQLite database: taken while it is used, and put back in its place."""

import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from app.repositories.database import engines
from app.repositories.database.connection import Database
from app.repositories.database.errors import Unavailable, translated
from app.repositories.database.sqlite_file import make_folder, make_for_owner
from app.repositories.schema import bring_up_to_date

_MOST_WAITING: Final = 60.0
"""Seconds that a restoration waits for others to stop writing."""


class NotACopy(Exception):
    """A database that cannot be copied this way, or a file that is not a copy of one; the message says why."""


def back_up(url: str, target: Path) -> int:
    """Write a copy of the database as it is at one moment; its size in bytes.

    What others commit meanwhile waits for nothing. The file appears when it is whole and on disk; only its owner may
    read it.

    Raises:
        NotACopy: the database is not SQLite, or there is none yet.
        Unavailable: it is locked.
        FileExistsError: ``target`` is there already.
    """
    source = _file_of(url)
    if not source.exists():
        raise NotACopy(f"no database at {source}")
    draft = target.with_name(f".{target.name}.{os.getpid()}")
    if target.exists():
        raise FileExistsError(17, "the file already exists", str(target))
    if not target.parent.is_dir():
        raise NotADirectoryError(20, "no such folder", str(target.parent))
    os.close(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        with (
            translated(),
            closing(engines.open_sqlite(source, wait=10)) as database,
            closing(sqlite3.connect(draft)) as copy,
        ):
            database.backup(copy)  # in one step, which sees one state
            copy.execute("PRAGMA journal_mode = DELETE")
            _check_sound(copy, source)
        with draft.open("rb") as written:
            os.fsync(written.fileno())
        draft.rename(target)
    finally:
        draft.unlink(missing_ok=True)
    return target.stat().st_size


def restore(url: str, source: Path) -> None:
    """Make the database what the copy is, brought up to date, in one transaction; the copy stays as it is.

    Whoever uses the database meanwhile sees all of that or nothing, and goes on with it.

    Raises:
        NotACopy: the database is not SQLite, or ``source`` is no sound copy of one of ours.
        SchemaTooNew: newer code wrote the copy.
        Unavailable: other processes keep writing, or there is no room.
    """
    target = _file_of(url)
    if not source.is_file():
        raise FileNotFoundError(2, "no such file", str(source))
    log = source.with_name(f"{source.name}-wal")
    if (target.exists() and source.samefile(target)) or (log.exists() and log.stat().st_size):
        raise NotACopy(f"{source} is a database in use, not a copy of one")
    make_folder(target)
    with translated(), TemporaryDirectory(prefix=".restoring-", dir=target.parent) as aside:
        draft = Path(aside) / target.name
        with (
            closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as copy,
            closing(sqlite3.connect(draft)) as taken,
        ):
            _check_sound(copy, source)
            copy.backup(taken)
        with closing(Database(f"sqlite:///{draft.absolute()}")) as database:
            bring_up_to_date(database)
        make_for_owner(target)
        with closing(sqlite3.connect(draft)) as ready, closing(engines.open_sqlite(target, wait=10)) as kept:
            kept.execute("PRAGMA synchronous = FULL")
            ready.backup(kept, progress=_until(time.monotonic() + _MOST_WAITING))


def _until(deadline: float) -> Callable[[int, int, int], None]:
    """Stop a copy that has not started by the deadline because it is waiting for others."""

    def look(_status: int, _remaining: int, _pages: int) -> None:
        if time.monotonic() > deadline:
            raise Unavailable("other processes keep writing")

    return look


def _file_of(url: str) -> Path:
    read = engines.read_url(url)
    if read.get_backend_name() != "sqlite":
        raise NotACopy("for PostgreSQL, use pg_dump --format=custom, and pg_restore while no service is running")
    return engines.sqlite_path(read)


def _check_sound(copy: sqlite3.Connection, path: Path) -> None:
    try:
        ours = copy.execute("SELECT 1 FROM sqlite_schema WHERE name = 'alembic_version'").fetchone()
        problem = copy.execute("PRAGMA quick_check(1)").fetchone()[0]
    except sqlite3.DatabaseError as error:
        raise NotACopy(f"{path}: {error}") from None
    if not ours:
        raise NotACopy(f"{path}: not a mafrate database")
    if problem != "ok":
        raise NotACopy(f"{path}: {problem}")
