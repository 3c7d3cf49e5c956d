"""Whether a player is registered in the club and since which day, as a request says it."""

from collections.abc import Mapping
from datetime import date
from typing import Any, Final, NamedTuple

from app.repositories.clubs.players import Player
from app.scoring.text import words
from app.scoring.violation import Violation
from app.services.access import Caller
from app.services.errors import Forbidden
from app.validation import InvalidInput

BACKDATE: Final = frozenset({"chief_judge", "president"})
"""The roles that may register a player as of a day before today, or of a game."""

_FUTURE: Final = words("нужна дата не позже сегодняшней в клубе: {}", "expected a day up to the club's today, {}")
_OTHERWISE: Final = words(
    "registered и registered_on противоречат друг другу", "registered and registered_on contradict each other"
)
_TOO_EARLY: Final = words(
    "Зарегистрировать игрока задним числом или днём игры может главный судья или президент.",
    "A player is registered as of an earlier day, or of a game's, by a chief judge or the president.",
)


class Registration(NamedTuple):
    """Whether a player is registered, and since when."""

    registered: bool
    on: date | None


def requested(caller: Caller, given: Mapping[str, Any], today: date) -> Registration | None:
    """Return the registration that a request asks for; None: it says nothing of it.

    Args:
        caller: who asks.
        given: ``registered`` and ``registered_on``, each if the request says it; no day means not registered.
        today: the club's.

    Raises:
        InvalidInput: the day lies ahead, or the two contradict each other.
        Forbidden: a day before today, from a judge.
    """
    said = given.get("registered")
    if "registered_on" not in given:
        return None if said is None else Registration(said, today if said else None)
    day = given["registered_on"]
    if said is not None and said != (day is not None):
        raise InvalidInput([Violation("value", "/registered", _OTHERWISE, actual=said)])
    if day is not None and day > today:
        limit = today.isoformat()
        raise InvalidInput([Violation("value", "/registered_on", _FUTURE, (limit,), limit, day.isoformat())])
    if day is not None and day < today:
        demand_backdating(caller)
    return Registration(day is not None, day)


def demand_backdating(caller: Caller) -> None:
    """Check that the caller may register players as of an earlier day, or of a game's.

    Raises:
        Forbidden: the caller is no chief judge and no president.
    """
    if caller.role not in BACKDATE:
        raise Forbidden(_TOO_EARLY)


def was_registered(player: Player, day: date) -> bool:
    """Whether the player was in the club on that day."""
    return player.registered and (player.registered_on is None or player.registered_on <= day)
