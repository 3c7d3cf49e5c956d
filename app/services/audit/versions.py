"""The versions of a game, each scored again from its own facts under the rules that it names."""

from collections.abc import Generator, Iterator, Sequence
from typing import Any, Final, NamedTuple, cast

from app.repositories.audits import RecordedVersion, RulesPeriod
from app.repositories.games.games import SeatedPlayer, Version
from app.repositories.seasons.seasons import Season
from app.scoring.breakdown import Breakdown
from app.scoring.exact_json import loads
from app.scoring.game import Game
from app.scoring.systems import find_system
from app.scoring.terms import Format
from app.scoring.violation import RuleViolations
from app.services.audit.differences import UNREADABLE, FoundDifference, by_seat, differs, unreadable
from app.services.audit.people import People
from app.services.games import fingerprint
from app.services.games.fingerprint import Fingerprint

STATUSES: Final = ("cancelled", "counted", "pending", "rejected", "unrated", "voided")
_SAME_FACTS: Final = frozenset({"voided", "approved", "rejected", "rescored"})
"""What is done to a game that leaves its facts alone."""
_REGISTERS: Final = frozenset({"restored", "registered"})
"""What is done to a game that leaves its facts alone, but for players who are registered after all."""


class ScoredVersion(NamedTuple):
    """A version of a game, worked out."""

    version: Version
    breakdown: Breakdown
    seats: Sequence[SeatedPlayer]
    """Who sat there by this version, along the seats of its facts."""


class RulesByRevision:
    """Which rules a season followed at which revision."""

    def __init__(self, followed: Sequence[RulesPeriod]) -> None:
        self._followed = followed

    def at(self, revision: int) -> RulesPeriod | None:
        """The rules of a revision; None before all rules."""
        return next((one for one in reversed(self._followed) if one.revision <= revision), None)


def read_all(
    season: Season, recorded: Sequence[RecordedVersion], people: People, rules: RulesByRevision
) -> Generator[FoundDifference, None, list[ScoredVersion]]:
    """What differs in the versions of a game; returned is each that can be worked out, the first first."""
    last = len(recorded) - 1
    read: list[ScoredVersion] = []
    before: Version | None = None
    for i, one in enumerate(recorded):
        where = "" if i == last else f", version {one.version.version}"
        try:
            found, scored = _read(season, one.version, before, read[-1] if read else None, people)
        except UNREADABLE as error:
            found, scored = [unreadable("what is written of it", error)], None
        if scored is not None:
            read.append(scored)
        after = recorded[i + 1].version if i < last else None
        found += [*_steps(one, before), *_ruled(one.version, after, rules)]
        yield from (difference._replace(what=difference.what + where) for difference in found)
        before = one.version
    return read


def _read(
    season: Season, version: Version, before: Version | None, earlier: ScoredVersion | None, people: People
) -> tuple[list[FoundDifference], ScoredVersion | None]:
    """What differs in a version, and the version worked out unless its rules forbid it."""
    found: list[FoundDifference] = []
    game = _game(version, earlier)
    canonical = game.canonical()
    if not _equal(version.facts, fingerprint.written(canonical)):
        found.append(differs("facts", "in canonical form", "in another"))
    if before is not None and not _follows(version, before):
        found.append(differs("facts", f"those of version {before.version}", "others"))
    found += _fingerprints(game, canonical, version)
    system = find_system(version.rule_system, version.rule_version)
    if earlier is not None and earlier.breakdown.game is game and earlier.breakdown.system == system.key:
        breakdown = earlier.breakdown
    else:
        try:
            breakdown = system.reexamine(game, cast(Format, season.format))
        except RuleViolations as error:
            codes = [violation.code for violation in error.violations]
            return [*found, differs("what the rules forbid", "nothing", codes)], None
    found += _status(breakdown, version, before)
    totals, stored = breakdown.totals, version.totals
    if totals != stored:
        found += [*by_seat("total", dict(totals), dict(stored))] or [differs("totals", totals, stored)]
    seats = version.seats
    found += _people("player and registration in the version", breakdown, seats, people)
    if [seat.seat for seat in seats] != sorted({seat.seat for seat in seats}):
        found.append(differs("who sits where", "each seat once, in order", [seat.seat for seat in seats]))
    who = {seat.seat: seat.player_id for seat in seats}
    along = zip(game.seats, breakdown.registered, strict=True)
    seated = [SeatedPlayer(seat.seat, who.get(seat.seat, 0), registered) for seat, registered in along]
    return found, ScoredVersion(version, breakdown, seated)


def _equal(one: str, other: str) -> bool:
    return one == other or bool(loads(one) == loads(other))


def _follows(version: Version, before: Version) -> bool:
    """Whether the facts are those of the version before, as far as what was done leaves them alone."""
    if version.action not in _SAME_FACTS | _REGISTERS or _equal(version.facts, before.facts):
        return version.action != "registered"
    return version.action in _REGISTERS and _differ_by_registration(loads(before.facts), loads(version.facts))


def _differ_by_registration(before: dict[str, Any], after: dict[str, Any]) -> bool:
    """Whether the only difference is that players are registered who were not."""
    expected = [
        {**seat, "registered": True} if (seat.get("registered"), now.get("registered")) == (False, True) else seat
        for seat, now in zip(before["seats"], after["seats"], strict=True)
    ]
    return {**before, "seats": expected} == after


def _game(version: Version, earlier: ScoredVersion | None) -> Game:
    """The facts, parsed once for all versions that have them."""
    if earlier is not None and earlier.version.facts == version.facts:
        return earlier.breakdown.game
    return Game.stored(loads(version.facts))


def people_of(breakdown: Breakdown, people: People) -> dict[int, tuple[int | None, bool]]:
    """By seat, whom the nickname there means and whether he was registered."""
    registered = breakdown.registered
    along = zip(breakdown.game.seats, registered, strict=True)
    return {seat.seat: (people.named(seat.player), known) for seat, known in along}


def _people(
    what: str, breakdown: Breakdown, seats: Sequence[SeatedPlayer], people: People
) -> Iterator[FoundDifference]:
    found = {one.seat: (people.now(one.player_id), one.registered) for one in seats}
    yield from by_seat(what, people_of(breakdown, people), found)
    if len({one.player_id for one in seats}) < len(seats):
        yield differs("players in the version", "each once", [one.player_id for one in seats])


def _fingerprints(game: Game, canonical: dict[str, Any], version: Version) -> Iterator[FoundDifference]:
    mark, again = Fingerprint.read(version.fingerprint), fingerprint.fingerprint(canonical, ())
    if mark[:2] != again[:2]:
        yield differs("fingerprint", again[:2], mark[:2])
    # Whom the judge called unregistered the facts do not tell: only that he was not registered then.
    possible = [seat.seat for seat in game.seats if seat.registered is False]
    called = [seat for seat in possible if str(seat) in mark.unregistered.split(",")]
    if mark.unregistered != fingerprint.unregistered_seats(called):
        yield differs("unregistered in the fingerprint", f"some of {possible}", mark.unregistered)


def _status(breakdown: Breakdown, version: Version, before: Version | None) -> Iterator[FoundDifference]:
    """Check the status against the facts and the action. Approvals are checked elsewhere."""
    stays = version.action == "corrected" and before is not None and before.status == "voided"
    if version.action == "voided" or stays:
        possible = ["voided"]
    elif breakdown.game.cancelled:
        possible = ["cancelled"]
    elif not breakdown.game.rated:
        possible = ["unrated"]
    elif version.action == "rejected":
        possible = ["rejected"]
    else:
        possible = ["counted", "pending", "rejected"] if breakdown.approvals else ["counted"]
    if version.status not in possible:
        yield differs("status of the version", possible[0] if len(possible) == 1 else possible, version.status)


def _steps(recorded: RecordedVersion, before: Version | None) -> Iterator[FoundDifference]:
    """What was done could be done then, and was written down as it was done."""
    version = recorded.version
    if before is None:
        possible = ["submitted"]
    elif before.status == "voided":
        possible = ["corrected", "restored"]
    else:
        decided = ["approved", "rejected"] if before.status == "pending" else []
        possible = ["corrected", "registered", "rescored", "voided", *decided]
    if version.action not in possible:
        yield differs("what was done", possible, version.action)
    if recorded.action is None:
        return
    detail = {"version": version.version, "status": version.status}
    try:
        written = (recorded.action, loads(recorded.detail or ""))
    except UNREADABLE:
        return  # reported where changes are checked
    if written != (f"game_{version.action}", detail):
        yield differs("what was written down of it", (f"game_{version.action}", detail), written)


def _ruled(version: Version, after: Version | None, rules: RulesByRevision) -> Iterator[FoundDifference]:
    """A version follows the season's rules of its revision, and unless it is voided until the next one."""
    mine = (version.rule_system, version.rule_version)
    revisions = [version.revision]
    if version.status != "voided":
        revisions.append(2**63 if after is None else after.revision - 1)
    for revision in revisions:
        followed = rules.at(revision)
        if followed is not None and followed[1:] != mine:
            yield differs("rules", followed[1:], mine)
            return
