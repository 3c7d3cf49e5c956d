"""The facts of games as they were at a revision: what the reasons of a table's lines are read from."""

from collections.abc import Collection
from typing import NamedTuple

from sqlalchemy import select

from app.repositories.database import Transaction, batches
from app.repositories.tables import GAME_VERSIONS, GAMES


class Facts(NamedTuple):
    """A game's facts and the rules that they were written under."""

    public_id: str
    rule_system: str
    rule_version: int
    facts: str
    """The canonical game, JSON."""


def at(tx: Transaction, game_ids: Collection[int], revision: int) -> dict[int, Facts]:
    """The last version of each game that the season had by ``revision``, by row number."""
    found = {}
    for batch in batches(game_ids):
        query = (
            select(
                GAME_VERSIONS.c.game_id,
                GAMES.c.public_id,
                GAME_VERSIONS.c.rule_system,
                GAME_VERSIONS.c.rule_version,
                GAME_VERSIONS.c.facts,
            )
            .join_from(GAME_VERSIONS, GAMES, GAMES.c.id == GAME_VERSIONS.c.game_id)
            .where(GAME_VERSIONS.c.game_id.in_(batch), GAME_VERSIONS.c.revision <= revision)
            .order_by(GAME_VERSIONS.c.game_id, GAME_VERSIONS.c.version)
        )
        for game_id, *facts in tx.execute(query):
            found[game_id] = Facts._make(facts)
    return found
