"""Points for acts of a night, whoever does them."""

from collections.abc import Collection, Iterable
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from app.scoring.game import NightAction
from app.scoring.played import Played
from app.scoring.points import Points, PointsParameter
from app.scoring.rules.kind import Code, Line, PointsRule
from app.scoring.terms import Category, Team
from app.scoring.text import words

_ACT = words("ночь {}: место {}", "night {}: seat {}")
_ACTS = words("таких ночных действий: {}", "such acts at night: {}")


class NightPoints(PointsRule):
    """Each act of ``roles`` at night gives points by the role of its target (``by_role``), else by the team
    (``by_team``).

    ``saved`` and ``died``: only such acts (null: any). ``nights``: only of these. ``at_least``: so many acts that have
    points give them once, not each.
    """

    repeatable: ClassVar[bool] = True
    reads: ClassVar[frozenset[str]] = frozenset({"night_actions"})
    ru: ClassVar[str] = (
        "Каждое ночное действие ролей ``roles`` даёт баллы по роли цели (``by_role``), иначе по её команде "
        "(``by_team``). ``saved`` и ``died``: только такие действия (null: любые). ``nights``: только этих ночей. "
        "``at_least``: баллы один раз за столько действий, у которых есть баллы, а не за каждое."
    )

    kind: Literal["night_points"] = "night_points"
    by_team: dict[Team, PointsParameter] | None = None
    by_role: dict[str, PointsParameter] | None = None
    saved: bool | None = None
    died: bool | None = None
    nights: tuple[int, ...] | None = None
    at_least: Annotated[int, Field(ge=1)] | None = None
    code: Code = "night_action"
    category: Category = "extra"

    def roles_named(self) -> Iterable[str]:
        return (*(self.roles or ()), *(self.by_role or ()))

    def codes_given(self) -> Collection[str]:
        return {self.code}

    def _points(self, played: Played, action: NightAction) -> Points:
        if self.saved not in (None, action.saved) or self.died not in (None, action.died):
            return 0
        if self.nights is not None and action.night not in self.nights:
            return 0
        target = played.index[action.target]
        role, team = played.seats[target].role, played.teams[target]
        if self.by_role is not None and role in self.by_role:
            return self.by_role[role]
        return self.by_team.get(team, 0) if team and self.by_team is not None else 0

    def lines(self, played: Played) -> Iterable[tuple[int, Line]]:
        acts: dict[int, list[Points]] = {}
        for action in played.game.night_actions:
            i = played.index[action.seat]
            if self.roles is not None and played.seats[i].role not in self.roles:
                continue
            if points := self._points(played, action):
                acts.setdefault(i, []).append(points)
                if self.at_least is None:
                    yield i, Line(self.code, self.category, points, _ACT, (action.night, action.target))
        if self.at_least is not None:
            for i, given in acts.items():
                if len(given) >= self.at_least:
                    yield i, Line(self.code, self.category, given[0], _ACTS, (len(given),))
