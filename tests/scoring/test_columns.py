"""The columns of each table and their decimals, as the API promises them."""

import pytest

from app.scoring.systems import find_system
from app.scoring.tally import Tallies
from app.scoring.terms import Format

EVERY = {"games": 0, "wins": 0, "win_rate": 2}
CLUB = {"compensation": 0, "best_move": 2, "bonus": 2, "penalty": 2, "k1": 4, "k2": 4, "rating": 4, "points": 2}
CITY = {"average": 2, "participation": 2, "place_by_games": 0, "points": 2}
# Points have two decimals unless K or Ci is in them, as in a tournament's main points and its sum.
PERCENT_SEASON = {"main": 2, "extra": 2, "points": 2, "lead_wins": 0, "first_kills": 0, "rating": 4}
PERCENT_TOURNAMENT = PERCENT_SEASON | {"main": 4, "points": 4, "ci": 4, "compensation": 4, "difficulty": 4}


@pytest.mark.parametrize(
    "system, format, columns",
    [
        ("maffamily", "season", CLUB),
        ("maffamily", "tournament", CLUB),
        ("sport-percent", "season", PERCENT_SEASON),
        ("sport-percent", "tournament", PERCENT_TOURNAMENT),
        ("city-average", "season", CITY),
    ],
)
def test_a_table_has_the_columns_of_the_contract(system: str, format: Format, columns: dict[str, int]) -> None:
    standings = find_system(system).rank(Tallies(), format)
    decimals = {column.key: column.decimals for column in standings.columns}
    assert {key: decimals.get(key) for key in EVERY | columns} == EVERY | columns


@pytest.mark.parametrize("system", ["maffamily", "sport-percent", "city-average"])
def test_a_columns_label_is_in_both_languages(system: str) -> None:
    for column in find_system(system).rank(Tallies(), "tournament").columns:
        assert column.label.ru
        assert column.label.en
