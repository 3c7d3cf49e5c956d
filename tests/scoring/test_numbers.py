"""Each number that decides points stands in the words of its clause, in both languages."""

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, NamedTuple

import pytest

from app.scoring.rule_system import Clause
from app.scoring.systems import all_systems

WRITTEN_OTHERWISE = {
    "city-average main: days_lived.per_day 1": "a day lived is a point: «Количество прожитых дней»",
    "city-average main: days_lived.draw_per_day 1": "a reading: the text names no amount",
    "city-average main: days_lived.most_days 50": "a reading: a guard against typing errors",
    "maffamily 4: judge_bonus.players 3": "in words: «между ТРЕМЯ игроками»",
    "maffamily 6: award.places 1": "in words: «лучшего игрока», one",
    "maffamily 7: award.places 1": "free entry is for one: «Игрок, набравший наибольшее количество баллов»",
}
"""The numbers that the texts write in words or that a reading gives, and why."""

OF_THE_TABLE = {"columns.columns.decimals", "columns.columns.tournament_decimals"}
"""How a column is written, which changes no point."""

PRECISION = "decimals"
"""A parameter that the texts leave to a reading."""


class Number(NamedTuple):
    """A number of a clause, and where it stands."""

    clause: Clause
    title: str
    value: Decimal


def numbers_in(value: Any, *path: str) -> Iterator[tuple[str, Decimal]]:
    """Every number below a rule's JSON but 0, without its sign, with the names that lead to it."""
    match value:
        case dict():
            for name, part in value.items():
                yield from numbers_in(part, *path, name)
        case list() | tuple():
            for part in value:
                yield from numbers_in(part, *path)
        case int() | Decimal() if value and not isinstance(value, bool):
            yield ".".join(path), abs(Decimal(value))
        case _:
            pass


NUMBERS = [
    Number(clause, f"{system.id} {clause.number}: {name} {value}", value)
    for system in all_systems()
    for clause in system.clauses
    for rule in clause.rules
    for name, value in numbers_in(rule.model_dump(exclude={"kind"}), rule.kind)
    if name not in OF_THE_TABLE
]


def says(text: str, number: Decimal) -> bool:
    """Whether the text writes the number: 0.25, 0,25 or 0, 25; the number of a list's item, ``1)``, is none."""
    whole, _, decimals = format(number.normalize(), "f").partition(".")
    written = rf"{whole}[.,] ?{decimals}" if decimals else rf"{whole}(?![.,] ?[0-9])"
    return re.search(rf"(?<![0-9])(?<![0-9][.,])(?<![0-9][.,] ){written}(?![0-9)])", text) is not None


@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: number.title)
def test_a_number_stands_in_both_texts_of_its_clause(number: Number) -> None:
    if number.title in WRITTEN_OTHERWISE:
        return
    if f".{PRECISION} " in number.title:
        assert PRECISION in [reading.parameter for reading in number.clause.readings], (
            f"{number.title}: no reading of the clause says so; add one whose parameter is {PRECISION!r}"
        )
        return
    for language, text in (("Russian", number.clause.text.ru), ("English", number.clause.text.en)):
        assert says(text, number.value), (
            f"{number.title}: the {language} text does not say so; "
            "correct one of them, or give the reason in WRITTEN_OTHERWISE"
        )


def test_no_exception_is_left_over() -> None:
    assert set(WRITTEN_OTHERWISE) <= {number.title for number in NUMBERS}


@pytest.mark.parametrize(
    "text, number, said",
    [
        ("получает +0, 4 балла", "0.4", True),
        ("gets 0.4.", "0.4", True),
        ("gets 0.45", "0.4", False),
        ("gets 10.4", "0.4", False),
        ("от 0,3 до 0,8", "0.3", True),
        ("0,3 балла", "3", False),
        ("+0, 25 балла", "25", False),
        ("получает 2 балла", "2", True),
        ("2) Доктор", "2", False),
        ("на 20 человек", "2", False),
        ("100%", "100", True),
    ],
)
def test_how_a_number_is_looked_for(text: str, number: str, said: bool) -> None:
    assert says(text, Decimal(number)) is said
