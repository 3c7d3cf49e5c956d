"""Service and receiver killed at random points: every committed event arrives at least once, in order."""

import json
import os
import random
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.repositories.database import Database
from app.services.clubs.webhooks import deliverer, deliveries
from tests.http.club import bearer
from tests.http.kept_season import Founded, found
from tests.processes.running import PATIENCE, ROOT, Killable, any_game
from tests.test_main import free_port

PRIVATE = {"MAFRATE_WEBHOOK_PRIVATE": "true"}


def impatient() -> None:
    """The service looks more often and waits shorter, so that a test need not."""
    deliverer.LOOK_SECONDS = 0.02  # type: ignore[misc]
    deliveries.LEASE = timedelta(seconds=1)  # type: ignore[misc]
    deliveries.PAUSES = (timedelta(seconds=0.05),)  # type: ignore[misc]
    deliverer._LOOK_AGAIN = timedelta(seconds=0.05)  # type: ignore[misc]


class Receiver:
    """The example of the documentation, as a process that can be killed; what it got outlives it."""

    def __init__(self, folder: Path, port: int) -> None:
        self.port = port
        self._got = folder / "got"
        self._secret = ""
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, secret: str | None = None) -> None:
        """Listen; ``secret`` is remembered."""
        self._secret = secret or self._secret
        with self._got.open("ab") as out:
            self._process = subprocess.Popen(
                [sys.executable, "docs/examples/receiver.py", str(self.port)],
                cwd=ROOT,
                env=os.environ | {"WEBHOOK_SECRET": self._secret},
                stdout=out,
            )

    def kill(self) -> None:
        """``kill -9``."""
        assert self._process
        self._process.kill()
        self._process.wait()

    def got(self) -> list[dict[str, Any]]:
        """The events in the order of arrival, each once."""
        lines = self._got.read_text().splitlines()
        first = dict(line.split(" ", 1) for line in reversed(lines) if line.endswith("}"))
        return [json.loads(first[id]) for id in dict.fromkeys(line.split(" ", 1)[0] for line in lines) if id in first]


def revisions(receiver: Receiver) -> list[int]:
    return [event["data"]["revision"] for event in receiver.got()]


def interrupt(database: Database, url: str, folder: Path, times: int) -> int:
    """Kill the service and the receiver in turn, each at a random point while games come and are told.

    Fail unless every committed event arrives, in order; return how many there were.
    """
    season = found(database)
    chance = random.Random(times)
    receiver = Receiver(folder, free_port())
    service = Killable(url, impatient, **PRIVATE)
    try:
        service.wait_until_ready()
        receiver.start(hook(service, season, receiver))
        committed = 0
        for cycle in range(times):
            for _ in range(chance.randint(3, 8)):
                committed += 1
                submit(service, season, committed)
            time.sleep(chance.uniform(0, 0.1))
            if cycle % 2:
                receiver.kill()
                submit(service, season, committed := committed + 1)
                receiver.start()
            else:
                service.kill()
                service = Killable(url, impatient, **PRIVATE)
                service.wait_until_ready()
        deadline = time.monotonic() + PATIENCE
        while len(receiver.got()) < committed and time.monotonic() < deadline:
            time.sleep(0.05)
    finally:
        service.kill()
        receiver.kill()
    assert revisions(receiver) == list(range(1, committed + 1))
    return committed


def hook(service: Killable, season: Founded, receiver: Receiver) -> str:
    """A webhook to the receiver; its secret."""
    body = {"url": f"http://127.0.0.1:{receiver.port}/"}
    headers = bearer(season.secrets["president"])
    answer = httpx.post(f"{service.address}/v1/clubs/{season.club}/webhooks", json=body, headers=headers)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["secret"])


def submit(service: Killable, season: Founded, number: int) -> None:
    headers = bearer(season.secrets["judge"])
    answer = httpx.post(service.address + season.path, json=any_game(number), headers=headers)
    assert answer.status_code == 201, answer.text


@pytest.mark.parametrize("database_url", ["sqlite", "postgresql"], indirect=True)
def test_kills_lose_no_event_and_change_no_order(database: Database, database_url: str, tmp_path: Path) -> None:
    interrupt(database, database_url, tmp_path, 4)
