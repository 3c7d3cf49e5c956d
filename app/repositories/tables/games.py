"""Games: every version, who sits where, and what needs a signature."""

from datetime import date, datetime

from sqlalchemy import BigInteger, Index, Integer, SmallInteger, Text, UniqueConstraint, text
from sqlmodel import Field

from app.repositories.tables.base import Instant, Serial, StoredTable, metadata


class Game(StoredTable, table=True):
    """A game as it stands: what lists filter and sort by. Its facts are in its current version."""

    __tablename__ = "games"
    __table_args__ = (
        UniqueConstraint("season_id", "external_id"),
        Index("ix_games_season_id_played_on_id", "season_id", "played_on", "id"),
        Index(
            "ix_games_pending",
            "season_id",
            "id",
            sqlite_where=text("status = 'pending'"),
            postgresql_where=text("status = 'pending'"),
        ),
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=Serial)
    public_id: str = Field(sa_type=Text, unique=True)
    season_id: int = Field(foreign_key="seasons.id", sa_type=BigInteger)
    external_id: str | None = Field(sa_type=Text)
    version: int = Field(sa_type=Integer)
    status: str = Field(sa_type=Text)
    played_on: date
    stage: str | None = Field(sa_type=Text)
    created_by: int = Field(foreign_key="keys.id", sa_type=BigInteger)
    created_at: datetime = Field(sa_type=Instant)
    entered: int | None = Field(sa_type=BigInteger)
    """The revision of the game's entry in the ledger; None while it is in no table."""


class GameVersion(StoredTable, table=True):
    """What was written about a game, by whom and why. Append-only."""

    __tablename__ = "game_versions"

    game_id: int = Field(primary_key=True, foreign_key="games.id", sa_type=BigInteger)
    version: int = Field(primary_key=True, sa_type=Integer)
    action: str = Field(sa_type=Text)
    status: str = Field(sa_type=Text)
    revision: int = Field(sa_type=BigInteger)
    rule_system: str = Field(sa_type=Text)
    rule_version: int = Field(sa_type=Integer)
    key_id: int = Field(foreign_key="keys.id", sa_type=BigInteger)
    role: str = Field(sa_type=Text)
    at: datetime = Field(sa_type=Instant)
    reason: str | None = Field(sa_type=Text)
    fingerprint: str = Field(sa_type=Text)
    """Of the facts without who sat where, so that renaming and merging players leave it alone."""
    seated: str = Field(sa_type=Text)
    """[[seat, player's row number, registered], …], as it was: the player may have been merged since."""
    totals: str = Field(sa_type=Text)
    """[[seat, millionths], …]"""
    facts: str = Field(sa_type=Text)
    """The game in its canonical form, JSON."""


class Seat(StoredTable, table=True):
    """Who sits where in a game's current version."""

    __tablename__ = "seats"
    __table_args__ = (Index("ix_seats_player_id_game_id", "player_id", "game_id"), {"sqlite_with_rowid": False})

    game_id: int = Field(primary_key=True, foreign_key="games.id", sa_type=BigInteger)
    seat: int = Field(primary_key=True, sa_type=SmallInteger)
    player_id: int = Field(foreign_key="players.id", sa_type=BigInteger)
    registered: bool
    """Whether the player's games count where only registered players are rated: as it was when played."""


class Approval(StoredTable, table=True):
    """A line that needs a signature, and what became of it."""

    __tablename__ = "approvals"
    __table_args__ = ({"sqlite_with_rowid": False},)

    game_id: int = Field(primary_key=True, foreign_key="games.id", sa_type=BigInteger)
    clause: str = Field(primary_key=True, sa_type=Text)
    seat: int = Field(primary_key=True, sa_type=SmallInteger)
    decider: str = Field(primary_key=True, sa_type=Text)
    """The role that decides."""
    points: int = Field(sa_type=BigInteger)
    state: str = Field(sa_type=Text)
    decided_by: int | None = Field(foreign_key="keys.id", sa_type=BigInteger)
    decided_role: str | None = Field(sa_type=Text)
    at: datetime | None = Field(sa_type=Instant)
    note: str | None = Field(sa_type=Text)


class FormerApproval(StoredTable, table=True):
    """What became of an approval while the season followed rules that it has left: it stands when they come back."""

    __tablename__ = "former_approvals"
    __table_args__ = ({"sqlite_with_rowid": False},)

    game_id: int = Field(primary_key=True, foreign_key="games.id", sa_type=BigInteger)
    rule_system: str = Field(primary_key=True, sa_type=Text)
    clause: str = Field(primary_key=True, sa_type=Text)
    seat: int = Field(primary_key=True, sa_type=SmallInteger)
    decider: str = Field(primary_key=True, sa_type=Text)
    points: int = Field(sa_type=BigInteger)
    state: str = Field(sa_type=Text)
    decided_by: int | None = Field(foreign_key="keys.id", sa_type=BigInteger)
    decided_role: str | None = Field(sa_type=Text)
    at: datetime | None = Field(sa_type=Instant)
    note: str | None = Field(sa_type=Text)


GAMES = metadata.tables["games"]
GAME_VERSIONS = metadata.tables["game_versions"]
SEATS = metadata.tables["seats"]
APPROVALS = metadata.tables["approvals"]
FORMER_APPROVALS = metadata.tables["former_approvals"]
