"""One database, SQLite or PostgreSQL, and its transactions: one per use case."""

import math
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, Literal, TypeAlias, TypeVar

from sqlalchemy import Connection, Engine, Table, event, insert, text
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import ConnectionPoolEntry

from app.repositories.database import engines, server
from app.repositories.database.errors import Damaged, ReadOnly, Unavailable, translated
from app.repositories.database.patience import LONGEST_SECONDS, PatientConnection
from app.repositories.database.shared_reads import SharedReads
from app.repositories.database.sqlite_file import SQLiteFile
from app.repositories.database.turns import Turns

_ALTERATION_WAIT = 600.0
"""Seconds that a process starting up waits for another that migrates a large database."""

Transaction: TypeAlias = Connection
"""What every repository function works in; only :class:`Database` creates it."""

Value = TypeVar("Value")

_BEGIN_READING: Final = {"sqlite": "BEGIN", "postgresql": "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"}
"""Said by ourselves: the driver, asked to, would set the level of a connection and set it back each time."""


class Database:
    """The database that stores the seasons.

    Args:
        url: ``sqlite:///path`` or ``postgresql://user@host/database``.
        wait: seconds that a use case waits for a lock or a connection before it is refused.
        connections: how many connections may read at once; on PostgreSQL half of them may write.
        read_only: refuse to write: what is read may be a standby.

    Raises:
        UnusableURL: the URL names neither.
    """

    def __init__(self, url: str, *, wait: float = 10.0, connections: int = 16, read_only: bool = False) -> None:
        read = engines.read_url(url)
        self.dialect: Literal["sqlite", "postgresql"]
        self._wait = wait
        self.read_only = read_only
        self.shared_reads: SharedReads | None = None
        """On PostgreSQL, reads that requests share; for the event loop."""
        self._readers: Engine
        self._writers: Engine
        if read.drivername.startswith("sqlite"):
            self.dialect = "sqlite"
            self._writers = engines.sqlite_writer(read, wait=wait)
            self._readers = engines.sqlite_readers(read, wait=wait, connections=connections)
            turns = 1
        else:
            self.dialect = "postgresql"
            servers = server.servers_of(read)
            self.shared_reads = SharedReads(servers)
            self._writers = self._readers = server.postgresql(servers, wait=wait, connections=connections)
            # Writers that wait for a season's row hold a connection each; readers must find one all the same.
            turns = max(1, connections // 2)
        self._turns = Turns(turns)
        self._url = read
        self._file: SQLiteFile | None = None
        self.change_mark: Callable[[], int | None] = _no_mark
        """On SQLite a number that differs whenever anyone has committed since (:meth:`SQLiteFile.change_mark`)."""
        if self.dialect == "sqlite":
            self._file = SQLiteFile(engines.sqlite_path(read), wait, self._close_connections)
            self.change_mark = self._file.change_mark
            for engine in (self._readers, self._writers):
                _close_with_their_file(engine, self._file)

    @contextmanager
    def read(self) -> Iterator[Transaction]:
        """A transaction that sees one state of the database throughout and writes nothing.

        Raises:
            Unavailable: the database is gone or crowded out.
            Unstorable: a value was looked for that no row can hold.
        """
        with self._looked_at(), self._readers.connect() as tx:
            tx.exec_driver_sql(_BEGIN_READING[self.dialect])
            yield tx

    @contextmanager
    def glance(self) -> Iterator[Transaction]:
        """For a single SELECT: as :meth:`read`, without the round trips that begin and end a transaction."""
        with self._looked_at(), self._readers.connect() as tx:
            yield tx

    @contextmanager
    def write(self) -> Iterator[Transaction]:
        """A transaction that is committed when the block ends and undone when it raises.

        On SQLite it excludes every other writer. On PostgreSQL a use case takes the row of the season or club that it
        changes (:func:`app.repositories.seasons.seasons.lock`, :func:`app.repositories.clubs.clubs.lock`) before it
        reads what it decides by.

        Raises:
            Unavailable: the database is locked, full, gone or crowded out, perhaps only when committing.
            ReadOnly: this process only reads.
            NotUnique: a row with the same unique columns exists.
            Unstorable: a value that no row can hold.
        """
        if self.read_only:
            raise ReadOnly
        with self._looked_at(), self._turns.turn(self._wait) as deadline, self._writers.connect() as tx:
            self._begin_write(tx, deadline)
            yield tx
            tx.commit()
            if self._file is not None:
                self._file.demand_stored()

    @contextmanager
    def alter(self) -> Iterator[Transaction]:
        """As :meth:`write`, for changing the schema: one process at a time, all of it or nothing.

        An SQLite file that is not there is made.
        """
        if self._file is not None:
            self._file.make()
        with self._looked_at(), self._turns.turn(_ALTERATION_WAIT) as deadline, self._writers.connect() as tx:
            altering = tx.connection.driver_connection
            if isinstance(altering, PatientConnection):
                altering.longest = math.inf
            if self.dialect == "sqlite":
                # Rebuilding a table drops it first, which foreign keys forbid; SQLite reads this pragma outside a
                # transaction only.
                tx.exec_driver_sql("PRAGMA foreign_keys = OFF")
            try:
                self._begin_write(tx, deadline)
                if self.dialect == "postgresql":
                    tx.execute(text("SELECT pg_advisory_xact_lock(hashtext('mafrate schema'))"))
                yield tx
                if self.dialect == "sqlite" and (broken := tx.exec_driver_sql("PRAGMA foreign_key_check").first()):
                    raise RuntimeError(f"the migration leaves {broken[0]} with references to missing {broken[2]}")
                tx.commit()
            finally:
                tx.rollback()
                if isinstance(altering, PatientConnection):
                    altering.longest = LONGEST_SECONDS
                if self._file is not None:
                    tx.exec_driver_sql("PRAGMA foreign_keys = ON")
                    self._file.forget()  # its version, for one

    def check(self) -> None:
        """Look whether an SQLite database is where it should be, and sound as far as a fifth of a second shows.

        On PostgreSQL, whether writers come to an end: a server may answer readers and let nobody commit.

        Raises:
            FileGone: it is not, or another is there that cannot be used.
            Damaged: it is not sound.
            Unavailable: no writer of this process has come to an end for as long as one may wait for its turn.
        """
        if self._file is not None:
            self._file.check()
        elif self._turns.is_stuck(self._wait):
            raise Unavailable("no writer comes to an end")

    def close(self) -> None:
        """Close every connection; the database can be used again after it."""
        self._close_connections()
        if self.shared_reads is not None:
            self.shared_reads.close()
        if self._file is not None:
            self._file.forget()

    def _close_connections(self) -> None:
        self._readers.dispose()
        self._writers.dispose()

    @contextmanager
    def _looked_at(self) -> Iterator[None]:
        """For use of the database: its file is looked at before, and damage that is met is noted."""
        try:
            if self._file is not None:
                self._file.look()
            with translated():
                yield
        except Damaged:
            if self._file is not None:
                self._file.note_damage()
            raise

    def _begin_write(self, tx: Transaction, deadline: float) -> None:
        if self.dialect == "postgresql":
            milliseconds = max(1, round((deadline - time.monotonic()) * 1000))
            tx.exec_driver_sql(f"BEGIN; SET LOCAL lock_timeout = {milliseconds}")
            return
        while True:
            try:
                tx.exec_driver_sql("BEGIN IMMEDIATE")
            except OperationalError as error:
                busy = getattr(error.orig, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY
                if not busy or time.monotonic() >= deadline:
                    raise
                time.sleep(0.001)
            else:
                return


def _no_mark() -> None:
    """On PostgreSQL, a season's revision is the thing to look at."""


def _close_with_their_file(engine: Engine, file: SQLiteFile) -> None:
    """Close connections when they come back after their file was replaced: as long as one is open, its log lives on."""

    def note(_: object, record: ConnectionPoolEntry) -> None:
        record.info["replaced"] = file.replaced

    def close(connection: sqlite3.Connection | None, record: ConnectionPoolEntry) -> None:
        if connection is not None and record.info["replaced"] != file.replaced:
            connection.close()

    event.listen(engine, "connect", note)
    event.listen(engine, "checkin", close)


def new_row(tx: Transaction, table: Table, values: Mapping[str, Any]) -> int:
    """Insert one row and return the number it got."""
    key = tx.execute(insert(table), values).inserted_primary_key
    if key is None:
        raise TypeError(f"{table.name} does not number its rows")
    return int(key[0])


def batches(values: Iterable[Value]) -> list[list[Value]]:
    """Return the values a thousand at a time, for statements that look for many; SQLite takes 32,766 in one."""
    listed = list(values)
    return [listed[start : start + 1000] for start in range(0, len(listed), 1000)]
