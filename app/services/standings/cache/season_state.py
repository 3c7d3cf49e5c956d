"""The states of seasons that this process has read, and whether they are still so."""

import hashlib
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from app.repositories.database import Database, Transaction
from app.repositories.seasons import season_states
from app.repositories.seasons.season_states import SeasonState
from app.scoring.systems import find_system

_MOST: Final = 10_000
_NOTHING: Final = (None, None)


class StampedState(NamedTuple):
    """A season's state, and ``stamp``: the same for the same answers about the season, whatever is asked."""

    state: SeasonState
    stamp: str


def stamped(state: SeasonState) -> StampedState:
    """The state with its stamp: of the season and its revision, of the rules that it follows, of the code that runs.

    What marks the state tells databases apart that share a Redis, and one that lost commits from what it was before.
    """
    season = state.season
    rules = find_system(season.rule_system, season.rule_version).fingerprint
    parts = (*state.mark, season.public, rules, code_fingerprint())
    return StampedState(state, hashlib.sha256(repr(parts).encode()).hexdigest())


def stamp_of(tx: Transaction, season_id: int) -> str:
    """The stamp of the season as the transaction sees it."""
    return stamped(season_states.by_id(tx, season_id)).stamp


@cache
def code_fingerprint() -> str:
    """Of the code that runs, for another version of it may answer otherwise."""
    package = Path(__file__).parents[4]
    digest = hashlib.sha256()
    for file in sorted(package.rglob("*.py")):
        digest.update(file.relative_to(package).as_posix().encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


class SeasonStates:
    """Seasons by address.

    On SQLite a state is known as long as nobody, in any process, has committed since; on PostgreSQL as long as one
    SELECT finds the season as it was.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._known: dict[tuple[str, str], tuple[int | None, StampedState]] = {}

    async def current(self, club: str, season: str) -> StampedState | None:
        """The season's state if it is known and still so; takes microseconds on SQLite, a shared SELECT on PostgreSQL.

        Raises:
            Unavailable: the database is gone or cannot be asked.
        """
        mark, known = self._known.get((club, season), _NOTHING)
        if known is None:
            return None
        reads = self._database.shared_reads
        if reads is None:
            return known if mark == self._database.change_mark() else None
        return known if await season_states.is_unchanged_now(reads, known.state) else None

    def read(self, club: str, season: str) -> StampedState | None:
        """The season's state as the database has it; None when there is no such season.

        Raises:
            Unavailable: the database is gone or crowded out.
        """
        # Looked at first: what is committed between this and the SELECT is read, and seen as a change all the same.
        mark = self._database.change_mark()
        _, known = self._known.get((club, season), _NOTHING)
        with self._database.glance() as tx:
            if known is None or not season_states.is_unchanged(tx, known.state):
                state = season_states.find(tx, club, season)
                known = None if state is None else stamped(state)
        if known is not None:
            if len(self._known) >= _MOST:
                self._known.clear()
            self._known[club, season] = (mark, known)
        return known
