"""The tables of kept seasons (docs/storage.md).

Rows are written by the repositories only, from values that were validated before: SQLModel tables do not validate.
"""

from datetime import UTC, date, datetime, timedelta
from typing import Any

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Dialect,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    Text,
    TypeDecorator,
    UniqueConstraint,
    text,
)
from sqlmodel import Field, SQLModel

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

Serial = BigInteger().with_variant(Integer, "sqlite")
"""Row numbers; SQLite numbers rows by itself only where the column says INTEGER."""


class Instant(TypeDecorator[datetime]):
    """A moment as microseconds since 1970 UTC: the same whole number, the same order, in either database."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:
        """Microseconds; a moment without a zone is refused by Python's own arithmetic."""
        return None if value is None else (value - _EPOCH) // _MICROSECOND

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        """The moment, in UTC."""
        return None if value is None else _EPOCH + value * _MICROSECOND


class _Stored(SQLModel):
    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s",
            "pk": "pk_%(table_name)s",
        }
    )


metadata = _Stored.metadata


class Club(_Stored, table=True):
    """A club; its slug is its address."""

    __tablename__ = "clubs"

    id: int | None = Field(default=None, primary_key=True, sa_type=Serial)
    slug: str = Field(sa_type=Text, unique=True)
    name: str = Field(sa_type=Text)
    timezone: str = Field(sa_type=Text)
    created_at: datetime = Field(sa_type=Instant)


class Key(_Stored, table=True):
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


class Player(_Stored, table=True):
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


class Nickname(_Stored, table=True):
    """A claim: in this club this folded nickname, current or old, means this player."""

    __tablename__ = "nicknames"
    __table_args__ = ({"sqlite_with_rowid": False},)

    club_id: int = Field(primary_key=True, foreign_key="clubs.id", sa_type=BigInteger)
    folded: str = Field(primary_key=True, sa_type=Text)
    nickname: str = Field(sa_type=Text)
    player_id: int = Field(foreign_key="players.id", index=True, sa_type=BigInteger)


class Season(_Stored, table=True):
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


class SeasonRules(_Stored, table=True):
    """From which revision on a season followed which rules; the season's row repeats the last."""

    __tablename__ = "season_rules"
    __table_args__ = ({"sqlite_with_rowid": False},)

    season_id: int = Field(primary_key=True, foreign_key="seasons.id", sa_type=BigInteger)
    revision: int = Field(primary_key=True, sa_type=BigInteger)
    rule_system: str = Field(sa_type=Text)
    rule_version: int = Field(sa_type=Integer)


class FrozenSeason(_Stored, table=True):
    """What a season was when it was closed; apart from it, for the season's row is written with every game."""

    __tablename__ = "frozen_seasons"

    season_id: int = Field(primary_key=True, foreign_key="seasons.id", sa_type=BigInteger)
    revision: int = Field(sa_type=BigInteger)
    tables: str = Field(sa_type=Text)
    """Standings and awards, JSON."""


class Game(_Stored, table=True):
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


class GameVersion(_Stored, table=True):
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


class Seat(_Stored, table=True):
    """Who sits where in a game's current version."""

    __tablename__ = "seats"
    __table_args__ = (Index("ix_seats_player_id_game_id", "player_id", "game_id"), {"sqlite_with_rowid": False})

    game_id: int = Field(primary_key=True, foreign_key="games.id", sa_type=BigInteger)
    seat: int = Field(primary_key=True, sa_type=SmallInteger)
    player_id: int = Field(foreign_key="players.id", sa_type=BigInteger)
    registered: bool
    """Whether the player's games count where only registered players are rated: as it was when played."""


class LedgerRow(_Stored, table=True):
    """One seat of one game entered into a season's tables (+1) or taken out again (-1). Append-only.

    Clustered by season and revision, so what came after a revision is one range. Without foreign keys: rows are derived
    from facts, thirty checks a game cost more than the insert, and the audit proves more than they would.
    """

    __tablename__ = "ledger"
    __table_args__ = (
        CheckConstraint("sign IN (-1, 1)", name="sign"),
        Index("ix_ledger_season_id_player_id", "season_id", "player_id"),
        {"sqlite_with_rowid": False},
    )

    season_id: int = Field(primary_key=True, sa_type=BigInteger)
    revision: int = Field(primary_key=True, sa_type=BigInteger)
    game_id: int = Field(primary_key=True, sa_type=BigInteger)
    seat: int = Field(primary_key=True, sa_type=SmallInteger)
    sign: int = Field(primary_key=True, sa_type=SmallInteger)
    opens: bool
    """True on one row of every entry, so that games are counted once."""
    player_id: int = Field(sa_type=BigInteger)
    registered: bool
    role: str = Field(sa_type=Text)
    team: str = Field(sa_type=Text)
    result: str = Field(sa_type=Text)
    outcome: str = Field(sa_type=Text)
    stage: str | None = Field(sa_type=Text)
    first_kill: bool
    played_on: date
    points: int = Field(sa_type=BigInteger)
    """Millionths; the sum of the lines, never negated: ``sign`` says which way it counts."""
    lines: str = Field(sa_type=Text)
    """[[clause, code, category, millionths], …]"""


class KeptSums(_Stored, table=True):
    """A season's ledger added up to a revision, so that a cold start reads what came after it only."""

    __tablename__ = "kept_sums"

    season_id: int = Field(primary_key=True, foreign_key="seasons.id", sa_type=BigInteger)
    revision: int = Field(sa_type=BigInteger)
    sums: str = Field(sa_type=Text)
    """JSON, see :func:`app.repositories.ledger.keep_sums`."""


class Approval(_Stored, table=True):
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


class FormerApproval(_Stored, table=True):
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


class Lot(_Stored, table=True):
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


class CupEntry(_Stored, table=True):
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


class Change(_Stored, table=True):
    """Who did what, when and why. Append-only."""

    __tablename__ = "changes"
    __table_args__ = (
        Index("ix_changes_season_id_revision", "season_id", "revision"),
        Index("ix_changes_club_id_id", "club_id", "id"),
    )

    id: int | None = Field(default=None, primary_key=True, sa_type=Serial)
    club_id: int | None = Field(foreign_key="clubs.id", sa_type=BigInteger)
    season_id: int | None = Field(foreign_key="seasons.id", sa_type=BigInteger)
    revision: int | None = Field(sa_type=BigInteger)
    at: datetime = Field(sa_type=Instant)
    key_id: int | None = Field(foreign_key="keys.id", sa_type=BigInteger)
    role: str = Field(sa_type=Text)
    action: str = Field(sa_type=Text)
    target: str = Field(sa_type=Text)
    """The public id or slug of what was changed."""
    reason: str | None = Field(sa_type=Text)
    detail: str | None = Field(sa_type=Text)
    """JSON."""


class Answer(_Stored, table=True):
    """The answer to a request that carried an idempotency key, kept to be given again."""

    __tablename__ = "answers"
    __table_args__ = (Index("ix_answers_at", "at"),)

    key_id: int = Field(primary_key=True, sa_type=BigInteger)
    """0 for an admin's key that comes from the environment and has no row."""
    method: str = Field(primary_key=True, sa_type=Text)
    path: str = Field(primary_key=True, sa_type=Text)
    idempotency_key: str = Field(primary_key=True, sa_type=Text)
    body_hash: str = Field(sa_type=Text)
    at: datetime = Field(sa_type=Instant)
    status: int | None = Field(sa_type=SmallInteger)
    """None until the same transaction completes it."""
    headers: str | None = Field(sa_type=Text)
    """JSON."""
    body: bytes | None = Field(sa_type=LargeBinary)


CLUBS = metadata.tables["clubs"]
KEYS = metadata.tables["keys"]
PLAYERS = metadata.tables["players"]
NICKNAMES = metadata.tables["nicknames"]
SEASONS = metadata.tables["seasons"]
SEASON_RULES = metadata.tables["season_rules"]
FROZEN_SEASONS = metadata.tables["frozen_seasons"]
GAMES = metadata.tables["games"]
GAME_VERSIONS = metadata.tables["game_versions"]
SEATS = metadata.tables["seats"]
LEDGER = metadata.tables["ledger"]
KEPT_SUMS = metadata.tables["kept_sums"]
APPROVALS = metadata.tables["approvals"]
FORMER_APPROVALS = metadata.tables["former_approvals"]
LOTS = metadata.tables["lots"]
CUP_ENTRIES = metadata.tables["cup_entries"]
CHANGES = metadata.tables["changes"]
ANSWERS = metadata.tables["answers"]
