"""Clubs: made by the admin, kept by their presidents, and the calendar that their games are dated by."""

import json
from collections.abc import Mapping
from datetime import date, datetime
from difflib import get_close_matches
from functools import cache
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo, available_timezones

from app.repositories import journal
from app.repositories.clubs import clubs
from app.repositories.clubs.clubs import Club as Club
from app.repositories.database import Transaction
from app.repositories.database.errors import NotUnique, translated
from app.scoring.text import words
from app.scoring.violation import Violation
from app.services.access import Caller, require
from app.services.clubs.new_key import NewKey, issue
from app.services.errors import Conflict, NotFound
from app.validation import InvalidInput

FIRST_KEY: Final = "president"
"""What the key is called that comes with a new club."""

_NOT_ZONES: Final = frozenset({"Factory", "localtime"})
"""Files that lie among the zones and name none."""

_NO_CLUB: Final = words("Нет такого клуба.", "There is no such club.")
_SLUG_TAKEN: Final = words("Адрес {} уже занят другим клубом.", "Another club has the address {}.")
_ZONE: Final = words(
    "ожидается часовой пояс из базы IANA, например Europe/Kyiv", "expected an IANA time zone such as Europe/Kyiv"
)


class NewClub(NamedTuple):
    """A club just made, and its president's key."""

    club: Club
    issued: NewKey


def create(tx: Transaction, caller: Caller, *, slug: str, name: str, timezone: str, now: datetime) -> NewClub:
    """A new club with its first key, of role president.

    Raises:
        Unauthorized, Forbidden: only the admin makes clubs.
        InvalidInput: there is no such time zone.
        Conflict: ``slug_taken``.
    """
    require(caller, "create_club")
    _demand_zone(timezone)
    try:
        with translated():
            club = clubs.add(tx, slug=slug, name=name, timezone=timezone, at=now)
    except NotUnique:
        raise Conflict("slug_taken", _SLUG_TAKEN, slug) from None
    issued = issue(tx, club_id=club.id, role="president", name=FIRST_KEY, now=now)
    _record(tx, caller, club, "club_created", now)
    return NewClub(club, issued)


def find(tx: Transaction, slug: str) -> Club:
    """The club at an address; anyone may know of it.

    Raises:
        NotFound: there is none.
    """
    club = clubs.by_slug(tx, slug)
    if club is None:
        raise NotFound(_NO_CLUB)
    return club


def change(tx: Transaction, caller: Caller, slug: str, *, values: Mapping[str, str], now: datetime) -> Club:
    """Give the club another ``slug``, ``name`` or ``timezone``; games keep the day they were dated by.

    Raises:
        Unauthorized, Forbidden: only its president changes a club.
        NotFound: there is none.
        InvalidInput: there is no such time zone.
        Conflict: ``slug_taken``.
    """
    found = find(tx, slug)
    require(caller, "update_club", found.id)
    club = clubs.lock(tx, found.id)
    different = {name: value for name, value in values.items() if value != getattr(club, name)}
    if not different:
        return club
    if "timezone" in different:
        _demand_zone(different["timezone"])
    try:
        with translated():
            clubs.change(tx, club.id, different)
    except NotUnique:
        raise Conflict("slug_taken", _SLUG_TAKEN, different["slug"]) from None
    _record(tx, caller, club, "club_changed", now, different)
    return clubs.by_id(tx, club.id)


def today(timezone: str, now: datetime) -> date:
    """The day that it is in a club's time zone; in UTC where this machine no longer knows the zone."""
    try:
        return now.astimezone(ZoneInfo(timezone)).date()
    except (KeyError, ValueError, OSError):
        return now.date()


@cache
def time_zones() -> frozenset[str]:
    """Every time zone of the IANA database that this machine has."""
    return frozenset(available_timezones()) - _NOT_ZONES


def _demand_zone(name: str) -> None:
    if name not in time_zones():
        near = tuple(get_close_matches(name, time_zones(), 3))
        raise InvalidInput([Violation("value", "/timezone", _ZONE, suggestions=near)])


def _record(
    tx: Transaction, caller: Caller, club: Club, action: str, now: datetime, detail: Mapping[str, str] | None = None
) -> None:
    journal.record(
        tx,
        action=action,
        target=club.slug,
        at=now,
        key_id=caller.key_id,
        role=caller.role,
        club_id=club.id,
        detail=json.dumps(detail, ensure_ascii=False) if detail else None,
    )
