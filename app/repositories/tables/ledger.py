"""What tables of a season are the sum of."""

from sqlalchemy import BigInteger, Boolean, CheckConstraint, Column, Date, ForeignKey, Index, SmallInteger, Table, Text

from app.repositories.tables.base import metadata

LEDGER = Table(
    "ledger",
    metadata,
    Column("season_id", BigInteger, primary_key=True),
    Column("revision", BigInteger, primary_key=True),
    Column("game_id", BigInteger, primary_key=True),
    Column("seat", SmallInteger, primary_key=True),
    Column("sign", SmallInteger, primary_key=True),
    # True on one row of every entry, so that games are counted once.
    Column("opens", Boolean, nullable=False),
    Column("player_id", BigInteger, nullable=False),
    Column("registered", Boolean, nullable=False),
    Column("role", Text, nullable=False),
    Column("team", Text, nullable=False),
    Column("result", Text, nullable=False),
    Column("outcome", Text, nullable=False),
    Column("stage", Text),
    Column("first_kill", Boolean, nullable=False),
    Column("played_on", Date, nullable=False),
    # Millionths; the sum of the lines, never negated: ``sign`` says which way it counts.
    Column("points", BigInteger, nullable=False),
    # [[clause, code, category, millionths], …]
    Column("lines", Text, nullable=False),
    CheckConstraint("sign IN (-1, 1)", name="sign"),
    Index("ix_ledger_season_id_player_id", "season_id", "player_id"),
    sqlite_with_rowid=False,
)
"""One seat of one game entered into a season's tables (+1) or taken out again (-1). Append-only.

Clustered by season and revision, so what came after a revision is one range. Without foreign keys: rows are derived
from facts, thirty checks a game cost more than the insert, and the audit proves more than they would."""

KEPT_SUMS = Table(
    "kept_sums",
    metadata,
    Column("season_id", BigInteger, ForeignKey("seasons.id"), primary_key=True),
    Column("revision", BigInteger, nullable=False),
    # JSON, see :func:`app.repositories.games.ledger.store_sums`.
    Column("sums", Text, nullable=False),
)
"""A season's ledger added up to a revision, so that a cold start reads what came after it only."""
