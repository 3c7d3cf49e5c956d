"""A club says until when it is still the day before."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Clubs that exist keep their days as they were.
    op.add_column("clubs", sa.Column("day_ends_at", sa.Text(), server_default="00:00", nullable=False))


def downgrade() -> None:
    op.drop_column("clubs", "day_ends_at")
