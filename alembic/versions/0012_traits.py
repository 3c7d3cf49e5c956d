"""Games are recognised by their traits.

Seasons have none at first: the next game of a season writes those of all games before it. So it is with games that a
service of the previous version writes meanwhile, for it leaves ``traits_at`` behind.
"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "traits",
        sa.Column("season_id", sa.BigInteger(), nullable=False),
        sa.Column("trait", sa.BigInteger(), nullable=False),
        sa.Column("game_id", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("season_id", "trait", "game_id", name="pk_traits"),
        sqlite_with_rowid=False,
    )
    op.add_column("seasons", sa.Column("traits_at", sa.BigInteger(), server_default="0", nullable=False))


def downgrade() -> None:
    op.drop_column("seasons", "traits_at")
    op.drop_table("traits")
