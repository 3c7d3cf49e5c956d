"""Where the players of a table stood before its last day, or as of another one."""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import cast

from app.repositories.database import Transaction
from app.repositories.games import days
from app.scoring.ranking import Standings
from app.scoring.tally import Tallies
from app.services.standings.cache.tallies import tallies_at, tallies_by_stage, without
from app.services.standings.standings import Table, TablePlayer, named_as_in, ranked_under
from app.services.standings.table_query import TableQuery


def previous_ranks(tx: Transaction, table: Table, query: TableQuery) -> Mapping[int, int | None]:
    """The place of each player, by row number, in the same table as of ``query.moves_since``; of nobody else.

    Without that day: before the last day that has a counted game of the table.
    """
    since = moves_from(tx, table, query)
    tallies = None if since is None else _tallies(tx, table, query, since)
    if tallies is None or not tallies.games:
        return {}
    order, season = table.standings.order, table.state.season
    if query.stage is None:
        earlier = ranked_under(tx, table.system, season, table.revision, tallies, order)
    else:
        earlier = table.system.rank(named_as_in(table, tallies), table.standings.format, order)
    return ranks_of(earlier)


def ranks_of(standings: Standings) -> Mapping[int, int | None]:
    """The place of each player, by row number."""
    return {cast(TablePlayer, row.player).id: row.rank for row in standings.rows}


def moves_from(tx: Transaction, table: Table, query: TableQuery) -> date | None:
    """As of which day places are former ones; None: there is no game."""
    if query.moves_since is not None:
        return query.moves_since
    season_id = table.state.season.id
    if query.revision is None:
        last = days.last(tx, season_id, as_of=query.as_of, hidden=table.hidden, stage=query.stage)
    else:
        last = days.last_at(tx, season_id, table.revision, as_of=query.as_of, hidden=table.hidden, stage=query.stage)
    return None if last is None or last == date.min else last - timedelta(days=1)


def _tallies(tx: Transaction, table: Table, query: TableQuery, since: date) -> Tallies | None:
    """Of the games up to a day. Few are later, so those of a table as it stands are taken back instead of all added."""
    season_id = table.state.season.id
    if query.stage is None and query.revision is None and table.tallies is not None:
        later = days.entered_after(tx, season_id, since, as_of=query.as_of, hidden=table.hidden)
        return without(table.tallies, later)
    as_of = since if query.as_of is None else min(since, query.as_of)
    if query.stage is None:
        return tallies_at(tx, season_id, revision=table.revision, as_of=as_of, hidden=table.hidden)
    by_stage = tallies_by_stage(tx, season_id, revision=table.revision, as_of=as_of, hidden=table.hidden)
    return by_stage.get(query.stage)
