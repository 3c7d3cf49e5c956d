"""Scoring and ranking files from the command line, with no service and nothing kept."""

import io
import json
import sys
from copy import deepcopy
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from app.scoring.game import Game
from app.sheets import write_csv, write_xlsx
from tests.cli.running import ROOT, run
from tests.http.conftest import RED_WON
from tests.league import EXPECTED, FOLDER

EXAMPLE = str(ROOT / "docs" / "examples" / "game.json")


@pytest.fixture(autouse=True)
def _apart(environment: pytest.MonkeyPatch) -> None:
    environment.delenv("LANG", raising=False)


def told(text: str) -> Any:
    return json.loads(text, parse_float=Decimal)


def test_a_game_is_scored_clause_by_clause(capsys: pytest.CaptureFixture[str]) -> None:
    """The worked example of clause 2: 0.5 + 0.25 + 0.3."""
    done = run(capsys, "score", EXAMPLE)
    assert (done.status, done.err) == (0, "")
    sheriff = done.out[done.out.index("sheriff") : done.out.index("Eve")]
    assert [figure for figure in ("1.05", "2: +0.5", "3: +0.25", "4: +0.3") if figure in sheriff] == [
        "1.05", "2: +0.5", "3: +0.25", "4: +0.3",
    ]  # fmt: skip
    (game,) = told(run(capsys, "score", EXAMPLE, "--json").out)["games"]
    assert [seat["total"] for seat in game["breakdown"]["seats"]] == [0, 0, 0, Decimal("1.05"), 0, 0, 0, 2, 2, 2]
    assert "судьи" in run(capsys, "score", EXAMPLE, "--language", "ru").out


def test_a_file_of_games_is_scored_whatever_its_form(capsys: pytest.CaptureFixture[str]) -> None:
    games = [Game.read({**RED_WON, "external_id": f"a/{n}"}) for n in range(2)]
    wires = [{**RED_WON, "external_id": f"a/{n}"} for n in range(2)]
    book = io.BytesIO()
    write_xlsx(games, book)
    Path("games.xlsx").write_bytes(book.getvalue())
    Path("games.csv").write_bytes(b"".join(write_csv(games, "ru")))
    Path("games.ndjson").write_text("\n".join(map(json.dumps, wires)))
    Path("lines.json").write_text("\n".join(map(json.dumps, wires)))
    Path("list.json").write_text(json.dumps(wires))
    Path("body.json").write_text(json.dumps({"format": "season", "games": wires}))
    answers = {}
    for path in sorted(Path().iterdir()):
        done = run(capsys, "score", path.name, "--json")
        assert done.status == 0, path
        answers[path.name] = [(game["external_id"], game["breakdown"]) for game in told(done.out)["games"]]
    assert len(answers) == 6
    assert all(answer == answers["games.ndjson"] for answer in answers.values())


@pytest.mark.parametrize("form", ["csv", "xlsx", "ndjson", "line", "list", "page"])
def test_standard_input_is_whatever_it_looks_like(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    wires = [{**RED_WON, "external_id": f"a/{n}"} for n in range(1 if form in {"line", "page"} else 2)]
    games = [Game.read(wire) for wire in wires]
    book = io.BytesIO()
    write_xlsx(games, book)
    content = {
        "csv": b"".join(write_csv(games, "ru")),
        "xlsx": book.getvalue(),
        "ndjson": "\n".join(map(json.dumps, wires)).encode(),
        "line": json.dumps(wires[0]).encode(),
        "list": json.dumps(wires, indent=1).encode(),
        "page": b"\xef\xbb\xbf\n" + json.dumps(wires[0], indent=1).encode(),
    }[form]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    done = run(capsys, "score", "-", "--json")
    assert (done.status, done.err) == (0, "")
    assert [game["external_id"] for game in told(done.out)["games"]] == [wire["external_id"] for wire in wires]


def test_what_the_regulation_forbids_is_named_and_makes_the_status_1(capsys: pytest.CaptureFixture[str]) -> None:
    bad = deepcopy(RED_WON)
    bad["seats"][0]["bonus"] = 0.8
    Path("games.ndjson").write_text("\n".join([json.dumps(RED_WON), json.dumps(bad), "{"]))
    done = run(capsys, "score", "games.ndjson")
    assert done.status == 1
    assert "line 2: refused\n  /seats/0/bonus: " in done.out
    listed = told(run(capsys, "score", "games.ndjson", "--json").out)["games"]
    assert [[found["code"] for found in game.get("violations", [])] for game in listed] == [
        [], ["bonus_range"], ["json"],
    ]  # fmt: skip
    table = run(capsys, "standings", "games.ndjson", "--json")
    assert (table.status, told(table.out)["games"]) == (1, 1)
    assert table.err == "line 2: left out: bonus_range\nline 3: left out: json\n"


def test_a_file_becomes_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    figures = EXPECTED["s00"]["sport-percent"]
    words = ("standings", str(FOLDER / "s00.ndjson"), "--system", "sport-percent")
    done = run(capsys, *words, "--json")
    table = told(done.out)
    assert (table["games"], len(table["rows"])) == (figures["valid"], figures["players"])
    assert [(row["rank"], row["player"]["nickname"], row["values"]["rating"]) for row in table["rows"][:10]] == [
        (row["rank"], row["player"], row["rating"]) for row in figures["top"]
    ]
    shown = run(capsys, *words).out
    assert [line.split("│")[2].strip() for line in shown.splitlines() if line.startswith("│")][:10] == [
        row["player"] for row in figures["top"]
    ]


@pytest.mark.parametrize(
    "words, said",
    [
        (("score", "absent.json"), "absent.json"),
        (("score", "games.txt"), "expected a file name ending in"),
        (("score", EXAMPLE, "--system", "chess"), "no rule system"),
        (("standings", EXAMPLE, "--order", "beauty"), "no order beauty; there are: rating, points"),
        (("standings", "bad.csv"), "header row not found"),
    ],
)
def test_what_cannot_be_read_is_said_in_a_sentence(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], said: str
) -> None:
    Path("bad.csv").write_text("no table\n")
    done = run(capsys, *words)
    assert (done.status, done.out) == (2, "")
    assert said in done.err
    assert "Traceback" not in done.err
