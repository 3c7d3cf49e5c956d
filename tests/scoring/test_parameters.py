"""Every parameter of every rule changes something: another legal value gives another answer to some golden case.

Parameters are found by looking at the models, so one that is new and has no entry in ``MUTATIONS`` fails. An answer is
all that the core says: violations, lines, approvals and warnings of a game; the table of a season or tournament in
every order, or the refusal of a game in it.
"""

import re
from collections.abc import Iterator
from functools import cache
from itertools import chain
from typing import Any, NamedTuple, TypeAlias, get_args

import pytest
from pydantic import BaseModel, ValidationError

from app.scoring.exact_json import loads
from app.scoring.game import Game
from app.scoring.nickname import folded
from app.scoring.ranking import Lot
from app.scoring.rule_system import RuleSystem
from app.scoring.rules.kind import KINDS, GameRule
from app.scoring.systems import newest_systems
from app.scoring.table import Table
from app.scoring.tally import Tallies
from app.scoring.terms import Format
from app.scoring.text import Text
from tests.scoring.golden import Golden, StandingsCase, golden_files
from tests.scoring.mutations import ABSENT, HELD_TOGETHER, MUTATIONS, NOT_BUILT_IN, NOT_PARAMETERS, WITHOUT_EFFECT

Path: TypeAlias = tuple[str | int, ...]
Answer: TypeAlias = object


REFUSAL = "unknown name|no column|more than one column"


class Parameter(NamedTuple):
    """One parameter of one rule of a system, or of its table."""

    system: RuleSystem
    title: str
    """System, clause, kind and name, with the key or code of a part in place of the field that holds the parts."""
    kind: str
    name: str
    path: Path
    """Where it stands in the system's JSON."""


def parameters_of(system: RuleSystem) -> Iterator[Parameter]:
    places: list[tuple[str, str, BaseModel, Path]] = [("table", "table", system.table, ("table",))]
    for i, clause in enumerate(system.clauses):
        places += [(clause.number, rule.kind, rule, ("clauses", i, "rules", j)) for j, rule in enumerate(clause.rules)]
    for place, kind, model, path in places:
        for names, titles, tail in leaves(model, kind):
            title = f"{system.id} {place}: {'.'.join((kind, *titles))}"
            yield Parameter(system, title, kind, ".".join(names), (*path, *tail))


def leaves(
    model: BaseModel, kind: str, names: tuple[str, ...] = (), titles: tuple[str, ...] = (), path: Path = ()
) -> Iterator[tuple[tuple[str, ...], tuple[str, ...], Path]]:
    """Names, titles and place below ``model`` of every field that has no fields of its own."""
    for field in type(model).model_fields:
        named = (*names, field)
        if field in NOT_PARAMETERS or ".".join((kind, *named)) in NOT_PARAMETERS:
            continue
        here = (*path, field)
        match getattr(model, field):
            case BaseModel() as part if not isinstance(part, Text):
                yield from leaves(part, kind, named, (*titles, field), here)
            case tuple([BaseModel(), *_]) as parts:
                for i, part in enumerate(parts):
                    part_title = getattr(part, "key", None) or getattr(part, "code", None) or f"{field}[{i}]"
                    yield from leaves(part, kind, named, (*titles, part_title), (*here, i))
            case dict() as parts if any(isinstance(part, BaseModel) for part in parts.values()):
                for key, part in parts.items():
                    yield from leaves(part, kind, named, (*titles, key), (*here, key))
            case _:
                yield named, (*titles, field), here


def is_named(parameter: Parameter) -> bool:
    """Whether the regulation says something with it, or could say it before others were thought of."""
    return parameter.name not in ABSENT or bool(MUTATIONS[parameter.kind].get(parameter.name))


PARAMETERS = [one for system in newest_systems() for one in parameters_of(system) if is_named(one)]


def changed(parameter: Parameter) -> Iterator[tuple[object, RuleSystem | None]]:
    """Each other value of the parameter with the system that has it; None where others refer to the old one."""
    kind, name, path = parameter.kind, parameter.name, parameter.path
    for value in MUTATIONS[kind][name](at(dump(parameter.system), path)):
        body = dump(parameter.system)
        at(body, path[:-1])[path[-1]] = value
        try:
            yield value, RuleSystem.model_validate(body)
        except ValidationError as refused:
            if f"{kind}.{name}" not in HELD_TOGETHER or not re.search(REFUSAL, str(refused)):
                raise
            yield value, None


def dump(system: RuleSystem) -> Any:
    return loads(system.model_dump_json())


def at(body: Any, path: Path) -> Any:
    for part in path:
        body = body[part]
    return body


@cache
def golden_of(system_id: str) -> Golden:
    """The cases of the newest version: those of a published one were proved when it was the newest."""
    return max((golden for golden in golden_files() if golden.system == system_id), key=lambda golden: golden.version)


@cache
def games_of(system_id: str) -> tuple[Game, ...]:
    golden = golden_of(system_id)
    return tuple(Game.read(golden.facts(case)) for case in golden.games)


@cache
def tables_of(system_id: str) -> tuple[tuple[StandingsCase, tuple[tuple[Game, int], ...]], ...]:
    """Each standings case with its games, each with how many times it was played."""
    golden = golden_of(system_id)
    return tuple(
        (case, tuple((Game.read(golden.facts(entry)), entry.times) for entry in case.games))
        for case in golden.standings
    )


def answers(system: RuleSystem) -> Iterator[Answer]:
    """What the system says of each game, then of each table, of its golden cases."""
    for game in games_of(system.id):
        yield answer_to_game(system, game, None)
    yield from table_answers(system)


def table_answers(system: RuleSystem) -> Iterator[Answer]:
    for case, games in tables_of(system.id):
        yield answer_to_table(system, case, games)


def answer_to_game(system: RuleSystem, game: Game, format: Format | None) -> Answer:
    violations = system.check(game, format)
    if violations:
        return sorted(
            (found.code, found.pointer, str(found.clause), str(found.limit), str(found.actual), found.message("en"))
            for found in violations
        )
    breakdown = system.score(game)
    seats = [
        (seat.seat.seat, seat.team, seat.result, seat.total, [(clause, *line) for clause, line in seat.lines])
        for seat in breakdown.seats
    ]
    return breakdown.status, seats, breakdown.approvals, breakdown.warnings


def answer_to_table(system: RuleSystem, case: StandingsCase, games: tuple[tuple[Game, int], ...]) -> Answer:
    """The tables of both formats, in every order: what a rule adds to one format must not hide in the other's cases."""
    refused = [system.check(game, case.format) for game, _ in games]
    if any(refused):
        return [[(found.code, found.pointer, found.message("en")) for found in violations] for violations in refused]
    tallies = Tallies()
    for game, times in games:
        breakdown = system.score(game)
        for _ in range(times):
            breakdown.add_to(tallies)
    lots = [Lot(tuple(map(folded, drawn))) for drawn in case.lots]
    return [
        system.rank(tallies, format, order, lots)
        for format, ranking in system.rankings.items()
        for order in (None, *ranking.orders)
    ]


@cache
def original_answers(system_id: str) -> tuple[list[Answer], list[Answer]]:
    """What the system as it stands says, of games and of tables."""
    system = next(system for system in newest_systems() if system.id == system_id)
    games = [answer_to_game(system, game, None) for game in games_of(system_id)]
    return games, list(table_answers(system))


def differs(parameter: Parameter, system: RuleSystem) -> bool:
    """Whether the changed ``system`` answers some golden case in another way; the likelier cases are asked first."""
    of_games, of_tables = original_answers(system.id)
    games = (answer_to_game(system, game, None) != was for game, was in zip(games_of(system.id), of_games, strict=True))
    tables = (answer != was for answer, was in zip(table_answers(system), of_tables, strict=True))
    sees_games = parameter.kind == "table" or issubclass(KINDS[parameter.kind], GameRule)
    return any(chain(games, tables) if sees_games else chain(tables, games))


@pytest.mark.parametrize("parameter", PARAMETERS, ids=lambda parameter: parameter.title)
def test_every_parameter_changes_some_answer(parameter: Parameter) -> None:
    tried = list(changed(parameter))

    assert tried
    for value, system in tried:
        assert system != parameter.system, value
        seen = system is None or differs(parameter, system)
        if parameter.title in WITHOUT_EFFECT:
            assert not seen, f"{parameter.title}: {value} changes an answer, so it has an effect"
        else:
            assert seen, f"{parameter.title}: no golden case notices {value}; add one that does"


def declared(model: type[BaseModel], kind: str, names: tuple[str, ...] = ()) -> Iterator[str]:
    """The names of every parameter that a kind can have: where a part may be null, its own beside its parts'."""
    for field, told in model.model_fields.items():
        named = (*names, field)
        if field in NOT_PARAMETERS or ".".join((kind, *named)) in NOT_PARAMETERS:
            continue
        parts = [part for part in types_in(told.annotation) if issubclass(part, BaseModel) and part is not Text]
        for part in parts:
            yield from declared(part, kind, named)
        if not parts or type(None) in types_in(told.annotation):
            yield ".".join(named)


def types_in(annotation: Any) -> list[type]:
    inner = [found for argument in get_args(annotation) for found in types_in(argument)]
    return [annotation, *inner] if isinstance(annotation, type) else inner


def test_every_parameter_has_a_mutation_and_no_mutation_is_left_over() -> None:
    mutated = {(kind, name) for kind, changes in MUTATIONS.items() for name in changes}
    kinds: dict[str, type[BaseModel]] = {"table": Table, **KINDS}
    all_names = {(kind, name) for kind, model in kinds.items() for name in declared(model, kind)}
    elsewhere = {(kind, name) for kind, name in all_names if kind in NOT_BUILT_IN or name.split(".")[0] in ABSENT}
    elsewhere |= {(kind, name) for kind, name in all_names if name in ABSENT}

    assert mutated <= all_names
    assert all_names - elsewhere <= mutated


def test_every_kind_of_rule_is_in_some_built_in_system() -> None:
    assert {parameter.kind for parameter in PARAMETERS} == {*KINDS, "table"} - NOT_BUILT_IN


def test_what_is_said_to_have_no_effect_exists() -> None:
    assert set(WITHOUT_EFFECT) <= {parameter.title for parameter in PARAMETERS}
