"""The wheel: what it carries, and that it migrates and serves from an environment that has nothing else of ours."""

import json
import os
import re
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest
from hatchling.build import build_wheel

from app.repositories.database import Database
from app.repositories.schema import schema_is_current
from tests.cli.running import service
from tests.http.conftest import RED_WON

ROOT = Path(__file__).parents[2]
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]


class Environment(NamedTuple):
    """An environment with the wheel installed."""

    bin: Path
    packages: Path


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(ROOT)
        return folder / build_wheel(str(folder))


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """What the wheel depends on is found where these tests find it, for there is no index to ask."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, symlinks=True)
    inside = {"base": str(folder), "platbase": str(folder)}
    made = Environment(*(Path(sysconfig.get_path(name, "venv", inside)) for name in ("scripts", "purelib")))
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "--python", str(made.bin / "python")]
    subprocess.run([*pip, "install", "--no-index", "--no-deps", str(wheel)], check=True, cwd=folder)
    (made.packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return made


def run(environment: Environment, folder: Path, *words: str, **settings: str) -> str:
    """What the installed program says, with no settings but these."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("MAFRATE_", "PYTHON"))}
    done = subprocess.run(
        [environment.bin / words[0], *words[1:]],
        cwd=folder, env=inherited | settings, check=True, capture_output=True, text=True,
    )  # fmt: skip
    return done.stdout


def test_it_carries_the_licenses_the_types_the_offline_documentation_and_the_migrations(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as opened:
        held = set(opened.namelist())
    swagger_ui = "app/static/swagger-ui/"
    assert held >= {
        "app/py.typed",
        swagger_ui + "swagger-ui-bundle.js",
        swagger_ui + "swagger-ui.css",
        swagger_ui + "favicon-32x32.png",
        swagger_ui + "LICENSE",
        f"mafrate-{VERSION}.dist-info/licenses/LICENSE",
        "app/migrations/env.py",
        *(f"app/migrations/versions/{step.name}" for step in (ROOT / "alembic" / "versions").glob("*.py")),
    }
    # A top-level alembic would be written into the library of that name.
    assert {name.split("/")[0] for name in held} == {"app", f"mafrate-{VERSION}.dist-info"}


def test_what_runs_is_what_was_installed(environment: Environment, tmp_path: Path) -> None:
    at = run(environment, tmp_path, "python", "-c", "import app; print(app.__path__[0])")
    assert Path(at.strip()) == environment.packages / "app"


def test_it_migrates(environment: Environment, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/mafrate.db"
    run(environment, tmp_path, "mafrate", "migrate", MAFRATE_DATABASE_URL=url)
    with closing(Database(url)) as database:
        assert schema_is_current(database)


def test_it_serves_with_its_documentation(environment: Environment, tmp_path: Path) -> None:
    with service(f"sqlite:///{tmp_path}/mafrate.db", tmp_path, environment.bin / "mafrate") as (client, _):
        assert client.get("/readyz").json() == {"status": "ok"}
        scored = client.post("/v1/rule-systems/maffamily/score", json=RED_WON)
        assert [seat["total"] for seat in scored.json()["seats"]] == [2] * 7 + [0] * 3
        page = client.get("/docs").text
        loaded = re.findall(r'(?:src|href)="([^"]+)"', page)
        assert len(loaded) >= 3
        assert [address for address in loaded if "//" in address] == []
        assert {client.get(address).status_code for address in loaded} == {200}
        assert json.loads(client.get("/openapi.json").content)["info"]["version"] == VERSION
