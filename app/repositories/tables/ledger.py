"""What tables of a season are the sum of."""

from datetime import date

from sqlalchemy import BigInteger, CheckConstraint, Index, SmallInteger, Text
from sqlmodel import Field

from app.repositories.tables.base import StoredTable, metadata


class LedgerRow(StoredTable, table=True):
    """One seat of one game entered into a season's tables (+1) or taken out again (-1). Append-only.

    Clustered by season and revision, so what came after a revision is one range. Without foreign keys: rows are derived
    from facts, thirty checks a game cost more than the insert, and the audit proves more than they would.
    """

    __tablename__ = "ledger"
    __table_args__ = (
        CheckConstraint("sign IN (-1, 1)", name="sign"),
        Index("ix_ledger_season_id_player_id", "season_id", "player_id"),
        {"sqlite_with_rowid": False},
    )

    season_id: int = Field(primary_key=True, sa_type=BigInteger)
    revision: int = Field(primary_key=True, sa_type=BigInteger)
    game_id: int = Field(primary_key=True, sa_type=BigInteger)
    seat: int = Field(primary_key=True, sa_type=SmallInteger)
    sign: int = Field(primary_key=True, sa_type=SmallInteger)
    opens: bool
    """True on one row of every entry, so that games are counted once."""
    player_id: int = Field(sa_type=BigInteger)
    registered: bool
    role: str = Field(sa_type=Text)
    team: str = Field(sa_type=Text)
    result: str = Field(sa_type=Text)
    outcome: str = Field(sa_type=Text)
    stage: str | None = Field(sa_type=Text)
    first_kill: bool
    played_on: date
    points: int = Field(sa_type=BigInteger)
    """Millionths; the sum of the lines, never negated: ``sign`` says which way it counts."""
    lines: str = Field(sa_type=Text)
    """[[clause, code, category, millionths], …]"""


class KeptSums(StoredTable, table=True):
    """A season's ledger added up to a revision, so that a cold start reads what came after it only."""

    __tablename__ = "kept_sums"

    season_id: int = Field(primary_key=True, foreign_key="seasons.id", sa_type=BigInteger)
    revision: int = Field(sa_type=BigInteger)
    sums: str = Field(sa_type=Text)
    """JSON, see :func:`app.repositories.games.ledger.store_sums`."""


LEDGER = metadata.tables["ledger"]
KEPT_SUMS = metadata.tables["kept_sums"]
