"""Lots: a drawn order that anyone can repeat (docs/lots.md), and what it does to a table (sport-percent, ties)."""

import re
import shutil
import subprocess
from collections import Counter
from itertools import permutations, product
from math import factorial, sqrt
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.scoring.lots import drawn_order
from app.scoring.ranking import Lot, Standings
from app.scoring.systems import find_system
from app.scoring.tally import Tallies

PAGE = Path(__file__).parents[2] / "docs" / "lots.md"
ids = st.text("0123456789abcdefghjkmnpqrstvwxyz", min_size=1, max_size=6).map("p_".__add__)
groups = st.lists(ids, min_size=2, max_size=12, unique=True)


@pytest.mark.skipif(shutil.which("sha256sum") is None, reason="needs sha256sum")
def test_the_shell_lines_of_the_page_draw_the_same_order() -> None:
    (block,) = [
        block for block in re.findall(r"```sh\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL) if "seed" in block
    ]
    (seed,) = re.findall(r"^seed=(\w+)$", block, re.MULTILINE)
    (group,) = re.findall(r"^for id in (.*);", block, re.MULTILINE)
    done = subprocess.run(["sh", "-c", block], capture_output=True, text=True, check=True)
    assert tuple(done.stdout.split()) == drawn_order(group.split(), seed)
    assert sorted(done.stdout.split()) == sorted(group.split())


def test_the_smallest_hash_comes_first() -> None:
    # printf s:a | sha256sum gives d431…, s:b d30e…, s:c 97a9…
    assert drawn_order(["a", "b", "c"], "s") == ("c", "b", "a")


@settings(deadline=None)
@given(group=groups, seed=st.text(max_size=40), data=st.data())
def test_the_order_depends_on_who_is_in_the_group_and_not_on_how_they_are_named(
    group: list[str], seed: str, data: st.DataObject
) -> None:
    named = data.draw(st.permutations(group))
    assert drawn_order(named, seed) == drawn_order(group, seed) == drawn_order(set(group), seed)
    assert sorted(drawn_order(group, seed)) == sorted(group)


def test_over_all_hashes_that_players_can_have_every_order_comes_equally_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """SHA-256 made small: each player's hash is any of eight, independent of the others' — every case is looked at."""
    players, hashes = "abcd", range(8)
    orders: Counter[tuple[str, ...]] = Counter()
    for chosen in product(hashes, repeat=len(players)):
        if len(set(chosen)) < len(players):
            continue  # Equal hashes: with 256 bits that does not happen.

        class Small:
            def __init__(self, told: bytes, chosen: tuple[int, ...] = chosen) -> None:
                self._digest = bytes([chosen[players.index(told.decode().removeprefix("seed:"))]])

            def digest(self) -> bytes:
                return self._digest

        monkeypatch.setattr("app.scoring.lots.sha256", Small)
        orders[drawn_order(players, "seed")] += 1
    assert set(orders) == set(permutations(players))
    assert len(set(orders.values())) == 1


@pytest.mark.parametrize("players", [2, 3, 4])
def test_over_many_seeds_every_order_comes_about_equally_often(players: int) -> None:
    """The seeds are fixed, so this cannot fail by chance; five standard deviations are allowed."""
    group = [f"p_{number:018}" for number in range(players)]
    seeds = 24_000
    orders = Counter(drawn_order(group, f"{seed:032x}") for seed in range(seeds))
    likely = 1 / factorial(players)
    assert len(orders) == factorial(players)
    for count in orders.values():
        assert abs(count - seeds * likely) < 5 * sqrt(seeds * likely * (1 - likely))


@settings(deadline=None)
@given(group=groups, newcomer=ids, seed=st.text(max_size=40))
def test_one_player_more_leaves_the_others_in_their_order(group: list[str], newcomer: str, seed: str) -> None:
    more = [player for player in drawn_order({*group, newcomer}, seed) if player != newcomer]
    assert tuple(more) == tuple(player for player in drawn_order(group, seed) if player != newcomer)


def table(tied: set[str], better: set[str], worse: set[str], drawn: list[Lot]) -> Standings:
    """A club season under sport-percent in which ``tied`` won once as citizens and nobody can tell them apart."""
    tallies = Tallies()
    tallies.count_game("red")
    for player in tied | better | worse:
        tallies.add(player, ("citizen", "red", "won", None, False), (("win", "main", 1_000_000),))
    for player in better:
        tallies.add(player, ("sheriff", "red", "won", None, False), (("win", "main", 1_000_000),))
    for player in worse:
        tallies.add(player, ("mafia", "black", "lost", None, False), ())
    return find_system("sport-percent").rank(tallies, "season", None, drawn)


some = st.sets(st.sampled_from("abcdefgh"), max_size=3)


@settings(deadline=None)
@given(group=groups, seed=st.text(max_size=40), better=some, worse=some)
def test_a_lot_gives_exactly_its_group_the_places_in_the_order_drawn(
    group: list[str], seed: str, better: set[str], worse: set[str]
) -> None:
    worse -= better
    order = drawn_order(group, seed)
    drawn = table(set(group), better, worse, [Lot(order)])
    ranks: dict[Any, int | None] = {row.player: row.rank for row in drawn.rows}
    assert [ranks[player] for player in order] == [len(better) + 1 + i for i in range(len(order))]
    assert [tie.lot for tie in drawn.ties if {*tie.players} == {*group}] == ["drawn"]
    without = table(set(group), better, worse, [])
    assert {row.player: row.rank for row in without.rows if row.player not in order} == {
        row.player: row.rank for row in drawn.rows if row.player not in order
    }


@settings(deadline=None)
@given(group=groups, seed=st.text(max_size=40), data=st.data())
def test_a_lot_is_void_after_any_change_of_its_group_and_holds_when_it_is_the_same_again(
    group: list[str], seed: str, data: st.DataObject
) -> None:
    others = data.draw(groups.filter(lambda others: {*others} != {*group}))
    lot = Lot(drawn_order(group, seed))
    changed = table(set(others), set(), set(group) - set(others), [lot])
    (tie,) = [tie for tie in changed.ties if {*tie.players} == {*others}]
    assert tie.lot == "needed"
    assert {row.rank for row in changed.rows if row.player in others} == {1}
    again = table(set(group), set(), set(), [lot])
    assert [tie.lot for tie in again.ties] == ["drawn"]
