"""What a regulation forbids, found in a game."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, NamedTuple, TypeAlias

from app.scoring.text import Text

Found: TypeAlias = str | int | Decimal | list[str] | None
"""A limit or a finding as an answer shows it."""


class Violation(NamedTuple):
    """One breach of one clause: where (a JSON pointer), what was expected and what was found."""

    code: str
    pointer: str
    text: Text
    args: tuple[Any, ...] = ()
    limit: Found = None
    actual: Found = None
    clause: str | None = None
    suggestions: tuple[str, ...] = ()
    unsaid: str | None = None
    """Where something is missing rather than wrong: in a game that is still being written it is no breach yet."""

    def message(self, language: str) -> str:
        """The violation in words, naming expectation and finding."""
        return self.text.say(language, *self.args)


class RuleViolations(Exception):
    """A game breaks its regulation; ``violations`` holds every breach."""

    def __init__(self, violations: Sequence[Violation]) -> None:
        super().__init__("; ".join(violation.message("en") for violation in violations))
        self.violations = list(violations)
