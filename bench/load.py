"""A server in a process of its own, and a client light enough to keep it busy from another core."""

import asyncio
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Final, NamedTuple, cast

import httptools
import uvloop

START_SECONDS: Final = 30.0


class Request(NamedTuple):
    """A request that is sent again and again, and the only status that it may be answered with."""

    method: str
    path: str
    body: bytes = b""
    headers: Mapping[str, str] = {}
    status: int = 200

    def bytes(self) -> bytes:
        """The request as HTTP/1.1 writes it."""
        fields = {"Host": "bench", **self.headers}
        if self.body:
            fields |= {"Content-Type": "application/json", "Content-Length": str(len(self.body))}
        head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        return f"{self.method} {self.path} HTTP/1.1\r\n{head}\r\n".encode() + self.body


class UnexpectedAnswer(Exception):
    """The server answered something else than what is measured."""


class _Connection(asyncio.Protocol):
    """Sends the next request when the answer to the last has come; takes the requests of all connections in turn."""

    def __init__(self, requests: Iterator[bytes], status: int, done: asyncio.Future[None]) -> None:
        self.requests = requests
        self.status = status
        self.done = done
        self.answers = 0
        self.parser = httptools.HttpResponseParser(self)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self._next()

    def data_received(self, data: bytes) -> None:
        self.parser.feed_data(data)

    def on_message_complete(self) -> None:
        status = self.parser.get_status_code()
        if status != self.status:
            self._fail(f"{self.status} expected, got {status}")
            return
        self.answers += 1
        self._next()

    def connection_lost(self, exc: Exception | None) -> None:
        self._fail("the server closed the connection")

    def _next(self) -> None:
        request = next(self.requests, None)
        if request is not None:
            self.transport.write(request)
        elif not self.done.done():
            self.done.set_result(None)

    def _fail(self, message: str) -> None:
        if not self.done.done():
            self.done.set_exception(UnexpectedAnswer(message))


def _itself(client: _Connection) -> _Connection:
    return client


class Server:
    """One worker of the application in ``bench.floors``, as ``python -m app`` starts it."""

    def __init__(self, port: int, process: int) -> None:
        self.port = port
        self._process = process
        self.client_busy: list[float] = []

    def rate(self, requests: Sequence[Request], seconds: float, connections: int = 4) -> float:
        """Answers a second to ``requests``, sent in turn and over again by ``connections`` clients."""
        return uvloop.run(self._rate(requests, seconds, connections))

    async def _rate(self, requests: Sequence[Request], seconds: float, connections: int) -> float:
        deadline = time.perf_counter() + seconds
        written = [request.bytes() for request in requests]
        loop = asyncio.get_running_loop()

        def endless() -> Iterator[bytes]:
            while True:
                for content in written:
                    if time.perf_counter() >= deadline:
                        return
                    yield content

        turns = endless()
        clients = []
        started, busy = time.perf_counter(), time.process_time()
        for _ in range(connections):
            client = _Connection(turns, requests[0].status, loop.create_future())
            await loop.create_connection(partial(_itself, client), "127.0.0.1", self.port)
            clients.append(client)
        await asyncio.gather(*(client.done for client in clients))
        took = time.perf_counter() - started
        self.client_busy.append((time.process_time() - busy) / took)
        for client in clients:
            client.transport.close()
        return sum(client.answers for client in clients) / took

    def peak_memory(self) -> int:
        """Bytes that the worker has held at most since it started."""
        status = Path(f"/proc/{self._process}/status").read_text()
        (kilobytes,) = re.findall(r"^VmHWM:\s*(\d+) kB$", status, re.MULTILINE)
        return int(kilobytes) * 1024

    @property
    def client_share(self) -> float:
        """Which share of a core the client took on average; near 1 it is the client that is measured."""
        return fmean(self.client_busy)


@contextmanager
def serving(environment: Mapping[str, str] | None = None) -> Iterator[Server]:
    """A server on a free port, stopped at the end."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "uvicorn", "bench.floors:create", "--factory", "--port", str(port)]
    command += ["--log-level", "warning", "--no-access-log", "--no-server-header"]
    process = subprocess.Popen(command, env=os.environ | dict(environment or {}))
    try:
        await_server(port, process)
        yield Server(port, process.pid)
    finally:
        process.terminate()
        process.wait(10)


def await_server(port: int, process: "subprocess.Popen[bytes]") -> None:
    """Return once somebody listens at the port."""
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("the server did not start") from None
            time.sleep(0.05)
        else:
            return
