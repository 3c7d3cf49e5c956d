"""The days on which the counted games of a season were played."""

from collections.abc import Iterator
from datetime import date
from typing import NamedTuple

from sqlalchemy import ColumnElement, distinct, func, select

from app.repositories.database import Transaction
from app.repositories.games.hidden_games import HiddenGames
from app.repositories.games.ledger import SEAT, Seat, Sum, lines_read
from app.repositories.tables import GAMES, LEDGER

_TIMES = func.sum(LEDGER.c.sign)
_IN_FORCE = (
    (LEDGER.c.season_id == GAMES.c.season_id)
    & (LEDGER.c.revision == GAMES.c.entered)
    & (LEDGER.c.game_id == GAMES.c.id)
    & (LEDGER.c.sign == 1)
)
"""The entry of a game as it stands: a range of the ledger's own order."""


class Day(NamedTuple):
    """A day with counted games."""

    day: date
    games: int
    players: int
    """How many different ones sat in them."""


def of_season(tx: Transaction, season_id: int, *, hidden: HiddenGames | None = None) -> list[Day]:
    """The season's days with counted games that are not hidden, the first day first."""
    query = (
        select(GAMES.c.played_on, func.count(distinct(GAMES.c.id)), func.count(distinct(LEDGER.c.player_id)))
        .join(LEDGER, _IN_FORCE)
        .where(*_counted(season_id, None, hidden))
        .group_by(GAMES.c.played_on)
        .order_by(GAMES.c.played_on)
    )
    return [Day(*row) for row in tx.execute(query)]


def last(
    tx: Transaction,
    season_id: int,
    *,
    as_of: date | None = None,
    hidden: HiddenGames | None = None,
    stage: str | None = None,
) -> date | None:
    """The last day, up to ``as_of``, with a counted game that is not hidden, of ``stage`` if given."""
    query = select(GAMES.c.played_on).where(*_counted(season_id, as_of, hidden))
    if stage is not None:
        query = query.where(GAMES.c.stage == stage)
    day: date | None = tx.execute(query.order_by(GAMES.c.played_on.desc(), GAMES.c.id.desc()).limit(1)).scalar()
    return day


def last_at(
    tx: Transaction,
    season_id: int,
    revision: int,
    *,
    as_of: date | None = None,
    hidden: HiddenGames | None = None,
    stage: str | None = None,
) -> date | None:
    """As :func:`last`, of the games that counted at a revision; reads the season's ledger."""
    limits = [LEDGER.c.season_id == season_id, LEDGER.c.revision <= revision, LEDGER.c.opens]
    limits += _limits(LEDGER.c.played_on, as_of) + ([] if hidden is None else hidden.shown_in(LEDGER))
    if stage is not None:
        limits.append(LEDGER.c.stage == stage)
    days = select(LEDGER.c.played_on).where(*limits).group_by(LEDGER.c.played_on).having(_TIMES > 0)
    day: date | None = tx.execute(days.order_by(LEDGER.c.played_on.desc()).limit(1)).scalar()
    return day


def entered_after(
    tx: Transaction, season_id: int, day: date, *, as_of: date | None = None, hidden: HiddenGames | None = None
) -> Iterator[Sum]:
    """Each seat of the counted games played after ``day`` and up to ``as_of`` that are not hidden."""
    query = (
        select(*SEAT, LEDGER.c.lines)
        .select_from(GAMES)
        .join(LEDGER, _IN_FORCE)
        .where(*_counted(season_id, as_of, hidden), GAMES.c.played_on > day)
    )
    for *seat, lines in tx.execute(query):
        yield Sum(Seat._make(seat), lines_read(lines), 1)


def _counted(season_id: int, as_of: date | None, hidden: HiddenGames | None) -> list[ColumnElement[bool]]:
    limits = [GAMES.c.season_id == season_id, GAMES.c.entered.is_not(None)]
    return limits + _limits(GAMES.c.played_on, as_of) + ([] if hidden is None else hidden.shown_in(GAMES))


def _limits(day: ColumnElement[date], as_of: date | None) -> list[ColumnElement[bool]]:
    return [] if as_of is None else [day <= as_of]
