"""Evenings of a club: who is there, who was drawn to play, and the games of a day."""

import json
from collections.abc import Sequence
from datetime import date, datetime
from typing import NamedTuple

from sqlalchemy import delete, insert, select, update

from app.repositories.database import Transaction, new_row
from app.repositories.games.games import ALL, Game, game_of
from app.repositories.tables import EVENING_PLAYERS, EVENINGS, GAMES, SEASONS, SEATINGS


class Evening(NamedTuple):
    """A day on which a club plays; ``version`` 0: nobody has said yet who is there."""

    id: int
    club_id: int
    day: date
    version: int


class Arrival(NamedTuple):
    """A player who is there."""

    player_id: int
    arrived_at: datetime


class Seating(NamedTuple):
    """Who was drawn to play a game: players' public ids by seat."""

    table: int
    number: int
    seed: str
    drawn: Sequence[str]
    at: datetime


def find(tx: Transaction, club_id: int, day: date) -> Evening | None:
    """Return the evening of a club on a day."""
    columns = [EVENINGS.c[name] for name in Evening._fields]
    row = tx.execute(select(*columns).where(EVENINGS.c.club_id == club_id, EVENINGS.c.day == day)).first()
    return Evening._make(row) if row else None


def arrivals(tx: Transaction, evening_id: int) -> list[Arrival]:
    """Return who is there, in order of arrival."""
    query = select(EVENING_PLAYERS.c.player_id, EVENING_PLAYERS.c.arrived_at)
    rows = tx.execute(query.where(EVENING_PLAYERS.c.evening_id == evening_id).order_by(EVENING_PLAYERS.c.position))
    return [Arrival._make(row) for row in rows]


def write(tx: Transaction, club_id: int, day: date, before: Evening | None, there: Sequence[Arrival]) -> Evening:
    """Say who is there, in order of arrival; the club is locked."""
    if before is None:
        number = new_row(tx, EVENINGS, {"club_id": club_id, "day": day, "version": 1})
        after = Evening(number, club_id, day, 1)
    else:
        after = before._replace(version=before.version + 1)
        tx.execute(update(EVENINGS).where(EVENINGS.c.id == after.id).values(version=after.version))
        tx.execute(delete(EVENING_PLAYERS).where(EVENING_PLAYERS.c.evening_id == after.id))
    rows = [
        {"evening_id": after.id, "position": position, **arrival._asdict()} for position, arrival in enumerate(there, 1)
    ]
    if rows:
        tx.execute(insert(EVENING_PLAYERS), rows)
    return after


def seatings(tx: Transaction, evening_id: int) -> list[Seating]:
    """Return who was drawn to play, in the order drawn."""
    columns = [SEATINGS.c[name] for name in Seating._fields]
    rows = tx.execute(select(*columns).where(SEATINGS.c.evening_id == evening_id).order_by(SEATINGS.c.id))
    return [Seating(row.table, row.number, row.seed, json.loads(row.drawn), row.at) for row in rows]


def add_seating(tx: Transaction, evening_id: int, seating: Seating, *, key_id: int, role: str) -> None:
    """Record who was drawn to play."""
    drawn = json.dumps(list(seating.drawn))
    values = {**seating._asdict(), "drawn": drawn, "evening_id": evening_id, "key_id": key_id, "role": role}
    tx.execute(insert(SEATINGS), values)


def games_of(tx: Transaction, club_id: int, day: date) -> list[Game]:
    """Return the games of a day in all seasons of a club, but for voided ones, in the order submitted."""
    mine = select(SEASONS.c.id).where(SEASONS.c.club_id == club_id)
    query = ALL.where(GAMES.c.season_id.in_(mine), GAMES.c.played_on == day, GAMES.c.status != "voided")
    return [game_of(row) for row in tx.execute(query.order_by(GAMES.c.id))]
