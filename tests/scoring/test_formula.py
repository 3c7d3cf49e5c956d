"""Formulas: exact values, what is refused when one is read, and what has no value."""

from fractions import Fraction

import pytest

from app.scoring.formula import MOST_CHARACTERS, MOST_LEVELS, Formula, FormulaError


@pytest.mark.parametrize(
    "text, value",
    [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("8 - 3 - 2", 3),
        ("12 / 3 / 2", 2),
        ("-2 * -3", 6),
        ("--2", 2),
        ("0.1 + 0.2", Fraction(3, 10)),
        ("1 / 3", Fraction(1, 3)),
        ("min(3, 1, 2)", 1),
        ("max(3, 1, 2)", 3),
        ("abs(2 - 5)", 3),
        ("round(0.125, 2)", Fraction(13, 100)),
        ("round(-0.125, 2)", Fraction(-13, 100)),
        ("round(4 / 3, 0)", 1),
        ("if(1 < 2, 10, 20)", 10),
        ("if(1 <= 1, 10, 20)", 10),
        ("if(1 > 2, 10, 20)", 20),
        ("if(2 >= 3, 10, 20)", 20),
        ("if(0.5 == 1 / 2, 10, 20)", 10),
        ("if(1 != 1, 10, 20)", 20),
        ("if(if(1 < 2, 3, 4) == 3, 5, 6)", 5),
        ("wins * 100 / games", Fraction(200, 3)),
    ],
)
def test_a_formula_has_its_exact_value(text: str, value: Fraction | int) -> None:
    assert Formula(text).value({"wins": 2, "games": 3}) == value


@pytest.mark.parametrize("text", ["wins / nothing", "1 + wins / (games - games)", "max(1, 1 / 0)", "unknown_value * 0"])
def test_a_division_by_zero_has_no_value_and_neither_has_what_is_made_from_it(text: str) -> None:
    assert Formula(text).value({"wins": 2, "games": 3, "nothing": 0, "unknown_value": None}) is None


def test_a_choice_only_looks_at_the_branch_it_takes() -> None:
    guarded = Formula("if(games > 0, wins / games, 0)")

    assert guarded.value({"wins": 0, "games": 0}) == 0
    assert guarded.value({"wins": 1, "games": 4}) == Fraction(1, 4)


@pytest.mark.parametrize(
    "text, told",
    [
        ("", "expected ( at character 1"),
        ("wins +", "found the end"),
        ("wins games", "expected an operator or the end at character 6"),
        ("(wins", "expected ) at character 6"),
        ("wins ** 2", "at character 7, found *"),
        ("wins % 2", "cannot read the formula at character 5"),
        ("wins; games", "cannot read"),
        ("__import__", "cannot read"),
        ("'x'", "cannot read"),
        ("1e5", "cannot read"),
        ("1.5.2", "cannot read"),
        ("0.1234567", "cannot read"),
        ("٣", "cannot read"),
        ("Wins", "cannot read"),
        ("wins.games", "cannot read"),
        ("wins < games", "expected an operator or the end"),
        ("1 + (wins < games)", "expected )"),
        ("if(wins, 1, 2)", "expected < or <= or > or >= or == or !="),
        ("if(wins < games < 3, 1, 2)", "expected ,"),
        ("if(wins < games, 1)", "expected ,"),
        ("round(wins)", "wrong number of arguments for round"),
        ("round(wins, games)", "a whole number of decimals"),
        ("round(wins, 1.5)", "a whole number of decimals"),
        ("round(wins, 10)", "up to 9"),
        ("abs(wins, games)", "wrong number of arguments for abs"),
        ("min(wins)", "wrong number of arguments for min"),
        ("mim(wins, games)", "did you mean min"),
        ("pow(2, 3)", "unknown function pow"),
        ("+" * MOST_CHARACTERS + "1", f"at most {MOST_CHARACTERS} characters"),
        ("(" * (MOST_LEVELS + 1) + "1" + ")" * (MOST_LEVELS + 1), f"at most {MOST_LEVELS} levels"),
        ("-" * (MOST_LEVELS + 1) + "1", f"at most {MOST_LEVELS} levels"),
    ],
)
def test_what_is_no_formula_is_refused_when_it_is_read(text: str, told: str) -> None:
    with pytest.raises(FormulaError) as refused:
        Formula(text)

    assert told in str(refused.value)


def test_the_limits_themselves_are_allowed() -> None:
    deepest = "(" * 31 + "1" + ")" * 31
    longest = "1" + "+1" * ((MOST_CHARACTERS - 1) // 2)

    assert Formula(deepest).value({}) == 1
    with pytest.raises(FormulaError, match="32 levels"):
        Formula(f"({deepest})")
    assert Formula(longest).value({}) == (MOST_CHARACTERS + 1) // 2


def test_an_unknown_name_is_refused_with_the_closest_known_one() -> None:
    with pytest.raises(FormulaError, match="unknown name win_s; did you mean wins"):
        Formula("2 * win_s").check_names({"wins", "games"})


def test_a_formula_says_which_names_it_asks_for() -> None:
    assert Formula("wins * wins + max(points, 1) / games").names == ("wins", "points", "games")
