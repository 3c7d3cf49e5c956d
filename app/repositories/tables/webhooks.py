"""Webhooks of clubs: where to, what happened, and what became of telling it."""

from sqlalchemy import BigInteger, Column, ForeignKey, Index, Integer, SmallInteger, Table, Text, UniqueConstraint, text

from app.repositories.tables.base import Instant, Serial, metadata

_IS_PENDING = text("state = 'pending'")

WEBHOOKS = Table(
    "webhooks",
    metadata,
    Column("id", Serial, primary_key=True),
    Column("public_id", Text, unique=True, nullable=False),
    Column("club_id", BigInteger, ForeignKey("clubs.id"), index=True, nullable=False),
    Column("name", Text, nullable=False),
    Column("url", Text, nullable=False),
    # Types of events, JSON; None: all.
    Column("types", Text),
    # As it was shown: it signs, so its hash would not do.
    Column("secret", Text, nullable=False),
    # Signs too, until then.
    Column("former_secret", Text),
    Column("former_until", Instant),
    Column("created_at", Instant, nullable=False),
    # The first failure since the last success.
    Column("failing_since", Instant),
    Column("disabled_at", Instant),
    # While nobody answers at the address nothing is sent until then.
    Column("resume_at", Instant),
    # How often in a row nobody did.
    Column("unreachable", Integer, nullable=False, server_default=text("0")),
    # Who delivers to it at present, and until when nobody else does.
    Column("lease", Text),
    Column("leased_until", Instant),
)
"""Where a club wants to be told what happens."""

WEBHOOK_OUTBOXES = Table(
    "webhook_outboxes",
    metadata,
    Column("club_id", BigInteger, ForeignKey("clubs.id"), primary_key=True),
    # Of the last event.
    Column("sequence", BigInteger, nullable=False),
    # The row number of the last change of the club itself that was made an event of.
    Column("change_id", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)
"""How far the events of a club have come; locked by who makes them."""

WEBHOOK_POSITIONS = Table(
    "webhook_positions",
    metadata,
    # Gone with the season, also where a service that knows nothing of webhooks yet deletes that.
    Column("season_id", BigInteger, ForeignKey("seasons.id", ondelete="CASCADE"), primary_key=True),
    Column("revision", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)
"""Up to which revision events were made of a season's changes."""

WEBHOOK_EVENTS = Table(
    "webhook_events",
    metadata,
    Column("id", Serial, primary_key=True),
    Column("public_id", Text, unique=True, nullable=False),
    Column("club_id", BigInteger, ForeignKey("clubs.id"), nullable=False),
    Column("sequence", BigInteger, nullable=False),
    Column("type", Text, nullable=False),
    # What is sent, JSON.
    Column("body", Text, nullable=False),
    Column("at", Instant, nullable=False),
    UniqueConstraint("club_id", "sequence"),
    Index("ix_webhook_events_at", "at"),
)
"""What webhooks of a club are told."""

WEBHOOK_DELIVERIES = Table(
    "webhook_deliveries",
    metadata,
    Column("id", Serial, primary_key=True),
    Column("public_id", Text, unique=True, nullable=False),
    Column("webhook_id", BigInteger, ForeignKey("webhooks.id"), nullable=False),
    Column("event_id", BigInteger, ForeignKey("webhook_events.id"), index=True, nullable=False),
    Column("state", Text, nullable=False),
    Column("attempts", Integer, nullable=False),
    # Of a pending one.
    Column("next_at", Instant),
    Column("failed_at", Instant),
    Column("last_at", Instant),
    Column("last_status", SmallInteger),
    Column("last_error", Text),
    Index("ix_webhook_deliveries_webhook_id_id", "webhook_id", "id"),
    Index(
        "ix_webhook_deliveries_pending",
        "webhook_id",
        "id",
        sqlite_where=_IS_PENDING,
        postgresql_where=_IS_PENDING,
    ),
)
"""An event on its way to a webhook; ``failed_at``: when it first was not taken."""
