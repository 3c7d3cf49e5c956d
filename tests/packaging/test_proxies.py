"""HAProxy and PgBouncer as ``deploy/`` sets them up, where they are installed; CI installs them."""

import getpass
import os
import re
import shutil
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime
from http.client import HTTPConnection, HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from sqlalchemy import make_url

from app.repositories.clubs import clubs
from app.repositories.database import Database
from app.repositories.schema import bring_up_to_date
from tests.postgresql import new_postgresql
from tests.processes.running import PATIENCE
from tests.test_main import free_port

DEPLOY = Path(__file__).parents[2] / "deploy"


class Machine(ThreadingHTTPServer):
    """Stands for a machine with workers: notes what it was asked, and answers or breaks as it is told."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.ready = True
        self.breaks = False
        self.asked: list[tuple[str, str, str | None]] = []


class _Handler(BaseHTTPRequestHandler):
    server: Machine
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        if self.path == "/readyz":
            self._answer(200 if self.server.ready else 503)
            return
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.asked.append((self.command, self.path, self.headers.get("X-Forwarded-Proto")))
        if self.server.breaks:
            self.close_connection = True
        else:
            self._answer(200)

    do_POST = do_GET  # noqa: N815 - the library's name

    def _answer(self, status: int) -> None:
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_words: object) -> None:
        """Say nothing."""


@contextmanager
def serving(machine: Machine) -> Iterator[Machine]:
    thread = threading.Thread(target=machine.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield machine
    finally:
        machine.shutdown()
        thread.join()
        machine.server_close()


def installed(program: str) -> str:
    path = shutil.which(program, path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin")
    if path is None:
        pytest.skip(f"needs {program}")
    return path


class Proxy:
    """HAProxy before two machines for writing and one for reading."""

    def __init__(self, port: int, machines: list[Machine]) -> None:
        self.port = port
        self.one, self.two, self.reader = machines

    def ask(self, method: str, path: str, **headers: str) -> int | str:
        """The status, or what went wrong with the connection."""
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)) as connection:
            try:
                connection.request(method, path, headers=headers)
                return connection.getresponse().status
            except (OSError, HTTPException) as error:
                return type(error).__name__

    def asked(self) -> dict[str, int]:
        """How often each machine was asked since the last time."""
        numbers = {name: len(machine.asked) for name, machine in self._machines()}
        for _, machine in self._machines():
            machine.asked.clear()
        return numbers

    def wait(self, **expected: bool) -> None:
        """Return when HAProxy sees exactly these machines up or down."""
        for _ in range(int(PATIENCE / 0.05)):
            self.ask("POST", "/probe")
            self.ask("GET", "/probe")
            if {name: bool(number) for name, number in self.asked().items() if name in expected} == expected:
                return
            time.sleep(0.05)
        raise AssertionError(f"HAProxy does not come to see {expected}")

    def _machines(self) -> list[tuple[str, Machine]]:
        return [("one", self.one), ("two", self.two), ("reader", self.reader)]


@pytest.fixture
def proxy(tmp_path: Path) -> Iterator[Proxy]:
    program = installed("haproxy")
    port = free_port()
    with ExitStack() as stack:
        machines = [stack.enter_context(serving(Machine())) for _ in range(3)]
        text = (DEPLOY / "haproxy.cfg").read_text()
        text = re.sub(r"    (bind :443|stats socket|http-request redirect).*\n", "", text)
        text = (
            text.replace("maxconn 20000", "maxconn 200")
            .replace("bind :80", f"bind 127.0.0.1:{port}")
            .replace("inter 2s", "inter 50ms")
        )
        for number, machine in zip((11, 12, 13), machines, strict=True):
            text = text.replace(f"10.0.0.{number}:8000", f"127.0.0.1:{machine.server_port}")
        path = tmp_path / "haproxy.cfg"
        path.write_text(text)
        said = stack.enter_context((tmp_path / "said.txt").open("w"))
        process = subprocess.Popen([program, "-db", "-f", str(path)], stdout=said, stderr=said)
        try:
            made = Proxy(port, machines)
            for _ in range(int(PATIENCE / 0.05)):
                if made.ask("GET", "/") == 200:
                    break
                assert process.poll() is None, (tmp_path / "said.txt").read_text()
                time.sleep(0.05)
            made.asked()
            yield made
        finally:
            process.terminate()
            process.wait(timeout=PATIENCE)


def test_haproxy_sends_each_request_to_a_machine_that_is_ready_and_may_answer_it(proxy: Proxy) -> None:
    key = {"Authorization": "Bearer mfr_x"}
    assert [proxy.ask("GET", "/v1/clubs") for _ in range(4)] == [200] * 4
    assert proxy.asked() == {"one": 0, "two": 0, "reader": 4}
    assert [proxy.ask("GET", "/v1/clubs", **key) for _ in range(4)] == [200] * 4
    assert [proxy.ask("POST", "/v1/clubs") for _ in range(4)] == [200] * 4
    assert proxy.asked()["reader"] == 0

    proxy.one.ready = proxy.reader.ready = False
    proxy.wait(one=False, two=True, reader=False)
    assert [proxy.ask("GET", "/v1/clubs") for _ in range(4)] == [200] * 4
    assert proxy.asked() == {"one": 0, "two": 4, "reader": 0}


def test_haproxy_asks_again_only_where_nothing_can_happen_twice(proxy: Proxy) -> None:
    proxy.reader.ready = False
    proxy.wait(reader=False)
    proxy.one.breaks = True
    assert {proxy.ask("GET", "/v1/clubs") for _ in range(6)} == {200}
    assert sum(proxy.asked().values()) > 6
    said = [proxy.ask("POST", "/v1/clubs") for _ in range(6)]
    assert sum(proxy.asked().values()) == 6
    assert set(said) == {200, 502}


def test_haproxy_hides_metrics_and_what_clients_say_of_https(proxy: Proxy) -> None:
    assert proxy.ask("GET", "/metrics") == 404
    assert proxy.ask("POST", "/v1/clubs", **{"X-Forwarded-Proto": "https"}) == 200
    asked = proxy.one.asked + proxy.two.asked + proxy.reader.asked
    assert asked == [("POST", "/v1/clubs", None)]


def test_the_storage_works_through_pgbouncer() -> None:
    program = installed("pgbouncer")
    port = free_port()
    with new_postgresql(durable=False) as direct, tempfile.TemporaryDirectory() as folder:
        url = make_url(direct)
        user = url.username or getpass.getuser()
        host = url.host or url.query.get("host")
        people, settings = Path(folder, "userlist.txt"), Path(folder, "pgbouncer.ini")
        people.write_text(f'"{user}" "{url.password or ""}"\n')
        text = (DEPLOY / "pgbouncer.ini").read_text()
        text = text.replace(
            "host=10.0.0.21 port=5432 dbname=mafrate", f"host={host} port={url.port or 5432} dbname={url.database}"
        )
        text = text.replace("listen_addr = 10.0.0.31", "listen_addr = 127.0.0.1").replace("6432", str(port))
        text = text.replace("scram-sha-256", "trust").replace("/etc/pgbouncer/userlist.txt", str(people))
        settings.write_text(text + "unix_socket_dir =\n")
        Path(folder).chmod(0o755)
        # It does not run as root.
        words = [program, "-q", *(["-u", "nobody"] if os.geteuid() == 0 else []), str(settings)]
        process = subprocess.Popen(words)
        try:
            _wait_for_a_listener(port, process)
            with closing(Database(f"postgresql://{user}@127.0.0.1:{port}/mafrate")) as database:
                bring_up_to_date(database)
                with database.write() as tx:
                    clubs.add(tx, slug="moscow", name="Moscow", timezone="Europe/Moscow", at=datetime.now(UTC))
                with database.read() as tx:
                    kept = clubs.by_slug(tx, "moscow")
            assert kept is not None
            assert kept.name == "Moscow"
        finally:
            process.terminate()
            process.wait(timeout=PATIENCE)


def _wait_for_a_listener(port: int, process: subprocess.Popen[bytes]) -> None:
    for _ in range(int(PATIENCE / 0.05)):
        assert process.poll() is None
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError("nothing listens")
