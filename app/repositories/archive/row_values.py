"""The values of a row as a file had them, read back for the columns that they are to be stored in."""

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from functools import partial
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from sqlalchemy import BigInteger, Boolean, Column, Date, Integer, SmallInteger, Text

from app.repositories.archive.season_rows import TableRows
from app.repositories.tables import Instant

Kind: TypeAlias = Literal["number", "flag", "day", "moment", "text"]


class ColumnReader(NamedTuple):
    """How the values of one column are read."""

    column: str
    kind: Kind
    read: Callable[[Any], Any]
    """Raises ValueError for what is none of this kind."""


def readers(part: TableRows) -> list[ColumnReader]:
    """One for each column of a part, in order."""
    return [_reader(part.table.c[name]) for name in part.columns]


def _reader(column: Column[Any]) -> ColumnReader:
    kind, read = _KINDS[type(column.type)]
    return ColumnReader(column.name, kind, partial(_or_none, read) if column.nullable else read)


def _or_none(read: Callable[[Any], Any], value: object) -> object:
    return None if value is None else read(value)


def _whole(bits: int, value: object) -> int:
    if type(value) is not int or not -(1 << bits) <= value < 1 << bits:
        raise ValueError
    return value


def _flag(value: object) -> bool:
    if type(value) is not bool:
        raise ValueError
    return value


def _text(value: object) -> str:
    if type(value) is not str or "\0" in value:
        raise ValueError
    return value


def _day(value: object) -> date:
    return date.fromisoformat(_text(value))


def _moment(value: object) -> datetime:
    moment = datetime.fromisoformat(_text(value))
    if moment.utcoffset() is None:
        raise ValueError
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise ValueError from None


_KINDS: Final[Mapping[type, tuple[Kind, Callable[[Any], Any]]]] = {
    BigInteger: ("number", partial(_whole, 63)),
    Integer: ("number", partial(_whole, 31)),
    SmallInteger: ("number", partial(_whole, 15)),
    Boolean: ("flag", _flag),
    Date: ("day", _day),
    Instant: ("moment", _moment),
    Text: ("text", _text),
}
