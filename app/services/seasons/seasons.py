"""Seasons and tournaments of a club: create, list and change them."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any, Final, NamedTuple

from app.repositories.clubs import clubs
from app.repositories.database import Transaction
from app.repositories.database.errors import NotUnique, translated
from app.repositories.database.pages import Page
from app.repositories.games import games
from app.repositories.games.hidden_games import HiddenGames as HiddenGames
from app.repositories.seasons import seasons
from app.repositories.seasons.seasons import Season as Season
from app.scoring.rule_system import RuleSystem
from app.scoring.systems import UnknownRuleSystem, find_system, newest_systems
from app.scoring.terms import Format
from app.scoring.text import words
from app.scoring.violation import RuleViolations, Violation
from app.services import journal
from app.services.access import Caller, club_for, demand_open, require, season_for_reading, season_locked
from app.services.errors import Conflict
from app.services.games.sent_game import rules_of
from app.services.journal import Scope
from app.services.seasons.rule_change import Preview, preview, rescore
from app.services.storage.settings_tag import demand_settings, settings_tag
from app.spelling import nearest
from app.validation import InvalidInput

_DAY: Final = timedelta(days=1)
_RULES: Final = ("rule_system", "rule_version")
_HIDING: Final = ("hidden_stage", "hidden_day")

SLUG_TAKEN: Final = words(
    "В клубе уже есть сезон с адресом «{}»; возьмите другой адрес.", "The club already has a season with the slug {}."
)
_NO_SYSTEM: Final = words("нет такого регламента; есть: {}", "unknown rule system; expected one of: {}")
_NO_VERSION: Final = words("нет такой версии; последняя — {}", "unknown version; the newest is {}")
_ENDS_FIRST: Final = words("сезон кончается раньше начала ({})", "the season ends before it starts on {}")
_PLAYED_OUTSIDE: Final = words(
    "в сезоне есть игра от {}: она останется за его датами", "the season has a game played on {}, outside these dates"
)
_NO_SEASON: Final = words("в клубе нет другого сезона «{}»", "the club has no other season with the slug {}")
_FORMAT_FIXED: Final = words(
    "В сезоне уже есть игры, формат изменить нельзя.", "The format cannot change because the season has games."
)


_NO_STAGES: Final = words("стадии есть только у турниров", "only tournaments have stages")


class RequestedRules(NamedTuple):
    """A rule system by id and version; without a version, the newest."""

    id: str
    version: int | None = None


class NewSeason(NamedTuple):
    """A season to be created; ``awards_from`` is the slug of the qualifying season."""

    slug: str
    name: str
    rules: RequestedRules
    format: Format = "season"
    starts_on: date | None = None
    ends_on: date | None = None
    public: bool = True
    awards_from: str | None = None


def create(tx: Transaction, caller: Caller, club: str, new: NewSeason, now: datetime) -> Season:
    """Create a season with one version of its rule system.

    Raises:
        Unauthorized, Forbidden: only the president creates seasons.
        NotFound: there is no such club.
        InvalidInput: there are no such rules, or the season ends before it starts.
        Conflict: ``slug_taken``.
    """
    found = club_for(tx, caller, club, "create_season")
    clubs.lock(tx, found.id)  # merging a player changes all seasons of the club: none may be created meanwhile
    system = system_of(new.rules)
    _demand_order(new.starts_on, new.ends_on)
    if new.awards_from is not None:
        _demand_another(tx, club, new.awards_from, None)
    columns = new._asdict()
    del columns["rules"]
    try:
        with translated():
            season = seasons.add(
                tx, club_id=found.id, rule_system=system.id, rule_version=system.version, at=now, **columns
            )
    except NotUnique:
        raise Conflict("slug_taken", SLUG_TAKEN, new.slug) from None
    journal.record(tx, caller, new.slug, "season_created", Scope.of(season, season.revision), now)
    return season


def get(tx: Transaction, caller: Caller, club: str, season: str) -> Season:
    """Return a season as the caller may know it: without the slug of a qualifying season that the caller may not read.

    Raises:
        NotFound: there is no such season that the caller may know of.
    """
    found = season_for_reading(tx, caller, club, season)
    return _as_seen(tx, caller, found.club_id, [found])[0]


def page(tx: Transaction, caller: Caller, club: str, *, cursor: str | None, limit: int) -> Page[Season]:
    """Return the club's seasons that the caller may read, newest first, each as :func:`get` does.

    Raises:
        NotFound: there is no such club.
        NotACursor: the cursor belongs to another list.
    """
    found = club_for(tx, caller, club, "list_seasons")
    public = None if caller.is_of(found.id) else True
    listed = seasons.page(tx, found.id, public=public, cursor=cursor, limit=limit)
    return Page(_as_seen(tx, caller, found.id, listed.items), listed.next_cursor)


def _as_seen(tx: Transaction, caller: Caller, club_id: int, found: Sequence[Season]) -> list[Season]:
    """Return seasons of a club as the caller may know them."""
    qualifying = {season.awards_from for season in found if season.awards_from is not None}
    if caller.is_of(club_id) or not qualifying:
        return list(found)
    known = seasons.readable_slugs(tx, club_id, qualifying)
    return [season if season.awards_from in known else season._replace(awards_from=None) for season in found]


def change(
    tx: Transaction,
    caller: Caller,
    club: str,
    season: str,
    *,
    values: Mapping[str, Any],
    expected: Collection[str] | None = None,
    reason: str | None = None,
    now: datetime,
) -> Season:
    """Give a season another ``slug``, ``name``, ``starts_on``, ``ends_on`` or ``public``, under a new revision.

    ``hidden_games`` (:class:`app.repositories.games.hidden_games.HiddenGames` or None) can be changed alone while the
    season is closed.

    ``format`` is fixed once there is a game; with another ``rule_system`` (:class:`RequestedRules`) every game is
    rescored (:func:`app.services.seasons.rule_change.rescore`). Without a difference, the
    revision stays. ``expected``: the tags that the caller takes for current; None: any.

    Raises:
        PreconditionFailed: what is expected is given and not the current tag.
        Unauthorized, Forbidden, NotFound: see :func:`app.services.access.season_for_writing`.
        InvalidInput: there are no such rules, or the season would end before it starts.
        RuleViolations: ``played_on_outside_season``: a game would lie outside the new days.
        GamesRefused: the new rules forbid games of the season.
        Conflict: ``season_closed``, ``slug_taken``, ``format_fixed``.
    """
    before = season_locked(tx, caller, club, season, "update_season")
    if values.keys() != {"hidden_games"}:
        demand_open(before)
    if expected is not None:
        demand_settings(expected, tag_of(before))
    after, different = _changed(tx, before, values)
    if not different:
        return before
    columns = {name: value for name, value in different.items() if name not in _RULES}
    detail = {name: value for name, value in different.items() if name not in _HIDING}
    if len(detail) < len(different):
        detail["hidden_from"] = {"stage": after.hidden_stage, "day": after.hidden_day}
    revision = seasons.advance(tx, before)
    try:
        with translated():
            seasons.change(tx, before.id, columns)
    except NotUnique:
        raise Conflict("slug_taken", SLUG_TAKEN, after.slug) from None
    if len(columns) < len(different):
        seasons.follow(tx, before.id, revision=revision, rule_system=after.rule_system, rule_version=after.rule_version)
        detail["rescored"] = rescore(tx, caller, before, rules_of(after), revision=revision, reason=reason, now=now)
    after = after._replace(revision=revision)
    scope = Scope.of(after, revision)
    journal.record(tx, caller, after.slug, "season_changed", scope, now, reason=reason, detail=detail)
    return after


def tag_of(season: Season) -> str:
    """Return the tag of the season's settings: games, closing and the club's own settings do not alter it."""
    return settings_tag(*season._replace(revision=0, traits_at=0, closed_at=None, club="", timezone=""))


def preview_change(
    tx: Transaction,
    caller: Caller,
    club: str,
    season: str,
    *,
    values: Mapping[str, Any],
    expected: Collection[str] | None = None,
    now: datetime,
) -> Preview:
    """Return what :func:`change` would do to the season's table and games, without changing anything.

    Raises:
        PreconditionFailed: what is expected is given and not the current tag.
        Unauthorized, Forbidden, NotFound: the caller does not change seasons there.
        InvalidInput, RuleViolations, Conflict: whatever else :func:`change` would refuse but a slug that is taken.
    """
    before = season_for_reading(tx, caller, club, season)
    require(caller, "update_season", before.club_id)
    demand_open(before)
    if expected is not None:
        demand_settings(expected, tag_of(before))
    after, _ = _changed(tx, before, values)
    return preview(tx, before, rules_of(after), now)


def _changed(tx: Transaction, before: Season, values: Mapping[str, Any]) -> tuple[Season, dict[str, Any]]:
    """Return the season with these values, and those of them that differ."""
    wanted = dict(values)
    if rules := wanted.pop("rule_system", None):
        system = system_of(rules)
        wanted |= {"rule_system": system.id, "rule_version": system.version}
    if "hidden_games" in wanted:
        hidden = wanted.pop("hidden_games")
        wanted |= {"hidden_stage": None, "hidden_day": None} if hidden is None else _hidden(before, hidden)
    after = before._replace(**wanted)
    _demand_order(after.starts_on, after.ends_on)
    different = {name: value for name, value in wanted.items() if value != getattr(before, name)}
    if different.get("awards_from") is not None:
        _demand_another(tx, before.club, different["awards_from"], before)
    _demand_possible(tx, before, different)
    return after, different


def _hidden(season: Season, games: HiddenGames) -> dict[str, Any]:
    """Return the values of the season that hide these games.

    Raises:
        InvalidInput: it is no tournament that has stages.
    """
    if games.stage is not None and season.format != "tournament":
        raise InvalidInput([Violation("value", "/hidden_from/stage", _NO_STAGES, actual=games.stage)])
    return {"hidden_stage": games.stage, "hidden_day": games.day}


def _demand_another(tx: Transaction, club: str, slug: str, season: Season | None) -> None:
    """Check that the slug belongs to a season of the club other than ``season``."""
    found = seasons.find(tx, club, slug)
    if found is None or (season is not None and found.id == season.id):
        raise InvalidInput([Violation("value", "/awards_from", _NO_SEASON, (slug,), actual=slug)])


def _demand_possible(tx: Transaction, season: Season, different: Mapping[str, Any]) -> None:
    """Check that the games of the season allow the change."""
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
    """Return a violation if a game of any status was played in these days outside the season."""
    found = games.page(tx, season.id, since=since, until=until, cursor=None, limit=1).items
    days = [game.played_on.isoformat() for game in found]
    return [Violation("played_on_outside_season", pointer, _PLAYED_OUTSIDE, (day,), actual=day) for day in days]


def system_of(
    rules: RequestedRules, pointer: str = "/rule_system", version_pointer: str = "/rule_system/version"
) -> RuleSystem:
    """Return the built-in system; the pointers say where the request names it.

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
    near = nearest(rules.id, newest)
    fault = Violation("value", pointer, _NO_SYSTEM, (", ".join(newest),), limit=list(newest), suggestions=near)
    raise InvalidInput([fault])


def _demand_order(starts_on: date | None, ends_on: date | None) -> None:
    if starts_on is not None and ends_on is not None and ends_on < starts_on:
        first, last = starts_on.isoformat(), ends_on.isoformat()
        raise InvalidInput([Violation("value", "/ends_on", _ENDS_FIRST, (first,), limit=first, actual=last)])
