"""Clubs, their keys, and their players with all nicknames."""

from datetime import date, datetime

from sqlalchemy import BigInteger, Index, Text
from sqlmodel import Field

from app.repositories.tables.base import Instant, Serial, StoredTable, metadata


class Club(StoredTable, table=True):
    """A club; its slug is its address."""

    __tablename__ = "clubs"

    id: int | None = Field(default=None, primary_key=True, sa_type=Serial)
    slug: str = Field(sa_type=Text, unique=True)
    name: str = Field(sa_type=Text)
    timezone: str = Field(sa_type=Text)
    created_at: datetime = Field(sa_type=Instant)


class Key(StoredTable, table=True):
    """A secret that opens a club in one role; the admin's key has no club. Never deleted: revoked."""

    __tablename__ = "keys"

    id: int | None = Field(default=None, primary_key=True, sa_type=Serial)
    public_id: str = Field(sa_type=Text, unique=True)
    club_id: int | None = Field(foreign_key="clubs.id", index=True, sa_type=BigInteger)
    role: str = Field(sa_type=Text)
    name: str = Field(sa_type=Text)
    prefix: str = Field(sa_type=Text, unique=True)
    """The part of the secret that finds the row; the rest is compared by its hash."""
    secret_hash: str = Field(sa_type=Text)
    """SHA-256 of the whole secret, hexadecimal."""
    created_at: datetime = Field(sa_type=Instant)
    expires_at: datetime | None = Field(sa_type=Instant)
    revoked_at: datetime | None = Field(sa_type=Instant)
    last_used_at: datetime | None = Field(sa_type=Instant)


class Player(StoredTable, table=True):
    """A person of a club. One who was merged into another stays, and points at the survivor."""

    __tablename__ = "players"
    __table_args__ = (Index("ix_players_club_id_id", "club_id", "id"),)

    id: int | None = Field(default=None, primary_key=True, sa_type=Serial)
    public_id: str = Field(sa_type=Text, unique=True)
    club_id: int = Field(foreign_key="clubs.id", sa_type=BigInteger)
    nickname: str = Field(sa_type=Text)
    registered: bool
    registered_on: date | None
    merged_into: int | None = Field(foreign_key="players.id", index=True, sa_type=BigInteger)
    created_at: datetime = Field(sa_type=Instant)


class Nickname(StoredTable, table=True):
    """A claim: in this club this folded nickname, current or old, means this player."""

    __tablename__ = "nicknames"
    __table_args__ = ({"sqlite_with_rowid": False},)

    club_id: int = Field(primary_key=True, foreign_key="clubs.id", sa_type=BigInteger)
    folded: str = Field(primary_key=True, sa_type=Text)
    nickname: str = Field(sa_type=Text)
    player_id: int = Field(foreign_key="players.id", index=True, sa_type=BigInteger)


CLUBS = metadata.tables["clubs"]
KEYS = metadata.tables["keys"]
PLAYERS = metadata.tables["players"]
NICKNAMES = metadata.tables["nicknames"]
