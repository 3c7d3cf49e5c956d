"""Each revision of a season has a token of its own, so that two histories are told apart.

Workers of the version before go on meanwhile and write none: what they leave is null or the token of an earlier
revision, which its last bits say, and the moment of the change is compared as it was.
"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("seasons", sa.Column("change_token", sa.BigInteger()))


def downgrade() -> None:
    op.drop_column("seasons", "change_token")
