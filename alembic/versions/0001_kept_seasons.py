"""Kept seasons: clubs, keys, players, seasons, games, the ledger and what surrounds them."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "clubs",
        sa.Column("id", _SERIAL, nullable=False),
        sa.Column("slug", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("timezone", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_clubs"),
        sa.UniqueConstraint("slug", name="uq_clubs_slug"),
    )
    op.create_table(
        "ledger",
        sa.Column("season_id", sa.BigInteger(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("game_id", sa.BigInteger(), nullable=False),
        sa.Column("seat", sa.SmallInteger(), nullable=False),
        sa.Column("sign", sa.SmallInteger(), nullable=False),
        sa.Column("opens", sa.Boolean(), nullable=False),
        sa.Column("player_id", sa.BigInteger(), nullable=False),
        sa.Column("registered", sa.Boolean(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("team", sa.Text(), nullable=False),
        sa.Column("result", sa.Text(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("stage", sa.Text(), nullable=True),
        sa.Column("first_kill", sa.Boolean(), nullable=False),
        sa.Column("played_on", sa.Date(), nullable=False),
        sa.Column("points", sa.BigInteger(), nullable=False),
        sa.Column("lines", sa.Text(), nullable=False),
        sa.CheckConstraint("sign IN (-1, 1)", name="ck_ledger_sign"),
        sa.PrimaryKeyConstraint("season_id", "revision", "game_id", "seat", "sign", name="pk_ledger"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_ledger_season_id_player_id", "ledger", ["season_id", "player_id"])

    op.create_table(
        "keys",
        sa.Column("id", _SERIAL, nullable=False),
        sa.Column("public_id", sa.Text(), nullable=False),
        sa.Column("club_id", sa.BigInteger(), nullable=True),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("prefix", sa.Text(), nullable=False),
        sa.Column("secret_hash", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        sa.Column("revoked_at", sa.BigInteger(), nullable=True),
        sa.Column("last_used_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["club_id"], ["clubs.id"], name="fk_keys_club_id"),
        sa.PrimaryKeyConstraint("id", name="pk_keys"),
        sa.UniqueConstraint("prefix", name="uq_keys_prefix"),
        sa.UniqueConstraint("public_id", name="uq_keys_public_id"),
    )
    op.create_index("ix_keys_club_id", "keys", ["club_id"])

    op.create_table(
        "players",
        sa.Column("id", _SERIAL, nullable=False),
        sa.Column("public_id", sa.Text(), nullable=False),
        sa.Column("club_id", sa.BigInteger(), nullable=False),
        sa.Column("nickname", sa.Text(), nullable=False),
        sa.Column("registered", sa.Boolean(), nullable=False),
        sa.Column("registered_on", sa.Date(), nullable=True),
        sa.Column("merged_into", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["club_id"], ["clubs.id"], name="fk_players_club_id"),
        sa.ForeignKeyConstraint(["merged_into"], ["players.id"], name="fk_players_merged_into"),
        sa.PrimaryKeyConstraint("id", name="pk_players"),
        sa.UniqueConstraint("public_id", name="uq_players_public_id"),
    )
    op.create_index("ix_players_club_id_id", "players", ["club_id", "id"])
    op.create_index("ix_players_merged_into", "players", ["merged_into"])

    op.create_table(
        "seasons",
        sa.Column("id", _SERIAL, nullable=False),
        sa.Column("club_id", sa.BigInteger(), nullable=False),
        sa.Column("slug", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("rule_system", sa.Text(), nullable=False),
        sa.Column("rule_version", sa.Integer(), nullable=False),
        sa.Column("format", sa.Text(), nullable=False),
        sa.Column("starts_on", sa.Date(), nullable=True),
        sa.Column("ends_on", sa.Date(), nullable=True),
        sa.Column("public", sa.Boolean(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("closed_at", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["club_id"], ["clubs.id"], name="fk_seasons_club_id"),
        sa.PrimaryKeyConstraint("id", name="pk_seasons"),
        sa.UniqueConstraint("club_id", "slug", name="uq_seasons_club_id_slug"),
    )
    op.create_table(
        "answers",
        sa.Column("key_id", sa.BigInteger(), nullable=False),
        sa.Column("method", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("idempotency_key", sa.Text(), nullable=False),
        sa.Column("body_hash", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("status", sa.SmallInteger(), nullable=True),
        sa.Column("headers", sa.Text(), nullable=True),
        sa.Column("body", sa.LargeBinary(), nullable=True),
        sa.PrimaryKeyConstraint("key_id", "method", "path", "idempotency_key", name="pk_answers"),
    )
    op.create_index("ix_answers_at", "answers", ["at"])

    op.create_table(
        "changes",
        sa.Column("id", _SERIAL, nullable=False),
        sa.Column("club_id", sa.BigInteger(), nullable=True),
        sa.Column("season_id", sa.BigInteger(), nullable=True),
        sa.Column("revision", sa.BigInteger(), nullable=True),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("key_id", sa.BigInteger(), nullable=True),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("detail", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["club_id"], ["clubs.id"], name="fk_changes_club_id"),
        sa.ForeignKeyConstraint(["key_id"], ["keys.id"], name="fk_changes_key_id"),
        sa.ForeignKeyConstraint(["season_id"], ["seasons.id"], name="fk_changes_season_id"),
        sa.PrimaryKeyConstraint("id", name="pk_changes"),
    )
    op.create_index("ix_changes_club_id_id", "changes", ["club_id", "id"])
    op.create_index("ix_changes_season_id_revision", "changes", ["season_id", "revision"])

    op.create_table(
        "frozen_seasons",
        sa.Column("season_id", sa.BigInteger(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("tables", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["season_id"], ["seasons.id"], name="fk_frozen_seasons_season_id"),
        sa.PrimaryKeyConstraint("season_id", name="pk_frozen_seasons"),
    )
    op.create_table(
        "games",
        sa.Column("id", _SERIAL, nullable=False),
        sa.Column("public_id", sa.Text(), nullable=False),
        sa.Column("season_id", sa.BigInteger(), nullable=False),
        sa.Column("external_id", sa.Text(), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("played_on", sa.Date(), nullable=False),
        sa.Column("stage", sa.Text(), nullable=True),
        sa.Column("created_by", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("entered", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["created_by"], ["keys.id"], name="fk_games_created_by"),
        sa.ForeignKeyConstraint(["season_id"], ["seasons.id"], name="fk_games_season_id"),
        sa.PrimaryKeyConstraint("id", name="pk_games"),
        sa.UniqueConstraint("public_id", name="uq_games_public_id"),
        sa.UniqueConstraint("season_id", "external_id", name="uq_games_season_id_external_id"),
    )
    op.create_index(
        "ix_games_pending",
        "games",
        ["season_id", "id"],
        sqlite_where=sa.text("status = 'pending'"),
        postgresql_where=sa.text("status = 'pending'"),
    )
    op.create_index("ix_games_season_id_played_on_id", "games", ["season_id", "played_on", "id"])

    op.create_table(
        "lots",
        sa.Column("id", _SERIAL, nullable=False),
        sa.Column("season_id", sa.BigInteger(), nullable=False),
        sa.Column("tied", sa.Text(), nullable=False),
        sa.Column("drawn", sa.Text(), nullable=False),
        sa.Column("seed", sa.Text(), nullable=True),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("key_id", sa.BigInteger(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["key_id"], ["keys.id"], name="fk_lots_key_id"),
        sa.ForeignKeyConstraint(["season_id"], ["seasons.id"], name="fk_lots_season_id"),
        sa.PrimaryKeyConstraint("id", name="pk_lots"),
        sa.UniqueConstraint("season_id", "tied", name="uq_lots_season_id_tied"),
    )
    op.create_table(
        "nicknames",
        sa.Column("club_id", sa.BigInteger(), nullable=False),
        sa.Column("folded", sa.Text(), nullable=False),
        sa.Column("nickname", sa.Text(), nullable=False),
        sa.Column("player_id", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["club_id"], ["clubs.id"], name="fk_nicknames_club_id"),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name="fk_nicknames_player_id"),
        sa.PrimaryKeyConstraint("club_id", "folded", name="pk_nicknames"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_nicknames_player_id", "nicknames", ["player_id"])

    op.create_table(
        "season_rules",
        sa.Column("season_id", sa.BigInteger(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("rule_system", sa.Text(), nullable=False),
        sa.Column("rule_version", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["season_id"], ["seasons.id"], name="fk_season_rules_season_id"),
        sa.PrimaryKeyConstraint("season_id", "revision", name="pk_season_rules"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "kept_sums",
        sa.Column("season_id", sa.BigInteger(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("sums", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["season_id"], ["seasons.id"], name="fk_kept_sums_season_id"),
        sa.PrimaryKeyConstraint("season_id", name="pk_kept_sums"),
    )
    op.create_table(
        "approvals",
        sa.Column("game_id", sa.BigInteger(), nullable=False),
        sa.Column("clause", sa.Text(), nullable=False),
        sa.Column("seat", sa.SmallInteger(), nullable=False),
        sa.Column("decider", sa.Text(), nullable=False),
        sa.Column("points", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("decided_by", sa.BigInteger(), nullable=True),
        sa.Column("decided_role", sa.Text(), nullable=True),
        sa.Column("at", sa.BigInteger(), nullable=True),
        sa.Column("note", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["decided_by"], ["keys.id"], name="fk_approvals_decided_by"),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name="fk_approvals_game_id"),
        sa.PrimaryKeyConstraint("game_id", "clause", "seat", "decider", name="pk_approvals"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "game_versions",
        sa.Column("game_id", sa.BigInteger(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("rule_system", sa.Text(), nullable=False),
        sa.Column("rule_version", sa.Integer(), nullable=False),
        sa.Column("key_id", sa.BigInteger(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("seated", sa.Text(), nullable=False),
        sa.Column("totals", sa.Text(), nullable=False),
        sa.Column("facts", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name="fk_game_versions_game_id"),
        sa.ForeignKeyConstraint(["key_id"], ["keys.id"], name="fk_game_versions_key_id"),
        sa.PrimaryKeyConstraint("game_id", "version", name="pk_game_versions"),
    )
    op.create_table(
        "seats",
        sa.Column("game_id", sa.BigInteger(), nullable=False),
        sa.Column("seat", sa.SmallInteger(), nullable=False),
        sa.Column("player_id", sa.BigInteger(), nullable=False),
        sa.Column("registered", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name="fk_seats_game_id"),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name="fk_seats_player_id"),
        sa.PrimaryKeyConstraint("game_id", "seat", name="pk_seats"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_seats_player_id_game_id", "seats", ["player_id", "game_id"])


def downgrade() -> None:
    for table in (
        "seats",
        "game_versions",
        "approvals",
        "kept_sums",
        "season_rules",
        "nicknames",
        "lots",
        "games",
        "frozen_seasons",
        "changes",
        "answers",
        "seasons",
        "players",
        "keys",
        "ledger",
        "clubs",
    ):
        op.drop_table(table)
