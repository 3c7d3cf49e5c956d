"""Cells that speak of the player of their row or name a seat: whose they are, and when that is refused."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import pytest

from app.sheets import ReadGame, read_csv
from tests.sheets.sheet import HEADER, csv, faults, read

BY_TEAM = (2, 5, 8, 1, 3, 4, 6, 7, 9, 10)
"""Seats of a sheet that is sorted by team: black players first."""


def rows(game: str, cells: dict[int, str], seats: Sequence[int] = BY_TEAM) -> list[str]:
    """Rows of a game; ``cells``: what stands in the last columns in the row of each seat."""
    return [f"{game},{seat},P{seat},don,draw,{cells.get(seat, '')}" for seat in seats]


def sheet(*games: list[str], column: str = "ПУ") -> list[ReadGame]:
    return read(csv(*(row for game in games for row in game), header=f"{HEADER},{column}"))


def killed(found: list[ReadGame]) -> list[Any]:
    return [one.game and one.game.canonical().get("first_kill", {}).get("seat") for one in found]


NINE_IN_FRONT = rows("a", {2: "9"})
ONE_IN_FRONT = rows("b", {2: "1"})


def test_a_one_in_a_games_first_row_names_seat_1_where_other_games_name_seats_there() -> None:
    assert killed(sheet(NINE_IN_FRONT, ONE_IN_FRONT)) == [9, 1]


def test_games_that_come_later_decide_too() -> None:
    third = rows("c", {2: "4"})
    found = sheet(ONE_IN_FRONT, rows("d", {2: "1"}), rows("e", {}), third)
    assert killed(found) == [1, 1, None, 4]
    assert [one.line for one in found] == [2, 12, 22, 32]


@pytest.mark.parametrize("mark", [{7: "+"}, {7: "1"}, {7: "да"}, {2: "0", 7: "1"}])
def test_a_one_in_a_games_first_row_is_its_players_where_other_games_mark_players(mark: dict[int, str]) -> None:
    assert killed(sheet(rows("a", mark), ONE_IN_FRONT)) == [7, 2]
    assert killed(sheet(ONE_IN_FRONT, rows("a", mark))) == [2, 7]


def test_a_one_that_nothing_explains_is_refused_with_both_meanings() -> None:
    (found,) = sheet(ONE_IN_FRONT)
    assert faults(found) == [("value", "/rows/2/ПУ")]
    assert found.violations[0].message("en") == (
        "row 2, column ПУ: expected + if it means seat 2, or [1] if it means seat 1, found '1'"
    )
    assert "+, если это место 2, или [1], если это место 1" in found.violations[0].message("ru")
    assert killed(sheet(rows("b", {2: "+"}))) == [2]
    assert killed(sheet(rows("b", {2: "[1]"}))) == [1]


def test_a_one_is_refused_where_other_games_do_both() -> None:
    found = sheet(NINE_IN_FRONT, rows("c", {7: "+"}), ONE_IN_FRONT)
    assert killed(found) == [9, 7, None]
    assert faults(found[2]) == [("value", "/rows/22/ПУ")]


def test_a_one_in_the_middle_of_a_game_is_its_players_unless_other_games_name_seats() -> None:
    assert killed(sheet(rows("a", {7: "1"}))) == [7]
    found = sheet(NINE_IN_FRONT, rows("b", {7: "1"}))
    assert killed(found) == [9, None]
    assert faults(found[1]) == [("value", "/rows/19/ПУ")]


@pytest.mark.parametrize(
    "cells, seat",
    [
        ({1: "1"}, 1),  # both meanings are the same
        ({seat: "1" if seat == 2 else "0" for seat in BY_TEAM}, 2),
        ({2: "1", 5: "нет"}, 2),
        (dict.fromkeys(BY_TEAM, "1"), 1),
        (dict.fromkeys(BY_TEAM, "9"), 9),
        ({2: "2"}, 2),
        ({2: "№1"}, 1),
    ],
)
def test_a_game_may_leave_no_doubt_by_itself(cells: dict[int, str], seat: int) -> None:
    assert killed(sheet(rows("a", cells))) == [seat]


def test_a_one_cannot_name_seat_1_where_nobody_sits_there() -> None:
    assert killed(sheet(rows("a", {4: "1"}, (4, 5)))) == [4]


def test_a_one_in_a_row_of_its_own_names_seat_1() -> None:
    own = ["b,,,,draw,1"]
    assert killed(sheet([*own, *rows("b", {})])) == [1]
    assert killed(sheet([*rows("b", {}), *own])) == [1]


def test_twenty_games_are_waited_for_and_no_more() -> None:
    doubtful = [rows(f"b{n}", {2: "1"}) for n in range(20)]
    assert killed(sheet(*doubtful, NINE_IN_FRONT)) == [1] * 20 + [9]
    one_more = [*doubtful, rows("c", {2: "1"})]
    assert killed(sheet(*one_more, NINE_IN_FRONT)) == [None] + [1] * 20 + [9]


def test_games_that_leave_no_doubt_wait_for_none() -> None:
    def chunks() -> Iterator[bytes]:
        for number in range(400):
            yield csv(*rows(f"a{number}", {2: "9"}), "", header=f"{HEADER},ПУ" if number == 0 else "")
        raise ConnectionError

    games = read_csv(chunks())
    assert len(list(islice(games, 399))) == 399
    with pytest.raises(ConnectionError):
        next(games)


@pytest.mark.parametrize("column, field", [("ППК", "ppk"), ("Сделал ничью", "draw_makers")])
def test_the_same_goes_for_every_column_of_marks(column: str, field: str) -> None:
    def marked(*games: list[str]) -> list[Any]:
        return [one.game and one.game.canonical().get(field) for one in sheet(*games, column=column)]

    assert marked(rows("a", {2: "9 4"}), ONE_IN_FRONT) == [(9, 4), (1,)]
    assert marked(rows("a", {7: "+", 9: "+"}), ONE_IN_FRONT) == [(7, 9), (2,)]
    assert marked(rows("a", {2: "1", 9: "1"}), ONE_IN_FRONT) == [(2, 9), (2,)]
    assert marked(ONE_IN_FRONT) == [None]


MOVE_IN_FRONT = rows("b", {2: "3 8 9"})


def moves(*games: list[str]) -> list[Any]:
    return [one.game and one.game.canonical()["first_kill"] for one in sheet(*games, column="ЛХ")]


def test_a_best_move_in_a_games_first_row_alone_says_not_who_was_killed_first() -> None:
    (found,) = sheet(MOVE_IN_FRONT, column="ЛХ")
    assert faults(found) == [("value", "/rows/2/ЛХ")]
    english, russian = found.violations[0].message("en"), found.violations[0].message("ru")
    assert "the best move in the row of the player killed first, or a column first_kill (ПУ)" in english
    assert "that of seat 2 or of the whole game" in english
    assert "столбец «ПУ»" in russian
    assert "ходом места 2 или записью обо всей игре" in russian


def test_best_moves_in_other_rows_say_that_they_are_their_players() -> None:
    other = rows("a", {7: "3 8 9"})
    expected = [{"seat": 7, "best_move": (3, 8, 9)}, {"seat": 2, "best_move": (3, 8, 9)}]
    assert moves(other, MOVE_IN_FRONT) == expected
    assert moves(MOVE_IN_FRONT, other) == expected[::-1]


def test_best_moves_in_first_rows_only_are_refused_every_time() -> None:
    found = sheet(MOVE_IN_FRONT, rows("c", {2: "4 5 6"}), column="ЛХ")
    assert [one.game for one in found] == [None, None]


def test_a_sheet_that_is_sorted_by_team_comes_in_right() -> None:
    """First kill and best move stand in the first row of each game, beside what concerns the game."""
    games = (
        rows("a", {2: "9,1 5 2"}),
        rows("b", {2: "1,2 5 8"}),
        rows("c", {2: "2,6 9 10"}),
        rows("d", {2: "5,"}),
    )
    found = sheet(*games, column="ПУ,ЛХ")
    assert [one.game and one.game.canonical()["first_kill"] for one in found] == [
        {"seat": 9, "best_move": (1, 5, 2)},
        {"seat": 1, "best_move": (2, 5, 8)},
        {"seat": 2, "best_move": (6, 9, 10)},
        {"seat": 5},
    ]
