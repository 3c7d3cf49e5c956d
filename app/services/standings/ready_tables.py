"""Answers about a season's table: how one is built that is not ready (docs/decisions/0005-ready-tables.md)."""

from collections.abc import Callable
from typing import TypeAlias

from app.services.standings.cache.answers import AnswerKey, BuiltAnswer, Openness, View
from app.services.standings.cache.scoreboard import Scoreboard
from app.services.standings.cache.season_state import stamped
from app.services.standings.standings import Table, open_table
from app.services.storage import Transaction

Write: TypeAlias = Callable[[Transaction, Table], bytes]
"""Makes the body of an answer from a table and the state of the database that it was read in."""


def build(scoreboard: Scoreboard, season_id: int, view: View, write: Write) -> BuiltAnswer:
    """The answer, under the key of what was read for it.

    Raises:
        InvalidInput: the table has no such column.
        Unavailable: the database is gone or crowded out.
    """
    # The orders of another system are not the season's own.
    asked = view.asked if view.under is None else view.asked._replace(order=None)
    with open_table(scoreboard.database, scoreboard.tallies, season_id, asked) as (tx, table):
        season, state = table.state.season, stamped(table.state)
        openness = Openness(season.public, season.hidden_stage, season.hidden_day)
        return BuiltAnswer(AnswerKey(state.stamp, view), openness, write(tx, table))
