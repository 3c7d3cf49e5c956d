"""``deploy/``: what its files name exists here (docs/deploy.md)."""

import json
import re
from configparser import ConfigParser
from pathlib import Path
from typing import Any

import pytest
import yaml
from sqlalchemy import make_url

from app.cli import application
from app.config import Settings
from app.server.refusals import REFUSED
from app.web.middleware.metrics import exposition

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
FILES = sorted(path for path in DEPLOY.rglob("*") if path.is_file() and path.suffix != ".pyc")
ROUTES = set(json.loads((ROOT / "openapi/openapi.json").read_text())["paths"])
GRACE_SECONDS = 10
"""How long a service that stops goes on with what is under way (docs/limits.md)."""


def test_every_file_is_named_in_the_documentation() -> None:
    page = (ROOT / "docs/deploy.md").read_text()
    assert [path.name for path in FILES if path.name not in page and f"`deploy/{path.parent.name}/`" not in page] == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_setting_named_is_one(path: Path) -> None:
    named = set(re.findall(r"\bMAFRATE_[A-Z_]+", path.read_text()))
    assert named <= {f"MAFRATE_{field.upper()}" for field in Settings.model_fields}


def test_compose_gives_the_service_settings_that_it_takes_and_starts_it_after_its_database() -> None:
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    service = services["mafrate"]
    told = {
        name: re.sub(r"\$\{\w+(?::-(\w+)|[^}]*)\}", lambda found: found[1] or "sixteen-letters-", value)
        for name, value in service["environment"].items()
    }
    settings = Settings.from_environ(told)
    assert make_url(settings.database_url).host in services
    assert make_url(str(settings.cache_url)).host in services
    assert service["depends_on"] == {"postgres": {"condition": "service_healthy"}}
    assert services["caddy"]["environment"]["UPSTREAM"] == f"mafrate:{settings.port}"
    assert (DEPLOY / service["build"] / "Dockerfile").is_file()
    assert int(service["stop_grace_period"].removesuffix("s")) > GRACE_SECONDS


def test_units_run_commands_that_exist_and_let_requests_end() -> None:
    units = {path.name: _unit(path) for path in sorted((DEPLOY / "systemd").glob("mafrate*.[st]*"))}
    called = [
        word
        for unit in units.values()
        for word in re.findall(r"bin/mafrate (\w+)", unit.get("Service", "ExecStart", fallback=""))
    ]
    assert sorted(called) == ["audit", "backup", "serve"]
    assert set(called) <= {command.name or command.callback.__name__ for command in application.registered_commands}  # type: ignore[union-attr]
    service = units["mafrate.service"]["Service"]
    assert int(service["TimeoutStopSec"]) > GRACE_SECONDS
    assert service["EnvironmentFile"] == "/etc/mafrate.env"
    assert units["mafrate.socket"]["Socket"]["ListenStream"] == f"127.0.0.1:{Settings().port}"
    assert set(units) >= {"mafrate-backup.service", "mafrate-backup.timer"}


def test_the_environment_of_the_units_is_taken_once_a_key_is_filled_in() -> None:
    lines = (DEPLOY / "systemd/mafrate.env").read_text().splitlines()
    told = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
    assert told["MAFRATE_ADMIN_KEY"] == ""
    settings = Settings.from_environ(told | {"MAFRATE_ADMIN_KEY": "sixteen-letters-"})
    assert settings.trusted_proxies == ("127.0.0.1",)
    state = _unit(DEPLOY / "systemd/mafrate.service")["Service"]["StateDirectory"]
    assert str(make_url(settings.database_url).database).startswith(f"/var/lib/{state}/")


def test_alerts_and_the_dashboard_ask_for_metrics_and_routes_that_exist() -> None:
    alerts = yaml.safe_load((DEPLOY / "prometheus/mafrate.rules.yaml").read_text())["groups"][0]["rules"]
    panels = json.loads((DEPLOY / "grafana/mafrate.json").read_text())["panels"]
    asked = [rule["expr"] for rule in alerts] + [target["expr"] for panel in panels for target in panel["targets"]]
    names = {name for expression in asked for name in re.findall(r"\bmafrate_\w+", expression)}
    told = set(re.findall(r"^# TYPE (\w+)", exposition().decode(), re.MULTILINE)) | {
        next(iter(REFUSED.describe())).name + "_total"
    }
    assert {re.sub("_(count|bucket)$", "", name) for name in names} <= told
    assert {route for expression in asked for route in re.findall(r'route!?="([^"]+)"', expression)} <= ROUTES
    page = (ROOT / "docs/deploy.md").read_text()
    assert [rule["alert"] for rule in alerts if f"`{rule['alert']}`" not in page] == []


@pytest.mark.parametrize("path", ["Caddyfile", "haproxy.cfg"])
def test_proxies_ask_for_readiness_and_hide_metrics(path: str) -> None:
    text = (DEPLOY / path).read_text()
    assert "/readyz" in text
    assert "path /metrics" in text
    assert {"/readyz", "/metrics"} <= ROUTES


def _unit(path: Path) -> ConfigParser:
    reader: Any = ConfigParser(strict=False, interpolation=None)
    reader.optionxform = str
    reader.read_string(re.sub(r"\\\n\s*", " ", path.read_text()), source=path.name)
    return reader  # type: ignore[no-any-return]
