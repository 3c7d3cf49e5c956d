"""Points: what is a number on the wire, and how an exact value is written."""

from decimal import Decimal
from fractions import Fraction

import pytest

from app.scoring.points import NotANumber, decimal_of, number_of, plain, points_of, rounded, sum_of


@pytest.mark.parametrize(
    "written, points",
    [
        ("0,25", 250_000),
        ("0.25", 250_000),
        ("-1", -1_000_000),
        ("-0", 0),
        ("000001.000001", 1_000_001),
        ("999999.999999", 999_999_999_999),
        (2, 2_000_000),
        (Decimal("0.3"), 300_000),
        (Decimal("3E-1"), 300_000),
        (Decimal("3E+2"), 300_000_000),
    ],
)
def test_points_are_exact_millionths(written: object, points: int) -> None:
    assert points_of(written) == points


@pytest.mark.parametrize(
    "value",
    [
        True, None, 0.25, [], "", " 1", "1 ", "+1", "1.", ".5", "1_0", "٠.٣", "1e3", "NaN", "1234567", "0.1234567",
        "1,2,3", "1\n", Decimal("NaN"), Decimal("Infinity"), Decimal("1e99999999"), Decimal("1e-99999999"), 10**30,
    ],
)  # fmt: skip
def test_everything_else_is_no_number(value: object) -> None:
    with pytest.raises(NotANumber):
        number_of(value)


def test_a_seventh_decimal_is_a_number_but_no_points() -> None:
    assert number_of(Decimal("0.1234567")) == Decimal("0.1234567")
    with pytest.raises(NotANumber, match="six decimals"):
        points_of(Decimal("0.1234567"))


@pytest.mark.parametrize(
    "value, decimals, written",
    [
        (Fraction(4, 3), 2, "1.33"),  # (2 + 3 - 1)/3, the text's example of city-average
        (Fraction(1235535, 100000), 4, "12.3554"),
        (Fraction(1, 8), 2, "0.13"),
        (Fraction(-1, 8), 2, "-0.13"),
        (Fraction(1, 200), 2, "0.01"),
        (Fraction(-1, 1000), 2, "0"),
        (60, 2, "60"),
        (Fraction(12000, 10), 2, "1200"),
        (Fraction(1, 2), 0, "1"),
        (Fraction(10**15, 3), 4, "333333333333333.3333"),
    ],
)
def test_values_are_written_rounded_half_away_from_zero(value: Fraction | int, decimals: int, written: str) -> None:
    assert f"{rounded(value, decimals):f}" == written


def test_a_number_of_points_is_written_without_trailing_zeros_or_exponent() -> None:
    assert [f"{decimal_of(points)}" for points in (0, 250_000, 1_000_000, 30_000_000, -1, 10**15)] == [
        "0", "0.25", "1", "30", "-0.000001", "1000000000",
    ]  # fmt: skip


LONG = ["1e29", "-1e29", "123456789012345678901234567890", "9999999999999999999999999999", "1e-30"]


@pytest.mark.parametrize(
    "written", [*LONG, "0.70000000000000000000000000001", "12345678901234567890.12345678901234567891"]
)
def test_a_long_number_is_exact_or_refused_but_never_rounded(written: str) -> None:
    assert plain(number_of(Decimal(written))) == Decimal(written)
    assert sum_of([Decimal(written), Decimal(written)]) == 2 * Fraction(written)


@pytest.mark.parametrize("written", ["1e30", "-1e30", "1e-31", "0.0000000000000000000000000000001"])
def test_a_number_of_more_than_thirty_digits_is_refused(written: str) -> None:
    with pytest.raises(NotANumber):
        number_of(Decimal(written))
