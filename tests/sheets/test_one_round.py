"""All that is wrong with a sheet is told at once: header, cells, and what the regulation forbids."""

from collections.abc import Iterator

import pytest

from app.scoring.rule_system import RuleSystem
from app.scoring.systems import find_system
from app.sheets import ReadGame, read_csv
from app.validation import UnreadableFile
from tests.sheets.sheet import ROLES, csv

FAMILY = find_system("maffamily")
HEADER = "Игра;Место;Игрок;Роль;Исход;Доп;ПУ;ЛХ;Фолы"


def rows(changed: dict[int, dict[str, str]], header: str = HEADER) -> list[str]:
    """A good game of maffamily, with other cells in some seats."""
    names = header.split(";")
    lines = []
    for seat, role in enumerate(ROLES, start=1):
        usual = {"Игра": "1", "Место": str(seat), "Игрок": f"P{seat}", "Роль": role, "Исход": "красные"}
        cells = {**usual, **changed.get(seat, {})}
        lines.append(";".join(cells.get(name, "") for name in names))
    return lines


def told(changed: dict[int, dict[str, str]], system: str = "maffamily") -> list[tuple[str, str]]:
    rules = find_system(system)
    (read,) = read_csv([csv(*rows(changed), header=HEADER)], rules)
    return codes(read, rules)


def codes(read: ReadGame, rules: RuleSystem = FAMILY) -> list[tuple[str, str]]:
    return [(found.code, found.pointer) for found in read.faults(rules.check)]


def test_a_good_game_is_good() -> None:
    assert told({}) == []


@pytest.mark.parametrize(
    "cells, fault",
    [
        ({3: {"Роль": "мирнй"}}, ("value", "/rows/4/Роль")),
        ({3: {"Роль": ""}}, ("missing", "/rows/4/Роль")),
        ({3: {"Игрок": ""}}, ("missing", "/rows/4/Игрок")),
        ({3: {"Место": "три"}}, ("value", "/rows/4/Место")),
        ({3: {"Доп": "много"}}, ("value", "/rows/4/Доп")),
        ({3: {"Фолы": "?"}}, ("value", "/rows/4/Фолы")),
        ({seat: {"Исход": ""} for seat in range(1, 11)}, ("missing", "/rows/2/Исход")),
        ({1: {"Исход": "белые"}}, ("value", "/rows/2/Исход")),
        ({3: {"Исход": "чёрные"}}, ("contradiction", "/rows/4/Исход")),
        ({3: {"ПУ": "третий"}}, ("value", "/rows/4/ПУ")),
        ({3: {"ЛХ": "три"}}, ("value", "/rows/4/ЛХ")),
    ],
)
def test_a_faulty_cell_hides_no_fault_of_another_seat(cells: dict[int, dict[str, str]], fault: tuple[str, str]) -> None:
    """maffamily allows bonuses of 0.4 at most."""
    assert told(cells) == [fault]
    excess = {5: {**cells.get(5, {}), "Доп": "0,9"}}
    assert told({**cells, **excess}) == [fault, ("bonus_range", "/rows/6/Доп")]


def test_what_a_mended_cell_may_set_right_is_not_told() -> None:
    """With one role unknown there may be a sheriff; a best move may have had its first kill."""
    assert told({6: {"Роль": "шреиф"}}) == [("value", "/rows/7/Роль")]
    assert told({3: {"ПУ": "?", "ЛХ": "1 2 4"}}) == [("value", "/rows/4/ПУ")]
    assert told({3: {"Место": "?", "ПУ": "+", "ЛХ": "1 2 4"}}) == [("value", "/rows/4/Место")]


def test_what_no_mended_cell_sets_right_is_told() -> None:
    """One player in two seats, whatever the unknown role is; a best move that names a seat twice."""
    assert told({6: {"Роль": "шреиф"}, 3: {"Игрок": "P1", "ПУ": "+", "ЛХ": "1 1 2"}}) == [
        ("value", "/rows/7/Роль"),
        ("player_duplicate", "/rows/4/Игрок"),
        ("best_move_duplicate", "/rows/4/ЛХ"),
    ]


def test_shapes_are_told_beside_faulty_cells() -> None:
    assert told({2: {"Доп": "много"}, 7: {"Игрок": "x" * 65}}) == [
        ("value", "/rows/3/Доп"),
        ("too_long", "/rows/8/Игрок"),
    ]


def test_a_game_with_rows_missing_is_not_judged() -> None:
    lines = rows({5: {"Доп": "0,9"}})
    lines[2] = '1;3;"P3;мирный;красные;;;;'
    (read,) = read_csv([csv(*lines, header=HEADER)], FAMILY)
    assert codes(read) == [("row", "/rows/4")]


def test_with_many_cells_in_doubt_only_they_are_told() -> None:
    spoiled = {seat: {"Роль": "?"} for seat in range(1, 8)} | {9: {"Доп": "0,9"}}
    assert {code for code, _ in told(spoiled)} == {"value"}


def refused(header: str, *lines: str) -> list[tuple[str, str]]:
    with pytest.raises(UnreadableFile) as caught:
        list(read_csv([csv(*lines, header=header)], FAMILY))
    return [(found.code, found.pointer) for found in caught.value.violations]


def test_a_faulty_header_hides_no_cell_and_no_rule() -> None:
    faulty = {2: {"Фолы": "?"}, 5: {"Доп": "0,9"}}
    lines = [f"{line};x" for line in rows(faulty)]
    assert refused(HEADER + ";Баллы", *lines) == [
        ("unknown_field", "/rows/1/Баллы"),
        ("value", "/rows/3/Фолы"),
        ("bonus_range", "/rows/6/Доп"),
    ]
    assert refused(HEADER + ";Доп", *[f"{line};0,9" for line in rows(faulty)]) == [
        ("column_twice", "/rows/1/Доп"),
        ("value", "/rows/3/Фолы"),
        ("bonus_range", "/rows/6/Доп"),
    ]


@pytest.mark.parametrize("column", ["Роль", "Место", "Игрок", "Исход", "Игра"])
def test_cells_are_told_where_a_required_column_is_missing(column: str) -> None:
    header = ";".join(name for name in HEADER.split(";") if name != column)
    found = refused(header, *rows({2: {"Фолы": "?"}, 5: {"Доп": "0,9"}}, header))
    assert found == [("missing", "/rows/1"), ("value", "/rows/3/Фолы")]


def test_a_faulty_header_of_a_long_sheet_is_told_without_reading_it_all() -> None:
    arrived = 0

    def chunks() -> Iterator[bytes]:
        nonlocal arrived
        yield (HEADER + ";Баллы\n").encode()
        for number in range(100_000):
            arrived += 1
            yield f"{number};1;Ann;дон;ничья;?;;;\n".encode()

    with pytest.raises(UnreadableFile) as caught:
        next(read_csv(chunks(), FAMILY))
    assert len(caught.value.violations) == 101
    assert arrived < 10_000
