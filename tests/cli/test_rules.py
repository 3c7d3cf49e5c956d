"""A regulation in a file: copied, shown and validated, with no service and nothing kept."""

import json
from pathlib import Path
from typing import Any

import pytest

from app.cli.rules_file import read_rules, write_rules
from app.scoring.exact_json import loads
from app.scoring.game import Game
from app.scoring.rule_system import RuleSystem
from app.scoring.rules.kind import KINDS
from app.scoring.systems import catalogue_entry, find_system, newest_systems
from app.scoring.tally import Tallies
from app.services.rule_systems.reading import read_system
from app.web.render import render
from tests.cli.running import ROOT, run
from tests.league import SEASONS, SYSTEMS, lines_of

BUILT_IN = [system.id for system in newest_systems()]
PAGES = [ROOT / "docs" / name for name in ("write-your-regulation.md", "write-your-regulation.ru.md")]

DUEL = """\
# A comment
id: my-duel
version: 1
title: {en: Duel}
source: "no"
table:
  least: 3
  most: 3
  roles:
    citizen: {team: red, name: {en: citizen}}
    mafia: {team: black, name: {en: mafia}}
  counts: [{roles: [citizen], least: 2, most: 2}]
clauses:
- number: "1"
  text: {en: A winner gets 0.1 points.}
  rules:
  - kind: win
    points: 0.1
- number: "2"
  text: {en: Places go by points.}
  rules:
  - kind: columns
    columns:
    - {key: score, label: {en: Points}, formula: points}
  - kind: order
    by: [score]
cases:
- name: red won
  game:
    outcome: red
    seats:
    - {seat: 1, player: Ann, role: citizen}
    - {seat: 2, player: Bob, role: citizen}
    - {seat: 3, player: Cid, role: mafia}
  expected:
    points: {1: 0.1, 2: 0.1, 3: 0}
"""


@pytest.fixture(autouse=True)
def _apart(environment: pytest.MonkeyPatch) -> None:
    environment.delenv("LANG", raising=False)


def copied(capsys: pytest.CaptureFixture[str], system: str) -> Any:
    done = run(capsys, "rules", "copy", system)
    assert (done.status, done.err) == (0, "")
    return read_rules(done.out.encode(), "copy.yaml").system


@pytest.mark.parametrize("system", BUILT_IN)
def test_a_copy_holds_every_parameter_of_the_original(capsys: pytest.CaptureFixture[str], system: str) -> None:
    whole = loads(render(find_system(system).model_dump()))
    assert copied(capsys, system) == {**whole, "id": f"my-{system}", "version": 1}
    Path("copy.yaml").write_text(run(capsys, "rules", "copy", system).out, encoding="utf-8")
    assert run(capsys, "rules", "validate", "copy.yaml").status == 0
    as_json = run(capsys, "rules", "copy", system, "--json").out
    assert read_rules(as_json.encode(), "copy.json").system == {**whole, "id": f"my-{system}", "version": 1}


def test_a_copy_of_a_published_scoring_brings_its_worked_cases(capsys: pytest.CaptureFixture[str]) -> None:
    Path("copy.yaml").write_text(run(capsys, "rules", "copy", "mr-fiim-v7").out, encoding="utf-8")
    done = run(capsys, "rules", "validate", "copy.yaml")
    assert done.status == 0, done.out
    count = len(catalogue_entry("mr-fiim-v7").cases)
    assert count > 0
    assert done.out.endswith(f"valid; cases: {count}, failed: 0\n")


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_copy_gives_what_the_original_gives(capsys: pytest.CaptureFixture[str], system: str) -> None:
    """Seasons of a real league, each line of each game and the table, exactly."""
    original, mine = find_system(system), read_system(copied(capsys, system)).system
    assert mine is not None
    for season in SEASONS:
        tables = []
        breakdowns = []
        for rules in (original, mine):
            tallies = Tallies()
            given: list[Any] = []
            for line in lines_of(season):
                game = Game.read(loads(line))
                if wrong := rules.check(game):
                    given.append(wrong)
                    continue
                scored = rules.score(game)
                scored.add_to(tallies)
                given.append([(seat.lines, seat.total) for seat in scored.seats])
            breakdowns.append(given)
            tables.append([(row.player, row.rank, row.values) for row in rules.rank(tallies, "season").rows])
        assert breakdowns[0] == breakdowns[1]
        assert tables[0] == tables[1]


def test_each_clause_is_shown_with_its_rules(capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "rules", "show", "maffamily", "--language", "en").out
    assert "1. Every player of the winning team gets 2 points" in out
    assert 'win {"points":2}' in out
    assert "По результатам каждой игры" in run(capsys, "rules", "show", "maffamily", "--language", "ru").out
    assert run(capsys, "rules", "show", "mafamily").status == 2


def test_cases_are_compared(capsys: pytest.CaptureFixture[str]) -> None:
    Path("duel.yaml").write_text(DUEL)
    assert run(capsys, "rules", "validate", "duel.yaml") == (0, "duel.yaml: valid; cases: 1, failed: 0\n", "")
    Path("wrong.yaml").write_text(DUEL.replace("2: 0.1", "2: 0.3"))
    done = run(capsys, "rules", "validate", "wrong.yaml")
    assert done.status == 1
    assert done.out.startswith("wrong.yaml:36: case red won: /expected/points/2: expected 0.3, got 0.1\n")
    Path("open.yaml").write_text(DUEL[: DUEL.index("  expected")])
    done = run(capsys, "rules", "validate", "open.yaml")
    assert done.status == 0
    assert '"points":{"1":0.1,"2":0.1,"3":0}' in done.out


def test_every_fault_names_its_line_its_clause_and_what_is_close(capsys: pytest.CaptureFixture[str]) -> None:
    wrong = DUEL.replace("kind: win", "kind: wim").replace("formula: points", "formula: pionts")
    Path("wrong.yaml").write_text(wrong.replace("role: mafia", "rol: mafia"))
    done = run(capsys, "rules", "validate", "wrong.yaml")
    assert done.status == 1
    assert done.out.splitlines() == [
        "wrong.yaml:17: clause 1: rules/0/kind: unknown kind of rule; did you mean win? [unknown_kind]",
        "wrong.yaml:24: clause 2: rules/0/columns/0/formula: column score: unknown name pionts; did you mean points? "
        "[unknown_name]",
        "wrong.yaml:34: case red won: game/seats/2/role: required field is missing [missing]",
        "wrong.yaml:34: case red won: game/seats/2/rol: unknown field [unknown_field]",
    ]
    told = json.loads(run(capsys, "rules", "validate", "wrong.yaml", "--json").out)
    assert [(one["line"], one["code"]) for one in told["errors"]][:2] == [(17, "unknown_kind"), (24, "unknown_name")]
    assert "пункт 1" in run(capsys, "rules", "validate", "wrong.yaml", "--language", "ru").out


def test_json_is_read_with_lines_too(capsys: pytest.CaptureFixture[str]) -> None:
    read = read_rules(DUEL.encode(), "duel.yaml")
    body = {"system": read.system, "cases": read.cases}
    text = json.dumps(loads(render(body)), indent="\t", default=float)
    Path("duel.json").write_text(text)
    assert run(capsys, "rules", "validate", "duel.json").status == 0
    Path("duel.json").write_text(text.replace('"kind": "win"', '"kind": "wim"'))
    at = next(n for n, line in enumerate(text.splitlines(), 1) if '"kind": "win"' in line)
    assert run(capsys, "rules", "validate", "duel.json").out.startswith(f"duel.json:{at}: clause 1: ")


@pytest.mark.parametrize(
    "content, said",
    [
        (b"id: [1", "x.yaml, line 1: "),
        (b"id: a\nid: b\n", "x.yaml, line 2: id is there twice"),
        (b"a: 1\n? [b]\n: 2\n", "x.yaml, line 2: expected a name"),
        (b"- 1\n", "x.yaml: expected a rule system"),
        (b"", "x.yaml: expected a rule system"),
        (b"\xff", "x.yaml: not UTF-8"),
        (b"a: &a [*a]\n", "x.yaml: nested too deeply"),
        (b"a: " + b"[" * 5000, "x.yaml: nested too deeply"),
        (b'{"a": NaN}', "x.yaml: NaN and Infinity are not JSON"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused(capsys: pytest.CaptureFixture[str], content: bytes, said: str) -> None:
    Path("x.yaml").write_bytes(content)
    done = run(capsys, "rules", "validate", "x.yaml")
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(said)


def test_words_that_look_like_numbers_stay_words() -> None:
    document = {"a": "1e3", "b": "no", "c": "null", "d": "", "e": loads("0.1"), "f": 3, "g": None, "h": "1", "i": True}
    assert read_rules(write_rules(document).encode(), "x.yaml").system == document


def recipes(page: Path) -> list[Any]:
    blocks = page.read_text(encoding="utf-8").split("```yaml\n")[1:]
    return [read_rules(f"clauses:\n{block.split('```')[0]}".encode(), page.name).system["clauses"] for block in blocks]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_recipe_of_the_documentation_fits_a_copy(page: Path) -> None:
    assert len(recipes(page)) == 6
    for clauses in recipes(page):
        document = loads(render({**find_system("maffamily").model_dump(), "id": "mine"}))
        new = {rule["kind"] for clause in clauses for rule in clause["rules"] if not KINDS[rule["kind"]].repeatable}
        for clause in document["clauses"]:
            clause["rules"] = [rule for rule in clause["rules"] if rule["kind"] not in new]
        document["clauses"] += clauses
        read = read_system(document)
        assert [(fault.pointer, fault.message("en")) for fault in read.faults] == []
        assert isinstance(read.system, RuleSystem)


def test_both_pages_have_the_same_recipes() -> None:
    assert recipes(PAGES[0]) == recipes(PAGES[1])
