"""Seasons and tournaments of a club: made, listed, changed."""

import json
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from difflib import get_close_matches
from typing import Any, Final, NamedTuple

from app.repositories import journal
from app.repositories.clubs import clubs
from app.repositories.database import Transaction
from app.repositories.database.errors import NotUnique, translated
from app.repositories.database.pages import Page
from app.repositories.games import games
from app.repositories.seasons import seasons
from app.repositories.seasons.seasons import Season as Season
from app.scoring.rule_system import RuleSystem
from app.scoring.systems import UnknownRuleSystem, find_system, newest_systems
from app.scoring.text import words
from app.scoring.violation import RuleViolations, Violation
from app.services.access import Caller, demand_open, require, season_for_reading, season_for_writing
from app.services.clubs.clubs import find as find_club
from app.services.errors import Conflict
from app.services.games.checked_game import rules_of
from app.services.seasons.rule_change import Preview, preview, rescore
from app.validation import InvalidInput

_DAY: Final = timedelta(days=1)
_RULES: Final = ("rule_system", "rule_version")

_SLUG_TAKEN: Final = words("В клубе уже есть сезон с адресом {}.", "The club has another season at {}.")
_NO_SYSTEM: Final = words("нет такого регламента; есть: {}", "no such rule system; there are: {}")
_NO_VERSION: Final = words("нет такой версии; последняя: {}", "no such version; the newest is {}")
_ENDS_FIRST: Final = words("сезон кончается раньше, чем начинается: {}", "the season ends before it starts on {}")
_PLAYED_OUTSIDE: Final = words(
    "в сезоне есть игра, сыгранная {}: она окажется вне его дней", "a game of the season was played on {}, outside it"
)
_NO_SEASON: Final = words("в клубе нет другого сезона {}", "the club has no other season {}")
_FORMAT_FIXED: Final = words(
    "В сезоне уже есть игры, поэтому формат не меняется.", "The season has games, so its format is fixed."
)


class RequestedRules(NamedTuple):
    """A rule system as it was asked for; without a version, the newest."""

    id: str
    version: int | None = None


def create(
    tx: Transaction,
    caller: Caller,
    club: str,
    *,
    slug: str,
    name: str,
    rules: RequestedRules,
    format: str,
    starts_on: date | None,
    ends_on: date | None,
    public: bool,
    awards_from: str | None = None,
    now: datetime,
) -> Season:
    """A new season, pinned to one version of its rule system.

    Raises:
        Unauthorized, Forbidden: only the president makes seasons.
        NotFound: there is no such club.
        InvalidInput: there are no such rules, or the season ends before it starts.
        Conflict: ``slug_taken``.
    """
    found = find_club(tx, club)
    require(caller, "create_season", found.id)
    clubs.lock(tx, found.id)  # a player is merged in all seasons of the club: none may come to be meanwhile
    system = system_of(rules)
    _demand_order(starts_on, ends_on)
    if awards_from is not None:
        _demand_another(tx, club, awards_from, None)
    try:
        with translated():
            season = seasons.add(
                tx,
                club_id=found.id,
                slug=slug,
                name=name,
                rule_system=system.id,
                rule_version=system.version,
                format=format,
                starts_on=starts_on,
                ends_on=ends_on,
                public=public,
                awards_from=awards_from,
                at=now,
            )
    except NotUnique:
        raise Conflict("slug_taken", _SLUG_TAKEN, slug) from None
    _record(tx, caller, season, "season_created", now, revision=season.revision)
    return season


def page(tx: Transaction, caller: Caller, club: str, *, cursor: str | None, limit: int) -> Page[Season]:
    """The club's seasons that the caller may read, the newest first.

    Raises:
        NotFound: there is no such club.
        NotACursor: the cursor is of another list.
    """
    found = find_club(tx, club)
    require(caller, "list_seasons", found.id)
    public = None if caller.is_of(found.id) else True
    return seasons.page(tx, found.id, public=public, cursor=cursor, limit=limit)


def change(
    tx: Transaction,
    caller: Caller,
    club: str,
    season: str,
    *,
    values: Mapping[str, Any],
    reason: str | None = None,
    now: datetime,
) -> Season:
    """Give a season another ``slug``, ``name``, ``starts_on``, ``ends_on`` or ``public``, under a new revision.

    ``format`` is fixed once there is a game; with another ``rule_system`` (:class:`RequestedRules`) every game is
    rescored (:func:`app.services.seasons.rule_change.rescore`). What is the same already is no change; without one the
    revision stays.

    Raises:
        Unauthorized, Forbidden, NotFound: see :func:`app.services.access.season_for_writing`.
        InvalidInput: there are no such rules, or the season would end before it starts.
        RuleViolations: ``played_on_outside_season``: a game would lie outside the new days.
        GamesRefused: the new rules forbid games of the season.
        Conflict: ``season_closed``, ``slug_taken``, ``format_fixed``.
    """
    before = season_for_writing(tx, caller, club, season, "update_season")
    after, different = _changed(tx, before, values)
    if not different:
        return before
    revision = seasons.advance(tx, before)
    columns = {name: value for name, value in different.items() if name not in _RULES}
    try:
        with translated():
            seasons.change(tx, before.id, columns)
    except NotUnique:
        raise Conflict("slug_taken", _SLUG_TAKEN, after.slug) from None
    detail = dict(different)
    if len(columns) < len(different):
        seasons.follow(tx, before.id, revision=revision, rule_system=after.rule_system, rule_version=after.rule_version)
        detail["rescored"] = rescore(tx, caller, before, rules_of(after), revision=revision, reason=reason, now=now)
    after = after._replace(revision=revision)
    _record(tx, caller, after, "season_changed", now, revision=revision, reason=reason, detail=detail)
    return after


def preview_change(
    tx: Transaction, caller: Caller, club: str, season: str, *, values: Mapping[str, Any], now: datetime
) -> Preview:
    """What :func:`change` would do to the season's table and games; nothing is changed.

    Raises:
        Unauthorized, Forbidden, NotFound: the caller does not change seasons there.
        InvalidInput, RuleViolations, Conflict: whatever else :func:`change` would refuse but a slug that is taken.
    """
    before = season_for_reading(tx, caller, club, season)
    require(caller, "update_season", before.club_id)
    demand_open(before)
    after, _ = _changed(tx, before, values)
    return preview(tx, before, rules_of(after), now)


def _changed(tx: Transaction, before: Season, values: Mapping[str, Any]) -> tuple[Season, dict[str, Any]]:
    """The season with these values, and which of them are others than before."""
    wanted = dict(values)
    if rules := wanted.pop("rule_system", None):
        system = system_of(rules)
        wanted |= {"rule_system": system.id, "rule_version": system.version}
    after = before._replace(**wanted)
    _demand_order(after.starts_on, after.ends_on)
    different = {name: value for name, value in wanted.items() if value != getattr(before, name)}
    if different.get("awards_from") is not None:
        _demand_another(tx, before.club, different["awards_from"], before)
    _demand_possible(tx, before, different)
    return after, different


def _demand_another(tx: Transaction, club: str, slug: str, season: Season | None) -> None:
    """Refuse unless the slug is that of a season of the club other than ``season``."""
    found = seasons.find(tx, club, slug)
    if found is None or (season is not None and found.id == season.id):
        raise InvalidInput([Violation("value", "/awards_from", _NO_SEASON, (slug,), actual=slug)])


def _demand_possible(tx: Transaction, season: Season, different: Mapping[str, Any]) -> None:
    """Refuse what the games of the season do not allow any more."""
    if "format" in different and games.any_at_all(tx, season.id):
        raise Conflict("format_fixed", _FORMAT_FIXED)
    outside = []
    starts_on, ends_on = different.get("starts_on"), different.get("ends_on")
    if starts_on is not None and starts_on > date.min:
        outside += _played(tx, season, "/starts_on", until=starts_on - _DAY)
    if ends_on is not None and ends_on < date.max:
        outside += _played(tx, season, "/ends_on", since=ends_on + _DAY)
    if outside:
        raise RuleViolations(outside)


def _played(
    tx: Transaction, season: Season, pointer: str, *, since: date | None = None, until: date | None = None
) -> list[Violation]:
    """What is wrong when the last game of these days, whatever its status, falls out of the season."""
    found = games.page(tx, season.id, since=since, until=until, cursor=None, limit=1).items
    days = [game.played_on.isoformat() for game in found]
    return [Violation("played_on_outside_season", pointer, _PLAYED_OUTSIDE, (day,), actual=day) for day in days]


def system_of(
    rules: RequestedRules, pointer: str = "/rule_system", version_pointer: str = "/rule_system/version"
) -> RuleSystem:
    """The built-in system that is meant; the pointers say where it was named.

    Raises:
        InvalidInput: there is none.
    """
    try:
        return find_system(rules.id, rules.version)
    except UnknownRuleSystem:
        newest = {system.id: system.version for system in newest_systems()}
    if rules.id in newest:
        known = newest[rules.id]
        raise InvalidInput([Violation("value", version_pointer, _NO_VERSION, (known,), limit=known)])
    near = tuple(get_close_matches(rules.id, newest, 1))
    fault = Violation("value", pointer, _NO_SYSTEM, (", ".join(newest),), limit=list(newest), suggestions=near)
    raise InvalidInput([fault])


def _demand_order(starts_on: date | None, ends_on: date | None) -> None:
    if starts_on is not None and ends_on is not None and ends_on < starts_on:
        first, last = starts_on.isoformat(), ends_on.isoformat()
        raise InvalidInput([Violation("value", "/ends_on", _ENDS_FIRST, (first,), limit=first, actual=last)])


def _record(
    tx: Transaction,
    caller: Caller,
    season: Season,
    action: str,
    now: datetime,
    *,
    revision: int,
    reason: str | None = None,
    detail: Mapping[str, Any] | None = None,
) -> None:
    journal.record(
        tx,
        action=action,
        target=season.slug,
        at=now,
        key_id=caller.key_id,
        role=caller.role,
        club_id=season.club_id,
        season_id=season.id,
        revision=revision,
        reason=reason,
        detail=json.dumps(detail, ensure_ascii=False, default=str) if detail else None,
    )
