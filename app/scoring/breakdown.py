"""A scored game: what each clause gave each seat, which approvals it needs, what deserves a second look."""

from collections.abc import Hashable, Sequence
from typing import NamedTuple, TypeAlias

from app.scoring.game import Game, Seat
from app.scoring.game_rules import GameRules
from app.scoring.played import Played
from app.scoring.points import Points
from app.scoring.rules.kind import Line
from app.scoring.tally import Cell, Earned, Tallies
from app.scoring.terms import Result, Status
from app.scoring.text import Text

ScoredLine: TypeAlias = tuple[str, Line]
"""The number of the clause that gave a line, and the line."""


class RuleSystemId(NamedTuple):
    """What tells rule systems apart."""

    id: str
    version: int


class ScoredSeat(NamedTuple):
    """What one seat got."""

    seat: Seat
    team: str
    result: Result | None
    lines: Sequence[ScoredLine]
    total: Points


class Approval(NamedTuple):
    """Points of a seat (by number) that need the approval of ``by``."""

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

    __slots__ = ("_approvals", "_rules", "_warnings", "game", "lines", "played", "system")

    def __init__(self, system: RuleSystemId, rules: GameRules, played: Played) -> None:
        self.system = system
        self._rules = rules
        self.played = played
        self.game: Game = played.game
        self.lines: list[list[ScoredLine]] = [[] for _ in played.seats]
        if not self.game.cancelled:
            for clause, rule in rules.lines:
                for i, line in rule.lines(played):
                    self.lines[i].append((clause, line))
            for number, limit in rules.limits:
                for lines in self.lines:
                    lines += [(number, line) for line in limit.cuts([line for _, line in lines])]
        self._approvals: list[Approval] | None = None
        self._warnings: list[SeatWarning] | None = None

    @property
    def approvals(self) -> list[Approval]:
        """Approvals that the game needs; friendly and cancelled games need none."""
        if self._approvals is None:
            counts = self.game.rated and not self.game.cancelled
            self._approvals = [
                Approval(clause, self.game.seats[at].seat, by, points)
                for clause, rule in (self._rules.consents if counts else ())
                for at, by, points in rule.consents(self.played)
            ]
        return self._approvals

    @property
    def warnings(self) -> list[SeatWarning]:
        """What deserves a second look."""
        if self._warnings is None:
            self._warnings = [
                SeatWarning(code, None if at is None else self.game.seats[at].seat, text, args)
                for _, rule in (() if self.game.cancelled else self._rules.cautions)
                for code, at, text, args in rule.cautions(self.played)
            ]
        return self._warnings

    @property
    def status(self) -> Status:
        """``counted``; ``pending`` while it needs an approval; ``unrated`` and ``cancelled`` games never count."""
        if self.game.cancelled:
            return "cancelled"
        if not self.game.rated:
            return "unrated"
        return "pending" if self.approvals else "counted"

    @property
    def registered(self) -> list[bool]:
        """Whether each seat's player counts in sums, along the seats."""
        return self._rules.registered(self.played)

    @property
    def totals(self) -> list[tuple[int, Points]]:
        """The number and the points of each seat, by number."""
        return sorted([(seat.seat, _total(lines)) for seat, lines in zip(self.game.seats, self.lines, strict=True)])

    @property
    def seats(self) -> list[ScoredSeat]:
        """Every seat in the order of the game, an unregistered one too."""
        played = self.played
        return [
            ScoredSeat(seat, played.teams[i] or "", played.results[i], lines, _total(lines))
            for i, (seat, lines) in enumerate(zip(played.seats, self.lines, strict=True))
        ]

    def entries(self) -> list[tuple[int, Cell, tuple[Earned, ...]]]:
        """Index, circumstances and what was earned of each rated seat; none in a game that cannot count."""
        game, played = self.game, self.played
        if game.cancelled or not game.rated:
            return []
        stage, first_kill = game.stage, played.first_kill
        registered = self._rules.registered(played)
        return [
            (i, (seat.role, team, result, stage, i == first_kill), tuple([line[:3] for _, line in lines]))
            for i, seat, team, result, lines in zip(
                range(len(self.lines)), played.seats, played.teams, played.results, self.lines, strict=True
            )
            if registered[i] and team is not None and result is not None
        ]

    def add_to(self, tallies: Tallies, players: Sequence[Hashable] | None = None) -> None:
        """Count the game in ``tallies``; ``players``: their keys in the order of seats, by default folded nicknames.

        A game with pending approvals counts: only stored games can wait.
        """
        outcome = self.game.outcome
        if outcome is None or self.game.cancelled or not self.game.rated:
            return
        tallies.count_game(outcome)
        keys: Sequence[Hashable] = self.played.names if players is None else players
        for i, cell, earned in self.entries():
            tallies.add(keys[i], cell, earned)


def _total(lines: Sequence[ScoredLine]) -> Points:
    return sum([line.points for _, line in lines])
