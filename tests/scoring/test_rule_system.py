"""Rule systems as values: they round-trip, refuse what cannot be computed, and a club can bring its own."""

import json
import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from app.scoring.game import Game
from app.scoring.ranking import UnknownOrder
from app.scoring.rule_system import RuleSystem
from app.scoring.systems import UnknownRuleSystem, all_systems, find_system
from app.scoring.tally import Cell, Tallies

BUILT_IN = pytest.mark.parametrize("system", all_systems(), ids=lambda system: f"{system.id} {system.version}")

DUEL: dict[str, Any] = {
    "id": "duel",
    "version": 1,
    "title": {"ru": "Дуэль", "en": "Duel"},
    "source": "made inside a test",
    "table": {
        "least": 2,
        "most": 3,
        "roles": {
            "citizen": {"team": "red", "name": {"ru": "мирный", "en": "citizen"}},
            "mafia": {"team": "black", "name": {"ru": "мафия", "en": "mafia"}},
        },
        "counts": [{"roles": ["mafia"], "least": 1, "most": 1}],
    },
    "clauses": [
        {
            "number": "I",
            "text": {"ru": "Победа — 3.", "en": "A win gives 3."},
            "rules": [{"kind": "win", "points": 3}, {"kind": "auto_bonus", "points": "0.25"}],
        },
        {
            "number": "II",
            "text": {"ru": "Таблица.", "en": "The table."},
            "rules": [
                {
                    "kind": "columns",
                    "columns": [
                        {"key": "games", "label": {"ru": "И", "en": "G"}, "formula": "games"},
                        {
                            "key": "score",
                            "label": {"ru": "Счёт", "en": "Score"},
                            "formula": "points / games + if(wins_as_mafia > 0, 1, 0)",
                            "decimals": 3,
                        },
                    ],
                },
                {"kind": "order", "by": ["score"]},
            ],
        },
    ],
}


def duel(*, clauses: list[dict[str, Any]] | None = None, **changed: Any) -> RuleSystem:
    return RuleSystem.from_json(json.dumps(DUEL | changed | ({"clauses": clauses} if clauses else {})))


def with_columns(*formulas: str, order: str = "a") -> list[dict[str, Any]]:
    """The clauses of a table whose columns a, b, … have these formulas."""
    columns = [
        {"key": key, "label": {"ru": key, "en": key}, "formula": formula, "decimals": 2}
        for key, formula in zip("abc", formulas, strict=False)
    ]
    rules = [{"kind": "columns", "columns": columns}, {"kind": "order", "by": [order]}]
    return [DUEL["clauses"][0], {"number": "II", "text": {"ru": "т", "en": "t"}, "rules": rules}]


def game(outcome: str, *players: str) -> Game:
    seats = [
        {"seat": seat, "player": player, "role": "mafia" if seat == 1 else "citizen"}
        for seat, player in enumerate(players, 1)
    ]
    return Game.read({"outcome": outcome, "seats": seats})


@BUILT_IN
def test_a_built_in_system_round_trips_through_json_unchanged(system: RuleSystem) -> None:
    again = RuleSystem.from_json(system.model_dump_json())

    assert again == system
    assert again.fingerprint == system.fingerprint
    assert again.model_dump_json() == system.model_dump_json()


@BUILT_IN
def test_every_clause_has_the_words_of_both_languages(system: RuleSystem) -> None:
    for clause in system.clauses:
        assert clause.text.ru.strip()
        assert clause.text.en.strip()
        assert all(reading.ru.strip() and reading.en.strip() for reading in clause.readings)


@BUILT_IN
def test_a_reading_names_a_parameter_that_its_clause_has(system: RuleSystem) -> None:
    for clause in system.clauses:
        known = {name for rule in clause.rules for name in parameters(rule)}
        assert {reading.parameter for reading in clause.readings} - {None} <= known
    assert {reading.parameter for reading in system.table.readings} - {None} <= set(parameters(system.table))


def parameters(model: BaseModel) -> Iterator[str]:
    for name in type(model).model_fields:
        yield name
        value = getattr(model, name)
        for inner in value if isinstance(value, tuple) else (value,):
            if isinstance(inner, BaseModel):
                yield from parameters(inner)


PUBLISHED = {path.stem: path for path in (Path(__file__).parents[1] / "data" / "regulations").glob("*.txt")}
"""The clubs' own texts by system and version."""

OUTSIDE_CLAUSES = {
    "Система рейтинга в клубе MAFFAMILY (Мафия в Краснознаменске):",
    "Утверждено: Президент клуба MAFFAMILY (Мафия в Краснознаменске) Госпожа Blablablasha",
    "Рейтинг",
    "Система ведения рейтинга",
}
"""Titles and a signature."""


@pytest.mark.parametrize("text", sorted(PUBLISHED))
def test_the_russian_words_are_those_of_the_regulation_and_all_of_them(text: str) -> None:
    id, _, version = text.rpartition("-")
    lines = PUBLISHED[text].read_text("utf-8").splitlines()
    published = [words(re.sub("^[0-9][.] ", "", line.strip())) for line in lines if line.strip() not in OUTSIDE_CLAUSES]
    served = [words(line) for clause in find_system(id, int(version)).clauses for line in clause.text.ru.splitlines()]

    # A line of the text may be shared by two clauses, so each is looked for in all of the other side.
    assert [line for line in published if line not in " ".join(served)] == []
    assert [line for line in served if line not in " ".join(published)] == []


def words(line: str) -> str:
    return " ".join(line.split())


def test_a_system_made_from_json_scores_and_ranks() -> None:
    system = duel()
    tallies = Tallies()
    for played in (game("red", "Ann", "Bob"), game("black", "Ann", "Bob", "Cid"), game("draw", "Cid", "Bob")):
        system.examine(played).add_to(tallies)

    standings = system.rank(tallies, "season")

    # Ann: 0.25 + 3.25, one win as mafia: 3.5/2 + 1. Bob: 3.25 + 0.25 + 0.25 in three games. Cid: 0.25 twice.
    assert [(row.rank, row.player, row.values["games"]) for row in standings.rows] == [
        (1, "ann", 2),
        (2, "bob", 3),
        (3, "cid", 2),
    ]
    assert [Decimal(str(float(row.values["score"] or 0))) for row in standings.rows] == [
        Decimal("2.75"),
        Decimal("1.25"),
        Decimal("0.25"),
    ]


def test_a_system_made_from_json_checks_its_own_table() -> None:
    found = duel().check(game("maniac", "Ann", "Bob", "Cid", "Dan"))

    assert {(violation.code, violation.limit) for violation in found} == {
        ("table_size", 3),
        ("seat_out_of_range", 3),
        ("outcome_unknown_here", None),
    }


@pytest.mark.parametrize(
    "clauses, told",
    [
        (with_columns("point / games"), "column a: unknown name point; did you mean points"),
        (with_columns("wins_as_don"), "column a: unknown name wins_as_don"),
        (with_columns("p_best_move"), "column a: unknown name p_best_move"),
        (with_columns("b", "games"), "column a: unknown name b"),
        (with_columns("games < 3"), "column a: expected an operator or the end"),
        (with_columns("1 +"), "column a: expected"),
        (with_columns("games", order="rating"), "no column rating in a season to order or award by"),
        (
            [{"number": "I", "text": {"ru": "", "en": ""}, "rules": [{"kind": "winn", "points": 1}]}],
            "did you mean win?",
        ),
        ([{"number": "I", "text": {"ru": "", "en": ""}, "rules": [{"points": 1}]}], "an object with a kind"),
        ([{"number": "I", "text": {"ru": "", "en": ""}, "rules": [{"kind": "win"}]}], "points"),
        ([{"number": "I", "text": {"ru": "", "en": ""}, "rules": [{"kind": "win", "points": "0.1234567"}]}], "number"),
        ([{"number": "I", "text": {"ru": "", "en": ""}, "rules": [{"kind": "win", "points": True}]}], "number"),
        (
            [{"number": "I", "text": {"ru": "", "en": ""}, "rules": [{"kind": "win", "points": 1, "bonus": 2}]}],
            "Extra inputs",
        ),
    ],
)
def test_what_cannot_be_computed_is_refused_when_the_system_is_made(clauses: list[dict[str, Any]], told: str) -> None:
    with pytest.raises(ValidationError) as refused:
        duel(clauses=clauses)

    assert told in str(refused.value)


def test_a_column_may_ask_for_the_columns_before_it_and_a_division_by_zero_ranks_last() -> None:
    system = duel(clauses=with_columns("games / wins", "a * 2", order="b"))
    tallies = Tallies()
    for played in (game("red", "Ann", "Bob"), game("red", "Cid", "Bob")):
        system.examine(played).add_to(tallies)

    rows = system.rank(tallies, "season").rows

    assert [(row.rank, row.player, row.values["b"]) for row in rows] == [
        (1, "bob", 2),
        (2, "ann", None),
        (2, "cid", None),
    ]


def test_without_games_there_is_no_row() -> None:
    assert duel().rank(Tallies(), "season").rows == ()


def test_an_order_that_the_system_does_not_have_is_refused_with_those_it_has() -> None:
    with pytest.raises(UnknownOrder) as refused:
        find_system("maffamily").rank(Tallies(), "season", "elo")

    own, others = refused.value.orders[:2], refused.value.orders[2:]
    assert own == ("rating", "points")
    assert {"games", "wins", "win_rate", "k1"} <= set(others)


def test_an_unknown_system_is_refused_with_the_closest_one() -> None:
    with pytest.raises(UnknownRuleSystem, match="did you mean maffamily"):
        find_system("mafamily")
    with pytest.raises(UnknownRuleSystem, match="maffamily has no version 999; it has 1"):
        find_system("maffamily", 999)


def changed(system_id: str, *path: Any, to: Any) -> Any:
    """A built-in system's JSON with one value changed, as a function that makes it."""
    value = json.loads(find_system(system_id).model_dump_json())
    *steps, last = path
    place = value
    for step in steps:
        place = place[step]
    place[last] = to(place[last]) if callable(to) else to
    return lambda: RuleSystem.from_json(json.dumps(value))


def twice(items: list[Any]) -> list[Any]:
    return [*items, items[0]]


@pytest.mark.parametrize(
    "made, told",
    [
        (changed("maffamily", "clauses", 1, "number", to="1"), "more than one clause 1"),
        (changed("maffamily", "clauses", 0, "rules", to=twice), "more than one rule of kind win"),
        (changed("maffamily", "clauses", 3, "rules", to=twice), "more than one rule of kind judge_bonus"),
        (changed("maffamily", "clauses", 5, "rules", 1, "columns", to=twice), "more than one column k1"),
        (changed("maffamily", "clauses", 6, "rules", to=twice), "more than one award"),
        (changed("maffamily", "clauses", 4, "rules", 0, "acts", to=twice), "two acts have the same code"),
        (
            changed("maffamily", "clauses", 4, "rules", 0, "acts", 0, "roles", to=["sherif"]),
            "clause 5, conduct_penalties: unknown role sherif; did you mean sheriff?",
        ),
        (changed("maffamily", "clauses", 2, "rules", 0, "roles", to=["sherif"]), "clause 3, best_move: unknown role"),
        (changed("maffamily", "clauses", 1, "rules", 0, "roles", to=["mafya"]), "did you mean mafia?"),
        (changed("sport-percent", "clauses", 8, "rules", 0, "roles", to=["maniac"]), "clause ci"),
        (changed("city-average", "clauses", 3, "rules", 0, "role", to="sherif"), "clause sheriff, night_kill"),
        (changed("city-average", "clauses", 2, "rules", 0, "healer", to="docter"), "did you mean doctor?"),
        (changed("city-average", "clauses", 3, "rules", 0, "killed", to={"green": 1}), "red"),
        (changed("maffamily", "clauses", 3, "rules", 0, "winner", "least", to=1), "least is more than most"),
        (changed("maffamily", "clauses", 3, "rules", 0, "winner_consent", "by", to="presidnt"), "president"),
        (changed("maffamily", "clauses", 3, "rules", 0, "players", to=-3), "greater than or equal to 0"),
        (changed("maffamily", "table", "least", to=11), "least is more than most"),
        (changed("maffamily", "table", "roles", to={}), "at least 1 item"),
        (changed("maffamily", "table", "counts", 0, "roles", to=["peasant"]), "counts name roles"),
    ],
)
def test_what_a_system_names_must_be_there_and_be_one(made: Callable[[], RuleSystem], told: str) -> None:
    with pytest.raises(ValidationError) as refused:
        made()

    assert told in str(refused.value)


def test_who_only_played_a_game_that_was_taken_back_is_no_participant() -> None:
    system = find_system("city-average")
    tallies = Tallies()
    cell: Cell = ("citizen", "red", "lost", None, False)
    for player, times in (("ann", 3), ("bob", 1), ("cid", 1), ("cid", -1)):
        tallies.add(player, cell, (), times)

    rows = system.rank(tallies, "season").rows

    # Two participants: (2 + 1 - 1)/2 = 1 and (2 + 1 - 2)/2 = 0.5.
    assert {row.player: row.values["participation"] for row in rows} == {"ann": 1, "bob": Fraction(1, 2)}


def test_the_21st_player_whose_only_game_was_taken_back_does_not_switch_the_difficulty_off() -> None:
    system = find_system("sport-percent")
    tallies = Tallies()
    for player in range(21):
        tallies.add(player, ("citizen", "red", "won", "final", False), (("win", "main", 1_000_000),))
    tallies.count_game("red")
    for _ in range(2):
        tallies.count_game("black")
    tallies.add(20, ("citizen", "red", "won", "final", False), (("win", "main", 1_000_000),), -1)

    rows = system.rank(tallies, "tournament").rows

    # N = 3, n = 1: K = 1 + (1.5 - 1)/1.5 = 4/3.
    assert {row.values["difficulty"] for row in rows} == {Fraction(1, 3)}
    assert len(rows) == 20


def test_an_award_names_the_best_first() -> None:
    system = find_system("maffamily")
    tallies = Tallies()
    for player, wins in (("ann", 1), ("bob", 3), ("cid", 2)):
        for _ in range(wins):
            tallies.add(player, ("citizen", "red", "won", None, False), (("win", "main", 2_000_000),))

    awards = {award.code: award.players for award in system.rank(tallies, "season").awards}

    assert awards["priority_registration"] == ("bob", "cid", "ann")
