"""Which evening a game belongs to: numbers that begin anew, and what is written once for several games."""

from collections.abc import Sequence
from datetime import date

import pytest

from app.scoring.game import Game
from app.sheets import ReadGame, read_csv, write_csv
from tests.sheets.books import HEADER, of_rows
from tests.sheets.books import read as read_book
from tests.sheets.sheet import csv, faults, read

DATED = "Дата;Стол;Игра;Исход;Место;Игрок;Роль"


def dated(*rows: str, header: str = DATED) -> list[ReadGame]:
    return read("\n".join((header, *rows)).encode())


def game(first: str, seats: Sequence[int] = (1, 2, 3), rest: str | None = None) -> list[str]:
    """Rows of a game that begin with ``first``, the later ones with ``rest``."""
    starts = [first, *[first if rest is None else rest] * (len(seats) - 1)]
    return [f"{start};ничья;{seat};P{seat};мирный" for start, seat in zip(starts, seats, strict=True)]


def where(found: list[ReadGame]) -> list[tuple[int, date | None, int | None, int | None, int]]:
    assert [violation.message("en") for one in found for violation in one.violations] == []
    return [
        (one.line, one.game.played_on, one.game.table, one.game.number, len(one.game.seats))
        for one in found
        if one.game is not None
    ]


MARCH_12, MARCH_19 = date(2026, 3, 12), date(2026, 3, 19)


def test_numbers_may_begin_anew_each_evening_and_at_each_table() -> None:
    rows = [
        *game("12.03.26;1;1"), *game("12.03.26;1;2"), *game("12.03.26;2;1"), *game("12.03.26;2;2"),
        *game("19.03.26;1;1"), *game("19.03.26;1;2"),
    ]  # fmt: skip
    assert where(dated(*rows)) == [
        (2, MARCH_12, 1, 1, 3), (5, MARCH_12, 1, 2, 3), (8, MARCH_12, 2, 1, 3), (11, MARCH_12, 2, 2, 3),
        (14, MARCH_19, 1, 1, 3), (17, MARCH_19, 1, 2, 3),
    ]  # fmt: skip


def test_evenings_of_one_game_and_tables_of_one_round_are_told_apart_by_day_or_table() -> None:
    """``Игра`` is 1 all the way down."""
    rows = [*game("12.03.26;1;1"), *game("19.03.26;1;1"), *game("19.03.26;2;1", (3, 1, 2)), *game("26.03.26;2;1")]
    assert [(day, table) for _, day, table, _, _ in where(dated(*rows))] == [
        (MARCH_12, 1), (MARCH_19, 1), (MARCH_19, 2), (date(2026, 3, 26), 2),
    ]  # fmt: skip


def test_the_number_is_kept_where_day_and_table_stand_beside_it() -> None:
    assert [number for _, _, _, number, _ in where(dated(*game("12.03.26;1;№ 7")))] == [7]
    assert [number for _, _, _, number, _ in where(dated(*game("12.03.26;1;A")))] == [None]
    assert [number for _, _, _, number, _ in where(dated(*game("12.03.26;1;20260312")))] == [None]
    header = "Дата;Игра;Исход;Место;Игрок;Роль"
    assert [number for _, _, _, number, _ in where(dated(*game("12.03.26;7"), header=header))] == [None]
    header = "Дата;Стол;Игра;Номер;Исход;Место;Игрок;Роль"
    assert [number for _, _, _, number, _ in where(dated(*game("12.03.26;1;7;2"), header=header))] == [2]


def test_another_day_in_the_middle_of_a_game_is_a_contradiction() -> None:
    rows = game("12.03.26;1;1")
    rows[1] = rows[1].replace("12.03.26", "13.03.26")
    (found,) = dated(*rows)
    assert faults(found) == [("contradiction", "/rows/3/Дата")]


def test_a_game_that_may_have_lost_its_first_rows_to_the_one_above_is_not_taken() -> None:
    """Seat 3 of the second game is free in the first, so its row could belong to either."""
    rows = [*game("12.03.26;1;1", (1, 2)), *game("19.03.26;1;1", (3, 1, 2))]
    first, second = dated(*rows)
    assert faults(first) == [("contradiction", "/rows/4/Дата")]
    assert faults(second) == [("contradiction", "/rows/4")]
    assert "row 4 may belong to this game" in second.violations[0].message("en")


def test_an_external_id_says_which_game_it_is_whatever_the_day() -> None:
    header = "external_id,Дата,seat,player,role,outcome"
    (found,) = read(csv("a,12.03.26,1,A,don,draw", "a,13.03.26,1,B,don,draw", header=header))
    assert faults(found) == [("contradiction", "/rows/3/Дата")]


def test_the_day_of_an_evening_may_be_written_once() -> None:
    rows = [
        *game("12.03.26;1;1", rest=";;"), *game(";1;2", rest=";;"), *game(";2;1", rest=";;"),
        *game("19.03.26;1;1", rest=";;"), *game(";;2", rest=";;"),
    ]  # fmt: skip
    assert [(day, table, number) for _, day, table, number, _ in where(dated(*rows))] == [
        (MARCH_12, 1, 1), (MARCH_12, 1, 2), (MARCH_12, 2, 1), (MARCH_19, 1, 1), (MARCH_19, 1, 2),
    ]  # fmt: skip


@pytest.mark.parametrize("key", ["game", "number", "external_id"])
def test_the_day_is_carried_down_whatever_tells_games_apart(key: str) -> None:
    header = f"{key},Дата,seat,player,role,outcome"
    rows = ("1,12.03.26,1,A,don,draw", "2,,1,A,don,draw", "3,,1,A,don,", ",,2,B,don,draw", "4,19.03.26,1,A,don,draw")
    days = [one.game and one.game.played_on for one in read(csv(*rows, header=header))]
    assert days == [MARCH_12, MARCH_12, MARCH_12, MARCH_19]


def test_the_day_is_carried_down_in_a_workbook() -> None:
    rows = [(1, 1, "A", "don", "draw", "12.03.2026"), (2, 1, "A", "don", "draw"), (3, 1, "A", "don", "draw", "-")]
    found = read_book(of_rows(*rows, header=(*HEADER, "Дата")))
    assert [one.game and one.game.played_on for one in found] == [MARCH_12, MARCH_12, None]


def test_a_row_that_says_only_the_day_begins_an_evening() -> None:
    rows = ["12.03.26;;;;;;", *game(";1;1"), *game(";1;2"), "19.03.26;;;;;;", *game(";1;1"), "20.03.26;3;;;;;"]
    rows += game(";;1")
    assert where(dated(*rows)) == [
        (3, MARCH_12, 1, 1, 3), (6, MARCH_12, 1, 2, 3), (10, MARCH_19, 1, 1, 3), (14, date(2026, 3, 20), 3, 1, 3),
    ]  # fmt: skip


def test_a_day_that_is_told_in_a_later_row_of_the_game_is_its_day() -> None:
    rows = [*game("12.03.26;1;1"), *game(";1;2", (1, 2)), *game("19.03.26;1;2", (3,))]
    assert [day for _, day, _, _, _ in where(dated(*rows))] == [MARCH_12, MARCH_19]


def test_games_above_the_first_day_have_none() -> None:
    rows = [*game(";1;1"), *game("12.03.26;1;2")]
    assert [day for _, day, _, _, _ in where(dated(*rows))] == [None, MARCH_12]


def test_a_new_evening_without_a_day_is_refused_where_its_numbers_begin_anew() -> None:
    rows = [*game("12.03.26;1;1"), *game(";1;2"), *game(";1;1")]
    *_, found = dated(*rows)
    assert faults(found) == [("rows_apart", "/rows/8")]
    assert found.violations[0].message("en") == (
        "game 1 2026-03-12 1 already appeared in row 2; "
        "if this is another evening or table, fill in its day or table here"
    )


@pytest.mark.parametrize("written", ["12.o3.26", "03/04/2026"])
def test_games_below_a_day_that_could_not_be_read_are_refused(written: str) -> None:
    """Not given the day before it, nor today's."""
    rows = [*game("12.03.26;1;1"), *game(f"{written};1;2"), *game(";1;3"), *game("19.03.26;1;1")]
    first, second, third, fourth = dated(*rows)
    assert [one.game is None for one in (first, second, third, fourth)] == [False, True, True, False]
    assert faults(third) == [("missing", "/rows/8/Дата")]
    assert "the value above, in row 5, could not be read" in third.violations[0].message("en")


def test_games_below_days_that_contradict_each_other_are_refused() -> None:
    rows = game("12.03.26;1;1")
    rows[1] = rows[1].replace("12.03.26", "13.03.26")
    _, second = dated(*rows, *game(";1;2"))
    assert faults(second) == [("missing", "/rows/5/Дата")]


def test_games_below_a_row_that_could_not_be_read_are_refused() -> None:
    """The new day may have stood in it."""
    rows = [*game("12.03.26;1;1"), '"12.03.26;1;2;ничья;1;P1;мирный', *game(";1;3")]
    found = dated(*rows)
    assert [one.game is None for one in found] == [False, True, True]


@pytest.mark.parametrize("end", ["-", "—"])
def test_a_dash_ends_the_evening(end: str) -> None:
    rows = [*game("12.03.26;1;1"), *game(f"{end};{end};2"), *game(";;3")]
    assert [(day, table) for _, day, table, _, _ in where(dated(*rows))] == [(MARCH_12, 1), (None, None), (None, None)]


def test_a_table_is_not_carried_into_another_day() -> None:
    rows = [*game("12.03.26;2;1"), *game(";;2"), *game("19.03.26;;1"), *game(";;2")]
    assert [(day, table) for _, day, table, _, _ in where(dated(*rows))] == [
        (MARCH_12, 2), (MARCH_12, 2), (MARCH_19, None), (MARCH_19, None),
    ]  # fmt: skip


def test_what_is_written_does_not_give_a_game_the_day_or_table_of_another() -> None:
    facts = {"outcome": "draw", "seats": [{"seat": 1, "player": "A", "role": "don"}]}
    games = [
        Game.read({**facts, **when})
        for when in ({}, {"played_on": "2026-03-12", "table": 2}, {}, {"table": 1}, {"played_on": "2026-03-19"}, {})
    ]
    assert [one.game for one in read_csv(write_csv(games, "ru"))] == games
    assert [one.game for one in read_csv(write_csv(games))] == games


def test_an_outcome_that_is_a_dash_is_missing() -> None:
    (found,) = read(csv("1,1,A,don,-"))
    assert faults(found) == [("missing", "/rows/2/outcome")]
