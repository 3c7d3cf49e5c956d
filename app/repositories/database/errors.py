"""What can go wrong between a use case and its database, named by fact."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import psycopg
from sqlalchemy import PrimaryKeyConstraint, UniqueConstraint
from sqlalchemy.exc import DBAPIError, PendingRollbackError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from app.repositories.tables import metadata

_PASSING_IN_SQLITE = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_INTERRUPT,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_PROTOCOL,
        sqlite3.SQLITE_READONLY,
    }
)


_DAMAGED_IN_SQLITE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})

_PASSING_IN_POSTGRESQL = (
    psycopg.OperationalError,
    psycopg.InterfaceError,
    # A write that reached a standby, as it does in the seconds of a failover; a transaction that the server ended or
    # that a pooler lost between two of its statements ("received 2 results from command 'COMMIT'").
    psycopg.InternalError,
    psycopg.errors.FeatureNotSupported,  # what a standby says of beginning a transaction that may write
    psycopg.errors.InsufficientPrivilege,
)
_LASTING_IN_POSTGRESQL = (
    psycopg.errors.DataCorrupted,
    psycopg.errors.IndexCorrupted,
    psycopg.errors.InFailedSqlTransaction,  # a statement after one that failed: a fault of ours
)


class Unavailable(Exception):
    """The database could not serve this now: locked, full, gone or crowded out.

    Nothing of the transaction was stored; if the connection was lost amid a commit, that is unknown. A write with an
    idempotency key or an external id may be sent again either way.
    """

    def __init__(self, reason: str, retry_after: int = 1) -> None:
        super().__init__(reason)
        self.retry_after = retry_after
        """Seconds to wait before trying again."""


class DiskFull(Unavailable):
    """There is no room to store anything; it passes when somebody makes room."""


class ReadOnly(Unavailable):
    """This process serves reads only; another one may write."""

    def __init__(self) -> None:
        super().__init__("this process only reads (MAFRATE_READ_ONLY)", retry_after=10)


class FileGone(Unavailable):
    """The file of an SQLite database was taken away, or another put in its place that cannot be used."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason, retry_after=10)


class Damaged(Exception):
    """The database's file is not what was written: trying again helps nothing."""


class NotUnique(Exception):
    """A row that was to be written exists already; nothing of the transaction was stored."""

    def __init__(self, table: str, columns: tuple[str, ...]) -> None:
        super().__init__(f"{table}: {', '.join(columns)} must be unique")
        self.table = table
        self.columns = columns


class UnusableURL(ValueError):
    """The database URL names no database that the service can store seasons in."""


class UnusableCacheURL(ValueError):
    """The URL names no Redis; the message does not repeat it, for it may hold a password."""


class Unstorable(Exception):
    """A value no row can hold: a NUL inside a text, an integer beyond 64 bits."""


@cache
def _unique_columns() -> dict[str, tuple[str, tuple[str, ...]]]:
    """Constraint name, and SQLite's ``table.column, table.column``, to (table, columns)."""
    known = {}
    for table in metadata.tables.values():
        uniques = [c for c in table.constraints if isinstance(c, UniqueConstraint | PrimaryKeyConstraint)]
        keys = [(unique.name, unique.columns) for unique in uniques]
        keys += [(index.name, index.columns) for index in table.indexes if index.unique]
        for name, columns in keys:
            names = tuple(column.name for column in columns)
            known[str(name)] = known[", ".join(f"{table.name}.{column}" for column in names)] = (table.name, names)
    return known


def _not_unique(cause: object) -> NotUnique | None:
    if isinstance(cause, sqlite3.IntegrityError):
        _, found, columns = str(cause).partition("UNIQUE constraint failed: ")
        place = _unique_columns().get(columns) if found else None
    elif isinstance(cause, psycopg.errors.UniqueViolation):
        place = _unique_columns().get(cause.diag.constraint_name or "")
    else:
        place = None
    return NotUnique(*place) if place else None


def _primary_code(cause: object) -> int:
    """SQLite's; 0 of any other cause."""
    # The low byte: SQLITE_BUSY_SNAPSHOT and its like are kinds of SQLITE_BUSY.
    return int(getattr(cause, "sqlite_errorcode", 0)) & 0xFF


def _passes(cause: object) -> bool:
    if isinstance(cause, sqlite3.Error):
        return _primary_code(cause) in _PASSING_IN_SQLITE
    return isinstance(cause, _PASSING_IN_POSTGRESQL) and not isinstance(cause, _LASTING_IN_POSTGRESQL)


@contextmanager
def translated() -> Iterator[None]:
    """Turn the drivers' exceptions into the ones of this module; a programming error stays what it is."""
    try:
        yield
    except PoolTimeout as error:
        raise Unavailable("every connection of the pool is busy") from error
    except PendingRollbackError as error:
        raise Unavailable("the connection was lost amid the transaction") from error
    except OverflowError as error:
        if "SQLite" not in str(error):
            raise
        raise Unstorable(str(error)) from error
    except (DBAPIError, sqlite3.Error, psycopg.Error) as error:
        cause = error.orig if isinstance(error, DBAPIError) else error
        if isinstance(cause, psycopg.errors.DiskFull) or _primary_code(cause) == sqlite3.SQLITE_FULL:
            raise DiskFull(str(cause) if isinstance(error, sqlite3.Error) else type(cause).__name__) from error
        if isinstance(cause, psycopg.DataError):
            raise Unstorable(type(cause).__name__) from error
        if _passes(cause):
            raise Unavailable(str(cause) if isinstance(error, sqlite3.Error) else type(cause).__name__) from error
        if _primary_code(cause) in _DAMAGED_IN_SQLITE:
            raise Damaged(str(cause)) from error
        if clash := _not_unique(cause):
            raise clash from error
        raise
