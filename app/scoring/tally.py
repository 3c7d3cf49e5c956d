"""What games add up to: additive tallies that any table, at any revision, is made from."""

from collections.abc import Collection, Hashable, Iterable
from fractions import Fraction
from typing import NamedTuple

from app.scoring.game import Outcome, Result, Stage
from app.scoring.points import POINT, Points


class Cell(NamedTuple):
    """The circumstances of one seat in one game that a tally can be asked about."""

    role: str
    team: str
    result: Result
    stage: Stage | None
    first_kill: bool


class Earned(NamedTuple):
    """One line as a tally keeps it."""

    code: str
    category: str
    points: Points


class Tally:
    """One player's games and lines, added up by :class:`Cell`."""

    __slots__ = ("games", "lines")

    def __init__(self) -> None:
        self.games: dict[Cell, int] = {}
        self.lines: dict[tuple[Cell, str, str], tuple[int, Points]] = {}
        """(cell, code, category) to how many lines and how many points."""

    def add(self, cell: Cell, earned: Iterable[tuple[str, str, Points]], times: int = 1) -> None:
        """Add one game, or with ``times=-1`` take it back."""
        self.games[cell] = self.games.get(cell, 0) + times
        for code, category, points in earned:
            key = (cell, code, category)
            count, total = self.lines.get(key, (0, 0))
            self.lines[key] = (count + times, total + times * points)

    def merge(self, other: "Tally") -> None:
        """Add all that ``other`` holds."""
        for cell, count in other.games.items():
            self.games[cell] = self.games.get(cell, 0) + count
        for key, (count, points) in other.lines.items():
            mine = self.lines.get(key, (0, 0))
            self.lines[key] = (mine[0] + count, mine[1] + points)

    def count(
        self,
        *,
        roles: Collection[str] | None = None,
        team: str | None = None,
        result: Result | None = None,
        stages: Collection[str] | None = None,
        first_kill: bool | None = None,
    ) -> int:
        """How many games the player played in such circumstances; None: any."""
        return sum(
            count
            for cell, count in self.games.items()
            if (roles is None or cell.role in roles)
            and (team is None or cell.team == team)
            and (result is None or cell.result == result)
            and (stages is None or cell.stage in stages)
            and (first_kill is None or cell.first_kill is first_kill)
        )

    def earned(
        self,
        *,
        code: str | None = None,
        category: str | None = None,
        roles: Collection[str] | None = None,
        team: str | None = None,
        stages: Collection[str] | None = None,
    ) -> tuple[int, Points]:
        """How many such lines the player got, and their points in millionths."""
        count = points = 0
        for (cell, line_code, line_category), (lines, total) in self.lines.items():
            if (
                (code is None or line_code == code)
                and (category is None or line_category == category)
                and (roles is None or cell.role in roles)
                and (team is None or cell.team == team)
                and (stages is None or cell.stage in stages)
            ):
                count += lines
                points += total
        return count, points


class Tallies:
    """The tallies of all players of a season or tournament, keyed by whatever tells players apart."""

    __slots__ = ("outcomes", "players")

    def __init__(self) -> None:
        self.players: dict[Hashable, Tally] = {}
        self.outcomes: dict[Outcome, int] = {}
        """How many counted games ended so, over all stages."""

    @property
    def games(self) -> int:
        """How many games count."""
        return sum(self.outcomes.values())

    def count_game(self, outcome: Outcome, times: int = 1) -> None:
        """Count one game of the table, or with ``times=-1`` take it back."""
        self.outcomes[outcome] = self.outcomes.get(outcome, 0) + times

    def add(self, player: Hashable, cell: Cell, earned: Iterable[tuple[str, str, Points]], times: int = 1) -> None:
        """Add what one player did in one game, or with ``times=-1`` take it back."""
        tally = self.players.get(player)
        if tally is None:
            tally = self.players[player] = Tally()
        tally.add(cell, earned, times)

    def merge(self, other: "Tallies") -> None:
        """Add all that ``other`` holds."""
        for outcome, count in other.outcomes.items():
            self.outcomes[outcome] = self.outcomes.get(outcome, 0) + count
        for player, tally in other.players.items():
            self.players.setdefault(player, Tally()).merge(tally)

    def present(self) -> "dict[Hashable, Tally]":
        """The players with at least one game that still counts."""
        return {player: tally for player, tally in self.players.items() if any(tally.games.values())}


def in_points(points: Points) -> Fraction:
    """Millionths as an exact number of points."""
    return Fraction(points, POINT)
