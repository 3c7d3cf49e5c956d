"""Everything that is wrong with a regulation is found at once, each fault at its place in the document."""

import json
from typing import Any

import pytest

from app.scoring.faults import faults
from app.scoring.formula import Formula
from app.scoring.rule_system import RuleSystem
from app.scoring.rules.kind import KINDS
from app.scoring.systems import all_systems, find_system


def found(document: dict[str, Any]) -> list[tuple[str, str, tuple[str, ...]]]:
    """Code, place and suggestions of each fault of a document whose rules can be read one by one."""
    table = find_system("maffamily").table
    clauses = [
        (clause["number"], [KINDS[rule["kind"]].model_validate(rule) for rule in clause["rules"]])
        for clause in document["clauses"]
    ]
    return [(fault.code, fault.pointer, fault.suggestions) for fault in faults(table, clauses)]


def clause(number: str, *rules: dict[str, Any]) -> dict[str, Any]:
    return {"number": number, "rules": rules}


def columns(**formulas: str) -> dict[str, Any]:
    label = {"ru": "", "en": ""}
    return {
        "kind": "columns",
        "columns": [{"key": key, "label": label, "formula": formula} for key, formula in formulas.items()],
    }


def test_all_faults_are_told_at_once_and_each_at_its_place() -> None:
    best_move = {"kind": "best_move", "roles": ["citizen", "sherif"], "three": 1, "two": 0, "one": 0, "none": 0}
    document = {
        "clauses": [
            clause("1", {"kind": "win", "points": 1}, columns(points="points", rate="win / games", twice="2 *")),
            clause("1", {"kind": "win", "points": 2}, best_move),
            clause("3", {"kind": "order", "by": ["pionts", "rate"]}),
            clause("4", {"kind": "tie_breakers", "by": ["wins", "points_"], "lot": False}),
            clause(
                "5",
                {"kind": "award", "code": "best", "name": {"ru": "", "en": ""}, "by": "rating", "places": 1},
                {"kind": "award", "code": "best", "name": {"ru": "", "en": ""}, "by": "points", "places": 1},
            ),
        ]
    }
    assert found(document) == [
        ("name_taken", "/clauses/1/number", ()),
        ("kind_twice", "/clauses/1/rules/0/kind", ()),
        ("name_taken", "/clauses/4/rules/1/code", ()),
        ("unknown_role", "/clauses/1/rules/1/roles/1", ("sheriff",)),
        ("unknown_name", "/clauses/0/rules/1/columns/1/formula", ("wins",)),
        ("formula", "/clauses/0/rules/1/columns/2/formula", ()),
        ("order_without_column", "/clauses/2/rules/0/by/0", ("points",)),
        ("unknown_name", "/clauses/3/rules/0/by/1", ("points",)),
        ("order_without_column", "/clauses/4/rules/0/by", ("rate",)),
    ]


def test_what_is_wrong_in_one_format_only_is_told() -> None:
    document = {
        "clauses": [clause("1", columns(points="points") | {"format": "season"}, {"kind": "order", "by": ["points"]})]
    }
    assert found(document) == [("order_without_column", "/clauses/0/rules/1/by/0", ())]


@pytest.mark.parametrize("system", all_systems(), ids=lambda system: f"{system.id} {system.version}")
def test_published_systems_have_none(system: RuleSystem) -> None:
    assert list(faults(system.table, [(clause.number, clause.rules) for clause in system.clauses])) == []
    assert RuleSystem.from_json(json.dumps(json.loads(system.model_dump_json()))) == system


def test_a_value_that_could_need_too_many_bits_is_refused_before_it_is_computed() -> None:
    """Twenty-two columns that each square the one before took 6.9 s to rank ten players."""
    squares = columns(c0="points", **{f"c{i}": f"c{i - 1} * c{i - 1}" for i in range(1, 23)})
    document = {"clauses": [clause("1", squares, columns(points="points"), {"kind": "order", "by": ["points"]})]}
    told = found(document)
    assert {code for code, _, _ in told} == {"too_costly"}
    # 96 bits, doubled six times, and one more bit each time: 6,207.
    assert told[0][1] == "/clauses/0/rules/0/columns/6/formula"


@pytest.mark.parametrize(
    "formula, bits",
    [
        ("a * b", 31),
        ("a / b + a", 42),
        ("-a", 10),
        ("abs(b)", 20),
        ("max(a, b, 4)", 20),
        ("if(a < b, a, 4)", 30),
        ("round(b, 1)", 28),
        ("0.25", 4),
    ],
)
def test_the_size_of_a_value_is_bounded_by_those_of_its_names(formula: str, bits: int) -> None:
    assert Formula(formula).size({"a": 10, "b": 20}) == bits
