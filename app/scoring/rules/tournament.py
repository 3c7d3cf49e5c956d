"""Coefficients of tournaments: Ci for being shot first often, K for the side that wins less."""

from collections.abc import Hashable, Iterable, Mapping
from fractions import Fraction
from typing import ClassVar, Literal

from app.scoring.names import OUTCOMES
from app.scoring.points import PointsParameter, decimal_of, in_points, rounded, rounded_units
from app.scoring.rules.kind import SeasonLine, SeasonRule, Settled
from app.scoring.tally import Tallies, Tally
from app.scoring.terms import Format, Stage, Team
from app.scoring.text import words

_CI = words(
    "Ci = {4} · {0}/{1} = {5}, игр с начислением — {6}; i = {0}, B = {1}: {2} % от {3}",
    "Ci = {4} · {0}/{1} = {5}, paid for {6} games; i = {0}, B = {1}: {2}% of {3}",
)
_MOST_CI = words(
    "Ci = {4}, игр с начислением — {6}; i = {0} больше, чем B = {1}: {2} % от {3}",
    "Ci = {4}, paid for {6} games; i = {0} is more than B = {1}: {2}% of {3}",
)
_K = words(
    "К = 1 + ({0}/2 − {1})/({0}/2) = {2}, надбавка — {3} · (К − 1); N = {0}, n = {1}: побеждали реже {4}",
    "K = 1 + ({0}/2 - {1})/({0}/2) = {2}, added: {3} · (K - 1); N = {0}, n = {1}: {4} won less often",
)
_SHOWN = 4
"""Decimals of a coefficient in a reason."""


class FirstKillCoefficient(SeasonRule):
    """Ci = ``most`` · i / B, at most ``most``.

    i is the number of first kills in ``roles`` in games of ``stages`` (null: all games, of a season too). B is
    ``share`` of the games played there, rounded to a whole number. If B = 0, Ci is ``most``.

    A player gets Ci (main) for each of these games in which the player was killed first in ``roles`` and lost.
    """

    gives: ClassVar[tuple[str, ...]] = ("ci", "ci_compensation")
    ru: ClassVar[str] = (
        "Ci = ``most`` · i / B, но не больше ``most``: i — сколько раз игрок был первым убиенным в ролях "
        "``roles`` в играх стадий ``stages``, B — доля ``share`` его игр там, округлённая до целого; при B = "
        "0 Ci равен ``most``. Игрок получает Ci (основные) за каждую такую проигранную игру."
    )

    kind: Literal["first_kill_coefficient"] = "first_kill_coefficient"
    format: Format | None = "tournament"
    roles: tuple[str, ...]
    stages: tuple[Stage, ...] | None
    """Null: all games, of a season too."""
    most: PointsParameter
    share: PointsParameter

    def roles_named(self) -> Iterable[str]:
        return self.roles

    def settle(self, tallies: Tallies) -> Mapping[Hashable, Settled]:
        return {player: self._of(tally) for player, tally in tallies.players.items()}

    def _of(self, mine: Tally) -> Settled:
        kills = mine.count(roles=self.roles, stages=self.stages, first_kill=True)
        paid = mine.count(roles=self.roles, stages=self.stages, first_kill=True, result="lost")
        games = mine.count(stages=self.stages)
        base = rounded_units(in_points(self.share) * games, 0)
        most = in_points(self.most)
        ci = Fraction(0)
        if kills:
            ci = most * kills / base if kills <= base else most
        percent, shown = decimal_of(100 * self.share), rounded(ci, _SHOWN)
        numbers = (kills, base, percent, games, decimal_of(self.most), shown, paid)
        line = SeasonLine("ci_compensation", "main", ci * paid, _CI if kills <= base else _MOST_CI, numbers)
        return Settled({"ci": ci, "ci_compensation": ci * paid}, (line,) if ci * paid else ())


class DifficultyCoefficient(SeasonRule):
    """With at most ``participants`` players, points for a win are multiplied by K for the side that won less often.

    K = 1 + (N/2 - n) / (N/2), where N is the number of games in the tournament, including draws and all stages, and n
    is the number of wins of that side. With equal wins, K = 1.
    """

    gives: ClassVar[tuple[str, ...]] = ("k", "difficulty")
    ru: ClassVar[str] = (
        "Если участников не больше ``participants``, баллы за победу умножаются на К для стороны, которая "
        "побеждала реже: К = 1 + (N/2 − n)/(N/2), где N — все игры турнира с ничьими и всеми стадиями, n — "
        "победы этой стороны. При равенстве К = 1."
    )

    kind: Literal["difficulty_coefficient"] = "difficulty_coefficient"
    format: Format | None = "tournament"
    participants: int

    def settle(self, tallies: Tallies) -> Mapping[Hashable, Settled]:
        team, k = self._hard_side(tallies)
        if team is None:
            return dict.fromkeys(tallies.players, Settled({"k": k, "difficulty": Fraction(0)}))
        known = (tallies.games, tallies.outcomes.get(team, 0), rounded(k, _SHOWN))
        settled = {}
        for player, tally in tallies.players.items():
            won = tally.earned(code="win", team=team)[1]
            added = (k - 1) * in_points(won)
            line = SeasonLine("difficulty", "main", added, _K, (*known, decimal_of(won), OUTCOMES[team]))
            settled[player] = Settled({"k": k, "difficulty": added}, (line,) if added else ())
        return settled

    def _hard_side(self, tallies: Tallies) -> tuple[Team | None, Fraction]:
        red, black = tallies.outcomes.get("red", 0), tallies.outcomes.get("black", 0)
        if red == black or len(tallies.present()) > self.participants:
            return None, Fraction(1)
        half = Fraction(tallies.games, 2)
        return "red" if red < black else "black", 1 + (half - min(red, black)) / half
