"""What attacks on the service's edge leave in a process that was started as an operator starts it."""

import re
import socket
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import httpx
import pytest

from tests.server.served import eventually
from tests.test_main import service

MEGABYTE = 1_000_000
ALLOWED = 20 * MEGABYTE


class Started(NamedTuple):
    """A service, and its process."""

    address: str
    process: int

    def memory(self) -> int:
        """Bytes that the process holds."""
        status = Path(f"/proc/{self.process}/status").read_text()
        (kilobytes,) = re.findall(r"^VmRSS:\s*(\d+) kB$", status, re.MULTILINE)
        return int(kilobytes) * 1024

    def connect(self) -> socket.socket:
        """A connection."""
        return socket.create_connection(("127.0.0.1", urlsplit(self.address).port or 0), timeout=20)

    def send(self, *parts: bytes) -> bytes:
        """What is answered to bytes on a connection of their own, sent as far as the service lets one."""
        received = b""
        with closing(self.connect()) as client, suppress(ConnectionError):
            with suppress(ConnectionError):
                for part in parts:
                    client.sendall(part)
                client.shutdown(socket.SHUT_WR)
            while chunk := client.recv(65_536):
                received += chunk
        return received

    def is_well(self) -> bool:
        """Whether it answers."""
        return httpx.get(f"{self.address}/v1/rule-systems").status_code == 200


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Started]:
    url = f"sqlite:///{tmp_path_factory.mktemp('edge')}/mafrate.db"
    with service(MAFRATE_DATABASE_URL=url, MAFRATE_ADMIN_KEY="the-admin-of-these-tests") as (client, process):
        found = Started(str(client.base_url).rstrip("/"), process.pid)
        for _ in range(50):
            assert found.is_well()
        yield found


def test_a_header_without_end_is_not_held(started: Started) -> None:
    """300 MB of one."""
    before = started.memory()
    answer = started.send(b"GET / HTTP/1.1\r\nHost: a\r\nX: ", *[b"a" * MEGABYTE] * 300)
    assert answer.startswith(b"HTTP/1.1 431 ")
    assert started.memory() - before < ALLOWED


@pytest.mark.parametrize("size, status", [(400_000, b"431"), (30_000, b"200")])
def test_long_headers_are_not_remembered(started: Started, size: int, status: bytes) -> None:
    """300 requests, each with a value that no other has."""
    before = started.memory()
    for number in range(300):
        answer = started.send(
            b"GET /v1/rule-systems HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAccept-Encoding: a%d" % number,
            b"x" * size,
            b"\r\n\r\n",
        )
        assert answer.startswith(b"HTTP/1.1 " + status)
    assert started.memory() - before < ALLOWED


@pytest.mark.parametrize(
    "half",
    [
        b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"a" * 20_000,
        b"POST /v1/rule-systems/maffamily/score HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
        b"Content-Length: 1000\r\n\r\n{",
    ],
    ids=["headers", "body"],
)
def test_eleven_hundred_half_requests_keep_nobody_out(started: Started, half: bytes) -> None:
    before = started.memory()
    with ExitStack() as stack:
        for _ in range(1_100):
            client = stack.enter_context(closing(started.connect()))
            with suppress(ConnectionError):
                client.sendall(half)
        for _ in range(20):
            assert started.is_well()
    eventually(lambda: started.memory() - before < ALLOWED)
