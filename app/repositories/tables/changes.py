"""What was done, and what was answered to whom."""

from datetime import datetime

from sqlalchemy import BigInteger, Index, LargeBinary, SmallInteger, Text
from sqlmodel import Field

from app.repositories.tables.base import Instant, Serial, StoredTable, metadata


class Change(StoredTable, table=True):
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


class Answer(StoredTable, table=True):
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


CHANGES = metadata.tables["changes"]
ANSWERS = metadata.tables["answers"]
