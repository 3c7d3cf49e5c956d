"""Approvals that lines of a game need, and what became of them."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import bindparam, delete, insert, select, update

from app.repositories.database import Transaction, batches
from app.repositories.database.bulk import insert_rows
from app.repositories.tables import APPROVALS


class Approval(NamedTuple):
    """An approval that one line of one seat needs; ``state`` is ``pending``, ``approved`` or ``rejected``."""

    clause: str
    seat: int
    decider: str
    """The role that decides."""
    points: int
    """Millionths that it is about."""
    state: str
    decided_by: int | None = None
    """The key that decided."""
    decided_role: str | None = None
    at: datetime | None = None
    note: str | None = None


_ROW = ("game_id", *Approval._fields)
_OF_GAMES = (
    select(APPROVALS.c.game_id, *(APPROVALS.c[name] for name in Approval._fields))
    .where(APPROVALS.c.game_id.in_(bindparam("games", expanding=True)))
    .order_by(APPROVALS.c.game_id, APPROVALS.c.clause, APPROVALS.c.seat)
)


def of_games(tx: Transaction, game_ids: Collection[int]) -> dict[int, list[Approval]]:
    """The approvals of each game, by clause and seat; a game without any has an empty list."""
    found: dict[int, list[Approval]] = {game_id: [] for game_id in game_ids}
    for batch in batches(found):
        for game_id, *approval in tx.execute(_OF_GAMES, {"games": batch}):
            found[game_id].append(Approval._make(approval))
    return found


def of_game(tx: Transaction, game_id: int) -> list[Approval]:
    """The approvals of one game, by clause and seat."""
    return [Approval._make(approval) for _, *approval in tx.execute(_OF_GAMES, {"games": [game_id]})]


def replace(tx: Transaction, game_id: int, approvals: Iterable[Approval]) -> None:
    """A game's approvals are now these."""
    tx.execute(delete(APPROVALS).where(APPROVALS.c.game_id == game_id))
    add(tx, game_id, approvals)


def add(tx: Transaction, game_id: int, approvals: Iterable[Approval]) -> None:
    """Approvals of a game that has none yet."""
    rows = [{"game_id": game_id, **approval._asdict()} for approval in approvals]
    if rows:
        tx.execute(insert(APPROVALS), rows)


def add_all(tx: Transaction, needed: Mapping[int, Sequence[Approval]]) -> None:
    """Approvals of games that have none yet, by row number."""
    insert_rows(tx, APPROVALS, _ROW, [(game_id, *approval) for game_id, each in needed.items() for approval in each])


def decide(
    tx: Transaction,
    game_id: int,
    *,
    deciders: Collection[str],
    state: str,
    key_id: int,
    role: str,
    at: datetime,
    note: str | None,
) -> int:
    """Decide what of a game waits for one of ``deciders``; how many approvals that were."""
    waiting = (APPROVALS.c.game_id == game_id, APPROVALS.c.decider.in_(deciders), APPROVALS.c.state == "pending")
    decided = update(APPROVALS).where(*waiting)
    values = {"state": state, "decided_by": key_id, "decided_role": role, "at": at, "note": note}
    return tx.execute(decided.values(values)).rowcount
