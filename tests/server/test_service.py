"""The service itself under clients that are slow or go away."""

import json
import logging
import socket
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import httpx
import pytest
from prometheus_client import REGISTRY

from app.config import Settings
from app.main import create_app
from app.repositories.database import Database
from app.repositories.schema import bring_up_to_date
from app.server import limits, watch
from tests.http.conftest import RED_WON
from tests.http.importing import NDJSON, ON
from tests.http.kept_season import Founded, found
from tests.server.served import connected, eventually, read, served

pytestmark = pytest.mark.anyio


class Host:
    """A service and two clubs that it keeps."""

    def __init__(self, port: int, moscow: Founded, kyiv: Founded) -> None:
        self.port = port
        self.moscow = moscow
        self.kyiv = kyiv

    def begin(
        self, client: socket.socket, path: str, secret: str | None, body: bytes, *, size: int, media: str
    ) -> None:
        """Send a request whose body has ``size`` bytes, and of it only ``body``."""
        carried = f"Authorization: Bearer {secret}\r\n" if secret else ""
        head = f"POST {path} HTTP/1.1\r\nHost: a\r\n{carried}Content-Type: {media}\r\nContent-Length: {size}\r\n\r\n"
        client.sendall(head.encode() + body)

    def ask(self, method: str, path: str, secret: str, content: bytes = b"", media: str = NDJSON) -> httpx.Response:
        headers = {"authorization": f"Bearer {secret}", "content-type": media}
        return httpx.request(method, f"http://127.0.0.1:{self.port}{path}", content=content, headers=headers)


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Host]:
    monkeypatch.setattr(watch, "_EVERY_SECONDS", 0.05)
    url = f"sqlite:///{tmp_path}/mafrate.db"
    with closing(Database(url)) as database:
        bring_up_to_date(database)
        clubs = found(database), found(database, club="kyiv")
    with served(create_app(Settings(database_url=url))) as port:
        yield Host(port, *clubs)


def line(number: int = 1) -> bytes:
    return json.dumps({**RED_WON, **ON, "number": number}).encode() + b"\n"


def test_one_clubs_slow_imports_keep_no_other_club_out_and_end(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many as a judge's key can begin, each with a byte and then nothing."""
    secret, path = host.moscow.secrets["judge"], f"{host.moscow.path}/import"
    with ExitStack() as stack:
        clients = [stack.enter_context(connected(host.port)) for _ in range(10)]
        for client in clients:
            host.begin(client, path, secret, b"{", size=1_000_000, media=NDJSON)
        eventually(lambda: host.ask("POST", path, secret, line()).status_code == 503)
        assert host.ask("POST", f"{host.kyiv.path}/import", host.kyiv.secrets["judge"], line()).status_code == 200
        for form in ("ndjson", "csv", "xlsx"):
            assert host.ask("GET", f"{host.moscow.path}.{form}", secret).status_code == 200
        president = host.moscow.secrets["president"]
        assert host.ask("GET", f"{host.moscow.path.removesuffix('/games')}/archive.zip", president).status_code == 200
        monkeypatch.setattr(limits, "BODY_WINDOW_SECONDS", 0.3)
        eventually(lambda: host.ask("POST", path, secret, line()).status_code == 200)
        answers = [read(client) for client in clients]
    assert {answer.status for answer in answers if answer} == {408, 503}


def gone(route: str) -> float:
    labels = {"method": "POST", "route": route, "status": "499"}
    return REGISTRY.get_sample_value("mafrate_request_seconds_count", labels) or 0.0


def failed() -> float:
    return sum(
        sample.value
        for metric in REGISTRY.collect()
        for sample in metric.samples
        if sample.name == "mafrate_request_seconds_count" and sample.labels["status"] == "500"
    )


@pytest.mark.parametrize(
    "route, media, whose",
    [
        ("/v1/rule-systems/{system_id}/score", "application/json", None),
        ("/v1/rule-systems/{system_id}/standings", "application/json", None),
        ("/v1/clubs/{club}/seasons/{season}/games", "application/json", "judge"),
        ("/v1/clubs/{club}/seasons/{season}/games/import", NDJSON, "judge"),
        ("/v1/clubs/{club}/archives", "application/zip", "president"),
    ],
)
def test_a_client_that_hangs_up_is_counted_apart_and_not_logged(
    host: Host, caplog: pytest.LogCaptureFixture, route: str, media: str, whose: str | None
) -> None:
    path = route.format(system_id="maffamily", club="moscow", season="spring")
    secret = whose and host.moscow.secrets[whose]
    before, wrong = gone(route), failed()
    with caplog.at_level(logging.DEBUG), connected(host.port) as client:
        host.begin(client, path, secret, b'{"outcome":', size=1_000, media=media)
        # Once the service reads the body, and not before.
        eventually(lambda: httpx.get(f"http://127.0.0.1:{host.port}/healthz").status_code == 200)
    with caplog.at_level(logging.DEBUG):
        eventually(lambda: gone(route) == before + 1)
    assert failed() == wrong
    assert [record for record in caplog.records if record.exc_info or record.levelno >= logging.WARNING] == []
