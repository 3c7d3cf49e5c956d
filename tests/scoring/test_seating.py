"""Who plays next: nobody waits longer than need be, late guests too, and seats are uniform and can be repeated."""

import random
import subprocess
from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import combinations

import pytest

from app.scoring.seating import Guest, Round, guests, next_players, seated

BEGIN = datetime(2025, 3, 14, 18, tzinfo=UTC)
SEATS = 10


def names(count: int) -> list[str]:
    return [f"p_{number:018}" for number in range(count)]


def test_first_plays_who_missed_most_and_then_who_came_first() -> None:
    there = [Guest(name, BEGIN, missed) for name, missed in (("a", 0), ("b", 1), ("c", 2), ("d", 1), ("e", 0))]
    assert next_players(there, 4) == ["c", "b", "d", "a"]
    assert next_players(there, 5)[-1] == "e"


def test_a_round_that_began_before_a_player_came_is_not_one_that_he_missed() -> None:
    minute = timedelta(minutes=1)
    rounds = [Round(BEGIN + number * 60 * minute, {"a"}) for number in range(3)]
    arrivals = [("a", BEGIN), ("b", BEGIN), ("c", BEGIN + 59 * minute), ("d", BEGIN + 61 * minute)]
    assert [guest.missed for guest in guests(arrivals, rounds)] == [0, 3, 2, 1]


class Evening:
    """An evening at one table, whoever comes when."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.now = BEGIN
        self.arrivals: list[tuple[str, datetime]] = []
        self.rounds: list[Round] = []
        self.out: list[set[str]] = []
        """Who was there and sat out, round by round."""

    def come(self, count: int) -> None:
        for name in names(len(self.arrivals) + count)[len(self.arrivals) :]:
            self.arrivals.append((name, self.now))

    def play(self) -> None:
        self.now += timedelta(minutes=1)
        there = guests(self.arrivals, self.rounds)
        players = set(next_players(there, SEATS))
        self.rounds.append(Round(self.now, players))
        self.out.append({guest.player for guest in there} - players)
        self.now += timedelta(minutes=40)

    def sat_out(self, player: str, since: datetime) -> int:
        return sum(player in out for out, one in zip(self.out, self.rounds, strict=True) if one.began_at >= since)


@pytest.mark.parametrize("seed", range(200))
def test_nobody_sits_out_twice_more_often_than_another(seed: int) -> None:
    """Of two who came together; and who came later catches up with those who had waited, but waits no longer."""
    evening = Evening(random.Random(seed))
    evening.come(SEATS + evening.chance.randint(0, 6))
    for _ in range(evening.chance.randint(4, 12)):
        evening.play()
        if evening.chance.random() < 0.3:
            evening.come(evening.chance.randint(1, 3))
    for (one, came), (other, later) in combinations(evening.arrivals, 2):
        mine, theirs = evening.sat_out(one, came), evening.sat_out(other, later)
        if came == later:
            assert abs(mine - theirs) < 2
        # Whoever came first had sat out so often when the other came.
        before = mine - evening.sat_out(one, later)
        assert theirs - mine < 2
        assert mine - theirs <= max(1, before)


def test_over_seeds_every_player_sits_in_every_seat_equally_often() -> None:
    """Within six standard deviations: a fair draw is outside them once in half a billion times."""
    draws = 2_000
    players = names(SEATS)
    seats = Counter(
        (player, seat) for draw in range(draws) for seat, player in enumerate(seated(players, f"{draw:032x}"), 1)
    )
    expected = draws / SEATS
    deviation = (draws * (1 / SEATS) * (1 - 1 / SEATS)) ** 0.5
    assert len(seats) == SEATS * SEATS
    assert all(abs(times - expected) < 6 * deviation for times in seats.values())


def test_anyone_repeats_the_seats_with_a_shell() -> None:
    """With the command of the documentation: the order does not depend on who came first."""
    players = names(5)
    seed = "00112233445566778899aabbccddeeff"
    command = (
        f"for id in {' '.join(reversed(players))}; do printf '%s %s\\n' "
        f"\"$(printf '%s' \"{seed}:$id\" | sha256sum | cut -d ' ' -f 1)\" \"$id\"; done | sort | cut -d ' ' -f 2"
    )
    repeated = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True).stdout.split()
    assert list(seated(players, seed)) == repeated
