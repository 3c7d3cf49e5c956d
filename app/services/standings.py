"""A season's table: as it is, as it was at a revision, as of a day; and each line of a player's row."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import date
from typing import Final, NamedTuple, cast

from app.repositories import facts, heads, ledger, lots, players, seasons
from app.repositories.database import Database, Transaction
from app.repositories.heads import Head
from app.repositories.players import Player
from app.repositories.seasons import Season
from app.scoring import ranking
from app.scoring.exact_json import loads
from app.scoring.game import Game
from app.scoring.nickname import folded
from app.scoring.rule_system import RuleSystem
from app.scoring.rules.kind import Line
from app.scoring.systems import find_system
from app.scoring.tally import Tallies
from app.scoring.terms import Format
from app.scoring.text import Text, words
from app.scoring.violation import Violation
from app.services import frozen
from app.services.access import Caller, may_read
from app.services.errors import Forbidden, NotFound, Unauthorized
from app.services.folds import Folds, keyed_anew, tallies_at
from app.shape import Misshapen

_NO_SEASON: Final = words("Нет такого сезона.", "There is no such season.")
_NO_ROW: Final = words("В этой таблице нет такого игрока.", "There is no such player in this table.")
_UNPUBLISHED: Final = words(
    "Неопубликованные строки видны только с ключом клуба.", "Unpublished rows are shown to keys of the club only."
)
_ORDER: Final = words("нет такого порядка; есть: {}", "no such order; there are: {}")
_REVISION: Final = words("последняя ревизия — {}", "the latest revision is {}")


class Asked(NamedTuple):
    """Which table of a season is asked for."""

    order: str | None = None
    """A column to order by; None: the system's own order."""
    unpublished: bool = False
    """Whether players below the threshold of publication are shown too."""
    as_of: date | None = None
    """Only games played up to this day, as they are known now or at ``revision``."""
    revision: int | None = None
    """As recorded then; None: now."""


class Who(NamedTuple):
    """A player of a table; told apart by row number, listed by nickname where nothing else orders."""

    id: int
    public_id: str
    nickname: str

    def __str__(self) -> str:
        return folded(self.nickname)


class Table(NamedTuple):
    """A table and what it is the table of; its players are :class:`Who`."""

    head: Head
    revision: int
    """The one that was asked for."""
    system: RuleSystem
    standings: ranking.Standings


class PlayedGame(NamedTuple):
    """One game of a player's row."""

    game: str
    """Its public id."""
    external_id: str | None
    seat: ledger.Kept
    lines: Sequence[tuple[ledger.Line, Text | None, tuple[object, ...]]]
    """Each with its reason and what fills the reason's places."""


class PlayerRow(NamedTuple):
    """A player's row and every line of every game that made it; what the season gave beside them is in the row."""

    who: Who
    row: ranking.Row
    games: Sequence[PlayedGame]


def readable(caller: Caller, head: Head | None, asked: Asked) -> Head:
    """The season with this head, if it has what is asked for and the caller may read it.

    Raises:
        NotFound: there is none, or it is not public and the caller not of its club.
        Unauthorized: unpublished rows without a key.
        Forbidden: unpublished rows with the key of somebody else.
        Misshapen: the revision is yet to come.
    """
    if head is None or not may_read(caller, head.season):
        raise NotFound(_NO_SEASON)
    if asked.unpublished and caller.role == "anonymous":
        raise Unauthorized
    if asked.unpublished and not caller.is_of(head.season.club_id):
        raise Forbidden(_UNPUBLISHED)
    latest = head.season.revision
    if asked.revision is not None and asked.revision > latest:
        fault = Violation("too_large", "?revision", _REVISION, (latest,), limit=latest, actual=asked.revision)
        raise Misshapen([fault])
    return head


@contextmanager
def opened(database: Database, folds: Folds, season_id: int, asked: Asked) -> Iterator[tuple[Transaction, Table]]:
    """A table of the season, and the one state of the database that it was read in.

    Raises:
        Misshapen: the rules know no such order.
        Unavailable: the database is gone or crowded out.
    """
    with ExitStack() as until_read:
        if asked.as_of is None and asked.revision is None:
            # The fold first: a transaction that begins now sees no older revision than the fold has.
            with folds.of(season_id) as fold:
                tx = until_read.enter_context(database.read())
                head = heads.by_id(tx, season_id)
                table = _frozen(tx, head, asked)
                if table is None:
                    fold.catch_up(tx, head)
                    table = _table(tx, head, head.season.revision, fold.tallies, asked.order)
        else:
            tx = until_read.enter_context(database.read())
            head = heads.by_id(tx, season_id)
            table = _frozen(tx, head, asked)
            if table is None:
                revision = head.season.revision if asked.revision is None else asked.revision
                tallies = tallies_at(tx, season_id, revision=revision, as_of=asked.as_of)
                table = _table(tx, head, revision, tallies, asked.order)
        yield tx, table


def shown(table: Table, asked: Asked) -> list[tuple[Who, ranking.Row]]:
    """The rows that are shown to who asked so, the best first, with their players."""
    return [(cast(Who, row.player), row) for row in table.standings.rows if row.published or asked.unpublished]


def player_row(tx: Transaction, table: Table, asked: Asked, public_id: str) -> PlayerRow:
    """A player's row and the games and season lines that add up to it; a merged player's id finds the survivor.

    Raises:
        NotFound: the table, as it was asked for, has no such row.
    """
    season = table.head.season
    rows = {who.public_id: (who, row) for who, row in shown(table, asked)}
    found = rows.get(public_id)
    if found is None and public_id.isprintable():  # no id holds a NUL, and PostgreSQL would not take it
        merged = players.by_public_id(tx, season.club_id, public_id)
        if merged is not None and merged.merged_into is not None:
            survivor = players.by_ids(tx, [merged.merged_into])[merged.merged_into]
            found = rows.get(survivor.public_id)
    if found is None:
        raise NotFound(_NO_ROW)
    who, row = found
    entries = ledger.of_player(tx, season.id, who.id, revision=table.revision, as_of=asked.as_of)
    rated = [entry for entry in entries if entry.registered]
    told = facts.at(tx, [entry.game_id for entry in rated], table.revision)
    return PlayerRow(who, row, [_played(entry, told[entry.game_id]) for entry in rated])


def rules_at(tx: Transaction, season: Season, revision: int) -> RuleSystem:
    """The system that the season followed at a revision."""
    return find_system(*seasons.rules_at(tx, season.id, revision))


def ranked(
    tx: Transaction, season: Season, revision: int, tallies: Tallies, order: str | None = None
) -> ranking.Standings:
    """The table that ``tallies``, by row number, make under the rules and with the lots of a revision.

    Raises:
        Misshapen: the rules know no such order.
    """
    return ranked_under(tx, rules_at(tx, season, revision), season, revision, tallies, order)


def ranked_under(
    tx: Transaction, system: RuleSystem, season: Season, revision: int, tallies: Tallies, order: str | None = None
) -> ranking.Standings:
    """As :func:`ranked`, under a system that the season need not follow.

    Raises:
        Misshapen: the system knows no such order.
    """
    known = players.by_ids(tx, cast("list[int]", list(tallies.players)))
    whos = {player.id: _who(player) for player in known.values()}
    by_public_id = {who.public_id: who for who in whos.values()}
    drawn = [_lot(lot, by_public_id) for lot in lots.of_season(tx, season.id, revision=revision)]
    try:
        return system.rank(keyed_anew(tallies, whos), cast(Format, season.format), order, drawn)
    except ranking.UnknownOrder as error:
        raise _no_order(error) from None


def _table(tx: Transaction, head: Head, revision: int, tallies: Tallies, order: str | None) -> Table:
    season = head.season
    return Table(head, revision, rules_at(tx, season, revision), ranked(tx, season, revision, tallies, order))


def _frozen(tx: Transaction, head: Head, asked: Asked) -> Table | None:
    """A closed season's table as it was frozen, where that is the one that is asked for."""
    season = head.season
    kept = None if season.closed_at is None or asked.as_of is not None else seasons.frozen(tx, season.id)
    if kept is None or asked.revision not in (None, kept.revision):
        return None
    try:
        standings = frozen.read(kept.tables, asked.order, Who)
    except ranking.UnknownOrder as error:
        raise _no_order(error) from None
    return Table(head, kept.revision, rules_at(tx, season, kept.revision), standings)


def _no_order(error: ranking.UnknownOrder) -> Misshapen:
    listed = ", ".join(error.orders)
    return Misshapen([Violation("value", "?order", _ORDER, (listed,), list(error.orders))])


def _who(player: Player) -> Who:
    return Who(player.id, player.public_id, player.nickname)


def _lot(lot: lots.Lot, whos: Mapping[str, Who]) -> ranking.Lot:
    """The lot as the ranking takes it; who is in no row of the table leaves it without a group to order."""
    return ranking.Lot(tuple(whos.get(public_id, public_id) for public_id in lot.drawn))


def _played(entry: ledger.Kept, told: facts.Facts) -> PlayedGame:
    """The lines are the ledger's; what they are for is read from the facts."""
    game = Game.read(loads(told.facts))
    breakdown = find_system(told.rule_system, told.rule_version).score(game)
    (given,) = [list(seat.lines) for seat in breakdown.seats if seat.seat.seat == entry.seat]
    return PlayedGame(told.public_id, game.external_id, entry, [reasoned(line, given) for line in entry.lines])


def reasoned(line: ledger.Line, given: list[tuple[str, Line]]) -> tuple[ledger.Line, Text | None, tuple[object, ...]]:
    """A line with its reason, which is taken out of what the rules ``given`` for the seat; None: they give no such."""
    for i, (clause, found) in enumerate(given):
        if line == ledger.Line(clause, found.code, found.category, found.points):
            del given[i]
            return line, found.reason, found.args
    return line, None, ()
