"""What a judge notes of a player or of a whole team: best player, worst move, clean win."""

from collections import Counter
from collections.abc import Collection, Iterable
from functools import cached_property
from typing import Annotated, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from app.scoring.played import Played
from app.scoring.points import PointsParameter
from app.scoring.rules.kind import Code, Line, PointsRule
from app.scoring.terms import Category, Condition, Team
from app.scoring.text import Text, words
from app.scoring.violation import Violation
from app.spelling import nearest

_UNKNOWN = words("такой отметки в регламенте нет; есть: {}", "unknown mark; expected one of: {}")
_TWICE = words("эта отметка указана дважды", "duplicate mark")
_ROLE = words("эта отметка только для ролей: {}; роль игрока — {}", "allowed only for the roles {}; the player is {}")
_RESULT = words("эту отметку дают только при другом результате команды", "not allowed with this result of the team")
_SEATS = words("игроков с отметкой «{}» — не больше {}, в протоколе {}", "{}: expected at most {} players, got {}")


class Mark(BaseModel):
    """A mark: its points (0: only a fact), the roles it applies to (null: any), at which results, whether it is
    ``counted`` each time it is noted, and how many players may have it (null: any number).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    code: Code
    name: Text
    points: PointsParameter = 0
    roles: tuple[str, ...] | None = None
    when: Condition = "always"
    counted: bool = False
    most_seats: Annotated[int, Field(ge=1)] | None = None


class Marks(PointsRule):
    """Each of ``marks`` that the judge noted of a player gives its points under its own code."""

    reads: ClassVar[frozenset[str]] = frozenset({"marks"})
    ru: ClassVar[str] = "Каждая отметка из ``marks``, которую судья поставил игроку, даёт свои баллы со своим кодом."

    kind: Literal["marks"] = "marks"
    marks: Annotated[tuple[Mark, ...], Field(min_length=1)]
    category: Category = "extra"

    @model_validator(mode="after")
    def _marks_differ(self) -> Self:
        if len(self.by_code) != len(self.marks):
            raise ValueError("two marks have the same code")
        return self

    def roles_named(self) -> Iterable[str]:
        return [*(self.roles or ()), *(role for mark in self.marks for role in mark.roles or ())]

    def codes_given(self) -> Collection[str]:
        return {mark.code for mark in self.marks if mark.points}

    def facts_noted(self) -> Collection[str]:
        return self.by_code

    @cached_property
    def by_code(self) -> dict[str, tuple[Mark, Line]]:
        """Each mark with the line it gives, by its code."""
        return {mark.code: (mark, Line(mark.code, self.category, mark.points, mark.name)) for mark in self.marks}

    def violations(self, played: Played) -> Iterable[Violation]:
        holders: Counter[str] = Counter()
        for i in played.marked:
            seat = played.seats[i]
            for j, code in enumerate(seat.marks):
                pointer = f"/seats/{i}/marks/{j}"
                if code not in self.by_code:
                    known = [Text(ru=mark.name.ru, en=mark.code) for mark in self.marks]
                    near = tuple(nearest(code, self.by_code))
                    yield Violation("mark_unknown", pointer, _UNKNOWN, (known,), actual=code, suggestions=near)
                    continue
                mark = self.by_code[code][0]
                if code in seat.marks[:j]:
                    if not mark.counted:
                        yield Violation("mark_duplicate", pointer, _TWICE, actual=code)
                    continue
                holders[code] += 1
                if mark.roles is not None and played.teams[i] and seat.role not in mark.roles:
                    roles = list(mark.roles)
                    named = (played.named(roles), played.named([seat.role]))
                    yield Violation("mark_role", pointer, _ROLE, named, limit=roles, actual=seat.role)
                if mark.when != "always" and played.results[i] not in (mark.when, None):
                    yield Violation("mark_result", pointer, _RESULT, actual=code)
        for mark in self.marks:
            if mark.most_seats is not None and holders[mark.code] > mark.most_seats:
                args = (mark.name, mark.most_seats, holders[mark.code])
                yield Violation("mark_seats_exceeded", "/seats", _SEATS, args, mark.most_seats, holders[mark.code])

    def lines(self, played: Played) -> Iterable[tuple[int, Line]]:
        for i in played.marked:
            for code in played.seats[i].marks:
                line = self.by_code[code][1]
                if line.points:
                    yield i, line


class MarkOfTeam(BaseModel):
    """A mark of a whole ``team``, and what each of its players gets."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    code: Code
    name: Text
    team: Team
    points: PointsParameter
    roles: tuple[str, ...] | None = None
    when: Condition = "always"


class TeamMarks(PointsRule):
    """Each of ``marks`` that the judge noted of a team gives its points to all players of the team, or to ``roles``."""

    reads: ClassVar[frozenset[str]] = frozenset({"team_marks"})
    ru: ClassVar[str] = (
        "Каждая отметка из ``marks``, поставленная команде, даёт баллы всем её игрокам или её ``roles``."
    )

    kind: Literal["team_marks"] = "team_marks"
    marks: Annotated[tuple[MarkOfTeam, ...], Field(min_length=1)]
    category: Category = "extra"

    @model_validator(mode="after")
    def _marks_differ(self) -> Self:
        if len({(mark.team, mark.code) for mark in self.marks}) != len(self.marks):
            raise ValueError("two marks of a team have the same code")
        return self

    def roles_named(self) -> Iterable[str]:
        return [*(self.roles or ()), *(role for mark in self.marks for role in mark.roles or ())]

    def codes_given(self) -> Collection[str]:
        return {mark.code for mark in self.marks}

    def violations(self, played: Played) -> Iterable[Violation]:
        known: dict[tuple[str, str], MarkOfTeam] = {(mark.team, mark.code): mark for mark in self.marks}
        noted = played.game.team_marks
        for k, note in enumerate(noted):
            pointer = f"/team_marks/{k}"
            mark = known.get((note.team, note.code))
            if mark is None:
                names = [f"{team}: {code}" for team, code in known]
                yield Violation("team_mark_unknown", pointer, _UNKNOWN, (names,), actual=f"{note.team}: {note.code}")
                continue
            if note in noted[:k]:
                yield Violation("team_mark_duplicate", pointer, _TWICE, actual=note.code)
            result = next((played.results[i] for i, team in enumerate(played.teams) if team == note.team), None)
            if mark.when != "always" and result not in (mark.when, None):
                yield Violation("team_mark_result", pointer, _RESULT, actual=note.code)

    def lines(self, played: Played) -> Iterable[tuple[int, Line]]:
        for note in played.game.team_marks:
            for mark in self.marks:
                if (mark.team, mark.code) == (note.team, note.code) and mark.points:
                    line = Line(mark.code, self.category, mark.points, mark.name)
                    for i, seat in enumerate(played.seats):
                        if played.teams[i] == mark.team and (mark.roles is None or seat.role in mark.roles):
                            yield i, line
