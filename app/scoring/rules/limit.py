"""The least and the most that lines of one game give a player."""

from collections.abc import Iterable, Sequence
from typing import ClassVar, Literal, Self

from pydantic import model_validator

from app.scoring.points import PointsParameter, decimal_of
from app.scoring.rules.kind import Code, GameRule, Line
from app.scoring.terms import Category
from app.scoring.text import words

_LEAST = words("за игру — не меньше {}", "at least {} a game")
_MOST = words("за игру — не больше {}", "at most {} a game")


class Limit(GameRule):
    """Lines with ``line_codes`` (null: any) of ``category`` (null: both) give a player at ``least`` and at ``most`` so
    much in a game: what is missing or too much is a line of its own.
    """

    repeatable: ClassVar[bool] = True
    codes: ClassVar[frozenset[str]] = frozenset({"limit"})
    ru: ClassVar[str] = (
        "Строки с кодами ``line_codes`` (null: любые) категории ``category`` (null: обе) дают игроку за игру не меньше "
        "``least`` и не больше ``most``: разница — отдельная строка."
    )

    kind: Literal["limit"] = "limit"
    line_codes: tuple[Code, ...] | None = None
    category: Category | None = None
    least: PointsParameter | None = None
    most: PointsParameter | None = None

    @model_validator(mode="after")
    def _limits_something(self) -> Self:
        if self.least is None and self.most is None:
            raise ValueError("expected least or most")
        if self.least is not None and self.most is not None and self.least > self.most:
            raise ValueError("least is more than most")
        return self

    def cuts(self, lines: Sequence[Line]) -> Iterable[Line]:
        """The line that brings what a player got within the limits, if it is not."""
        chosen = [
            line
            for line in lines
            if (self.line_codes is None or line.code in self.line_codes) and self.category in (None, line.category)
        ]
        got = sum(line.points for line in chosen)
        category = self.category or "extra"
        if chosen and self.least is not None and got < self.least:
            yield Line("limit", category, self.least - got, _LEAST, (decimal_of(self.least),))
        elif chosen and self.most is not None and got > self.most:
            yield Line("limit", category, self.most - got, _MOST, (decimal_of(self.most),))
