"""What games add up to: additive tallies that any table, at any revision, is made from."""

from collections.abc import Collection, Hashable, Iterator, Mapping
from fractions import Fraction
from typing import Literal, NamedTuple, TypeAlias

from app.scoring.points import POINT, Points
from app.scoring.terms import Outcome, Result, Stage

Cell: TypeAlias = tuple[str, str, Result, Stage | None, bool]
"""The circumstances of one seat in one game: role, team, result, stage, whether it was the first kill."""


Earned: TypeAlias = tuple[str, str, Points]
"""What a tally keeps of a line: code, category, points."""


class Ask(NamedTuple):
    """One question to a tally: how many games, how many lines, or the points of lines; None: whatever it is."""

    of: Literal["games", "lines", "points"]
    roles: Collection[str] | None = None
    stages: Collection[str] | None = None
    result: Result | None = None
    first_kill: bool | None = None
    code: str | None = None
    category: str | None = None


class Sum:
    """Games of one player in equal circumstances: how many, and (count, points) of lines by code and category."""

    __slots__ = ("games", "lines")

    def __init__(self) -> None:
        self.games: int = 0
        self.lines: dict[tuple[str, str], tuple[int, Points]] = {}

    def add(self, key: tuple[str, str], count: int, points: Points) -> None:
        """Add so many lines with this code and category, worth so much together."""
        before = self.lines.get(key)
        self.lines[key] = (count, points) if before is None else (before[0] + count, before[1] + points)


class Tally:
    """One player's games and lines, added up by :data:`Cell`."""

    __slots__ = ("cells",)

    def __init__(self) -> None:
        self.cells: dict[Cell, Sum] = {}

    def add(self, cell: Cell, earned: tuple[Earned, ...], times: int = 1) -> None:
        """Add so many games, or take them back where ``times`` is negative."""
        mine = self.cells.get(cell)
        if mine is None:
            mine = self.cells[cell] = Sum()
        mine.games += times
        for code, category, points in earned:
            mine.add((code, category), times, times * points)

    def merge(self, other: "Tally") -> None:
        """Add all that ``other`` holds."""
        for cell, theirs in other.cells.items():
            mine = self.cells.setdefault(cell, Sum())
            mine.games += theirs.games
            for key, (count, points) in theirs.lines.items():
                mine.add(key, count, points)

    def answers(self, asks: Mapping[str, Ask]) -> dict[str, int | Fraction]:
        """The answer to each question, by name; points as exact numbers of points."""
        return {name: self._answer(ask) for name, ask in asks.items()}

    def _answer(self, ask: Ask) -> int | Fraction:
        if ask.of == "games":
            return self.count(roles=ask.roles, result=ask.result, stages=ask.stages, first_kill=ask.first_kill)
        lines, points = self.earned(code=ask.code, category=ask.category, roles=ask.roles, stages=ask.stages)
        return lines if ask.of == "lines" else Fraction(points, POINT)

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
        return sum([cell.games for cell in self._matching(roles, team, result, stages, first_kill)])

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
        for cell in self._matching(roles, team, None, stages, None):
            for (line_code, line_category), (lines, total) in cell.lines.items():
                if (code is None or line_code == code) and (category is None or line_category == category):
                    count += lines
                    points += total
        return count, points

    def first_kills_with(
        self, code: str, roles: Collection[str], result: Result, stages: Collection[str] | None
    ) -> int:
        """How many first kills with this result gave a line with this code."""
        cells = self._matching(roles, None, result, stages, True)
        return sum([count for cell in cells for (of, _), (count, _) in cell.lines.items() if of == code])

    def _matching(
        self,
        roles: Collection[str] | None,
        team: str | None,
        result: Result | None,
        stages: Collection[str] | None,
        first_kill: bool | None,
    ) -> Iterator[Sum]:
        for (role, of_team, with_result, stage, killed), cell in self.cells.items():
            if (
                (roles is None or role in roles)
                and (team is None or of_team == team)
                and (result is None or with_result == result)
                and (stages is None or stage in stages)
                and (first_kill is None or killed is first_kill)
            ):
                yield cell


class Tallies:
    """The tallies of all players of a season or tournament, keyed by whatever tells players apart.

    Adding a game only counts how often just such a seat was added; the first question adds them up.
    """

    __slots__ = ("_added", "_players", "outcomes")

    def __init__(self, players: Mapping[Hashable, Tally] | None = None) -> None:
        self._players: dict[Hashable, Tally] = {} if players is None else dict(players)
        self._added: dict[tuple[Hashable, Cell, tuple[Earned, ...]], int] = {}
        self.outcomes: dict[Outcome, int] = {}
        """How many counted games ended so, over all stages."""

    @property
    def games(self) -> int:
        """How many games count."""
        return sum(self.outcomes.values())

    def count_game(self, outcome: Outcome, times: int = 1) -> None:
        """Count one game of the table, or with ``times=-1`` take it back."""
        self.outcomes[outcome] = self.outcomes.get(outcome, 0) + times

    def add(self, player: Hashable, cell: Cell, earned: tuple[Earned, ...], times: int = 1) -> None:
        """Add what one player did in one game, or with ``times=-1`` take it back."""
        key = (player, cell, earned)
        self._added[key] = self._added.get(key, 0) + times

    @property
    def players(self) -> Mapping[Hashable, Tally]:
        """The tally of each player who was ever added."""
        if self._added:
            for (player, cell, earned), times in self._added.items():
                self._of(player).add(cell, earned, times)
            self._added.clear()
        return self._players

    def _of(self, player: Hashable) -> Tally:
        tally = self._players.get(player)
        if tally is None:
            tally = self._players[player] = Tally()
        return tally

    def part(self, player: Hashable) -> None:
        """Give the player a tally of these tallies' own, where others have the same one too."""
        own = Tally()
        own.merge(self._of(player))
        self._players[player] = own

    def merge(self, other: "Tallies") -> None:
        """Add all that ``other`` holds."""
        for outcome, count in other.outcomes.items():
            self.outcomes[outcome] = self.outcomes.get(outcome, 0) + count
        for player, tally in other.players.items():
            self._of(player).merge(tally)

    def present(self) -> dict[Hashable, Tally]:
        """The players with at least one game that still counts."""
        return {player: tally for player, tally in self.players.items() if tally.count()}
