"""What holds for every game and every table, whatever the regulation."""

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.scoring.breakdown import Breakdown
from app.scoring.game import Game
from app.scoring.nickname import folded
from app.scoring.points import in_points
from app.scoring.ranking import Standings
from app.scoring.systems import find_system
from app.scoring.tally import Tallies
from app.scoring.terms import Format
from tests.scoring.any_game import Wire, faulty_games, games, outcomes_of, respelled, seasons

SYSTEMS = ("maffamily", "sport-percent", "city-average")
every_system = pytest.mark.parametrize("system", SYSTEMS)
every_table = pytest.mark.parametrize(
    "system, format", [*((system, "season") for system in SYSTEMS), ("sport-percent", "tournament")]
)
often = settings(deadline=None, max_examples=100)
sometimes = settings(deadline=None, max_examples=40)


def scored(system: str, wires: Iterable[Wire], format: Format) -> list[Breakdown]:
    return [find_system(system).examine(Game.read(wire), format) for wire in wires]


def added_up(breakdowns: Iterable[Breakdown]) -> Tallies:
    tallies = Tallies()
    for breakdown in breakdowns:
        breakdown.add_to(tallies)
    return tallies


def table(system: str, wires: Iterable[Wire], format: Format) -> Standings:
    return find_system(system).rank(added_up(scored(system, wires, format)), format)


def in_seats(breakdown: Breakdown) -> dict[int, object]:
    return {seat.seat.seat: (seat.seat, seat.team, seat.result, seat.lines, seat.total) for seat in breakdown.seats}


@pytest.mark.parametrize(
    "roles, teams",
    [
        (("mafia", "mafia", "maniac", "don", "mafia"), {"black", "maniac"}),
        (("citizen", "sheriff", "doctor", "commissar", "mafia"), {"red", "black"}),
        (("citizen", "maniac"), {"red", "maniac"}),
    ],
)
def test_no_game_is_drawn_here_that_a_team_won_which_was_not_at_the_table(
    roles: Sequence[str], teams: set[str]
) -> None:
    assert set(outcomes_of([{"role": role} for role in roles])) == {"draw", *teams}


@every_system
@often
@given(data=st.data())
def test_the_order_of_seats_does_not_matter_to_points(system: str, data: st.DataObject) -> None:
    wire = data.draw(games(system))
    shuffled = wire | {"seats": data.draw(st.permutations(wire["seats"]))}

    one, other = scored(system, [wire], "season") + scored(system, [shuffled], "season")

    assert in_seats(one) == in_seats(other)
    assert one.status == other.status
    assert sorted(one.approvals) == sorted(other.approvals)
    assert sorted(map(str, one.warnings)) == sorted(map(str, other.warnings))


@every_system
@often
@given(data=st.data())
def test_the_order_of_seats_does_not_matter_to_what_is_refused(system: str, data: st.DataObject) -> None:
    wire = data.draw(faulty_games(system))
    shuffled = wire | {"seats": data.draw(st.permutations(wire["seats"]))}

    def refused(facts: Wire) -> Counter[str]:
        found: Counter[str] = Counter()
        for violation in find_system(system).check(Game.read(facts)):
            pointer = violation.pointer.split("/")
            if pointer[1] == "seats" and len(pointer) > 2:
                pointer[2] = f"seat {facts['seats'][int(pointer[2])]['seat']}"
            found[f"{violation._replace(pointer='/'.join(pointer), unsaid=None)}"] += 1
        return found

    assert refused(wire) == refused(shuffled)


@every_system
@often
@given(data=st.data())
def test_a_seats_total_is_the_sum_of_its_lines_and_no_line_is_worth_0(system: str, data: st.DataObject) -> None:
    (breakdown,) = scored(system, [data.draw(games(system))], "season")
    for seat in breakdown.seats:
        assert seat.total == sum(line.points for _, line in seat.lines)
        assert all(line.points for _, line in seat.lines)


@every_table
@sometimes
@given(data=st.data())
def test_a_rows_points_are_the_sum_of_its_lines(system: str, format: Format, data: st.DataObject) -> None:
    wires = data.draw(seasons(system, format))
    totals: Counter[str] = Counter()
    for breakdown in scored(system, wires, format):
        for seat in breakdown.seats if breakdown.status in ("counted", "pending") else ():
            if seat.seat.registered is not False:
                totals[folded(seat.seat.player)] += seat.total

    for row in table(system, wires, format).rows:
        of_season = (line.points for _, line in row.season_lines if line.code in ("ci_compensation", "difficulty"))
        assert row.values["points"] == in_points(totals[str(row.player)]) + sum(of_season, Fraction(0))


@every_table
@sometimes
@given(data=st.data())
def test_what_a_season_gives_is_in_a_rows_lines_and_lines_worth_0_are_left_out(
    system: str, format: Format, data: st.DataObject
) -> None:
    for row in table(system, data.draw(seasons(system, format)), format).rows:
        given = {
            "city-average": {"participation": row.values.get("participation")},
            "sport-percent": {"games_bonus": 10 * value(row.values["games"])}
            if format == "season"
            else {"ci_compensation": row.values.get("compensation"), "difficulty": row.values.get("difficulty")},
            "maffamily": {},
        }[system]
        lines = {line.code: line.points for _, line in row.season_lines}
        assert lines == {code: points for code, points in given.items() if points}
        assert len(lines) == len(row.season_lines)


@every_table
@sometimes
@given(data=st.data())
def test_the_order_of_games_does_not_matter_to_the_table(system: str, format: Format, data: st.DataObject) -> None:
    wires = data.draw(seasons(system, format))
    assert table(system, wires, format) == table(system, data.draw(st.permutations(wires)), format)


@every_table
@sometimes
@given(data=st.data())
def test_one_more_draw_changes_nobodys_wins(system: str, format: Format, data: st.DataObject) -> None:
    wires = data.draw(seasons(system, format))
    draw = data.draw(games(system, format, outcomes=("draw",)))

    def wins(wires: Sequence[Wire]) -> Counter[object]:
        return Counter({row.player: row.values["wins"] for row in table(system, wires, format).rows})

    # A Counter compares absent as 0: who plays for the first time has no win.
    assert wins(wires) == wins([*wires, draw])


@every_table
@sometimes
@given(data=st.data())
def test_the_table_of_games_is_the_ranking_of_their_merged_tallies(
    system: str, format: Format, data: st.DataObject
) -> None:
    breakdowns = scored(system, data.draw(seasons(system, format)), format)
    cut = data.draw(st.integers(0, len(breakdowns)))
    merged = added_up(breakdowns[:cut])
    merged.merge(added_up(breakdowns[cut:]))

    assert find_system(system).rank(merged, format) == find_system(system).rank(added_up(breakdowns), format)


@every_table
@sometimes
@given(data=st.data())
def test_a_game_taken_back_leaves_the_table_as_it_was(system: str, format: Format, data: st.DataObject) -> None:
    breakdowns = scored(system, data.draw(seasons(system, format)), format)
    (mistaken,) = scored(system, [data.draw(games(system, format))], format)
    tallies = added_up([*breakdowns, mistaken])

    if mistaken.status in ("counted", "pending") and mistaken.game.outcome:
        tallies.count_game(mistaken.game.outcome, times=-1)
    for i, cell, earned in mistaken.entries():
        tallies.add(folded(mistaken.game.seats[i].player), cell, earned, times=-1)

    assert find_system(system).rank(tallies, format) == find_system(system).rank(added_up(breakdowns), format)


@every_table
@sometimes
@given(data=st.data())
def test_the_spelling_of_nicknames_does_not_matter_to_the_table(
    system: str, format: Format, data: st.DataObject
) -> None:
    wires = data.draw(seasons(system, format, most=4))
    spelled = [
        wire | {"seats": [seat | {"player": data.draw(respelled(seat["player"]))} for seat in wire["seats"]]}
        for wire in wires
    ]
    assert table(system, wires, format) == table(system, spelled, format)


@every_table
@sometimes
@given(data=st.data())
def test_a_place_is_one_more_than_the_number_of_better_players(
    system: str, format: Format, data: st.DataObject
) -> None:
    wires = data.draw(seasons(system, format)) * data.draw(st.sampled_from((1, 12)))
    standings = table(system, wires, format)
    published = [row for row in standings.rows if row.published]
    tied = {player for tie in standings.ties for player in tie.players}

    for row in published:
        mine = row.values[standings.order]
        assert row.rank is not None
        better = [other for other in published if other.rank is not None and other.rank < row.rank]
        assert row.rank == len(better) + 1
        assert all(value(other.values[standings.order]) >= value(mine) for other in better)
        assert (row.player in tied) == (sum(other.rank == row.rank for other in published) > 1)


def value(number: Fraction | int | None) -> Fraction:
    assert number is not None
    return Fraction(number)
