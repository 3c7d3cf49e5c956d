"""A player's place and values after each day of a season (docs/api.md#standings)."""

from collections.abc import Sequence
from datetime import date
from itertools import groupby
from typing import NamedTuple

from app.repositories.database import Transaction
from app.repositories.games import ledger
from app.scoring import ranking
from app.scoring.tally import Tallies
from app.services.standings.cache.tallies import add_entry
from app.services.standings.standings import Table, TablePlayer, find_row, ranked, visible_rows
from app.services.standings.table_query import TableQuery


class DayReached(NamedTuple):
    """The player's row after a day on which somebody played."""

    day: date
    games: int
    """How many the player played that day."""
    row: ranking.Row


class Progress(NamedTuple):
    """A player's way through a table."""

    who: TablePlayer
    days: Sequence[DayReached]


def progress_of(tx: Transaction, table: Table, query: TableQuery, public_id: str) -> Progress:
    """The player's row as of each day with counted games, as soon as it is in the table.

    Raises:
        NotFound: the requested table has no such row.
    """
    season = table.state.season
    who, _ = find_row(tx, table, query, public_id)
    entries = ledger.in_force(tx, season.id, revision=table.revision, as_of=query.as_of, hidden=table.hidden)
    tallies, days = Tallies(), []
    for day, of_day in groupby(entries, key=lambda entry: entry.played_on):
        mine = 0
        for entry in of_day:
            add_entry(tallies, entry.seat, entry.lines, entry.times)
            mine += entry.seat.player_id == who.id and entry.seat.registered
        if who.id not in tallies.players:
            continue
        then = table._replace(standings=ranked(tx, season, table.revision, tallies, table.standings.order))
        days += [DayReached(day, mine, row) for other, row in visible_rows(then, query) if other.id == who.id]
    return Progress(who, days)
