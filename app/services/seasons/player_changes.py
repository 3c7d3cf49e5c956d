"""Changing a player: another nickname, and whether and since when he is registered in the club."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from app.repositories.clubs import clubs, merges
from app.repositories.clubs import players as people
from app.repositories.clubs.clubs import Club
from app.repositories.clubs.players import Player
from app.repositories.database import Transaction
from app.repositories.seasons import seasons
from app.scoring.nickname import folded
from app.services import journal
from app.services.access import PRESIDENT, Caller, club_for, demand_role
from app.services.clubs.clubs import day_at
from app.services.clubs.players import PlayerWithAliases, demand_free, demand_unmerged, find, tag_of, with_aliases
from app.services.clubs.registration import requested
from app.services.games.recount import Recounted, preview_player, recount_player
from app.services.journal import Scope
from app.services.storage.settings_tag import demand_settings


def change(
    tx: Transaction,
    caller: Caller,
    club: str,
    player: str,
    *,
    values: Mapping[str, Any],
    expected: Collection[str] | None = None,
    now: datetime,
) -> PlayerWithAliases:
    """Give a player another ``nickname``, or write ``registered`` and ``registered_on``.

    The old nickname stays his alias. A new one alters what every open season that he played in answers, so each rises
    by a revision. A day of registration rates his seats in open seasons from that day on
    (:func:`app.services.games.recount.recount_player`), also if it is his already. Nothing takes a rated seat away.
    ``expected``: the tags that the caller takes for current; None: any.

    Raises:
        PreconditionFailed: what is expected is given and not the current tag.
        Unauthorized, Forbidden: only the president changes players; a chief judge writes a day of registration.
        NotFound: there is no such club or player.
        InvalidInput: see :func:`app.services.clubs.registration.requested`.
        Conflict: ``nickname_taken``, with the player in ``existing``; ``player_merged``.
    """
    found = _club(tx, caller, club, values)
    nickname, has_day = values.get("nickname"), values.get("registered_on") is not None
    of_club = {}
    if nickname is None and not has_day:
        clubs.lock(tx, found.id)
    else:
        of_club = {season.id: season for season in seasons.lock_with_club(tx, found.id)}
    before = find(tx, found.id, player)
    if expected is not None:
        demand_settings(expected, tag_of(before))
    after = _changed(tx, caller, found, before, values, now)
    revisions = {}
    if after.nickname != before.nickname:
        people.rename(tx, before, nickname=after.nickname, folded=folded(after.nickname))
        revisions = {number: seasons.advance(tx, of_club[number]) for number in merges.open_seasons_of(tx, before.id)}
        for number, revision in revisions.items():
            journal.record(tx, caller, after.public_id, "player_renamed", Scope(found.id, number, revision), now)
    if after != before:
        people.register(tx, after.id, registered=after.registered, on=after.registered_on)
        detail = _differences(before, after)
        journal.record(tx, caller, after.public_id, "player_changed", Scope(found.id), now, detail=detail)
    if has_day:
        recount_player(tx, caller, after, of_club, revisions, now)
    return with_aliases(tx, [after])[0]


def preview(
    tx: Transaction, caller: Caller, club: str, player: str, *, values: Mapping[str, Any], now: datetime
) -> Sequence[Recounted]:
    """Return the games that :func:`change` would rate a seat in, by season, without changing anything.

    Raises:
        Unauthorized, Forbidden, NotFound, InvalidInput, Conflict: whatever :func:`change` would refuse.
    """
    found = _club(tx, caller, club, values)
    after = _changed(tx, caller, found, find(tx, found.id, player), values, now)
    return [] if values.get("registered_on") is None else preview_player(tx, after)


def _club(tx: Transaction, caller: Caller, slug: str, values: Mapping[str, Any]) -> Club:
    """The club in which the caller may change this of a player."""
    found = club_for(tx, caller, slug, "update_player")
    if "nickname" in values or values.get("registered_on") is None:
        demand_role(caller, PRESIDENT)
    return found


def _changed(
    tx: Transaction, caller: Caller, club: Club, before: Player, values: Mapping[str, Any], now: datetime
) -> Player:
    """The player with these values."""
    demand_unmerged(tx, before)
    asked = requested(caller, values, day_at(club, now))
    after = before
    if asked is not None and ("registered_on" in values or asked.registered != before.registered):
        after = before._replace(registered=asked.registered, registered_on=asked.on)
    if values.get("nickname") is not None and values["nickname"] != before.nickname:
        demand_free(tx, club.id, values["nickname"], but_for=before.id)
        after = after._replace(nickname=values["nickname"])
    return after


def _differences(before: Player, after: Player) -> Mapping[str, list[object]]:
    """Return the old and the new value of each field that differs."""
    return {
        name: [getattr(before, name), getattr(after, name)]
        for name in ("nickname", "registered", "registered_on")
        if getattr(before, name) != getattr(after, name)
    }
