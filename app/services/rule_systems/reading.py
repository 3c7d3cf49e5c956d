"""A document that somebody sends becomes a rule system, or every fault of it is told, each at its place."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from pydantic import ValidationError

from app.scoring.faults import faults
from app.scoring.rule_kinds import rule_kinds
from app.scoring.rule_system import RuleSystem, SystemDocument
from app.scoring.rules.kind import KINDS, Rule
from app.scoring.suggestion import perhaps
from app.scoring.table import Table
from app.scoring.text import words
from app.scoring.violation import Violation
from app.services.rule_systems.bounds import beyond
from app.spelling import nearest
from app.validation import input_violations

_NO_KIND: Final = words("укажите вид правила (kind)", "expected an object with a kind of rule")
_UNKNOWN_KIND: Final = words("нет такого вида правила{}", "unknown kind of rule{}")
_UNKNOWN_PARAMETER: Final = words("у правила «{}» нет параметра «{}»{}", "{} has no parameter {}{}")


class ReadSystem(NamedTuple):
    """The system, or what is wrong with the document."""

    system: RuleSystem | None
    faults: Sequence[Violation]


def read_system(document: object, pointer: str = "") -> ReadSystem:
    """Read a document in the form of ``GET /v1/rule-systems/{id}``; of ``ru`` and ``en`` texts one is enough.

    Args:
        document: parsed JSON (:func:`app.scoring.exact_json.loads`).
        pointer: where it stands in the request.
    """
    rule_kinds()  # so that every kind is known
    if not isinstance(document, dict):
        return ReadSystem(None, _structure(document, pointer))
    told = list(beyond(document, pointer))
    if any(fault.code == "too_many" for fault in told):
        return ReadSystem(None, told)
    written = in_both_languages(document)
    clauses = written.get("clauses")
    rules: list[list[Rule | type[Rule] | None]] = []
    if isinstance(clauses, list):
        for i, clause in enumerate(clauses):
            given = clause.get("rules") if isinstance(clause, dict) else None
            read: list[Rule | type[Rule] | None] = []
            if isinstance(given, list):
                read = [_rule(rule, f"{pointer}/clauses/{i}/rules/{j}", told) for j, rule in enumerate(given)]
                clause["rules"] = [rule for rule in read if isinstance(rule, Rule)]
            rules.append(read)
    told += _structure(written, pointer)
    table = _table(written.get("table"))
    if table is not None and isinstance(clauses, list) and len(rules) == len(clauses):
        numbers = [str(clause.get("number")) if isinstance(clause, dict) else "" for clause in clauses]
        found = faults(table, list(zip(numbers, rules, strict=True)))
        told += [fault._replace(pointer=pointer + fault.pointer) for fault in found]
    return ReadSystem(None if told else RuleSystem.model_validate(written), told)


def in_both_languages(value: Any) -> Any:
    """A copy of the document in which a text of one language stands for the other too."""
    if isinstance(value, list):
        return [in_both_languages(member) for member in value]
    if not isinstance(value, dict):
        return value
    copy = {name: in_both_languages(member) for name, member in value.items()}
    for given, missing in (("ru", "en"), ("en", "ru")):
        if isinstance(copy.get(given), str) and copy.get(missing) is None:
            copy[missing] = copy[given]
    return copy


def _rule(value: object, pointer: str, told: list[Violation]) -> Rule | type[Rule] | None:
    """A rule of any kind; else its kind, if there is such a kind, and what is wrong with it."""
    name = value.get("kind") if isinstance(value, dict) else None
    if not isinstance(name, str):
        told.append(Violation("unknown_kind", f"{pointer}/kind", _NO_KIND, limit=sorted(KINDS)))
        return None
    if name not in KINDS:
        near = nearest(name, KINDS)
        args = (perhaps(near),)
        told.append(
            Violation("unknown_kind", f"{pointer}/kind", _UNKNOWN_KIND, args, sorted(KINDS), name[:64], None, near)
        )
        return None
    kind = KINDS[name]
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        for fault in input_violations(error, pointer):
            told.append(_of_parameter(fault, kind, pointer) if fault.code == "unknown_field" else fault)
        return kind


def _of_parameter(fault: Violation, kind: type[Rule], pointer: str) -> Violation:
    name = fault.pointer.rpartition("/")[2]
    known = list(kind.model_fields) if fault.pointer == f"{pointer}/{name}" else []
    near = nearest(name, known)
    args = (kind.model_fields["kind"].default, name, perhaps(near))
    return fault._replace(code="unknown_parameter", text=_UNKNOWN_PARAMETER, args=args, suggestions=near)


def _structure(document: object, pointer: str) -> list[Violation]:
    try:
        SystemDocument.model_validate(document)
    except ValidationError as error:
        return input_violations(error, pointer)
    return []


def _table(value: object) -> Table | None:
    try:
        return Table.model_validate(value)
    except ValidationError:
        return None
