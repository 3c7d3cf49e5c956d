"""Points for votes of the day."""

from collections.abc import Collection, Iterable, Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from app.scoring.played import Played
from app.scoring.points import PointsParameter
from app.scoring.rules.kind import Code, Line, PointsRule, unknown_seats
from app.scoring.terms import Category, Team
from app.scoring.text import words
from app.scoring.violation import Violation

_VOTE = words("день {}: голос против места {}", "day {}: voted against seat {}")
_ALL = words("все голоса, {}, — против нужных", "all {} votes were such")


class VotePoints(PointsRule):
    """Each vote against a player of ``teams`` or ``target_roles`` (null: any) gives ``points``, or what
    ``by_day`` gives on that day.

    ``voted_out``: only if the target left by this vote (voted out on that day). ``all_votes``: ``points`` once, if
    all votes of a player with at least ``least_votings`` are such.
    """

    repeatable: ClassVar[bool] = True
    reads: ClassVar[frozenset[str]] = frozenset({"votes", "exit"})
    reads_with: ClassVar[Mapping[str, str]] = {"exit": "voted_out"}
    ru: ClassVar[str] = (
        "Каждый голос против игрока из ``teams`` или ``target_roles`` (null: любого) даёт ``points`` или то, что "
        "``by_day`` даёт в этот день. ``voted_out``: только если цель в этот день заголосована. ``all_votes``: "
        "``points`` один раз, если таковы все голоса игрока и их не меньше ``least_votings``."
    )

    kind: Literal["vote_points"] = "vote_points"
    teams: tuple[Team, ...] | None = None
    target_roles: tuple[str, ...] | None = None
    voted_out: bool = False
    points: PointsParameter = 0
    by_day: dict[Annotated[int, Field(ge=1)], PointsParameter] | None = None
    all_votes: bool = False
    least_votings: Annotated[int, Field(ge=1)] = 1
    code: Code = "vote"
    category: Category = "extra"

    def roles_named(self) -> Iterable[str]:
        return (*(self.roles or ()), *(self.target_roles or ()))

    def codes_given(self) -> Collection[str]:
        return {self.code}

    def violations(self, played: Played) -> Iterable[Violation]:
        for k, vote in enumerate(played.game.votes):
            yield from unknown_seats(played, "vote_unknown_seat", (vote.seat,), f"/votes/{k}/seat")
            yield from unknown_seats(played, "vote_unknown_seat", (vote.target,), f"/votes/{k}/target")

    def _is_such(self, played: Played, day: int, target: int) -> bool:
        seat = played.seats[target]
        if self.teams is not None and played.teams[target] not in self.teams:
            return False
        if self.target_roles is not None and seat.role not in self.target_roles:
            return False
        return not self.voted_out or (seat.exit is not None and seat.exit.how == "voted" and seat.exit.day == day)

    def lines(self, played: Played) -> Iterable[tuple[int, Line]]:
        such: dict[int, list[bool]] = {}
        for vote in played.game.votes:
            i = played.index[vote.seat]
            is_such = self._is_such(played, vote.day, played.index[vote.target])
            such.setdefault(i, []).append(is_such)
            points = (self.by_day or {}).get(vote.day, self.points)
            if is_such and points and not self.all_votes:
                yield i, Line(self.code, self.category, points, _VOTE, (vote.day, vote.target))
        if self.all_votes and self.points:
            for i, each in such.items():
                if all(each) and len(each) >= self.least_votings:
                    yield i, Line(self.code, self.category, self.points, _ALL, (len(each),))
