"""NDJSON: a game a line, read as it arrives."""

import json
from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.sheets import read_ndjson, write_ndjson
from app.sheets.reading.lines import byte_lines

GAME = b'{"external_id":"a","outcome":"red","seats":[{"seat":1,"player":"Ann","role":"citizen"}]}'


def lines_and_codes(body: bytes) -> list[tuple[int, list[str]]]:
    return [(read.line, [violation.code for violation in read.violations]) for read in read_ndjson([body])]


def test_a_broken_line_is_reported_with_its_number_and_spoils_nothing_else() -> None:
    assert lines_and_codes(GAME + b"\n{broken\n" + GAME + b"\n") == [(1, []), (2, ["json"]), (3, [])]


def test_a_line_of_another_shape_says_where_and_keeps_its_external_id() -> None:
    (read,) = read_ndjson([b'{"external_id":"x-7","outcome":"red","seats":[{"seat":"1","player":"A","role":"don"}]}'])
    assert (read.game, read.external_id) == (None, "x-7")
    assert [(violation.code, violation.pointer) for violation in read.violations] == [("type", "/seats/0/seat")]


@pytest.mark.parametrize("line", [b"[]", b"null", b"7", b'"game"'])
def test_json_that_is_no_object_is_no_game(line: bytes) -> None:
    assert lines_and_codes(line) == [(1, ["type"])]


def test_blank_lines_are_counted_and_skipped() -> None:
    assert lines_and_codes(b"\n  \n" + GAME + b"\n\t\n\n" + GAME) == [(3, []), (6, [])]


def test_a_byte_order_mark_and_carriage_returns_are_fine() -> None:
    assert lines_and_codes(b"\xef\xbb\xbf" + GAME + b"\r\n" + GAME + b"\r\n") == [(1, []), (2, [])]


def test_nothing_gives_nothing() -> None:
    assert list(read_ndjson([])) == []
    assert list(read_ndjson([b"", b"\n"])) == []


def test_a_line_beyond_a_megabyte_is_one_fault_and_the_next_line_is_read() -> None:
    padded = GAME[:-1] + b',"judge":"' + b"x" * 1_000_000 + b'"}'
    assert lines_and_codes(padded + b"\n" + GAME) == [(1, ["too_long"]), (2, [])]


def test_a_line_of_exactly_a_megabyte_is_read() -> None:
    line = GAME + b" " * (1_000_000 - len(GAME))
    assert lines_and_codes(line + b"\n" + GAME) == [(1, []), (2, [])]


@pytest.mark.parametrize(
    "line",
    [
        GAME[:-1] + b',"outcome":"black"}',
        GAME.replace(b"1,", b"NaN,"),
        b"[" * 100_000,
        GAME.replace(b"Ann", b"\xff\xfe"),
        GAME.replace(b"Ann", rb"\ud800"),
        GAME.replace(b":1,", b":" + b"1" * 5000 + b","),
    ],
)
def test_what_strict_json_refuses_is_the_lines_own_fault(line: bytes) -> None:
    assert lines_and_codes(line + b"\n" + GAME) == [(1, ["json"]), (2, [])]


def test_games_come_out_as_they_arrive() -> None:
    arrived = []

    def chunks() -> Iterator[bytes]:
        for number in range(3):
            arrived.append(number)
            yield GAME + b"\n"

    games = read_ndjson(chunks())
    next(games)
    assert arrived == [0]
    next(games)
    assert arrived == [0, 1]


def test_what_breaks_off_in_a_line_gives_the_whole_lines_before_it_and_then_the_error() -> None:
    def chunks() -> Iterator[bytes]:
        yield GAME + b"\n" + GAME[:30]
        raise ConnectionError

    games = read_ndjson(chunks())
    assert next(games).line == 1
    with pytest.raises(ConnectionError):
        next(games)


@given(
    lines=st.lists(st.binary(max_size=8).map(lambda line: line.replace(b"\n", b"")), min_size=1, max_size=6),
    cuts=st.lists(st.integers(0, 60), max_size=6),
)
def test_lines_do_not_depend_on_how_the_bytes_are_cut(lines: list[bytes], cuts: list[int]) -> None:
    body = b"\n".join(lines) + b"\n"
    places = sorted({0, len(body), *(min(cut, len(body)) for cut in cuts)})
    chunks = [body[start:end] for start, end in pairwise(places)]
    assert list(byte_lines(chunks)) == lines


@given(size=st.integers(1, 40), chunk=st.integers(1, 7))
def test_a_long_line_is_cut_just_beyond_the_limit_however_it_arrives(size: int, chunk: int) -> None:
    body = b"x" * size + b"\nok\n"
    chunks = [body[start : start + chunk] for start in range(0, len(body), chunk)]
    assert list(byte_lines(chunks, most=10)) == [b"x" * min(size, 11), b"ok"]


def test_numbers_are_written_as_numbers_with_their_exact_decimals() -> None:
    wire = GAME.replace(b'"citizen"', b'"citizen","bonus":"0,30","bonus_note":"\xd1\x91"')
    (read,) = read_ndjson([wire])
    assert read.game is not None
    (line,) = write_ndjson([read.game])
    assert b'"bonus":0.3}' in line
    assert line.endswith(b"\n")
    assert json.loads(line)["seats"][0]["bonus_note"] == "ё"
