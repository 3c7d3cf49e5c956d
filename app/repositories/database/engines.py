"""How a database URL becomes connections, set up so that a commit is on disk and a lock is never waited for in vain."""

import sqlite3
from pathlib import Path
from typing import Final

from sqlalchemy import URL, Engine, create_engine, make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.pool import QueuePool

from app.repositories.database.errors import Unavailable, UnusableURL
from app.repositories.database.server import read_server_url

WRITER_PATIENCE_MS = 2
"""How long SQLite itself waits for the write lock before :meth:`Database.write` asks again."""


_A_FILE: Final = "SQLite needs a file: sqlite:///data/mafrate.db"


def read_url(url: str) -> URL:
    """Return the URL with its driver: the standard library's SQLite or psycopg 3.

    Raises:
        UnusableURL: another database, SQLite without a file, an invalid port, or an unknown option. The message does
            not repeat the URL, because it may contain a password.
    """
    if url.startswith("postgres"):
        return read_server_url(url)
    try:
        read = make_url(url)
    except (ArgumentError, ValueError):
        raise UnusableURL("expected sqlite:///path or postgresql://host/database") from None
    if read.get_backend_name() == "sqlite":
        _demand_a_file(read)
        return read.set(drivername="sqlite+pysqlite")
    raise UnusableURL(f"expected sqlite:///path or postgresql://host/database, got {read.get_backend_name()}")


def _demand_a_file(url: URL) -> None:
    if url.database in (None, "", ":memory:") or url.host is not None:
        raise UnusableURL(_A_FILE)
    if url.query:
        raise UnusableURL(f"{_A_FILE}, and nothing after a question mark")
    if "\0" in (url.database or ""):
        raise UnusableURL(f"{_A_FILE}, and no NUL in its name")


def sqlite_path(url: URL) -> Path:
    """The file that an SQLite URL names."""
    return Path(url.database or "")


def open_sqlite(path: Path, *, wait: float) -> sqlite3.Connection:
    """A connection that begins and ends transactions only on request, and waits ``wait`` seconds for a lock.

    Raises:
        Unavailable: there is no such file, or nobody may write it.
        UnusableURL: the file is something else.
    """
    try:
        connection = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode=rw",
            uri=True,
            timeout=wait,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=256,
        )
        # A process that finds the journal as it should be does not ask for the exclusive lock that changing it takes.
        if connection.execute("PRAGMA journal_mode").fetchone() != ("wal",):
            connection.execute("PRAGMA journal_mode = WAL")
    except sqlite3.DatabaseError as error:
        if _primary(error) == sqlite3.SQLITE_CANTOPEN:
            raise Unavailable(f"expected a file that can be written: {path}") from error
        if _primary(error) == sqlite3.SQLITE_NOTADB:
            raise UnusableURL(f"expected an SQLite database or no file at all: {path}") from None
        raise
    return connection


def _primary(error: sqlite3.Error) -> int:
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def sqlite_readers(url: URL, *, wait: float, connections: int) -> Engine:
    """Connections that cannot write and see one snapshot from BEGIN to ROLLBACK."""

    def connect() -> sqlite3.Connection:
        connection = open_sqlite(sqlite_path(url), wait=wait)
        connection.execute("PRAGMA query_only = ON")
        return connection

    return create_engine(
        url,
        creator=connect,
        hide_parameters=True,
        poolclass=QueuePool,
        pool_size=connections,
        max_overflow=0,
        pool_timeout=wait,
        pool_use_lifo=True,
    )


def sqlite_writer(url: URL, *, wait: float) -> Engine:
    """The one connection that writes; each commit reaches the disk before it returns."""

    def connect() -> sqlite3.Connection:
        connection = open_sqlite(sqlite_path(url), wait=wait)
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        # Database.write waits by itself: SQLite's own waits grow to 100 ms, and a process that sleeps so long never
        # meets the moment between two commits of a busier one.
        connection.execute(f"PRAGMA busy_timeout = {WRITER_PATIENCE_MS}")
        return connection

    return create_engine(
        url,
        creator=connect,
        hide_parameters=True,
        poolclass=QueuePool,
        pool_size=1,
        max_overflow=0,
        pool_timeout=wait,
    )
