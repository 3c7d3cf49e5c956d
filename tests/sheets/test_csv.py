"""CSV as text: encodings, delimiters, quotes, broken rows, and what a file must have to be read at all."""

from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.sheets import read_csv
from app.validation import UnreadableFile
from tests.sheets.sheet import HEADER, club_rows, csv, faults, one_game, read

RUSSIAN = "Игра;Место;Игрок;Роль;Исход;Доп"


def russian(*rows: list[str]) -> str:
    return "\r\n".join((RUSSIAN, *(";".join(row) for row in rows))) + "\r\n"


def bonuses_and_names(body: bytes) -> list[tuple[str, str]]:
    return [(seat.player, str(seat.bonus)) for seat in one_game(body).seats if seat.bonus]


GAME = russian(*club_rows("1", cells={2: ["0,25"]})).replace("Игрок 2", "Ёжик")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1251", "utf-16"])
def test_a_sheet_with_semicolons_and_decimal_commas_is_read_in_the_encodings_of_spreadsheets(encoding: str) -> None:
    assert bonuses_and_names(GAME.encode(encoding)) == [("Ёжик", "0.25")]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_delimiters_and_line_ends_are_found_out(delimiter: str, end: str) -> None:
    body = GAME.replace("0,25", "0.25").replace(";", delimiter).replace("\r\n", end)
    assert bonuses_and_names(body.encode()) == [("Ёжик", "0.25")]


def test_decimal_commas_in_a_sheet_with_commas_stand_in_quotes() -> None:
    assert bonuses_and_names(GAME.replace("0,25", '"0,25"').replace(";", ",").encode()) == [("Ёжик", "0.25")]


def test_a_decimal_comma_without_quotes_is_told_and_what_to_do() -> None:
    (found,) = read(GAME.replace(";", ",").encode())
    assert faults(found) == [("unknown_field", "/rows/3/#7")]
    assert "decimal commas need quotes" in found.violations[0].message("en")


def test_a_sheet_that_names_its_delimiter_first_is_read_and_its_rows_are_counted_from_there() -> None:
    (found,) = read(("sep=;\r\n" + GAME).encode())
    assert found.game is not None
    assert found.line == 3


def test_titles_may_stand_above_the_header() -> None:
    (found,) = read(("Клуб;;;\nсезон 2025;;;\n\n" + GAME).encode("cp1251"))
    assert found.game is not None
    assert found.line == 5


def test_windows_1251_is_told_from_utf_8_after_any_number_of_plain_lines() -> None:
    rows = [f"{number},1,Player {number},citizen,red" for number in range(20_000)]
    body = csv(*rows) + "\n20000,1,Вий,citizen,red".encode("cp1251")
    *_, last = read(body[start : start + 1000] for start in range(0, len(body), 1000))
    assert last.game is not None
    assert last.game.seats[0].player == "Вий"


@pytest.mark.parametrize("at", [0, 1, 5])
def test_one_broken_line_does_not_make_utf_8_windows_1251(at: int) -> None:
    rows = [f"{number},1,Вий,citizen,red".encode() for number in range(6)]
    rows[at] = b"7,1,\xc2,citizen,red"
    found = read(HEADER.encode() + b"\n" + b"\n".join(rows))
    assert [read.line for read in found if read.game is None] == [at + 2]
    assert {seat.player for read in found if read.game for seat in read.game.seats} == {"Вий"}
    assert faults(found[at]) == [("value", f"/rows/{at + 2}/player")]
    assert "UTF-8 or Windows-1251" in found[at].violations[0].message("en")


def test_windows_1251_does_not_know_every_byte() -> None:
    (found,) = read(HEADER.encode() + b"\n1,1,\xc2\xe8\xe9 \x98,citizen,red")
    assert faults(found) == [("value", "/rows/2/player")]


def test_quoted_cells_hold_delimiters_quotes_and_line_breaks() -> None:
    header = HEADER + ",bonus_note"
    game = one_game(csv('1,4,"Ann ""A"", B",citizen,red,"one', 'two"', header=header))
    assert (game.seats[0].player, game.seats[0].bonus_note) == ('Ann "A", B', "one\ntwo")


def test_a_row_of_several_lines_is_one_row() -> None:
    header = '"game",seat,player,role,outcome,bonus_note'
    found = read(csv('1,1,A,citizen,red,"one', 'two"', "2,1,A,citizen,red,", header=header))
    assert [read.line for read in found] == [2, 3]


@pytest.mark.parametrize("broken", ['2,1,"Bob,citizen,red', '2,1,"Bob"x,citizen,red', '2,1,"Bob,"citizen",red'])
def test_a_quote_out_of_place_spoils_its_own_game_only(broken: str) -> None:
    found = read(csv("1,1,Ann,citizen,red", broken, "2,2,Ed,don,red", "3,1,Cid,citizen,red", "4,1,Dan,citizen,red"))
    assert [(read.line, read.game is None) for read in found] == [(2, False), (4, True), (5, False), (6, False)]
    assert faults(found[1]) == [("row", "/rows/3")]


def test_a_quote_that_is_never_closed_costs_one_row_of_a_long_sheet() -> None:
    rows = [f"{number},1,Player {number},citizen,red" for number in range(30_000)]
    rows[100] = '100,1,"Ann,citizen,red'
    found = read(csv(*rows))
    assert len(found) == 30_000
    assert [read.line for read in found if read.game is None] == [102]


def test_a_quote_within_a_cell_is_a_letter() -> None:
    assert one_game(csv('1,1,Ann "A" B,citizen,red')).seats[0].player == 'Ann "A" B'


@pytest.mark.parametrize("length", [140_000, 300_000, 1_500_000])
def test_a_row_beyond_all_length_spoils_its_own_game_only(length: int) -> None:
    found = read(csv("1,1,Ann,citizen,red", f'2,1,"{"x" * length}",citizen,red', "3,1,Cid,citizen,red"))
    assert [(read.line, read.game is None) for read in found] == [(2, False), (3, True), (4, False)]


@pytest.mark.parametrize(
    "cells, fault", [(150_000, ("unknown_field", "/rows/3/#150005")), (900_000, ("row", "/rows/3"))]
)
def test_a_million_cells_in_a_row_spoil_its_own_game_only(cells: int, fault: tuple[str, str]) -> None:
    found = read(csv("1,1,Ann,citizen,red", "2,1,Bob,citizen,red" + "," * cells + "x", "3,1,Cid,citizen,red"))
    assert [(read.line, read.game is None) for read in found] == [(2, False), (3, True), (4, False)]
    assert faults(found[1]) == [fault]


def test_games_come_out_as_they_arrive() -> None:
    arrived = 0

    def chunks() -> Iterator[bytes]:
        nonlocal arrived
        yield HEADER.encode() + b"\n"
        for number in range(100_000):
            arrived += 1
            yield f"{number},1,Ann,citizen,red\n".encode()

    next(read_csv(chunks()))
    assert arrived < 10_000


def test_what_breaks_off_in_a_game_gives_the_whole_games_before_it_and_then_the_error() -> None:
    def chunks() -> Iterator[bytes]:
        yield csv("1,1,Ann,citizen,red", "2,1,Bob,citizen,red", "")
        raise ConnectionError

    games = read_csv(chunks())
    with pytest.raises(ConnectionError):
        next(games)

    def after_64_kb() -> Iterator[bytes]:
        yield csv(*(f"{number},1,Ann,citizen,red" for number in range(10_000)), "")
        raise ConnectionError

    seen = []
    with suppress(ConnectionError):
        for found in read_csv(after_64_kb()):
            seen.append(found.line)
    assert seen == list(range(2, len(seen) + 2))
    assert 0 < len(seen) < 10_000


@given(cuts=st.lists(st.integers(0, 700), max_size=8))
def test_a_sheet_reads_the_same_however_its_bytes_are_cut(cuts: list[int]) -> None:
    body = ("sep=;\r\n" + GAME).encode("utf-8-sig")
    places = sorted({0, len(body), *(min(cut, len(body)) for cut in cuts)})
    (found,) = read(body[start:end] for start, end in pairwise(places))
    assert found.line == 3
    assert found.game is not None
    assert found.game.seats[1].player == "Ёжик"


def problems(body: bytes) -> list[tuple[str, str]]:
    with pytest.raises(UnreadableFile) as caught:
        read(body)
    return [(violation.code, violation.pointer) for violation in caught.value.violations]


@pytest.mark.parametrize("body", [b"", b"\n\n", b"\xff\xfe", b"just text", b"1,2,3\n4,5,6", b"\x00" * 100])
def test_without_a_header_nothing_is_read(body: bytes) -> None:
    assert problems(body) == [("missing", "/rows/1")]


def test_an_unknown_column_is_named_with_a_suggestion() -> None:
    with pytest.raises(UnreadableFile) as caught:
        read(b"game,seat,palyer,role,outcome\n")
    found, missing = caught.value.violations
    assert (found.code, found.pointer, found.suggestions[0]) == ("unknown_field", "/rows/1/palyer", "player")
    assert found.message("en") == "unknown column: palyer; did you mean player?"
    assert missing.message("en") == "column player (Игрок) is missing"


def test_no_column_is_suggested_that_is_there_already() -> None:
    with pytest.raises(UnreadableFile) as caught:
        read(b"game,seat,players,player,role,outcome\n")
    (found,) = caught.value.violations
    assert "player" not in found.suggestions


def test_all_that_is_wrong_with_a_header_is_told_at_once() -> None:
    assert problems("Игра,Место,Место,Ролль,Баллы\n".encode()) == [
        ("column_twice", "/rows/1/Место"),
        ("unknown_field", "/rows/1/Ролль"),
        ("unknown_field", "/rows/1/Баллы"),
        ("missing", "/rows/1"),
        ("missing", "/rows/1"),
        ("missing", "/rows/1"),
    ]


def test_a_sheet_must_tell_one_game_from_the_next() -> None:
    assert problems(b"seat,player,role,outcome\n") == [("missing", "/rows/1")]


def test_a_slash_in_a_columns_name_is_escaped_in_pointers() -> None:
    assert problems(b"game,seat,player,role,outcome,a/b~c\n") == [("unknown_field", "/rows/1/a~1b~0c")]


def test_a_header_of_a_thousand_columns_is_refused() -> None:
    assert problems(("game,seat,player,role,outcome," + ",".join(map(str, range(1000)))).encode()) == [
        ("too_long", "/rows/1")
    ]


@pytest.mark.parametrize(
    "columns, cells, split",
    [
        ("Доп,ПУ,ЛХ", "0,3,,", "0,3"),
        ("Доп,Фолы", "-0,25,", "-0,25"),
        ("ЛХ,Фолы,Доп", "3,8,9,,", "3,8"),
        ("ПУ,Доп", ",0,3", None),
        ("Доп,ПУ", '"0,3",,', None),
        ("Доп,ПУ", "0.3,,", None),
        ("Доп,ПУ", "0,,", None),
        ("Фолы,Стол", "2,1,", None),
    ],
)
def test_a_decimal_comma_that_may_have_split_a_cell_is_an_error(columns: str, cells: str, split: str | None) -> None:
    """0,3 without quotes would be no bonus, and seat 3 killed first. Commas after the last cell alone are nothing."""
    content = f"Игра,Место,Игрок,Роль,Исход,{columns}\n1,1,A,don,draw,{cells}\n1,2,B,don,,\n".encode()
    (found,) = read_csv([content])
    if split is not None:
        assert [(fault.code, fault.pointer, fault.actual) for fault in found.violations] == [("row", "/rows/2", split)]
    elif columns == "ПУ,Доп":
        assert [(fault.code, fault.pointer) for fault in found.violations] == [("unknown_field", "/rows/2/#8")]
    else:
        assert found.game is not None
