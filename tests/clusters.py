"""PostgreSQL servers of a test's own, to be frozen, killed and promoted: a primary and its standbys.

They run on the programs that Debian installs, under the account that it makes where the test is root's.
"""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import psycopg

from tests.test_main import free_port

PATIENCE: Final = 60.0
_ACCOUNT: Final = "postgres"
_SETTINGS: Final = """
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
shared_buffers = 16MB
dynamic_shared_memory_type = mmap
max_connections = 200
wal_keep_size = 256MB
wal_receiver_timeout = 5s
wal_retrieve_retry_interval = 200ms
restart_after_crash = off
"""


def programs() -> Path | None:
    """The folder of initdb and its like, of the newest version; None where there is none."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if found:
        return found[-1].parent
    elsewhere = shutil.which("initdb")
    return None if elsewhere is None else Path(elsewhere).resolve().parent


class Server:
    """One server; its data are in a folder of its own."""

    def __init__(self, folder: Path, settings: str = "") -> None:
        self.folder = folder
        self.port = free_port()
        self.settings = settings
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def place(self) -> str:
        """Host and port."""
        return f"127.0.0.1:{self.port}"

    def connect(self) -> "psycopg.Connection[tuple[object, ...]]":
        """Connect as its superuser."""
        return psycopg.connect(f"postgresql://postgres@{self.place}/postgres", autocommit=True, connect_timeout=5)

    def create(self) -> None:
        """Make a new cluster."""
        run("initdb", "-D", self.folder, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")

    def copy(self, primary: "Server") -> None:
        """Become a standby of another server."""
        # Never written to disk for good: who pulls the plug of a test is not what is tested.
        source = f"host=127.0.0.1 port={primary.port} user=postgres application_name=s{self.port}"
        run("pg_basebackup", "-D", self.folder, "-d", source, "-R", "-X", "stream", "-c", "fast", "--no-sync")

    def start(self) -> None:
        """Start it and return once it lets connections in."""
        (self.folder / "postgresql.auto.conf").touch()
        with (self.folder / "postgresql.conf").open("a") as file:
            file.write(f"{_SETTINGS}port = {self.port}\n{self.settings}\n")
        log = (self.folder / "log").open("ab")
        self._process = subprocess.Popen(
            [found() / "postgres", "-D", self.folder], stdout=log, stderr=log, start_new_session=True, **account()
        )
        log.close()
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                self.connect().close()
            except psycopg.OperationalError:
                if time.monotonic() > deadline or self._process.poll() is not None:
                    raise
                time.sleep(0.05)
            else:
                return

    def promote(self) -> None:
        """Make the standby a primary."""
        with closing(self.connect()) as connection:
            connection.execute("SELECT pg_promote(true, 60)")

    def freeze(self) -> None:
        """Stop every process of it where it is."""
        self._signal(signal.SIGSTOP)

    def kill(self) -> None:
        """``kill -9`` every process of it; of a frozen one, too."""
        self._signal(signal.SIGKILL)
        if self._process is not None:
            self._process.wait(PATIENCE)
            self._process = None

    def _signal(self, number: signal.Signals) -> None:
        if self._process is None:
            return
        # The postmaster first, which would take note of the others and start new ones.
        for process in (self._process.pid, *_children(self._process.pid)):
            with suppress(ProcessLookupError):
                os.kill(process, number)


@contextmanager
def folder_of_servers() -> Iterator[Path]:
    """A folder for the data of servers, removed at the end."""
    memory = Path("/dev/shm")
    folder = Path(tempfile.mkdtemp(prefix="mafrate-servers-", dir=memory if memory.is_dir() else None))
    if os.geteuid() == 0:
        shutil.chown(folder, _ACCOUNT, _ACCOUNT)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def found() -> Path:
    """The folder of PostgreSQL's programs, which there is."""
    folder = programs()
    assert folder is not None, "PostgreSQL is not installed"
    return folder


def run(program: str, *words: str | Path) -> None:
    """Run one of PostgreSQL's programs to its end."""
    done = subprocess.run([found() / program, *words], capture_output=True, text=True, check=False, **account())
    assert done.returncode == 0, done.stderr


def account() -> dict[str, Any]:
    """PostgreSQL does not run as root."""
    if os.geteuid() != 0:
        return {}
    return {"user": _ACCOUNT, "group": _ACCOUNT, "extra_groups": [], "cwd": "/"}


def _children(parent: int) -> list[int]:
    children = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            if int(status.read_text().rpartition(")")[2].split()[1]) == parent:
                children.append(int(status.parent.name))
    return children
