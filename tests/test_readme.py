"""The README's shell lines about the API, run as they stand against a service that was just started."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app import cli

ROOT = Path(__file__).parents[1]
ADMIN = "the-admins-key-of-a-test"
BLOCKS = re.findall(r"```sh\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
ASKING_FOR_THE_KEY = next(block for block in BLOCKS if "read -r ADMIN" in block)
REQUESTS = [block for block in BLOCKS if "curl" in block]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where a service runs that knows nothing yet."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MAFRATE_")}
    database = tmp_path_factory.mktemp("readme") / "mafrate.db"
    settings = {
        "MAFRATE_PORT": str(port),
        "MAFRATE_DATABASE_URL": f"sqlite:///{database}",
        "MAFRATE_ADMIN_KEY": ADMIN,
    }
    service = subprocess.Popen(
        [sys.executable, "-m", "app"], cwd=ROOT, env={**kept, **settings}, stdout=subprocess.DEVNULL
    )
    try:
        for _ in range(200):
            with socket.socket() as knock:
                if knock.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        service.terminate()
        service.wait(20)


@pytest.fixture
def run(address: str, tmp_path: Path) -> Any:
    """Run a block of the README in a copy of the folder that it names."""
    if shutil.which("curl") is None:
        pytest.skip("needs curl")
    shutil.copytree(ROOT / "docs" / "examples", tmp_path / "docs" / "examples")

    def answer(block: str) -> Any:
        """What the block's last command answered. The admin key is entered first where it is needed."""
        asks = f"{ASKING_FOR_THE_KEY}\n" if "$ADMIN" in block else ""
        shell = ["sh", "-ec", asks + block.replace("http://127.0.0.1:8000", address)]
        done = subprocess.run(
            shell, cwd=tmp_path, input=f"{ADMIN}\n".encode(), check=True, capture_output=True, timeout=60
        )
        decoder, said, last = json.JSONDecoder(), done.stdout.decode().removeprefix("Admin key: ").strip(), None
        while said:
            last, end = decoder.raw_decode(said)
            said = said[end:].lstrip()
        return last

    return answer


def test_the_readme_scores_its_game_without_a_service(capsys: pytest.CaptureFixture[str]) -> None:
    words = next(block for block in BLOCKS if "mafrate score" in block).split()
    assert words[0] == ".venv/bin/mafrate"
    assert cli.main([*words[1:-1], str(ROOT / words[-1])]) == 0
    printed = capsys.readouterr().out
    assert "Dan" in printed
    assert "1.05" in printed


def test_the_readme_scores_its_game(run: Any) -> None:
    breakdown = run(next(block for block in REQUESTS if "/score" in block))

    assert [(line["clause"], line["points"]) for line in breakdown["seats"][3]["lines"]] == [
        ("2", 0.5),
        ("3", 0.25),
        ("4", 0.3),
    ]
    assert breakdown["seats"][3]["total"] == 1.05


def test_the_readme_shows_a_breach(run: Any) -> None:
    problem = run(next(block for block in REQUESTS if "sed" in block))

    assert [
        (found["clause"], found["pointer"], found["limit"], found["actual"]) for found in problem["violations"]
    ] == [("4", "/seats/3/bonus", 0.4, 0.9)]


def test_the_readme_makes_a_table(run: Any) -> None:
    standings = run(next(block for block in REQUESTS if "maffamily/standings" in block))

    # Everyone played all 4 games, so the rating is points squared times wins / 16.
    assert standings["games"] == 4
    assert [tuple(row["values"][key] for key in ("points", "wins", "rating")) for row in standings["rows"]] == [
        (6.9, 3, 8.9269),  # Ida: black and won, red and won twice, shot first and lost: 0.5 + 0.4
        (6.5, 3, 7.9219),  # Gwen: three wins and a bonus of 0.5
        (6.25, 3, 7.3242),  # Hugo: three wins and a best move of 0.25
        (6, 3, 6.75),  # Jack: three wins
        (4.4, 2, 2.42),  # Ann: two wins and 0.4
        (4.3, 2, 2.3113),  # Finn: two wins and 0.3
        (3.05, 1, 0.5814),  # Dan: a win, and 1.05 as the sheriff above
        (2.3, 1, 0.3306),  # Cleo: a win and 0.3
        (2.2, 1, 0.3025),  # Eve: a win and 0.2
        (1.1, 1, 0.0756),  # Ben: a win and 0.1, removed from a game that was lost: -1
    ]
    nicknames = [row["player"]["nickname"] for row in standings["rows"]]
    assert nicknames == ["Ida", "Gwen", "Hugo", "Jack", "Ann", "Finn", "Dan", "Cleo", "Eve", "Ben"]
    assert standings["ties"] == []


def test_the_readme_imports_a_season(run: Any) -> None:
    answer = run(next(block for block in REQUESTS if "games/import" in block))

    assert answer["summary"] == {
        "created": 4, "unchanged": 0, "corrected": 0, "pending": 0, "conflict": 0, "invalid": 0, "applied": True,
        "new_players": [{"nickname": name, "like": []} for name in ("Ann", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gwen")]
        + [{"nickname": name, "like": []} for name in ("Hugo", "Ida", "Jack")],
        "more": 0, "not_registered": {"games": 0, "players": []},
    }  # fmt: skip


def test_the_readme_leaves_no_file_behind(run: Any, tmp_path: Path) -> None:
    before = sorted(tmp_path.rglob("*"))
    for block in REQUESTS:
        run(block)
    assert sorted(tmp_path.rglob("*")) == before


def test_the_readme_keeps_a_season(run: Any) -> None:
    standings = run(next(block for block in REQUESTS if "ADMIN" in block))

    assert standings["games"] == 4
    assert standings["revision"] == 4
    leader = standings["rows"][0]
    assert (leader["player"]["nickname"], leader["values"]["rating"]) == ("Ida", 8.9269)
