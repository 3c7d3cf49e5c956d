"""Players of a club: create them, and find them by any nickname they ever had."""

import unicodedata
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from functools import lru_cache
from typing import Any, Final, NamedTuple

from app.repositories.clubs import clubs, players
from app.repositories.clubs.clubs import Club
from app.repositories.clubs.players import Newcomer, Player
from app.repositories.database import Transaction
from app.repositories.database.pages import Page
from app.scoring.nickname import folded
from app.scoring.text import words
from app.scoring.violation import Violation
from app.services import journal
from app.services.access import Caller, club_for
from app.services.clubs.clubs import day_at
from app.services.clubs.registration import Registration, requested
from app.services.errors import Conflict, NotFound
from app.services.journal import Scope
from app.services.storage.settings_tag import settings_tag
from app.spelling import TO_LATIN, Spellings
from app.validation import InvalidInput

NOBODY_SINCE: Final[Mapping[str, date]] = {}
"""No days of registration."""

_NO_PLAYER: Final = words("Нет такого игрока.", "Player not found.")
_NOT_OF_CLUB: Final = words("в клубе нет такого игрока", "player not found in the club")
_TAKEN: Final = words(
    "Ник занят: это нынешний или прежний ник игрока «{}».", "The nickname is or was used by the player {}."
)

_MERGED: Final = words("Игрок «{}» объединён с другим: теперь это «{}».", "The player {} was merged into {}.")

_MOST_SUGGESTIONS: Final = 3

_LOOK_ALIKES: Final = TO_LATIN | str.maketrans("01", "ol")


class PlayerWithAliases(NamedTuple):
    """A player and the former nicknames."""

    player: Player
    aliases: list[str]
    merged_into: str | None = None
    """The public id of the survivor, who has all the nicknames of a merged player."""


def create(
    tx: Transaction, caller: Caller, club: str, *, nickname: str, registration: Mapping[str, Any], now: datetime
) -> PlayerWithAliases:
    """Create a player of the club, registered as of the club's today unless ``registration`` says otherwise.

    ``registration`` has ``registered`` and ``registered_on``, each if the request says it.

    Raises:
        Unauthorized, Forbidden: only judges, chief judges and presidents create players; a judge registers nobody as
            of an earlier day.
        NotFound: there is no such club.
        InvalidInput: see :func:`app.services.clubs.registration.requested`.
        Conflict: ``nickname_taken``, with the player in ``existing``.
    """
    found = club_for(tx, caller, club, "create_player")
    locked = clubs.lock(tx, found.id)
    today = day_at(locked, now)
    asked = requested(caller, registration, today) or Registration(registered=True, on=today)
    demand_free(tx, found.id, nickname)
    created = _create(tx, caller, found, {nickname: asked.on}, now)
    return PlayerWithAliases(created[folded(nickname)], [])


def get(tx: Transaction, caller: Caller, club: str, player: str) -> PlayerWithAliases:
    """Return a player of the club, merged or not.

    Raises:
        Unauthorized: players are shown to the club's keys only.
        NotFound: there is no such player, or no such club for the caller.
    """
    found = club_for(tx, caller, club, "get_player")
    return with_aliases(tx, [find(tx, found.id, player)])[0]


def page(
    tx: Transaction, caller: Caller, club: str, *, nickname: str | None, cursor: str | None, limit: int
) -> Page[PlayerWithAliases]:
    """Return the club's players, oldest first; with a nickname, the one whom it means or nobody.

    Raises:
        Unauthorized: players are shown to the club's keys only.
        NotFound: there is no such club for the caller.
        NotACursor: the cursor belongs to another list.
    """
    found = club_for(tx, caller, club, "list_players")
    if nickname is not None:
        return Page(with_aliases(tx, resolve(tx, found.id, [nickname]).values()), None)
    listed = players.page(tx, found.id, cursor=cursor, limit=limit)
    return Page(with_aliases(tx, listed.items), listed.next_cursor)


def tag_of(player: Player) -> str:
    """Return the tag of the player's settings."""
    return settings_tag(*player)


def find(tx: Transaction, club_id: int, player: str) -> Player:
    """Return a player of the club by public id.

    Raises:
        NotFound: the club has none.
    """
    found = players.by_public_id(tx, club_id, player)
    if found is None:
        raise NotFound(_NO_PLAYER)
    return found


def demand_player(player: Player | None, pointer: str) -> Player:
    """Return the player of the club that a request names at ``pointer``.

    Raises:
        InvalidInput: the club has none.
    """
    if player is None:
        raise InvalidInput([Violation("value", pointer, _NOT_OF_CLUB)])
    return player


def demand_unmerged(tx: Transaction, player: Player) -> None:
    """Check that the player was not merged into another.

    Raises:
        Conflict: ``player_merged``, with the survivor in ``existing``.
    """
    if player.merged_into is not None:
        survivor = players.survivors(tx, [player])[player.id]
        existing = {"id": survivor.public_id, "nickname": survivor.nickname}
        raise Conflict("player_merged", _MERGED, player.nickname, survivor.nickname, existing=existing)


def resolve(tx: Transaction, club_id: int, nicknames: Iterable[str]) -> dict[str, Player]:
    """Return the player whom each nickname means, by folded nickname, former ones included; leave out unknown ones."""
    return players.named(tx, club_id, {folded(nickname) for nickname in nicknames})


class KnownNicknames:
    """The nicknames of a club's players by their looks, to find whom unknown nicknames may mean."""

    def __init__(self, tx: Transaction, club_id: int) -> None:
        self._current: dict[str, str] = {}
        for name, current in players.known_as(tx, club_id):
            self._current.setdefault(outline(name), current)
        self._spellings = Spellings(self._current)

    def near(self, nickname: str) -> list[str]:
        """Return up to three current nicknames of players whom an unknown nickname may mean, the likeliest first.

        Letters of either alphabet that look alike are equal, and former nicknames suggest the current one.
        """
        near = self._spellings.nearest(outline(folded(nickname)), 2 * _MOST_SUGGESTIONS)
        return list(dict.fromkeys(self._current[name] for name in near))[:_MOST_SUGGESTIONS]


@lru_cache(maxsize=16384)
def outline(name: str) -> str:
    """Return a folded nickname without accents, with Latin letters for all that look like them."""
    bare = "".join(letter for letter in unicodedata.normalize("NFD", name) if not unicodedata.combining(letter))
    return bare.translate(_LOOK_ALIKES)


def enrol(
    tx: Transaction,
    caller: Caller,
    club: Club,
    nicknames: Iterable[str],
    *,
    registered: bool,
    since: Mapping[str, date] = NOBODY_SINCE,
    now: datetime,
) -> dict[str, Player]:
    """Return the player whom each nickname means, by folded nickname; create those who do not exist.

    New players are registered as of the day in ``since``, by folded nickname; the others as of the club's today if
    ``registered``. This locks the club. If a season must be locked too, lock the season first.
    """
    wanted = {folded(nickname): nickname for nickname in nicknames}
    clubs.lock(tx, club.id)
    known = players.named(tx, club.id, wanted)
    today = day_at(club, now) if registered else None
    days = {nickname: since.get(name, today) for name, nickname in wanted.items() if name not in known}
    return known | _create(tx, caller, club, days, now)


def _create(
    tx: Transaction, caller: Caller, club: Club, days: Mapping[str, date | None], now: datetime
) -> dict[str, Player]:
    """Create players by nickname, each registered as of a day or not at all."""
    newcomers = [Newcomer(nickname, folded(nickname), day is not None, day) for nickname, day in days.items()]
    created = players.add(tx, club.id, newcomers, now)
    for player in created.values():
        journal.record(tx, caller, player.public_id, "player_created", Scope(club.id), now)
    return created


def with_aliases(tx: Transaction, found: Iterable[Player]) -> list[PlayerWithAliases]:
    """Return the players with their former nicknames and, where merged, their survivors."""
    listed = list(found)
    aliases = players.aliases(tx, [player.id for player in listed])
    survivors = players.survivors(tx, listed)
    return [
        PlayerWithAliases(
            player,
            aliases.get(player.id, []),
            None if player.merged_into is None else survivors[player.id].public_id,
        )
        for player in listed
    ]


def demand_free(tx: Transaction, club_id: int, nickname: str, *, but_for: int | None = None) -> None:
    """Check that the nickname means nobody in the club but the player with this row number.

    Raises:
        Conflict: ``nickname_taken``, with the player in ``existing``.
    """
    taken = resolve(tx, club_id, [nickname])
    for player in taken.values():
        if player.id != but_for:
            existing = {"id": player.public_id, "nickname": player.nickname}
            raise Conflict("nickname_taken", _TAKEN, player.nickname, existing=existing)
