"""Format errors of requests and files, in the words and codes of docs/api.md instead of pydantic's."""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from itertools import islice
from typing import Any, Final, NamedTuple

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from app.scoring.text import Text, words
from app.scoring.violation import Violation
from app.spelling import nearest

MOST_VIOLATIONS: Final = 1000
"""How many violations are listed at most."""

_LONGEST_WORD: Final = 64
"""Longer words are no misspellings, and comparing them takes time in proportion to their length."""


class InvalidInput(Exception):
    """The request is not in the expected format; ``violations`` lists the errors."""

    def __init__(self, violations: Sequence[Violation]) -> None:
        super().__init__("; ".join(violation.message("en") for violation in violations))
        self.violations = list(violations)


class UnreadableFile(Exception):
    """The file cannot be read, or not from here on; ``violations`` says why (codes: docs/import.md)."""

    def __init__(self, violations: Sequence[Violation]) -> None:
        super().__init__("; ".join(violation.message("en") for violation in violations))
        self.violations = list(violations)


class _Meaning(NamedTuple):
    code: str
    text: Text
    limit: str | None = None
    """The name that pydantic's context gives the limit."""
    actual: str | None = None


def _expected(ru: str, en: str) -> _Meaning:
    return _Meaning("type", words(f"нужно: {ru}", f"expected {en}"))


_TOO_SMALL: Final = words("должно быть не меньше {}", "expected at least {}")
_TOO_LARGE: Final = words("должно быть не больше {}", "expected at most {}")
_WHOLE: Final = _expected("целое число", "a whole number")
_FLAG: Final = _expected("true или false", "true or false")
_STRING: Final = _expected("текст", "a string")
_LIST: Final = _expected("список", "a list")
_OBJECT: Final = _expected("объект", "an object")
_DAY: Final = words("нужна дата вида 2025-03-14", "expected a date such as 2025-03-14")
_MOMENT: Final = words("нужны дата и время вида 2025-03-14T18:00:00Z", "expected a time such as 2025-03-14T18:00:00Z")
_DAY_END: Final = words(
    "нужно время от 00:00 до 12:00, например 06:00", "expected a time from 00:00 to 12:00, such as 06:00"
)
_NUMBER: Final = words(
    'нужно число: 0.25 или "0,25"',
    'expected a number such as 0.25 or a string such as "0,25"',
)
_LOT: Final = words(
    "в group и drawn должны быть одни и те же игроки, каждый по разу",
    "expected the same players, without duplicates, in group and drawn",
)
_CHOICE: Final = words("нужно одно из: {}", "expected one of: {}")

_MEANINGS: Final[Mapping[str, _Meaning]] = {
    "missing": _Meaning("missing", words("не хватает обязательного поля", "required field is missing")),
    "extra_forbidden": _Meaning("unknown_field", words("лишнее поле: такого здесь нет", "unknown field")),
    "string_too_long": _Meaning(
        "too_long", words("символов — не больше {}", "expected at most {} characters"), "max_length"
    ),
    "string_too_short": _Meaning(
        "too_short", words("символов — не меньше {}", "expected at least {} characters"), "min_length"
    ),
    "too_long": _Meaning("too_long", words("в списке — не больше {}", "expected at most {} items"), "max_length"),
    "too_short": _Meaning("too_short", words("в списке — не меньше {}", "expected at least {} items"), "min_length"),
    "greater_than_equal": _Meaning("too_small", _TOO_SMALL, "ge"),
    "less_than_equal": _Meaning("too_large", _TOO_LARGE, "le"),
    "string_pattern_mismatch": _Meaning(
        "value", words("есть недопустимые символы", "contains characters that are not allowed")
    ),
    "invisible": _Meaning("value", words("нужен хотя бы один видимый символ", "expected a visible character")),
    "lot": _Meaning("value", _LOT),
    "hiding": _Meaning("value", words("нужно одно из двух: stage или day", "expected either stage or day")),
    "int_type": _WHOLE,
    "int_from_float": _WHOLE,
    "int_parsing": _WHOLE,
    "int_parsing_size": _WHOLE,
    "bool_type": _FLAG,
    "bool_parsing": _FLAG,
    "string_type": _STRING,
    "list_type": _LIST,
    "tuple_type": _LIST,
    "model_type": _OBJECT,
    "model_attributes_type": _OBJECT,
    "dict_type": _OBJECT,
}
_BY_VALUE: Final[Mapping[str, Text]] = {
    "date": _DAY,
    "day_end": _DAY_END,
    "moment": _MOMENT,
    "number": _NUMBER,
}
"""Our own errors, raised for a wrong type and for a wrong value alike."""

_QUOTED: Final = re.compile(r"'([^']*)'")


def input_violations(error: ValidationError, prefix: str = "") -> list[Violation]:
    """The errors as violations, their places as JSON pointers below ``prefix`` (``"?"``: names of query parameters).

    No message repeats the input. One more than :data:`MOST_VIOLATIONS` says that there are more.
    """
    details = error.errors(include_url=False)
    return [_violation(found, prefix) for found in islice(details, MOST_VIOLATIONS + 1)]


def _violation(found: ErrorDetails, prefix: str) -> Violation:
    kind, context = found["type"], found.get("ctx", {})
    where = _pointer(found["loc"], prefix)
    if found["input"] is None and kind != "extra_forbidden" and found["loc"] and isinstance(found["loc"][-1], str):
        kind = "missing"  # null means absent
    if kind in {"literal_error", "enum"}:
        return _choice(where, found["input"], context)
    if kind in _BY_VALUE:
        written = isinstance(found["input"], str | int | Decimal) and not isinstance(found["input"], bool)
        return Violation("value" if written else "type", where, _BY_VALUE[kind])
    meaning = _MEANINGS.get(kind)
    if meaning is None:
        code = "type" if kind.endswith("_type") else "value"
        return Violation(code, where, words(*[found["msg"]] * 2))
    if meaning.limit is None:
        return Violation(meaning.code, where, meaning.text)
    limit = context[meaning.limit]
    return Violation(meaning.code, where, meaning.text, (limit,), limit, context.get("actual_length"))


def _choice(where: str, given: object, context: Mapping[str, Any]) -> Violation:
    choices = _QUOTED.findall(context["expected"])
    if not isinstance(given, str):
        return Violation("type", where, _CHOICE, (", ".join(choices),), choices)
    near = nearest(given.lower(), choices) if len(given) <= _LONGEST_WORD else ()
    return Violation("value", where, _CHOICE, (", ".join(choices),), choices, suggestions=near)


def _pointer(location: tuple[int | str, ...], prefix: str) -> str:
    parts = [str(part).replace("~", "~0").replace("/", "~1") for part in location]
    return prefix + "/".join(parts) if prefix == "?" else prefix + "".join(f"/{part}" for part in parts)
