"""From tallies to a table: columns, places, ties, lots and awards. Places compare exact values."""

from collections.abc import Hashable, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import NamedTuple, TypeAlias

from app.scoring.formula import Formula, Number
from app.scoring.rules.kind import Caution, SeasonLine, SeasonRule, Settled
from app.scoring.rules.table_rules import Award, Column
from app.scoring.tally import Ask, Tallies, Tally
from app.scoring.terms import Format
from app.scoring.text import Text

Value: TypeAlias = Number | None
Player: TypeAlias = Hashable
_Key: TypeAlias = tuple[tuple[bool, Number], ...]


class UnknownOrder(ValueError):
    """The table cannot be ordered so; ``orders`` are the columns that it can be ordered by."""

    def __init__(self, order: str, orders: Sequence[str]) -> None:
        super().__init__(f"no order {order}; there are: {', '.join(orders)}")
        self.orders = tuple(orders)


class RankingColumn(NamedTuple):
    """A column of one table, with the decimals that it has there."""

    key: str
    label: Text
    decimals: int
    unit: str | None
    clause: str


class Row(NamedTuple):
    """A player's row: exact ``values`` by column; a value is None where its formula divides by zero."""

    player: Player
    rank: int | None
    published: bool
    values: Mapping[str, Value]
    warnings: tuple[Caution, ...]
    season_lines: tuple[tuple[str, SeasonLine], ...]
    """(clause, line) for what the season gave beside the games."""


class Lot(NamedTuple):
    """A lot that was drawn for exactly ``group``: its players in the order drawn, the better place first."""

    drawn: tuple[Player, ...]

    @property
    def group(self) -> frozenset[Player]:
        """The players that it orders."""
        return frozenset(self.drawn)


class Tie(NamedTuple):
    """Players that all criteria leave equal; ``lot`` is ``needed``, ``drawn``, or None where no lot is drawn."""

    rank: int
    players: tuple[Player, ...]
    lot: str | None


class AwardResult(NamedTuple):
    """Who has one of an award's ``places``; ``cut`` is the least value that does."""

    clause: str
    code: str
    name: Text
    players: tuple[Player, ...]
    by: str
    places: int
    cut: Value


class Standings(NamedTuple):
    """A table of players, best first; unpublished players come last and have no rank."""

    format: Format
    games: int
    order: str
    """The column that places go by."""
    sorted_by: str
    """The column that the rows are listed by, the highest value first."""
    columns: tuple[RankingColumn, ...]
    rows: tuple[Row, ...]
    ties: tuple[Tie, ...]
    awards: tuple[AwardResult, ...]


class Ranking(NamedTuple):
    """How one format of a system makes a table; what :func:`rank` follows."""

    columns: tuple[tuple[str, Column, Formula], ...]
    asks: Mapping[str, Ask]
    settlers: tuple[tuple[str, SeasonRule], ...]
    orders: tuple[str, ...]
    tie_breakers: tuple[Formula, ...]
    lot: bool
    published_from: int
    awards: tuple[tuple[str, Award], ...]


SettledByRule: TypeAlias = tuple[str, SeasonRule, Mapping[Player, Settled]]
"""The number of a clause, a rule of the season, and what it comes to by player."""


class _Candidate(NamedTuple):
    player: Player
    listed: int
    """The player's number in the list by name, which orders whom nothing else does."""
    tally: Tally
    values: dict[str, Value]
    settled: list[tuple[str, SeasonRule, Settled]]
    published: bool
    key: _Key


def rank(
    ranking: Ranking, tallies: Tallies, format: Format, order: str | None = None, lots: Sequence[Lot] = ()
) -> Standings:
    """The table of everyone with at least one game in ``tallies``.

    ``order``: one of the system's orders, by default its first, or another column, which the rows are then listed by:
    the places stay those of the first order. A lot counts only for exactly the players that it was drawn for.

    Raises:
        UnknownOrder: the table has no such column.
    """
    asked = ranking.orders[0] if order is None else order
    order = asked if asked in ranking.orders else ranking.orders[0]
    candidates = _candidates(ranking, tallies, format, order)
    published = [candidate for candidate in candidates if candidate.published]
    rows, ties = _placed(published, {lot.group: lot for lot in lots} if ranking.lot else {}, draws_lots=ranking.lot)
    rows += [_row(candidate, None) for candidate in candidates if not candidate.published]
    table = Standings(
        format=format,
        games=tallies.games,
        order=order,
        sorted_by=order,
        columns=tuple(_column(clause, column, format) for clause, column, _ in ranking.columns),
        rows=tuple(rows),
        ties=tuple(ties),
        awards=tuple(_award(clause, award, published) for clause, award in ranking.awards),
    )
    return table if asked == order else sorted_by(table, asked, ranking.orders)


def sorted_by(table: Standings, column: str, orders: Sequence[str]) -> Standings:
    """The table with its rows listed by a column, the highest value first, equal ones by place; unpublished ones last.

    ``orders``: what the table could be ordered by instead.

    Raises:
        UnknownOrder: the table has no such column.
    """
    columns = [known.key for known in table.columns]
    if column not in columns:
        raise UnknownOrder(column, [*orders, *[key for key in columns if key not in orders]])
    return table._replace(sorted_by=column, rows=tuple(sorted(table.rows, key=partial(_listed_by, column))))


def _listed_by(column: str, row: Row) -> tuple[bool, bool, Number]:
    value = row.values[column]
    return not row.published, value is None, 0 if value is None else -value


def _candidates(ranking: Ranking, tallies: Tallies, format: Format, order: str) -> list[_Candidate]:
    by_rule = settled_by_rule(ranking, tallies, format)
    candidates = []
    present = tallies.present()
    for listed, player in enumerate(sorted(present, key=str)):
        tally = present[player]
        names = names_of(ranking, player, tally, by_rule)
        settled = [(clause, rule, of_rule[player]) for clause, rule, of_rule in by_rule if player in of_rule]
        values: dict[str, Value] = {}
        for _, column, formula in ranking.columns:
            names[column.key] = values[column.key] = formula.value(names)
        criteria = (values[order], *(formula.value(names) for formula in ranking.tie_breakers))
        key = tuple((value is not None, 0 if value is None else value) for value in criteria)
        published = tally.count() >= ranking.published_from
        candidates.append(_Candidate(player, listed, tally, values, settled, published, key))
    candidates.sort(key=lambda candidate: candidate.key, reverse=True)
    return candidates


def settled_by_rule(ranking: Ranking, tallies: Tallies, format: Format) -> list[SettledByRule]:
    """What each rule of the season comes to, by player; of a rule of the other format, nothing."""
    return [
        (clause, rule, rule.settle(tallies) if rule.format in (None, format) else {})
        for clause, rule in ranking.settlers
    ]


def names_of(ranking: Ranking, player: Player, tally: Tally, by_rule: Sequence[SettledByRule]) -> dict[str, Value]:
    """What the formulas may ask about a player, before any column has a value."""
    names: dict[str, Value] = {**tally.answers(ranking.asks)}
    for _, rule, of_rule in by_rule:
        names.update(of_rule[player].values if player in of_rule else dict.fromkeys(rule.gives, 0))
    return names


def _placed(
    published: list[_Candidate], lots: Mapping[frozenset[Player], Lot], *, draws_lots: bool
) -> tuple[list[Row], list[Tie]]:
    rows: list[Row] = []
    ties: list[Tie] = []
    for _, equal in groupby(published, key=lambda candidate: candidate.key):
        group = list(equal)
        place = len(rows) + 1
        lot = lots.get(frozenset(candidate.player for candidate in group)) if len(group) > 1 else None
        if lot is not None:
            group.sort(key=lambda candidate: lot.drawn.index(candidate.player))
        if len(group) > 1:
            state = ("drawn" if lot else "needed") if draws_lots else None
            ties.append(Tie(place, tuple(candidate.player for candidate in group), state))
        rows += [_row(candidate, place + i if lot else place) for i, candidate in enumerate(group)]
    return rows, ties


def _row(candidate: _Candidate, rank: int | None) -> Row:
    return Row(
        candidate.player,
        rank,
        candidate.published,
        candidate.values,
        tuple(caution for _, rule, _ in candidate.settled for caution in rule.cautions(candidate.tally)),
        tuple((clause, line) for clause, _, settled in candidate.settled for line in settled.lines),
    )


def _column(clause: str, column: Column, format: Format) -> RankingColumn:
    decimals = column.decimals
    if format == "tournament" and column.tournament_decimals is not None:
        decimals = column.tournament_decimals
    return RankingColumn(column.key, column.label, decimals, column.unit, clause)


def _award(clause: str, award: Award, published: list[_Candidate]) -> AwardResult:
    valued = [
        (-value, candidate.listed, candidate.player)
        for candidate in published
        if (value := candidate.values[award.by]) is not None
    ]
    valued.sort()
    cut = -valued[min(award.places, len(valued)) - 1][0] if valued else None
    held = tuple(player for negated, _, player in valued if cut is not None and -negated >= cut)
    return AwardResult(clause, award.code, award.name, held, award.by, award.places, cut)
