"""A restart that no client notices: the socket stays open, as systemd keeps it, and what has arrived is answered."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection, HTTPException
from pathlib import Path

import pytest

from tests.processes.running import PATIENCE, ROOT, settings

_PASSING = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.environ |= {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "1"}
os.execv(sys.executable, [sys.executable, "-m", "app"])
"""


@contextmanager
def activated(listening: socket.socket, database_url: str, workers: int) -> Iterator[subprocess.Popen[bytes]]:
    """The service as a supervisor starts it that owns the socket; it is told to stop when the block is left."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("MAFRATE_")}
    number = listening.fileno()
    process = subprocess.Popen(
        [sys.executable, "-c", _PASSING, str(number)],
        cwd=ROOT,
        env=inherited | settings(database_url, 1, workers),
        stdout=subprocess.DEVNULL,
        pass_fds=(number,),
    )
    try:
        yield process
    finally:
        process.terminate()
        process.wait(timeout=PATIENCE)
    assert process.returncode in {0, -signal.SIGTERM}


@pytest.mark.parametrize("workers", [1, 2])
def test_no_request_fails_while_the_service_restarts(tmp_path: Path, workers: int) -> None:
    database_url = f"sqlite:///{tmp_path}/mafrate.db"
    with socket.create_server(("127.0.0.1", 0), backlog=1024) as listening:
        port = listening.getsockname()[1]
        ended = threading.Event()
        statuses: list[list[int]] = [[], [], []]
        failures: list[str] = []

        def keep_asking(seen: list[int]) -> None:
            while not ended.is_set():
                try:
                    seen.append(_status_of_a_request(port))
                except (OSError, HTTPException) as error:
                    failures.append(repr(error))

        clients = [threading.Thread(target=keep_asking, args=(seen,), daemon=True) for seen in statuses]
        for client in clients:
            client.start()
        with activated(listening, database_url, workers) as process:
            _wait_for_answers(100, statuses, process)
        with activated(listening, database_url, workers):
            ended.set()
            for client in clients:
                client.join()
    assert failures == []
    assert {status for seen in statuses for status in seen} == {200}


def _status_of_a_request(port: int) -> int:
    """Over a connection of its own."""
    with closing(HTTPConnection("127.0.0.1", port, timeout=PATIENCE)) as connection:
        connection.request("GET", "/v1/rule-systems/maffamily")
        response = connection.getresponse()
        response.read()
        return response.status


def _wait_for_answers(number: int, statuses: list[list[int]], process: subprocess.Popen[bytes]) -> None:
    while sum(map(len, statuses)) < number:
        assert process.poll() is None
        time.sleep(0.01)
