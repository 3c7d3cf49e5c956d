"""Deleting a player who was created by mistake."""

from collections.abc import Collection
from datetime import datetime
from typing import Final

from app.repositories.clubs import player_uses, players
from app.repositories.database import Transaction
from app.repositories.seasons import seasons
from app.scoring.text import words
from app.services import journal
from app.services.access import Caller, club_for
from app.services.clubs.players import find, tag_of
from app.services.errors import Conflict
from app.services.journal import Scope
from app.services.storage.settings_tag import demand_settings

_IN_USE: Final = words(
    "Игрока «{}» удалить нельзя: он есть в играх, жребиях, заявках или объединениях.",
    "The player {} has games, lots, entries or merges and cannot be deleted.",
)


def delete(
    tx: Transaction,
    caller: Caller,
    club: str,
    player: str,
    *,
    expected: Collection[str] | None = None,
    now: datetime,
) -> None:
    """Delete a player whom nothing refers to, with all nicknames; the journal remembers the nickname.

    ``expected``: the tags that the caller takes for current; None: any.

    Raises:
        Unauthorized, Forbidden: only the president deletes players.
        NotFound: there is no such club or player.
        PreconditionFailed: what is expected is given and not the current tag.
        Conflict: ``in_use``: a version of a game, a lot, an entry or a merge refers to the player: ``used_by``.
    """
    found = club_for(tx, caller, club, "delete_player")
    find(tx, found.id, player)
    seasons.lock_with_club(tx, found.id)
    gone = find(tx, found.id, player)
    if expected is not None:
        demand_settings(expected, tag_of(gone))
    if used_by := player_uses.of(tx, gone):
        raise Conflict("in_use", _IN_USE, gone.nickname, used_by=used_by)
    players.delete(tx, gone.id)
    detail = {"nickname": gone.nickname}
    journal.record(tx, caller, gone.public_id, "player_deleted", Scope(found.id), now, detail=detail)
