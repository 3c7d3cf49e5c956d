"""Games: every version, who sits where, and what needs a signature."""

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Date,
    ForeignKey,
    Index,
    Integer,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from app.repositories.tables.base import Instant, Serial, metadata

_IS_PENDING = text("status = 'pending'")

GAMES = Table(
    "games",
    metadata,
    Column("id", Serial, primary_key=True),
    Column("public_id", Text, unique=True, nullable=False),
    Column("season_id", BigInteger, ForeignKey("seasons.id"), nullable=False),
    Column("external_id", Text),
    Column("version", Integer, nullable=False),
    Column("status", Text, nullable=False),
    Column("played_on", Date, nullable=False),
    Column("stage", Text),
    Column("created_by", BigInteger, ForeignKey("keys.id"), nullable=False),
    Column("created_at", Instant, nullable=False),
    # The revision of the game's entry in the ledger; None while it is in no table.
    Column("entered", BigInteger),
    UniqueConstraint("season_id", "external_id"),
    Index("ix_games_season_id_played_on_id", "season_id", "played_on", "id"),
    Index("ix_games_pending", "season_id", "id", sqlite_where=_IS_PENDING, postgresql_where=_IS_PENDING),
)
"""A game as it stands: what lists filter and sort by. Its facts are in its current version."""

GAME_VERSIONS = Table(
    "game_versions",
    metadata,
    Column("game_id", BigInteger, ForeignKey("games.id"), primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("action", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("revision", BigInteger, nullable=False),
    Column("rule_system", Text, nullable=False),
    Column("rule_version", Integer, nullable=False),
    Column("key_id", BigInteger, ForeignKey("keys.id"), nullable=False),
    Column("role", Text, nullable=False),
    Column("at", Instant, nullable=False),
    Column("reason", Text),
    # Of the facts without who sat where, so that renaming and merging players leave it alone.
    Column("fingerprint", Text, nullable=False),
    # [[seat, player's row number, registered], …], as it was: the player may have been merged since.
    Column("seated", Text, nullable=False),
    # [[seat, millionths], …]
    Column("totals", Text, nullable=False),
    # The game in its canonical form, JSON.
    Column("facts", Text, nullable=False),
)
"""What was written about a game, by whom and why. Append-only."""

SEATS = Table(
    "seats",
    metadata,
    Column("game_id", BigInteger, ForeignKey("games.id"), primary_key=True),
    Column("seat", SmallInteger, primary_key=True),
    Column("player_id", BigInteger, ForeignKey("players.id"), nullable=False),
    # Whether the player's games count where only registered players are rated: as it was when played.
    Column("registered", Boolean, nullable=False),
    Index("ix_seats_player_id_game_id", "player_id", "game_id"),
    sqlite_with_rowid=False,
)
"""Who sits where in a game's current version."""

TRAITS = Table(
    "traits",
    metadata,
    Column("season_id", BigInteger, primary_key=True),
    Column("trait", BigInteger, primary_key=True),
    Column("game_id", BigInteger, primary_key=True),
    sqlite_with_rowid=False,
)
"""What a game is recognised by: hashes of parts of what each of its versions says
(:class:`app.services.games.fingerprint.Traits`). Without foreign keys: rows are derived from versions. Append-only."""


def _approval() -> list[Column[Any]]:
    """What an approval and a former one have in common."""
    return [
        Column("clause", Text, primary_key=True),
        Column("seat", SmallInteger, primary_key=True),
        # The role that decides.
        Column("decider", Text, primary_key=True),
        Column("points", BigInteger, nullable=False),
        Column("state", Text, nullable=False),
        Column("decided_by", BigInteger, ForeignKey("keys.id")),
        Column("decided_role", Text),
        Column("at", Instant),
        Column("note", Text),
    ]


APPROVALS = Table(
    "approvals",
    metadata,
    Column("game_id", BigInteger, ForeignKey("games.id"), primary_key=True),
    *_approval(),
    sqlite_with_rowid=False,
)
"""A line that needs a signature, and what became of it."""

FORMER_APPROVALS = Table(
    "former_approvals",
    metadata,
    Column("game_id", BigInteger, ForeignKey("games.id"), primary_key=True),
    Column("rule_system", Text, primary_key=True),
    *_approval(),
    sqlite_with_rowid=False,
)
"""What became of an approval while the season followed rules that it has left: it stands when they come back."""
