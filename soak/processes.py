"""Services, Redis and PgBouncer as processes that can be killed and come back."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import httpx

from tests.clusters import account
from tests.processes.running import ROOT, settings, wait_until_ready
from tests.test_main import free_port

PATIENCE: Final = 60.0


class Service:
    """``mafrate serve`` on a port that stays the same; ``shift``: seconds by which its clock is wrong."""

    def __init__(self, url: str, *, workers: int, told: Mapping[str, str] | None = None) -> None:
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self.is_supervised = workers > 1
        self._told = settings(url, self.port, workers) | dict(told or {})
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, shift: int = 0) -> None:
        """Start it and return once it answers."""
        self.begin(shift)
        wait_until_ready(self.address, self.lives)

    def begin(self, shift: int = 0) -> None:
        """Start it."""
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("MAFRATE_")}
        told = inherited | self._told
        if shift:
            told["MAFRATE_WORKERS"] = "1"  # others would be started from nothing, with the right time
        command = [sys.executable, "-m", *(("soak.shifted", str(shift)) if shift else ("app",))]
        self._process = subprocess.Popen(
            command, cwd=ROOT, env=told, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )

    def lives(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def is_ready(self) -> bool:
        """Whether ``/readyz`` says that it can take requests."""
        with suppress(httpx.TransportError):
            return httpx.get(f"{self.address}/readyz", timeout=15).status_code == 200
        return False

    def workers(self) -> list[int]:
        """Its processes that answer, youngest last; itself where it has no others."""
        assert self._process is not None
        found = [process for process, name in _children(self._process.pid) if "resource_tracker" not in name]
        return found or [self._process.pid]

    def kill_worker(self, chance: random.Random) -> None:
        """``kill -9`` one of its workers, which its supervisor starts anew."""
        with suppress(ProcessLookupError):
            os.kill(chance.choice(self.workers()), signal.SIGKILL)

    def kill(self) -> None:
        """``kill -9`` all of it."""
        if self._process is not None:
            for process in (self._process.pid, *self.workers()):
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait(PATIENCE)
            self._process = None


class Redis:
    """A Redis of its own, which forgets everything when it is killed."""

    def __init__(self) -> None:
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd="/")

    def signal(self, number: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(number)

    def kill(self) -> None:
        self.signal(signal.SIGKILL)
        if self._process is not None:
            self._process.wait(PATIENCE)
            self._process = None


class PgBouncer:
    """A PgBouncer in transaction mode, before whichever server it is pointed at."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.url = f"postgresql://postgres@127.0.0.1:{self.port}/postgres"
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    @staticmethod
    def program() -> str | None:
        """Where the program is, if it is installed."""
        return shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")

    def point_at(self, port: int) -> None:
        """Send everything to another server from now on; what is under way there is cut off."""
        (self._folder / "users").write_text('"postgres" ""\n')
        (self._folder / "pgbouncer.ini").write_text(
            f"[databases]\npostgres = host=127.0.0.1 port={port} dbname=postgres user=postgres\n"
            f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {self.port}\nauth_type = trust\n"
            f"auth_file = {self._folder}/users\npool_mode = transaction\nmax_client_conn = 500\n"
            "default_pool_size = 20\nserver_connect_timeout = 3\nserver_login_retry = 1\nquery_wait_timeout = 10\n"
            f"server_fast_close = 1\nunix_socket_dir =\nlogfile = {self._folder}/pgbouncer.log\n"
        )
        if self._process is not None:  # connections to a server that is frozen would be waited for
            self.kill()
            self.start()

    def start(self) -> None:
        program = self.program()
        assert program is not None
        options: dict[str, Any] = account()
        self._process = subprocess.Popen(
            [program, self._folder / "pgbouncer.ini"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options
        )

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait(PATIENCE)
            self._process = None


def _children(parent: int) -> list[tuple[int, str]]:
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            if int(status.read_text().rpartition(")")[2].split()[1]) == parent:
                found.append((int(status.parent.name), (status.parent / "cmdline").read_text()))
    return sorted(found)


def until(holds: Any, seconds: float = PATIENCE) -> bool:
    """Whether it holds within so many seconds."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True
