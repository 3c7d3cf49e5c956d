"""The rules of a system that see one game, by what each has to say."""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple, Self, TypeAlias, TypeVar

from app.scoring.played import Played
from app.scoring.rules.kind import Consent, GameRule, Line, PointsRule, said_by
from app.scoring.rules.limit import Limit
from app.scoring.rules.table_rules import Registration

ClauseRules: TypeAlias = Sequence[tuple[str, GameRule]]
"""Rules in document order, each with the number of its clause."""

_Giver = TypeVar("_Giver", GameRule, "GameRule | _Conditional")


class GameRules(NamedTuple):
    """For each thing that a rule can say of a game, the rules that say it: most kinds say one or two of the six."""

    violations: ClauseRules
    contradictions: ClauseRules
    lines: Sequence[tuple[str, "GameRule | _Conditional"]]
    consents: Sequence[tuple[str, "GameRule | _Conditional"]]
    cautions: ClauseRules
    remaining: ClauseRules
    registration: Registration | None
    limits: Sequence[tuple[str, Limit]]
    reads: frozenset[str]
    """The fields of a game that mean something here."""
    codes: frozenset[str]
    """The codes of the lines that a game can have."""

    @classmethod
    def of(cls, rules: ClauseRules) -> Self:
        """The rules, sorted out by the methods that their kinds define."""
        registration = next((rule for _, rule in rules if isinstance(rule, Registration)), None)
        said = said_by([rule for _, rule in rules])
        withholding = [
            (number, _Conditional(rule) if so and isinstance(rule, PointsRule) else rule)
            for (number, rule), so in zip(rules, said.conditional, strict=True)
        ]
        return cls(
            violations=_defining("violations", rules),
            contradictions=_defining("contradictions", rules),
            lines=_defining("lines", withholding),
            consents=_defining("consents", withholding),
            cautions=_defining("cautions", rules),
            remaining=_defining("remaining", rules),
            registration=registration,
            limits=[(number, rule) for number, rule in rules if isinstance(rule, Limit)],
            reads=said.reads,
            codes=said.codes,
        )

    def without(self, waiting: Collection[GameRule]) -> Self:
        """Those that can say what they give while these wait."""
        return self._replace(
            lines=[pair for pair in self.lines if _speaks(pair[1], waiting)],
            consents=[pair for pair in self.consents if _speaks(pair[1], waiting)],
            cautions=[pair for pair in self.cautions if _speaks(pair[1], waiting)],
        )

    def registered(self, played: Played) -> list[bool]:
        """Whether each seat's player counts in sums: always, unless the regulation asks for registration."""
        if self.registration is None:
            return [True] * len(played.seats)
        default = self.registration.default
        return [default if seat.registered is None else seat.registered for seat in played.seats]


def _defining(method: str, rules: Iterable[tuple[str, _Giver]]) -> tuple[tuple[str, _Giver], ...]:
    return tuple(pair for pair in rules if getattr(_kind(pair[1]), method) is not getattr(GameRule, method))


def _kind(giver: "GameRule | _Conditional") -> type[GameRule]:
    return type(giver.rule if isinstance(giver, _Conditional) else giver)


class _Conditional:
    """A rule whose points some players do not get."""

    __slots__ = ("rule",)

    def __init__(self, rule: PointsRule) -> None:
        self.rule = rule

    def lines(self, played: Played) -> Iterable[tuple[int, Line]]:
        return [(i, line) for i, line in self.rule.lines(played) if self.rule.holds(played, i)]

    def consents(self, played: Played) -> Iterable[Consent]:
        return [consent for consent in self.rule.consents(played) if self.rule.holds(played, consent.at)]


def _speaks(giver: GameRule | _Conditional, waiting: Collection[GameRule]) -> bool:
    rule = giver.rule if isinstance(giver, _Conditional) else giver
    return rule.gives_early or rule not in waiting
