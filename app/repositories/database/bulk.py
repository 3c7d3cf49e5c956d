"""Many rows at once, past SQLAlchemy: executemany on SQLite, COPY on PostgreSQL (docs/decisions/0004-storage.md)."""

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

import psycopg
from psycopg import sql
from sqlalchemy import Dialect, Table

from app.repositories.database.connection import Transaction

Columns = tuple[str, ...]


def insert_rows(
    tx: Transaction, table: Table, columns: Columns, rows: Iterable[Sequence[Any]], *, raw: bool = False
) -> None:
    """Insert rows whose values stand in the order of ``columns``; ``raw`` ones the driver takes as they are."""
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
    if not converters:
        return rows
    return (_one_converted(list(row), converters) for row in rows)


def _one_converted(row: list[Any], converters: list[tuple[int, Callable[[Any], Any]]]) -> list[Any]:
    for index, convert in converters:
        row[index] = convert(row[index])
    return row


@cache
def _converters(table: Table, columns: Columns, dialect: Dialect) -> list[tuple[int, Callable[[Any], Any]]]:
    """Which values of a row the driver does not take as they are, and what makes them so."""
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
