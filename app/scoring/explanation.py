"""Why a row of a table is what it is: each column's formula with the numbers of one player."""

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from app.scoring.points import DECIMALS, rounded
from app.scoring.ranking import Player, Ranking, Value, names_of, settled_by_rule
from app.scoring.tally import Tallies, Tally
from app.scoring.terms import Format


class Term(NamedTuple):
    """A name that a formula asks for, and its exact value for a player."""

    name: str
    value: Value


class ExplainedColumn(NamedTuple):
    """How a column got its value for a player."""

    key: str
    clause: str
    formula: str
    terms: tuple[Term, ...]
    numbers: str
    """The formula with a number for each name, and for each column its own formula in parentheses."""
    value: Value


def explain(ranking: Ranking, tallies: Tallies, of: Format, player: Player) -> Iterator[ExplainedColumn]:
    """Each column of the row that ``player``, a key of ``tallies``, has in the table, in the order of columns.

    Of somebody without games, as of a table that its games no longer give, columns that divide have no value.
    """
    tally = tallies.players.get(player, Tally())
    names = names_of(ranking, player, tally, settled_by_rule(ranking, tallies, of))
    written = {name: _number(value) for name, value in names.items()}
    for clause, column, formula in ranking.columns:
        terms = tuple([Term(name, names[name]) for name in formula.names])
        numbers = formula.written(written)
        names[column.key] = value = formula.value(names)
        written[column.key] = numbers if formula.text in formula.names else f"({numbers})"
        yield ExplainedColumn(column.key, clause, formula.text, terms, numbers, value)


def _number(value: Value) -> str:
    """``value`` exactly: as a decimal, or as a fraction in parentheses."""
    if value is None:
        return "null"
    exact = Fraction(value)
    if (exact * 10**DECIMALS).denominator > 1:
        return f"({exact})"
    number = format(rounded(exact, DECIMALS), "f")
    return f"({number})" if exact < 0 else number
