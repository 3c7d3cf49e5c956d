"""Lots drawn for groups of tied players; whether a group is still tied is not stored."""

import json
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Text, delete, insert, literal, null, select, type_coerce, union_all

from app.repositories.database import Transaction, batches
from app.repositories.tables import LOTS, PLAYERS, WITHDRAWN_LOTS


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


class WithdrawnLot(NamedTuple):
    """A lot that was withdrawn, by whom, when and why; it does not hold from revision ``withdrawn_in`` on."""

    lot: Lot
    withdrawn_in: int
    withdrawn_by: int
    withdrawn_role: str
    withdrawn_at: datetime
    reason: str


_MOVED = tuple(name for name in Lot._fields if name != "seed")
_WITHDRAWAL = WithdrawnLot._fields[1:]


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
    """The season's lots that are not withdrawn, or were not at a revision, the first drawn first."""
    query = select(*(LOTS.c[name] for name in Lot._fields)).where(LOTS.c.season_id == season_id)
    if revision is not None:
        since = select(*_withdrawn_columns()).where(
            WITHDRAWN_LOTS.c.season_id == season_id,
            WITHDRAWN_LOTS.c.revision <= revision,
            WITHDRAWN_LOTS.c.withdrawn_in > revision,
        )
        return sorted(
            (_lot(row) for row in tx.execute(union_all(query.where(LOTS.c.revision <= revision), since))),
            key=lambda lot: lot.revision,
        )
    return [_lot(row) for row in tx.execute(query.order_by(LOTS.c.revision, LOTS.c.id))]


def withdrawn_of_season(tx: Transaction, season_id: int) -> list[WithdrawnLot]:
    """The season's lots that were withdrawn, the first drawn first."""
    query = select(*_withdrawn_columns(), *(WITHDRAWN_LOTS.c[name] for name in _WITHDRAWAL))
    query = query.where(WITHDRAWN_LOTS.c.season_id == season_id)
    rows = tx.execute(query.order_by(WITHDRAWN_LOTS.c.revision, WITHDRAWN_LOTS.c.id))
    members = len(Lot._fields)
    return [WithdrawnLot(_lot(row[:members]), *row[members:]) for row in rows]


def withdraw(
    tx: Transaction, season_id: int, lot: Lot, *, revision: int, key_id: int, role: str, at: datetime, reason: str
) -> WithdrawnLot:
    """Withdraw a lot under ``revision``, with all that merges made of it; it stays on record."""
    mine = (LOTS.c.season_id == season_id, LOTS.c.key_id == lot.key_id, LOTS.c.at == lot.at)
    withdrawal = WithdrawnLot(lot, revision, key_id, role, at, reason)
    columns = WITHDRAWN_LOTS.c
    same = select(
        LOTS.c.season_id,
        *(LOTS.c[name] for name in _MOVED),
        *(literal(value, columns[name].type) for name, value in zip(_WITHDRAWAL, withdrawal[1:], strict=True)),
    ).where(*mine)
    tx.execute(insert(WITHDRAWN_LOTS).from_select(["season_id", *_MOVED, *_WITHDRAWAL], same.order_by(LOTS.c.id)))
    tx.execute(delete(LOTS).where(*mine))
    return withdrawal


def _withdrawn_columns() -> list[ColumnElement[Any]]:
    """The columns of a :class:`Lot`; one that was withdrawn has no seed."""
    no_seed = type_coerce(null(), Text()).label("seed")
    return [no_seed if name == "seed" else WITHDRAWN_LOTS.c[name] for name in Lot._fields]


def _lot(row: Sequence[Any]) -> Lot:
    tied, drawn, *rest = row
    return Lot(tuple(json.loads(tied)), tuple(json.loads(drawn)), *rest)


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
