"""Clubs, their keys, and their players with all nicknames."""

from sqlalchemy import BigInteger, Boolean, Column, Date, ForeignKey, Index, Table, Text

from app.repositories.tables.base import Instant, Serial, metadata

CLUBS = Table(
    "clubs",
    metadata,
    Column("id", Serial, primary_key=True),
    Column("slug", Text, unique=True, nullable=False),
    Column("name", Text, nullable=False),
    Column("timezone", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
    # The time until which it is still the day before, as 06:00.
    Column("day_ends_at", Text, nullable=False, server_default="00:00"),
)
"""A club; its slug is its address."""

KEYS = Table(
    "keys",
    metadata,
    Column("id", Serial, primary_key=True),
    Column("public_id", Text, unique=True, nullable=False),
    Column("club_id", BigInteger, ForeignKey("clubs.id"), index=True),
    Column("role", Text, nullable=False),
    Column("name", Text, nullable=False),
    # The part of the secret that finds the row; the rest is compared by its hash.
    Column("prefix", Text, unique=True, nullable=False),
    # SHA-256 of the whole secret, hexadecimal.
    Column("secret_hash", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("expires_at", Instant),
    Column("revoked_at", Instant),
    Column("last_used_at", Instant),
)
"""A secret that opens a club in one role; the admin's key has no club. Never deleted: revoked."""

PLAYERS = Table(
    "players",
    metadata,
    Column("id", Serial, primary_key=True),
    Column("public_id", Text, unique=True, nullable=False),
    Column("club_id", BigInteger, ForeignKey("clubs.id"), nullable=False),
    Column("nickname", Text, nullable=False),
    Column("registered", Boolean, nullable=False),
    Column("registered_on", Date),
    Column("merged_into", BigInteger, ForeignKey("players.id"), index=True),
    Column("created_at", Instant, nullable=False),
    Index("ix_players_club_id_id", "club_id", "id"),
)
"""A person of a club. One who was merged into another stays, and points at the survivor."""

NICKNAMES = Table(
    "nicknames",
    metadata,
    Column("club_id", BigInteger, ForeignKey("clubs.id"), primary_key=True),
    Column("folded", Text, primary_key=True),
    Column("nickname", Text, nullable=False),
    Column("player_id", BigInteger, ForeignKey("players.id"), index=True, nullable=False),
    sqlite_with_rowid=False,
)
"""A claim: in this club this folded nickname, current or old, means this player."""
