"""The catalogue of published scorings: each reads, agrees with its worked cases, and stays as it was published."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Final

import pytest

from app.scoring.game import Game
from app.scoring.points import decimal_of, rounded
from app.scoring.systems import catalogue_entry, catalogue_ids, catalogue_systems, find_system
from app.scoring.tally import Tallies
from tests.scoring import published
from tests.scoring.published import CATALOGUE_LOCK, differences, fingerprints

CASES: Final = [(id, case) for id in catalogue_ids() for case in catalogue_entry(id).cases]


def named(pair: tuple[str, Mapping[str, Any]]) -> str:
    return f"{pair[0]} {pair[1]['name']}"


@pytest.mark.parametrize("pair", [pair for pair in CASES if "game" in pair[1]], ids=named)
def test_a_worked_game_gives_each_seat_its_points(pair: tuple[str, Mapping[str, Any]]) -> None:
    id, case = pair
    breakdown = find_system(id).examine(Game.read(case["game"]))

    got = {str(seat): decimal_of(points) for seat, points in breakdown.totals}
    assert {seat: got[seat] for seat in case["expected"]["points"]} == case["expected"]["points"]


@pytest.mark.parametrize("pair", [pair for pair in CASES if "games" in pair[1]], ids=named)
def test_worked_games_make_the_table(pair: tuple[str, Mapping[str, Any]]) -> None:
    id, case = pair
    system, tallies = find_system(id), Tallies()
    for game in case["games"]:
        system.examine(Game.read(game), case["format"]).add_to(tallies)

    standings = system.rank(tallies, case["format"])
    decimals = {column.key: column.decimals for column in standings.columns}
    rows = {row.player: row for row in standings.rows}
    for expected in case["expected"]["rows"]:
        row = rows[expected["player"].lower()]
        shown = {key: rounded(Fraction(row.values[key] or 0), decimals[key]) for key in expected["values"]}
        assert (row.player, row.rank, shown) == (row.player, expected["rank"], expected["values"])


def test_every_scoring_has_the_id_of_its_file_and_says_its_year() -> None:
    for id in catalogue_ids():
        entry = catalogue_entry(id)
        assert entry.system.id == id
        assert str(entry.year) in entry.system.source


def test_every_scoring_is_as_it_was_published() -> None:
    locked = published.read(CATALOGUE_LOCK.read_text("utf-8"))
    assert "\n".join(differences(locked, fingerprints(catalogue_systems()))) == ""
