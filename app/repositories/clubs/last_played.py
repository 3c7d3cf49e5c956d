"""When players of a club last sat at a table, and what says whether what is known of a club's players still holds."""

from collections.abc import Collection
from datetime import date, datetime
from typing import NamedTuple

from sqlalchemy import bindparam, func, select

from app.repositories.database import Transaction, batches
from app.repositories.tables import CHANGES, GAMES, NICKNAMES, PLAYERS, SEASONS, SEATS


class PlayersMark(NamedTuple):
    """The last change of a club itself: its players and nicknames are as they were while it is the last."""

    change: int
    at: datetime


class SeasonMark(NamedTuple):
    """A season's history up to here: its games are as they were while this is the same."""

    revision: int
    token: int | None
    created_at: datetime


_PLAYERS_MARK = (
    select(CHANGES.c.id, CHANGES.c.at)
    .where(CHANGES.c.club_id == bindparam("club"), CHANGES.c.season_id.is_(None))
    .order_by(CHANGES.c.id.desc())
    .limit(1)
)
_SEASON_MARKS = select(SEASONS.c.id, SEASONS.c.revision, SEASONS.c.change_token, SEASONS.c.created_at).where(
    SEASONS.c.club_id == bindparam("club")
)
_NAMES = (
    select(NICKNAMES.c.folded, PLAYERS.c.id)
    .join_from(NICKNAMES, PLAYERS, NICKNAMES.c.player_id == PLAYERS.c.id)
    .where(NICKNAMES.c.club_id == bindparam("club"))
)
_LAST_DAYS = (
    select(SEATS.c.player_id, func.max(GAMES.c.played_on))
    .join_from(GAMES, SEATS, SEATS.c.game_id == GAMES.c.id)
    .where(GAMES.c.status != "voided")
    .group_by(SEATS.c.player_id)
)


def players_mark(tx: Transaction, club_id: int) -> PlayersMark | None:
    """Return the mark of the club's players; whatever changes players is recorded with the club locked."""
    row = tx.execute(_PLAYERS_MARK, {"club": club_id}).first()
    return None if row is None else PlayersMark._make(row)


def season_marks(tx: Transaction, club_id: int) -> dict[int, SeasonMark]:
    """Return the mark of each season of the club, by row number."""
    return {number: SeasonMark._make(mark) for number, *mark in tx.execute(_SEASON_MARKS, {"club": club_id})}


def folded_names(tx: Transaction, club_id: int) -> list[tuple[str, int]]:
    """Return every folded nickname of the club, current and former, with the row number of its player."""
    return [(folded, number) for folded, number in tx.execute(_NAMES, {"club": club_id})]


def of_season(tx: Transaction, season_id: int) -> dict[int, date]:
    """Return the last day on which each player sat in a game of the season that was not voided."""
    return dict(map(tuple, tx.execute(_LAST_DAYS.where(GAMES.c.season_id == season_id))))


def of_games(tx: Transaction, public_ids: Collection[str]) -> dict[int, date]:
    """As :func:`of_season`, of these games."""
    found: dict[int, date] = {}
    for batch in batches(public_ids):
        for player_id, day in tx.execute(_LAST_DAYS.where(GAMES.c.public_id.in_(batch))):
            found[player_id] = max(day, found.get(player_id, day))
    return found
