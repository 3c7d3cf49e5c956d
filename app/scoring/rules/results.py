"""Points by the result of the player's team, and for fouls."""

from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from app.scoring.played import Played
from app.scoring.points import PointsParameter
from app.scoring.rules.kind import Code, Line, PointsRule
from app.scoring.terms import Category, Result
from app.scoring.text import Text, words

_REASONS: Mapping[Result, Text] = {
    "won": words("команда победила", "own team won"),
    "lost": words("команда проиграла", "own team lost"),
    "draw": words("ничья", "draw"),
}
_FOULS = words("фолов: {}", "fouls: {}")


class ResultPoints(PointsRule):
    """Every player gets ``won``, ``lost`` or ``draw`` by the result of the own team, under ``code``."""

    repeatable: ClassVar[bool] = True
    ru: ClassVar[str] = "Каждый игрок получает ``won``, ``lost`` или ``draw`` по результату команды, с кодом ``code``."

    kind: Literal["result_points"] = "result_points"
    won: PointsParameter = 0
    lost: PointsParameter = 0
    draw: PointsParameter = 0
    code: Code = "result"
    category: Category = "main"

    def codes_given(self) -> Collection[str]:
        return {self.code}

    @cached_property
    def _by_result(self) -> Mapping[Result | None, Line]:
        points: Mapping[Result, int] = {"won": self.won, "lost": self.lost, "draw": self.draw}
        return {
            result: Line(self.code, self.category, given, _REASONS[result]) for result, given in points.items() if given
        }

    def lines(self, played: Played) -> Iterable[tuple[int, Line]]:
        by_result = self._by_result
        return [(i, by_result[result]) for i, result in enumerate(played.results) if result in by_result]


class FoulPoints(PointsRule):
    """A player gets ``each`` for every foul, and what ``at`` gives for exactly that number of fouls (extra)."""

    codes: ClassVar[frozenset[str]] = frozenset({"fouls"})
    ru: ClassVar[str] = (
        "Игрок получает ``each`` за каждый фол и то, что ``at`` даёт за ровно такое их число (доп. баллы)."
    )

    kind: Literal["foul_points"] = "foul_points"
    each: PointsParameter = 0
    at: dict[Annotated[int, Field(ge=1)], PointsParameter] | None = None

    def lines(self, played: Played) -> Iterable[tuple[int, Line]]:
        for i, seat in enumerate(played.seats):
            fouls = seat.fouls or 0
            if points := fouls * self.each + (self.at or {}).get(fouls, 0):
                yield i, Line("fouls", "extra", points, _FOULS, (fouls,))
