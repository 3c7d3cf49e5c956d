"""Points that everyone at the table gets."""

from collections.abc import Iterable
from functools import cached_property
from typing import ClassVar, Literal

from app.scoring.played import Played
from app.scoring.points import PointsParameter
from app.scoring.rules.kind import Fact, Line, PointsRule
from app.scoring.text import words


class AutoBonus(PointsRule):
    """Every player gets ``points`` (extra), whatever the outcome."""

    codes: ClassVar[frozenset[str]] = frozenset({"auto_bonus"})
    ru: ClassVar[str] = "Каждый игрок получает ``points`` (доп. баллы) при любом исходе."
    needs: ClassVar[frozenset[Fact]] = frozenset()

    kind: Literal["auto_bonus"] = "auto_bonus"
    points: PointsParameter

    @cached_property
    def line(self) -> Line:
        """The one line this rule gives."""
        return Line("auto_bonus", "extra", self.points, words("автодоп за игру", "for playing the game"))

    def lines(self, played: Played) -> Iterable[tuple[int, Line]]:
        line = self.line
        return [(i, line) for i in range(len(played.seats))]
