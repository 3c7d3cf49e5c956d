"""Merging players: two players of a club who are one person."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from app.repositories.clubs import merges
from app.repositories.clubs import players as people
from app.repositories.clubs.players import Player
from app.repositories.database import Transaction
from app.repositories.games import games
from app.repositories.seasons import seasons
from app.scoring.text import words
from app.scoring.violation import Violation
from app.services import journal
from app.services.access import Caller, club_for
from app.services.clubs.players import PlayerWithAliases, demand_player, demand_unmerged, find, get
from app.services.errors import Conflict
from app.services.games.likeness import follow_merge
from app.services.games.recount import Recounted, preview_player, recount_player
from app.services.journal import Scope
from app.validation import InvalidInput

_ITSELF: Final = words("укажите другого игрока: с самим собой не объединяют", "expected another player")
_TOGETHER: Final = words(
    "«{}» и «{}» сидели за одним столом — это разные люди.",
    "{} and {} sat in the same game, so they cannot be the same person.",
)


def merge(tx: Transaction, caller: Caller, club: str, player: str, *, into: str, now: datetime) -> PlayerWithAliases:
    """Two players are one from now on; the survivor, ``into``, with all nicknames of both.

    In open seasons the games of the player who goes count for the survivor, each season under a new revision, and lots
    drawn for him hold for the survivor; closed seasons keep their tables. The survivor is registered when either was,
    since the earlier day, and his seats from that day on are rated
    (:func:`app.services.games.recount.recount_player`).

    Args:
        tx: the transaction.
        caller: who asks.
        club: its slug.
        player: public id of the player who goes.
        into: public id of the player who stays.
        now: when.

    Raises:
        Unauthorized, Forbidden: only the president merges players.
        NotFound: there is no such club or player.
        InvalidInput: ``into`` is nobody of the club, or the player himself.
        Conflict: ``player_merged``: one of them is somebody else already; ``sat_together``, with some of the ``games``.
    """
    found = club_for(tx, caller, club, "merge_player")
    of_club = {season.id: season for season in seasons.lock_with_club(tx, found.id)}
    loser, survivor = _both(tx, found.id, player, into)
    nicknames = [loser.nickname, *people.aliases(tx, [loser.id]).get(loser.id, ())]
    revisions = {number: seasons.advance(tx, of_club[number]) for number in merges.open_seasons_of(tx, loser.id)}
    merged_in = dict(revisions)
    merges.merge(tx, loser=loser.id, survivor=survivor.id)
    follow_merge(tx, found.id, survivor.id)
    after = _registered(loser, survivor)
    if after != survivor:
        people.register(tx, survivor.id, registered=after.registered, on=after.registered_on)
    # Games that are rated anew are entered with the survivor in them, so the seasons follow after that.
    recount_player(tx, caller, after, of_club, revisions, now)
    for number, revision in merged_in.items():
        merges.follow(tx, number, revision)
    for number, revision in merged_in.items():
        scope = Scope(found.id, number, revision)
        journal.record(tx, caller, loser.public_id, "player_merged", scope, now, detail={"into": survivor.public_id})
    detail = {"into": survivor.public_id, "nicknames": nicknames}
    journal.record(tx, caller, loser.public_id, "player_merged", Scope(found.id), now, detail=detail)
    return get(tx, caller, club, survivor.public_id)


def preview(tx: Transaction, caller: Caller, club: str, player: str, *, into: str) -> Sequence[Recounted]:
    """Return the games that :func:`merge` would rate a seat in, by season, without changing anything.

    Raises:
        Unauthorized, Forbidden, NotFound, InvalidInput, Conflict: whatever :func:`merge` would refuse.
    """
    found = club_for(tx, caller, club, "merge_player")
    loser, survivor = _both(tx, found.id, player, into)
    return preview_player(tx, _registered(loser, survivor), merged=[loser.id])


def _both(tx: Transaction, club_id: int, player: str, into: str) -> tuple[Player, Player]:
    """The player who goes and the player who stays, neither of them merged yet, who never sat together."""
    loser = find(tx, club_id, player)
    survivor = demand_player(people.by_public_id(tx, club_id, into), "/into")
    if survivor.id == loser.id:
        raise InvalidInput([Violation("value", "/into", _ITSELF)])
    demand_unmerged(tx, loser)
    demand_unmerged(tx, survivor)
    _demand_apart(tx, loser, survivor)
    return loser, survivor


def _demand_apart(tx: Transaction, loser: Player, survivor: Player) -> None:
    together = games.by_ids(tx, merges.sat_together(tx, loser.id, survivor.id))
    if together:
        slugs = seasons.slugs(tx, {game.season_id for game in together.values()})
        where = [{"season": slugs[game.season_id], "id": game.public_id} for game in together.values()]
        raise Conflict("sat_together", _TOGETHER, loser.nickname, survivor.nickname, games=where)


def _registered(loser: Player, survivor: Player) -> Player:
    """The survivor, registered when either is, since the earlier day; no day: always."""
    days = [player.registered_on for player in (loser, survivor) if player.registered]
    known = [day for day in days if day is not None]
    since = min(known) if known and len(known) == len(days) else None
    return survivor._replace(registered=bool(days), registered_on=since)
