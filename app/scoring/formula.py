"""Formulas over named numbers: exact, checked before use, never run as Python.

The language: numbers (``0.4``, at most six decimals), names, ``+ - * / ()``, ``min(a, b, …)``, ``max(a, b, …)``,
``abs(a)``, ``floor(a)``, ``ceil(a)``, ``round(a, decimals)`` (half away from zero), ``sqrt(a, decimals)`` and
``log2(a, decimals)`` (rounded alike), ``interpolate(a, a1, b1, a2, b2, …)`` (straight lines through points,
constant outside) and ``if(a < b, then, else)`` with ``< <= > >= == !=``. A division by zero has no value,
nor has the root of a negative number or the logarithm of one that is not positive, and neither has anything made from
it; ``if`` only looks at the branch it takes.

Limits: 500 characters, 32 levels of nesting, names of 64 characters, numbers of 12 digits, rounding to at most 9
decimals.
"""

import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping
from decimal import Context, Decimal
from fractions import Fraction
from itertools import pairwise
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
Size: TypeAlias = Callable[[Mapping[str, int]], int]
"""The most bits that numerator and denominator may need together, from those of the names."""

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
_ROUNDED: Final[dict[str, Callable[[Fraction, int], Fraction]]] = {}
"""The functions whose second argument says how many decimals they are rounded to."""
_FUNCTIONS: Final = ("min", "max", "abs", "floor", "ceil", "round", "sqrt", "log2", "interpolate", "if")


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


class _Part(NamedTuple):
    """What computes a part of a formula, and how large its value may be."""

    value: Value
    size: Size


class _Token(NamedTuple):
    kind: str
    text: str
    at: int


class Formula:
    """A formula that was read; ``names`` are those it asks for."""

    __slots__ = ("_size", "_value", "names", "text")

    def __init__(self, text: str) -> None:
        """Read ``text``.

        Raises:
            FormulaError: it is no formula of this language, or larger than the limits.
        """
        reader = _Reader(text)
        self.text = text
        self._value, self._size = reader.whole()
        self.names = tuple(dict.fromkeys(reader.names))

    def value(self, names: Names) -> Number | None:
        """The exact value, or None where it divides by zero or asks for something that has no value."""
        try:
            return self._value(names)
        except _NoValue:
            return None

    def size(self, sizes: Mapping[str, int]) -> int:
        """The most bits that numerator and denominator of the value may need together, if the names need so many."""
        return self._size(sizes)

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

    def whole(self) -> _Part:
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

    def sum(self) -> _Part:
        part = self.product()
        while sign := self.take("+", "-"):
            part = _pair(operator.add if sign == "+" else operator.sub, part, self.product())
        return part

    def product(self) -> _Part:
        part = self.signed()
        while sign := self.take("*", "/"):
            part = _pair(operator.mul if sign == "*" else _divide, part, self.signed())
        return part

    def signed(self) -> _Part:
        self.level += 1
        if self.level > MOST_LEVELS:
            raise FormulaError(_TOO_DEEP, MOST_LEVELS)
        if self.take("-"):
            inner, size = self.signed()
            part = _Part(lambda names: -inner(names), size)
        else:
            part = self.atom()
        self.level -= 1
        return part

    def atom(self) -> _Part:
        token = self.token
        if token.kind == "number":
            self.at += 1
            number = Fraction(token.text)
            constant = number.numerator if number.denominator == 1 else number
            bits = number.numerator.bit_length() + number.denominator.bit_length()
            return _Part(lambda _names: constant, lambda _sizes: bits)
        if token.kind == "name":
            self.at += 1
            if self.take("("):
                return self.call(token)
            self.names.append(token.text)
            return _Part(lambda names: _known(names[token.text]), lambda sizes: sizes[token.text])
        self.expect("(")
        part = self.sum()
        self.expect(")")
        return part

    def call(self, token: _Token) -> _Part:
        if token.text == "if":
            return self.choice()
        arguments = [self.sum()]
        while self.expect(",", ")") == ",":
            if token.text in _ROUNDED and len(arguments) == 1:
                return self.rounding(arguments[0], _ROUNDED[token.text])
            arguments.append(self.sum())
        if token.text == "abs" and len(arguments) == 1:
            ((inner, size),) = arguments
            return _Part(lambda names: _magnitude(inner(names)), size)
        if token.text in ("floor", "ceil") and len(arguments) == 1:
            ((inner, size),) = arguments
            whole = math.floor if token.text == "floor" else math.ceil
            return _Part(lambda names: whole(inner(names)), size)
        if token.text == "interpolate" and len(arguments) > 4 and len(arguments) % 2:
            at, *numbers = [argument.value for argument in arguments]
            return _Part(
                _interpolation(at, numbers[::2], numbers[1::2]),
                # A line between two points takes a quotient, a product and a sum of theirs.
                lambda sizes: 4 * sum(argument.size(sizes) for argument in arguments),
            )
        if token.text in ("min", "max") and len(arguments) > 1:
            pick = _most if token.text == "max" else _least
            values = [argument.value for argument in arguments]
            return _Part(
                lambda names: pick([value(names) for value in values]),
                lambda sizes: max(argument.size(sizes) for argument in arguments),
            )
        if token.text in _FUNCTIONS:
            raise FormulaError(_ARGUMENTS, token.text, token.at)
        near = nearest(token.text, _FUNCTIONS)
        there_are = words(_THERE_ARE.say("ru", _FUNCTIONS), _THERE_ARE.say("en", _FUNCTIONS))
        raise FormulaError(_FUNCTION, token.text, perhaps(near) if near else there_are, suggestions=near)

    def rounding(self, inner: _Part, function: Callable[[Fraction, int], Fraction]) -> _Part:
        token = self.token
        if token.kind != "number" or "." in token.text or int(token.text) > MOST_DECIMALS:
            raise self.unexpected(_DECIMALS, MOST_DECIMALS)
        self.at += 1
        self.expect(")")
        decimals = int(token.text)
        return _Part(
            lambda names: function(Fraction(inner.value(names)), decimals),
            lambda sizes: inner.size(sizes) + 2 * (10**decimals).bit_length(),
        )

    def choice(self) -> _Part:
        left = self.sum()
        compare = _COMPARISONS[self.expect(*_COMPARISONS)]
        right = self.sum()
        self.expect(",")
        then = self.sum()
        self.expect(",")
        otherwise = self.sum()
        self.expect(")")
        (first, _), (second, _), (true, _), (false, _) = left, right, then, otherwise
        return _Part(
            lambda names: true(names) if compare(first(names), second(names)) else false(names),
            # A comparison multiplies crosswise, which takes as much as a sum.
            lambda sizes: max(then.size(sizes), otherwise.size(sizes), left.size(sizes) + right.size(sizes)),
        )


def _interpolation(at: Value, places: list[Value], heights: list[Value]) -> Value:
    def value(names: Names) -> Number:
        x = at(names)
        xs, ys = [place(names) for place in places], [height(names) for height in heights]
        if any(later <= earlier for earlier, later in pairwise(xs)):
            raise _NoValue
        if x <= xs[0]:
            return ys[0]
        for left, right, low, high in zip(xs, xs[1:], ys, ys[1:], strict=False):
            if x <= right:
                return low + Fraction(x - left) / (right - left) * (high - low)
        return ys[-1]

    return value


def _rounded(value: Fraction, decimals: int) -> Fraction:
    return Fraction(rounded_units(value, decimals), 10**decimals)


def _root(value: Fraction, decimals: int) -> Fraction:
    if value < 0:
        raise _NoValue
    scale = 10**decimals
    doubled = math.isqrt(4 * scale * scale * value.numerator // value.denominator)
    return Fraction((doubled + 1) // 2, scale)


_PRECISE: Final = Context(prec=60)


def _binary_logarithm(value: Fraction, decimals: int) -> Fraction:
    if value <= 0:
        raise _NoValue
    number = _PRECISE.divide(Decimal(value.numerator), Decimal(value.denominator))
    return _rounded(Fraction(_PRECISE.divide(_PRECISE.ln(number), _PRECISE.ln(Decimal(2)))), decimals)


_ROUNDED.update(round=_rounded, sqrt=_root, log2=_binary_logarithm)


def _known(number: Number | None) -> Number:
    if number is None:
        raise _NoValue
    return number


def _magnitude(number: Number) -> Number:
    return -number if number < 0 else number


def _most(numbers: list[Number]) -> Number:
    return max(numbers)


def _least(numbers: list[Number]) -> Number:
    return min(numbers)


def _divide(left: Number, right: Number) -> Number:
    if not right:
        raise _NoValue
    return Fraction(left) / right


def _pair(operate: Callable[[Number, Number], Number], left: _Part, right: _Part) -> _Part:
    (first, first_size), (second, second_size) = left, right
    return _Part(
        lambda names: operate(first(names), second(names)),
        # a/b and c/d give ad ± cb over bd, ac over bd, or ad over bc
        lambda sizes: first_size(sizes) + second_size(sizes) + 1,
    )
