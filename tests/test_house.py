"""The repository itself: locks, targets, and what the Makefile does when something is missing."""

import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.config import PREFIX, Settings
from tests.docs.pages import pages

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
LOCKS = {name: (ROOT / name).read_text() for name in ("requirements.lock", "requirements-dev.lock")}


def normalised(requirement: str) -> str:
    """``psycopg[binary]>=3`` is ``psycopg``."""
    name = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert name
    return re.sub(r"[-_.]+", "-", name[0]).lower()


def entries(lock: str) -> Iterator[list[str]]:
    """Each entry of a lock: what it pins, then its options, one a line."""
    text = "\n".join(line for line in LOCKS[lock].splitlines() if not line.lstrip().startswith("#"))
    for entry in re.split(r"(?<!\\)\n", text):
        if entry.strip():
            yield [line.strip() for line in entry.split("\\\n")]


def make(*words: str) -> subprocess.CompletedProcess[str]:
    """Runs make as from a terminal, with nothing of the make that may be running these tests."""
    inherited = {"MAKEFLAGS", "MFLAGS", "MAKEOVERRIDES", "MAKELEVEL", "ARGS"}
    environment = {name: value for name, value in os.environ.items() if name not in inherited}
    return subprocess.run(["make", *words], cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "lock, groups", [("requirements.lock", ["build"]), ("requirements-dev.lock", ["build", "dev"])]
)
def test_a_lock_pins_every_dependency_that_the_project_names(lock: str, groups: list[str]) -> None:
    named = list(PROJECT["project"]["dependencies"])
    for group in groups:
        named += PROJECT["dependency-groups"][group]
    pinned = {normalised(entry[0]) for entry in entries(lock)}
    assert {normalised(requirement) for requirement in named} - pinned == set()


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_holds_exact_pins_with_hashes_and_nothing_else(lock: str) -> None:
    for pin, *options in entries(lock):
        assert re.fullmatch(r"[a-z0-9-]+==[^ ;]+( ; .+)?", pin)
        assert options
        assert [option for option in options if not re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", option)] == []


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_names_no_place_to_download_from(lock: str) -> None:
    assert re.findall(r"://|--index|--extra-index|--find-links|^-[a-z]", LOCKS[lock], re.MULTILINE) == []


def test_one_environment_can_take_both_locks() -> None:
    development = {entry[0] for entry in entries("requirements-dev.lock")}
    assert {entry[0] for entry in entries("requirements.lock")} - development == set()


def test_the_newest_release_in_the_changelog_is_the_version() -> None:
    released = re.findall(r"^## \[(\d[^]]*)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert released[0] == PROJECT["project"]["version"]


def test_the_readme_names_every_setting_and_no_other() -> None:
    readme = (ROOT / "README.md").read_text()
    assert set(re.findall(r"MAFRATE_[A-Z_]+", readme)) == {PREFIX + field.upper() for field in Settings.model_fields}


needs_make = pytest.mark.skipif(shutil.which("make") is None, reason="needs make")


@needs_make
def test_make_help_lists_every_target_that_the_docs_name() -> None:
    offered = set(re.findall(r"^  make ([a-z-]+) ", make("help").stdout, re.MULTILINE))
    named = {target for page in pages() for target in re.findall(r"(?m)(?:^|`)make ([a-z-]+)", page.read_text())}
    assert named >= {"run", "test", "check"}
    assert named - offered == set()


@pytest.fixture
def python(tmp_path: Path) -> Path:
    """A stand-in for Python that notes what it is told, "installs" at once, and fails at what `refuse` matches."""
    stand_in = tmp_path / "python"
    stand_in.write_text(
        f"""#!/bin/sh
echo "$*" >> {tmp_path}/calls
if [ -e {tmp_path}/refuse ] && echo "$*" | grep -qf {tmp_path}/refuse; then exit 1; fi
if [ "$1 $2" = "-m venv" ]; then mkdir -p "$3/bin" && cp "$0" "$3/bin/python"; fi
"""
    )
    stand_in.chmod(0o755)
    return stand_in


def calls(python: Path) -> list[str]:
    """What the stand-in was told since the last look."""
    notes = python.with_name("calls")
    told = notes.read_text().splitlines() if notes.exists() else []
    notes.unlink(missing_ok=True)
    return told


@needs_make
@pytest.mark.parametrize(
    "refused, said",
    [("version_info", "needs Python 3.11 or newer"), ("ensurepip", "apt-get install python3-venv")],
)
def test_a_python_that_cannot_serve_is_refused_in_a_sentence_and_leaves_nothing(
    python: Path, refused: str, said: str
) -> None:
    python.with_name("refuse").write_text(refused)
    environment = python.with_name("venv")
    done = make("run", f"PYTHON={python}", f"VENV={environment}")
    assert done.returncode != 0
    assert said in done.stderr.splitlines()[0]
    assert not environment.exists()


@needs_make
def test_a_second_run_starts_without_pip(python: Path) -> None:
    words = ("run", f"PYTHON={python}", f"VENV={python.with_name('venv')}")
    assert make(*words).returncode == 0
    assert [call for call in calls(python) if "pip install" in call and "requirements.lock" in call]
    assert make(*words).returncode == 0
    assert calls(python) == ["-c 0", "-m app"]


@needs_make
def test_an_installation_that_was_cut_short_is_made_anew(python: Path) -> None:
    environment = python.with_name("venv")
    words = ("run", f"PYTHON={python}", f"VENV={environment}")
    python.with_name("refuse").write_text("pip install.*requirements.lock")
    assert make(*words).returncode != 0
    (environment / "half-written").touch()
    assert "-m app" not in calls(python)

    python.with_name("refuse").unlink()
    assert make(*words).returncode == 0
    assert f"-m venv {environment}" in calls(python)
    assert not (environment / "half-written").exists()
