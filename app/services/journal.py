"""What was done in a club and in its seasons, by whom, when and why: for its own people (API.md, "Kept")."""

from typing import Any, NamedTuple

from app.repositories import journal
from app.repositories.clubs import keys
from app.repositories.clubs.keys import Key
from app.repositories.database import Transaction
from app.repositories.database.pages import Page
from app.repositories.journal import Change
from app.repositories.seasons import seasons
from app.scoring.exact_json import MalformedJSON, loads
from app.services.access import Caller, require, season_for_reading
from app.services.clubs.clubs import find


class JournalEntry(NamedTuple):
    """One thing that was done."""

    change: Change
    season: str | None
    """The slug that the season has now; None where it was done in the club."""
    key: Key | None
    """Whose it was; None for the admin's and for what the service did by itself."""
    detail: dict[str, Any] | None


def of_club(tx: Transaction, caller: Caller, club: str, *, cursor: str | None, limit: int) -> Page[JournalEntry]:
    """What was done in a club and all its seasons, the last first.

    Raises:
        Unauthorized, Forbidden: only the president sees it: keys are made and revoked there too.
        NotFound: there is no such club for the caller.
        NotACursor: the cursor is of another list.
    """
    found = find(tx, club)
    require(caller, "list_club_changes", found.id)
    return _shown(tx, found.id, journal.page(tx, found.id, cursor=cursor, limit=limit))


def of_season(
    tx: Transaction, caller: Caller, club: str, season: str, *, cursor: str | None, limit: int
) -> Page[JournalEntry]:
    """What was done in a season, the last first.

    Raises:
        Unauthorized: only the club's own keys see it.
        NotFound: there is no such season for the caller.
        NotACursor: the cursor is of another list.
    """
    of = season_for_reading(tx, caller, club, season)
    require(caller, "list_season_changes", of.club_id)
    return _shown(tx, of.club_id, journal.page(tx, of.club_id, season_id=of.id, cursor=cursor, limit=limit))


def _shown(tx: Transaction, club_id: int, page: Page[Change]) -> Page[JournalEntry]:
    slugs = seasons.slugs(tx, {change.season_id for change in page.items if change.season_id is not None})
    known = keys.by_ids(tx, {change.key_id for change in page.items if change.key_id is not None})
    of_club = {number: key for number, key in known.items() if key.club_id == club_id}
    shown = [
        JournalEntry(
            change,
            slugs.get(change.season_id or 0),
            of_club.get(change.key_id or 0),
            _detail(change),
        )
        for change in page.items
    ]
    return Page(shown, page.next_cursor)


def _detail(change: Change) -> dict[str, Any] | None:
    """What more was written down; what cannot be read is the audit's to tell and no reason to show nothing at all."""
    if change.detail is None:
        return None
    try:
        detail = loads(change.detail)
    except MalformedJSON:
        return None
    return detail if isinstance(detail, dict) else None
