"""Every golden case of every system, worked out by hand in the YAML beside it, against what the core says."""

import re
from collections.abc import Iterator
from decimal import Decimal

import pytest

from app.scoring.breakdown import Breakdown
from app.scoring.game import Game
from app.scoring.nickname import folded
from app.scoring.points import decimal_of, rounded
from app.scoring.ranking import Lot, Row, Standings
from app.scoring.rule_system import RuleSystem
from app.scoring.systems import all_systems
from app.scoring.tally import Tallies
from app.scoring.violation import RuleViolations, Violation
from tests.scoring.golden import C, Found, GameCase, Golden, StandingsCase, golden_files, line, shown

GOLDEN = golden_files()
TEAMS = {
    **dict.fromkeys(("citizen", "sheriff", "doctor", "commissar"), "red"),
    **dict.fromkeys(("mafia", "don"), "black"),
    "maniac": "maniac",
}
CYRILLIC = re.compile("[а-яё]", re.IGNORECASE)


def named(golden: Golden, cases: tuple[C, ...]) -> Iterator[object]:
    for case in cases:
        yield pytest.param(golden, case, id=golden.titled(case))


@pytest.mark.parametrize("golden, case", [param for golden in GOLDEN for param in named(golden, golden.games)])
def test_a_game_gives_what_was_worked_out_by_hand(golden: Golden, case: GameCase) -> None:
    system = golden.regulation
    game = Game.read(golden.facts(case))

    violations = system.check(game)

    assert sorted(map(Found.of, violations)) == case.found()
    assert_worded_in_both_languages(violations)
    if not case.violations:
        assert_breakdown(system.examine(game), golden, case)


@pytest.mark.parametrize("golden, case", [param for golden in GOLDEN for param in named(golden, golden.standings)])
def test_a_table_says_what_was_worked_out_by_hand(golden: Golden, case: StandingsCase) -> None:
    system = golden.regulation
    tallies = Tallies()
    found: list[Found] = []
    games = [Game.read(golden.facts(entry)) for entry in case.games for _ in range(entry.times)]
    for i, game in enumerate(games):
        try:
            system.examine(game, case.format).add_to(tallies)
        except RuleViolations as refused:
            found += [Found.of(violation, f"/games/{i}") for violation in refused.violations]
            assert_worded_in_both_languages(refused.violations)

    assert sorted(found) == case.found()
    if not case.violations:
        lots = [Lot(tuple(map(folded, drawn))) for drawn in case.lots]
        assert_standings(system.rank(tallies, case.format, case.order, lots), case)


@pytest.mark.parametrize("system", all_systems(), ids=lambda system: f"{system.id} {system.version}")
def test_every_clause_with_rules_has_a_golden_case_and_every_case_names_clauses(system: RuleSystem) -> None:
    clauses = {clause.number: clause for clause in system.clauses}
    goldens = [golden for golden in GOLDEN if golden.regulation == system]
    exercised = {clause for golden in goldens for case in (*golden.games, *golden.standings) for clause in case.clauses}

    without = {number for number, clause in clauses.items() if clause.rules} - exercised
    unknown = exercised - set(clauses)

    assert not without, f"{system.id} {system.version}: no golden case names {', '.join(sorted(without))}; add one"
    assert not unknown, f"{system.id} {system.version}: has no clause {', '.join(sorted(unknown))}, but a case names it"


def test_no_two_cases_of_a_system_have_the_same_sentence() -> None:
    for golden in GOLDEN:
        sentences = [case.case for case in (*golden.games, *golden.standings)]
        assert sorted(set(sentences)) == sorted(sentences)


def assert_breakdown(breakdown: Breakdown, golden: Golden, case: GameCase) -> None:
    """Status, approvals, warnings and every line are as written; totals, teams and results follow from the facts."""
    assert breakdown.status == case.status
    assert sorted(f"{x.clause} {x.seat} {x.by}" for x in breakdown.approvals) == sorted(case.approvals)
    assert sorted(f"{x.code} {x.seat}" for x in breakdown.warnings) == sorted(case.warnings)
    for warning in breakdown.warnings:
        assert_worded(warning.text.say("ru", *warning.args), warning.text.say("en", *warning.args))

    expected = golden.lines(case)
    given = {}
    for scored in breakdown.seats:
        seat = scored.seat
        given[seat.seat] = sorted(
            line(f"{clause} {x.code} {x.category} {decimal_of(x.points)}") for clause, x in scored.lines
        )
        reasons = [x.reason.say("en", *x.args) for _, x in scored.lines]
        assert set(case.reasons.get(seat.seat, ())) <= set(reasons)
        for english, (_, x) in zip(reasons, scored.lines, strict=True):
            assert_worded(x.reason.say("ru", *x.args), english)
        assert scored.team == TEAMS[seat.role]
        assert scored.result == result(breakdown.game, scored.team)
        by_hand = sum((Decimal(text.split()[-1]) for text in expected[seat.seat]), Decimal(0))
        assert decimal_of(scored.total) == by_hand
    assert given == expected


def result(game: Game, team: str) -> str | None:
    """Won: the own team's outcome; lost: another team's; a draw is neither."""
    if game.cancelled:
        return None
    if game.outcome == "draw":
        return "draw"
    return "won" if game.outcome == team else "lost"


def assert_standings(standings: Standings, case: StandingsCase) -> None:
    """What the case names is so: rows, places, ties, awards, columns."""
    rows = {str(row.player): row for row in standings.rows}
    decimals = {column.key: column.decimals for column in standings.columns}

    if case.counted is not None:
        assert standings.games == case.counted
    if case.columns:
        assert decimals == case.columns
    for name, values in case.rows.items():
        if values == "absent":
            assert folded(name) not in rows
        else:
            row = rows[folded(name)]
            assert {key: seen(row, key, decimals) for key in values} == {
                key: value if isinstance(value, list) else shown(value) for key, value in values.items()
            }, name
    assert [(name, rows[folded(name)].rank) for name, _ in case.ranks] == list(case.ranks)
    if case.ties is not None:
        given = [(tie.rank, tie.lot, order_of(tie.players, tie.lot)) for tie in standings.ties]
        assert given == [(tie["rank"], tie["lot"], order_of(tie["players"], tie["lot"])) for tie in case.ties]
    awards = {award.code: sorted(map(str, award.players)) for award in standings.awards}
    for code, players in case.awards.items():
        assert awards[code] == sorted(map(folded, players))
    for row in standings.rows:
        for warning in row.warnings:
            assert_worded(warning.text.say("ru", *warning.args), warning.text.say("en", *warning.args))
        for _, given_line in row.season_lines:
            reason, args = given_line.reason, given_line.args
            assert_worded(reason.say("ru", *args), reason.say("en", *args))


def seen(row: Row, key: str, decimals: dict[str, int]) -> object:
    """One named thing of a row as a case writes it."""
    match key:
        case "rank":
            return shown(row.rank)
        case "published":
            return shown(row.published)
        case "warnings":
            return [warning.code for warning in row.warnings]
        case _:
            value = row.values[key]
            return shown(None if value is None else rounded(value, decimals[key]))


def order_of(players: object, lot: str | None) -> list[str]:
    """The players of a tie: in the order drawn, else in any order."""
    assert isinstance(players, list | tuple)
    names = [folded(player) for player in players]
    return names if lot == "drawn" else sorted(names)


def assert_worded_in_both_languages(violations: list[Violation]) -> None:
    for violation in violations:
        assert_worded(violation.message("ru"), violation.message("en"))
        if isinstance(violation.limit, int | Decimal) and isinstance(violation.actual, int | Decimal):
            for found in (violation.limit, violation.actual):
                assert shown(found) in violation.message("en")
                assert shown(found).replace(".", ",").replace("-", "−") in violation.message("ru")


def assert_worded(russian: str, english: str) -> None:
    for text in (russian, english):
        assert text.strip()
        assert not set("{}") & set(text)
    assert CYRILLIC.search(russian)
    assert russian != english
