"""The awards for places in a table, and how far each player is from them."""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple, cast

from app.scoring.points import rounded
from app.scoring.ranking import AwardResult
from app.scoring.text import Text
from app.services.standings.standings import Table, TablePlayer


class Candidate(NamedTuple):
    """A published player's value and its distance to the cut; at 0 or less, the player has the award."""

    player: TablePlayer
    value: Decimal
    distance: Decimal
    awarded: bool


class AwardState(NamedTuple):
    """One award in the current table."""

    clause: str
    code: str
    name: Text
    by: str
    """The column that decides it."""
    places: int
    cut: Decimal | None
    """The least value that has the award; None while nobody has a value."""
    players: Sequence[TablePlayer]
    candidates: Sequence[Candidate]
    """Every published player who has a value, the best first."""


def states(table: Table) -> list[AwardState]:
    """Return every award of the regulation, in its order."""
    decimals = {column.key: column.decimals for column in table.standings.columns}
    return [_state(table, award, decimals[award.by]) for award in table.standings.awards]


def _state(table: Table, award: AwardResult, decimals: int) -> AwardState:
    cut = award.cut
    held = cast("tuple[TablePlayer, ...]", award.players)
    valued = [
        (cast(TablePlayer, row.player), Fraction(value))
        for row in table.standings.rows
        if row.published and (value := row.values[award.by]) is not None
    ]
    valued.sort(key=lambda pair: (-pair[1], str(pair[0])))
    return AwardState(
        clause=award.clause,
        code=award.code,
        name=award.name,
        by=award.by,
        places=award.places,
        cut=None if cut is None else rounded(Fraction(cut), decimals),
        players=held,
        candidates=[
            Candidate(who, rounded(value, decimals), rounded(Fraction(cut or 0) - value, decimals), who in held)
            for who, value in valued
        ],
    )
