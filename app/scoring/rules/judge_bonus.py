"""The judge's bonus."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Annotated, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from app.scoring.played import Played
from app.scoring.points import POINT, Points, PointsParameter, decimal_of, millionths, points_of, sum_of
from app.scoring.rules.kind import Caution, Consent, Fact, Line, PointsRule, Remaining
from app.scoring.terms import Decider, Result
from app.scoring.text import Text, words
from app.scoring.violation import Violation

_IN_DRAW = words("при ничьей судья не даёт доп. баллов, дано {}", "expected no judge's bonus in a draw, got {}")
_ABOVE = words("доп. балл — не больше {}, дано {}", "expected a bonus of at most {}, got {}")
_BELOW = words("доп. балл — не меньше {}, дано {}", "expected a bonus of at least {}, got {}")
_PRECISION = words("знаков после запятой — не больше {}, дано {}", "expected at most {} decimals, got {}")
_PLAYERS = words(
    "игроков с доп. баллом — не больше {}, в протоколе {}", "expected bonuses for at most {} players, got {}"
)
_TOTAL = words("сумма доп. баллов за игру — не больше {}, дано {}", "expected bonuses of at most {} in total, got {}")
_BONUS = words("доп. балл судьи", "judge's bonus")
_PENALISED = words(
    "доп. балл дан удалённому или оштрафованному игроку; проверьте", "bonus for a removed or penalized player"
)


class Span(BaseModel):
    """The lowest and highest bonus allowed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    least: PointsParameter
    most: PointsParameter

    @model_validator(mode="after")
    def _is_a_span(self) -> Self:
        if self.least > self.most:
            raise ValueError("least is more than most")
        return self


class NeedsConsent(BaseModel):
    """The number of points from which approval is required, and whose."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    at_least: PointsParameter
    by: Decider


def between(least: str, most: str) -> Span:
    """A bonus from ``least`` to ``most``."""
    return Span.model_validate({"least": least, "most": most})


def upto(most: str) -> Span:
    """Any bonus up to ``most``."""
    return between("0", most)


def consent(at_least: str, *, by: Decider) -> NeedsConsent:
    """An approval ``by`` a role for ``at_least`` so many points."""
    return NeedsConsent.model_validate({"at_least": at_least, "by": by})


@lru_cache(maxsize=1024)
def _line(bonus: Decimal) -> Line:
    return Line("judge_bonus", "extra", points_of(bonus), _BONUS)


def _breach(code: str, pointer: str, text: Text, limit: Decimal | int, actual: Decimal | int) -> Violation:
    return Violation(code, pointer, text, (limit, actual), limit=limit, actual=actual)


class JudgeBonus(PointsRule):
    """The judge may give extra points within limits that depend on the result of the player's team.

    ``draw`` null: none in a draw. ``players`` and ``total`` (null: no limit) apply to the whole table and count only
    positive bonuses.
    """

    reads: ClassVar[frozenset[str]] = frozenset({"bonus"})
    codes: ClassVar[frozenset[str]] = frozenset({"judge_bonus"})
    ru: ClassVar[str] = (
        "Судья может дать доп. баллы в пределах, которые зависят от результата команды. ``draw``: null — при "
        "ничьей нельзя. ``players`` и ``total`` (null — без ограничения) — на весь стол; считаются только "
        "положительные доп. баллы."
    )
    needs: ClassVar[frozenset[Fact]] = frozenset({"outcome"})
    gives_early: ClassVar[bool] = True

    kind: Literal["judge_bonus"] = "judge_bonus"
    winner: Span
    loser: Span
    draw: Span | None = None
    players: Annotated[int, Field(ge=0)] | None = None
    total: PointsParameter | None = None
    decimals: Annotated[int, Field(ge=0, le=6)] = 2
    winner_consent: NeedsConsent | None = None
    warns_of_penalised: bool = False

    def violations(self, played: Played) -> Iterable[Violation]:
        if not played.bonused:
            return ()
        bonuses = self._bonuses(played)
        if played.drawn and self.draw is None:
            return [
                Violation("bonus_in_draw", f"/seats/{i}/bonus", _IN_DRAW, (bonus,), limit=0, actual=bonus)
                for i, bonus in bonuses
            ]
        found: list[Violation] = []
        given = 0
        total: Points | Fraction = 0
        for i, bonus in bonuses:
            points = millionths(bonus)
            span = self._span(played, i)
            pointer = f"/seats/{i}/bonus"
            if points % self._step:
                found.append(_breach("bonus_precision", pointer, _PRECISION, self.decimals, bonus))
            if span is not None and points > span.most:
                found.append(_breach("bonus_range", pointer, _ABOVE, decimal_of(span.most), bonus))
            if span is not None and points < span.least:
                found.append(_breach("bonus_range", pointer, _BELOW, decimal_of(span.least), bonus))
            if points > 0:
                given += 1
                total += points
        if self.players is not None and given > self.players:
            found.append(_breach("bonus_players_exceeded", "/seats", _PLAYERS, self.players, given))
        if self.total is not None and total > self.total:
            actual = sum_of(bonus for _, bonus in bonuses if bonus > 0)
            found.append(_breach("bonus_total_exceeded", "/seats", _TOTAL, decimal_of(self.total), actual))
        return found

    @cached_property
    def _spans(self) -> Mapping[Result | None, Span | None]:
        return {"won": self.winner, "lost": self.loser, "draw": self.draw, None: None}

    def _span(self, played: Played, i: int) -> Span | None:
        """What the seat at index ``i`` may have; while the outcome is unknown, what it may have in any."""
        if played.game.outcome is None:
            return self._widest
        return self._spans[played.results[i]]

    @cached_property
    def _widest(self) -> Span:
        spans = [span for span in (self.winner, self.loser, self.draw) if span is not None]
        return Span.model_construct(least=min([span.least for span in spans]), most=max([span.most for span in spans]))

    def remaining(self, played: Played) -> Remaining:
        given = {i: max(millionths(bonus), 0) for i, bonus in self._bonuses(played)}
        forbidden = played.drawn and self.draw is None
        points_left: Points | Fraction | None
        points_left = None if self.total is None else max(self.total - sum(given.values()), 0)
        players_left = None if self.players is None else max(self.players - sum([own > 0 for own in given.values()]), 0)
        if forbidden:
            points_left, players_left = 0, 0
        by_seat = []
        for i, seat in enumerate(played.seats):
            own = given.get(i, 0)
            most: Points | Fraction
            most = 0 if forbidden or (players_left == 0 and not own) else (self._span(played, i) or self._widest).most
            if points_left is not None:
                most = min(most, points_left + own)
            by_seat.append((seat.seat, int(most - most % self._step)))
        left = None if points_left is None else int(points_left)
        return Remaining("judge_bonus", left, players_left, sorted(by_seat))

    @cached_property
    def _step(self) -> Points:
        """The smallest difference between two bonuses."""
        step: Points = POINT // 10**self.decimals
        return step

    def lines(self, played: Played) -> Iterable[tuple[int, Line]]:
        return [(i, _line(bonus)) for i, bonus in self._bonuses(played)]

    def consents(self, played: Played) -> Iterable[Consent]:
        if self.winner_consent is None:
            return
        for i, bonus in self._bonuses(played):
            points = _line(bonus).points
            if played.results[i] == "won" and points >= self.winner_consent.at_least:
                yield Consent(i, self.winner_consent.by, points)

    def cautions(self, played: Played) -> Iterable[Caution]:
        if not self.warns_of_penalised:
            return ()
        return [
            Caution("bonus_to_penalised", i, _PENALISED)
            for i in played.bonused
            if played.seats[i].penalties or played.seats[i].removed
        ]

    @staticmethod
    def _bonuses(played: Played) -> list[tuple[int, Decimal]]:
        return [(i, played.seats[i].bonus or Decimal(0)) for i in played.bonused]
