"""What one cell says, in the ways that clubs write it."""

from typing import Any

import pytest

from app.sheets.vocabulary.columns import BY_FIELD, COLUMNS, column_named
from app.sheets.vocabulary.dates import day
from app.sheets.vocabulary.words import UnreadableCell, bare, vocabulary
from tests.sheets.sheet import CODES, ROLES, csv, facts, faults, game_facts, read, seat_facts


@pytest.mark.parametrize(
    "written, code",
    [
        *((word, "citizen") for word in ("Citizen", " МИРНЫЙ  житель", "мирн.", "красный", "мирний", "civilian")),
        *((word, "sheriff") for word in ("sheriff", "Шериф", "ШЕР")),
        *((word, "mafia") for word in ("мафия", "Маф.", "чёрный", "черный", "мафія", "Mafia")),
        *((word, "don") for word in ("дон", "Дон мафии", "DON")),
        *((word, "doctor") for word in ("доктор", "врач", "лікар")),
        *((word, "commissar") for word in ("комиссар", "комісар", "Commissioner")),
        *((word, "maniac") for word in ("маньяк", "маніяк")),
        ("jester", "jester"),
        ('"Мирный"', "Мирный"),
    ],
)
def test_roles_are_read_in_three_languages(written: str, code: str) -> None:
    escaped = written.replace('"', '""')
    (seat,) = facts(csv(f'1,4,Ann,"{escaped}",red'))["seats"]
    assert seat["role"] == code


def test_a_latin_letter_in_a_cyrillic_word_is_what_it_looks_like() -> None:
    (seat,) = facts(csv("1,4,Ann,Mиpный,red"))["seats"]  # M and p are Latin
    assert seat["role"] == "citizen"


@pytest.mark.parametrize("written", ["мирнй", "м", "Вася", "мирный или шериф", "?"])
def test_a_word_that_is_no_role_is_named_with_its_row_and_column(written: str) -> None:
    (found,) = read(csv("1,4,Ann," + written + ",red"))
    assert faults(found) == [("value", "/rows/2/role")]
    assert written in found.violations[0].message("en")
    assert "row 2, column role: expected a role" in found.violations[0].message("en")
    russian = found.violations[0].message("ru")
    assert russian.startswith(f"строка 2, столбец «role»: стоит «{written}», нужно: мирный, шериф, мафия, дон")


def test_a_misspelled_role_comes_with_a_suggestion() -> None:
    (found,) = read(csv("1,4,Ann,шерриф,red"))
    assert "шериф" in found.violations[0].suggestions


@pytest.mark.parametrize(
    "written, outcome",
    [
        *((word, "red") for word in ("red", "Красные", "победа красных", "МИРНЫЕ", "победа города", "червоні", "City")),
        *((word, "black") for word in ("black", "чёрные", "Победа мафии", "перемога чорних", "mafia won")),
        *((word, "maniac") for word in ("маньяк", "победил маньяк", "маніяк")),
        *((word, "draw") for word in ("ничья", "НИЧЬЯ ", "нічия", "draw")),
    ],
)
def test_outcomes_are_read_in_three_languages(written: str, outcome: str) -> None:
    assert facts(csv(f"1,4,Ann,citizen,{written}"))["outcome"] == outcome


@pytest.mark.parametrize("written", ["победа", "won", "1", "белые"])
def test_an_outcome_that_does_not_say_whose_is_an_error(written: str) -> None:
    (found,) = read(csv(f"1,4,Ann,citizen,{written}"))
    assert faults(found) == [("value", "/rows/2/outcome")]


@pytest.mark.parametrize(
    "written, bonus",
    [
        ("0,3", "0.3"),
        ("0.3", "0.3"),
        (" +0, 5 ", "0.5"),
        ("−0,4", "-0.4"),
        (",25", "0.25"),
        ("1", "1"),
        ("0.30", "0.3"),
    ],
)
def test_bonuses_are_numbers_with_a_point_or_a_comma(written: str, bonus: str) -> None:
    assert str(seat_facts({"bonus": written})["bonus"]) == bonus


@pytest.mark.parametrize("written", ["0", "-", "—", " ", "0,0"])
def test_no_bonus_is_written_in_several_ways(written: str) -> None:
    assert seat_facts({"bonus": written}) == {}


@pytest.mark.parametrize("written", ["0.3.1", "много", "0,3 балла", "0 3", "1e-1", "٠.٣", "2025-05-01", "NaN", "1_0"])
def test_a_bonus_that_is_no_number_is_an_error(written: str) -> None:
    (found,) = read(csv(f'1,4,Ann,citizen,red,"{written}"', header="game,seat,player,role,outcome,Доп"))
    assert faults(found) == [("value", "/rows/2/Доп")]


@pytest.mark.parametrize(
    "written",
    [
        *("2025-03-14", "14.03.2025", "14.3.25", "14.03.2025 г.", "2025-03-14T18:30:00Z", "14.03.2025 18:30"),
        *("14/03/2025", "03/14/2025", "2025/03/14", "20250314", "45730", "45730.75", "45730,75", "14-03-2025"),
        *("14 марта 2025", "14 МАРТА 2025 г.", "14 мар. 2025", "14. 03. 2025", "пт, 14.03.2025", "14.03.2025\u00a0г."),
        *("14 березня 2025 року", "March 14, 2025", "14 March 2025", "Friday, March 14th, 2025", "14 Mар 2025 18:30"),
    ],
)
def test_days_are_text_or_the_serial_number_of_a_spreadsheet(written: str) -> None:
    assert game_facts({"Дата": written}) == {"played_on": "2025-03-14"}


def test_a_day_that_is_the_same_either_way_is_no_doubt() -> None:
    assert day("03/03/2025").isoformat() == "2025-03-03"


@pytest.mark.parametrize("written", ["03/04/2025", "3-4-25"])
def test_a_day_that_two_countries_read_differently_is_an_error(written: str) -> None:
    with pytest.raises(UnreadableCell, match="an unambiguous date"):
        day(written)


@pytest.mark.parametrize(
    "written",
    [
        *(
            "31.02.2025",
            "2025-13-01",
            "вчера",
            "14.03",
            "7",
            "999999",
            "14.03.02025",
            "31 июня 2025",
            "14 мартобря 2025",
        ),
        *("14 ию 2025", "март 2025", "14 марта", "14 марта 25", "14 мартобря 2025", "1 2 2025"),
    ],
)
def test_what_is_no_day_is_an_error(written: str) -> None:
    with pytest.raises(UnreadableCell, match="a date such as"):
        day(written)


@pytest.mark.parametrize(
    "written, registered",
    [
        *((word, True) for word in ("да", "Yes", "1", "+", "истина", "TRUE", "так", "✓", "X", "х")),
        *((word, False) for word in ("нет", "no", "0", "-", "ложь", "FALSE", "ні")),
    ],
)
def test_yes_and_no_are_read_in_three_languages_and_in_signs(written: str, registered: bool) -> None:
    assert seat_facts({"registered": written}) == {"registered": registered}


@pytest.mark.parametrize(
    "written, removed",
    [
        *((word, {"removed": {"affected_team": True}}) for word in ("да", "+", "удалён", "1")),
        *((word, {"removed": {"affected_team": False}}) for word in ("не повлияло", "no_effect", "без последствий")),
        *((word, {}) for word in ("нет", "0", "-")),
    ],
)
def test_a_removal_says_whether_it_affected_the_team(written: str, removed: dict[str, Any]) -> None:
    assert seat_facts({"Удаление": written}) == removed


@pytest.mark.parametrize(
    "written, codes",
    [
        ("слом на 10", ["broke_red_at_ten"]),
        ("Broke Red At Ten", ["broke_red_at_ten"]),
        ("сломал в красного на 4 человека", ["broke_red_at_four"]),
        ("слом на 10; ложная проверка", ["broke_red_at_ten", "false_sheriff_check"]),
        ("false_sheriff_check, discretionary", ["false_sheriff_check", "discretionary"]),
        ("late", ["late"]),
        ('["late, again", "x"]', ["late, again", "x"]),
    ],
)
def test_penalties_are_one_or_several_reasons(written: str, codes: list[str]) -> None:
    assert seat_facts({"Штраф": written}) == {"penalties": tuple(codes)}


@pytest.mark.parametrize("written", ["-1", "0,5", "Штраф 1"])
def test_points_where_the_reason_of_a_penalty_belongs_are_an_error(written: str) -> None:
    (found,) = read(csv(f'1,4,Ann,citizen,red,"{written}"', header="game,seat,player,role,outcome,Штраф"))
    assert faults(found) == [("value", "/rows/2/Штраф")]


@pytest.mark.parametrize(
    "written", ["3 8 9", "3,8,9", "3, 8, 9", "3;8;9", "389", "3-8-9", "3.8.9", "[3,8,9]", " 3  8 9 "]
)
def test_a_best_move_is_three_seats(written: str) -> None:
    found = game_facts({"ПУ": "+", "ЛХ": written})
    assert found == {"first_kill": {"seat": 4, "best_move": (3, 8, 9)}}


def test_two_named_seats_are_read_as_they_are_and_left_to_the_regulation() -> None:
    assert game_facts({"ПУ": "+", "ЛХ": "3 10"}) == {"first_kill": {"seat": 4, "best_move": (3, 10)}}


@pytest.mark.parametrize("written", ["нет", "-", "0", "no"])
def test_a_best_move_may_be_declined(written: str) -> None:
    assert game_facts({"ПУ": "да", "ЛХ": written}) == {"first_kill": {"seat": 4}}


@pytest.mark.parametrize("written", ["три", "3 x 9", "2009-08-03"])
def test_a_best_move_that_names_no_seats_is_an_error(written: str) -> None:
    (found,) = read(csv(f"1,4,Ann,citizen,red,{written}", header="game,seat,player,role,outcome,ЛХ"))
    assert faults(found) == [("value", "/rows/2/ЛХ")]


def test_a_best_move_that_a_spreadsheet_made_a_date_of_says_what_to_do() -> None:
    (found,) = read(csv("1,4,Ann,citizen,red,2009-08-03", header="game,seat,player,role,outcome,ЛХ"))
    assert "format the cell as text" in found.violations[0].message("en")


@pytest.mark.parametrize("written", ["4", "4,0", "4.0", " 4 "])
def test_seats_are_whole_numbers_also_as_spreadsheets_write_them(written: str) -> None:
    (seat,) = facts(csv(f'1,"{written}",Ann,citizen,red'))["seats"]
    assert seat["seat"] == 4


@pytest.mark.parametrize("written", ["Ann", "4.5", "3 8", "четыре", "1e1", "10000000000000000000", "४"])
def test_a_seat_that_is_no_whole_number_is_an_error(written: str) -> None:
    (found,) = read(csv(f'1,"{written}",Ann,citizen,red'))
    assert faults(found) == [("value", "/rows/2/seat")]


@pytest.mark.parametrize("error", ["#N/A", "#ССЫЛКА!", "#DIV/0!"])
@pytest.mark.parametrize("at", range(1, 5))
def test_a_formulas_error_is_no_value_of_any_column(error: str, at: int) -> None:
    cells = ["1", "4", "Ann", "citizen", "red"]
    cells[at] = error
    (found,) = read(csv(",".join(cells)))
    assert [violation.actual for violation in found.violations] == [error]


def test_night_actions_stand_in_the_row_of_who_acted_or_name_the_seat() -> None:
    header = "game,seat,player,role,outcome,Ночные действия"
    rows = ("1,2,Ann,шериф,красные,1>4 2>5-", "1,3,Bob,доктор,красные,1>4+", "1,4,Cid,мафия,красные,")
    assert facts(csv(*rows, header=header))["night_actions"] == (
        {"night": 1, "seat": 2, "target": 4, "saved": False, "died": True},
        {"night": 2, "seat": 2, "target": 5, "saved": False, "died": False},
        {"night": 1, "seat": 3, "target": 4, "saved": True, "died": True},
    )
    rows = ("1,2,Ann,шериф,красные,1:2>4 2:2>5-; 1:3>4+", "1,3,Bob,доктор,красные,", "1,4,Cid,мафия,красные,")
    assert [action["seat"] for action in facts(csv(*rows, header=header))["night_actions"]] == [2, 2, 3]
    rows = ("1,2,Ann,шериф,красные,1:2>4", "1,3,Bob,доктор,красные,1:2>4", "1,4,Cid,мафия,красные,1:2>4")
    assert [action["seat"] for action in facts(csv(*rows, header=header))["night_actions"]] == [2]


@pytest.mark.parametrize("written", ["4", "1:4", "в первую ночь 4", "1>", ">4", "1>4++"])
def test_night_actions_in_another_form_are_an_error(written: str) -> None:
    (found,) = read(csv(f"1,4,Ann,doctor,red,{written}", header="game,seat,player,role,outcome,night_actions"))
    assert faults(found) == [("value", "/rows/2/night_actions")]


@pytest.mark.parametrize(
    "written, field",
    [
        *(("МЕСТО", "seat"), (" игрок ", "player"), ("Роль", "role"), ("Доп. баллы", "bonus"), ("Доп", "bonus")),
        *(("Штраф", "penalties"), ("Удаление", "removed"), ("ПУ", "first_kill"), ("ЛХ", "best_move"), ("ППК", "ppk")),
        *(
            ("Исход", "outcome"),
            ("Результат", "outcome"),
            ("Дата", "played_on"),
            ("Стол", "table"),
            ("№ игры", "number"),
        ),
        *(
            ("Номер", "number"),
            ("Судья", "judge"),
            ("Стадия", "stage"),
            ("Фолы", "fouls"),
            ("Прожито дней", "days_lived"),
        ),
        *(
            ("Зарегистрирован", "registered"),
            ("Played On", "played_on"),
            ("best-move", "best_move"),
            ("ЛX", "best_move"),
        ),
        *(("УДАЛЁН", "removed"), ("удален", "removed"), ("Гравець", "player"), ("Місце", "seat")),
    ],
)
def test_columns_have_the_names_that_clubs_give_them(written: str, field: str) -> None:
    column = column_named(written)
    assert column is not None
    assert column.field == field


def test_no_name_means_two_columns() -> None:
    names = [bare(name) for column in COLUMNS for name in {bare(name): name for name in column.names if name}]
    assert sorted(set(names)) == sorted(names)


def test_the_word_that_is_written_for_a_code_reads_as_that_code() -> None:
    known = vocabulary()
    for words in known:
        assert {code: words.find(word) for code, word in words.russian.items()} == {
            code: code for code in words.russian
        }


def test_the_sheets_of_these_tests_use_words_that_clubs_use() -> None:
    known = vocabulary()
    assert [known.roles.find(role) for role in ROLES] == [CODES[role] for role in ROLES]
    assert BY_FIELD["role"].russian == "Роль"
