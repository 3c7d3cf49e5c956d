"""City games: points for days lived and for what was done at night."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import ClassVar, Literal

from app.scoring.game import NightAction
from app.scoring.played import Played
from app.scoring.points import Points, PointsParameter
from app.scoring.rules.kind import Fact, GameRule, Line, PointsRule, unknown_seats
from app.scoring.terms import Result, Team
from app.scoring.text import Text, words
from app.scoring.violation import Violation

_NEEDED = words("укажите, сколько дней прожил игрок", "expected the number of days the player lived")
_DAYS = words("прожитых дней — от 0 до {}, указано {}", "expected 0 to {} days, got {}")
_MAKERS_NEEDED = words(
    "укажите, кто сделал ничью: два места или пустой список",
    "expected the two players who made the draw, or an empty list",
)
_MAKERS_SIZE = words("сделавших ничью должно быть {}, указано {}", "expected {} draw makers, got {}")
_NOT_A_DRAW = words("кто сделал ничью, указывают, только если исход — ничья", "draw makers are allowed only in a draw")
_LIVED = words("прожито дней: {}", "days lived: {}")
_NO_ACT = words("ночью ходят: {}; роль игрока — {}", "only these roles act at night: {}; the player is {}")
_NOT_HEALER = words("спасти может только {}", "only the {} can heal")
_SHOT = words("ночь {}: выстрел — место {}", "night {}: shot seat {}")
_HEALED = words("ночь {}: лечение — место {}", "night {}: healed seat {}")
_CHECKED = words("ночь {}: проверка — место {}", "night {}: checked seat {}")
_ONE_ACT = words(
    "действий игрока за ночь — не больше {}; в ночь {} это {}-е действие места {}",
    "expected at most {} act of a player in a night; in night {}, this is act {} of seat {}",
)
_DIED_AND_SAVED = words(
    "в ночь {} место {} и убито, и спасено; если цель спасли, у выстрела отметьте, что она осталась жива",
    "in night {}, seat {} was both killed and saved; if the target was saved, the shot needs died: false",
)
_DEAD_TARGET = words(
    "место {} убито в ночь {}; в ночь {} оно не может быть целью",
    "seat {} was killed in night {} and cannot be a target in night {}",
)
_DEAD_ACTOR = words(
    "место {} убито в ночь {}; в ночь {} оно не может действовать",
    "seat {} was killed in night {} and cannot act in night {}",
)


class DaysLived(PointsRule):
    """Winners get ``per_day`` (main) for each day lived, multiplied by ``multiplier`` of the team. In a draw, its
    makers get ``draw_per_day``.

    A day counts if the player was alive when it began.
    """

    reads: ClassVar[frozenset[str]] = frozenset({"days_lived", "draw_makers"})
    codes: ClassVar[frozenset[str]] = frozenset({"days_lived"})
    ru: ClassVar[str] = (
        "Победители получают ``per_day`` (основные) за каждый прожитый день, умноженные на ``multiplier`` "
        "команды. При ничьей сделавшие её получают ``draw_per_day``. День засчитан, если игрок был жив в его "
        "начале."
    )
    needs: ClassVar[frozenset[Fact]] = frozenset({"outcome"})

    kind: Literal["days_lived"] = "days_lived"
    per_day: PointsParameter
    multiplier: dict[Team, int]
    draw_makers: int
    draw_per_day: PointsParameter
    most_days: int

    def _paid(self, played: Played) -> list[int]:
        if not played.drawn:
            return played.won
        makers = set(played.game.draw_makers or ())
        return (
            [played.index[seat] for seat in makers if seat in played.index] if len(makers) == self.draw_makers else []
        )

    def violations(self, played: Played) -> Iterable[Violation]:
        yield from self._makers(played)
        paid = self._paid(played)
        for i, seat in enumerate(played.seats):
            days = seat.days_lived
            if days is None:
                if i in paid:
                    pointer = f"/seats/{i}/days_lived"
                    yield Violation("days_lived_required", pointer, _NEEDED, unsaid=pointer)
            elif not 0 <= days <= self.most_days:
                yield Violation(
                    "days_lived_invalid",
                    f"/seats/{i}/days_lived",
                    _DAYS,
                    (self.most_days, days),
                    limit=0 if days < 0 else self.most_days,
                    actual=days,
                )

    def _makers(self, played: Played) -> Iterable[Violation]:
        makers = played.game.draw_makers
        if not played.drawn:
            if makers is not None and played.game.outcome is not None:
                yield Violation("draw_makers_not_allowed", "/draw_makers", _NOT_A_DRAW)
            return
        if makers is None:
            pointer = "/draw_makers"
            yield Violation("draw_makers_required", pointer, _MAKERS_NEEDED, limit=self.draw_makers, unsaid=pointer)
            return
        different = len(set(makers))
        if makers and (different != self.draw_makers or len(makers) != different):
            named = different if different != self.draw_makers else len(makers)
            args = (self.draw_makers, named)
            yield Violation(
                "draw_makers_size",
                "/draw_makers",
                _MAKERS_SIZE,
                args,
                limit=self.draw_makers,
                actual=named,
                unsaid="/draw_makers" if named < self.draw_makers and named == len(makers) else None,
            )
        yield from unknown_seats(played, "draw_makers_unknown_seat", makers, "/draw_makers/{}")

    def lines(self, played: Played) -> Iterable[tuple[int, Line]]:
        for i in sorted(self._paid(played)):
            days, team = played.seats[i].days_lived or 0, played.teams[i]
            if played.drawn or team is None:
                points = days * self.draw_per_day
            else:
                points = days * self.per_day * self.multiplier.get(team, 1)
            if points:
                yield i, Line("days_lived", "main", points, _LIVED, (days,))


def night_seats(played: Played) -> list[Violation]:
    """Where a night action names a seat that nobody sits at."""
    return [
        violation
        for k, action in enumerate(played.game.night_actions)
        for member, number in (("seat", action.seat), ("target", action.target))
        for violation in unknown_seats(played, "night_action_unknown_seat", (number,), f"/night_actions/{k}/{member}")
    ]


class NightRecord(GameRule):
    """Which ``roles`` act at night, and which of them heals (``healer``)."""

    reads: ClassVar[frozenset[str]] = frozenset({"night_actions"})
    ru: ClassVar[str] = "Какие роли ходят ночью (``roles``) и какая из них лечит (``healer``)."
    needs: ClassVar[frozenset[Fact]] = frozenset({"roles"})

    kind: Literal["night_record"] = "night_record"
    roles: tuple[str, ...]
    healer: str

    def roles_named(self) -> Iterable[str]:
        return (*self.roles, self.healer)

    def violations(self, played: Played) -> Iterable[Violation]:
        for k, action in enumerate(played.game.night_actions):
            actor = played.index.get(action.seat)
            for member, number in (("seat", action.seat), ("target", action.target)):
                pointer = f"/night_actions/{k}/{member}"
                yield from unknown_seats(played, "night_action_unknown_seat", (number,), pointer)
            if actor is None:
                continue
            role = played.seats[actor].role
            if not role:
                continue
            if role not in self.roles:
                yield Violation(
                    "night_action_role",
                    f"/night_actions/{k}/seat",
                    _NO_ACT,
                    (played.named(self.roles), played.named([role])),
                    limit=list(self.roles),
                    actual=role,
                )
            if action.saved and role != self.healer:
                yield Violation(
                    "saved_not_doctor",
                    f"/night_actions/{k}/saved",
                    _NOT_HEALER,
                    (played.named([self.healer]),),
                    actual=role,
                )

    def contradictions(self, played: Played) -> Iterable[Violation]:
        acts: Counter[tuple[int, int]] = Counter()
        for k, action in enumerate(played.game.night_actions):
            acts[action.night, action.seat] += 1
            count = acts[action.night, action.seat]
            if count > 1:
                args = (1, action.night, count, action.seat)
                yield Violation("night_acts_exceeded", f"/night_actions/{k}/seat", _ONE_ACT, args, 1, count)


class _NightAct(PointsRule):
    """What ``role`` gets (extra) for each act of a night, by the team of the target, when the own result is one of
    ``results``.
    """

    codes: ClassVar[frozenset[str]] = frozenset({"night_action"})
    reason: ClassVar[Text]

    role: str
    results: tuple[Result, ...]

    def roles_named(self) -> Iterable[str]:
        return (self.role, *(self.roles or ()))

    def _by_team(self, action: NightAction) -> Mapping[Team, Points]:
        raise NotImplementedError

    def lines(self, played: Played) -> Iterable[tuple[int, Line]]:
        for action in played.game.night_actions:
            i = played.index[action.seat]
            if played.seats[i].role != self.role or played.results[i] not in self.results:
                continue
            team = played.teams[played.index[action.target]]
            points = self._by_team(action).get(team, 0) if team else 0
            if points:
                yield i, Line("night_action", "extra", points, self.reason, (action.night, action.target))


class NightKill(_NightAct):
    """Points for a night shot, by the team of the player who was ``killed``; ``healed``: the target survived."""

    reason: ClassVar[Text] = _SHOT
    ru: ClassVar[str] = "Баллы за ночной выстрел, по команде убитого (``killed``); ``healed`` — цель осталась жива."

    kind: Literal["night_kill"] = "night_kill"
    killed: dict[Team, PointsParameter]
    healed: dict[Team, PointsParameter]

    def _by_team(self, action: NightAction) -> Mapping[Team, Points]:
        return self.killed if action.died else self.healed

    def contradictions(self, played: Played) -> Iterable[Violation]:
        """Who was killed was not saved in that night, and in later nights neither acts nor is a target.

        What happened first within a night is unknown, so whatever the same night has is possible.
        """
        actions = played.game.night_actions
        kills = [(k, action) for k, action in enumerate(actions) if self._kills(played, action)]
        saved = {(action.night, action.target) for action in actions if action.saved}
        killed: dict[int, int] = {}
        for k, kill in kills:
            killed[kill.target] = min(kill.night, killed.get(kill.target, kill.night))
            if (kill.night, kill.target) in saved:
                pointer = f"/night_actions/{k}/died"
                yield Violation("night_contradiction", pointer, _DIED_AND_SAVED, (kill.night, kill.target))
        for k, action in enumerate(actions if killed else ()):
            for seat, member, code, text in (
                (action.seat, "seat", "night_dead_actor", _DEAD_ACTOR),
                (action.target, "target", "night_dead_target", _DEAD_TARGET),
            ):
                night = killed.get(seat)
                if night is not None and night < action.night:
                    args = (seat, night, action.night)
                    yield Violation(code, f"/night_actions/{k}/{member}", text, args, night, action.night)

    def _kills(self, played: Played, action: NightAction) -> bool:
        actor = played.index.get(action.seat)
        return action.died and actor is not None and played.seats[actor].role == self.role


class NightHeal(_NightAct):
    """Points for a night heal, by the team of the player who was ``saved``; ``unsaved``: nobody needed it."""

    reason: ClassVar[Text] = _HEALED
    ru: ClassVar[str] = (
        "Баллы за ночное лечение, по команде того, кого спасли (``saved``); ``unsaved`` — лечение никому не "
        "понадобилось."
    )

    kind: Literal["night_heal"] = "night_heal"
    saved: dict[Team, PointsParameter]
    unsaved: dict[Team, PointsParameter]

    def _by_team(self, action: NightAction) -> Mapping[Team, Points]:
        return self.saved if action.saved else self.unsaved


class NightCheck(_NightAct):
    """Points for a night check, by the team of the player who was ``checked``. A repeated check of the same player
    counts again.
    """

    reason: ClassVar[Text] = _CHECKED
    ru: ClassVar[str] = (
        "Баллы за ночную проверку, по команде того, кого проверили (``checked``). Повторная проверка того же "
        "игрока считается снова."
    )

    kind: Literal["night_check"] = "night_check"
    checked: dict[Team, PointsParameter]

    def _by_team(self, action: NightAction) -> Mapping[Team, Points]:
        return self.checked
