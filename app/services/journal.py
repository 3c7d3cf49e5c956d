"""The journal of a club and its seasons: who changed what, when and why. Its keys may read it."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple, Self

from app.repositories import journal as repository
from app.repositories.clubs import keys
from app.repositories.clubs.keys import Key
from app.repositories.database import Transaction
from app.repositories.database.pages import Page
from app.repositories.journal import Change, NewChange
from app.repositories.seasons import seasons
from app.repositories.seasons.seasons import Season
from app.scoring.exact_json import MalformedJSON, loads
from app.services.access import Author, Caller, club_for, require, season_for_reading


class Scope(NamedTuple):
    """Where a change was made: in a club, or in a season of it and under which revision."""

    club_id: int | None
    """None: the change is the service's own."""
    season_id: int | None = None
    revision: int | None = None

    @classmethod
    def of(cls, season: Season, revision: int | None = None) -> Self:
        """Return the scope of a season."""
        return cls(season.club_id, season.id, revision)


class JournalEntry(NamedTuple):
    """A recorded change, with what readers want to know of it."""

    change: Change
    season: str | None
    """The season's current slug; None for a change of the club."""
    key: Key | None
    """The author's key; None for the admin and for changes by the service itself."""
    detail: dict[str, Any] | None


def record(
    tx: Transaction,
    author: Author | Caller,
    target: str,
    action: str,
    scope: Scope,
    at: datetime,
    *,
    reason: str | None = None,
    detail: Mapping[str, object] | None = None,
) -> None:
    """Record a change in the transaction that makes it.

    Args:
        tx: the transaction.
        author: who makes the change.
        target: public id or slug of what is changed.
        action: what is done, such as ``game_submitted``.
        scope: where.
        at: when.
        reason: why, in the author's words.
        detail: what else to remember; what JSON lacks is recorded as a string.
    """
    written = json.dumps(detail, ensure_ascii=False, default=str) if detail else None
    change = NewChange(action, target, at, author.key_id, author.role, *scope, reason, written)
    repository.add(tx, change)


def of_club(tx: Transaction, caller: Caller, club: str, *, cursor: str | None, limit: int) -> Page[JournalEntry]:
    """Return the changes in a club and all its seasons, newest first.

    Raises:
        Unauthorized, Forbidden: only the president may read them, because they include the club's keys.
        NotFound: there is no such club for the caller.
        NotACursor: the cursor belongs to another list.
    """
    found = club_for(tx, caller, club, "list_club_changes")
    return _entries(tx, found.id, repository.page(tx, found.id, cursor=cursor, limit=limit))


def of_season(
    tx: Transaction, caller: Caller, club: str, season: str, *, cursor: str | None, limit: int
) -> Page[JournalEntry]:
    """Return the changes in a season, newest first.

    Raises:
        Unauthorized: only the club's own keys may read them.
        NotFound: there is no such season for the caller.
        NotACursor: the cursor belongs to another list.
    """
    of = season_for_reading(tx, caller, club, season)
    require(caller, "list_season_changes", of.club_id)
    return _entries(tx, of.club_id, repository.page(tx, of.club_id, season_id=of.id, cursor=cursor, limit=limit))


def detail_at(tx: Transaction, season: Season, revision: int, action: str) -> dict[str, Any] | None:
    """Return the detail of what was done in a season under a revision; None if nothing like this was, or no detail."""
    done = repository.after(tx, season.id, revision - 1, limit=1)
    return next((_detail(change) for change in done if (change.revision, change.action) == (revision, action)), None)


def _entries(tx: Transaction, club_id: int, page: Page[Change]) -> Page[JournalEntry]:
    slugs = seasons.slugs(tx, {change.season_id for change in page.items if change.season_id is not None})
    known = keys.by_ids(tx, {change.key_id for change in page.items if change.key_id is not None})
    of_club = {number: key for number, key in known.items() if key.club_id == club_id}
    entries = [
        JournalEntry(
            change,
            slugs.get(change.season_id or 0),
            of_club.get(change.key_id or 0),
            _detail(change),
        )
        for change in page.items
    ]
    return Page(entries, page.next_cursor)


def _detail(change: Change) -> dict[str, Any] | None:
    """Return the stored detail, or None if it cannot be read: the audit reports that."""
    if change.detail is None:
        return None
    try:
        detail = loads(change.detail)
    except MalformedJSON:
        return None
    return detail if isinstance(detail, dict) else None
