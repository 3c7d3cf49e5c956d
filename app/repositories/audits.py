"""What an audit reads that no use case does: everything that a season ever was, a little of each row."""

from collections.abc import Iterator
from typing import NamedTuple

from sqlalchemy import func, select

from app.repositories.database import Transaction
from app.repositories.tables import CHANGES, CLUBS, GAME_VERSIONS, GAMES, KEPT_SUMS, LEDGER, SEASONS

_AT_ONCE = 5000


class Passed(NamedTuple):
    """A version of a game, without what it says."""

    game_id: int
    version: int
    action: str
    status: str
    revision: int


class Made(NamedTuple):
    """An entry of a game into the ledger."""

    game_id: int
    revision: int
    rows: int


def season_ids(tx: Transaction) -> list[int]:
    """The row number of every season there is."""
    return list(tx.execute(select(SEASONS.c.id).join(CLUBS).order_by(CLUBS.c.slug, SEASONS.c.slug)).scalars())


def recorded_revisions(tx: Transaction, season_id: int) -> set[int]:
    """The revisions of the season that somebody's change was written down under."""
    query = select(CHANGES.c.revision).where(CHANGES.c.season_id == season_id, CHANGES.c.revision > 0)
    return {revision for revision in tx.execute(query).scalars() if revision is not None}


def passed(tx: Transaction, season_id: int) -> Iterator[Passed]:
    """Every version of every game of the season, by game and version."""
    query = (
        select(*(GAME_VERSIONS.c[name] for name in Passed._fields))
        .join(GAMES, GAMES.c.id == GAME_VERSIONS.c.game_id)
        .where(GAMES.c.season_id == season_id)
        .order_by(GAME_VERSIONS.c.game_id, GAME_VERSIONS.c.version)
    )
    return map(Passed._make, tx.execute(query.execution_options(yield_per=_AT_ONCE)))


def made(tx: Transaction, season_id: int) -> Iterator[Made]:
    """Every entry that the ledger ever got, by game and revision; those that were reversed too."""
    query = (
        select(LEDGER.c.game_id, LEDGER.c.revision, func.count())
        .where(LEDGER.c.season_id == season_id, LEDGER.c.sign == 1)
        .group_by(LEDGER.c.game_id, LEDGER.c.revision)
        .order_by(LEDGER.c.game_id, LEDGER.c.revision)
    )
    return map(Made._make, tx.execute(query.execution_options(yield_per=_AT_ONCE)))


def kept_sums_revision(tx: Transaction, season_id: int) -> int | None:
    """The revision up to which the season's ledger is kept added up; None when it is not."""
    revision = tx.execute(select(KEPT_SUMS.c.revision).where(KEPT_SUMS.c.season_id == season_id)).scalar()
    return None if revision is None else int(revision)
