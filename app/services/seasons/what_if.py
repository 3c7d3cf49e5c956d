"""A season's table as another regulation would have it, computed from the facts; nothing is changed or stored."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from itertools import islice
from typing import Final, NamedTuple, cast

from app.repositories.database import Transaction
from app.repositories.games import game_facts
from app.repositories.seasons import rule_change
from app.scoring.breakdown import Breakdown
from app.scoring.exact_json import loads
from app.scoring.game import Game
from app.scoring.ranking import Standings
from app.scoring.rule_system import RuleSystem
from app.scoring.tally import Tallies
from app.scoring.terms import Format
from app.scoring.violation import RuleViolations
from app.services.errors import RefusedGame
from app.services.seasons.rule_change import Refusals
from app.services.standings.moves import moves_from, ranks_of
from app.services.standings.standings import Table, TablePlayer, ranked_under, visible_rows
from app.services.standings.table_query import TableQuery

_AT_ONCE: Final = 500
"""Games whose facts are in memory together."""


class WhatIf(NamedTuple):
    """A table under a system that the season does not follow, beside the one that it has."""

    table: Table
    followed: RuleSystem
    """What the season follows."""
    present: Standings
    """Its own table, in its system's own order."""
    waiting_games: int
    """How many of the counted games would need approvals, which are treated as given."""
    refused: Sequence[RefusedGame]
    """The first games that the system forbids; they are in no sum."""
    refused_games: int
    previous: Mapping[int, int | None]
    """Former places under the other system, by row number, as of the day that they have in the season's own table."""

    @property
    def places(self) -> Mapping[str, int | None]:
        """Each player's place in the season's own table, by public id: a frozen table keeps old nicknames."""
        return {cast(TablePlayer, row.player).public_id: row.rank for row in self.present.rows}

    def absent(self, query: TableQuery) -> list[tuple[TablePlayer, int | None]]:
        """Who has a place in the season's own table and no row in this one, because all his games are refused."""
        here = {cast(TablePlayer, row.player).public_id for row in self.table.standings.rows}
        own = visible_rows(self.table._replace(standings=self.present), query)
        return [(who, row.rank) for who, row in own if who.public_id not in here]


def under(tx: Transaction, table: Table, query: TableQuery, system: RuleSystem) -> WhatIf:
    """The table of the very games that ``table``, the season's own, counts, as ``system`` scores them.

    Of one stage, if ``query`` asks for one, ``table`` is that stage's: no lots, no awards.

    Raises:
        InvalidInput: the system knows no such order.
    """
    season = table.state.season
    since = moves_from(tx, table, query)
    tallies, earlier = Tallies(), Tallies()
    refusals = Refusals()
    waiting = 0
    for day, breakdown, player_ids in _scored(tx, table, query, system, refusals):
        breakdown.add_to(tallies, player_ids)
        if since is not None and day <= since:
            breakdown.add_to(earlier, player_ids)
        waiting += bool(breakdown.approvals)
    of_all = query.stage is None
    standings = ranked_under(tx, system, season, table.revision, tallies, query.order, with_lots=of_all)
    if not of_all:
        ties = tuple(tie._replace(lot=None) for tie in standings.ties)
        standings = standings._replace(ties=ties, awards=())
    former = ranked_under(tx, system, season, table.revision, earlier, query.order, with_lots=of_all)
    return WhatIf(
        table=table._replace(system=system, standings=standings),
        followed=table.system,
        present=table.standings,
        waiting_games=waiting,
        refused=refusals.named,
        refused_games=refusals.games,
        previous=ranks_of(former),
    )


def _scored(
    tx: Transaction, table: Table, query: TableQuery, system: RuleSystem, refusals: Refusals
) -> Iterator[tuple[date, Breakdown, list[int]]]:
    season = table.state.season
    seated = rule_change.seated(tx, season.id, revision=table.revision, as_of=query.as_of, hidden=table.hidden)
    numbers = iter(seated)
    while batch := list(islice(numbers, _AT_ONCE)):
        for number, facts in game_facts.at(tx, batch, table.revision).items():
            game = Game.stored(loads(facts.facts))
            if query.stage not in (None, game.stage):
                continue
            try:
                breakdown = system.examine(game, cast(Format, season.format))
            except RuleViolations as error:
                refusals.add(facts.public_id, game.external_id, error.violations)
                continue
            who = dict(seated[number])
            yield cast(date, game.played_on), breakdown, [who[seat.seat] for seat in game.seats]
