"""A season's table: as it is, as it was at a revision, as of a day; and each line of a player's row."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Final, NamedTuple, cast

from app.repositories.clubs import players
from app.repositories.clubs.players import Player
from app.repositories.database import Database, Transaction
from app.repositories.games import game_facts, ledger
from app.repositories.games.hidden_games import HiddenGames
from app.repositories.seasons import season_states, seasons
from app.repositories.seasons.season_states import SeasonState
from app.repositories.seasons.seasons import Season
from app.repositories.standings import lots
from app.scoring import ranking
from app.scoring.exact_json import loads
from app.scoring.explanation import ExplainedColumn
from app.scoring.game import Game
from app.scoring.nickname import folded
from app.scoring.rule_system import RuleSystem
from app.scoring.rules.kind import Line
from app.scoring.systems import find_system
from app.scoring.tally import Tallies
from app.scoring.terms import Format
from app.scoring.text import Text, words
from app.scoring.violation import Violation
from app.services.access import Caller, hidden_from, may_read
from app.services.errors import Forbidden, NotFound, Unauthorized
from app.services.standings import frozen_tables
from app.services.standings.cache.tallies import TalliesCache, rekeyed, tallies_at
from app.services.standings.table_query import TableQuery
from app.validation import InvalidInput

_NO_SEASON: Final = words("Нет такого сезона.", "Season not found.")
_NO_ROW: Final = words("В этой таблице нет такого игрока.", "The player is not in this table.")
_UNPUBLISHED: Final = words(
    "Неопубликованные строки показываются только с ключом клуба.", "Unpublished rows require a key of the club."
)
_ORDER: Final = words("так таблица не сортируется; можно по столбцам: {}", "unknown order; expected one of: {}")
_NO_STAGES: Final = words("стадии есть только у турниров", "only tournaments have stages")
_REVISION: Final = words("такой ревизии ещё нет; последняя — {}", "the latest revision is {}")


class TablePlayer(NamedTuple):
    """A player of a table; identified by row number, listed by nickname where nothing else orders."""

    id: int
    public_id: str
    nickname: str

    def __str__(self) -> str:
        return folded(self.nickname)


class Table(NamedTuple):
    """A table and what it is the table of; its players are :class:`TablePlayer`."""

    state: SeasonState
    revision: int
    """The requested one."""
    system: RuleSystem
    standings: ranking.Standings
    tallies: Tallies | None = None
    """What it was made from, by row number; None: it was frozen."""
    hidden: HiddenGames | None = None
    """What it is without, as is everything that is shown with it."""


class PlayedGame(NamedTuple):
    """One game of a player's row."""

    game: str
    """Its public id."""
    facts: Game
    best_move_hits: int | None
    """How many blacks the player named, killed first; None: no best move."""
    entry: ledger.OpenEntry
    lines: Sequence[tuple[ledger.Line, Text | None, tuple[object, ...]]]
    """Each with its reason and what fills the reason's places."""


class PlayerRow(NamedTuple):
    """A player's row and every line of every game that made it; what the season gave beside them is in the row."""

    who: TablePlayer
    row: ranking.Row
    games: Sequence[PlayedGame]
    columns: Sequence[ExplainedColumn]
    """How each value of the row follows from the games."""


def demand_readable(caller: Caller, state: SeasonState | None, query: TableQuery) -> tuple[SeasonState, TableQuery]:
    """The season with this state, if it has the requested table and the caller may read it, and what of it is asked
    for: without the games that are hidden from the caller.

    Raises:
        NotFound: there is none, or it is not public and the caller not of its club.
        Unauthorized: unpublished rows without a key.
        Forbidden: unpublished rows with the key of somebody else.
        InvalidInput: the revision is yet to come, or it is no tournament that has stages.
    """
    if state is None or not may_read(caller, state.season):
        raise NotFound(_NO_SEASON)
    if query.unpublished and caller.role == "anonymous":
        raise Unauthorized
    if query.unpublished and not caller.is_of(state.season.club_id):
        raise Forbidden(_UNPUBLISHED)
    latest = state.season.revision
    if query.revision is not None and query.revision > latest:
        violation = Violation("too_large", "?revision", _REVISION, (latest,), limit=latest, actual=query.revision)
        raise InvalidInput([violation])
    if query.stage is not None and state.season.format != "tournament":
        raise InvalidInput([Violation("value", "?stage", _NO_STAGES, actual=query.stage)])
    hidden = hidden_from(caller, state.season)
    return state, query if hidden is None else query._replace(hidden=hidden)


@contextmanager
def open_table(
    database: Database, cache: TalliesCache, season_id: int, query: TableQuery
) -> Iterator[tuple[Transaction, Table]]:
    """A table of the season, and the one state of the database that it was read in.

    Raises:
        NotFound: the season was deleted since it was looked up.
        InvalidInput: the table has no such column.
        Unavailable: the database is gone or crowded out.
    """
    with ExitStack() as until_read:
        if query.as_of is None and query.revision is None:
            # The tallies first: a transaction that begins now sees no older revision than they have.
            with cache.of(season_id, query.hidden) as summed:
                tx = until_read.enter_context(database.read())
                state = _state(tx, season_id)
                table = _frozen(tx, state, query)
                if table is None:
                    summed.catch_up(tx, state)
                    table = _table(tx, state, state.season.revision, summed.tallies, query)
        else:
            tx = until_read.enter_context(database.read())
            state = _state(tx, season_id)
            table = _frozen(tx, state, query)
            if table is None:
                revision = state.season.revision if query.revision is None else query.revision
                tallies = tallies_at(tx, season_id, revision=revision, as_of=query.as_of, hidden=query.hidden)
                table = _table(tx, state, revision, tallies, query)
        yield tx, table


def visible_rows(table: Table, query: TableQuery) -> list[tuple[TablePlayer, ranking.Row]]:
    """The rows that the query shows, the best first, with their players."""
    return [(cast(TablePlayer, row.player), row) for row in table.standings.rows if row.published or query.unpublished]


def find_row(tx: Transaction, table: Table, query: TableQuery, public_id: str) -> tuple[TablePlayer, ranking.Row]:
    """A player and the row; a merged player's id finds the survivor.

    Raises:
        NotFound: the requested table has no such row.
    """
    rows = {who.public_id: (who, row) for who, row in visible_rows(table, query)}
    found = rows.get(public_id)
    if found is None and public_id.isprintable():  # no id holds a NUL, and PostgreSQL would not take it
        survivor = players.meant(tx, table.state.season.club_id, [public_id]).get(public_id)
        found = None if survivor is None else rows.get(survivor.public_id)
    if found is None:
        raise NotFound(_NO_ROW)
    return found


def player_row(tx: Transaction, table: Table, query: TableQuery, public_id: str) -> PlayerRow:
    """A player's row and the games and season lines that add up to it; a merged player's id finds the survivor.

    Raises:
        NotFound: the requested table has no such row.
    """
    season = table.state.season
    who, row = find_row(tx, table, query, public_id)
    entries = ledger.of_player(tx, season.id, who.id, revision=table.revision, as_of=query.as_of, hidden=table.hidden)
    rated = [entry for entry in entries if entry.seat.registered]
    facts = game_facts.at(tx, [entry.game_id for entry in rated], table.revision)
    tallies = tallies_at(tx, season.id, revision=table.revision) if table.tallies is None else table.tallies
    columns = table.system.explain(tallies, cast(Format, season.format), who.id)
    return PlayerRow(who, row, [_played(entry, facts[entry.game_id]) for entry in rated], columns)


def rules_at(tx: Transaction, season: Season, revision: int) -> RuleSystem:
    """The system that the season followed at a revision."""
    return find_system(*seasons.rules_at(tx, season.id, revision))


def ranked(
    tx: Transaction, season: Season, revision: int, tallies: Tallies, order: str | None = None
) -> ranking.Standings:
    """The table that ``tallies``, by row number, make under the rules and with the lots of a revision.

    Raises:
        InvalidInput: the table has no such column.
    """
    return ranked_under(tx, rules_at(tx, season, revision), season, revision, tallies, order)


def ranked_under(
    tx: Transaction,
    system: RuleSystem,
    season: Season,
    revision: int,
    tallies: Tallies,
    order: str | None = None,
    *,
    with_lots: bool = True,
) -> ranking.Standings:
    """As :func:`ranked`, under a system that the season need not follow, or without its lots.

    Raises:
        InvalidInput: the table has no such column.
    """
    known = players.by_ids(tx, cast("list[int]", list(tallies.players)))
    whos = {player.id: _who(player) for player in known.values()}
    by_public_id = {who.public_id: who for who in whos.values()}
    recorded = lots.of_season(tx, season.id, revision=revision) if with_lots else []
    drawn = [_lot(lot, by_public_id) for lot in recorded]
    try:
        return system.rank(rekeyed(tallies, whos), cast(Format, season.format), order, drawn)
    except ranking.UnknownOrder as error:
        raise _no_order(error) from None


def named_as_in(table: Table, tallies: Tallies) -> Tallies:
    """Tallies of some of a table's games, by row number, as tallies by player in the table's own names."""
    whos = {who.id: who for who in (cast(TablePlayer, row.player) for row in table.standings.rows)}
    present = Tallies(tallies.present())
    present.outcomes = tallies.outcomes
    return rekeyed(present, whos)


def _state(tx: Transaction, season_id: int) -> SeasonState:
    state = season_states.find_by_id(tx, season_id)
    if state is None:
        raise NotFound(_NO_SEASON)
    return state


def _table(tx: Transaction, state: SeasonState, revision: int, tallies: Tallies, query: TableQuery) -> Table:
    season = state.season
    standings = ranked(tx, season, revision, tallies, query.order)
    return Table(state, revision, rules_at(tx, season, revision), standings, tallies, query.hidden)


def _frozen(tx: Transaction, state: SeasonState, query: TableQuery) -> Table | None:
    """A closed season's table as it was frozen, if it is the requested one: of all games."""
    season = state.season
    is_whole = query.as_of is None and query.hidden is None
    frozen = seasons.frozen(tx, season.id) if season.closed_at is not None and is_whole else None
    if frozen is None or query.revision not in (None, frozen.revision):
        return None
    try:
        standings = frozen_tables.read(frozen.tables, query.order, TablePlayer)
    except ranking.UnknownOrder as error:
        raise _no_order(error) from None
    return Table(state, frozen.revision, rules_at(tx, season, frozen.revision), standings)


def _no_order(error: ranking.UnknownOrder) -> InvalidInput:
    listed = ", ".join(error.orders)
    return InvalidInput([Violation("value", "?order", _ORDER, (listed,), list(error.orders))])


def _who(player: Player) -> TablePlayer:
    return TablePlayer(player.id, player.public_id, player.nickname)


def _lot(lot: lots.Lot, whos: Mapping[str, TablePlayer]) -> ranking.Lot:
    """The lot as the ranking takes it; who is in no row of the table leaves it without a group to order."""
    return ranking.Lot(tuple(whos.get(public_id, public_id) for public_id in lot.drawn))


def _played(entry: ledger.OpenEntry, facts: game_facts.Facts) -> PlayedGame:
    """The lines are the ledger's; what they are for is read from the facts."""
    game = Game.stored(loads(facts.facts))
    breakdown = find_system(facts.rule_system, facts.rule_version).score(game)
    (given,) = [list(seat.lines) for seat in breakdown.seats if seat.seat.seat == entry.number]
    lines = [reasoned(line, given) for line in entry.lines]
    hits = breakdown.played.best_move_hits if entry.seat.first_kill else None
    return PlayedGame(facts.public_id, game, hits, entry, lines)


def reasoned(line: ledger.Line, given: list[tuple[str, Line]]) -> tuple[ledger.Line, Text | None, tuple[object, ...]]:
    """A line with its reason, found and removed among the lines ``given`` by the rules; None: there is no such line."""
    for i, (clause, found) in enumerate(given):
        if line == ledger.Line(clause, found.code, found.category, found.points):
            del given[i]
            return line, found.reason, found.args
    return line, None, ()
