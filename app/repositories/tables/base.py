"""What the tables have in common: one set of names, row numbers, times."""

from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import BigInteger, Dialect, Integer, MetaData, TypeDecorator

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

Serial = BigInteger().with_variant(Integer, "sqlite")
"""Row numbers; SQLite numbers rows by itself only where the column says INTEGER."""


class Instant(TypeDecorator[datetime]):
    """A moment as microseconds since 1970 UTC: the same whole number, the same order, in either database."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:
        """Microseconds; a moment without a zone is refused by Python's own arithmetic."""
        return None if value is None else (value - _EPOCH) // _MICROSECOND

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        """The moment, in UTC."""
        return None if value is None else _EPOCH + value * _MICROSECOND


metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)
"""All tables: what migrations are compared with."""
