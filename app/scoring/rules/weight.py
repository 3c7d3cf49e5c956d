"""Weights: points of some games or lines count more, or less."""

from collections.abc import Hashable, Iterable, Mapping
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, Literal, Self

from pydantic import model_validator

from app.scoring.formula import Formula, FormulaError
from app.scoring.points import rounded
from app.scoring.rules.kind import Code, SeasonLine, SeasonRule, Settled
from app.scoring.tally import Tallies, Tally
from app.scoring.terms import Stage, Team
from app.scoring.text import words

_NAMES = ("games_total", "players_total", "team_wins")
_TEAMS: tuple[Team, ...] = ("red", "black", "maniac")
_WEIGHT = words("{} · ({} − 1)", "{} · ({} - 1)")
_SHOWN = 4


class Weight(SeasonRule):
    """Points of lines with ``codes`` (null: any) in games of ``stages`` (null: any) for ``teams`` and ``roles`` (null:
    any) are multiplied by ``factor``: a formula over ``games_total``, ``players_total`` and ``team_wins``, which are of
    the whole event, ``team_wins`` those of the player's team in the game.
    """

    repeatable: ClassVar[bool] = True
    gives: ClassVar[tuple[str, ...]] = ("weighting",)
    ru: ClassVar[str] = (
        "Баллы строк с кодами ``codes`` (null: любых) в играх стадий ``stages`` для команд ``teams`` и ролей ``roles`` "
        "умножаются на ``factor`` — формулу от ``games_total``, ``players_total`` и ``team_wins``, побед его команды."
    )

    kind: Literal["weight"] = "weight"
    codes: tuple[Code, ...] | None = None
    stages: tuple[Stage, ...] | None = None
    teams: tuple[Team, ...] | None = None
    roles: tuple[str, ...] | None = None
    factor: str

    @model_validator(mode="after")
    def _factor_can_be_read(self) -> Self:
        try:
            self._formula.check_names(_NAMES)
        except FormulaError as error:
            raise ValueError(f"factor: {error}") from None
        return self

    @cached_property
    def _formula(self) -> Formula:
        return Formula(self.factor)

    def roles_named(self) -> Iterable[str]:
        return self.roles or ()

    def settle(self, tallies: Tallies) -> Mapping[Hashable, Settled]:
        players = len(tallies.present())
        factors = {}
        for team in self.teams or _TEAMS:
            wins = tallies.outcomes.get(team, 0)
            names = {"games_total": tallies.games, "players_total": players, "team_wins": wins}
            factors[team] = Fraction(self._formula.value(names) or 0)
        return {player: self._of(tally, factors) for player, tally in tallies.players.items()}

    def _of(self, mine: Tally, factors: Mapping[Team, Fraction]) -> Settled:
        added, lines = Fraction(0), []
        for team, factor in factors.items():
            points = sum(
                mine.earned(code=code, team=team, roles=self.roles, stages=self.stages)[1]
                for code in self.codes or (None,)
            )
            more = (factor - 1) * Fraction(points, 1_000_000)
            if more:
                added += more
                numbers = (rounded(Fraction(points, 1_000_000), 6), rounded(factor, _SHOWN))
                lines.append(SeasonLine("weighting", "main", more, _WEIGHT, numbers))
        return Settled({"weighting": added}, tuple(lines))
