"""What is stored of a season beside its games: its journal, its rules, its sums for cold starts."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple, get_args

from app.repositories import audits
from app.repositories.audits import ChangeRow, RulesPeriod
from app.repositories.database import Transaction
from app.repositories.games import ledger
from app.repositories.seasons.seasons import Season
from app.scoring.exact_json import loads
from app.scoring.systems import UnknownRuleSystem, find_system
from app.scoring.terms import Format
from app.services.audit.differences import UNREADABLE, FoundDifference, differs, unreadable
from app.services.audit.people import MERGED, Merge, MergeRevision, merge_of

_FOLLOWS: Final = frozenset({MERGED, "season_reopened"})
_DRAWN: Final = "lot_drawn"
_WITHDRAWN: Final = "lot_withdrawn"
_IMPORTED: Final = "season_imported"
_CLOSED: Final = "season_closed"


class SeasonRecord(NamedTuple):
    """What was written down about a season, as far as other rows are compared with it."""

    revisions: set[int]
    follows: list[MergeRevision]
    """Where the season followed the merges of its players: at once, or when it was reopened."""
    merges: dict[str, Merge]
    """Those that it followed at once, by the public id of who went."""
    draws: dict[int, Any]
    """The detail of each lot that was drawn, by revision."""
    withdrawals: dict[int, Any]
    """The detail of each lot that was withdrawn, by revision."""
    has_own_ids: bool
    """Whether it was always stored here, so that its players have the ids that lots were drawn for."""
    closed_under: int | None = None
    """The revision of the last closing."""

    @property
    def merging(self) -> set[int | None]:
        """The revisions of merges that were followed at once."""
        return {merge.revision for merge in self.merges.values()}


def record(changes: Iterable[ChangeRow], found: list[FoundDifference]) -> SeasonRecord:
    """What the season's changes say; ``found`` gets those that cannot be read."""
    read = SeasonRecord(set(), [], {}, {}, {}, has_own_ids=True)
    for change in changes:
        if change.action == _IMPORTED:
            read = read._replace(has_own_ids=False)
        detail, what = detail_of(change)
        found += [] if what is None else [what]
        if change.revision is None:
            continue
        read.revisions.add(change.revision)
        if change.action in _FOLLOWS:
            read.follows.append(MergeRevision(change.revision, change.id, change.at))
        if change.action == MERGED and (merge := merge_of(change, change.revision)):
            read.merges.setdefault(change.target, merge)
        if change.action == _DRAWN:
            read.draws[change.revision] = detail
        if change.action == _WITHDRAWN:
            read.withdrawals[change.revision] = detail
        if change.action == _CLOSED:
            read = read._replace(closed_under=change.revision)
    return read


def detail_of(change: ChangeRow) -> tuple[Any, FoundDifference | None]:
    """The detail of a change, and what is wrong with it."""
    if change.detail is None:
        return None, None
    where = "" if change.revision is None else f" under revision {change.revision}"
    what = f"detail of {change.action}{where}"
    try:
        detail = loads(change.detail)
    except UNREADABLE as error:
        return None, unreadable(what, error)
    return detail, None if isinstance(detail, dict) else differs(what, "an object", detail)


def head(season: Season, record: SeasonRecord, frozen_under: int | None) -> Iterator[FoundDifference]:
    """What the season's own row says can be. ``frozen_under``: the revision of its frozen tables."""
    if season.revision < 0:
        yield differs("revision", "0 or more", season.revision)
    if season.format not in get_args(Format):
        yield differs("format", get_args(Format), season.format)
    if season.starts_on is not None and season.ends_on is not None and season.ends_on < season.starts_on:
        yield differs("last day", f"{season.starts_on} or later", season.ends_on)
    if season.closed_at is not None and frozen_under not in (None, record.closed_under):
        yield differs("revision of the frozen tables", record.closed_under, frozen_under)


def revisions(season: Season, recorded: set[int]) -> Iterator[FoundDifference]:
    """Something was done under each revision, and nothing under those to come or before the first."""
    if before_first := [revision for revision in recorded if revision < 0]:
        yield differs("what was done under negative revisions", "none", sorted(before_first))
    known = sorted(revision for revision in recorded if revision > 0)
    before = 0
    for revision in known:
        if revision > season.revision:
            yield differs(f"what was done under revision {revision}", "none", "a change")
        elif revision > before + 1:
            yield differs(f"what was done under revision {_span(before + 1, revision - 1)}", "a change", "none")
        before = revision
    last = max((revision for revision in known if revision <= season.revision), default=0)
    if last < season.revision:
        yield differs(f"what was done under revision {_span(last + 1, season.revision)}", "a change", "none")


def rules(season: Season, followed: Sequence[RulesPeriod], recorded: set[int]) -> Iterator[FoundDifference]:
    """The rules of each revision are known, and the season's row repeats the last."""
    if not followed or followed[0].revision != 0:
        yield differs("rules from the start", "known", followed[0] if followed else None)
    for one in followed:
        if one.revision != 0 and one.revision not in recorded:
            yield differs(f"rules from revision {one.revision}", "written down", one[1:])
        try:
            find_system(one.rule_system, one.rule_version)
        except UnknownRuleSystem as error:
            yield differs(f"rules from revision {one.revision}", str(error), one[1:])
    last = followed[-1][1:] if followed else None
    if last != (season.rule_system, season.rule_version):
        yield differs("rules", last, (season.rule_system, season.rule_version))


def kept_sums(tx: Transaction, season: Season) -> Iterator[FoundDifference]:
    """The sums stored for cold starts are those of the rows."""
    revision = audits.kept_sums_revision(tx, season.id)
    if revision is None:
        return
    if revision > season.revision:
        yield differs("revision of the kept sums", f"up to {season.revision}", revision)
    expected, found = _counted(ledger.sums_of_rows(tx, season.id)), _counted(ledger.sums(tx, season.id))
    for seat in sorted({*expected, *found}, key=str):
        if expected[seat] != found[seat]:
            yield differs(f"times that the kept sums count {seat}", expected[seat], found[seat])


def _counted(sums: Iterable[ledger.Sum]) -> Counter[tuple[Any, ...]]:
    counts: Counter[tuple[Any, ...]] = Counter()
    for seat, lines, times in sums:
        counts[*seat, lines] += times
    return counts


def _span(first: int, last: int) -> str:
    return str(first) if first == last else f"{first} to {last}"
