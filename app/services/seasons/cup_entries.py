"""Entries of a cup, and the awards of the qualifying season that its players bring."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Final, NamedTuple, cast

from app.repositories.clubs import players as people
from app.repositories.clubs.players import Player
from app.repositories.database import Transaction
from app.repositories.database.pages import Page
from app.repositories.seasons import cup_entries, seasons
from app.repositories.seasons.cup_entries import CupEntry
from app.repositories.seasons.seasons import Season
from app.scoring.ranking import AwardResult
from app.scoring.text import words
from app.services import journal
from app.services.access import Caller, author_of, hidden_from, may_read, season_for_reading, season_for_writing
from app.services.clubs.players import demand_player
from app.services.errors import NotFound
from app.services.journal import Scope
from app.services.standings import frozen_tables
from app.services.standings.cache.tallies import tallies_at
from app.services.standings.standings import TablePlayer, ranked
from app.services.storage.settings_tag import demand_settings, settings_tag

_NO_ENTRY: Final = words("Этот игрок не заявлен.", "The player has not entered.")


class Entrant(NamedTuple):
    """A player with an entry or with an award; ``awards`` is None if the caller may not read them."""

    player: Player
    entered_at: datetime | None
    awards: Sequence[AwardResult] | None


class EntryList(NamedTuple):
    """A page of entries, and players with an award who have not entered."""

    season: Season
    provisional: bool | None
    """Whether the qualifying season is still open; None if there is none or the caller may not read it."""
    page: Page[Entrant]
    not_entered: Sequence[Entrant]


class _Qualifying(NamedTuple):
    """The awards of a qualifying season by player, survivors for merged players."""

    provisional: bool | None
    readable: bool
    awards: Mapping[int, Sequence[AwardResult]]

    def of(self, player_id: int) -> Sequence[AwardResult] | None:
        return self.awards.get(player_id, ()) if self.readable else None


def page(tx: Transaction, caller: Caller, club: str, season: str, *, cursor: str | None, limit: int) -> EntryList:
    """Return a season's entries, oldest first.

    Raises:
        NotFound: there is no such season that the caller may know of.
        NotACursor: the cursor belongs to another list.
    """
    of = season_for_reading(tx, caller, club, season)
    qualifying = _qualifying(tx, caller, of)
    listed = cup_entries.page(tx, of.id, cursor=cursor, limit=limit)
    missing = [number for number in qualifying.awards if number not in cup_entries.entered(tx, of.id)]
    known = people.by_ids(tx, [*missing, *(entry.player_id for entry in listed.items)])
    entrants = [_entrant(entry, known, qualifying) for entry in listed.items]
    return EntryList(
        season=of if qualifying.readable else of._replace(awards_from=None),
        provisional=qualifying.provisional,
        page=Page(entrants, listed.next_cursor),
        not_entered=[Entrant(known[number], None, qualifying.awards[number]) for number in missing],
    )


def one(tx: Transaction, caller: Caller, club: str, season: str, player: str) -> Entrant:
    """Return a player's entry.

    Raises:
        NotFound: there is no such season that the caller may know of, or the player has no entry.
    """
    of = season_for_reading(tx, caller, club, season)
    return _found(tx, caller, of, people.meant(tx, of.club_id, [player]).get(player))


def enter(
    tx: Transaction, caller: Caller, club: str, season: str, *, player: str, now: datetime
) -> tuple[Entrant, bool]:
    """Enter a player under a new revision; return the entry and whether it is new.

    Raises:
        Unauthorized, Forbidden, NotFound: see :func:`app.services.access.season_for_writing`.
        InvalidInput: player not found in the club.
        Conflict: ``season_closed``.
    """
    within = season_for_writing(tx, caller, club, season, "enter_player")
    who = demand_player(people.meant(tx, within.club_id, [player]).get(player), "/player")
    is_new = cup_entries.find(tx, within.id, who.id) is None
    if is_new:
        author = author_of(caller)
        cup_entries.add(tx, within.id, who.id, key_id=author.key_id, role=author.role, at=now)
        _record(tx, caller, within, who, "player_entered", now)
    return _found(tx, caller, within, who), is_new


def tag_of(entrant: Entrant) -> str:
    """Return the tag of an entry: who entered, and when."""
    return settings_tag(entrant.player.id, entrant.entered_at)


def withdraw(
    tx: Transaction,
    caller: Caller,
    club: str,
    season: str,
    player: str,
    *,
    expected: Collection[str] | None = None,
    now: datetime,
) -> None:
    """Withdraw a player's entry under a new revision. ``expected``: the tags that the caller takes for current; None:
    any.

    Raises:
        PreconditionFailed: what is expected is given and not the current tag.
        Unauthorized, Forbidden, NotFound: see :func:`app.services.access.season_for_writing`.
        NotFound: the player has no entry.
        Conflict: ``season_closed``.
    """
    within = season_for_writing(tx, caller, club, season, "withdraw_player")
    who = people.meant(tx, within.club_id, [player]).get(player)
    entry = None if who is None else cup_entries.find(tx, within.id, who.id)
    if who is None or entry is None:
        raise NotFound(_NO_ENTRY)
    if expected is not None:
        demand_settings(expected, tag_of(Entrant(who, entry.at, None)))
    cup_entries.withdraw(tx, within.id, who.id)
    _record(tx, caller, within, who, "player_withdrawn", now)


def _found(tx: Transaction, caller: Caller, season: Season, player: Player | None) -> Entrant:
    entry = None if player is None else cup_entries.find(tx, season.id, player.id)
    if player is None or entry is None:
        raise NotFound(_NO_ENTRY)
    return _entrant(entry, {player.id: player}, _qualifying(tx, caller, season))


def _entrant(entry: CupEntry, known: Mapping[int, Player], qualifying: _Qualifying) -> Entrant:
    return Entrant(known[entry.player_id], entry.at, qualifying.of(entry.player_id))


def _qualifying(tx: Transaction, caller: Caller, season: Season) -> _Qualifying:
    if season.awards_from is None:
        return _Qualifying(None, True, {})
    qualifying = seasons.find(tx, season.club, season.awards_from)
    if qualifying is None or not may_read(caller, qualifying):
        return _Qualifying(None, False, {})
    hidden = hidden_from(caller, qualifying)
    frozen = None if hidden is not None else seasons.frozen(tx, qualifying.id)
    if frozen is None:
        tallies = tallies_at(tx, qualifying.id, revision=qualifying.revision, hidden=hidden)
        table = ranked(tx, qualifying, qualifying.revision, tallies)
    else:
        table = frozen_tables.read(frozen.tables, None, TablePlayer)
    held = [(award, cast(TablePlayer, player).id) for award in table.awards for player in award.players]
    who = people.by_ids(tx, {number for _, number in held})
    awards: dict[int, list[AwardResult]] = {}
    for award, number in held:
        mine = awards.setdefault(who[number].survivor_id, [])
        if award not in mine:
            mine.append(award)
    return _Qualifying(qualifying.closed_at is None, True, awards)


def _record(tx: Transaction, caller: Caller, season: Season, player: Player, action: str, now: datetime) -> None:
    scope = Scope.of(season, seasons.advance(tx, season))
    journal.record(tx, caller, player.public_id, action, scope, now)
