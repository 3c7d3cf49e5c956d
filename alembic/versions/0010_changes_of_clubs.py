"""The last change of a club itself is found at once: it says whether what is known of the players still holds.

Workers of the version before write the same rows, and the index follows by itself.
"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

_IS_OF_CLUB = sa.text("season_id IS NULL")


def upgrade() -> None:
    op.create_index(
        "ix_changes_of_club",
        "changes",
        ["club_id", "id"],
        sqlite_where=_IS_OF_CLUB,
        postgresql_where=_IS_OF_CLUB,
    )


def downgrade() -> None:
    op.drop_index("ix_changes_of_club", "changes")
