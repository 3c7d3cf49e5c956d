"""Kinds of rules that no built-in regulation uses, each by a game that is counted by hand."""

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

import pytest
from pydantic import ValidationError

from app.scoring.game import Game
from app.scoring.points import decimal_of
from app.scoring.rule_system import RuleSystem
from app.scoring.systems import find_system
from app.scoring.tally import Tallies

TEN: Final = ("citizen", "citizen", "sheriff", "mafia", "citizen", "don", "citizen", "mafia", "citizen", "citizen")
"""Seats 4, 6 and 8 are black."""


def system(*rules: Mapping[str, Any]) -> RuleSystem:
    """A regulation of one clause with these rules, at the table of ten."""
    words = {"ru": "правило", "en": "rule"}
    points = {"key": "points", "label": words, "formula": "points", "decimals": 2}
    return RuleSystem.model_validate(
        {
            "id": "test",
            "version": 1,
            "title": words,
            "source": "a test",
            "table": find_system("maffamily").table.model_dump(),
            "clauses": [{"number": "1", "text": words, "rules": [*rules, {"kind": "columns", "columns": [points]}]}],
        }
    )


def game(outcome: str = "black", seats: Mapping[int, Mapping[str, Any]] | None = None, **facts: Any) -> Game:
    """A game of ten with something more at some seats."""
    more = seats or {}
    listed = [{"seat": n, "player": f"P{n}", "role": role, **more.get(n, {})} for n, role in enumerate(TEN, 1)]
    return Game.read({"outcome": outcome, "seats": listed, **facts})


def points(of: RuleSystem, played: Game) -> dict[int, Decimal]:
    """What each seat got, without those that got nothing."""
    return {seat: decimal_of(total) for seat, total in of.examine(played).totals if total}


def codes(of: RuleSystem, played: Game) -> list[tuple[str, str]]:
    """The code and pointer of everything wrong with the game."""
    return [(found.code, found.pointer) for found in of.check(played)]


def number(written: str) -> Decimal:
    return Decimal(written)


ALIVE: Final = {"kind": "exit_points", "exits": ["alive"], "points": 1, "roles": ["don", "mafia"], "when": "won"}
VOTED: Final = {"kind": "exit_points", "exits": ["voted"], "days": [1], "points": "-0.5", "code": "first_voted"}


def test_who_lived_and_who_left_on_which_day() -> None:
    """Blacks 4 and 8 are alive, 6 was voted out on day 1 and so was 1; 5 on day 2."""
    out = {6: ("voted", 1), 1: ("voted", 1), 5: ("voted", 2), 3: ("killed", 1)}
    seats = {seat: {"exit": {"how": how, "day": day}} for seat, (how, day) in out.items()}

    given = points(system(ALIVE, VOTED), game(seats=seats))

    assert given == {4: 1, 8: 1, 6: number("-0.5"), 1: number("-0.5")}


def test_points_per_day_until_the_exit() -> None:
    per_day = {"kind": "exit_points", "exits": ["voted", "killed"], "per_day": "0.2"}
    seats = {1: {"exit": {"how": "killed", "day": 3}}, 2: {"exit": {"how": "surrendered", "day": 3}}}

    assert points(system(per_day), game(seats=seats)) == {1: number("0.6")}
    assert codes(system(per_day), game(seats={1: {"exit": {"how": "voted"}}})) == [
        ("exit_day_required", "/seats/0/exit/day")
    ]


@pytest.mark.parametrize(
    "seat, facts",
    [
        ({"exit": {"how": "voted", "day": 1}, "removed": True}, {}),
        ({"exit": {"how": "removed", "day": 1}}, {}),
        ({"exit": {"how": "voted", "day": 1}}, {"first_kill": {"seat": 1}}),
        ({"exit": {"how": "killed", "day": 2}}, {"first_kill": {"seat": 1}}),
    ],
    ids=["removed and voted out", "removed, and not", "first kill voted out", "first kill on day 2"],
)
def test_an_exit_that_other_facts_contradict(seat: Mapping[str, Any], facts: Mapping[str, Any]) -> None:
    assert codes(system(ALIVE), game(seats={1: seat}, **facts)) == [("exit_contradicts", "/seats/0/exit")]


def test_votes_against_black_and_all_votes() -> None:
    """Seat 1 votes against 4 on day 1, who leaves, and 6 on day 2; seat 2 against 4 and 5."""
    for_each = {"kind": "vote_points", "teams": ["black"], "voted_out": True, "points": "0.1", "by_day": {"2": "0.2"}}
    all_right = {
        "kind": "vote_points",
        "teams": ["black"],
        "all_votes": True,
        "least_votings": 2,
        "points": 1,
        "code": "all_right",
    }
    votes = [(1, 1, 4), (2, 1, 6), (1, 2, 4), (2, 2, 5)]
    seats = {4: {"exit": {"how": "voted", "day": 1}}, 6: {"exit": {"how": "voted", "day": 2}}}
    played = game(seats=seats, votes=[{"day": day, "seat": seat, "target": target} for day, seat, target in votes])

    assert points(system(for_each, all_right), played) == {1: number("1.3"), 2: number("0.1")}


def test_a_protocol_is_paid_by_what_was_right() -> None:
    """Seat 3, killed first, calls 4 black (right), 1 red (right), 5 the don (wrong), 6 black (after the mistake)."""
    rule = {
        "kind": "protocol",
        "makers": "first_kill",
        "right": {"red": "0.2", "black": "0.3"},
        "wrong": {"red": "-0.1", "black": "-0.1"},
        "stop_at_first_error": True,
    }
    claims = [{"seat": 4, "team": "black"}, {"seat": 1, "team": "red"}, {"seat": 5, "role": "don"}]
    protocols = [{"seat": 3, "claims": [*claims, {"seat": 6, "team": "black"}]}, {"seat": 1, "claims": claims}]
    played = game(first_kill={"seat": 3}, protocols=protocols)

    assert points(system(rule), played) == {3: number("0.4")}
    assert codes(system(rule), game(protocols=[{"seat": 11}])) == [("protocol_unknown_seat", "/protocols/0/seat")]


def test_fouls_cost_each_and_the_fourth_more() -> None:
    fouls = {"kind": "foul_points", "each": "-0.1", "at": {"4": "-0.5"}}

    assert points(system(fouls), game(seats={1: {"fouls": 3}, 2: {"fouls": 4}})) == {
        1: number("-0.3"),
        2: number("-0.9"),
    }


def test_a_limit_is_a_line_of_its_own() -> None:
    """Two marks of 0.6 are 1.2, of which 1 counts; a mark of -3 counts as -2."""
    names = {"ru": "отметка", "en": "mark"}
    marks = [{"code": "good", "name": names, "points": "0.6", "counted": True}]
    marks.append({"code": "bad", "name": names, "points": -3})
    rules = ({"kind": "marks", "marks": marks}, {"kind": "limit", "category": "extra", "least": -2, "most": 1})

    assert points(system(*rules), game(seats={1: {"marks": ["good", "good"]}, 2: {"marks": ["bad"]}})) == {1: 1, 2: -2}


def test_night_acts_by_the_role_of_the_target_and_so_many_of_them() -> None:
    """The don (6) finds the sheriff in night 1; the sheriff (3) checks 4, 8 and 6: three blacks."""
    don = {"kind": "night_points", "roles": ["don"], "by_role": {"sheriff": 2}, "nights": [1]}
    three = {
        "kind": "night_points",
        "roles": ["sheriff"],
        "by_team": {"black": 3},
        "at_least": 3,
        "code": "three_checks",
    }
    acts = [(1, 6, 3), (1, 3, 4), (2, 3, 8), (3, 3, 6), (2, 6, 3)]
    actions = [{"night": night, "seat": seat, "target": target} for night, seat, target in acts]
    listed = {"kind": "night_record", "roles": ["don", "sheriff"], "healer": "sheriff"}

    assert points(system(don, three, listed), game(night_actions=actions)) == {6: 2, 3: 3}


def test_a_night_without_a_record_of_roles_still_knows_its_seats() -> None:
    rule = {"kind": "night_points", "by_team": {"black": 1}}
    again = {**rule, "code": "again"}

    assert codes(system(rule, again), game(night_actions=[{"night": 1, "seat": 11, "target": 1}])) == [
        ("night_action_unknown_seat", "/night_actions/0/seat")
    ]


def test_one_fact_withholds_other_points() -> None:
    """Black won: seat 4 gets its point, 6 is removed, 8 caused nothing but has the worst move."""
    names = {"ru": "худший ход", "en": "worst move"}
    win = {"kind": "win", "points": 1, "unless": ["removed", "worst_move"]}
    marks = {"kind": "marks", "marks": [{"code": "worst_move", "name": names}]}
    played = game(seats={6: {"removed": True}, 8: {"marks": ["worst_move"]}})

    assert points(system(win, marks), played) == {4: 1}
    with pytest.raises(ValidationError, match="no rule notes wurst_move; did you mean worst_move"):
        system({**win, "unless": ["wurst_move"]}, marks)


def test_marks_that_cannot_be() -> None:
    names = {"ru": "лучший игрок", "en": "best player"}
    marks = {
        "kind": "marks",
        "marks": [
            {"code": "best_player", "name": names, "points": 1, "roles": ["citizen"], "when": "won", "most_seats": 1}
        ],
    }
    seats = {1: {"marks": ["best_player", "best_player", "best"]}, 4: {"marks": ["best_player"]}}

    assert codes(system(marks), game(seats=seats)) == [
        ("mark_result", "/seats/0/marks/0"),
        ("mark_duplicate", "/seats/0/marks/1"),
        ("mark_unknown", "/seats/0/marks/2"),
        ("mark_role", "/seats/3/marks/0"),
        ("mark_seats_exceeded", "/seats"),
    ]


def test_marks_of_a_team() -> None:
    names = {"ru": "чистая победа", "en": "clean win"}
    of_red = {"code": "clean_win", "name": names, "team": "red", "points": "0.3", "when": "won", "roles": ["sheriff"]}
    rule = system({"kind": "team_marks", "marks": [of_red]})
    noted = {"team": "red", "code": "clean_win"}

    assert points(rule, game("red", team_marks=[noted])) == {3: number("0.3")}
    assert codes(rule, game("black", team_marks=[noted, noted, {"team": "black", "code": "clean_win"}])) == [
        ("team_mark_result", "/team_marks/0"),
        ("team_mark_duplicate", "/team_marks/1"),
        ("team_mark_result", "/team_marks/1"),
        ("team_mark_unknown", "/team_marks/2"),
    ]


def test_a_removal_costs_by_its_reason() -> None:
    rule = {
        "kind": "removal_penalty", "points": "-0.5", "when": "always", "spares_harmless": False,
        "by_reason": {"four_fouls": "-0.2"},
    }  # fmt: skip
    seats: dict[int, dict[str, Any]] = {1: {"removed": {"reason": "four_fouls"}}, 2: {"removed": True}}

    assert points(system(rule), game(seats=seats)) == {1: number("-0.2"), 2: number("-0.5")}
    assert codes(system(rule), game(seats={1: {"removed": {"reason": "rude"}}})) == [
        ("removal_reason_unknown", "/seats/0/removed/reason")
    ]


def test_facts_that_no_rule_reads() -> None:
    seats: dict[int, dict[str, Any]] = {1: {"marks": ["x"], "exit": {"how": "removed"}, "removed": {"reason": "rude"}}}
    played = game(
        seats=seats,
        team_marks=[{"team": "red", "code": "x"}],
        votes=[{"day": 1, "seat": 1, "target": 2}],
        protocols=[{"seat": 1}],
    )

    assert {(code, pointer) for code, pointer in codes(system({"kind": "win", "points": 1}), played)} == {
        ("field_not_used_here", f"/{place}")
        for place in ("team_marks", "votes", "protocols", "seats/0/marks", "seats/0/exit", "seats/0/removed/reason")
    }


def settled(rule: Mapping[str, Any], name: str, games: list[Game]) -> Fraction:
    """What a rule of the season comes to for P3."""
    of = system({"kind": "win", "points": 2}, rule)
    tallies = Tallies()
    for played in games:
        of.examine(played, "tournament" if played.stage else "season").add_to(tallies)
    (only,) = [one for clause in of.clauses for one in clause.rules if one.kind == rule["kind"]]
    return only.settle(tallies)["p3"].values[name]  # type: ignore[attr-defined, no-any-return]


def test_compensation_grows_with_each_lost_first_kill() -> None:
    """Killed first in three lost games and a won one: min(k - 1, 3) gives 0 + 1 + 2; the won one is not paid."""
    rule = {"kind": "compensation", "roles": ["sheriff"], "formula": "min(k - 1, 3)", "paid": {"lost": 1}}
    killed = [game(outcome, first_kill={"seat": 3}) for outcome in ("black", "black", "red", "black")]

    assert settled(rule, "ci_compensation", [*killed, game()]) == 3


def test_compensation_of_a_share_of_games_half_for_wins() -> None:
    """i/n = 2/4 of the own games: 0.5 for the lost one, 0.25 for the won one."""
    rule = {"kind": "compensation", "roles": ["sheriff"], "formula": "i / n", "paid": {"lost": 1, "won": "0.5"}}
    killed = [game(outcome, first_kill={"seat": 3}) for outcome in ("black", "red")]

    assert settled(rule, "ci_compensation", [*killed, game(), game()]) == Fraction(3, 4)


def test_a_weight_of_the_final() -> None:
    """Red won the final and one game before it: 2 of the final times 1.5 are 1 more."""
    rule = {"kind": "weight", "stages": ["final"], "factor": "1.5"}

    assert settled(rule, "weighting", [game("red", stage="final"), game("red", stage="qualifying")]) == 1
