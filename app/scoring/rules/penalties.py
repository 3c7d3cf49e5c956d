"""Penalties: conduct at the table, removal from it, and handing the win to the other team (PPK)."""

from collections.abc import Iterable
from functools import cached_property
from typing import ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, model_validator

from app.scoring.played import Played
from app.scoring.points import PointsParameter
from app.scoring.rules.kind import Consent, Fact, GameRule, Line, unknown_seats
from app.scoring.terms import Decider, When
from app.scoring.text import Text, words
from app.scoring.violation import Violation

_UNKNOWN = words("такого штрафа в регламенте нет; есть: {}", "unknown penalty; expected one of: {}")
_ROLE = words("этот штраф только для ролей: {}; роль игрока — {}", "allowed only for the roles {}; the player is {}")
_NO_LOSS = words("штраф дают, только если команда игрока проиграла", "allowed only for a player whose team lost")
_TWICE = words("этот штраф указан дважды", "duplicate penalty")
_REMOVED = words("удаление из-за стола", "removed from the table")
_PPK = words("ППК по вине игрока", "actions that led to PPK")
_PPK_NO_LOSS = words(
    "ППК отмечают только игроку проигравшей команды", "the team of the player who caused the PPK must have lost"
)


class Act(BaseModel):
    """A penalized act: the roles it applies to (null: any), whether it counts when the team ``lost`` or ``always``, and
    whose approval it needs.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    code: str
    name: Text
    roles: tuple[str, ...] | None = None
    when: When = "lost"
    consent: Decider | None = None


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


class ConductPenalties(GameRule):
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
        return [role for act in self.acts for role in act.roles or ()]

    @cached_property
    def by_code(self) -> dict[str, tuple[Act, Line]]:
        """Each act with the line it gives, by its code."""
        return {act.code: (act, Line("penalty", "extra", self.points, act.name)) for act in self.acts}

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
                if code in seen:
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
                if by := self.by_code[code][0].consent:
                    yield Consent(i, by, self.points)


class RemovalPenalty(GameRule):
    """A removed player loses ``points`` (extra, negative) if the team ``lost``, or ``always``.

    ``spares_harmless``: not if the judge wrote ``affected_team: false``. ``ppk_replaces_removal``: not for the player
    who caused PPK.
    """

    codes: ClassVar[frozenset[str]] = frozenset({"penalty"})
    ru: ClassVar[str] = (
        "Удалённый игрок теряет ``points`` (доп. баллы, со знаком минус), если его команда проиграла "
        "(``lost``), или всегда (``always``). ``spares_harmless`` — кроме удалений, которые на игру команды "
        "не повлияли; ``ppk_replaces_removal`` — кроме того, по чьей вине наступил ППК."
    )
    needs: ClassVar[frozenset[Fact]] = frozenset({"outcome"})

    kind: Literal["removal_penalty"] = "removal_penalty"
    points: PointsParameter
    when: When
    spares_harmless: bool
    ppk_replaces_removal: bool = False

    @cached_property
    def line(self) -> Line:
        """The one line this rule gives."""
        return Line("penalty", "extra", self.points, _REMOVED)

    def lines(self, played: Played) -> Iterable[tuple[int, Line]]:
        for i in played.removed:
            removed = played.seats[i].removed
            if self.when == "lost" and played.results[i] != "lost":
                continue
            if self.spares_harmless and removed is not None and not removed.affected_team:
                continue
            if self.ppk_replaces_removal and i in played.caused_ppk:
                continue
            yield i, self.line


class PpkPenalty(GameRule):
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
