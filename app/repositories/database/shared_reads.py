"""Rows that many requests look at, read for all of them by one SELECT: on PostgreSQL a round trip costs more than it.

Whoever asks while a SELECT runs waits for the next one, and never gets what was read before it asked: so nobody misses
what it wrote itself, or what anyone told it.
"""

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import psycopg
from sqlalchemy import ARRAY, Column, ColumnElement, Select, any_, bindparam
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg

from app.repositories.database.errors import Unavailable
from app.repositories.database.patience import SILENT_SECONDS, Servers

Row: TypeAlias = tuple[Any, ...]

_FAILED_SECONDS: Final = 0.5
"""So long after a failure nobody tries again: who is refused asks others ways, or later."""

_DIALECT: Final = PGDialect_psycopg()  # type: ignore[no-untyped-call]


class SharedQuery:
    """A SELECT of rows by one of their columns, for as many values at once as there are to ask for.

    Args:
        statement: what is selected of a row.
        key: the column, which is different in each row.
    """

    def __init__(self, statement: Select[Any], key: Column[Any]) -> None:
        asked: ColumnElement[Any] = bindparam("asked", type_=ARRAY(key.type))
        selected = statement.add_columns(key).where(key == any_(asked))
        self.sql: Final = str(selected.compile(dialect=_DIALECT))
        self._converters = [_converter(column) for column in statement.selected_columns]

    def rows(self, found: Sequence[Row]) -> dict[Hashable, Row]:
        """What the driver found, as the repository's rows are, by key."""
        return {
            row[-1]: tuple(
                value if convert is None else convert(value)
                for convert, value in zip(self._converters, row[:-1], strict=True)
            )
            for row in found
        }


def _converter(column: ColumnElement[Any]) -> Callable[[Any], Any] | None:
    return column.type.dialect_impl(_DIALECT).result_processor(_DIALECT, None)


class _Round(NamedTuple):
    """One SELECT of each query that somebody asked for, and what came of it."""

    asked: defaultdict[SharedQuery, set[Hashable]]
    found: dict[SharedQuery, dict[Hashable, Row]]
    failed: list[Exception]
    done: asyncio.Event


class SharedReads:
    """Reads of one process, on a connection of their own; used by one event loop."""

    def __init__(self, servers: Servers) -> None:
        self._servers = servers
        self._next: _Round | None = None
        self._running: asyncio.Task[None] | None = None
        self._connection: psycopg.AsyncConnection[Any] | None = None
        self._failed_at = -_FAILED_SECONDS

    async def row(self, query: SharedQuery, key: Hashable) -> Row | None:
        """The row with this key, by a SELECT that begins after this was called; None: there is none.

        Raises:
            Unavailable: the database cannot be asked.
        """
        if time.monotonic() - self._failed_at < _FAILED_SECONDS:
            raise Unavailable("the database could not be asked just now")
        if self._next is None:
            self._next = _Round(defaultdict(set), {}, [], asyncio.Event())
        joined = self._next
        joined.asked[query].add(key)
        if self._running is None:
            self._running = asyncio.ensure_future(self._run())
        await joined.done.wait()
        if joined.failed:
            raise Unavailable(type(joined.failed[0]).__name__) from joined.failed[0]
        return joined.found[query].get(key)

    def close(self) -> None:
        """Let go of the connection; the next read makes another."""
        if self._connection is not None:
            self._connection.pgconn.finish()
            self._connection = None

    async def _run(self) -> None:
        try:
            while self._next is not None:
                current, self._next = self._next, None
                try:
                    async with asyncio.timeout(SILENT_SECONDS):
                        await self._read(current)
                except Exception as error:  # whoever waits is told
                    current.failed.append(error)
                    self._failed_at = time.monotonic()
                    self.close()
                finally:
                    current.done.set()
        finally:
            self._running = None

    async def _read(self, current: _Round) -> None:
        was_open = self._connection is not None
        try:
            await self._select(current)
        except psycopg.Error:
            self.close()
            if not was_open:
                raise
            await self._select(current)  # a connection that lay idle may have been lost long ago

    async def _select(self, current: _Round) -> None:
        if self._connection is None:
            self._connection = await self._connect()
        cursor = self._connection.cursor()
        for query, keys in current.asked.items():
            await cursor.execute(query.sql, {"asked": list(keys)})
            current.found[query] = query.rows(await cursor.fetchall())

    async def _connect(self) -> psycopg.AsyncConnection[Any]:
        refused: list[psycopg.OperationalError] = []
        for told in self._servers.in_turn():
            try:
                made = await psycopg.AsyncConnection.connect(**told, autocommit=True, prepare_threshold=None)
            except psycopg.OperationalError as error:
                refused.append(error)
            else:
                self._servers.note_reached(told)
                return made
        raise refused[0]
