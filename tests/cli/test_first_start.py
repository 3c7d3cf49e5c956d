"""The first start of the service makes the admin's key, and each start finds it."""

import os
import re
import socket
import stat
import sys
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest
import uvicorn

from app.repositories import schema
from app.repositories.database import Database
from app.services.clubs.admin_key import make_admin_key
from tests.cli.running import run, service


def make_club(client: httpx.Client, key: str, slug: str) -> httpx.Response:
    body = {"slug": slug, "name": slug}
    return client.post("/v1/clubs", json=body, headers={"authorization": f"Bearer {key}"})


def test_the_first_start_leaves_the_admins_key_in_a_file_that_only_its_owner_reads(
    empty_database_url: str, tmp_path: Path
) -> None:
    sqlite = empty_database_url.startswith("sqlite")
    file = tmp_path / ("admin-key.txt" if sqlite else "data/admin-key.txt")
    with service(empty_database_url, tmp_path, MAFRATE_WORKERS="2") as (client, said):
        assert str(file if sqlite else Path("data/admin-key.txt")) in said.read_text()
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        key = file.read_text().strip()
        assert key not in said.read_text()
        assert make_club(client, key, "moscow").status_code == 201
    file.unlink()
    with service(empty_database_url, tmp_path) as (client, said):
        assert not file.exists()
        assert "admin" not in said.read_text()
        assert make_club(client, key, "kyiv").status_code == 201


def test_a_key_in_the_settings_leaves_no_file_and_wins(empty_database_url: str, tmp_path: Path) -> None:
    shown: list[str] = []
    with closing(Database(empty_database_url)) as database:
        schema.bring_up_to_date(database)
        make_admin_key(database, announce=shown.append, now=datetime.now(UTC))
    given = "a key from the settings"
    with service(empty_database_url, tmp_path, MAFRATE_ADMIN_KEY=given) as (client, said):
        assert make_club(client, given, "moscow").status_code == 201
        assert make_club(client, shown[0], "kyiv").status_code == 401
        assert given not in said.read_text()
    assert list(tmp_path.rglob("admin-key.txt")) == []


def test_on_a_terminal_the_admins_key_is_shown_and_no_file_is_made(
    environment: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    environment.setenv("MAFRATE_DATABASE_URL", f"sqlite:///{tmp_path}/mafrate.db")
    environment.setenv("MAFRATE_PORT", "0")
    environment.setattr("uvicorn.Server.run", lambda *_words, **_settings: None)
    environment.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    first, second = run(capsys, "serve"), run(capsys, "serve")
    assert len(re.findall(r"mfr_admin_[0-9a-f]{64}", first.err)) == 1
    assert "mfr_" not in first.out + second.out + second.err
    assert list(tmp_path.rglob("*admin*")) == []


@pytest.mark.parametrize("workers", ["1", "3"])
@pytest.mark.parametrize(
    "host, address", [("127.0.0.1", "http://127.0.0.1"), ("0.0.0.0", "http://127.0.0.1"), ("::1", "http://[::1]")]
)
def test_a_port_that_is_taken_is_told_in_one_sentence_and_nothing_is_begun(
    environment: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    host: str,
    address: str,
    workers: str,
) -> None:
    with socket.create_server((host, 0), family=socket.AF_INET6 if ":" in host else socket.AF_INET) as other:
        port = other.getsockname()[1]
        for name, value in {"HOST": host, "PORT": str(port), "WORKERS": workers}.items():
            environment.setenv(f"MAFRATE_{name}", value)
        done = run(capsys, "serve")
    told = f"MAFRATE_PORT: {address}:{port} is already in use; choose another port\n"
    assert done == (2, "", told)
    assert list(tmp_path.iterdir()) == []


def test_an_address_that_is_not_of_this_machine_is_told_by_the_name_of_its_setting(
    environment: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    environment.setenv("MAFRATE_HOST", "192.0.2.1")
    status, out, err = run(capsys, "serve")
    assert (status, out) == (2, "")
    assert re.fullmatch("MAFRATE_HOST, MAFRATE_PORT: cannot listen on this address: .+\n", err)


@pytest.mark.parametrize("told", [{"LISTEN_FDS": "2"}, {}])
def test_the_service_takes_one_socket_from_a_supervisor(
    environment: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, told: dict[str, str]
) -> None:
    for name, value in ({"LISTEN_PID": str(os.getpid())} | told).items():
        environment.setenv(name, value)
    assert run(capsys, "serve") == (2, "", "LISTEN_FDS: expected 1, one socket for the service\n")
    assert list(tmp_path.iterdir()) == []


def test_the_greeting_names_the_port_that_port_0_became(
    environment: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    listening: list[int] = []

    def serving(server: uvicorn.Server, sockets: list[socket.socket]) -> None:
        listening.extend(each.getsockname()[1] for each in sockets)
        server.started = True

    environment.setenv("MAFRATE_PORT", "0")
    environment.setattr(uvicorn.Server, "run", serving)
    status, out, _ = run(capsys, "serve")
    assert status == 0
    assert f"http://127.0.0.1:{listening[0]}/docs" in out


@pytest.mark.parametrize("proxies, limited_together", [("127.0.0.1", False), ("", True)])
def test_failures_are_counted_by_the_address_that_a_trusted_proxy_forwards(
    tmp_path: Path, proxies: str, limited_together: bool
) -> None:
    settings = {"MAFRATE_TRUSTED_PROXIES": proxies} if proxies else {}
    with service(f"sqlite:///{tmp_path}/mafrate.db", tmp_path, **settings) as (client, _):

        def guess(address: str) -> int:
            headers = {"authorization": "Bearer guess", "x-forwarded-for": address}
            return client.get("/v1/me", headers=headers).status_code

        statuses = [guess("192.0.2.1") for _ in range(21)]
        assert statuses == [401] * 20 + [429]
        assert guess("192.0.2.2") == (429 if limited_together else 401)
