"""What an audit reads that no use case does: everything that a season ever was, each row of it."""

from collections.abc import Iterator
from datetime import date, datetime
from typing import Any, NamedTuple

from sqlalchemy import Select, func, select

from app.repositories.database import Transaction
from app.repositories.games.games import VERSION_COLUMNS, Version
from app.repositories.games.ledger import Seat
from app.repositories.tables import (
    CHANGES,
    CLUBS,
    GAME_VERSIONS,
    GAMES,
    KEPT_SUMS,
    LEDGER,
    NICKNAMES,
    SEASON_RULES,
    SEASONS,
)

_AT_ONCE = 5000
_FACTS_AT_ONCE = 500
"""Of what is a kilobyte or two each."""


class GameRow(NamedTuple):
    """A game's own row."""

    id: int
    public_id: str
    external_id: str | None
    version: int
    status: str
    played_on: date
    stage: str | None
    created_by: int
    created_at: datetime
    entered: int | None


class RecordedVersion(NamedTuple):
    """A version of a game, and its journal record: nothing where it was created with others."""

    game_id: int
    version: Version
    action: str | None
    detail: str | None


class StoredLedgerRow(NamedTuple):
    """A row of the ledger as it is stored; ``lines`` is JSON (:func:`app.repositories.games.ledger.lines_written`)."""

    game_id: int
    revision: int
    sign: int
    number: int
    played_on: date
    seat: Seat
    points: int
    lines: str


class ChangeRow(NamedTuple):
    """A change, as far as it says something about other rows; ``detail`` is JSON."""

    id: int
    revision: int | None
    at: datetime
    action: str
    target: str
    detail: str | None


class RulesPeriod(NamedTuple):
    """From which revision on a season followed which rules."""

    revision: int
    rule_system: str
    rule_version: int


def season_ids(tx: Transaction) -> list[int]:
    """The row number of every season there is."""
    return list(tx.execute(select(SEASONS.c.id).join(CLUBS).order_by(CLUBS.c.slug, SEASONS.c.slug)).scalars())


def club_ids(tx: Transaction) -> list[int]:
    """The row number of every club there is."""
    return list(tx.execute(select(CLUBS.c.id).order_by(CLUBS.c.slug)).scalars())


def game_rows(tx: Transaction, season_id: int) -> Iterator[GameRow]:
    """Every game of the season in the order of row numbers."""
    query = select(*(GAMES.c[name] for name in GameRow._fields)).where(GAMES.c.season_id == season_id)
    return map(GameRow._make, _streamed(tx, query.order_by(GAMES.c.id)))


def recorded_versions(tx: Transaction, season_id: int) -> Iterator[RecordedVersion]:
    """Every version of every game of the season, by game and version."""
    recorded = (
        (CHANGES.c.season_id == GAMES.c.season_id)
        & (CHANGES.c.revision == GAME_VERSIONS.c.revision)
        & (CHANGES.c.target == GAMES.c.public_id)
    )
    columns = [GAME_VERSIONS.c[name] for name in VERSION_COLUMNS]
    query = (
        select(GAME_VERSIONS.c.game_id, *columns, CHANGES.c.action.label("recorded_action"), CHANGES.c.detail)
        .join_from(GAME_VERSIONS, GAMES, GAMES.c.id == GAME_VERSIONS.c.game_id)
        .outerjoin(CHANGES, recorded)
        .where(GAMES.c.season_id == season_id)
        .order_by(GAME_VERSIONS.c.game_id, GAME_VERSIONS.c.version)
    )
    for game_id, *version, action, detail in _streamed(tx, query, _FACTS_AT_ONCE):
        yield RecordedVersion(game_id, Version._make(version), action, detail)


def ledger_rows(tx: Transaction, season_id: int) -> Iterator[StoredLedgerRow]:
    """Every row that the season's ledger ever got, by game."""
    place = (LEDGER.c.game_id, LEDGER.c.revision, LEDGER.c.sign, LEDGER.c.seat)
    seat = [LEDGER.c[name] for name in Seat._fields]
    query = select(*place, LEDGER.c.played_on, *seat, LEDGER.c.points, LEDGER.c.lines)
    rows = _streamed(tx, query.where(LEDGER.c.season_id == season_id).order_by(*place))
    for game_id, revision, sign, number, day, *facts, points, lines in rows:
        yield StoredLedgerRow(game_id, revision, sign, number, day, Seat._make(facts), points, lines)


def change_rows(tx: Transaction, season_id: int) -> Iterator[ChangeRow]:
    """Every change of the season, by revision."""
    query = select(*(CHANGES.c[name] for name in ChangeRow._fields)).where(CHANGES.c.season_id == season_id)
    return map(ChangeRow._make, _streamed(tx, query.order_by(CHANGES.c.revision, CHANGES.c.id)))


def change_rows_of_club(tx: Transaction, club_id: int) -> Iterator[ChangeRow]:
    """Every change of the club that is of none of its seasons, the first first."""
    query = select(*(CHANGES.c[name] for name in ChangeRow._fields))
    query = query.where(CHANGES.c.club_id == club_id, CHANGES.c.season_id.is_(None))
    return map(ChangeRow._make, _streamed(tx, query.order_by(CHANGES.c.id)))


def changes_of(tx: Transaction, club_id: int, action: str) -> list[ChangeRow]:
    """All changes of one kind in the club and its seasons, the first first."""
    query = select(*(CHANGES.c[name] for name in ChangeRow._fields))
    query = query.where(CHANGES.c.club_id == club_id, CHANGES.c.action == action)
    return [ChangeRow._make(row) for row in tx.execute(query.order_by(CHANGES.c.id))]


def nicknames(tx: Transaction, club_id: int) -> dict[str, int]:
    """The row number of whom each folded nickname of the club means."""
    query = select(NICKNAMES.c.folded, NICKNAMES.c.player_id).where(NICKNAMES.c.club_id == club_id)
    return {row.folded: row.player_id for row in tx.execute(query)}


def rules(tx: Transaction, season_id: int) -> list[RulesPeriod]:
    """All rules that the season ever followed, the first first."""
    query = select(*(SEASON_RULES.c[name] for name in RulesPeriod._fields)).where(SEASON_RULES.c.season_id == season_id)
    return [RulesPeriod._make(row) for row in tx.execute(query.order_by(SEASON_RULES.c.revision))]


def kept_sums_revision(tx: Transaction, season_id: int) -> int | None:
    """The revision up to which the season's sums are stored; None when there are none."""
    revision = tx.execute(select(KEPT_SUMS.c.revision).where(KEPT_SUMS.c.season_id == season_id)).scalar()
    return None if revision is None else int(revision)


def seasons_in_ledger(tx: Transaction) -> Iterator[int]:
    """The row numbers of seasons that the ledger has rows of, found without reading the rows."""
    last = tx.execute(select(func.min(LEDGER.c.season_id))).scalar()
    while last is not None:
        yield int(last)
        last = tx.execute(select(func.min(LEDGER.c.season_id)).where(LEDGER.c.season_id > last)).scalar()


def _streamed(tx: Transaction, query: Select[Any], at_once: int = _AT_ONCE) -> Iterator[Any]:
    return iter(tx.execute(query.execution_options(yield_per=at_once)))
