"""The protocol (the will): colours and roles that a player leaves to the others, paid by what was right."""

from collections.abc import Collection, Iterable
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from app.scoring.game import Claim, Protocol
from app.scoring.played import Played
from app.scoring.points import Points, PointsParameter
from app.scoring.rules.kind import Code, Line, PointsRule, unknown_seats
from app.scoring.terms import Category, Team
from app.scoring.text import words
from app.scoring.violation import Violation

_SAID = words("протокол: верно {}, неверно {}", "protocol: {} right, {} wrong")
_TWICE = words("протокол места {} указан дважды", "seat {} has two protocols")
_SIZE = words("в протоколе не больше {} мест, названо {}", "expected at most {} claims, got {}")


class ProtocolPoints(PointsRule):
    """A player whose protocol the game has gets ``right`` for each right claim and ``wrong`` for each wrong one, by the
    team that it names (of a role: the role's), in the order of claims.

    ``makers``: who may get them: the ``first_kill``, whoever left the table (``dead``), or ``any``.
    ``stop_at_first_error``: later claims give nothing. ``least``: with fewer right claims there are no points.
    ``most_claims``: a protocol has no more.
    """

    repeatable: ClassVar[bool] = True
    reads: ClassVar[frozenset[str]] = frozenset({"protocols"})
    ru: ClassVar[str] = (
        "Игрок, чей протокол записан, получает ``right`` за каждое верное слово и ``wrong`` за неверное, по названной "
        "команде (для роли — по её команде). ``makers``: кому платят — первому убиенному (``first_kill``), выбывшим "
        "(``dead``) или всем (``any``). ``stop_at_first_error``: после ошибки баллов нет. ``least``: если верных "
        "меньше, баллов нет. ``most_claims``: больше мест в протоколе не бывает."
    )

    kind: Literal["protocol"] = "protocol"
    makers: Literal["first_kill", "dead", "any"] = "any"
    right: dict[Team, PointsParameter]
    wrong: dict[Team, PointsParameter] | None = None
    stop_at_first_error: bool = False
    least: Annotated[int, Field(ge=0)] = 0
    most_claims: Annotated[int, Field(ge=1)] | None = None
    code: Code = "protocol"
    category: Category = "extra"

    def codes_given(self) -> Collection[str]:
        return {self.code}

    def violations(self, played: Played) -> Iterable[Violation]:
        seen: set[int] = set()
        for k, protocol in enumerate(played.game.protocols):
            pointer = f"/protocols/{k}"
            yield from unknown_seats(played, "protocol_unknown_seat", (protocol.seat,), f"{pointer}/seat")
            seats = [claim.seat for claim in protocol.claims]
            yield from unknown_seats(played, "protocol_unknown_seat", seats, pointer + "/claims/{}/seat")
            if protocol.seat in seen:
                yield Violation("protocol_duplicate", f"{pointer}/seat", _TWICE, (protocol.seat,), actual=protocol.seat)
            seen.add(protocol.seat)
            if self.most_claims is not None and len(seats) > self.most_claims:
                args = (self.most_claims, len(seats))
                yield Violation("protocol_size", f"{pointer}/claims", _SIZE, args, self.most_claims, len(seats))

    def lines(self, played: Played) -> Iterable[tuple[int, Line]]:
        for protocol in played.game.protocols:
            i = played.index[protocol.seat]
            if self.makers == "first_kill" and i != played.first_kill:
                continue
            if self.makers == "dead" and played.seats[i].exit is None and i != played.first_kill:
                continue
            points, right, wrong = self._of(played, protocol)
            if points and right >= self.least:
                yield i, Line(self.code, self.category, points, _SAID, (right, wrong))

    def _of(self, played: Played, protocol: Protocol) -> tuple[Points, int, int]:
        points = right = wrong = 0
        for claim in protocol.claims:
            true, team = _checked(played, claim)
            right += true
            wrong += not true
            points += ((self.right if true else self.wrong) or {}).get(team, 0) if team else 0
            if not true and self.stop_at_first_error:
                break
        return points, right, wrong


def _checked(played: Played, claim: Claim) -> tuple[bool, Team | None]:
    """Whether the claim is true, and the team that it speaks of."""
    at = played.index[claim.seat]
    if claim.team is not None:
        teams: dict[str, Team] = {team: team for team in ("red", "black", "maniac")}
        return played.teams[at] == claim.team, teams.get(claim.team)
    seats = (i for i, seat in enumerate(played.seats) if seat.role == claim.role)
    return played.seats[at].role == claim.role, played.teams[next(seats, at)]
