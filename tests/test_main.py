"""``python -m app`` as an operator starts it."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


@contextmanager
def service(**settings: str) -> Iterator[tuple[httpx.Client, subprocess.Popen[str]]]:
    """A running service, each request to which comes to any of its workers, and its process."""
    port = free_port()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAFRATE_")}
    process = subprocess.Popen(
        [sys.executable, "-m", "app"],
        cwd=Path(__file__).parents[1],
        env=environment | {"MAFRATE_PORT": str(port), **settings},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    apart = httpx.Limits(max_keepalive_connections=0)
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", limits=apart) as client:
            for _ in range(300):
                try:
                    client.get("/healthz")
                    break
                except httpx.TransportError:
                    time.sleep(0.1)
            yield client, process
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)


def test_the_start_says_where_the_service_and_its_documentation_are() -> None:
    with service() as (client, process):
        assert client.get("/readyz").json() == {"status": "ok"}
        assert process.stdout is not None
        greeting = "".join(process.stdout.readline() for _ in range(6))
    address = str(client.base_url).removesuffix("/")
    assert address in greeting
    assert f"{address}/docs" in greeting
    assert re.search(r"^  database +/.+\.db$", greeting, re.MULTILINE)
    assert process.returncode in {0, -signal.SIGTERM}


@pytest.mark.parametrize("workers", ["1", "2"])
def test_metrics_are_those_of_all_workers(workers: str) -> None:
    label = re.escape('seconds_count{method="GET",route="/v1/rule-systems",status="200"} ')
    with service(MAFRATE_WORKERS=workers) as (client, _):
        for _ in range(30):
            client.get("/v1/rule-systems")
        # A request is counted after its last byte left, which another worker may be asked before.
        for _ in range(50):
            counted = re.search(label + r"(\d+)", client.get("/metrics").text)
            if counted and counted[1] == "30":
                break
            time.sleep(0.1)
    assert counted
    assert counted[1] == "30"
