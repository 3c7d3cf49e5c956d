"""A season as rows: whatever any table has of it, to be moved into another database.

Row numbers are only good within one database: who puts rows into another gives them other numbers
(:data:`REFERENCES`). Left out is what opens something, and what other rows give.
"""

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import psycopg
from sqlalchemy import Select, Table, func, inspect, null, select, type_coerce, union
from sqlalchemy.types import NullType

from app.repositories.database import Transaction, batches, new_row
from app.repositories.database.bulk import insert_rows
from app.repositories.database.errors import NotUnique, translated
from app.repositories.tables import (
    APPROVALS,
    CHANGES,
    CLUBS,
    CUP_ENTRIES,
    FORMER_APPROVALS,
    FROZEN_SEASONS,
    GAME_VERSIONS,
    GAMES,
    KEYS,
    LEDGER,
    LOTS,
    NICKNAMES,
    PLAYERS,
    SEASON_RULES,
    SEASONS,
    SEATS,
    WITHDRAWN_LOTS,
    metadata,
)

_TABLES: Final = (
    CLUBS, KEYS, PLAYERS, NICKNAMES, SEASONS, SEASON_RULES, FROZEN_SEASONS, GAMES, GAME_VERSIONS, SEATS, APPROVALS,
    FORMER_APPROVALS, LEDGER, LOTS, WITHDRAWN_LOTS, CUP_ENTRIES, CHANGES,
)  # fmt: skip
"""In an order in which rows refer to rows of tables before theirs, or of their own."""

REFERENCES: Final = {
    "club_id": "clubs",
    "key_id": "keys",
    "created_by": "keys",
    "decided_by": "keys",
    "withdrawn_by": "keys",
    "player_id": "players",
    "merged_into": "players",
    "season_id": "seasons",
    "game_id": "games",
}
"""Columns, whatever their table, that hold the row number of a row, and of which table."""

_LEFT_OUT: Final = {
    KEYS: frozenset({"prefix", "secret_hash", "last_used_at"}),
    SEASONS: frozenset({"awards_from", "change_token", "traits_at"}),
}
_AT_ONCE: Final = 5000
_FACTS_AT_ONCE: Final = 500
"""Of what is a kilobyte or two each, and may be two hundred."""


class InconsistentRows(Exception):
    """Rows that do not belong together: one refers to none, lacks a value, or is there twice."""


class TableRows(NamedTuple):
    """What is moved of one table."""

    name: str
    columns: tuple[str, ...]

    @property
    def table(self) -> Table:
        """The table itself."""
        return metadata.tables[self.name]


SUMS: Final = TableRows("kept_sums", ("season_id", "revision", "sums"))
"""What no archive has, for it follows from the ledger, and no season need be without that was worked out aside."""


def parts(tx: Transaction) -> list[TableRows]:
    """What is moved of each table that the database has, in an order in which rows refer to earlier ones.

    A database at an older version has fewer tables and columns.
    """
    there = inspect(tx)
    present = set(there.get_table_names())
    found = []
    for table in _TABLES:
        if table.name in present:
            columns = {column["name"] for column in there.get_columns(table.name)} - _LEFT_OUT.get(table, frozenset())
            found.append(
                TableRows(str(table.name), tuple(str(column.key) for column in table.c if column.key in columns))
            )
    return found


def rows(tx: Transaction, season_id: int, part: TableRows, *, raw: bool = False) -> Iterator[Sequence[Any]]:
    """The season's rows of a table, by primary key; but players who were merged come after all others.

    ``raw``: their values as the database holds them. Those of SQLite either database takes.
    """
    at_once = _FACTS_AT_ONCE if part.table is GAME_VERSIONS else _AT_ONCE
    for statement in _statements(tx, season_id, part, raw=raw):
        yield from tx.execute(statement.execution_options(yield_per=at_once))


def count(tx: Transaction, season_id: int, part: TableRows) -> int:
    """How many rows :func:`rows` gives."""
    counts = [select(func.count()).select_from(one.subquery()) for one in _statements(tx, season_id, part)]
    return sum(tx.execute(one).scalar_one() for one in counts)


def put(tx: Transaction, part: TableRows, rows: Iterable[Sequence[Any]], *, raw: bool = False) -> None:
    """Insert rows of a part, ``raw`` ones as :func:`rows` gave them.

    Keys open nothing: they are there to have been somebody's.

    Raises:
        InconsistentRows: the rows cannot be stored together, or with those that are there.
    """
    columns = part.columns
    if part.table is KEYS:
        place = columns.index("public_id")
        columns = (*columns, *_stub(""))
        rows = ((*row, *_stub(row[place]).values()) for row in rows)
    try:
        with translated():
            insert_rows(tx, part.table, columns, rows, raw=raw)
    except (NotUnique, sqlite3.IntegrityError, psycopg.IntegrityError) as error:
        raise InconsistentRows(part.name) from error


def add(tx: Transaction, part: TableRows, row: Mapping[str, Any]) -> int:
    """Insert one row under a new number; the number.

    Raises:
        NotUnique: it is there already.
    """
    values = {name: value for name, value in row.items() if name != "id"}
    if part.table is KEYS:
        values |= _stub(row["public_id"])
    with translated():
        return new_row(tx, part.table, values)


def holders(tx: Transaction, name: str, public_ids: Collection[str]) -> dict[str, tuple[int, int | None]]:
    """Which public ids of keys, players or games are taken in any club, by row number and that of the club.

    A game's club is not given.
    """
    table = metadata.tables[name]
    club = null() if table is GAMES else table.c.club_id
    found = {}
    for batch in batches(public_ids):
        for public_id, number, of in tx.execute(
            select(table.c.public_id, table.c.id, club).where(table.c.public_id.in_(batch))
        ):
            found[public_id] = (number, of)
    return found


def _stub(public_id: str) -> dict[str, str]:
    """What a key that opens nothing has for a secret: nothing has this hash."""
    return {"prefix": public_id, "secret_hash": ""}


def _statements(tx: Transaction, season_id: int, part: TableRows, *, raw: bool = False) -> list[Select[Any]]:
    """What gives the season's rows of a table, one after the other."""
    table = part.table
    columns = [table.c[name] for name in part.columns]
    chosen = select(*(type_coerce(column, NullType()) if raw else column for column in columns))
    chosen = chosen.order_by(*table.primary_key.columns)
    if table is PLAYERS:
        return [chosen.where(table.c.id.in_(batch)) for batch in _merged_last(tx, _players(tx, season_id))]
    if table is NICKNAMES:
        return [chosen.where(table.c.player_id.in_(batch)) for batch in batches(_players(tx, season_id))]
    if table is KEYS:
        return [chosen.where(table.c.id.in_(batch)) for batch in batches(_keys(tx, season_id))]
    return [_of_season(chosen, table, season_id)]


def _of_season(chosen: Select[Any], table: Table, season_id: int) -> Select[Any]:
    if table is SEASONS:
        return chosen.where(SEASONS.c.id == season_id)
    if table is CLUBS:
        return chosen.join(SEASONS, SEASONS.c.club_id == CLUBS.c.id).where(SEASONS.c.id == season_id)
    if "season_id" in table.c:
        return chosen.where(table.c.season_id == season_id)
    return chosen.join(GAMES, GAMES.c.id == table.c.game_id).where(GAMES.c.season_id == season_id)


def _players(tx: Transaction, season_id: int) -> list[int]:
    """Who ever sat, or stands in for one who did."""
    found = set(
        tx.execute(
            union(
                select(SEATS.c.player_id).join(GAMES).where(GAMES.c.season_id == season_id),
                select(LEDGER.c.player_id).where(LEDGER.c.season_id == season_id),
                select(CUP_ENTRIES.c.player_id).where(CUP_ENTRIES.c.season_id == season_id),
            )
        ).scalars()
    )
    written = select(GAME_VERSIONS.c.seated).join(GAMES).where(GAMES.c.season_id == season_id)
    for seated in tx.execute(written.execution_options(yield_per=_AT_ONCE)).scalars():
        found.update(player for _, player, _ in json.loads(seated))
    survivors = set[int | None]()
    for batch in batches(found):
        survivors.update(tx.execute(select(PLAYERS.c.merged_into).where(PLAYERS.c.id.in_(batch))).scalars())
    return sorted(found | {player for player in survivors if player is not None})


def _merged_last(tx: Transaction, players: Collection[int]) -> list[Sequence[int]]:
    """The players some at a time, those who were merged after all others."""
    merged = set[int]()
    for batch in batches(players):
        gone = select(PLAYERS.c.id).where(PLAYERS.c.id.in_(batch), PLAYERS.c.merged_into.is_not(None))
        merged.update(tx.execute(gone).scalars())
    return [*batches(sorted(set(players) - merged)), *batches(sorted(merged))]


def _keys(tx: Transaction, season_id: int) -> list[int]:
    """Who ever wrote something of the season."""
    of_games = (
        select(column).join(GAMES, GAMES.c.id == column.table.c.game_id).where(GAMES.c.season_id == season_id)
        for column in (GAME_VERSIONS.c.key_id, APPROVALS.c.decided_by, FORMER_APPROVALS.c.decided_by)
    )
    of_season = (
        select(column).where(column.table.c.season_id == season_id)
        for column in (
            GAMES.c.created_by,
            LOTS.c.key_id,
            WITHDRAWN_LOTS.c.key_id,
            WITHDRAWN_LOTS.c.withdrawn_by,
            CUP_ENTRIES.c.key_id,
            CHANGES.c.key_id,
        )
    )
    found: set[int | None] = set(tx.execute(union(*of_games, *of_season)).scalars())
    return sorted(key for key in found if key is not None)
