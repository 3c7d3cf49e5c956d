"""Many rows at once, past SQLAlchemy: executemany on SQLite, COPY on PostgreSQL (docs/decisions/0004-storage.md)."""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import islice
from typing import Any, Final

import psycopg
from psycopg import sql
from sqlalchemy import Dialect, Table

from app.repositories.database.connection import Transaction

Columns = tuple[str, ...]

_AT_ONCE: Final = 100
"""Rows made before they are converted: few enough to take little memory."""


def insert_rows(
    tx: Transaction, table: Table, columns: Columns, rows: Iterable[Sequence[Any]], *, raw: bool = False
) -> None:
    """Insert rows with values in the order of ``columns``; the driver accepts ``raw`` ones as they are."""
    converted = rows if raw else _converted(table, columns, tx.dialect, rows)
    connection = tx.connection.driver_connection
    if isinstance(connection, sqlite3.Connection):
        connection.executemany(_insertion(table, columns), converted)
    elif isinstance(connection, psycopg.Connection):
        with connection.cursor() as cursor, cursor.copy(_copying(table, columns)) as copy:
            for row in converted:
                copy.write_row(row)
    else:
        raise TypeError(type(connection).__name__)


def _converted(
    table: Table, columns: Columns, dialect: Dialect, rows: Iterable[Sequence[Any]]
) -> Iterable[Sequence[Any]]:
    converters = _converters(table, columns, dialect)
    return _each_converted(iter(rows), converters) if converters else rows


def _each_converted(
    rows: Iterator[Sequence[Any]], converters: list[tuple[int, Callable[[Any], Any]]]
) -> Iterator[list[Any]]:
    while batch := [list(row) for row in islice(rows, _AT_ONCE)]:
        for row in batch:
            for index, convert in converters:
                row[index] = convert(row[index])
            yield row


@cache
def _converters(table: Table, columns: Columns, dialect: Dialect) -> list[tuple[int, Callable[[Any], Any]]]:
    """Return converters for row values that the driver does not accept directly."""
    found: list[tuple[int, Callable[[Any], Any]]] = []
    for index, name in enumerate(columns):
        convert = table.c[name].type.dialect_impl(dialect).bind_processor(dialect)
        if convert is not None:
            found.append((index, convert))
    return found


@cache
def _insertion(table: Table, columns: Columns) -> str:
    return f"INSERT INTO {table.name} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"  # noqa: S608


@cache
def _copying(table: Table, columns: Columns) -> sql.Composed:
    names = sql.SQL(", ").join(map(sql.Identifier, columns))
    return sql.SQL("COPY {} ({}) FROM STDIN").format(sql.Identifier(table.name), names)
