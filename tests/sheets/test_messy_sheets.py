"""Sheets as leagues really keep them: which rows make a game, what may be left out, what contradicts itself."""

from pathlib import Path
from typing import Any

import pytest

from app.scoring.systems import find_system
from app.sheets.vocabulary.columns import COLUMNS
from tests.sheets.sheet import HEADER, ROLES, club_rows, csv, facts, faults, one_game, read


def sheet(header: str, *rows: list[str]) -> bytes:
    return ("\n".join([header, *(";".join(row) for row in rows)])).encode()


CLUB = "Игра;Место;Игрок;Роль;Исход"


def test_a_clubs_sheet_is_a_game() -> None:
    found = facts(sheet(CLUB + ";ПУ;ЛХ;Доп", *club_rows("12", cells={3: ["ПУ", "2 4 7", "0,3"]})))
    assert found["outcome"] == "red"
    assert found["first_kill"] == {"seat": 3, "best_move": (2, 4, 7)}
    assert [seat["role"] for seat in found["seats"]].count("citizen") == ROLES.count("мирный")
    assert find_system("maffamily").check(one_game(sheet(CLUB, *club_rows("1")))) == []


def test_what_concerns_the_whole_game_may_stand_in_its_first_row_only() -> None:
    rows = club_rows("1") + club_rows("2", outcome="черные")
    for row in rows:
        if row[1] != "1":
            row[0] = row[4] = ""
    found = read(sheet(CLUB, *rows))
    assert [read.game and (read.game.outcome, len(read.game.seats)) for read in found] == [("red", 10), ("black", 10)]
    assert [read.line for read in found] == [2, 12]


def test_blank_rows_are_skipped_and_counted() -> None:
    first, second = club_rows("1"), club_rows("2")
    blank = ["", " ", "\u00a0", "", ""]
    found = read(sheet(CLUB, blank, *first[:4], blank, *first[4:], blank, [""], *second, blank))
    assert [(read.line, read.game and len(read.game.seats)) for read in found] == [(3, 10), (16, 10)]


def test_stray_spaces_are_no_part_of_a_nickname_and_a_line_break_in_it_is_a_space() -> None:
    assert one_game(csv('1, 4 , "\u00a0Ann\n Lee ", citizen ,red')).seats[0].player == "Ann Lee"


@pytest.mark.parametrize(
    "written, role",
    [
        *((word, "citizen") for word in ("Мир.", "мирн", "Мирный игрок", " Mирний ", "красн.", "МИРНЫЙ  ЖИТЕЛЬ")),
        *((word, "mafia") for word in ("Маф.", "черн.", "Чёрная", "МАФІЯ", "чорний")),
        *((word, "don") for word in ("дOн", "Дон мафії")),
        *((word, "sheriff") for word in ("Шер.", "шEРИф")),
    ],
)
def test_words_are_known_as_clubs_write_them(written: str, role: str) -> None:
    """Latin letters among Cyrillic ones, either case, Ukrainian, cut short."""
    assert one_game(csv(f"1,1,A,{written},draw")).seats[0].role == role


@pytest.mark.parametrize("written", ["м", "М.", "ш", "д", "Мирный (вскрылся)", "бандит"])
def test_a_word_that_is_in_doubt_is_an_error(written: str) -> None:
    (found,) = read(csv(f"1,1,A,{written},draw"))
    assert faults(found) == [("value", "/rows/2/role")]


@pytest.mark.parametrize(
    "written, outcome",
    [
        *(
            (phrase, "red")
            for phrase in ("Победа красной команды", "мирные жители", "ПОБЕДИЛИ МИРНЫЕ ЖИТЕЛИ", "red team")
        ),
        *((phrase, "black") for phrase in ("Чёрная команда", "Команда черных", "мафия  победила!", "перемога мафії")),
    ],
)
def test_outcomes_are_known_as_clubs_write_them(written: str, outcome: str) -> None:
    assert one_game(csv(f"1,1,A,don,{written}")).outcome == outcome


def test_a_header_that_is_repeated_is_no_row_of_a_game() -> None:
    """As on each page of a printed sheet; what stands beside its columns makes it another row."""
    first, second = club_rows("1"), club_rows("2", outcome="черные")
    again = [" ИГРА", "место", "Игрок ", "роль", "Исход"]
    found = read(sheet(CLUB, *first[:5], again, *first[5:], again, *second))
    assert [(read.line, read.game and read.game.outcome) for read in found] == [(2, "red"), (14, "black")]
    found = read(sheet(CLUB, *first, [*again[:4], "Роль"]))
    assert [read.game is None for read in found] == [False, True]


@pytest.mark.parametrize("written", ["№4", "№ 4", "4.", "4,0", " 4 "])
def test_a_seat_is_a_number_with_what_stands_around_it(written: str) -> None:
    assert one_game(csv(f'1,"{written}",A,don,draw')).seats[0].seat == 4


def test_a_seat_may_be_called_one_at_the_table() -> None:
    assert one_game(sheet("Игра;Место за столом;Игрок;Роль;Исход", *club_rows("1"))).seats[9].seat == 10


@pytest.mark.parametrize("written", ["отказ", "Отказался", "без ЛХ", "нет", "-"])
def test_a_best_move_may_be_declined(written: str) -> None:
    found = facts(sheet(CLUB + ";ПУ;ЛХ", *club_rows("1", cells={3: ["да", written]})))
    assert found["first_kill"] == {"seat": 3}


def test_games_may_be_told_apart_by_day_table_and_number() -> None:
    header = "Дата,Стол,Номер,Место,Игрок,Роль,Исход"
    rows = (
        "14.03.2025,1,1,1,A,дон,ничья",
        "14.03.2025,1,2,1,A,дон,ничья",
        "14.03.2025,2,2,1,A,дон,ничья",
        ",,,2,B,дон,",
    )
    found = [read.game for read in read(csv(*rows, header=header))]
    assert [(game.table, game.number, len(game.seats)) for game in found if game] == [(1, 1, 1), (1, 2, 1), (2, 2, 2)]


def test_games_may_be_told_apart_by_external_id_alone() -> None:
    found = read(
        csv("a,1,A,don,draw", "a,2,B,don,draw", "b,1,A,don,draw", header="external_id,seat,player,role,outcome")
    )
    assert [(read.external_id, read.line) for read in found] == [("a", 2), ("b", 4)]


def test_rows_of_one_game_that_are_apart_are_an_error_where_they_begin_again() -> None:
    found = read(csv("7,1,A,don,draw", "8,1,A,don,draw", "7,2,B,don,draw"))
    assert [read.game is None for read in found] == [False, False, True]
    assert faults(found[2]) == [("rows_apart", "/rows/4")]
    assert found[2].violations[0].message("en") == (
        "the rows of a game must be consecutive; game 7 already appeared in row 2"
    )


def test_rows_before_any_number_of_a_game_are_a_game_without_one() -> None:
    found = read(csv(",1,A,don,draw", ",2,B,don,draw", "8,1,A,don,draw"))
    assert [read.game is None for read in found] == [True, False]
    assert faults(found[0]) == [("missing", "/rows/2/game")]


@pytest.mark.parametrize(
    "column, first, second",
    [("outcome", "red", "черные"), ("Дата", "14.03.2025", "2025-03-15"), ("Судья", "А", "Б"), ("ЛХ", "1 2 3", "1 2 4")],
)
def test_rows_that_contradict_each_other_are_an_error(column: str, first: str, second: str) -> None:
    header = HEADER if column == "outcome" else f"{HEADER},{column}"
    ends = ("", "") if column == "outcome" else ("draw,", "draw,")
    (found,) = read(csv(f"1,1,A,don,{ends[0]}{first}", f"1,2,B,don,{ends[1]}{second}", header=header))
    assert faults(found) == [("contradiction", f"/rows/3/{column}")]
    assert "the same as in row 2" in found.violations[0].message("en")


def test_rows_that_say_the_same_in_other_words_do_not_contradict_each_other() -> None:
    header = HEADER + ",Дата"
    game = one_game(csv("1,1,A,don,красные,14.03.2025", "1,2,B,don,Победа красных,45730", header=header))
    assert game.outcome == "red"


def test_what_is_missing_is_named_cell_by_cell() -> None:
    (found,) = read(csv("1,1,,don,", "1,,B,don,", "1,3,C,,"))
    assert faults(found) == [
        ("missing", "/rows/2/player"),
        ("missing", "/rows/3/seat"),
        ("missing", "/rows/4/role"),
        ("missing", "/rows/2/outcome"),
    ]


def test_a_cancelled_game_needs_no_outcome() -> None:
    game = one_game(csv("1,1,A,don,,да", header=HEADER + ",Отменена"))
    assert (game.cancelled, game.outcome) == (True, None)


def test_a_nickname_in_the_wrong_cell_is_an_error_that_says_what_was_found() -> None:
    (found,) = read(csv("1,Вася,мирный,,красные", "1,2,дон,Петя,красные"))
    assert faults(found) == [
        ("value", "/rows/2/seat"),
        ("missing", "/rows/2/role"),
        ("value", "/rows/3/role"),
    ]
    assert [violation.actual for violation in found.violations] == ["Вася", None, "Петя"]


def test_a_value_below_no_name_is_an_error() -> None:
    (found,) = read(csv("1,1,A,don,draw,,Вася", header=HEADER + ",,"))
    assert faults(found) == [("unknown_field", "/rows/2/#7")]


def test_a_broken_game_spoils_no_other() -> None:
    found = read(csv("1,1,A,don,draw", "2,1,A,дин,draw", "2,2,B,don,draw", "3,1,A,don,draw"))
    assert [(read.line, read.game is None) for read in found] == [(2, False), (3, True), (5, False)]


def test_a_broken_game_keeps_its_external_id() -> None:
    (found,) = read(csv("x-1,1,A,дин,draw", header="external_id,seat,player,role,outcome"))
    assert (found.game, found.external_id) == (None, "x-1")


def test_a_cell_that_is_too_long_is_named_like_any_other() -> None:
    (found,) = read(csv("1,1," + "x" * 65 + ",don,draw", f"1,2,B,don,draw,{'y' * 201}", header=HEADER + ",Судья"))
    assert faults(found) == [("too_long", "/rows/3/Судья"), ("too_long", "/rows/2/player")]


def test_more_rows_than_a_game_may_have_are_one_error() -> None:
    rows = [f"1,{seat},P{seat},don,draw" for seat in range(1, 3000)]
    found = read(csv(*rows, "2,1,A,don,draw"))
    assert faults(found[0]) == [("too_long", "/rows/103")]
    assert found[1].game is not None


def test_seats_that_nobody_took_are_no_part_of_a_game() -> None:
    game = one_game(csv("1,1,A,don,draw", "1,2,B,don,", "1,3,,,", "1,4,,,draw"))
    assert [seat.seat for seat in game.seats] == [1, 2]


def test_games_that_nobody_filled_in_are_no_games() -> None:
    assert [read.line for read in read(csv("1,1,A,don,draw", "1,2,,,", "2,1,,,", "2,2,,,"))] == [2]


def test_a_row_of_its_own_may_hold_what_concerns_the_whole_game() -> None:
    (found,) = read(csv("1,,,,draw", "1,1,A,don,", "1,2,B,don,"))
    assert found.line == 3
    assert found.game is not None
    assert [seat.seat for seat in found.game.seats] == [1, 2]


def marks(column: str, *cells: str) -> dict[str, Any]:
    rows = [f"1,{seat},P{seat},don,draw,{cell}" for seat, cell in zip((4, 7, 9), cells, strict=True)]
    return facts(csv(*rows, header=f"{HEADER},{column}"))


@pytest.mark.parametrize(
    "cells, seat",
    [
        (("", "да", ""), 7),
        (("0", "1", "0"), 7),
        (("-", "ПУ", "-"), 7),
        (("нет", "Первый убиенный", "нет"), 7),
        (("", "7", ""), 7),
        (("9", "", ""), 9),
        (("9", "9", "9"), 9),
        (("1", "1", "1"), 1),
        (("[12]", "", ""), 12),
    ],
)
def test_the_first_kill_is_a_mark_in_a_row_or_the_number_of_a_seat(cells: tuple[str, ...], seat: int) -> None:
    assert marks("ПУ", *cells)["first_kill"] == {"seat": seat}


@pytest.mark.parametrize("cells", [("", "", ""), ("нет", "0", "-")])
def test_nobody_may_have_been_killed_first(cells: tuple[str, ...]) -> None:
    assert "first_kill" not in marks("ПУ", *cells)


@pytest.mark.parametrize("cells", [("да", "да", ""), ("7", "9", ""), ("9", "да", "")])
def test_two_first_kills_are_an_error(cells: tuple[str, ...]) -> None:
    rows = [f"1,{seat},P{seat},don,draw,{cell}" for seat, cell in zip((4, 7, 9), cells, strict=True)]
    (found,) = read(csv(*rows, header=f"{HEADER},ПУ"))
    assert found.game is None
    assert {violation.pointer.split("/")[3] for violation in found.violations} == {"ПУ"}


def test_several_players_may_have_caused_ppk() -> None:
    assert marks("ППК", "да", "", "+")["ppk"] == (4, 9)
    assert marks("ППК", "9 4", "", "")["ppk"] == (9, 4)


def test_two_players_made_the_draw_or_nobody_did_or_it_is_not_said() -> None:
    assert marks("Сделал ничью", "да", "", "да")["draw_makers"] == (4, 9)
    assert marks("Сделал ничью", "никто", "", "")["draw_makers"] == ()
    assert "draw_makers" not in marks("Сделал ничью", "", "", "")


def test_a_best_move_in_another_row_than_the_first_kill_is_an_error() -> None:
    rows = ("1,4,A,don,draw,да,", "1,7,B,don,draw,,4 7 9", "1,9,C,don,draw,,")
    (found,) = read(csv(*rows, header=f"{HEADER},ПУ,ЛХ"))
    assert faults(found) == [("value", "/rows/3/ЛХ")]


def test_a_best_move_tells_who_was_killed_first_where_no_other_column_does() -> None:
    assert marks("ЛХ", "", "4 7 9", "")["first_kill"] == {"seat": 7, "best_move": (4, 7, 9)}


def test_what_a_regulation_finds_leads_to_the_cell() -> None:
    rows = club_rows("1", cells={2: ["0,9", ""], 3: ["", "1 1 2"]})
    (found,) = read(sheet("\n" + CLUB + ";Доп;ЛХ", [""], *rows))
    assert found.game is not None
    located = found.located(find_system("maffamily").check(found.game))
    assert {(violation.code, violation.pointer) for violation in located} == {
        ("bonus_range", "/rows/5/Доп"),
        ("best_move_duplicate", "/rows/6/ЛХ"),
    }


def test_what_a_regulation_finds_in_the_whole_game_leads_to_its_first_row() -> None:
    (found,) = read(csv("1,1,A,don,draw", header=HEADER))
    assert found.game is not None
    assert {violation.pointer for violation in found.located(find_system("maffamily").check(found.game))} == {"/rows/2"}


def test_the_words_of_a_clubs_own_system_are_known_too() -> None:
    city = find_system("city-average")
    table = city.table.model_copy(
        update={
            "roles": {**city.table.roles, "putana": city.table.roles["citizen"].model_copy(update={"name": PUTANA})}
        }
    )
    own = city.model_copy(update={"table": table})
    rows = csv("1,1,A,Путана,draw")
    assert read(rows)[0].game is None
    (found,) = read(rows, own)
    assert found.game is not None
    assert found.game.seats[0].role == "putana"


PUTANA = find_system("city-average").table.roles["citizen"].name.model_copy(update={"ru": "путана", "en": "escort"})


def test_the_sheet_in_the_documentation_is_a_game() -> None:
    page = (Path(__file__).parents[2] / "docs" / "import.md").read_text()
    game = one_game(page.partition("```csv\n")[2].partition("```")[0].encode())
    assert [seat.player for seat in game.seats] == ["Мадам Ли", "Ёж", "Лис"]
    assert game.canonical()["first_kill"] == {"seat": 3, "best_move": (2, 4, 7)}


def test_the_documentation_names_every_column() -> None:
    page = (Path(__file__).parents[2] / "docs" / "import.md").read_text()
    assert [column.field for column in COLUMNS if f"`{column.field}`" not in page] == []
    assert [column.russian for column in COLUMNS if column.russian not in page] == []
