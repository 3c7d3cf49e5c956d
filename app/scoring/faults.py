"""What is wrong with a regulation that can be read: names that lead nowhere, and rules that exclude each other.

Each fault says where, as a JSON pointer into the system's document.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from app.scoring.formula import Formula, FormulaError
from app.scoring.rules.kind import GameRule, PointsRule, Rule, SeasonRule
from app.scoring.rules.table_rules import Award, Columns, Order, TieBreakers
from app.scoring.suggestion import perhaps
from app.scoring.table import Table
from app.scoring.tally_names import tally_names
from app.scoring.terms import FORMATS, Format
from app.scoring.text import Text, words
from app.scoring.violation import Violation
from app.spelling import nearest

_CLAUSE_TWICE: Final = words("пункт «{}» есть дважды", "more than one clause {}")
_KIND_TWICE: Final = words("правило вида «{}» может быть одно", "more than one rule of kind {}")
_AWARD_TWICE: Final = words("награда «{}» есть дважды", "more than one award {}")
_COLUMN_TWICE: Final = words("столбец «{}» есть дважды", "more than one column {}")
_ROLE: Final = words("пункт «{}», правило «{}»: роли «{}» за столом нет{}", "clause {}, {}: unknown role {}{}")
_FACT: Final = words("пункт «{}», правило «{}»: отметки «{}» нет{}", "clause {}, {}: no rule notes {}{}")
_OF_COLUMN: Final = words("столбец «{}»: {}", "column {}: {}")
_OF_BREAKER: Final = words("формула при равенстве: {}", "tie-breaker: {}")
_COSTLY: Final = words(
    "столбец «{}»: значение может занять {} бит, можно {}", "column {}: the value may need {} bits, the limit is {}"
)
_ORDER: Final = words(
    "столбца «{}» нет в таблице {}; по нему нельзя ни упорядочить, ни наградить{}",
    "no column {} in a {} to order or award by{}",
)
_IN: Final[Mapping[Format, Text]] = {
    "season": words("сезона", "season"),
    "tournament": words("турнира", "tournament"),
}


MOST_BITS: Final = 4_096
"""Of a value, numerator and denominator together; what could need more could take seconds."""

_POINTS_BITS: Final = 96
"""Of a sum of points: millionths, from millions of games."""

_SEASON_BITS: Final = 256
"""Of a coefficient: products and quotients of two or three such sums."""


_Sizes: TypeAlias = Mapping[str, int]
"""Names that formulas may ask for, and how many bits their values may need."""


class PlacedRule(NamedTuple):
    """A rule with the number of its clause and its place in the document."""

    clause: str
    pointer: str
    rule: Rule


NumberedRules: TypeAlias = Sequence[tuple[str, Sequence[Rule | type[Rule] | None]]]
"""The number and the rules of each clause. A kind stands for a rule of it whose parameters are wrong, None for one of
no known kind.
"""


def placed(clauses: NumberedRules) -> list[PlacedRule]:
    """The rules of numbered clauses in document order."""
    return [
        PlacedRule(number, f"/clauses/{i}/rules/{j}", rule)
        for i, (number, rules) in enumerate(clauses)
        for j, rule in enumerate(rules)
        if isinstance(rule, Rule)
    ]


def faults(table: Table, clauses: NumberedRules) -> Iterator[Violation]:
    """Everything that keeps a table and numbered clauses from being a regulation."""
    rules = placed(clauses)
    yield from _twice([(number, f"/clauses/{i}/number") for i, (number, _) in enumerate(clauses)], _CLAUSE_TWICE)
    once = [(one.rule.kind, f"{one.pointer}/kind") for one in rules if not one.rule.repeatable]
    yield from _twice(once, _KIND_TWICE, "kind_twice")
    awards = [(one.rule.code, f"{one.pointer}/code") for one in rules if isinstance(one.rule, Award)]
    yield from _twice(awards, _AWARD_TWICE)
    for one in rules:
        yield from _unknown_roles(table, one)
    yield from _unknown_facts(rules)
    kinds = {rule if isinstance(rule, type) else type(rule) for _, of_clause in clauses for rule in of_clause}
    told: set[tuple[str, str]] = set()
    for format in FORMATS:  # what is wrong in both is told once
        for fault in _of_table(table, rules, kinds, format):
            if (fault.code, fault.pointer) not in told:
                told.add((fault.code, fault.pointer))
                yield fault


def _twice(named: Sequence[tuple[str, str]], text: Text, code: str = "name_taken") -> Iterator[Violation]:
    seen: set[str] = set()
    for name, pointer in named:
        if name in seen:
            yield Violation(code, pointer, text, (name,), actual=name)
        seen.add(name)


def _unknown_roles(table: Table, placed: PlacedRule) -> Iterator[Violation]:
    for role in dict.fromkeys(placed.rule.roles_named()):
        if role not in table.roles:
            near = nearest(role, table.roles)
            args = (placed.clause, placed.rule.kind, role, perhaps(near))
            pointer = placed.pointer + (_place_of(role, placed.rule.model_dump()) or "")
            limit = list(table.roles)
            yield Violation("unknown_role", pointer, _ROLE, args, limit, role, placed.clause, near)


def _unknown_facts(rules: Sequence[PlacedRule]) -> Iterator[Violation]:
    """Facts that withhold points and that no rule lets a judge note."""
    noted = {"removed", "ppk"}.union(*(one.rule.facts_noted() for one in rules if isinstance(one.rule, GameRule)))
    for one in rules:
        for k, fact in enumerate(one.rule.unless or () if isinstance(one.rule, PointsRule) else ()):
            if fact not in noted:
                near = nearest(fact, noted)
                args = (one.clause, one.rule.kind, fact, perhaps(near))
                limit = sorted(noted)
                yield Violation("unknown_name", f"{one.pointer}/unless/{k}", _FACT, args, limit, fact, one.clause, near)


def _place_of(value: str, document: Any) -> str | None:
    """Where a value stands in a part of a document."""
    members = document.items() if isinstance(document, dict) else enumerate(document)
    for name, member in members:
        if member == value and name != "kind":
            return f"/{name}"
        if isinstance(member, dict | list | tuple):
            below = _place_of(value, member)
            if below is not None:
                return f"/{name}{below}"
    return None


def _of_table(
    table: Table, rules: Sequence[PlacedRule], kinds: Collection[type], format: Format
) -> Iterator[Violation]:
    """What is wrong with the table of a format: its columns, what orders it, and its awards."""
    codes = frozenset().union(
        *(kind.codes for kind in kinds if issubclass(kind, GameRule)),
        *(one.rule.codes_given() for one in rules if isinstance(one.rule, GameRule)),
    )
    of_season = (kind.gives for kind in kinds if issubclass(kind, SeasonRule))
    known = dict.fromkeys(tally_names(table.roles, codes), _POINTS_BITS)
    known |= {name: _SEASON_BITS for gives in of_season for name in gives}
    keys: list[str] = []
    for one in rules:
        if isinstance(one.rule, Columns) and one.rule.format in (None, format):
            yield from _of_columns(one, one.rule, known, keys)
    for one in rules:
        yield from _of_what_asks(one, known, keys, format)
    if not any(isinstance(one.rule, Order) for one in rules):
        yield from _of_column("points", keys, "/clauses", None, format)


def _of_columns(placed: PlacedRule, rule: Columns, known: dict[str, int], keys: list[str]) -> Iterator[Violation]:
    """Each column may ask for what is ``known``, and is known to those after it."""
    for k, column in enumerate(rule.columns):
        pointer = f"{placed.pointer}/columns/{k}"
        yield from _of_formula(column.formula, known, f"{pointer}/formula", placed.clause, _OF_COLUMN, column.key)
        if column.key in keys:
            yield Violation("name_taken", f"{pointer}/key", _COLUMN_TWICE, (column.key,), actual=column.key)
        known[column.key] = bits = _bits_of(column.formula, known)
        if bits > MOST_BITS:
            args = (column.key, bits, MOST_BITS)
            yield Violation("too_costly", f"{pointer}/formula", _COSTLY, args, MOST_BITS, bits, placed.clause)
            known[column.key] = _POINTS_BITS  # so that columns after it are judged by themselves
        keys.append(column.key)


def _of_what_asks(placed: PlacedRule, known: _Sizes, keys: Sequence[str], format: Format) -> Iterator[Violation]:
    """Rules that name columns or have formulas over them."""
    rule, pointer, clause = placed.rule, placed.pointer, placed.clause
    if isinstance(rule, TieBreakers):
        for k, text in enumerate(rule.by):
            yield from _of_formula(text, known, f"{pointer}/by/{k}", clause, _OF_BREAKER)
    elif isinstance(rule, Order):
        for k, name in enumerate(rule.by):
            yield from _of_column(name, keys, f"{pointer}/by/{k}", clause, format)
    elif isinstance(rule, Award):
        yield from _of_column(rule.by, keys, f"{pointer}/by", clause, format)


def _bits_of(text: str, known: _Sizes) -> int:
    """How large a formula's value may be; 0 where it is none, which is told elsewhere."""
    try:
        return Formula(text).size(known)
    except (FormulaError, KeyError):
        return 0


def _of_formula(text: str, known: _Sizes, pointer: str, clause: str, where: Text, *args: str) -> Iterator[Violation]:
    try:
        Formula(text).check_names(known)
    except FormulaError as error:
        said = words(error.text.say("ru", *error.of_text), error.text.say("en", *error.of_text))
        code = "unknown_name" if error.is_name else "formula"
        yield Violation(code, pointer, where, (*args, said), actual=text, clause=clause, suggestions=error.suggestions)


def _of_column(name: str, keys: Sequence[str], pointer: str, clause: str | None, format: Format) -> Iterator[Violation]:
    if name not in keys:
        near = nearest(name, keys)
        args = (name, _IN[format], perhaps(near))
        yield Violation("order_without_column", pointer, _ORDER, args, list(keys), name, clause, near)
