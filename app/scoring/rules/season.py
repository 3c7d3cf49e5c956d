"""What a season adds to the games: bonuses for playing, participation, the sign of a squared rating."""

from collections.abc import Hashable, Iterable, Mapping
from fractions import Fraction
from typing import ClassVar, Literal

from app.scoring.points import PointsParameter, decimal_of, in_points
from app.scoring.rules.kind import Caution, SeasonLine, SeasonRule, Settled
from app.scoring.tally import Tallies, Tally
from app.scoring.text import words

_GAMES = words("за каждую сыгранную игру: {} · {}", "for each game played: {} · {}")
_PARTICIPATION = words(
    "участие: ({0} + 1 − {1})/{0} · {2}; участников — {0}, место по играм — {1}",
    "participation: ({0} + 1 - {1})/{0} · {2}; {0} participants, place {1} by games",
)
_NEGATIVE = words(
    "сумма баллов {} — ниже нуля; рейтинг посчитан строго по формуле",
    "{} points, below zero; the rating follows the formula literally",
)


class GamesBonus(SeasonRule):
    """The rating grows by ``per_game`` for each game played."""

    gives: ClassVar[tuple[str, ...]] = ("games_bonus",)
    ru: ClassVar[str] = "Рейтинг растёт на ``per_game`` за каждую сыгранную игру."

    kind: Literal["games_bonus"] = "games_bonus"
    per_game: PointsParameter

    def settle(self, tallies: Tallies) -> Mapping[Hashable, Settled]:
        return {player: self._of(tally.count()) for player, tally in tallies.players.items()}

    def _of(self, games: int) -> Settled:
        bonus = in_points(self.per_game) * games
        line = SeasonLine("games_bonus", "rating", bonus, _GAMES, (games, decimal_of(self.per_game)))
        return Settled({"games_bonus": bonus}, (line,) if bonus else ())


class Participation(SeasonRule):
    """(N + 1 - place) / N · ``factor``, truncated to ``decimals``. N is the number of players. Places go by number of
    games; players with the same number share the better place.
    """

    gives: ClassVar[tuple[str, ...]] = ("participation", "place_by_games")
    ru: ClassVar[str] = (
        "(N + 1 − место) / N · ``factor`` с отбрасыванием лишних знаков после ``decimals``. N — число "
        "игроков; места — по числу игр, у равных — лучшее из мест."
    )

    kind: Literal["participation"] = "participation"
    factor: PointsParameter
    decimals: int

    def settle(self, tallies: Tallies) -> Mapping[Hashable, Settled]:
        games = {player: tally.count() for player, tally in tallies.present().items()}
        place_of: dict[int, int] = {}
        for place, count in enumerate(sorted(games.values(), reverse=True), 1):
            place_of.setdefault(count, place)
        return {player: self._of(len(games), place_of[count]) for player, count in games.items()}

    def _of(self, participants: int, place: int) -> Settled:
        scale = 10**self.decimals
        share = Fraction(participants + 1 - place, participants) * in_points(self.factor)
        cut = Fraction(int(share * scale), scale)
        numbers = (participants, place, decimal_of(self.factor))
        line = SeasonLine("participation", "rating", cut, _PARTICIPATION, numbers)
        return Settled({"participation": cut, "place_by_games": Fraction(place)}, (line,) if cut else ())


class NegativePoints(SeasonRule):
    """How a squared rating is computed for negative points. ``letter``: the rating is positive. ``signed``: it keeps
    the sign of the points (``points_sign`` is -1). Such rows carry a warning.
    """

    gives: ClassVar[tuple[str, ...]] = ("points_sign",)
    ru: ClassVar[str] = (
        "Как считать квадрат рейтинга при отрицательных баллах. ``letter`` — рейтинг положителен; ``signed`` "
        "— знак баллов сохраняется (``points_sign`` равен −1). У такой строки есть предупреждение."
    )

    kind: Literal["negative_points"] = "negative_points"
    negative_points: Literal["letter", "signed"]

    def settle(self, tallies: Tallies) -> Mapping[Hashable, Settled]:
        signed = self.negative_points == "signed"
        return {
            player: Settled({"points_sign": Fraction(-1 if signed and tally.earned()[1] < 0 else 1)})
            for player, tally in tallies.players.items()
        }

    def cautions(self, mine: Tally) -> Iterable[Caution]:
        points = mine.earned()[1]
        if points < 0:
            yield Caution("negative_points", None, _NEGATIVE, (decimal_of(points),))
