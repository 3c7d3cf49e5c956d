"""A season can hide its games from a stage or a day on.

Workers of the version before go on meanwhile and hide nothing: set it when all have been replaced.
"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("seasons", sa.Column("hidden_stage", sa.Text()))
    op.add_column("seasons", sa.Column("hidden_day", sa.Date()))


def downgrade() -> None:
    op.drop_column("seasons", "hidden_day")
    op.drop_column("seasons", "hidden_stage")
