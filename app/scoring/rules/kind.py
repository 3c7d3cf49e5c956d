"""What a rule is: one small class with its parameters, that knows neither the number nor the words of its clause."""

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Final, Literal, NamedTuple, TypeAlias, get_args

from pydantic import BaseModel, ConfigDict, Field, SerializeAsAny, ValidatorFunctionWrapHandler, WrapValidator
from pydantic_core import PydanticCustomError

from app.scoring.played import Played
from app.scoring.points import Points
from app.scoring.suggestion import did_you_mean
from app.scoring.tally import Tallies, Tally
from app.scoring.terms import Category, Condition, Decider, Format, SeasonCategory
from app.scoring.text import Text, words
from app.scoring.violation import Violation

Fact: TypeAlias = Literal["outcome", "roles"]
"""What a game that is still being written may not say yet: how it ended, or the roles of all seats."""
Code = Annotated[str, Field(pattern="^[a-z][a-z0-9_]{0,31}$")]
"""Of a line, a mark or an act that a system names itself; formulas ask for ``n_CODE`` and ``p_CODE``."""


class Line(NamedTuple):
    """What one rule gives one seat."""

    code: str
    category: Category
    points: Points
    reason: Text
    args: tuple[Any, ...] = ()


class Consent(NamedTuple):
    """The seat at index ``at``, whose points wait for somebody's approval."""

    at: int
    by: Decider
    points: Points


class Caution(NamedTuple):
    """Something allowed that one should see; ``at`` is the index of a seat, or None in a row of a table."""

    code: str
    at: int | None
    text: Text
    args: tuple[Any, ...] = ()


class SeasonLine(NamedTuple):
    """What one rule gives one player over a whole season or tournament."""

    code: str
    category: SeasonCategory
    points: Fraction
    reason: Text
    args: tuple[Any, ...] = ()


class Settled(NamedTuple):
    """What a season comes to for one player: the names that formulas ask for, and what it gives beside the games."""

    values: Mapping[str, Fraction]
    lines: tuple[SeasonLine, ...] = ()
    """None of them worth 0; each reason says the numbers that it follows from."""


class Remaining(NamedTuple):
    """What the judge may still give under one rule; None: without limit."""

    code: str
    """Of the lines that the rule gives for it."""
    points_left: Points | None
    players_left: int | None
    by_seat: Sequence[tuple[int, Points]]
    """The most that each seat, by number, may have in all, if the other seats stay as they are."""


_UNKNOWN_SEAT: Final = words("за столом нет места {}", "nobody sits at seat {}")


def unknown_seats(played: Played, code: str, numbers: Sequence[int], pointer: str) -> list[Violation]:
    """A violation for each of ``numbers`` that no seat has; ``{}`` in ``pointer`` is its position."""
    return [
        Violation(code, pointer.format(position), _UNKNOWN_SEAT, (number,), actual=number)
        for position, number in enumerate(numbers)
        if number not in played.index and number not in played.free
    ]


KINDS: dict[str, "type[Rule]"] = {}
"""Every kind of rule by its name; a class enters by being defined."""


class Rule(BaseModel):
    """A rule of some kind. A subclass is a kind: it sets ``kind: Literal["…"]`` and declares its parameters."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    repeatable: ClassVar[bool] = False
    """Whether a system may have more than one rule of the kind."""

    ru: ClassVar[str]
    """What the kind does, in Russian; the docstring says it in English."""

    kind: str

    def roles_named(self) -> Iterable[str]:
        """The roles that the rule's parameters name; the table must have them."""
        return ()

    @classmethod
    def __pydantic_init_subclass__(cls, **_options: Any) -> None:
        for name in get_args(cls.model_fields["kind"].annotation):
            if KINDS.setdefault(name, cls) is not cls:
                raise TypeError(f"two kinds of rule are called {name}")


class GameRule(Rule):
    """A rule that sees one game."""

    reads: ClassVar[frozenset[str]] = frozenset()
    """The fields of a game that only have a meaning where such a rule reads them."""
    codes: ClassVar[frozenset[str]] = frozenset()
    """The codes of the lines that the rule can give."""
    needs: ClassVar[frozenset[Fact]] = frozenset({"outcome", "roles"})
    """Without these facts the rule cannot judge an unfinished game: it waits. A seat that has no result yet has a
    ``None`` among ``played.results``, and rules that look at nothing else of other seats need no roles."""
    gives_early: ClassVar[bool] = False
    """Whether what the rule gives holds even while it waits, because it waits only to forbid."""

    reads_with: ClassVar[Mapping[str, str]] = {}
    """Fields of ``reads`` that only mean something where this parameter is named."""

    def fields_read(self) -> Collection[str]:
        """What of ``reads`` means something with these parameters."""
        if not self.reads_with:
            return self.reads
        return [field for field in self.reads if getattr(self, self.reads_with.get(field, "kind"))]

    def codes_given(self) -> Collection[str]:
        """The codes of the lines that the rule can give with these parameters."""
        return self.codes

    def facts_noted(self) -> Collection[str]:
        """The marks and penalties that the rule lets a judge note, which ``unless`` may name."""
        return ()

    def violations(self, played: Played) -> Iterable[Violation]:
        """Everything in the game that the rule forbids."""
        return ()

    def contradictions(self, played: Played) -> Iterable[Violation]:
        """Facts that cannot all be true, whatever a regulation says. Games stored before may have them."""
        return ()

    def lines(self, played: Played) -> Iterable[tuple[int, Line]]:
        """What the rule gives, by index of seat, in a game without violations."""
        return ()

    def consents(self, played: Played) -> Iterable[Consent]:
        """Whose points wait for an approval."""
        return ()

    def cautions(self, played: Played) -> Iterable[Caution]:
        """What is allowed and yet worth a second look."""
        return ()

    def remaining(self, played: Played) -> Remaining | None:
        """What the judge may still give; None: the rule leaves nothing to the judge."""
        return None


class PointsRule(GameRule):
    """A rule that gives points: to ``roles`` (null: any), ``when`` the player's team won, lost or drew (null: always),
    ``unless`` one of these facts is true of the player: ``removed``, ``ppk``, a mark or a penalty of the system.
    """

    checks: ClassVar[frozenset[str]] = frozenset()
    """Which of the three conditions the kind looks at itself."""

    roles: tuple[str, ...] | None = None
    when: Condition | None = None
    unless: tuple[str, ...] | None = None

    def roles_named(self) -> Iterable[str]:
        return self.roles or ()

    @property
    def conditional(self) -> bool:
        """Whether somebody whom the kind gives points may not get them."""
        roles = self.roles is not None and "roles" not in self.checks
        when = self.when not in (None, "always") and "when" not in self.checks
        return roles or when or bool(self.unless)

    def holds(self, played: Played, i: int) -> bool:
        """Whether the conditions allow points for the seat at index ``i``."""
        if self.roles is not None and played.seats[i].role not in self.roles:
            return False
        if self.when not in (None, "always", played.results[i]):
            return False
        return not any(played.has(fact, i) for fact in self.unless or ())


class Said(NamedTuple):
    """What rules say of themselves with their parameters."""

    reads: frozenset[str]
    """The fields of a game that mean something where they are."""
    codes: frozenset[str]
    """The codes of the lines that they can give."""
    conditional: Sequence[bool]
    """Of each rule, whether somebody whom it gives points may not get them."""


def said_by(rules: Sequence[GameRule]) -> Said:
    """What these rules say, asked of all in one go."""
    return Said(
        frozenset().union(*[rule.fields_read() for rule in rules]),
        frozenset().union(*[rule.codes_given() for rule in rules]),
        [isinstance(rule, PointsRule) and rule.conditional for rule in rules],
    )


class SeasonRule(Rule):
    """A rule that sees a season or tournament and gives formulas names for what its games added up to."""

    gives: ClassVar[tuple[str, ...]] = ()
    """The names that :meth:`settle` gives a value."""
    format: Format | None = None
    """Where the rule holds; elsewhere each of its names is 0."""

    def settle(self, tallies: Tallies) -> Mapping[Hashable, Settled]:
        """The value of each name in ``gives`` and the lines, by player."""
        return {}

    def cautions(self, mine: Tally) -> Iterable[Caution]:
        """What the reader of a player's row should know."""
        return ()


def _read(value: Any, _handler: ValidatorFunctionWrapHandler) -> Rule:
    if isinstance(value, Rule):
        return value
    if not isinstance(value, dict) or not isinstance(value.get("kind"), str):
        raise PydanticCustomError("rule_kind", "expected an object with a kind")
    kind = KINDS.get(value["kind"])
    if kind is None:
        raise PydanticCustomError("rule_kind", f"no such kind of rule{did_you_mean(value['kind'], KINDS)}")
    return kind.model_validate(value)


AnyRule = Annotated[SerializeAsAny[Rule], WrapValidator(_read)]
"""A rule of any kind, told apart by ``kind``."""
