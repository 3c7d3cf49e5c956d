"""A closed season's tables as they were frozen: every number, name and word of them, whoever reads them and however.

The ranking's result is stored, not an answer, so that each language and format is written from it.
"""

import json
from collections.abc import Callable, Hashable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final, TypeAlias

from app.scoring.ranking import AwardResult, RankingColumn, Row, Standings, Tie, sorted_by
from app.scoring.rules.kind import Caution, SeasonLine
from app.scoring.text import Text

Who: TypeAlias = Callable[..., Hashable]
"""The type of a table's players; creates one from its frozen fields."""

_DECIMAL: Final = "decimal"
_FRACTION: Final = "fraction"


def written(tables: Sequence[Standings]) -> str:
    """The season's table in each of its orders, the system's own first, as JSON; its players are named tuples.

    Orders differ in places only, so everything else is stored once.
    """
    first = tables[0]
    positions = {row.player: i for i, row in enumerate(first.rows)}

    def at(players: Sequence[Hashable]) -> list[int]:
        return [positions[player] for player in players]

    frozen = {
        "format": first.format,
        "games": first.games,
        "columns": [_plain(column) for column in first.columns],
        "players": [row.player for row in first.rows],
        "rows": [
            [row.published, _plain_values(row), _plain(row.warnings), _plain(row.season_lines)] for row in first.rows
        ],
        "awards": [_plain(award._replace(players=())) for award in first.awards],
        "awarded": [at(award.players) for award in first.awards],
        "orders": [
            {
                "order": table.order,
                "places": [[positions[row.player], row.rank] for row in table.rows],
                "ties": [[tie.rank, at(tie.players), tie.lot] for tie in table.ties],
            }
            for table in tables
        ],
    }
    return json.dumps(frozen, ensure_ascii=False, separators=(",", ":"))


def read(tables: str, order: str | None, who: Who) -> Standings:
    """The table in an order, by default the system's own, as :func:`written` was given it; by another column, its rows
    are listed by that.

    Raises:
        UnknownOrder: the frozen table has no such column.
    """
    frozen = json.loads(tables)
    known = {one["order"]: one for one in frozen["orders"]}
    own = next(iter(known))
    chosen = known.get(own if order is None else order, known[own])
    players = [who(*members) for members in frozen["players"]]

    def at(positions: Sequence[int]) -> tuple[Hashable, ...]:
        return tuple(players[position] for position in positions)

    table = Standings(
        format=frozen["format"],
        games=frozen["games"],
        order=chosen["order"],
        sorted_by=chosen["order"],
        columns=tuple(RankingColumn(*_read(column)) for column in frozen["columns"]),
        rows=tuple(_row(players[position], rank, *frozen["rows"][position]) for position, rank in chosen["places"]),
        ties=tuple(Tie(rank, at(tied), lot) for rank, tied, lot in chosen["ties"]),
        awards=tuple(
            AwardResult(*_read(award))._replace(players=at(awarded))
            for award, awarded in zip(frozen["awards"], frozen["awarded"], strict=True)
        ),
    )
    return table if order in (None, table.order) else sorted_by(table, order, list(known))


def reseated(tables: str, who: Callable[[Sequence[Any]], Sequence[Any]]) -> str:
    """Return the tables with players replaced, for a season whose players have new row numbers."""
    frozen = json.loads(tables)
    frozen["players"] = [who(members) for members in frozen["players"]]
    return json.dumps(frozen, ensure_ascii=False, separators=(",", ":"))


def orders(tables: str) -> list[str]:
    """The orders that were frozen, the system's own first."""
    return [frozen["order"] for frozen in json.loads(tables)["orders"]]


def _row(player: Hashable, rank: int | None, published: bool, values: Any, warnings: Any, season_lines: Any) -> Row:
    return Row(
        player,
        rank,
        published,
        {key: _read(value) for key, value in values.items()},
        tuple(Caution(*warning) for warning in _read(warnings)),
        tuple((clause, SeasonLine(*line)) for clause, line in _read(season_lines)),
    )


def _plain_values(row: Row) -> dict[str, Any]:
    return {key: _plain(value) for key, value in row.values.items()}


def _plain(value: object) -> Any:
    """``value`` as JSON can hold it, numbers exact."""
    match value:
        case None | bool() | int() | str():
            return value
        case Decimal():
            return {_DECIMAL: str(value)}
        case Fraction():
            return {_FRACTION: str(value)}
        case Text():
            return value.model_dump()
        case list() | tuple():
            return [_plain(member) for member in value]
        case _:
            raise TypeError(f"{type(value).__name__} cannot be frozen")


def _read(frozen: Any) -> Any:
    match frozen:
        case {"decimal": str(number)}:
            return Decimal(number)
        case {"fraction": str(number)}:
            numerator, _, denominator = number.partition("/")
            return Fraction(int(numerator), int(denominator or 1))  # Fraction("1e999999999") would not come back
        case {"ru": str(), "en": str()}:
            return Text(**frozen)
        case list():
            return tuple(_read(member) for member in frozen)
        case _:
            return frozen
