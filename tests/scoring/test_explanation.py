"""Each column of a row explained, and the reasons of what a season gives."""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.scoring.formula import Formula
from app.scoring.game import Game
from app.scoring.ranking import Row
from app.scoring.rule_system import RuleSystem
from app.scoring.systems import find_system
from app.scoring.tally import Tallies
from app.scoring.terms import Format
from tests.scoring.any_game import TEN, seasons

CITY = ("citizen", "mafia", "citizen", "citizen", "citizen")


def added_up(system: RuleSystem, games: Iterable[Mapping[str, Any]], format: Format) -> Tallies:
    tallies = Tallies()
    for game in games:
        system.examine(Game.read(game), format).add_to(tallies)
    return tallies


def game(outcome: str, *, bonus: str | None = None, **facts: Any) -> dict[str, Any]:
    """P1 to P6 are citizens, P7 the sheriff; P1 gets the bonus."""
    seats: list[dict[str, Any]] = [{"seat": n, "player": f"P{n}", "role": role} for n, role in enumerate(TEN, 1)]
    seats[0]["bonus"] = bonus
    return {"outcome": outcome, "seats": seats, **facts}


def city_game(*players: str) -> dict[str, Any]:
    seats = [
        {"seat": n, "player": player, "role": role, "days_lived": 1}
        for n, (player, role) in enumerate(zip(players, CITY, strict=True), 1)
    ]
    return {"outcome": "red", "seats": seats}


def said(row: Row, language: str) -> list[str]:
    return [line.reason.say(language, *line.args) for _, line in row.season_lines]


def test_the_rating_of_the_worked_example() -> None:
    """Three wins in four games and 0.9 from the judge: 6.9 points, 6.9 · 3/4 · 6.9/4 = 8.926875."""
    system = find_system("maffamily")
    games = [game("red", bonus="0.5"), game("red", bonus="0.4"), game("red"), game("black")]
    explained = {one.key: one for one in system.explain(added_up(system, games, "season"), "season", "p1")}
    rating = explained["rating"]
    assert (rating.clause, rating.formula) == ("6", "k1 * k2 * points_sign")
    assert rating.terms == (("k1", Fraction("5.175")), ("k2", Fraction("1.725")), ("points_sign", 1))
    assert rating.numbers == "(6.9 * 3 / 4) * (6.9 / 4) * 1"
    assert rating.value == Fraction("8.926875")
    assert explained["points"].numbers == "6.9"
    assert explained["bonus"].terms == (("p_judge_bonus", Fraction("0.9")),)


@pytest.mark.parametrize(
    "id, format",
    [("maffamily", "season"), ("sport-percent", "season"), ("sport-percent", "tournament"), ("city-average", "season")],
)
@settings(deadline=None, max_examples=25)
@given(data=st.data())
def test_the_numbers_of_every_column_come_to_its_value(id: str, format: Format, data: st.DataObject) -> None:
    system = find_system(id)
    tallies = added_up(system, data.draw(seasons(id, format)), format)
    for row in system.rank(tallies, format).rows:
        explained = system.explain(tallies, format, row.player)
        assert {column.key: column.value for column in explained} == row.values
        for column in explained:
            assert Formula(column.numbers).value({}) == column.value
            assert Formula(column.formula).value(dict(column.terms)) == column.value
            assert [term.name for term in column.terms] == list(Formula(column.formula).names)


def test_a_reason_says_i_b_and_ci() -> None:
    """Twelve games of the distance; P1 is shot first three times, and red lost two of them: Ci = 0.4 · 3/5 = 0.24."""
    system = find_system("sport-percent")
    shot: dict[str, Any] = {"first_kill": {"seat": 1}, "stage": "qualifying"}
    rest = [game("draw", stage="semifinal", draw_makers=None) for _ in range(9)]
    games = [game("black", **shot), game("black", **shot), game("red", **shot), *rest]
    row = next(
        row for row in system.rank(added_up(system, games, "tournament"), "tournament").rows if row.player == "p1"
    )
    ci, k = said(row, "en")
    assert ci == "Ci = 0.4 · 3/5 = 0.24, paid for 2 games; i = 3, B = 5: 40% of 12"
    assert k == "K = 1 + (12/2 - 1)/(12/2) = 1.8333, added: 1 · (K - 1); N = 12, n = 1: red won less often"
    assert said(row, "ru") == [
        "Ci = 0,4 · 3/5 = 0,24, игр с начислением — 2; i = 3, B = 5: 40 % от 12",
        "К = 1 + (12/2 − 1)/(12/2) = 1,8333, надбавка — 1 · (К − 1); N = 12, n = 1: побеждали реже красные",
    ]


def test_a_reason_says_that_i_is_more_than_b() -> None:
    system = find_system("sport-percent")
    games = [game("black", stage="qualifying", first_kill={"seat": 1})]
    row = next(
        row for row in system.rank(added_up(system, games, "tournament"), "tournament").rows if row.player == "p1"
    )
    assert said(row, "en") == ["Ci = 0.4, paid for 1 games; i = 1 is more than B = 0: 40% of 1"]
    assert said(row, "ru") == ["Ci = 0,4, игр с начислением — 1; i = 1 больше, чем B = 0: 40 % от 1"]


def test_a_reason_says_participants_and_place() -> None:
    """A and B played three games, C, D and E two, F two, G and H one: six is the place of nobody."""
    system = find_system("city-average")
    games = [city_game("A", "B", "C", "D", "E"), city_game("A", "B", "C", "D", "F"), city_game("A", "B", "E", "G", "H")]
    rows = {row.player: row for row in system.rank(added_up(system, games, "season"), "season").rows}
    assert said(rows["c"], "en") == ["participation: (8 + 1 - 3)/8 · 1; 8 participants, place 3 by games"]
    assert said(rows["c"], "ru") == ["участие: (8 + 1 − 3)/8 · 1; участников — 8, место по играм — 3"]
    assert rows["c"].values["participation"] == Fraction("0.75")


def test_a_reason_says_how_many_games() -> None:
    system = find_system("sport-percent")
    (row, *_) = system.rank(added_up(system, [game("red")] * 3, "season"), "season").rows
    assert said(row, "en") == ["for each game played: 3 · 10"]
    assert said(row, "ru") == ["за каждую сыгранную игру: 3 · 10"]
