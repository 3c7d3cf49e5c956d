"""A lot that was drawn at the table can be withdrawn, and stays on record."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "withdrawn_lots",
        sa.Column("id", _SERIAL, nullable=False),
        sa.Column("season_id", sa.BigInteger(), nullable=False),
        sa.Column("tied", sa.Text(), nullable=False),
        sa.Column("drawn", sa.Text(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("key_id", sa.BigInteger(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("withdrawn_in", sa.BigInteger(), nullable=False),
        sa.Column("withdrawn_by", sa.BigInteger(), nullable=False),
        sa.Column("withdrawn_role", sa.Text(), nullable=False),
        sa.Column("withdrawn_at", sa.BigInteger(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["key_id"], ["keys.id"], name="fk_withdrawn_lots_key_id"),
        sa.ForeignKeyConstraint(["season_id"], ["seasons.id"], name="fk_withdrawn_lots_season_id"),
        sa.ForeignKeyConstraint(["withdrawn_by"], ["keys.id"], name="fk_withdrawn_lots_withdrawn_by"),
        sa.PrimaryKeyConstraint("id", name="pk_withdrawn_lots"),
    )
    op.create_index("ix_withdrawn_lots_season_id", "withdrawn_lots", ["season_id"])


def downgrade() -> None:
    op.drop_table("withdrawn_lots")
