"""A closed season's tables as they were frozen: every number, name and word of them, whoever reads them and however.

What is stored is the ranking's result and not a response, so that each language and form is written from it.
"""

import json
from collections.abc import Callable, Hashable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final, TypeAlias

from app.scoring.ranking import AwardResult, RankingColumn, Row, Standings, Tie, UnknownOrder
from app.scoring.rules.kind import Caution, SeasonLine
from app.scoring.text import Text

Who: TypeAlias = Callable[..., Hashable]
"""What a table's players are; makes one of the members that were frozen."""

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

    document = {
        "format": first.format,
        "games": first.games,
        "columns": [_stored(column) for column in first.columns],
        "players": [row.player for row in first.rows],
        "rows": [
            [row.published, _stored_values(row), _stored(row.warnings), _stored(row.season_lines)] for row in first.rows
        ],
        "awards": [_stored(award._replace(players=())) for award in first.awards],
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
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


def read(tables: str, order: str | None, who: Who) -> Standings:
    """The table in an order, by default the system's own, as :func:`written` was given it.

    Raises:
        UnknownOrder: the season was not frozen in such an order.
    """
    document = json.loads(tables)
    known = {one["order"]: one for one in document["orders"]}
    chosen = known.get(next(iter(known)) if order is None else order)
    if chosen is None:
        raise UnknownOrder(str(order), list(known))
    players = [who(*members) for members in document["players"]]

    def at(positions: Sequence[int]) -> tuple[Hashable, ...]:
        return tuple(players[position] for position in positions)

    return Standings(
        format=document["format"],
        games=document["games"],
        order=chosen["order"],
        columns=tuple(RankingColumn(*_read(column)) for column in document["columns"]),
        rows=tuple(_row(players[position], rank, *document["rows"][position]) for position, rank in chosen["places"]),
        ties=tuple(Tie(rank, at(tied), lot) for rank, tied, lot in chosen["ties"]),
        awards=tuple(
            AwardResult(*_read(award))._replace(players=at(awarded))
            for award, awarded in zip(document["awards"], document["awarded"], strict=True)
        ),
    )


def reseated(tables: str, who: Callable[[Sequence[Any]], Sequence[Any]]) -> str:
    """Return the tables with players replaced, for a season whose players have new row numbers."""
    document = json.loads(tables)
    document["players"] = [who(members) for members in document["players"]]
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


def orders(tables: str) -> list[str]:
    """The orders that were frozen, the system's own first."""
    return [order["order"] for order in json.loads(tables)["orders"]]


def _row(player: Hashable, rank: int | None, published: bool, values: Any, warnings: Any, season_lines: Any) -> Row:
    return Row(
        player,
        rank,
        published,
        {key: _read(value) for key, value in values.items()},
        tuple(Caution(*warning) for warning in _read(warnings)),
        tuple((clause, SeasonLine(*line)) for clause, line in _read(season_lines)),
    )


def _stored_values(row: Row) -> dict[str, Any]:
    return {key: _stored(value) for key, value in row.values.items()}


def _stored(value: object) -> Any:
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
            return [_stored(member) for member in value]
        case _:
            raise TypeError(f"{type(value).__name__} cannot be frozen")


def _read(value: Any) -> Any:
    match value:
        case {"decimal": str(number)}:
            return Decimal(number)
        case {"fraction": str(number)}:
            numerator, _, denominator = number.partition("/")
            return Fraction(int(numerator), int(denominator or 1))  # Fraction("1e999999999") would not come back
        case {"ru": str(), "en": str()}:
            return Text(**value)
        case list():
            return tuple(_read(member) for member in value)
        case _:
            return value
