"""What a process keeps at hand to answer about seasons' tables."""

from app.repositories.database import Database
from app.repositories.standings.shared_cache import SharedCache
from app.services.standings.cache.answers import AnswerCache
from app.services.standings.cache.season_state import SeasonStates
from app.services.standings.cache.tallies import TalliesCache


class Scoreboard:
    """States, tallies and ready answers of the seasons that are asked for.

    Args:
        database: where the seasons are.
        cache_url: a Redis that several processes share ready answers in; None: each keeps its own.
    """

    def __init__(self, database: Database, cache_url: str | None = None) -> None:
        self.database = database
        self.cache = None if cache_url is None else SharedCache(cache_url)
        self.season_states = SeasonStates(database)
        self.tallies = TalliesCache()
        self.answers = AnswerCache(self.cache)

    def shares(self) -> bool | None:
        """Whether the shared cache answers; None when there is none to ask. Takes a quarter of a second at most."""
        return None if self.cache is None else self.cache.answers()

    def close(self) -> None:
        """Let go of the shared cache."""
        if self.cache is not None:
            self.cache.close()
