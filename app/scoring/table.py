"""The table of a regulation: its roles and teams, its size, and who must sit at it."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from app.scoring.names import OUTCOMES, ROLES
from app.scoring.played import Played
from app.scoring.terms import Outcome, Team
from app.scoring.text import Text, words
from app.scoring.violation import Violation

_SIZE = words("игроков за столом — от {} до {}, в протоколе {}", "expected {} to {} seats, got {}")
_EXACT_SIZE = words("игроков за столом должно быть {}, в протоколе {}", "expected {} seats, got {}")
_EXACTLY = words("роль «{}»: должно быть {}, в протоколе {}", "{}: expected {}, got {}")
_AT_LEAST = words("роль «{}»: не меньше {}, в протоколе {}", "{}: expected at least {}, got {}")
_AT_MOST = words("роль «{}»: не больше {}, в протоколе {}", "{}: expected at most {}, got {}")
_ROLE = words("роли «{}» в этом регламенте нет; есть: {}", "unknown role {}; expected one of: {}")
_SEAT_RANGE = words("номер места — от 1 до {}, указано {}", "expected a seat from 1 to {}, got {}")
_SEAT_TWICE = words("место {} указано дважды", "seat {} is listed twice")
_PLAYER_TWICE = words("игрок «{}» указан дважды", "player {} is listed twice")
_OUTCOME = words("исхода «{}» в этом регламенте нет; есть: {}", "unknown outcome {}; expected one of: {}")
_NO_WINNER = words("исход «{}», но за столом из этой команды никого нет", "team {} won but has no players at the table")


class Role(BaseModel):
    """A role and the team it plays for."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    team: Team
    name: Text


class RoleCount(BaseModel):
    """How many seats may have one of ``roles``. ``most`` null: any number."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    roles: Annotated[tuple[str, ...], Field(min_length=1)]
    least: Annotated[int, Field(ge=0)] = 0
    most: Annotated[int, Field(ge=0)] | None = None


class Reading(BaseModel):
    """How an ambiguous clause is interpreted. ``parameter`` is the parameter with the value, if any."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    ru: str
    en: str
    parameter: str | None = None


class Table(BaseModel):
    """From ``least`` to ``most`` seats, with these roles and how many of each."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    least: Annotated[int, Field(ge=1)]
    most: Annotated[int, Field(ge=1, le=100)]
    roles: Annotated[dict[str, Role], Field(min_length=1)]
    counts: tuple[RoleCount, ...]
    readings: tuple[Reading, ...] = ()

    @model_validator(mode="after")
    def _is_possible(self) -> Self:
        if self.least > self.most:
            raise ValueError("least is more than most")
        unknown = {role for count in self.counts for role in count.roles} - set(self.roles)
        if unknown:
            raise ValueError(f"counts name roles that the table does not have: {', '.join(sorted(unknown))}")
        return self

    @cached_property
    def team_of(self) -> Mapping[str, Team]:
        """The team of each role."""
        return {name: role.team for name, role in self.roles.items()}

    @cached_property
    def role_names(self) -> Mapping[str, Text]:
        """The name of each role."""
        return {code: role.name for code, role in self.roles.items()}

    @cached_property
    def outcomes(self) -> tuple[Outcome, ...]:
        """How a game can end here: each team may win, or nobody."""
        return (*dict.fromkeys(self.team_of.values()), "draw")

    def violations(self, played: Played) -> list[Violation]:
        """What is wrong with seats, players, roles and the outcome (unless cancelled), whatever the clauses say."""
        seats = played.seats
        found: list[Violation] = []
        index = played.index
        if len(index) != len(seats) or (index and not (min(index) >= 1 and max(index) <= self.most)):
            found += self._seats(played)
        if len(set(played.names)) != len(seats):
            found += self._players(played)
        fits = True
        if not self.least <= len(seats) <= self.most:
            fits = False
            limit = self.least if len(seats) < self.least else self.most
            exact = self.least == self.most
            found.append(
                Violation(
                    "table_size",
                    "/seats",
                    _EXACT_SIZE if exact else _SIZE,
                    (limit, len(seats)) if exact else (self.least, self.most, len(seats)),
                    limit=limit,
                    actual=len(seats),
                    unsaid="/seats" if len(seats) < self.least else None,
                )
            )
        if None in played.teams:
            fits = False
            found += self._roles(played)
        if fits:
            miscounts = self._counts(played)
            fits = not miscounts
            found += miscounts
        outcome = played.game.outcome
        if outcome is None or played.game.cancelled:
            return found
        if outcome not in self.outcomes:
            args = (OUTCOMES[outcome], [OUTCOMES[known] for known in self.outcomes])
            found.append(Violation("outcome_unknown_here", "/outcome", _OUTCOME, args, actual=outcome))
        elif fits and outcome not in ("draw", *played.teams):
            found.append(
                Violation("outcome_unknown_here", "/outcome", _NO_WINNER, (OUTCOMES[outcome],), actual=outcome)
            )
        return found

    def _seats(self, played: Played) -> Iterable[Violation]:
        for i, seat in enumerate(played.seats):
            pointer = f"/seats/{i}/seat"
            if not 1 <= seat.seat <= self.most:
                args = (self.most, seat.seat)
                yield Violation("seat_out_of_range", pointer, _SEAT_RANGE, args, limit=self.most, actual=seat.seat)
            if played.index[seat.seat] != i:
                yield Violation("seat_duplicate", pointer, _SEAT_TWICE, (seat.seat,), actual=seat.seat)

    @staticmethod
    def _players(played: Played) -> Iterable[Violation]:
        seen: set[str] = set()
        for i, seat in enumerate(played.seats):
            if played.names[i] in seen:
                pointer = f"/seats/{i}/player"
                yield Violation("player_duplicate", pointer, _PLAYER_TWICE, (seat.player,), actual=seat.player)
            seen.add(played.names[i])

    def _roles(self, played: Played) -> Iterable[Violation]:
        for i, team in enumerate(played.teams):
            if team is None:
                role = played.seats[i].role
                args = (ROLES.get(role, role), list(self.role_names.values()))
                yield Violation("role_unknown_here", f"/seats/{i}/role", _ROLE, args, actual=role)

    def overfull(self, played: Played) -> list[Violation]:
        """Roles that more seats have than may, at a table where some seats have no role yet."""
        return [found._replace(unsaid=None) for found in self._counts(played) if found.unsaid is None]

    def _counts(self, played: Played) -> list[Violation]:
        dealt = [seat.role for seat in played.seats]
        found = []
        for count in self.counts:
            got = 0
            for role in count.roles:
                got += dealt.count(role)
            if got < count.least:
                limit = count.least
            elif count.most is not None and got > count.most:
                limit = count.most
            else:
                continue
            text = _EXACTLY if count.least == count.most else _AT_LEAST if got < count.least else _AT_MOST
            named = Text(ru="/".join(self.role_names[role].ru for role in count.roles), en="/".join(count.roles))
            args = (named, limit, got)
            unsaid = "/seats" if got < count.least else None
            found.append(Violation("role_count", "/seats", text, args, limit=limit, actual=got, unsaid=unsaid))
        return found


def exactly(roles: Mapping[str, Role], readings: tuple[Reading, ...] = (), /, **counts: int) -> Table:
    """A table with exactly so many of each role."""
    size = sum(counts.values())
    exact = tuple(RoleCount(roles=(role,), least=count, most=count) for role, count in counts.items())
    return Table(least=size, most=size, roles=dict(roles), counts=exact, readings=readings)
