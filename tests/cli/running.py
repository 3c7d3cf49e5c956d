"""Running the command here, and the service as a process of its own."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest

from app import cli

ROOT = Path(__file__).parents[2]


class Done(NamedTuple):
    status: int
    out: str
    err: str


def run(capsys: pytest.CaptureFixture[str], *words: str) -> Done:
    try:
        status = cli.main(words)
    except SystemExit as end:
        status = int(end.code or 0)
    return Done(status, *capsys.readouterr())


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def service(
    database_url: str, folder: Path, program: Path | None = None, /, **settings: str
) -> Iterator[tuple[httpx.Client, Path]]:
    """The service as ``python -m app`` starts it, once it answers, and the file that holds what it said.

    Args:
        program: an installed ``mafrate`` to start in place of this checkout.
    """
    port = free_port()
    said = folder / "stderr.txt"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAFRATE_")}
    environment |= {"MAFRATE_DATABASE_URL": database_url, "MAFRATE_PORT": str(port), **settings}
    if program is None:
        environment["PYTHONPATH"] = str(ROOT)
    command = [sys.executable, "-m", "app"] if program is None else [str(program), "serve"]
    with said.open("w") as stderr:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=stderr)
        try:
            with httpx.Client(base_url=f"http://127.0.0.1:{port}") as client:
                for _ in range(300):
                    try:
                        client.get("/healthz")
                        break
                    except httpx.TransportError:
                        assert process.poll() is None, said.read_text()
                        time.sleep(0.1)
                yield client, said
        finally:
            process.terminate()
            process.wait(timeout=30)
