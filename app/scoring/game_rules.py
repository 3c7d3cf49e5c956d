"""The rules of a system that see one game, by what each has to say."""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple, Self, TypeAlias

from app.scoring.played import Played
from app.scoring.rules.kind import GameRule
from app.scoring.rules.table_rules import Registration

ClauseRules: TypeAlias = Sequence[tuple[str, GameRule]]
"""Rules in document order, each with the number of its clause."""


class GameRules(NamedTuple):
    """For each thing that a rule can say of a game, the rules that say it: most kinds say one or two of the six."""

    violations: ClauseRules
    contradictions: ClauseRules
    lines: ClauseRules
    consents: ClauseRules
    cautions: ClauseRules
    remaining: ClauseRules
    registration: Registration | None

    @classmethod
    def of(cls, rules: ClauseRules) -> Self:
        """The rules, sorted out by the methods that their kinds define."""
        registration = next((rule for _, rule in rules if isinstance(rule, Registration)), None)
        return cls(
            violations=_defining("violations", rules),
            contradictions=_defining("contradictions", rules),
            lines=_defining("lines", rules),
            consents=_defining("consents", rules),
            cautions=_defining("cautions", rules),
            remaining=_defining("remaining", rules),
            registration=registration,
        )

    def without(self, waiting: Collection[GameRule]) -> Self:
        """Those that can say what they give while these wait."""
        lines, consents, cautions = (
            tuple(pair for pair in pairs if pair[1].gives_early or pair[1] not in waiting)
            for pairs in (self.lines, self.consents, self.cautions)
        )
        return self._replace(lines=lines, consents=consents, cautions=cautions)

    def registered(self, played: Played) -> list[bool]:
        """Whether each seat's player counts in sums: always, unless the regulation asks for registration."""
        if self.registration is None:
            return [True] * len(played.seats)
        default = self.registration.default
        return [default if seat.registered is None else seat.registered for seat in played.seats]


def _defining(method: str, rules: Iterable[tuple[str, GameRule]]) -> ClauseRules:
    return tuple(pair for pair in rules if getattr(type(pair[1]), method) is not getattr(GameRule, method))
