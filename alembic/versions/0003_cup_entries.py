"""A cup names its qualifying season and keeps a list of entries."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    # In words that both databases know: SQLite adds a reference to a table only together with its column.
    op.execute(
        "ALTER TABLE seasons ADD COLUMN awards_from BIGINT CONSTRAINT fk_seasons_awards_from REFERENCES seasons (id)"
    )
    op.create_table(
        "cup_entries",
        sa.Column("id", _SERIAL, nullable=False),
        sa.Column("season_id", sa.BigInteger(), nullable=False),
        sa.Column("player_id", sa.BigInteger(), nullable=False),
        sa.Column("key_id", sa.BigInteger(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["key_id"], ["keys.id"], name="fk_cup_entries_key_id"),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name="fk_cup_entries_player_id"),
        sa.ForeignKeyConstraint(["season_id"], ["seasons.id"], name="fk_cup_entries_season_id"),
        sa.PrimaryKeyConstraint("id", name="pk_cup_entries"),
        sa.UniqueConstraint("season_id", "player_id", name="uq_cup_entries_season_id_player_id"),
    )


def downgrade() -> None:
    op.drop_table("cup_entries")
    op.execute("ALTER TABLE seasons DROP COLUMN awards_from")
