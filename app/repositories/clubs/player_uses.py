"""What refers to a player: whether anything would be wrong without him."""

import json
from collections.abc import Iterator

from sqlalchemy import Select, select

from app.repositories.clubs.players import Player
from app.repositories.database import Transaction
from app.repositories.tables import CUP_ENTRIES, GAME_VERSIONS, GAMES, LOTS, PLAYERS, SEASONS, SEATS, WITHDRAWN_LOTS

_AT_ONCE = 5000


def of(tx: Transaction, player: Player) -> list[str]:
    """Return what refers to a player of a club whose seasons are locked: ``games``, ``lots``, ``entries``, ``merges``.

    Any version of a game, current or not; any lot, withdrawn or not; a merge on either side.
    """
    merged = select(PLAYERS.c.id).where(PLAYERS.c.merged_into == player.id)
    entered = select(CUP_ENTRIES.c.id).where(CUP_ENTRIES.c.player_id == player.id)
    found = {
        "games": _sits(tx, player) or _sat(tx, player),
        "lots": any(_any(tx, lots) for lots in _lots(player)),
        "entries": _any(tx, entered),
        "merges": player.merged_into is not None or _any(tx, merged),
    }
    return [name for name, is_so in found.items() if is_so]


def _any(tx: Transaction, query: Select[tuple[int]]) -> bool:
    return tx.execute(query.limit(1)).first() is not None


def _sits(tx: Transaction, player: Player) -> bool:
    return _any(tx, select(SEATS.c.game_id).where(SEATS.c.player_id == player.id))


def _sat(tx: Transaction, player: Player) -> bool:
    """Whether he sat in a version of a game that is not the current one."""
    query = (
        select(GAME_VERSIONS.c.seated)
        .join_from(GAME_VERSIONS, GAMES, GAMES.c.id == GAME_VERSIONS.c.game_id)
        .join(SEASONS, SEASONS.c.id == GAMES.c.season_id)
        .where(SEASONS.c.club_id == player.club_id, GAME_VERSIONS.c.seated.contains(str(player.id)))
    )
    with tx.execute(query.execution_options(yield_per=_AT_ONCE)) as versions:
        return any(number == player.id for seated in versions.scalars() for _, number, _ in json.loads(seated))


def _lots(player: Player) -> Iterator[Select[tuple[int]]]:
    """A lot names its players by public id, which is in no other text."""
    for table in (LOTS, WITHDRAWN_LOTS):
        yield select(table.c.id).where(table.c.tied.contains(player.public_id, autoescape=True))
