"""The service as processes of its own, on a database that a test looks into from outside."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from copy import deepcopy
from pathlib import Path
from typing import Any

import httpx

from tests.http.conftest import RED_WON
from tests.test_main import free_port

PATIENCE = 60.0
"""Seconds that a busy machine may need to start the service."""

ROOT = Path(__file__).parents[2]
_FORKING = multiprocessing.get_context("forkserver")
_FORKING.set_forkserver_preload(["app.main", "app.cli", "tests.processes.running"])


def settings(database_url: str, port: int, workers: int) -> dict[str, str]:
    """What the service is told."""
    return {
        "MAFRATE_ADMIN_KEY": "the-admin-of-these-tests",
        "MAFRATE_DATABASE_URL": database_url,
        "MAFRATE_LOG_LEVEL": "error",
        "MAFRATE_PORT": str(port),
        "MAFRATE_WORKERS": str(workers),
    }


@contextmanager
def running(database_url: str, *, workers: int) -> Iterator[str]:
    """The address of a service that was started as an operator starts it; it ends when the block is left."""
    port = free_port()
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("MAFRATE_")}
    process = subprocess.Popen(
        [sys.executable, "-m", "app"],
        cwd=ROOT,
        env=inherited | settings(database_url, port, workers),
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    address = f"http://127.0.0.1:{port}"
    try:
        wait_until_ready(address, lambda: process.poll() is None)
        yield address
    finally:
        for how in (signal.SIGTERM, signal.SIGKILL):
            with suppress(ProcessLookupError):
                os.killpg(process.pid, how)
            process.wait(timeout=PATIENCE)


def _nothing() -> None:
    """What is done before a service starts as an operator starts it."""


class Killable:
    """A service of one process, forked from one that has imported everything: it can start and die twenty times."""

    def __init__(self, database_url: str, before: Callable[[], None] = _nothing, **more: str) -> None:
        """``before`` is called in the process; ``more``: settings."""
        port = free_port()
        self.address = f"http://127.0.0.1:{port}"
        told = settings(database_url, port, 1) | more
        self._process = _FORKING.Process(target=_serve, args=(told, before), daemon=True)
        self._process.start()

    def wait_until_ready(self) -> None:
        """Return once it answers."""
        wait_until_ready(self.address, self._process.is_alive)

    def kill(self) -> None:
        """``kill -9``."""
        self._process.kill()
        self._process.join(timeout=PATIENCE)


def _serve(told: dict[str, str], before: Callable[[], None]) -> None:
    from app.cli import main

    before()

    for name in [name for name in os.environ if name.startswith("MAFRATE_")]:
        del os.environ[name]
    os.environ |= told
    with Path(os.devnull).open("w") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())
    sys.exit(main(["serve"]))


def wait_until_ready(address: str, is_alive: Callable[[], bool]) -> None:
    """Return once the service answers; fail when it does not within :data:`PATIENCE` seconds."""
    deadline = time.monotonic() + PATIENCE
    with httpx.Client(base_url=address) as client:
        while time.monotonic() < deadline:
            with suppress(httpx.TransportError):
                if client.get("/healthz").status_code == 200:
                    return
            assert is_alive(), "the service did not start"
            time.sleep(0.02)
    raise AssertionError("the service did not answer in time")


def any_game(number: int) -> dict[str, Any]:
    """A game that maffamily takes, different for each number."""
    game = deepcopy(RED_WON) | {
        "external_id": f"game {number}",
        "played_on": "2025-03-14",
        "number": number,
        "outcome": ("red", "black")[number % 2],
    }
    shift = number % 10
    for seat, player in zip(game["seats"], [*range(shift, 10), *range(shift)], strict=True):
        seat["player"] = f"P{player + 1}"
    return game
