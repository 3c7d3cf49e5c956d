"""Merging players: nicknames and seats move to the survivor. Written versions of games do not change."""

from sqlalchemy import and_, or_, select, update

from app.repositories.database import Transaction
from app.repositories.games import games, ledger
from app.repositories.standings import lots
from app.repositories.tables import GAMES, LEDGER, NICKNAMES, PLAYERS, SEASONS, SEATS

_MERGED_ENTRIES = (
    select(GAMES.c.id, GAMES.c.entered, LEDGER.c.player_id, PLAYERS.c.merged_into)
    .join_from(
        GAMES,
        LEDGER,
        and_(
            LEDGER.c.season_id == GAMES.c.season_id,
            LEDGER.c.revision == GAMES.c.entered,
            LEDGER.c.game_id == GAMES.c.id,
            LEDGER.c.sign == 1,
        ),
    )
    .join(PLAYERS, PLAYERS.c.id == LEDGER.c.player_id)
    .where(PLAYERS.c.merged_into.is_not(None))
)


def sat_together(tx: Transaction, one: int, other: int) -> list[int]:
    """Return the row numbers of up to ten games that both players sit in."""
    theirs = SEATS.alias()
    query = (
        select(SEATS.c.game_id)
        .join_from(SEATS, theirs, SEATS.c.game_id == theirs.c.game_id)
        .where(SEATS.c.player_id == one, theirs.c.player_id == other)
        .order_by(SEATS.c.game_id)
        .limit(10)
    )
    return list(tx.execute(query).scalars())


def open_seasons_of(tx: Transaction, player_id: int) -> list[int]:
    """Return the row numbers of open seasons with the player in a game of any status."""
    query = (
        select(GAMES.c.season_id)
        .join_from(SEATS, GAMES, SEATS.c.game_id == GAMES.c.id)
        .join(SEASONS, SEASONS.c.id == GAMES.c.season_id)
        .where(SEATS.c.player_id == player_id, SEASONS.c.closed_at.is_(None))
        .distinct()
        .order_by(GAMES.c.season_id)
    )
    return list(tx.execute(query).scalars())


def merge(tx: Transaction, *, loser: int, survivor: int) -> None:
    """Move all nicknames and seats of ``loser`` to ``survivor``; the seasons :func:`follow`.

    Args:
        tx: the club and its seasons must be locked.
        loser: row number of the merged player.
        survivor: row number of the survivor, who is not merged.
    """
    tx.execute(update(SEATS).where(SEATS.c.player_id == loser).values(player_id=survivor))
    tx.execute(update(NICKNAMES).where(NICKNAMES.c.player_id == loser).values(player_id=survivor))
    gone = or_(PLAYERS.c.id == loser, PLAYERS.c.merged_into == loser)
    tx.execute(update(PLAYERS).where(gone).values(merged_into=survivor))


def lags(tx: Transaction, season_id: int) -> bool:
    """Return whether players were merged while the season was closed: reopening it then needs :func:`follow`."""
    return tx.execute(_MERGED_ENTRIES.where(GAMES.c.season_id == season_id).limit(1)).first() is not None


def follow(tx: Transaction, season_id: int, revision: int) -> None:
    """Under ``revision``, enter every game of the season again whose entry names a merged player.

    Lots drawn for the merged player hold for the survivor (:func:`app.repositories.standings.lots.follow`).
    """
    found: dict[tuple[int, int], dict[int, int]] = {}
    for game_id, entered, loser, survivor in tx.execute(_MERGED_ENTRIES.where(GAMES.c.season_id == season_id)):
        found.setdefault((game_id, entered), {})[loser] = survivor
    for (game_id, entered), survivors in found.items():
        ledger.repoint(tx, season_id, game_id, entered=entered, revision=revision, survivors=survivors)
    games.note_entered(tx, [game_id for game_id, _ in found], revision)
    lots.follow(tx, season_id, revision)
