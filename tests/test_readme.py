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

ROOT = Path(__file__).parents[1]
BLOCKS = [
    block
    for block in re.findall(r"```sh\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    if "curl" in block
]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where a service runs that knows nothing yet."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MAFRATE_")}
    database = tmp_path_factory.mktemp("readme") / "mafrate.db"
    settings = {"MAFRATE_PORT": str(port), "MAFRATE_DATABASE_URL": f"sqlite:///{database}"}
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
        shell = ["sh", "-ec", block.replace("http://127.0.0.1:8000", address)]
        return json.loads(subprocess.run(shell, cwd=tmp_path, check=True, capture_output=True, timeout=60).stdout)

    return answer


def test_the_readme_scores_its_game(run: Any) -> None:
    breakdown = run(next(block for block in BLOCKS if "/score" in block))

    assert [(line["clause"], line["points"]) for line in breakdown["seats"][3]["lines"]] == [
        ("2", 0.5),
        ("3", 0.25),
        ("4", 0.3),
    ]
    assert breakdown["seats"][3]["total"] == 1.05


def test_the_readme_shows_a_breach(run: Any) -> None:
    problem = run(next(block for block in BLOCKS if "sed" in block))

    assert [
        (found["clause"], found["pointer"], found["limit"], found["actual"]) for found in problem["violations"]
    ] == [("4", "/seats/3/bonus", 0.4, 0.9)]


def test_the_readme_makes_a_table(run: Any) -> None:
    standings = run(next(block for block in BLOCKS if "/standings" in block))

    # Hugo, Ida and Jack won both: 4 points, k1 = 4, k2 = 2, rating 8.
    assert standings["games"] == 2
    assert [(row["rank"], row["player"]["nickname"], row["values"]["rating"]) for row in standings["rows"][:3]] == [
        (1, "Hugo", 8),
        (1, "Ida", 8),
        (1, "Jack", 8),
    ]
