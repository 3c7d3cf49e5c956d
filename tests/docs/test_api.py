"""What the page on the API lists completely, against the code."""

import ast
import re

from app.schemas.common.problem_kinds import KINDS
from tests.docs.pages import ROOT
from tests.scoring.golden import Found, golden_files

API = (ROOT / "docs" / "api.md").read_text("utf-8")
OF_KINDS = {
    "exit_contradicts",
    "exit_day_required",
    "mark_duplicate",
    "mark_result",
    "mark_role",
    "mark_seats_exceeded",
    "mark_unknown",
    "protocol_duplicate",
    "protocol_size",
    "protocol_unknown_seat",
    "removal_reason_unknown",
    "team_mark_duplicate",
    "team_mark_result",
    "team_mark_unknown",
    "vote_unknown_seat",
}
"""Of kinds that no built-in regulation uses (tests/scoring/test_kinds.py)."""

NEED_A_SEASON = {"unknown_player", "player_mismatch", "played_on_outside_season"}
"""Violations that no golden case has, since scoring alone cannot find them."""


def section(heading: str) -> str:
    """What stands below a heading, up to the next one."""
    _, _, below = API.partition(f"\n### {heading}\n")
    return re.split(r"^##", below, maxsplit=1, flags=re.MULTILINE)[0]


def rows(heading: str) -> list[list[str]]:
    """The cells of the table below a heading, without its header."""
    lines = [line for line in section(heading).splitlines() if line.startswith("|")]
    return [[cell.strip().strip("`") for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_every_type_of_problem_is_listed_with_its_status() -> None:
    listed = {row[0]: int(row[1]) for row in rows("Problem types")}
    assert listed == {kind.slug: kind.status for kind in KINDS.values()}


def test_every_code_of_a_conflict_is_listed() -> None:
    raised = {
        call.args[0].value
        for file in (ROOT / "app").rglob("*.py")
        for call in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "Conflict"
        if isinstance(call.args[0], ast.Constant)
    }
    assert {row[0] for row in rows("Conflict codes")} == raised


def test_every_code_of_a_broken_rule_is_listed() -> None:
    found = {
        Found.written(violation).code
        for golden in golden_files()
        for case in (*golden.games, *golden.standings)
        for violation in case.violations
    }
    table = " ".join(row[1] for row in rows("Violation codes"))
    without_notes = re.sub(r"\([^)]*\)", "", table)
    assert set(re.findall(r"[a-z_]+", without_notes)) == found | NEED_A_SEASON | OF_KINDS
