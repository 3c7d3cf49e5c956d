"""Checks of a database that has nothing but one season, before it is trusted."""

from typing import NamedTuple

from sqlalchemy import exists, func, select, true

from app.repositories.archive.season_rows import count, parts
from app.repositories.database import Transaction
from app.repositories.tables import CHANGES, GAME_VERSIONS, GAMES, NICKNAMES, PLAYERS, SEASON_RULES, SEASONS


class Extent(NamedTuple):
    """How much there is to prove."""

    turns: int
    """Games times what was done to all of them."""
    facts_of_a_game: int
    """Characters, of all versions of the game that has most."""


def only_season(tx: Transaction) -> int:
    """The row number of the season of a database that has one."""
    return int(tx.execute(select(SEASONS.c.id)).scalar_one())


def strays(tx: Transaction, season_id: int) -> list[str]:
    """The tables that have rows which are not the season's."""
    every = select(func.count())
    return [
        part.name
        for part in parts(tx)
        if count(tx, season_id, part) != tx.execute(every.select_from(part.table)).scalar_one()
    ]


def contradictory(tx: Transaction) -> bool:
    """Whether rows deny one another where nobody else looks.

    A season has fewer changes than revisions, or a game other versions than its number says: whoever counts up to such
    a number may never end. Or a player is not known by his own name, or was merged into who was merged himself, or has
    a name all the same.
    """
    recorded = select(func.count()).where(CHANGES.c.season_id == SEASONS.c.id).scalar_subquery()
    written = select(func.count()).where(GAME_VERSIONS.c.game_id == GAMES.c.id).scalar_subquery()
    named = (NICKNAMES.c.player_id == PLAYERS.c.id) & (NICKNAMES.c.nickname == PLAYERS.c.nickname)
    survivor = PLAYERS.alias()
    lost = PLAYERS.c.merged_into.is_not(None)
    return any(
        tx.execute(found.limit(1)).first() is not None
        for found in (
            select(SEASONS.c.id).where(SEASONS.c.revision > recorded),
            select(GAMES.c.id).where(GAMES.c.version != written),
            select(PLAYERS.c.id).where(~lost, ~exists().where(named)),
            select(PLAYERS.c.id).join(NICKNAMES, NICKNAMES.c.player_id == PLAYERS.c.id).where(lost),
            select(PLAYERS.c.id)
            .join(survivor, survivor.c.id == PLAYERS.c.merged_into)
            .where(survivor.c.merged_into.is_not(None)),
        )
    )


def extent(tx: Transaction) -> Extent:
    """How much there is to prove of a database that has one season."""
    rows_of = select(func.count()).select_from
    done = CHANGES.c.revision.is_not(None) & CHANGES.c.action.in_(("player_merged", "season_reopened"))
    games, rules, followed = (
        tx.execute(rows_of(table).where(which)).scalar_one()
        for table, which in ((GAMES, true()), (SEASON_RULES, true()), (CHANGES, done))
    )
    length = func.sum(func.length(GAME_VERSIONS.c.facts))
    longest = tx.execute(select(length).group_by(GAME_VERSIONS.c.game_id).order_by(length.desc()).limit(1)).scalar()
    return Extent(games * (rules + followed), longest or 0)
