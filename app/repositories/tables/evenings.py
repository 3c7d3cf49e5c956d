"""Evenings of a club: who is there, and who was drawn to play."""

from sqlalchemy import BigInteger, Column, Date, ForeignKey, Integer, Table, Text, UniqueConstraint

from app.repositories.tables.base import Instant, Serial, metadata

EVENINGS = Table(
    "evenings",
    metadata,
    Column("id", Serial, primary_key=True),
    Column("club_id", BigInteger, ForeignKey("clubs.id"), nullable=False),
    Column("day", Date, nullable=False),
    # Rises with every change of who is there.
    Column("version", Integer, nullable=False),
    UniqueConstraint("club_id", "day"),
)
"""A day on which a club plays."""

EVENING_PLAYERS = Table(
    "evening_players",
    metadata,
    Column("evening_id", BigInteger, ForeignKey("evenings.id"), primary_key=True),
    # In order of arrival.
    Column("position", Integer, primary_key=True),
    # Gone with a player who was created by mistake.
    Column("player_id", BigInteger, ForeignKey("players.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("arrived_at", Instant, nullable=False),
    sqlite_with_rowid=False,
)
"""Who is there."""

SEATINGS = Table(
    "seatings",
    metadata,
    Column("id", Serial, primary_key=True),
    Column("evening_id", BigInteger, ForeignKey("evenings.id"), nullable=False, index=True),
    Column("table", Integer, nullable=False),
    # Of the game.
    Column("number", Integer, nullable=False),
    Column("seed", Text, nullable=False),
    # Players' public ids by seat, JSON.
    Column("drawn", Text, nullable=False),
    Column("key_id", BigInteger, ForeignKey("keys.id"), nullable=False),
    Column("role", Text, nullable=False),
    Column("at", Instant, nullable=False),
)
"""Who was drawn to play a game, and in which seats. Append-only: the last of a table and number holds."""
