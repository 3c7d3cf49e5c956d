"""Formulas over named numbers: exact, checked before use, never run as Python.

The language: numbers (``0.4``, at most six decimals), names, ``+ - * / ()``, ``min(a, b, …)``, ``max(a, b, …)``,
``abs(a)``, ``round(a, decimals)`` (half away from zero) and ``if(a < b, then, else)`` with ``< <= > >= == !=``. A
division by zero has no value, and neither has anything made from it; ``if`` only looks at the branch it takes.

Limits: 500 characters, 32 levels of nesting, names of 64 characters, numbers of 12 digits, rounding to at most 9
decimals.
"""

import operator
import re
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any, Final, NamedTuple, TypeAlias

from app.scoring.points import rounded_units
from app.scoring.suggestion import perhaps
from app.scoring.text import Text, words
from app.spelling import nearest

MOST_CHARACTERS: Final = 500
MOST_LEVELS: Final = 32
MOST_DECIMALS: Final = 9

Number: TypeAlias = Fraction | int
Names: TypeAlias = Mapping[str, Number | None]
Value: TypeAlias = Callable[[Names], Number]
Truth: TypeAlias = Callable[[Names], bool]

_TOKEN: Final = re.compile(
    r"\s*(?:(?P<number>[0-9]{1,12}(?:\.[0-9]{1,6})?(?![0-9.a-z_]))|(?P<name>[a-z][a-z0-9_]{0,63}(?![a-z0-9_]))"
    r"|(?P<sign><=|>=|==|!=|[-+*/(),<>]))",
    re.ASCII,
)
_NAME: Final = re.compile(r"[a-z][a-z0-9_]*(?![a-z0-9_]|\s*\()", re.ASCII)
"""A name, and not a function."""

_COMPARISONS: Final[dict[str, Callable[[Number, Number], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
_FUNCTIONS: Final = ("min", "max", "abs", "round", "if")


_TOO_LONG: Final = words("формула не длиннее {} символов", "a formula has at most {} characters")
_UNREADABLE: Final = words("формулу нельзя прочитать с {}-го символа", "cannot read the formula at character {}")
_TOO_DEEP: Final = words("вложенность формулы — не больше {}", "a formula nests at most {} levels")
_UNEXPECTED: Final = words("символ {1}: нужно {0}, здесь {2}", "expected {0} at character {1}, found {2}")
_ARGUMENTS: Final = words(
    "символ {1}: у функции {0} другое число аргументов", "wrong number of arguments for {0} at character {1}"
)
_FUNCTION: Final = words("нет функции {}{}", "unknown function {}{}")
_THERE_ARE: Final = words("; есть: {}", "; there are {}")
_NAME_UNKNOWN: Final = words("неизвестное имя {}{}", "unknown name {}{}")
_OR: Final = words(" или ", " or ")
_OPERATOR: Final = words("действие или конец", "an operator or the end")
_DECIMALS: Final = words("целое число знаков, не больше {}", "a whole number of decimals up to {}")
_END: Final = words("конец", "the end")


class FormulaError(ValueError):
    """The text is no formula of this language; ``text`` with ``args`` says where and what was expected."""

    def __init__(self, text: Text, *args: Any, suggestions: tuple[str, ...] = (), is_name: bool = False) -> None:
        super().__init__(text.say("en", *args))
        self.text = text
        self.of_text = args
        self.suggestions = suggestions
        self.is_name = is_name
        """Whether it is a formula, and asks for a name that there is not."""


class _NoValue(Exception):
    """Something was divided by zero."""


class _Token(NamedTuple):
    kind: str
    text: str
    at: int


class Formula:
    """A formula that was read; ``names`` are those it asks for."""

    __slots__ = ("_value", "names", "text")

    def __init__(self, text: str) -> None:
        """Read ``text``.

        Raises:
            FormulaError: it is no formula of this language, or larger than the limits.
        """
        reader = _Reader(text)
        self.text = text
        self._value = reader.whole()
        self.names = tuple(dict.fromkeys(reader.names))

    def value(self, names: Names) -> Number | None:
        """The exact value, or None where it divides by zero or asks for something that has no value."""
        try:
            return self._value(names)
        except _NoValue:
            return None

    def written(self, names: Mapping[str, str]) -> str:
        """The text of the formula with other words for its names."""
        return _NAME.sub(lambda name: names[name[0]], self.text)

    def check_names(self, known: Iterable[str]) -> None:
        """Raise :class:`FormulaError`, with a suggestion, for the first name that is not ``known``."""
        for name in self.names:
            if name not in known:
                near = nearest(name, known)
                raise FormulaError(_NAME_UNKNOWN, name, perhaps(near), suggestions=near, is_name=True)


def _tokens(text: str) -> list[_Token]:
    if len(text) > MOST_CHARACTERS:
        raise FormulaError(_TOO_LONG, MOST_CHARACTERS)
    tokens = []
    at = 0
    while text[at:].strip():
        match = _TOKEN.match(text, at)
        if match is None:
            raise FormulaError(_UNREADABLE, at + 1)
        kind = match.lastgroup or ""
        tokens.append(_Token(kind, match[kind], match.start(kind) + 1))
        at = match.end()
    tokens.append(_Token("end", "", len(text) + 1))
    return tokens


class _Reader:
    """Recursive descent; each method reads one level of the grammar and answers what computes it."""

    def __init__(self, text: str) -> None:
        self.tokens = _tokens(text)
        self.at = 0
        self.level = 0
        self.names: list[str] = []

    def whole(self) -> Value:
        value = self.sum()
        if self.token.kind != "end":
            raise self.unexpected(_OPERATOR)
        return value

    @property
    def token(self) -> _Token:
        return self.tokens[self.at]

    def take(self, *signs: str) -> str | None:
        """The sign that comes next, if it is one of these."""
        if self.token.kind == "sign" and self.token.text in signs:
            self.at += 1
            return self.tokens[self.at - 1].text
        return None

    def expect(self, *signs: str) -> str:
        taken = self.take(*signs)
        if taken is None:
            raise self.unexpected(words(_OR.ru.join(signs), _OR.en.join(signs)))
        return taken

    def unexpected(self, expected: Text, *args: Any) -> FormulaError:
        told = words(expected.say("ru", *args), expected.say("en", *args))
        return FormulaError(_UNEXPECTED, told, self.token.at, self.token.text or _END)

    def sum(self) -> Value:
        value = self.product()
        while sign := self.take("+", "-"):
            value = _pair(operator.add if sign == "+" else operator.sub, value, self.product())
        return value

    def product(self) -> Value:
        value = self.signed()
        while sign := self.take("*", "/"):
            value = _pair(operator.mul if sign == "*" else _divide, value, self.signed())
        return value

    def signed(self) -> Value:
        self.level += 1
        if self.level > MOST_LEVELS:
            raise FormulaError(_TOO_DEEP, MOST_LEVELS)
        if self.take("-"):
            inner = self.signed()
            value: Value = lambda names: -inner(names)  # noqa: E731
        else:
            value = self.atom()
        self.level -= 1
        return value

    def atom(self) -> Value:
        token = self.token
        if token.kind == "number":
            self.at += 1
            number = Fraction(token.text)
            constant = number.numerator if number.denominator == 1 else number
            return lambda _names: constant
        if token.kind == "name":
            self.at += 1
            if self.take("("):
                return self.call(token)
            self.names.append(token.text)
            return lambda names: _known(names[token.text])
        self.expect("(")
        value = self.sum()
        self.expect(")")
        return value

    def call(self, token: _Token) -> Value:
        if token.text == "if":
            return self.choice()
        arguments = [self.sum()]
        while self.expect(",", ")") == ",":
            if token.text == "round" and len(arguments) == 1:
                return self.rounding(arguments[0])
            arguments.append(self.sum())
        if token.text == "abs" and len(arguments) == 1:
            (inner,) = arguments
            return lambda names: _size(inner(names))
        if token.text in ("min", "max") and len(arguments) > 1:
            pick = _most if token.text == "max" else _least
            return lambda names: pick([argument(names) for argument in arguments])
        if token.text in _FUNCTIONS:
            raise FormulaError(_ARGUMENTS, token.text, token.at)
        near = nearest(token.text, _FUNCTIONS)
        there_are = words(_THERE_ARE.say("ru", _FUNCTIONS), _THERE_ARE.say("en", _FUNCTIONS))
        raise FormulaError(_FUNCTION, token.text, perhaps(near) if near else there_are, suggestions=near)

    def rounding(self, inner: Value) -> Value:
        token = self.token
        if token.kind != "number" or "." in token.text or int(token.text) > MOST_DECIMALS:
            raise self.unexpected(_DECIMALS, MOST_DECIMALS)
        self.at += 1
        self.expect(")")
        decimals = int(token.text)
        return lambda names: Fraction(rounded_units(Fraction(inner(names)), decimals), 10**decimals)

    def choice(self) -> Value:
        left = self.sum()
        compare = _COMPARISONS[self.expect(*_COMPARISONS)]
        right = self.sum()
        self.expect(",")
        then = self.sum()
        self.expect(",")
        otherwise = self.sum()
        self.expect(")")
        return lambda names: then(names) if compare(left(names), right(names)) else otherwise(names)


def _known(number: Number | None) -> Number:
    if number is None:
        raise _NoValue
    return number


def _size(number: Number) -> Number:
    return -number if number < 0 else number


def _most(numbers: list[Number]) -> Number:
    return max(numbers)


def _least(numbers: list[Number]) -> Number:
    return min(numbers)


def _divide(left: Number, right: Number) -> Number:
    if not right:
        raise _NoValue
    return Fraction(left) / right


def _pair(operate: Callable[[Number, Number], Number], left: Value, right: Value) -> Value:
    return lambda names: operate(left(names), right(names))
