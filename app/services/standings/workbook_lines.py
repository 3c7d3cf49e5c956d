"""What a table is made of, for its workbook: the table of each stage, and every line of every player."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import groupby, islice
from typing import Final, NamedTuple, get_args

from app.repositories.database import Transaction
from app.repositories.games import game_facts, ledger
from app.scoring import ranking
from app.scoring.breakdown import ScoredLine
from app.scoring.exact_json import loads
from app.scoring.game import Game
from app.scoring.points import decimal_of, rounded
from app.scoring.systems import find_system
from app.scoring.terms import Stage
from app.services.standings.cache.tallies import tallies_by_stage
from app.services.standings.standings import Table, TablePlayer, named_as_in, reasoned, visible_rows
from app.services.standings.table_query import TableQuery

_GAMES_AT_ONCE: Final = 500
_DECIMALS: Final = 12
"""Of what a season gave; everything else is exact."""


class TableLine(NamedTuple):
    """One line of one player; ``game`` and ``entry`` are None where the season gave it."""

    who: TablePlayer
    clause: str
    code: str
    category: str
    points: Decimal
    reason: str
    game: str | None = None
    """Its external id, else its public one."""
    entry: ledger.OpenEntry | None = None


def stage_tables(tx: Transaction, table: Table, query: TableQuery) -> list[tuple[Stage, ranking.Standings]]:
    """The table that the games of each stage would make alone; none in a season, which has no stages."""
    if table.standings.format != "tournament":
        return []
    season = table.state.season
    by_stage = tallies_by_stage(tx, season.id, revision=table.revision, as_of=query.as_of, hidden=table.hidden)
    return [
        (stage, table.system.rank(named_as_in(table, by_stage[stage]), table.standings.format, query.order))
        for stage in get_args(Stage)
        if stage in by_stage
    ]


def stage_table(tx: Transaction, table: Table, query: TableQuery) -> Table:
    """The table that the games of the stage asked for make alone: without lots and awards, the names as in ``table``.

    Without a stage it is ``table`` itself.
    """
    if query.stage is None:
        return table
    of_stage = dict(stage_tables(tx, table, query)).get(query.stage)
    standings = table.standings._replace(games=0, rows=()) if of_stage is None else of_stage
    ties = tuple(tie._replace(lot=None) for tie in standings.ties) if of_stage else ()
    return table._replace(standings=standings._replace(ties=ties, awards=()))


def lines(tx: Transaction, table: Table, query: TableQuery, language: str) -> Iterator[TableLine]:
    """Every line of every player who is shown: of games in the order played, then of the season.

    A player's lines add up to his row. Memory: some hundred games.
    """
    whos = {who.id: who for who, _ in visible_rows(table, query)}
    entries = ledger.in_force(
        tx, table.state.season.id, revision=table.revision, as_of=query.as_of, hidden=table.hidden
    )
    games = (list(seats) for _, seats in groupby(entries, key=lambda entry: entry.game_id))
    while batch := list(islice(games, _GAMES_AT_ONCE)):
        facts = game_facts.at(tx, [seats[0].game_id for seats in batch], table.revision)
        for seats in batch:
            yield from _of_game(facts[seats[0].game_id], seats, whos, language)
    for who, row in visible_rows(table, query):
        for clause, line in row.season_lines:
            points = rounded(line.points, _DECIMALS)
            yield TableLine(who, clause, line.code, line.category, points, line.reason.say(language, *line.args))


def _of_game(
    facts: game_facts.Facts, seats: Sequence[ledger.OpenEntry], whos: Mapping[int, TablePlayer], language: str
) -> Iterator[TableLine]:
    game = Game.stored(loads(facts.facts))
    scored = {
        seat.seat.seat: seat.lines for seat in find_system(facts.rule_system, facts.rule_version).score(game).seats
    }
    name = game.external_id or facts.public_id
    for entry in seats:
        who = whos.get(entry.seat.player_id)
        if who is None or not entry.seat.registered:
            continue
        given: list[ScoredLine] = list(scored[entry.number])
        for line in entry.lines:
            _, reason, args = reasoned(line, given)
            words = "" if reason is None else reason.say(language, *args)
            points = decimal_of(line.points)
            yield TableLine(who, line.clause, line.code, line.category, points, words, name, entry)
