"""Statistics of a season that a table is of, for whoever sees the table."""

from collections.abc import Mapping
from typing import NamedTuple

from app.repositories.clubs import players
from app.repositories.database import Transaction
from app.services.standings import game_statistics
from app.services.standings.game_statistics import PlayerStatistics, SeasonStatistics
from app.services.standings.standings import Table, TablePlayer, find_row
from app.services.standings.table_query import TableQuery


class OfPlayer(NamedTuple):
    """A player's statistics, and who the others in them are, by row number."""

    who: TablePlayer
    statistics: PlayerStatistics
    others: Mapping[int, TablePlayer]


def of_player(tx: Transaction, table: Table, query: TableQuery, public_id: str) -> OfPlayer:
    """Statistics of a player whose row the query shows; a merged player's id finds the survivor.

    Raises:
        NotFound: the table has no such row.
    """
    who, _ = find_row(tx, table, query, public_id)
    records = game_statistics.records_of(
        tx, table.state.season.id, [who.id], revision=table.revision, hidden=table.hidden
    )
    found = game_statistics.statistics_of(records)
    met = players.by_ids(tx, {one.player for one in (*found.together, *found.against)})
    others = {number: TablePlayer(number, player.public_id, player.nickname) for number, player in met.items()}
    return OfPlayer(who, found, others)


def of_season(tx: Transaction, table: Table) -> SeasonStatistics:
    """Statistics of all counted games of the season that the table is made of."""
    return game_statistics.of_season(tx, table.state.season.id, revision=table.revision, hidden=table.hidden)
