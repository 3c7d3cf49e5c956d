"""Lots drawn for groups of tied players; whether a group is still tied is not stored."""

import json
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import insert, select

from app.repositories.database import Transaction, batches
from app.repositories.tables import LOTS, PLAYERS


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
    _add(tx, season_id, lot)
    return lot


def _add(tx: Transaction, season_id: int, lot: Lot) -> None:
    values = lot._asdict() | {"tied": json.dumps(lot.tied), "drawn": json.dumps(lot.drawn)}
    tx.execute(insert(LOTS), {"season_id": season_id, **values})


def of_season(tx: Transaction, season_id: int, *, revision: int | None = None) -> list[Lot]:
    """The season's lots up to a revision, the first drawn first."""
    query = select(*(LOTS.c[name] for name in Lot._fields)).where(LOTS.c.season_id == season_id)
    if revision is not None:
        query = query.where(LOTS.c.revision <= revision)
    rows = tx.execute(query.order_by(LOTS.c.revision, LOTS.c.id))
    return [Lot(tuple(json.loads(tied)), tuple(json.loads(drawn)), *rest) for tied, drawn, *rest in rows]


def follow(tx: Transaction, season_id: int, revision: int) -> None:
    """Under ``revision``, record every lot of a merged player again with the survivor.

    Otherwise a merge would void the lot and allow a second draw. If two members of a group became one, the group has no
    lot. A lot that was drawn for the survivors' group itself is kept.
    """
    recorded = of_season(tx, season_id)
    survivors = _survivors(tx, {player for lot in recorded for player in lot.tied})
    groups = {lot.tied for lot in recorded}
    for lot in recorded:
        drawn = tuple(survivors.get(player, player) for player in lot.drawn)
        tied = tuple(sorted(set(drawn)))
        if len(tied) == len(drawn) and tied not in groups:
            groups.add(tied)
            _add(tx, season_id, lot._replace(tied=tied, drawn=drawn, revision=revision))


def _survivors(tx: Transaction, public_ids: Collection[str]) -> dict[str, str]:
    """The survivor of each of these players who was merged, both by public id."""
    survivor = PLAYERS.alias()
    found = {}
    for batch in batches(public_ids):
        query = (
            select(PLAYERS.c.public_id, survivor.c.public_id)
            .join_from(PLAYERS, survivor, PLAYERS.c.merged_into == survivor.c.id)
            .where(PLAYERS.c.public_id.in_(batch))
        )
        for gone, stays in tx.execute(query):
            found[gone] = stays
    return found
