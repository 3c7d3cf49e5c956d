"""Seasons: their rules, what was frozen of them, lots, and who entered."""

from datetime import date, datetime

from sqlalchemy import BigInteger, Integer, Text, UniqueConstraint
from sqlmodel import Field

from app.repositories.tables.base import Instant, Serial, StoredTable, metadata


class Season(StoredTable, table=True):
    """A club's season or tournament, pinned to one version of a rule system."""

    __tablename__ = "seasons"
    __table_args__ = (UniqueConstraint("club_id", "slug"),)

    id: int | None = Field(default=None, primary_key=True, sa_type=Serial)
    club_id: int = Field(foreign_key="clubs.id", sa_type=BigInteger)
    slug: str = Field(sa_type=Text)
    name: str = Field(sa_type=Text)
    rule_system: str = Field(sa_type=Text)
    rule_version: int = Field(sa_type=Integer)
    format: str = Field(sa_type=Text)
    starts_on: date | None
    ends_on: date | None
    public: bool
    revision: int = Field(sa_type=BigInteger)
    """Rises by one with every committed change that can alter an answer about the season."""
    closed_at: datetime | None = Field(sa_type=Instant)
    created_at: datetime = Field(sa_type=Instant)
    awards_from: int | None = Field(foreign_key="seasons.id", sa_type=BigInteger)
    """Whose awards hold at this one's registration."""


class SeasonRules(StoredTable, table=True):
    """From which revision on a season followed which rules; the season's row repeats the last."""

    __tablename__ = "season_rules"
    __table_args__ = ({"sqlite_with_rowid": False},)

    season_id: int = Field(primary_key=True, foreign_key="seasons.id", sa_type=BigInteger)
    revision: int = Field(primary_key=True, sa_type=BigInteger)
    rule_system: str = Field(sa_type=Text)
    rule_version: int = Field(sa_type=Integer)


class FrozenSeason(StoredTable, table=True):
    """What a season was when it was closed; apart from it, for the season's row is written with every game."""

    __tablename__ = "frozen_seasons"

    season_id: int = Field(primary_key=True, foreign_key="seasons.id", sa_type=BigInteger)
    revision: int = Field(sa_type=BigInteger)
    tables: str = Field(sa_type=Text)
    """Standings and awards, JSON."""


class Lot(StoredTable, table=True):
    """Lots drawn once for exactly one group of tied players."""

    __tablename__ = "lots"
    __table_args__ = (UniqueConstraint("season_id", "tied"),)

    id: int | None = Field(default=None, primary_key=True, sa_type=Serial)
    season_id: int = Field(foreign_key="seasons.id", sa_type=BigInteger)
    tied: str = Field(sa_type=Text)
    """The group: players' public ids in ascending order, JSON."""
    drawn: str = Field(sa_type=Text)
    """The same ids in the order drawn, JSON."""
    seed: str | None = Field(sa_type=Text)
    revision: int = Field(sa_type=BigInteger)
    key_id: int = Field(foreign_key="keys.id", sa_type=BigInteger)
    role: str = Field(sa_type=Text)
    at: datetime = Field(sa_type=Instant)


class CupEntry(StoredTable, table=True):
    """Who is on a season's or tournament's list of entries."""

    __tablename__ = "cup_entries"
    __table_args__ = (UniqueConstraint("season_id", "player_id"),)

    id: int | None = Field(default=None, primary_key=True, sa_type=Serial)
    season_id: int = Field(foreign_key="seasons.id", sa_type=BigInteger)
    player_id: int = Field(foreign_key="players.id", sa_type=BigInteger)
    """Who entered; he may have been merged since."""
    key_id: int = Field(foreign_key="keys.id", sa_type=BigInteger)
    role: str = Field(sa_type=Text)
    at: datetime = Field(sa_type=Instant)


SEASONS = metadata.tables["seasons"]
SEASON_RULES = metadata.tables["season_rules"]
FROZEN_SEASONS = metadata.tables["frozen_seasons"]
LOTS = metadata.tables["lots"]
CUP_ENTRIES = metadata.tables["cup_entries"]
