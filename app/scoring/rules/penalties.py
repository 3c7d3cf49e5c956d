"""Penalties: conduct at the table, removal from it, and handing the win to the other team (PPK)."""

from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from typing import ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, model_validator

from app.scoring.played import Played
from app.scoring.points import Points, PointsParameter
from app.scoring.rules.kind import Consent, Fact, Line, PointsRule, unknown_seats
from app.scoring.terms import Condition, Decider, When
from app.scoring.text import Text, words
from app.scoring.violation import Violation
from app.spelling import nearest

_UNKNOWN = words("такого штрафа в регламенте нет; есть: {}", "unknown penalty; expected one of: {}")
_ROLE = words("этот штраф только для ролей: {}; роль игрока — {}", "allowed only for the roles {}; the player is {}")
_NO_LOSS = words("штраф дают, только если команда игрока проиграла", "allowed only for a player whose team lost")
_TWICE = words("этот штраф указан дважды", "duplicate penalty")
_REMOVED = words("удаление из-за стола", "removed from the table")
_REASON = words("такой причины удаления в регламенте нет; есть: {}", "unknown reason; expected one of: {}")
_PPK = words("ППК по вине игрока", "actions that led to PPK")
_PPK_NO_LOSS = words(
    "ППК отмечают только игроку проигравшей команды", "the team of the player who caused the PPK must have lost"
)


class Act(BaseModel):
    """A penalized act: the roles it applies to (null: any), whether it counts when the team ``lost`` or ``always``,
    whose approval it needs, its own ``points`` (null: those of the rule), and whether it is ``counted`` each time.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    code: str
    name: Text
    roles: tuple[str, ...] | None = None
    when: When = "lost"
    consent: Decider | None = None
    points: PointsParameter | None = None
    """Null: as the rule says."""
    counted: bool = False
    """Whether the same act may be noted several times."""


def act(
    code: str,
    ru: str,
    en: str,
    roles: tuple[str, ...] | None = None,
    when: When = "lost",
    consent: Decider | None = None,
) -> Act:
    """An :class:`Act` in a line."""
    return Act(code=code, name=words(ru, en), roles=roles, when=when, consent=consent)


class ConductPenalties(PointsRule):
    """Each act of ``acts`` that the judge noted costs ``points`` (extra, negative). Different acts add up."""

    reads: ClassVar[frozenset[str]] = frozenset({"penalties"})
    codes: ClassVar[frozenset[str]] = frozenset({"penalty"})
    ru: ClassVar[str] = (
        "Каждое нарушение из ``acts``, которое отметил судья, стоит ``points`` (доп. баллы, со знаком минус)."
        " Разные нарушения складываются."
    )
    needs: ClassVar[frozenset[Fact]] = frozenset({"outcome"})

    kind: Literal["conduct_penalties"] = "conduct_penalties"
    points: PointsParameter
    acts: tuple[Act, ...]

    @model_validator(mode="after")
    def _acts_differ(self) -> Self:
        if len(self.by_code) != len(self.acts):
            raise ValueError("two acts have the same code")
        return self

    def roles_named(self) -> Iterable[str]:
        return [*(self.roles or ()), *(role for act in self.acts for role in act.roles or ())]

    def facts_noted(self) -> Collection[str]:
        return self.by_code

    @cached_property
    def by_code(self) -> dict[str, tuple[Act, Line]]:
        """Each act with the line it gives, by its code."""
        return {act.code: (act, Line("penalty", "extra", self._points(act), act.name)) for act in self.acts}

    def _points(self, act: Act) -> Points:
        return self.points if act.points is None else act.points

    def violations(self, played: Played) -> Iterable[Violation]:
        for i in played.penalized:
            seat = played.seats[i]
            seen: set[str] = set()
            for j, code in enumerate(seat.penalties):
                pointer = f"/seats/{i}/penalties/{j}"
                if code not in self.by_code:
                    known = [Text(ru=act.name.ru, en=act.code) for act in self.acts]
                    yield Violation("penalty_unknown", pointer, _UNKNOWN, (known,), actual=code)
                    continue
                if code in seen and not self.by_code[code][0].counted:
                    yield Violation("penalty_duplicate", pointer, _TWICE, actual=code)
                    continue
                seen.add(code)
                act = self.by_code[code][0]
                if act.roles is not None and played.teams[i] and seat.role not in act.roles:
                    roles = list(act.roles)
                    yield Violation(
                        "penalty_role",
                        pointer,
                        _ROLE,
                        (played.named(roles), played.named([seat.role])),
                        limit=roles,
                        actual=seat.role,
                    )
                if act.when == "lost" and played.results[i] not in ("lost", None):
                    yield Violation("penalty_without_loss", pointer, _NO_LOSS, actual=code)

    def lines(self, played: Played) -> Iterable[tuple[int, Line]]:
        return [(i, self.by_code[code][1]) for i in played.penalized for code in played.seats[i].penalties]

    def consents(self, played: Played) -> Iterable[Consent]:
        for i in played.penalized:
            for code in played.seats[i].penalties:
                act, line = self.by_code[code]
                if act.consent is not None:
                    yield Consent(i, act.consent, line.points)


class RemovalPenalty(PointsRule):
    """A removed player loses ``points`` (extra, negative) if the team ``lost``, ``won`` or drew, or ``always``.

    ``by_reason``: other points where the judge wrote why. ``spares_harmless``: not if the judge wrote
    ``affected_team: false``. ``ppk_replaces_removal``: not for the player who caused PPK.
    """

    reads: ClassVar[frozenset[str]] = frozenset({"removed.reason"})
    reads_with: ClassVar[Mapping[str, str]] = {"removed.reason": "by_reason"}
    codes: ClassVar[frozenset[str]] = frozenset({"penalty"})
    ru: ClassVar[str] = (
        "Удалённый игрок теряет ``points`` (доп. баллы, со знаком минус), если его команда проиграла "
        "(``lost``), победила (``won``), сыграла вничью или всегда (``always``). ``by_reason`` — другие баллы по "
        "причине, которую указал судья. ``spares_harmless`` — кроме удалений, которые на игру команды "
        "не повлияли; ``ppk_replaces_removal`` — кроме того, по чьей вине наступил ППК."
    )
    needs: ClassVar[frozenset[Fact]] = frozenset({"outcome"})
    checks: ClassVar[frozenset[str]] = frozenset({"when"})

    kind: Literal["removal_penalty"] = "removal_penalty"
    points: PointsParameter
    when: Condition
    spares_harmless: bool
    ppk_replaces_removal: bool = False
    by_reason: dict[str, PointsParameter] | None = None

    @cached_property
    def line(self) -> Line:
        """What the rule gives where no reason has points of its own."""
        return Line("penalty", "extra", self.points, _REMOVED)

    def violations(self, played: Played) -> Iterable[Violation]:
        if not self.by_reason:
            return
        for i in played.removed:
            removed = played.seats[i].removed
            reason = None if removed is None else removed.reason
            if reason is not None and reason not in self.by_reason:
                pointer, known = f"/seats/{i}/removed/reason", list(self.by_reason)
                near = tuple(nearest(reason, known))
                yield Violation("removal_reason_unknown", pointer, _REASON, (known,), None, reason, None, near)

    def lines(self, played: Played) -> Iterable[tuple[int, Line]]:
        for i in played.removed:
            removed = played.seats[i].removed
            if self.when not in ("always", played.results[i]):
                continue
            if self.spares_harmless and removed is not None and not removed.affected_team:
                continue
            if self.ppk_replaces_removal and i in played.caused_ppk:
                continue
            reason = None if removed is None else removed.reason
            if self.by_reason is not None and reason is not None:
                yield i, self.line._replace(points=self.by_reason[reason])
            else:
                yield i, self.line


class PpkPenalty(PointsRule):
    """A player who caused PPK loses ``points`` (extra, negative). The player's team must have lost."""

    reads: ClassVar[frozenset[str]] = frozenset({"ppk"})
    codes: ClassVar[frozenset[str]] = frozenset({"penalty"})
    ru: ClassVar[str] = (
        "Игрок, по вине которого наступил ППК, теряет ``points`` (доп. баллы, со знаком минус). Его команда "
        "должна проиграть."
    )
    needs: ClassVar[frozenset[Fact]] = frozenset({"outcome"})

    kind: Literal["ppk_penalty"] = "ppk_penalty"
    points: PointsParameter

    @cached_property
    def line(self) -> Line:
        """The one line this rule gives."""
        return Line("penalty", "extra", self.points, _PPK)

    def violations(self, played: Played) -> Iterable[Violation]:
        for position, number in enumerate(played.game.ppk):
            pointer = played.game.ppk_pointer(position)
            i = played.index.get(number)
            if i is None:
                yield from unknown_seats(played, "ppk_unknown_seat", (number,), pointer)
            elif played.results[i] not in ("lost", None):
                yield Violation("ppk_without_loss", pointer, _PPK_NO_LOSS, actual=number)

    def lines(self, played: Played) -> Iterable[tuple[int, Line]]:
        return [(i, self.line) for i in sorted(played.caused_ppk)]
