"""The service as processes of its own, on a database that a test looks into from outside."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from copy import deepcopy
from pathlib import Path
from typing import Any

import httpx

from tests.http.conftest import RED_WON
from tests.test_main import free_port

PATIENCE = 60.0
"""Seconds that a busy machine may need to start the service."""


class Running:
    """A running service; its workers are of the same process group."""

    def __init__(self, database_url: str, *, workers: int) -> None:
        port = free_port()
        environment = {name: value for name, value in os.environ.items() if not name.startswith("MAFRATE_")}
        self.address = f"http://127.0.0.1:{port}"
        self.process = subprocess.Popen(
            [sys.executable, "-m", "app"],
            cwd=Path(__file__).parents[2],
            env=environment
            | {
                "MAFRATE_ADMIN_KEY": "the-admin-of-these-tests",
                "MAFRATE_DATABASE_URL": database_url,
                "MAFRATE_LOG_LEVEL": "error",
                "MAFRATE_PORT": str(port),
                "MAFRATE_WORKERS": str(workers),
            },
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )

    def wait_until_ready(self) -> None:
        """Return once it answers; fail when it does not within :data:`PATIENCE` seconds."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            with suppress(httpx.TransportError):
                if httpx.get(f"{self.address}/healthz").status_code == 200:
                    return
            assert self.process.poll() is None, "the service did not start"
            time.sleep(0.02)
        raise AssertionError("the service did not answer in time")

    def end(self, how: signal.Signals) -> None:
        """Send every process of the service a signal and wait until the first is gone."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, how)
        self.process.wait(timeout=PATIENCE)


@contextmanager
def running(database_url: str, *, workers: int = 1) -> Iterator[Running]:
    """A service that is ready, ended when the block is left."""
    service = Running(database_url, workers=workers)
    try:
        service.wait_until_ready()
        yield service
    finally:
        service.end(signal.SIGTERM)
        with suppress(ProcessLookupError):
            os.killpg(service.process.pid, signal.SIGKILL)


def any_game(number: int) -> dict[str, Any]:
    """A game that maffamily takes, different for each number."""
    game = deepcopy(RED_WON) | {"played_on": "2025-03-14", "number": number, "outcome": ("red", "black")[number % 2]}
    shift = number % 10
    for seat, player in zip(game["seats"], [*range(shift, 10), *range(shift)], strict=True):
        seat["player"] = f"P{player + 1}"
    return game
