"""Deleting a season that was created by mistake."""

from collections.abc import Collection
from datetime import datetime
from typing import Final

from app.repositories.database import Transaction
from app.repositories.games import games
from app.repositories.seasons import cup_entries, seasons
from app.repositories.seasons.seasons import Season
from app.scoring.text import words
from app.services import journal
from app.services.access import NO_SEASON, Caller, require, season_for_reading
from app.services.errors import Conflict, NotFound, Unauthorized
from app.services.journal import Scope
from app.services.seasons.seasons import tag_of
from app.services.storage.settings_tag import demand_settings

_IN_USE: Final = words(
    "Сезон «{}» удалить нельзя: в нём есть игры или заявки, или на него ссылается другой сезон.",
    "The season {} has games or entries, or another season takes its awards, and cannot be deleted.",
)


def delete(
    tx: Transaction,
    caller: Caller,
    club: str,
    season: str,
    *,
    expected: Collection[str] | None = None,
    now: datetime,
) -> None:
    """Delete a season without games, open or closed; its journal goes on in the club's.

    ``expected``: the tags that the caller takes for current; None: any.

    Raises:
        Unauthorized, Forbidden: only the president deletes seasons.
        NotFound: there is no such season that the caller may know of.
        PreconditionFailed: what is expected is given and not the current tag.
        Conflict: ``in_use``: it has a game of any status or an entry, or another season has it as ``awards_from``;
            ``used_by`` says what.
    """
    if caller.role == "anonymous":
        raise Unauthorized
    read = season_for_reading(tx, caller, club, season)
    require(caller, "delete_season", read.club_id)
    # All at once, as a merge does: nobody deadlocks, and none of the others takes this one's awards meanwhile.
    locked = {one.id: one for one in seasons.lock_with_club(tx, read.club_id)}
    found = locked.get(read.id)
    if found is None:
        raise NotFound(NO_SEASON)
    if expected is not None:
        demand_settings(expected, tag_of(found))
    if used_by := _used_by(tx, found):
        raise Conflict("in_use", _IN_USE, found.slug, used_by=used_by)
    seasons.delete(tx, found.id)
    detail = {"name": found.name}
    journal.record(tx, caller, found.slug, "season_deleted", Scope(found.club_id), now, detail=detail)


def _used_by(tx: Transaction, season: Season) -> list[str]:
    found = {
        "games": games.any_at_all(tx, season.id),
        "entries": bool(cup_entries.entered(tx, season.id)),
        "awards_from": seasons.gives_awards(tx, season.id),
    }
    return [name for name, is_so in found.items() if is_so]
