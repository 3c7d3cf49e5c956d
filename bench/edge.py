"""Attacks on the edge of the service: what it holds, and whom it keeps waiting, while they go on and after them."""

import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Final

from bench.load import START_SECONDS
from bench.verdict import Verdict

MEGABYTE: Final = 1_000_000
ATTACKERS: Final = 1_100
"""Connections of an attack, more than a process has places for."""

SETTLED_SECONDS: Final = 5
"""After which the service has given back what a crowd needed."""


class Service:
    """A service as an operator starts it, and raw clients of it."""

    def __init__(self, port: int, process: int) -> None:
        self.port = port
        self._process = process

    def memory(self) -> float:
        """Megabytes that the process holds."""
        status = Path(f"/proc/{self._process}/status").read_text()
        (kilobytes,) = re.findall(r"^VmRSS:\s*(\d+) kB$", status, re.MULTILINE)
        return int(kilobytes) * 1024 / MEGABYTE

    def connect(self) -> socket.socket:
        """A connection."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=10)

    def wait(self) -> float:
        """Milliseconds until a request by somebody else is answered."""
        started = time.perf_counter()
        with closing(self.connect()) as client:
            client.sendall(b"GET /healthz HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n\r\n")
            while client.recv(65_536):
                pass
        return (time.perf_counter() - started) * 1000

    def send(self, *parts: bytes) -> None:
        """Send on a connection of its own, as far as the service lets one."""
        with closing(self.connect()) as client, suppress(OSError):
            for part in parts:
                client.sendall(part)
            client.shutdown(socket.SHUT_WR)
            while client.recv(65_536):
                pass


def edge() -> Iterator[Verdict]:
    """Memory within 20 MB of before, and an answer to others within a quarter of a second more."""
    with _service() as service:
        for _ in range(50):
            service.wait()
        yield from _attacked(service, "one header of 300 MB", lambda: _endless_header(service))
        yield from _attacked(service, "300 requests, 400 KB of Accept-Encoding", lambda: _long_values(service))
        yield from _attacked(service, "300 requests, 30 KB of Accept-Encoding", lambda: _long_values(service, 30_000))
        yield from _half_requests(service)


def _attacked(service: Service, name: str, attack: Callable[[], None]) -> Iterator[Verdict]:
    before = service.memory()
    attack()
    yield _growth(name, before, service.memory())


def _endless_header(service: Service) -> None:
    service.send(b"GET / HTTP/1.1\r\nHost: bench\r\nX: ", *[b"a" * MEGABYTE] * 300)


def _long_values(service: Service, size: int = 400_000) -> None:
    for number in range(300):
        value = b"a%d" % number + b"x" * size
        service.send(
            b"GET /v1/rule-systems HTTP/1.1\r\nHost: bench\r\nConnection: close\r\nAccept-Encoding: " + value,
            b"\r\n\r\n",
        )


def _half_requests(service: Service) -> Iterator[Verdict]:
    before, alone = service.memory(), [service.wait() for _ in range(20)]
    for name, half in (
        ("headers", b"GET / HTTP/1.1\r\nHost: bench\r\nX: " + b"a" * 20_000),
        (
            "bodies",
            b"POST /v1/rule-systems/maffamily/score HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\n"
            b"Content-Length: 1000\r\n\r\n{",
        ),
    ):
        with ExitStack() as stack:
            for _ in range(ATTACKERS):
                client = stack.enter_context(closing(service.connect()))
                with suppress(OSError):
                    client.sendall(half)
            amid = [service.wait() for _ in range(20)]
        floor = [each + 250 for each in alone]
        yield Verdict(f"wait amid {ATTACKERS:,} halves: {name}", amid, "alone + 250", floor, "ms", 1.0, at_least=False)
    time.sleep(SETTLED_SECONDS)
    yield _growth(f"{ATTACKERS:,} half requests", before, service.memory())


def _growth(name: str, before: float, after: float) -> Verdict:
    return Verdict(f"memory after {name}", [after], "before + 20", [before + 20], "MB", 1.0, at_least=False)


@contextmanager
def _service() -> Iterator[Service]:
    with tempfile.TemporaryDirectory(prefix="mafrate-bench-") as folder:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        told = {
            "MAFRATE_DATABASE_URL": f"sqlite:///{folder}/mafrate.db",
            "MAFRATE_ADMIN_KEY": "the-admin-of-the-bench",
            "MAFRATE_LOG_LEVEL": "error",
            "MAFRATE_PORT": str(port),
        }
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("MAFRATE_")}
        process = subprocess.Popen(
            [sys.executable, "-m", "app"], env=inherited | told, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            service = Service(port, process.pid)
            deadline = time.monotonic() + START_SECONDS
            while not _answers(service):
                if process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError("the service did not start")
                time.sleep(0.05)
            yield service
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(30)


def _answers(service: Service) -> bool:
    with suppress(OSError):
        return service.wait() > 0
    return False
