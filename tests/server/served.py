"""An application served with the limits of connections, and raw clients of it."""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any, NamedTuple

import uvicorn

from app.server.protocols import HTTP
from tests.test_main import free_port

PATIENCE = 20.0
"""Seconds that a busy machine may need."""


@contextmanager
def served(app: Any) -> Iterator[int]:
    """The port of ``app`` on a server of its own, in a thread."""
    port = free_port()
    server = uvicorn.Server(uvicorn.Config(app, port=port, http=HTTP, ws="none", log_level="critical"))
    thread = threading.Thread(target=server.run)
    thread.start()
    eventually(lambda: server.started or not thread.is_alive())
    try:
        yield port
    finally:
        server.should_exit = True
        thread.join(PATIENCE)


def eventually(holds: Callable[[], Any]) -> None:
    """Return when it holds; fail when it does not within :data:`PATIENCE` seconds."""
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline, "it did not come true in time"
        time.sleep(0.01)


class Answer(NamedTuple):
    """A response as it came."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def problem(self) -> Any:
        """The body of a problem."""
        assert self.headers["content-type"] == "application/problem+json"
        return json.loads(self.body)


@contextmanager
def connected(port: int) -> Iterator[socket.socket]:
    """A connection."""
    with closing(socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)) as client:
        yield client


def read(client: socket.socket) -> Answer | None:
    """All that comes until the other side closes, as one response; None: it just closes."""
    received = b""
    while chunk := client.recv(65_536):
        received += chunk
    return parsed(received) if received else None


def parsed(received: bytes) -> Answer:
    """A response of known length, the first of what was received."""
    head, _, body = received.partition(b"\r\n\r\n")
    status, *lines = head.decode().split("\r\n")
    headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
    return Answer(int(status.split()[1]), headers, body[: int(headers.get("content-length", 0))])
