"""A game as it stands, beside its versions and the ledger."""

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any, Final, NamedTuple, get_args

from app.repositories.games.approvals import Approval
from app.repositories.games.games import Version
from app.repositories.seasons.seasons import Season
from app.scoring.breakdown import Breakdown
from app.services.audit import entries, versions
from app.services.audit.batch import GameRecord
from app.services.audit.differences import UNREADABLE, FoundDifference, by_seat, differs, unreadable
from app.services.audit.entries import ExpectedLedger
from app.services.audit.people import MergeRevision, People
from app.services.audit.versions import RulesByRevision, ScoredVersion
from app.services.games.needed_approvals import DECIDES, ApprovalState, status_of

_STATES: Final = frozenset(get_args(ApprovalState))


class SeasonContext(NamedTuple):
    """What a game of a season is looked at with."""

    season: Season
    people: People
    rules: RulesByRevision
    recorded: set[int]
    """The revisions that something was written down under."""
    follows: Sequence[MergeRevision]

    def has(self, day: date) -> bool:
        """Whether a day is one of the season's; no first or last day leaves it open."""
        first, last = self.season.starts_on, self.season.ends_on
        return (first is None or first <= day) and (last is None or day <= last)


def differences(around: SeasonContext, record: GameRecord, followed: set[int]) -> Iterator[FoundDifference]:
    """What differs in a game; ``followed`` gets the revisions under which it was entered again after a merge."""
    head = record.head
    for found in _differences(around, record, followed):
        yield found._replace(game=head.public_id)


def _differences(around: SeasonContext, record: GameRecord, followed: set[int]) -> Iterator[FoundDifference]:
    yield from _numbers(around, record)
    yield from (_decided(one) for one in record.approvals if not _can_be(one))
    read = yield from versions.read_all(around.season, record.recorded, around.people, around.rules)
    if not record.recorded or len(read) < len(record.recorded):
        return  # what the rest should be nobody knows
    try:
        ledger = entries.ledger_of(record.head.id, read, record.ledger_rows, around.follows, around.people)
        followed.update(ledger.followed)
        yield from entries.differences(ledger.rows, record.ledger_rows)
        yield from _stands(around, record, read, ledger)
    except UNREADABLE as error:
        yield unreadable("what is written of it", error)


def _numbers(around: SeasonContext, record: GameRecord) -> Iterator[FoundDifference]:
    """Versions have no gaps, and each is of a later revision than the one before."""
    numbers = [one.version.version for one in record.recorded]
    if len(numbers) != record.head.version or any(number != i for i, number in enumerate(numbers, 1)):
        yield differs("versions", f"1 to {record.head.version}", numbers)
    revisions = [one.version.revision for one in record.recorded]
    if sorted(set(revisions)) != revisions or not around.recorded.issuperset(revisions):
        yield differs("revisions of the versions", "rising, each written down", revisions)


def _stands(
    around: SeasonContext, record: GameRecord, read: Sequence[ScoredVersion], ledger: ExpectedLedger
) -> Iterator[FoundDifference]:
    """The game's own row, its seats and approvals are what its versions make of it."""
    head, first, current = record.head, read[0].version, read[-1].version
    breakdown = read[-1].breakdown
    game = breakdown.game
    needed = {(one.clause, one.seat, one.by): one.points for one in breakdown.approvals}
    pairs: tuple[tuple[str, Any, Any], ...] = (
        ("external id", game.external_id, head.external_id),
        ("day", game.played_on, head.played_on),
        ("stage", game.stage, head.stage),
        ("who submitted it, and when", (first.key_id, first.at), (head.created_by, head.created_at)),
        ("approvals", needed, {(one.clause, one.seat, one.decider): one.points for one in record.approvals}),
        ("status", _status(current, breakdown, record.approvals), head.status),
        ("status of the current version", head.status, current.status),
        ("revision of its entry", ledger.standing[0].revision if ledger.standing else None, head.entered),
    )
    yield from (differs(*pair) for pair in pairs if pair[1] != pair[2])
    if not around.has(head.played_on):
        yield differs("day", "one of the season", head.played_on)
    seats = {one.seat: (one.player_id, one.registered) for one in record.seated}
    yield from by_seat("player and registration in the seats", versions.people_of(breakdown, around.people), seats)
    if around.season.closed_at is None:
        for row in ledger.standing:
            player_id = row.seat.player_id
            survivor = around.people.now(player_id)
            if survivor != player_id:
                yield FoundDifference(None, row.number, "player of the entry in force", survivor, player_id)


def _status(current: Version, breakdown: Breakdown, needed: Sequence[Approval]) -> str:
    """What the game is; that it is voided its versions say."""
    return "voided" if current.status == "voided" else status_of(breakdown, needed)


def _can_be(approval: Approval) -> bool:
    """Whether an approval is open, or was decided by somebody who may."""
    decision = (approval.decided_by, approval.decided_role, approval.at)
    if approval.state == "pending":
        return decision == (None, None, None)
    return (
        approval.state in _STATES
        and None not in decision
        and approval.decider in DECIDES.get(approval.decided_role or "", ())
    )


def _decided(approval: Approval) -> FoundDifference:
    found = (approval.state, approval.decided_role, approval.decided_by, approval.at)
    what = f"what became of the approval by clause {approval.clause}"
    return FoundDifference(None, approval.seat, what, "open, or decided by who may", found)
