"""The first kill: compensation for it, and the best move it may name."""

from collections.abc import Iterable
from functools import cached_property
from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict

from app.scoring.names import OUTCOMES
from app.scoring.played import Played
from app.scoring.points import Points, PointsParameter
from app.scoring.rules.kind import Fact, Line, PointsRule, unknown_seats
from app.scoring.terms import Result
from app.scoring.text import words
from app.scoring.violation import Violation

_NO_FIRST_KILL = words("указан лучший ход, но не указан первый убиенный", "a best move requires a first kill")
_SIZE = words("мест в лучшем ходе — ровно {}, названо {}", "expected exactly {} seats in the best move, got {}")
_REPEATED = words("в лучшем ходе место {} названо дважды", "seat {} is named twice")
_COMPENSATION = words("первый убиенный, команда проиграла", "first kill, {} lost")
_NAMED = words("лучший ход: чёрных {} из {} ({})", "{} of {} named are black: {}")
_NAMED_NONE = words("лучший ход: чёрных {} из {}", "{} of {} named are black")


def seats_named(played: Played) -> list[Violation]:
    """Where the first kill and the best move name a seat that nobody sits at, in any club."""
    kill = played.game.first_kill
    if kill is None:
        return []
    killed = () if kill.seat is None else (kill.seat,)
    return [
        *unknown_seats(played, "first_kill_unknown_seat", killed, "/first_kill/seat"),
        *unknown_seats(played, "best_move_unknown_seat", kill.best_move, "/first_kill/best_move/{}"),
    ]


class FirstKillCompensation(PointsRule):
    """The first player killed, in one of ``roles``, gets ``points`` (main) if the player's team lost."""

    codes: ClassVar[frozenset[str]] = frozenset({"first_kill_compensation"})
    ru: ClassVar[str] = (
        "Первый убиенный в одной из ролей ``roles`` получает ``points`` (основные), если его команда проиграла."
    )
    needs: ClassVar[frozenset[Fact]] = frozenset({"outcome"})

    checks: ClassVar[frozenset[str]] = frozenset({"roles"})

    kind: Literal["first_kill_compensation"] = "first_kill_compensation"
    roles: tuple[str, ...]
    points: PointsParameter

    def roles_named(self) -> Iterable[str]:
        return self.roles

    def lines(self, played: Played) -> Iterable[tuple[int, Line]]:
        i = played.first_kill
        if i is None or played.results[i] != "lost" or played.seats[i].role not in self.roles:
            return ()
        team = played.teams[i]
        named = OUTCOMES[team] if team else None
        return ((i, Line("first_kill_compensation", "main", self.points, _COMPENSATION, (named,))),)


class Hits(BaseModel):
    """The points of a best move by the number of blacks among the three named."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    three: PointsParameter = 0
    two: PointsParameter = 0
    one: PointsParameter = 0
    none: PointsParameter = 0

    @cached_property
    def by_blacks(self) -> tuple[Points, ...]:
        """The points by the number of blacks named."""
        return (self.none, self.one, self.two, self.three)


class BestMove(PointsRule):
    """The first player killed, in one of ``roles`` (null: any), gets extra points for each black seat among the three
    named.

    Other points may be given ``by_role`` and ``by_result``; a role comes first. Without a best move there are no
    points. Players may name themselves.
    """

    reads: ClassVar[frozenset[str]] = frozenset({"first_kill"})
    codes: ClassVar[frozenset[str]] = frozenset({"best_move"})
    ru: ClassVar[str] = (
        "Первый убиенный в одной из ролей ``roles`` (null — в любой) получает доп. баллы по числу чёрных "
        "среди трёх названных. Для роли или результата могут быть свои баллы: ``by_role``, ``by_result``. "
        "Без лучшего хода баллов нет; назвать можно и себя."
    )
    needs: ClassVar[frozenset[Fact]] = frozenset({"roles"})
    checks: ClassVar[frozenset[str]] = frozenset({"roles"})

    kind: Literal["best_move"] = "best_move"
    roles: tuple[str, ...] | None = None
    three: PointsParameter
    two: PointsParameter
    one: PointsParameter
    none: PointsParameter
    by_role: dict[str, Hits] | None = None
    by_result: dict[Result, Hits] | None = None

    def roles_named(self) -> Iterable[str]:
        return (*(self.roles or ()), *(self.by_role or ()))

    @cached_property
    def by_blacks(self) -> tuple[Points, ...]:
        """The points by the number of blacks named."""
        return (self.none, self.one, self.two, self.three)

    def violations(self, played: Played) -> Iterable[Violation]:
        kill = played.game.first_kill
        if kill is None:
            return ()
        found = seats_named(played)
        if kill.seat is None:
            unsaid = "/first_kill/seat"
            found.append(
                Violation("best_move_without_first_kill", "/first_kill/best_move", _NO_FIRST_KILL, unsaid=unsaid)
            )
        for i, seat in enumerate(kill.best_move):
            if seat in kill.best_move[:i]:
                pointer = f"/first_kill/best_move/{i}"
                found.append(Violation("best_move_duplicate", pointer, _REPEATED, (seat,), actual=seat))
        if kill.best_move and len(kill.best_move) != 3:
            found.append(
                Violation(
                    "best_move_size",
                    "/first_kill/best_move",
                    _SIZE,
                    (3, len(kill.best_move)),
                    limit=3,
                    actual=len(kill.best_move),
                    unsaid="/first_kill/best_move" if len(kill.best_move) < 3 else None,
                )
            )
        return found

    def lines(self, played: Played) -> Iterable[tuple[int, Line]]:
        kill = played.game.first_kill
        i = played.first_kill
        if i is None or kill is None or not kill.best_move:
            return ()
        if self.roles is not None and played.seats[i].role not in self.roles:
            return ()
        index, teams = played.index, played.teams
        black = [seat for seat in kill.best_move if teams[index[seat]] == "black"]
        points = self._by_blacks(played, i)[len(black)]
        if not points:
            return ()
        if not black:
            return ((i, Line("best_move", "extra", points, _NAMED_NONE, (0, 3))),)
        return ((i, Line("best_move", "extra", points, _NAMED, (len(black), 3, sorted(black)))),)

    def _by_blacks(self, played: Played, i: int) -> tuple[Points, ...]:
        result = played.results[i]
        if self.by_role is not None and played.seats[i].role in self.by_role:
            return self.by_role[played.seats[i].role].by_blacks
        if self.by_result is not None and result in self.by_result:
            return self.by_result[result].by_blacks
        return self.by_blacks
