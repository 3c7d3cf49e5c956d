"""Messages say roles, teams and numbers in the reader's language."""

import re
from decimal import Decimal

import pytest

from app.scoring.game import Game
from app.scoring.names import ROLES
from app.scoring.systems import find_system
from app.scoring.text import words
from tests.scoring.golden import Golden, golden_files

LATIN = re.compile("[A-Za-z]")
AS_SENT = {"player_duplicate"}
"""Violations that repeat a nickname. A role that no regulation knows is repeated too."""


@pytest.mark.parametrize(
    "arg, ru, en",
    [
        (Decimal("0.7"), "0,7", "0.7"),
        (Decimal("-0.25"), "−0,25", "-0.25"),
        (Decimal("1E+2"), "100", "100"),
        (-1, "−1", "-1"),
        ("a-b.c", "a-b.c", "a-b.c"),
        (words("доктор", "doctor"), "доктор", "doctor"),
        ([words("шериф", "sheriff"), words("дон", "don")], "шериф, дон", "sheriff, don"),
        ([8, 9], "8, 9", "8, 9"),
    ],
)
def test_an_argument_is_said_in_the_language_of_the_text(arg: object, ru: str, en: str) -> None:
    text = words("вот: {}", "here: {}")
    assert (text.say("ru", arg), text.say("en", arg)) == (f"вот: {ru}", f"here: {en}")


@pytest.mark.parametrize("golden", golden_files(), ids=lambda golden: f"{golden.system} {golden.version}")
def test_no_russian_message_has_a_word_of_the_wire(golden: Golden) -> None:
    system = golden.regulation
    messages = [
        (case.case, found.code, found.message("ru"))
        for case in golden.games
        for found in system.check(Game.read(golden.facts(case)))
        if found.code not in AS_SENT and not (found.code == "role_unknown_here" and found.actual not in ROLES)
    ]
    assert [message for message in messages if LATIN.search(message[2])] == []


def test_a_role_of_another_regulation_has_its_russian_name() -> None:
    game = Game.read({"outcome": "red", "seats": [{"seat": 1, "player": "P1", "role": "doctor"}]})
    (said,) = [
        found.message("ru") for found in find_system("maffamily", 1).check(game) if found.code == "role_unknown_here"
    ]
    assert said == "роли «доктор» в этом регламенте нет; есть: мирный житель, шериф, мафия, дон"


def test_a_violation_names_roles_and_limits_in_russian() -> None:
    seats = [{"seat": n, "player": f"P{n}", "role": "citizen" if n < 8 else "mafia"} for n in range(1, 11)]
    game = Game.read({"outcome": "red", "seats": [seats[0] | {"bonus": Decimal("0.75")}, *seats[1:]]})
    said = [found.message("ru") for found in find_system("maffamily", 1).check(game)]
    assert said == [
        "роль «мирный житель»: должно быть 6, в протоколе 7",
        "роль «шериф»: должно быть 1, в протоколе 0",
        "роль «мафия»: должно быть 2, в протоколе 3",
        "роль «дон»: должно быть 1, в протоколе 0",
        "доп. балл — не больше 0,7, дано 0,75",
    ]
