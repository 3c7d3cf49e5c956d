"""The days of a season."""

from app.repositories.database import Transaction
from app.repositories.games import days
from app.repositories.games.days import Day as Day
from app.services.standings.standings import Table


def season_days(tx: Transaction, table: Table) -> list[Day]:
    """Return the days with games that count in the table, the first day first."""
    return days.of_season(tx, table.state.season.id, hidden=table.hidden)
