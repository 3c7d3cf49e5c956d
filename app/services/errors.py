"""What use cases refuse, named by fact; :mod:`app.problems` turns it into responses."""

from collections.abc import Sequence
from typing import NamedTuple

from app.scoring.text import Text
from app.scoring.violation import RuleViolations, Violation


class NotFound(Exception):
    """Not found, or the caller may not know of it; ``text`` says what was looked for."""

    def __init__(self, text: Text) -> None:
        super().__init__(text.en)
        self.text = text


class Unauthorized(Exception):
    """The operation requires a key, and the caller has none or an invalid one."""


class RateLimited(Exception):
    """Too many failed attempts to authenticate; ``seconds`` says when to try again."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"try again in {seconds} seconds")
        self.seconds = seconds


class Forbidden(Exception):
    """The key's role does not allow this; ``text`` says which role would."""

    def __init__(self, text: Text, *args: object) -> None:
        super().__init__(text.say("en", *args))
        self.text = text
        self.args_of_text = args


class Conflict(Exception):
    """The request conflicts with stored data: ``code`` says how, and ``members`` become fields of the response."""

    def __init__(self, code: str, text: Text, *args: object, **members: object) -> None:
        super().__init__(text.say("en", *args))
        self.code = code
        self.text = text
        self.args_of_text = args
        self.members = members


class PreconditionRequired(Exception):
    """A change that needs ``If-Match`` came without it."""


class PreconditionFailed(Exception):
    """``If-Match`` names another version than the current one."""


class IdempotencyMismatch(Exception):
    """This ``Idempotency-Key`` came with another body before."""


class RefusedGame(NamedTuple):
    """A stored game that breaks the rules, and the codes of its violations."""

    id: str
    external_id: str | None
    codes: Sequence[str]


class GamesRefused(RuleViolations):
    """Stored games break the rules: how many, and the first of them in ``named``."""

    def __init__(self, violations: Sequence[Violation], named: Sequence[RefusedGame], games: int) -> None:
        super().__init__(violations)
        self.named = named
        self.games = games
