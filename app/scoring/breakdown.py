"""A scored game: what each clause gave each seat, whose approval is awaited, what deserves a second look."""

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from app.scoring.game import Game, Result, Seat
from app.scoring.played import Played
from app.scoring.points import Points
from app.scoring.rules.kind import Line
from app.scoring.tally import Cell, Earned, Tallies
from app.scoring.text import Text

if TYPE_CHECKING:
    from app.scoring.rule_system import RuleSystem

Status: TypeAlias = Literal["counted", "pending", "unrated", "cancelled"]


ScoredLine: TypeAlias = tuple[str, Line]
"""The number of the clause that gave a line, and the line."""


class ScoredSeat(NamedTuple):
    """What one seat got."""

    seat: Seat
    team: str
    result: Result | None
    lines: Sequence[ScoredLine]
    total: Points


class Approval(NamedTuple):
    """Points of a seat (by number) that wait for the word of ``by``."""

    clause: str
    seat: int
    by: str
    points: Points


class SeatWarning(NamedTuple):
    """Something allowed at a seat (by number) that the judge should see."""

    code: str
    seat: int | None
    text: Text
    args: tuple[object, ...]


class Breakdown:
    """What a system says of one game without violations."""

    __slots__ = ("_approvals", "_warnings", "game", "lines", "played", "system")

    def __init__(
        self,
        system: "RuleSystem",
        played: Played,
        lines: list[list[ScoredLine]],
    ) -> None:
        self.system = system
        self.played = played
        self.game: Game = played.game
        self.lines = lines
        self._approvals: list[Approval] | None = None
        self._warnings: list[SeatWarning] | None = None

    @property
    def approvals(self) -> list[Approval]:
        """Whose word the game needs; a friendly or cancelled one needs nobody's."""
        if self._approvals is None:
            self._approvals = self.system.approvals(self.played)
        return self._approvals

    @property
    def warnings(self) -> list[SeatWarning]:
        """What deserves a second look."""
        if self._warnings is None:
            self._warnings = self.system.warnings(self.played)
        return self._warnings

    @property
    def status(self) -> Status:
        """``counted``; ``pending`` while an approval is awaited; ``unrated`` and ``cancelled`` games never count."""
        if self.game.cancelled:
            return "cancelled"
        if not self.game.rated:
            return "unrated"
        return "pending" if self.approvals else "counted"

    @property
    def registered(self) -> Sequence[bool]:
        """Whether each seat's player counts in sums, along the seats."""
        return self.system.registered(self.played)

    @property
    def totals(self) -> list[tuple[int, Points]]:
        """The number and the points of each seat, by number."""
        each = zip(self.game.seats, self.lines, strict=True)
        return sorted([(seat.seat, sum([line.points for _, line in lines])) for seat, lines in each])

    @property
    def seats(self) -> list[ScoredSeat]:
        """Every seat in the order of the game, an unregistered one too."""
        played = self.played
        return [
            ScoredSeat(seat, played.teams[i] or "", played.results[i], lines, sum([line.points for _, line in lines]))
            for i, (seat, lines) in enumerate(zip(played.seats, self.lines, strict=True))
        ]

    def entries(self) -> list[tuple[int, Cell, tuple[Earned, ...]]]:
        """Index, circumstances and what was earned of each rated seat; none in a game that cannot count."""
        game, played = self.game, self.played
        if game.cancelled or not game.rated:
            return []
        stage, first_kill = game.stage, played.first_kill
        rated = self.system.registered(played)
        return [
            (i, (seat.role, team, result, stage, i == first_kill), tuple([line[:3] for _, line in lines]))
            for i, seat, team, result, lines in zip(
                range(len(self.lines)), played.seats, played.teams, played.results, self.lines, strict=True
            )
            if rated[i] and team is not None and result is not None
        ]

    def add_to(self, tallies: Tallies, players: Sequence[Hashable] | None = None) -> None:
        """Count the game in ``tallies``; ``players``: their keys in the order of seats, by default folded nicknames.

        A game whose approvals are awaited counts: only storage can wait.
        """
        outcome = self.game.outcome
        if outcome is None or self.game.cancelled or not self.game.rated:
            return
        tallies.count_game(outcome)
        keys: Sequence[Hashable] = self.played.names if players is None else players
        for i, cell, earned in self.entries():
            tallies.add(keys[i], cell, earned)
