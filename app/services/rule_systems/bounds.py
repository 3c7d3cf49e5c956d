"""How large a regulation may be that somebody sends, and which names it may not take (docs/rule-systems.md#bounds)."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

from app.scoring.rules.table_rules import Columns
from app.scoring.systems import all_systems, newest_systems
from app.scoring.text import words
from app.scoring.violation import Violation

MOST_CHARACTERS: Final = 4_000
MOST_CLAUSES: Final = 200
MOST_RULES: Final = 500
MOST_COLUMNS: Final = 100
MOST_AWARDS: Final = 60
MOST_ROLES: Final = 20

OWN_FORMULAS: Final[Mapping[str, str]] = {
    "games": "games",
    "wins": "wins",
    "win_rate": "100 * wins / games",
    "points": "points",
}
"""Columns that every table has, with their formulas."""

_ROLE: Final = re.compile("[a-z][a-z0-9_]{0,31}")
_JOINTS: Final = ("_as_", "_in_")

_TOO_MANY: Final = words("не больше {}, здесь {}", "expected at most {}, got {}")
_TOO_LONG: Final = words("текст не длиннее {} знаков, здесь {}", "expected a text of at most {} characters, got {}")
_KEY: Final = words(
    "ключ роли — до 32 строчных латинских букв, цифр и «_», начиная с буквы, без «_as_» и «_in_»",
    "expected a role key of up to 32 characters a-z, 0-9 and _, a letter first, without _as_ and _in_",
)
_BUILT_IN: Final = words("«{}» — встроенный регламент; возьмите другой ID", "{} is a built-in system; take another ID")
_OWN: Final = words(
    "столбец «{}» есть в каждой таблице, его формула — {}; для другой формулы возьмите другой ключ",
    "the column {} is in every table with the formula {}; another formula needs another key",
)


def beyond(document: Mapping[str, Any], pointer: str) -> Iterator[Violation]:
    """Everything in a document of any shape that is larger than allowed, or takes a name that is not free."""
    clauses = _list(document.get("clauses"))
    rules = [rule for clause in clauses for rule in _list(_member(clause, "rules"))]
    columns = sum(len(_list(_member(rule, "columns"))) for rule in rules)
    awards = sum(_member(rule, "kind") == "award" for rule in rules)
    roles = _member(document.get("table"), "roles")
    for where, count, most in (
        ("/clauses", len(clauses), MOST_CLAUSES),
        ("/clauses", len(rules), MOST_RULES),
        ("/clauses", columns, MOST_COLUMNS),
        ("/clauses", awards, MOST_AWARDS),
        ("/table/roles", len(roles) if isinstance(roles, dict) else 0, MOST_ROLES),
    ):
        if count > most:
            yield Violation("too_many", pointer + where, _TOO_MANY, (most, count), most, count)
    for role in roles if isinstance(roles, dict) else ():
        if not _ROLE.fullmatch(role) or any(joint in role for joint in _JOINTS):
            yield Violation("value", f"{pointer}/table/roles", _KEY, actual=role[:64])
    if document.get("id") in {system.id for system in newest_systems()}:
        yield Violation("name_taken", f"{pointer}/id", _BUILT_IN, (document["id"],), actual=document["id"])
    yield from _long_texts(document, pointer)
    yield from _shadows(clauses, f"{pointer}/clauses")


def _shadows(clauses: list[Any], pointer: str) -> Iterator[Violation]:
    """Columns under a formula's name that are something else."""
    for i, clause in enumerate(clauses):
        for j, rule in enumerate(_list(_member(clause, "rules"))):
            for k, column in enumerate(_list(_member(rule, "columns"))):
                key, formula = _member(column, "key"), _member(column, "formula")
                own = OWN_FORMULAS.get(key) if isinstance(key, str) else None
                if own is not None and isinstance(formula, str) and (key, formula) not in _published_columns():
                    where = f"{pointer}/{i}/rules/{j}/columns/{k}/formula"
                    yield Violation("name_taken", where, _OWN, (key, own), own, formula[:64])


def _long_texts(value: Any, pointer: str) -> Iterator[Violation]:
    if isinstance(value, str) and len(value) > MOST_CHARACTERS:
        args = (MOST_CHARACTERS, len(value))
        yield Violation("too_long", pointer, _TOO_LONG, args, MOST_CHARACTERS, len(value))
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, member in members:
        yield from _long_texts(member, f"{pointer}/{str(name).replace('~', '~0').replace('/', '~1')}")


@cache
def _published_columns() -> frozenset[tuple[str, str]]:
    """Key and formula of each column of a built-in system: a copy of one may keep them."""
    columns = {
        (column.key, column.formula)
        for system in all_systems()
        for clause in system.clauses
        for rule in clause.rules
        if isinstance(rule, Columns)
        for column in rule.columns
    }
    return frozenset(columns | OWN_FORMULAS.items())


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _member(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None
