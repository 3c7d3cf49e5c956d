"""The golden cases beside each system: how the YAML is written and read.

A game case names every line of every seat, so that an unexpected line fails; a standings case compares the named
values only. Seats are keyed by their place in the list (1, ``"8,9,10"``, ``"1-6"``, ``all``), which is the seat's
number unless the fields say otherwise. Decimals are exact, dates stay text.
"""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from app.scoring.rule_system import RuleSystem
from app.scoring.systems import find_system
from app.scoring.violation import Violation

FOLDER = Path(__file__).parents[2] / "app" / "scoring" / "systems"

Places: TypeAlias = int | str
"""One place in the list of seats, or several: ``"8,9,10"``, ``"1-6"``, ``"all"``."""


class Found(NamedTuple):
    """A violation as a case writes it; what is not named is ``null``."""

    code: str
    pointer: str
    clause: str
    limit: str
    actual: str

    @classmethod
    def written(cls, line: str) -> "Found":
        """Read ``"bonus_range clause=4 pointer=/seats/3/bonus limit=0.4 actual=0.41"``."""
        code, *pairs = shlex.split(line)
        named = dict(pair.split("=", 1) for pair in pairs)
        pointer = named.pop("pointer")
        clause = named.pop("clause", "null")
        limit, actual = (_number_or_word(named.pop(key, "null")) for key in ("limit", "actual"))
        if named:
            raise ValueError(f"unknown in a violation: {', '.join(named)}")
        return cls(code, pointer, clause, limit, actual)

    @classmethod
    def of(cls, violation: Violation, prefix: str = "") -> "Found":
        """What the core found, written alike."""
        return cls(
            violation.code,
            prefix + violation.pointer,
            violation.clause or "null",
            shown(violation.limit),
            shown(violation.actual),
        )


class _Case(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    case: str
    clauses: tuple[str, ...]
    violations: tuple[str, ...] = ()

    def found(self) -> list[Found]:
        """The expected violations, sorted."""
        return sorted(map(Found.written, self.violations))


class GameCase(_Case):
    """One game and all that it gives, or all that is wrong with it."""

    game: dict[str, Any]
    roles: tuple[str, ...] | None = None
    seats: dict[Places, dict[str, Any]] = {}
    lines: dict[Places, list[str]] = {}
    reasons: dict[int, tuple[str, ...]] = {}
    """Seat number to English reasons that are among its lines'."""
    status: str = "counted"
    approvals: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


class SeasonGame(BaseModel):
    """One game of a standings case, ``times`` over."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    game: dict[str, Any]
    times: int = 1
    roles: tuple[str, ...] | None = None
    players: dict[int, str] = {}
    seats: dict[Places, dict[str, Any]] = {}


class StandingsCase(_Case):
    """Several games and what the table says of the named players."""

    format: Literal["season", "tournament"]
    games: tuple[SeasonGame, ...]
    order: str | None = None
    lots: tuple[tuple[str, ...], ...] = ()
    counted: int | None = None
    rows: dict[str, dict[str, Any] | Literal["absent"]] = {}
    ranks: tuple[tuple[str, int | None], ...] = ()
    ties: tuple[dict[str, Any], ...] | None = None
    awards: dict[str, tuple[str, ...]] = {}
    columns: dict[str, int] = {}


C = TypeVar("C", GameCase, StandingsCase)


class Golden(BaseModel):
    """One file: the cases of one version of a system.

    ``like``: an older version of it, whose cases hold here too, but for those that have the same sentence here.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    system: str
    version: int
    like: int | None = None
    roles: tuple[str, ...] = ()
    games: tuple[GameCase, ...] = ()
    standings: tuple[StandingsCase, ...] = ()

    @property
    def regulation(self) -> RuleSystem:
        """The version that the cases are about."""
        return find_system(self.system, self.version)

    def titled(self, case: GameCase | StandingsCase) -> str:
        """The name of a case's test."""
        return f"{self.system} {self.version}: {case.case}"

    def facts(self, case: GameCase | SeasonGame) -> dict[str, Any]:
        """The game as it would come over the wire; seat n is taken by ``fn`` unless a name is given."""
        roles = self.roles if case.roles is None else case.roles
        players = case.players if isinstance(case, SeasonGame) else {}
        seats = [
            {"seat": place, "player": players.get(place, f"f{place}"), "role": role}
            for place, role in enumerate(roles, start=1)
        ]
        # The widest keys first, so that what is said of one seat overrides what is said of all.
        for key in sorted(case.seats, key=lambda key: -len(places(key, len(roles)))):
            for place in places(key, len(roles)):
                seats[place - 1] |= case.seats[key]
        return {**case.game, "seats": seats}

    def lines(self, case: GameCase) -> dict[int, list[str]]:
        """Seat number to the expected lines, sorted; every seat is there."""
        size = len(self.roles if case.roles is None else case.roles)
        expected: dict[int, list[str]] = {seat: [] for seat in range(1, size + 1)}
        for key, lines in case.lines.items():
            for seat in places(key, size):
                expected[seat] += map(line, lines)
        return {seat: sorted(lines) for seat, lines in expected.items()}


@cache
def golden_files() -> tuple[Golden, ...]:
    """The cases of every version of every system."""
    written = [_read(path) for path in sorted(FOLDER.glob("*.golden.yaml"))]
    return tuple(_whole(golden, {(one.system, one.version): one for one in written}) for golden in written)


def _whole(golden: Golden, written: Mapping[tuple[str, int], Golden]) -> Golden:
    if golden.like is None:
        return golden
    older = _whole(written[golden.system, golden.like], written)
    return golden.model_copy(
        update={
            "roles": golden.roles or older.roles,
            "games": _instead(older.games, golden.games),
            "standings": _instead(older.standings, golden.standings),
        }
    )


def _instead(older: tuple[C, ...], newer: tuple[C, ...]) -> tuple[C, ...]:
    sentences: set[str] = {case.case for case in newer}
    return tuple([case for case in older if case.case not in sentences]) + newer


def places(key: Places, size: int) -> list[int]:
    """The places that a key names.

    Raises:
        ValueError: one of them is not at a table of ``size``.
    """
    if key == "all":
        return list(range(1, size + 1))
    named = list(_numbers(str(key)))
    if any(not 1 <= place <= size for place in named):
        raise ValueError(f"{key!r} is not at a table of {size}")
    return named


def line(text: str) -> str:
    """``"clause code category points"`` with the points in their shortest form."""
    clause, code, category, points = text.split()
    return f"{clause} {code} {category} {shown(Decimal(points))}"


def shown(value: object) -> str:
    """A limit, a finding or a value as text: numbers by value, lists by commas."""
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case int() | Decimal():
            return format(Decimal(value).normalize() + 0, "f")
        case str():
            return value
        case Sequence():
            return ",".join(map(shown, value))
        case _:
            raise TypeError(f"not to be shown: {value!r}")


def _numbers(key: str) -> Iterator[int]:
    for part in key.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def _number_or_word(text: str) -> str:
    try:
        return shown(Decimal(text))
    except InvalidOperation:
        return text


class _ExactLoader(yaml.CSafeLoader):
    """YAML without binary floats, dates and repeated keys."""

    def construct_unique_mapping(self, node: yaml.MappingNode) -> Mapping[Any, Any]:
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        repeated = {key for key in keys if keys.count(key) > 1}
        if repeated:
            raise yaml.constructor.ConstructorError(None, None, f"repeated: {repeated}", node.start_mark)
        return self.construct_mapping(node, deep=True)


_ExactLoader.add_constructor("tag:yaml.org,2002:float", lambda loader, node: Decimal(node.value))
_ExactLoader.add_constructor("tag:yaml.org,2002:timestamp", lambda loader, node: node.value)
_ExactLoader.add_constructor("tag:yaml.org,2002:map", _ExactLoader.construct_unique_mapping)


def _read(path: Path) -> Golden:
    try:
        return Golden.model_validate(yaml.load(path.read_text(encoding="utf-8"), Loader=_ExactLoader))
    except (ValidationError, yaml.YAMLError) as unreadable:
        unreadable.add_note(f"{path.name} cannot be read; the fields of a case are in tests/scoring/golden.py")
        raise
