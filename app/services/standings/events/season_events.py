"""What happened to a season, a revision at a time."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from app.repositories.database import Transaction
from app.repositories.games.hidden_games import HiddenGames
from app.repositories.seasons import season_events
from app.repositories.seasons.season_events import ChangedGame as ChangedGame

MOST_NAMED: Final = 100
"""So many games of a revision are named; how many more there are is said."""

_OF_ONE_GAME: Final = "game_"
"""How actions of the journal begin that give a version to one game, their target."""

_OF_MANY_GAMES: Final = frozenset({"games_imported", "season_changed", "season_reopened", "player_registered"})
"""Actions under which many games may get a version."""


class SeasonEvent(NamedTuple):
    """A revision of a season, and the games that got a version under it."""

    revision: int
    games: Sequence[ChangedGame]
    """The first :data:`MOST_NAMED`."""
    more: int
    """How many games there are beyond those."""


def events_between(
    tx: Transaction, season_id: int, *, after: int, up_to: int, hidden: HiddenGames | None = None
) -> list[SeasonEvent]:
    """Return an event for each revision between two, the second included; hidden games are not named.

    The transaction must see the second one. That a player was renamed or merged gives no game a version.
    """
    recorded = season_events.steps(tx, season_id, after=after, up_to=up_to)
    one = {step.target for step in recorded if step.action.startswith(_OF_ONE_GAME)}
    many = {step.revision for step in recorded if step.action in _OF_MANY_GAMES}
    changed = season_events.games_named(tx, one, after=after, up_to=up_to) if one else []
    changed = [game for game in changed if game.revision not in many]
    if many:
        changed += season_events.games_under(tx, season_id, many)
    games: dict[int, list[ChangedGame]] = {revision: [] for revision in range(after + 1, up_to + 1)}
    for game in changed:
        if hidden is None or not hidden.has(game.played_on, game.stage):
            games[game.revision].append(game)
    return [
        SeasonEvent(revision, of_revision[:MOST_NAMED], max(0, len(of_revision) - MOST_NAMED))
        for revision, of_revision in games.items()
    ]
