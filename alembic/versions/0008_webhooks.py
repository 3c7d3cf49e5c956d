"""A club has webhooks, which are told what the change log says.

Services of before write the change log as ever, so what they do during an upgrade is told too.
"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_IS_PENDING = sa.text("state = 'pending'")
_IS_MERGE = sa.text("season_id IS NULL AND action = 'player_merged'")


def upgrade() -> None:
    op.create_table(
        "webhooks",
        sa.Column("id", _SERIAL, nullable=False),
        sa.Column("public_id", sa.Text(), nullable=False),
        sa.Column("club_id", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("types", sa.Text(), nullable=True),
        sa.Column("secret", sa.Text(), nullable=False),
        sa.Column("former_secret", sa.Text(), nullable=True),
        sa.Column("former_until", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("failing_since", sa.BigInteger(), nullable=True),
        sa.Column("disabled_at", sa.BigInteger(), nullable=True),
        sa.Column("resume_at", sa.BigInteger(), nullable=True),
        sa.Column("unreachable", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("lease", sa.Text(), nullable=True),
        sa.Column("leased_until", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["club_id"], ["clubs.id"], name="fk_webhooks_club_id"),
        sa.PrimaryKeyConstraint("id", name="pk_webhooks"),
        sa.UniqueConstraint("public_id", name="uq_webhooks_public_id"),
    )
    op.create_index("ix_webhooks_club_id", "webhooks", ["club_id"])
    op.create_table(
        "webhook_outboxes",
        sa.Column("club_id", sa.BigInteger(), nullable=False),
        sa.Column("sequence", sa.BigInteger(), nullable=False),
        sa.Column("change_id", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["club_id"], ["clubs.id"], name="fk_webhook_outboxes_club_id"),
        sa.PrimaryKeyConstraint("club_id", name="pk_webhook_outboxes"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "webhook_positions",
        sa.Column("season_id", sa.BigInteger(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["season_id"], ["seasons.id"], name="fk_webhook_positions_season_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("season_id", name="pk_webhook_positions"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "webhook_events",
        sa.Column("id", _SERIAL, nullable=False),
        sa.Column("public_id", sa.Text(), nullable=False),
        sa.Column("club_id", sa.BigInteger(), nullable=False),
        sa.Column("sequence", sa.BigInteger(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["club_id"], ["clubs.id"], name="fk_webhook_events_club_id"),
        sa.PrimaryKeyConstraint("id", name="pk_webhook_events"),
        sa.UniqueConstraint("club_id", "sequence", name="uq_webhook_events_club_id_sequence"),
        sa.UniqueConstraint("public_id", name="uq_webhook_events_public_id"),
    )
    op.create_index("ix_webhook_events_at", "webhook_events", ["at"])
    op.create_table(
        "webhook_deliveries",
        sa.Column("id", _SERIAL, nullable=False),
        sa.Column("public_id", sa.Text(), nullable=False),
        sa.Column("webhook_id", sa.BigInteger(), nullable=False),
        sa.Column("event_id", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("next_at", sa.BigInteger(), nullable=True),
        sa.Column("failed_at", sa.BigInteger(), nullable=True),
        sa.Column("last_at", sa.BigInteger(), nullable=True),
        sa.Column("last_status", sa.SmallInteger(), nullable=True),
        sa.Column("last_error", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["event_id"], ["webhook_events.id"], name="fk_webhook_deliveries_event_id"),
        sa.ForeignKeyConstraint(["webhook_id"], ["webhooks.id"], name="fk_webhook_deliveries_webhook_id"),
        sa.PrimaryKeyConstraint("id", name="pk_webhook_deliveries"),
        sa.UniqueConstraint("public_id", name="uq_webhook_deliveries_public_id"),
    )
    op.create_index("ix_webhook_deliveries_event_id", "webhook_deliveries", ["event_id"])
    op.create_index("ix_webhook_deliveries_webhook_id_id", "webhook_deliveries", ["webhook_id", "id"])
    op.create_index(
        "ix_webhook_deliveries_pending",
        "webhook_deliveries",
        ["webhook_id", "id"],
        sqlite_where=_IS_PENDING,
        postgresql_where=_IS_PENDING,
    )
    op.create_index(
        "ix_changes_merges", "changes", ["club_id", "id"], sqlite_where=_IS_MERGE, postgresql_where=_IS_MERGE
    )


def downgrade() -> None:
    op.drop_index("ix_changes_merges", "changes")
    for table in ("webhook_deliveries", "webhook_events", "webhook_positions", "webhook_outboxes", "webhooks"):
        op.drop_table(table)
