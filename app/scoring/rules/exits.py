"""Points for living to the end of a game, or for how and when a player left it."""

from collections.abc import Collection, Iterable
from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import Field

from app.scoring.played import Played
from app.scoring.points import PointsParameter
from app.scoring.rules.kind import Code, Line, PointsRule
from app.scoring.terms import Category, ExitWay
from app.scoring.text import Text, words
from app.scoring.violation import Violation

Fate: TypeAlias = Literal["alive"] | ExitWay

_NAMES: dict[str, Text] = {
    "alive": words("дожил до конца игры", "alive at the end"),
    "voted": words("заголосован", "voted out"),
    "killed": words("убит ночью", "killed at night"),
    "removed": words("удалён", "removed"),
    "surrendered": words("сдался", "surrendered"),
}
_ON_DAY = words("{}, день {}", "{}, day {}")
_DAY_NEEDED = words("укажите день, в который игрок выбыл", "expected the day on which the player left")
_REMOVED = words("по полю «Удалён» игрок удалён, по полю «Выбыл» — нет", "removed, and left the table another way")
_NOT_REMOVED = words("игрок выбыл удалением, но не отмечен удалённым", "left by removal, and is not marked as removed")
_FIRST_KILL = words("первый убиенный выбывает убитым в день 1", "the first kill leaves killed on day 1")
_DAYS = words("прожитых дней {}, а выбыл в день {}", "{} days lived, and left on day {}")


class ExitPoints(PointsRule):
    """A player whose end in the game is one of ``exits`` (``alive``: no exit is written) gets ``points``, and
    ``per_day`` for each day up to the exit. ``days``: only on these days (null: any).
    """

    repeatable: ClassVar[bool] = True
    reads: ClassVar[frozenset[str]] = frozenset({"exit"})
    ru: ClassVar[str] = (
        "Игрок, чей конец в игре — один из ``exits`` (``alive``: выбытие не указано), получает ``points`` и "
        "``per_day`` за каждый день до выбытия. ``days``: только в эти дни (null: в любой)."
    )

    kind: Literal["exit_points"] = "exit_points"
    exits: Annotated[tuple[Fate, ...], Field(min_length=1)]
    days: tuple[Annotated[int, Field(ge=1)], ...] | None = None
    points: PointsParameter = 0
    per_day: PointsParameter = 0
    code: Code = "exit"
    category: Category = "extra"

    def codes_given(self) -> Collection[str]:
        return {self.code}

    def violations(self, played: Played) -> Iterable[Violation]:
        if self.days is None and not self.per_day:
            return
        for i in played.exited:
            exit = played.seats[i].exit
            if exit is not None and exit.how in self.exits and exit.day is None:
                yield Violation("exit_day_required", f"/seats/{i}/exit/day", _DAY_NEEDED)

    def contradictions(self, played: Played) -> Iterable[Violation]:
        """What other fields of the game say otherwise."""
        return exits_contradicting(played)

    def lines(self, played: Played) -> Iterable[tuple[int, Line]]:
        for i, seat in enumerate(played.seats):
            exit = seat.exit
            how, day = ("alive", None) if exit is None else (exit.how, exit.day)
            if how not in self.exits or (self.days is not None and day not in self.days):
                continue
            if points := self.points + self.per_day * (day or 0):
                name = _NAMES[how]
                reason, args = (name, ()) if day is None else (_ON_DAY, (name, day))
                yield i, Line(self.code, self.category, points, reason, args)


def exits_contradicting(played: Played) -> Iterable[Violation]:
    """Exits that removals, the first kill or days lived say otherwise."""
    for i in played.exited:
        seat, pointer = played.seats[i], f"/seats/{i}/exit"
        exit = seat.exit
        if exit is None:
            continue
        if seat.removed is not None and exit.how != "removed":
            yield Violation("exit_contradicts", pointer, _REMOVED, actual=exit.how)
        if exit.how == "removed" and seat.removed is None and i not in played.caused_ppk:
            yield Violation("exit_contradicts", pointer, _NOT_REMOVED, actual=exit.how)
        if i == played.first_kill and (exit.how != "killed" or exit.day not in (1, None)):
            yield Violation("exit_contradicts", pointer, _FIRST_KILL, actual=exit.how)
        if seat.days_lived is not None and exit.day is not None:
            lived = {"killed": {exit.day - 1}, "voted": {exit.day}}.get(exit.how, {exit.day - 1, exit.day})
            if seat.days_lived not in lived:
                yield Violation("exit_contradicts", pointer, _DAYS, (seat.days_lived, exit.day), actual=exit.day)
