"""Approvals that a game needs: who may decide them, and what a game is while they are open."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Final, Literal, TypeAlias

from app.repositories.games.approvals import Approval
from app.scoring.breakdown import Breakdown
from app.services.access import Caller

GameStatus: TypeAlias = Literal["counted", "pending", "rejected", "voided", "unrated", "cancelled"]
"""Whether a stored game counts, and if not, why."""

ApprovalState: TypeAlias = Literal["pending", "approved", "rejected"]

DECIDES: Final[Mapping[str, frozenset[str]]] = {
    "chief_judge": frozenset({"chief_judge"}),
    "president": frozenset({"chief_judge", "president"}),
}
"""Whose approvals a role may decide: the president whatever the chief judge may."""


def approvals_of(
    breakdown: Breakdown, earlier: Iterable[Approval], submitted_by: Caller | None, now: datetime
) -> list[Approval]:
    """Return the approvals that the game needs now.

    Approvals keep their state if clause, seat and points are unchanged; all others start over. If the role of
    ``submitted_by`` may decide an approval that is not approved, submitting the game approves it. This also lets
    someone override their own rejection.
    """
    before = {(one.clause, one.seat, one.decider, one.points): one for one in earlier}
    found = []
    for needed in breakdown.approvals:
        approval = before.get((needed.clause, needed.seat, needed.by, needed.points))
        if approval is None:
            approval = Approval(needed.clause, needed.seat, needed.by, needed.points, "pending")
        if (
            approval.state != "approved"
            and submitted_by is not None
            and needed.by in DECIDES.get(submitted_by.role, frozenset())
        ):
            approval = approval._replace(
                state="approved", decided_by=submitted_by.key_id, decided_role=submitted_by.role, at=now, note=None
            )
        found.append(approval)
    return found


def status_of(breakdown: Breakdown, approvals: Iterable[Approval]) -> GameStatus:
    """What the game is, unless it is voided; one rejected approval keeps it out until it is corrected."""
    if breakdown.game.cancelled:
        return "cancelled"
    if not breakdown.game.rated:
        return "unrated"
    states = {approval.state for approval in approvals}
    return "rejected" if "rejected" in states else "pending" if "pending" in states else "counted"
