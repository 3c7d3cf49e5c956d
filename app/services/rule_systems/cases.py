"""Worked cases of a regulation beside what it gives: games with the points of seats, tables with their rows."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final, NamedTuple, cast

from pydantic import ValidationError

from app.scoring.game import Game
from app.scoring.nickname import folded
from app.scoring.points import NotANumber, decimal_of, number_of, rounded
from app.scoring.ranking import Standings
from app.scoring.rule_system import RuleSystem
from app.scoring.rules.kind import GameRule, Rule, SeasonRule
from app.scoring.tally import Tallies
from app.scoring.terms import Format
from app.scoring.violation import RuleViolations, Violation
from app.services.standings.stateless import tally_games
from app.validation import input_violations

MOST_CASES: Final = 100
MOST_GAMES: Final = 2_000
"""Of all cases together."""


class Case(NamedTuple):
    """A worked case: one game, or the games of a table. ``expected`` None: it shows what comes out."""

    name: str
    expected: Mapping[str, Any] | None
    game: Game | None = None
    format: Format = "season"
    games: Sequence[Game] = ()


class Difference(NamedTuple):
    """Where a case expects something else than the system gives, and the lines of that seat."""

    pointer: str
    """Into the case."""
    expected: Any
    actual: Any
    lines: Sequence[Mapping[str, Any]] = ()


class CaseResult(NamedTuple):
    """What became of a case."""

    name: str
    passed: bool | None
    """None where nothing was expected."""
    differences: Sequence[Difference]
    actual: Mapping[str, Any] | None
    """What came out, where nothing was expected."""


class UncoveredRule(NamedTuple):
    """A rule that gave and refused nothing in any case."""

    clause: str
    kind: str


class CaseReport(NamedTuple):
    """Every case, and what none of them shows."""

    results: Sequence[CaseResult]
    uncovered: Sequence[UncoveredRule]


def read_games(value: Mapping[str, Any], pointer: str, told: list[Violation]) -> tuple[Game | None, list[Game]]:
    """The game or the games of a case; what is wrong with them goes to ``told``."""
    games = []
    sent = [(f"{pointer}/games/{i}", game) for i, game in enumerate(value.get("games") or ())]
    for where, each in sent or [(f"{pointer}/game", value.get("game"))]:
        try:
            games.append(Game.read(each))
        except ValidationError as error:
            told += input_violations(error, where)
    return (None, games) if sent else (games[0] if games else None, [])


def run(system: RuleSystem, cases: Iterable[Case]) -> CaseReport:
    """Compare each case with what the system gives."""
    unused = {
        id(rule): UncoveredRule(clause.number, rule.kind)
        for clause in system.clauses
        for rule in clause.rules
        if _gives_or_refuses(rule)
    }
    results = []
    for case in cases:
        for rule in _used(system, case):
            unused.pop(id(rule), None)
        results.append(_of_table(system, case) if case.game is None else _of_game(system, case, case.game))
    return CaseReport(results, list(unused.values()))


def _gives_or_refuses(rule: Rule) -> bool:
    if isinstance(rule, SeasonRule):
        return True
    return isinstance(rule, GameRule) and (
        type(rule).lines is not GameRule.lines or type(rule).violations is not GameRule.violations
    )


def _used(system: RuleSystem, case: Case) -> Iterator[Rule]:
    """The rules that give or refuse something in a case."""
    tallies = Tallies()
    for game in case.games if case.game is None else (case.game,):
        try:
            breakdown = system.examine(game, case.format if case.game is None else None)
        except RuleViolations as error:
            refusing = {(found.clause, found.code) for found in error.violations}
            for number, rule in system.game_rules:
                if any(number == clause for clause, _ in refusing) and _refuses(rule, system, game):
                    yield rule
            continue
        breakdown.add_to(tallies)
        for _, rule in system.game_rules:
            played = breakdown.played
            if any(True for _ in rule.lines(played)) or any(True for _ in rule.consents(played)):
                yield rule
    for _, settling in system.rankings[case.format].settlers:
        if any(settled.lines or any(settled.values.values()) for settled in settling.settle(tallies).values()):
            yield settling


def _refuses(rule: GameRule, system: RuleSystem, game: Game) -> bool:
    played = system.played(game)
    return any(True for _ in rule.violations(played)) or any(True for _ in rule.contradictions(played))


def _of_game(system: RuleSystem, case: Case, game: Game) -> CaseResult:
    try:
        breakdown = system.examine(game)
    except RuleViolations as error:
        codes = [found.code for found in error.violations]
        if case.expected is None:
            return CaseResult(case.name, None, (), {"violations": codes})
        wanted = case.expected.get("violations")
        right = isinstance(wanted, list) and sorted(map(str, wanted)) == sorted(codes)
        return _compared(case, [] if right else [Difference("/expected/violations", wanted, codes)])
    lines = {
        seat.seat.seat: [
            {"clause": clause, "code": line.code, "points": decimal_of(line.points)} for clause, line in seat.lines
        ]
        for seat in breakdown.seats
    }
    points = {seat: decimal_of(total) for seat, total in breakdown.totals}
    approvals = [
        {"clause": one.clause, "seat": one.seat, "by": one.by, "points": decimal_of(one.points)}
        for one in breakdown.approvals
    ]
    if case.expected is None:
        actual = {"points": _by_text(points), "lines": _by_text(lines), "approvals": approvals}
        return CaseResult(case.name, None, (), actual)
    found: list[Difference] = []
    if case.expected.get("violations"):
        found.append(Difference("/expected/violations", case.expected["violations"], []))
    for seat, wanted in _members(case.expected.get("points")):
        given = points.get(_whole(seat))
        if given is None or _number(wanted) != given:
            found.append(Difference(f"/expected/points/{seat}", wanted, given, lines.get(_whole(seat), ())))
    for seat, wanted in _members(case.expected.get("lines")):
        shown = lines.get(_whole(seat), [])
        if _plain(wanted, shown) != _plain(shown, shown):
            found.append(Difference(f"/expected/lines/{seat}", wanted, shown, shown))
    wanted = case.expected.get("approvals")
    if wanted is not None and _plain(wanted, approvals) != _plain(approvals, approvals):
        found.append(Difference("/expected/approvals", wanted, approvals))
    return _compared(case, found)


def _of_table(system: RuleSystem, case: Case) -> CaseResult:
    tallied = tally_games(system, enumerate(case.games), case.format)
    if tallied.breaches:
        told = [{"code": found.code, "pointer": found.pointer} for found in tallied.breaches]
        return CaseResult(case.name, False, [Difference("/games", [], told)], None)
    standings = system.rank(tallied.tallies, case.format)
    rows = _rows(standings, tallied.nicknames)
    awards = [
        {"code": award.code, "players": [tallied.nicknames[str(player)] for player in award.players]}
        for award in standings.awards
    ]
    if case.expected is None:
        return CaseResult(case.name, None, (), {"rows": rows, "awards": awards})
    by_name = {folded(row["player"]): row for row in rows}
    found = []
    for i, wanted in enumerate(case.expected.get("rows") or ()):
        row = by_name.get(folded(str(wanted.get("player")))) if isinstance(wanted, dict) else None
        if row is None:
            found.append(Difference(f"/expected/rows/{i}/player", wanted, None))
            continue
        if "rank" in wanted and wanted["rank"] != row["rank"]:
            found.append(Difference(f"/expected/rows/{i}/rank", wanted["rank"], row["rank"]))
        for key, value in _members(wanted.get("values")):
            actual = row["values"].get(key)
            if (None if value is None else _number(value)) != actual:
                found.append(Difference(f"/expected/rows/{i}/values/{key}", value, actual))
    for i, wanted in enumerate(case.expected.get("awards") or ()):
        if wanted not in awards:
            code = wanted.get("code") if isinstance(wanted, dict) else None
            given = next((award for award in awards if award["code"] == code), None)
            found.append(Difference(f"/expected/awards/{i}", wanted, given))
    return _compared(case, found)


def _rows(standings: Standings, nicknames: Mapping[str, str]) -> list[dict[str, Any]]:
    """The rows as they are shown: rounded as the columns say."""
    decimals = {column.key: column.decimals for column in standings.columns}
    return [
        {
            "player": nicknames[str(row.player)],
            "rank": row.rank,
            "values": {
                key: None if value is None else rounded(Fraction(value), decimals[key])
                for key, value in row.values.items()
            },
        }
        for row in standings.rows
    ]


def _compared(case: Case, found: Sequence[Difference]) -> CaseResult:
    return CaseResult(case.name, not found, found, None)


def _plain(written: Any, like: Sequence[Mapping[str, Any]]) -> list[str]:
    """A list of objects without order, with those members alone that the system has, numbers by their value."""
    known = {name for one in like for name in one}
    objects = [one for one in written if isinstance(one, dict)] if isinstance(written, list) else []
    valued = [{name: _number(value) if name == "points" else value for name, value in one.items()} for one in objects]
    return sorted(repr(sorted((name, one[name]) for name in one.keys() & known)) for one in valued)


def _members(value: Any) -> Iterable[tuple[str, Any]]:
    return cast("Mapping[str, Any]", value).items() if isinstance(value, dict) else ()


def _whole(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 4 else 0


def _number(value: Any) -> Decimal | None:
    try:
        return number_of(value)
    except NotANumber:
        return None


def _by_text(values: Mapping[int, Any]) -> dict[str, Any]:
    return {str(seat): value for seat, value in values.items()}
