"""Lots drawn for groups of tied players; whether a group is still tied is not kept here."""

import json
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import insert, select

from app.repositories.database import Transaction
from app.repositories.tables import LOTS


class Lot(NamedTuple):
    """A recorded lot; players by public id."""

    tied: tuple[str, ...]
    """The group, in ascending order."""
    drawn: tuple[str, ...]
    """In the order drawn."""
    seed: str | None
    """What anyone can repeat the draw from; None when it was drawn at the table."""
    revision: int
    key_id: int
    role: str
    at: datetime


def add(
    tx: Transaction,
    season_id: int,
    *,
    tied: Collection[str],
    drawn: Sequence[str],
    seed: str | None,
    revision: int,
    key_id: int,
    role: str,
    at: datetime,
) -> Lot:
    """Record a lot.

    Raises:
        NotUnique: ``lots``, when lots were drawn for exactly this group.
    """
    lot = Lot(tuple(sorted(tied)), tuple(drawn), seed, revision, key_id, role, at)
    values = lot._asdict() | {"tied": json.dumps(lot.tied), "drawn": json.dumps(lot.drawn)}
    tx.execute(insert(LOTS), {"season_id": season_id, **values})
    return lot


def of_season(tx: Transaction, season_id: int, *, revision: int | None = None) -> list[Lot]:
    """The season's lots up to a revision, the first drawn first."""
    query = select(*(LOTS.c[name] for name in Lot._fields)).where(LOTS.c.season_id == season_id)
    if revision is not None:
        query = query.where(LOTS.c.revision <= revision)
    rows = tx.execute(query.order_by(LOTS.c.revision, LOTS.c.id))
    return [Lot(tuple(json.loads(tied)), tuple(json.loads(drawn)), *rest) for tied, drawn, *rest in rows]
