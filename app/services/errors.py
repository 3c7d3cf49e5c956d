"""What a use case refuses, named by fact; :mod:`app.problems` knows what a client is told."""

from collections.abc import Sequence
from typing import NamedTuple

from app.scoring.text import Text
from app.scoring.violation import RuleViolations, Violation


class NotFound(Exception):
    """Nothing is there, or the caller may not know of it; ``text`` says what was looked for."""

    def __init__(self, text: Text) -> None:
        super().__init__(text.en)
        self.text = text


class Unauthorized(Exception):
    """No key where one is needed, or one that opens nothing (any more)."""


class RateLimited(Exception):
    """Too many failed attempts to authenticate; ``seconds`` says when to try again."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"try again in {seconds} seconds")
        self.seconds = seconds


class Forbidden(Exception):
    """The key's role does not allow this; ``text`` says what would."""

    def __init__(self, text: Text, *args: object) -> None:
        super().__init__(text.say("en", *args))
        self.text = text
        self.args_of_text = args


class Conflict(Exception):
    """The request contradicts what is kept; ``code`` says what (API.md, "Errors"), ``members`` join the answer."""

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
    """A kept game that rules forbid, and the codes of what is wrong with it."""

    id: str
    external_id: str | None
    codes: Sequence[str]


class GamesRefused(RuleViolations):
    """Rules forbid games that are kept: so many of them, of which ``named`` are the first."""

    def __init__(self, violations: Sequence[Violation], named: Sequence[RefusedGame], games: int) -> None:
        super().__init__(violations)
        self.named = named
        self.games = games
