"""Clubs: created by the admin, changed by their presidents; and their clocks, which date games and registrations."""

from collections.abc import Collection, Mapping
from datetime import UTC, date, datetime, timedelta
from functools import cache
from typing import Final, NamedTuple, Protocol
from zoneinfo import ZoneInfo, available_timezones

from app.repositories.clubs import clubs
from app.repositories.clubs.clubs import Club as Club
from app.repositories.database import Transaction
from app.repositories.database.errors import NotUnique, translated
from app.repositories.database.pages import Page
from app.scoring.nickname import folded
from app.scoring.text import words
from app.scoring.violation import Violation
from app.services import journal
from app.services.access import Caller, club_for, require
from app.services.clubs.new_key import NewKey, issue
from app.services.errors import Conflict
from app.services.journal import Scope
from app.services.storage.settings_tag import demand_settings, settings_tag
from app.spelling import nearest
from app.validation import InvalidInput

FIRST_KEY: Final = "president"
"""The name of the key that comes with a new club."""

DAY_ENDS_AT: Final = "06:00"
"""Until when it is still the day before in a new club: its evenings last into the night."""

_NOT_ZONES: Final = frozenset({"Factory", "localtime"})
"""Files among the time zones that are none."""

_SLUG_TAKEN: Final = words("Адрес «{}» уже занят другим клубом; возьмите другой.", "Another club uses the slug {}.")
_ZONE: Final = words(
    "нужен часовой пояс из базы IANA, например Europe/Moscow", "expected an IANA time zone such as Europe/Kyiv"
)


class ClubClock(Protocol):
    """What says which day it is in a club: the club itself, or a season of it."""

    @property
    def timezone(self) -> str:
        """An IANA time zone."""

    @property
    def day_ends_at(self) -> str:
        """The time until which it is still the day before, as ``06:00``."""


class NewClub(NamedTuple):
    """A new club and its president's key."""

    club: Club
    issued: NewKey


def create(
    tx: Transaction,
    caller: Caller,
    *,
    slug: str,
    name: str,
    timezone: str,
    day_ends_at: str = DAY_ENDS_AT,
    now: datetime,
) -> NewClub:
    """Create a club with its first key, of role president.

    Raises:
        Unauthorized, Forbidden: only the admin creates clubs.
        InvalidInput: there is no such time zone.
        Conflict: ``slug_taken``.
    """
    require(caller, "create_club")
    _demand_zone(timezone)
    try:
        with translated():
            club = clubs.add(tx, slug=slug, name=name, timezone=timezone, day_ends_at=day_ends_at, at=now)
    except NotUnique:
        raise Conflict("slug_taken", _SLUG_TAKEN, slug) from None
    issued = issue(tx, club_id=club.id, role="president", name=FIRST_KEY, now=now)
    journal.record(tx, caller, club.slug, "club_created", Scope(club.id), now)
    return NewClub(club, issued)


def page(tx: Transaction, caller: Caller, *, search: str | None, cursor: str | None, limit: int) -> Page[Club]:
    """Return the clubs that have a public season, oldest first; for the admin all.

    ``search``: only those with this in their name or slug, compared as nicknames are; blank: all.

    Raises:
        NotACursor: the cursor belongs to another list.
    """
    require(caller, "list_clubs")
    wanted = folded(search or "")

    def fits(club: Club) -> bool:
        return wanted in folded(club.name) or wanted in club.slug

    return clubs.page(
        tx,
        cursor=cursor,
        limit=limit,
        with_public_season=caller.role != "admin",
        fits=fits if wanted else None,
    )


def tag_of(club: Club) -> str:
    """Return the tag of the club's settings."""
    return settings_tag(*club)


def change(
    tx: Transaction,
    caller: Caller,
    slug: str,
    *,
    values: Mapping[str, str],
    expected: Collection[str] | None = None,
    now: datetime,
) -> Club:
    """Give the club another ``slug``, ``name``, ``timezone`` or ``day_ends_at``; games keep their dates.

    ``expected``: the tags that the caller takes for current; None: any.

    Raises:
        PreconditionFailed: what is expected is given and not the current tag.
        Unauthorized, Forbidden: only its president changes a club.
        NotFound: there is none.
        InvalidInput: there is no such time zone.
        Conflict: ``slug_taken``.
    """
    club = clubs.lock(tx, club_for(tx, caller, slug, "update_club").id)
    if expected is not None:
        demand_settings(expected, tag_of(club))
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
    journal.record(tx, caller, club.slug, "club_changed", Scope(club.id), now, detail=different)
    return clubs.by_id(tx, club.id)


def day_at(clock: ClubClock, moment: datetime) -> date:
    """Return the club's day at a moment: until ``day_ends_at`` on the clock of the club it is still the day before."""
    local = _local(clock.timezone, moment)
    before_the_end = f"{local:%H:%M}" < clock.day_ends_at
    return local.date() - timedelta(days=1) if before_the_end else local.date()


def day_of(timezone: str, moment: datetime) -> date:
    """Return the calendar day of a moment in a time zone: what a day means that was written as its midnight."""
    return _local(timezone, moment).date()


def _local(timezone: str, moment: datetime) -> datetime:
    """The time in a time zone, or in UTC if this machine no longer knows the zone."""
    try:
        return moment.astimezone(ZoneInfo(timezone))
    except (KeyError, ValueError, OSError):
        return moment.astimezone(UTC)


@cache
def time_zones() -> frozenset[str]:
    """Return every time zone of the IANA database that this machine has."""
    return frozenset(available_timezones()) - _NOT_ZONES


def _demand_zone(name: str) -> None:
    if name not in time_zones():
        near = nearest(name, time_zones(), 3)
        raise InvalidInput([Violation("value", "/timezone", _ZONE, suggestions=near)])
