"""What became of approvals under rules that a season has left."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "former_approvals",
        sa.Column("game_id", sa.BigInteger(), nullable=False),
        sa.Column("rule_system", sa.Text(), nullable=False),
        sa.Column("clause", sa.Text(), nullable=False),
        sa.Column("seat", sa.SmallInteger(), nullable=False),
        sa.Column("decider", sa.Text(), nullable=False),
        sa.Column("points", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("decided_by", sa.BigInteger(), nullable=True),
        sa.Column("decided_role", sa.Text(), nullable=True),
        sa.Column("at", sa.BigInteger(), nullable=True),
        sa.Column("note", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["decided_by"], ["keys.id"], name="fk_former_approvals_decided_by"),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name="fk_former_approvals_game_id"),
        sa.PrimaryKeyConstraint("game_id", "rule_system", "clause", "seat", "decider", name="pk_former_approvals"),
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    op.drop_table("former_approvals")
