"""What was done, and what was answered to whom."""

from sqlalchemy import BigInteger, Column, ForeignKey, Index, LargeBinary, SmallInteger, Table, Text, text

from app.repositories.tables.base import Instant, Serial, metadata

_IS_OF_CLUB = text("season_id IS NULL")
_IS_MERGE = text("season_id IS NULL AND action = 'player_merged'")

CHANGES = Table(
    "changes",
    metadata,
    Column("id", Serial, primary_key=True),
    Column("club_id", BigInteger, ForeignKey("clubs.id")),
    Column("season_id", BigInteger, ForeignKey("seasons.id")),
    Column("revision", BigInteger),
    Column("at", Instant, nullable=False),
    Column("key_id", BigInteger, ForeignKey("keys.id")),
    Column("role", Text, nullable=False),
    Column("action", Text, nullable=False),
    # The public id or slug of what was changed.
    Column("target", Text, nullable=False),
    Column("reason", Text),
    # JSON.
    Column("detail", Text),
    Index("ix_changes_season_id_revision", "season_id", "revision"),
    Index("ix_changes_club_id_id", "club_id", "id"),
    Index("ix_changes_of_club", "club_id", "id", sqlite_where=_IS_OF_CLUB, postgresql_where=_IS_OF_CLUB),
    Index("ix_changes_merges", "club_id", "id", sqlite_where=_IS_MERGE, postgresql_where=_IS_MERGE),
)
"""Who did what, when and why. Append-only."""

ANSWERS = Table(
    "answers",
    metadata,
    # 0 for an admin's key that comes from the environment and has no row.
    Column("key_id", BigInteger, primary_key=True),
    Column("method", Text, primary_key=True),
    Column("path", Text, primary_key=True),
    Column("idempotency_key", Text, primary_key=True),
    Column("body_hash", Text, nullable=False),
    Column("at", Instant, nullable=False),
    # None until the same transaction completes it.
    Column("status", SmallInteger),
    # JSON.
    Column("headers", Text),
    Column("body", LargeBinary),
    Index("ix_answers_at", "at"),
)
"""The answer to a request that carried an idempotency key, stored to be given again."""
