"""Exact points.

Inside, points are whole millionths (``Points``, an int): sums of what judges and regulations give are then exact and
fast. Ratios (averages, coefficients) are :class:`fractions.Fraction`. A binary float is never a point.
"""

import re
from collections.abc import Iterable
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, Inexact, InvalidOperation
from fractions import Fraction
from functools import lru_cache, reduce
from typing import Annotated, Any, Final, TypeAlias

from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema

Points: TypeAlias = int
"""Whole millionths of a point."""

POINT: Final = 1_000_000
"""One point."""

DECIMALS: Final = 6

_WRITTEN: Final = re.compile(r"-?[0-9]{1,6}([.,][0-9]{1,6})?", re.ASCII)
WRITTEN_PATTERN: Final = r"^-?[0-9]{1,6}([.,][0-9]{1,6})?$"
_MOST_DIGITS: Final = 30
_EXACT: Final = Context(prec=100, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[Inexact, InvalidOperation])
"""Room for the sum of any bonuses at a table: what would have to be rounded raises instead."""


class NotANumber(ValueError):
    """The value is neither a JSON number nor a string such as ``"0,25"``."""


def number_of(value: object) -> Decimal:
    """The exact decimal that a JSON number or a string such as ``"0,25"`` stands for.

    Raises:
        NotANumber: ``value`` is a bool, a binary float, a string of another form, or has more than 30 digits before
            or after the point.
    """
    if type(value) is int:
        if abs(value) < 10**_MOST_DIGITS:
            return Decimal(value)
    elif type(value) is Decimal:
        exponent = value.as_tuple().exponent
        if isinstance(exponent, int) and -_MOST_DIGITS <= exponent and value.adjusted() < _MOST_DIGITS:
            return value if exponent <= 0 else value.quantize(Decimal(1), context=_EXACT)
    elif type(value) is str and _WRITTEN.fullmatch(value):
        return Decimal(value.replace(",", "."))
    raise NotANumber('expected a number such as 0.25 or a string such as "0,25"')


def points_of(value: object) -> Points:
    """The points that a number written with at most six decimals stands for.

    Raises:
        NotANumber: ``value`` is no number, or has more than six decimals.
    """
    points = millionths(number_of(value))
    if not isinstance(points, int):
        raise NotANumber("expected a number with at most six decimals")
    return points


@lru_cache(maxsize=4096)
def decimal_of(points: Points) -> Decimal:
    """``points`` as a decimal number of points, without trailing zeros: 250000 is 0.25."""
    return plain(Decimal(points).scaleb(-DECIMALS, context=_EXACT))


def in_points(points: Points) -> Fraction:
    """``points`` as an exact number of points."""
    return Fraction(points, POINT)


def plain(number: Decimal) -> Decimal:
    """The same number without trailing zeros and without an exponent."""
    if number == number.to_integral_value():
        return number.quantize(Decimal(1), context=_EXACT) if number else Decimal(0)
    return number.normalize(context=_EXACT)


def sum_of(numbers: Iterable[Decimal]) -> Decimal:
    """The exact sum of numbers that :func:`number_of` read."""
    return plain(reduce(_EXACT.add, numbers, Decimal(0)))


def rounded(value: Fraction | int, decimals: int) -> Decimal:
    """``value`` to so many decimals, half away from zero, without trailing zeros."""
    return plain(Decimal(rounded_units(value, decimals)).scaleb(-decimals, context=_EXACT))


def rounded_units(value: Fraction | int, decimals: int) -> int:
    """``value`` in whole units of ``10 ** -decimals``, half away from zero: (0.125, 2) is 13."""
    scale: int = 10**decimals
    units, rest = divmod(abs(value.numerator) * scale, value.denominator)
    if 2 * rest >= value.denominator:
        units += 1
    return -units if value < 0 else units


@lru_cache(maxsize=4096)
def millionths(number: Decimal) -> Points | Fraction:
    """``number`` in millionths: whole (and then an int) unless it has more than six decimals."""
    scaled = Fraction(number) * POINT
    return scaled.numerator if scaled.denominator == 1 else scaled


def _read(value: Any) -> Points:
    return points_of(value)


PointsParameter = Annotated[
    int,
    BeforeValidator(_read),
    PlainSerializer(decimal_of, return_type=Decimal),
    WithJsonSchema({"type": "number"}),
]
"""Points as a parameter of a rule: written ``"0.25"`` or as a JSON number, kept in millionths, dumped as a decimal."""
