"""Which table of a season is requested."""

from datetime import date
from typing import NamedTuple

from app.repositories.games.hidden_games import HiddenGames
from app.scoring.terms import Stage


class TableQuery(NamedTuple):
    """Which table of a season is requested."""

    order: str | None = None
    """A column to order or sort by; None: the system's own order."""
    unpublished: bool = False
    """Whether players below the threshold of publication are shown too."""
    as_of: date | None = None
    """Only games played up to this day, as they are known now or at ``revision``."""
    revision: int | None = None
    """As recorded then; None: now."""
    stage: Stage | None = None
    """Of a tournament, the table that the games of this stage alone make; None: of all games."""
    hidden: HiddenGames | None = None
    """Without these games; None: none are hidden from whoever asks."""
    moves_since: date | None = None
    """As of which day players are told their former places; None: before the last day that has a game."""
