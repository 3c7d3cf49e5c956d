"""Coefficients of tournaments: Ci for being shot first often, K for the side that wins less."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import ClassVar, Literal

from app.scoring.points import PointsParameter, in_points, rounded_units
from app.scoring.rules.kind import SeasonLine, SeasonRule
from app.scoring.tally import Tallies, Tally
from app.scoring.terms import Format, Stage, Team
from app.scoring.text import words

_CI = words("Ci за отстрелы в первую ночь при поражении красных", "Ci for being shot first when red lost")
_K = words("надбавка за победы по коэффициенту К", "difficulty coefficient K on wins")


class FirstKillCoefficient(SeasonRule):
    """Ci = ``most`` · i / B, at most ``most``.

    i is the number of first kills in ``roles`` in games of ``stages``. B is ``share`` of the games played there,
    rounded to a whole number. If B = 0, Ci is ``most``.

    A player gets Ci (main) for each of these games in which the player was killed first in ``roles`` and lost.
    """

    gives: ClassVar[tuple[str, ...]] = ("ci", "ci_compensation")

    kind: Literal["first_kill_coefficient"] = "first_kill_coefficient"
    format: Format | None = "tournament"
    roles: tuple[str, ...]
    stages: tuple[Stage, ...]
    most: PointsParameter
    share: PointsParameter

    def roles_named(self) -> Iterable[str]:
        return self.roles

    def settle(self, tallies: Tallies) -> Mapping[Hashable, Mapping[str, Fraction]]:
        return {player: self._of(tally) for player, tally in tallies.players.items()}

    def _of(self, mine: Tally) -> dict[str, Fraction]:
        kills = mine.count(roles=self.roles, stages=self.stages, first_kill=True)
        paid = mine.count(roles=self.roles, stages=self.stages, first_kill=True, result="lost")
        base = rounded_units(in_points(self.share) * mine.count(stages=self.stages), 0)
        most = in_points(self.most)
        ci = Fraction(0)
        if kills:
            ci = most * kills / base if kills <= base else most
        return {"ci": ci, "ci_compensation": ci * paid}

    def season_lines(self, settled: Mapping[str, Fraction]) -> Sequence[SeasonLine]:
        if not settled["ci_compensation"]:
            return ()
        return (SeasonLine("ci_compensation", "main", settled["ci_compensation"], _CI),)


class DifficultyCoefficient(SeasonRule):
    """With at most ``participants`` players, points for a win are multiplied by K for the side that won less often.

    K = 1 + (N/2 - n) / (N/2), where N is the number of games in the tournament, including draws and all stages, and n
    is the number of wins of that side. With equal wins, K = 1.
    """

    gives: ClassVar[tuple[str, ...]] = ("k", "difficulty")

    kind: Literal["difficulty_coefficient"] = "difficulty_coefficient"
    format: Format | None = "tournament"
    participants: int

    def settle(self, tallies: Tallies) -> Mapping[Hashable, Mapping[str, Fraction]]:
        team, k = self._hard_side(tallies)
        return {
            player: {
                "k": k,
                "difficulty": (k - 1) * in_points(tally.earned(code="win", team=team)[1]) if team else Fraction(0),
            }
            for player, tally in tallies.players.items()
        }

    def _hard_side(self, tallies: Tallies) -> tuple[Team | None, Fraction]:
        red, black = tallies.outcomes.get("red", 0), tallies.outcomes.get("black", 0)
        if red == black or len(tallies.present()) > self.participants:
            return None, Fraction(1)
        half = Fraction(tallies.games, 2)
        return "red" if red < black else "black", 1 + (half - min(red, black)) / half

    def season_lines(self, settled: Mapping[str, Fraction]) -> Sequence[SeasonLine]:
        if not settled["difficulty"]:
            return ()
        return (SeasonLine("difficulty", "main", settled["difficulty"], _K),)
