"""Lists of entries: who entered a season or tournament. Players who were merged since stand as their survivors."""

from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Select, delete, func, insert, select

from app.repositories.database import Transaction
from app.repositories.database.pages import Page, after_row, page_of
from app.repositories.tables import CUP_ENTRIES, PLAYERS


class CupEntry(NamedTuple):
    """A player's entry; of two players who became one, the earlier."""

    id: int
    player_id: int
    at: datetime


_WHO: ColumnElement[int] = func.coalesce(PLAYERS.c.merged_into, PLAYERS.c.id)
_FIRST = func.min(CUP_ENTRIES.c.id)


def _of(season_id: int) -> Select[Any, Any, Any]:
    return (
        select(_FIRST, _WHO, func.min(CUP_ENTRIES.c.at, type_=CUP_ENTRIES.c.at.type))
        .join_from(CUP_ENTRIES, PLAYERS, PLAYERS.c.id == CUP_ENTRIES.c.player_id)
        .where(CUP_ENTRIES.c.season_id == season_id)
        .group_by(_WHO)
    )


def page(tx: Transaction, season_id: int, *, cursor: str | None, limit: int) -> Page[CupEntry]:
    """A season's entries, the first entered first.

    Raises:
        NotACursor: the cursor belongs to another list.
    """
    query = _of(season_id)
    if cursor is not None:
        query = query.having(_FIRST > after_row(cursor))
    rows = tx.execute(query.order_by(_FIRST).limit(limit + 1))
    return page_of([CupEntry._make(row) for row in rows], limit, lambda entry: (entry.id,))


def find(tx: Transaction, season_id: int, player_id: int) -> CupEntry | None:
    """The entry of a player who was not merged."""
    row = tx.execute(_of(season_id).where(_WHO == player_id)).first()
    return CupEntry._make(row) if row else None


def entered(tx: Transaction, season_id: int) -> set[int]:
    """The row number of every player on the list."""
    return {CupEntry._make(row).player_id for row in tx.execute(_of(season_id))}


def add(tx: Transaction, season_id: int, player_id: int, *, key_id: int, role: str, at: datetime) -> None:
    """Enter a player who has no entry yet in a locked season."""
    values = {"season_id": season_id, "player_id": player_id, "key_id": key_id, "role": role, "at": at}
    tx.execute(insert(CUP_ENTRIES), values)


def withdraw(tx: Transaction, season_id: int, player_id: int) -> None:
    """Take a player who was not merged off the list."""
    same = select(PLAYERS.c.id).where(_WHO == player_id)
    mine = (CUP_ENTRIES.c.season_id == season_id, CUP_ENTRIES.c.player_id.in_(same))
    tx.execute(delete(CUP_ENTRIES).where(*mine))
