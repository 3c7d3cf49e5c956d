"""Compensation for being killed first often, by any formula."""

from collections.abc import Hashable, Iterable, Mapping
from fractions import Fraction
from functools import cached_property
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from app.scoring.formula import Formula, FormulaError, Number
from app.scoring.points import PointsParameter, in_points, rounded_units
from app.scoring.rules.kind import Code, SeasonLine, SeasonRule, Settled
from app.scoring.tally import Tallies, Tally
from app.scoring.terms import Result, Stage
from app.scoring.text import words

_NAMES = ("i", "n", "k", "first_kills_lost", "first_kills_won")
_PAID = words(
    "за первую смерть: i = {}, n = {}, начислено за игр: {}", "killed first: i = {}, n = {}, paid for {} games"
)
_SHOWN = 4


class Compensation(SeasonRule):
    """For each game in which a player was killed first in ``roles``, ``formula`` (main), times the share that ``paid``
    names for the result.

    ``i`` is the number of first kills in ``roles``, ``n`` that of games: the ``own``, the ``own_as_roles``, or all of
    the ``event``; ``first_kills_lost`` and
    ``first_kills_won`` are those of lost and of won games. A formula with ``k`` is paid for the
    first such game with k = 1, for the second with k = 2 and so on. ``needs_line``: only for games in which the player
    got a line of this code; ``won_needs_line``: so of won games. ``decimals``: the formula is
    rounded. ``stages``: only games of these (null: all, of a season too).
    """

    gives: ClassVar[tuple[str, ...]] = ("ci", "ci_compensation")
    ru: ClassVar[str] = (
        "За каждую игру, в которой игрок был первым убиенным в ролях ``roles``, — ``formula`` (основные) с долей из "
        "``paid`` по результату. ``i`` — число таких смертей, ``n`` — число игр: своих (``own``), своих в этих ролях "
        "(``own_as_roles``) или всех (``event``); ``first_kills_lost`` и ``first_kills_won`` — смерти в "
        "проигранных и в выигранных играх. Формула с ``k`` платит за первую такую игру с k = 1, за вторую — с "
        "k = 2 и так далее. ``needs_line``: только за игры, где у игрока есть строка с этим кодом; ``won_needs_line``: "
        "то же о выигранных. ``decimals``: формула округляется. ``stages``: только игры этих стадий (null: все)."
    )

    kind: Literal["compensation"] = "compensation"
    roles: tuple[str, ...]
    base: Literal["own", "own_as_roles", "event"] = "own"
    formula: str
    paid: dict[Result, PointsParameter]
    needs_line: Code | None = None
    won_needs_line: Code | None = None
    decimals: Annotated[int, Field(ge=0, le=6)] | None = None
    stages: tuple[Stage, ...] | None = None

    @model_validator(mode="after")
    def _formula_can_be_read(self) -> Self:
        try:
            self._formula.check_names(_NAMES)
        except FormulaError as error:
            raise ValueError(f"formula: {error}") from None
        return self

    @cached_property
    def _formula(self) -> Formula:
        return Formula(self.formula)

    def roles_named(self) -> Iterable[str]:
        return self.roles

    def settle(self, tallies: Tallies) -> Mapping[Hashable, Settled]:
        return {player: self._of(tally, tallies.games) for player, tally in tallies.players.items()}

    def _of(self, mine: Tally, games: int) -> Settled:
        kills = {
            result: mine.count(roles=self.roles, stages=self.stages, first_kill=True, result=result)
            for result in ("won", "lost", "draw")
        }
        i = sum(kills.values())
        own = mine.count(roles=self.roles if self.base == "own_as_roles" else None, stages=self.stages)
        n = games if self.base == "event" else own
        names: dict[str, Number | None] = {
            "i": i,
            "n": n,
            "k": 1,
            "first_kills_lost": kills["lost"],
            "first_kills_won": kills["won"],
        }
        ci = self._value(names) if i else Fraction(0)
        total, paid, k = Fraction(0), 0, 0
        for result in ("lost", "won", "draw"):
            share = in_points(self.paid.get(result, 0))
            needed = [self.needs_line, self.won_needs_line if result == "won" else None]
            count = min(
                [kills[result], *(mine.first_kills_with(c, self.roles, result, self.stages) for c in needed if c)]
            )
            if not share or not count:
                continue
            paid += count
            for _ in range(count if "k" in self._formula.names else 1):
                k += 1
                times = 1 if "k" in self._formula.names else count
                total += share * times * self._value({**names, "k": k})
        line = SeasonLine("ci_compensation", "main", total, _PAID, (i, n, paid))
        return Settled({"ci": ci, "ci_compensation": total}, (line,) if total else ())

    def _value(self, names: Mapping[str, Number | None]) -> Fraction:
        value = Fraction(self._formula.value(names) or 0)
        if self.decimals is None:
            return value
        return Fraction(rounded_units(value, self.decimals), 10**self.decimals)
