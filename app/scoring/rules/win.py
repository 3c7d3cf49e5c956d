"""Points for winning."""

from collections.abc import Iterable
from functools import cached_property
from typing import ClassVar, Literal

from app.scoring.played import Played
from app.scoring.points import PointsParameter
from app.scoring.rules.kind import Fact, Line, PointsRule
from app.scoring.text import words


class Win(PointsRule):
    """Every player of the winning team gets ``points`` (main)."""

    codes: ClassVar[frozenset[str]] = frozenset({"win"})
    ru: ClassVar[str] = "Каждый игрок победившей команды получает ``points`` (основные)."
    needs: ClassVar[frozenset[Fact]] = frozenset({"outcome"})

    kind: Literal["win"] = "win"
    points: PointsParameter

    @cached_property
    def line(self) -> Line:
        """The one line this rule gives."""
        return Line("win", "main", self.points, words("команда победила", "own team won"))

    def lines(self, played: Played) -> Iterable[tuple[int, Line]]:
        line = self.line
        return [(i, line) for i in played.won]
