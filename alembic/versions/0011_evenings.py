"""A club knows who is there on an evening, and draws who plays where.

Services of before know nothing of it; a player whom they delete leaves the evenings with his row.
"""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

_SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "evenings",
        sa.Column("id", _SERIAL, nullable=False),
        sa.Column("club_id", sa.BigInteger(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["club_id"], ["clubs.id"], name="fk_evenings_club_id"),
        sa.PrimaryKeyConstraint("id", name="pk_evenings"),
        sa.UniqueConstraint("club_id", "day", name="uq_evenings_club_id_day"),
    )
    op.create_table(
        "evening_players",
        sa.Column("evening_id", sa.BigInteger(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.BigInteger(), nullable=False),
        sa.Column("arrived_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["evening_id"], ["evenings.id"], name="fk_evening_players_evening_id"),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name="fk_evening_players_player_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("evening_id", "position", name="pk_evening_players"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_evening_players_player_id", "evening_players", ["player_id"])
    op.create_table(
        "seatings",
        sa.Column("id", _SERIAL, nullable=False),
        sa.Column("evening_id", sa.BigInteger(), nullable=False),
        sa.Column("table", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("seed", sa.Text(), nullable=False),
        sa.Column("drawn", sa.Text(), nullable=False),
        sa.Column("key_id", sa.BigInteger(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["evening_id"], ["evenings.id"], name="fk_seatings_evening_id"),
        sa.ForeignKeyConstraint(["key_id"], ["keys.id"], name="fk_seatings_key_id"),
        sa.PrimaryKeyConstraint("id", name="pk_seatings"),
    )
    op.create_index("ix_seatings_evening_id", "seatings", ["evening_id"])


def downgrade() -> None:
    for table in ("seatings", "evening_players", "evenings"):
        op.drop_table(table)
