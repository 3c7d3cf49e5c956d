"""``mafrate serve``: the service itself."""

import errno
import os
import socket
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack, closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import typer
import uvicorn
from uvicorn.supervisors import Multiprocess

from app.cli.application import application, example
from app.cli.environment import database_name, read_settings, service_url
from app.config import Settings, WrongSetting
from app.repositories.database import Database
from app.repositories.database.engines import read_url, sqlite_path
from app.repositories.schema import bring_up_to_date
from app.server.limits import HEAD_BYTES
from app.services.clubs.admin_key import make_admin_key

_GREETING: Final = """\
mafrate: {address}
  documentation   {address}/docs
  the regulations {address}/v1/rule-systems
  try it          {address}/v1/rule-systems/maffamily
  how to          README.md
  database        {database}
Stop it with Ctrl+C.
"""
_KEY_FILE: Final = "admin-key.txt"
_FIRST_PASSED: Final = 3
"""The first file descriptor after standard input, output and error."""


@application.command(epilog=example("serve", MAFRATE_PORT="9000"), short_help="Start the service.")
def serve() -> None:
    """Upgrade the database, create the admin key at the first start, and serve until stopped.

    With MAFRATE_READ_ONLY=true, only serve what needs no write.
    """
    settings = read_settings()
    _check_cache_url(settings)
    with ExitStack() as stack:
        bound = stack.enter_context(closing(_listening_socket(settings)))
        if not settings.read_only:
            _prepare_database(settings)
        if settings.workers > 1:
            # Must be set before the workers import the metrics; app.web.middleware.metrics says what it is for.
            shared = stack.enter_context(tempfile.TemporaryDirectory(prefix="mafrate-metrics-"))
            os.environ["PROMETHEUS_MULTIPROC_DIR"] = shared
        sys.stdout.write(_greeting(settings, bound))
        sys.stdout.flush()
        config = uvicorn.Config(
            "app.main:create_app",
            factory=True,
            http="app.server.protocols:HTTP",
            h11_max_incomplete_event_size=HEAD_BYTES,
            ws="none",
            workers=settings.workers,
            log_level=settings.log_level,
            access_log=settings.log_level == "debug",
            proxy_headers=bool(settings.trusted_proxies),
            forwarded_allow_ips=list(settings.trusted_proxies),
            server_header=False,
            timeout_graceful_shutdown=10,
        )
        with suppress(KeyboardInterrupt):
            if settings.workers > 1:
                Multiprocess(config, sockets=[bound]).run()
            else:
                server = uvicorn.Server(config)
                server.run(sockets=[bound])
                if not server.started:
                    raise typer.Exit(1)


def _prepare_database(settings: Settings) -> None:
    with closing(Database(settings.database_url)) as database:
        bring_up_to_date(database)
        if settings.admin_key is None:
            make_admin_key(database, announce=_admin_key_printer(settings), now=datetime.now(UTC))


def _greeting(settings: Settings, bound: socket.socket) -> str:
    host, port = bound.getsockname()[:2]
    return _GREETING.format(address=service_url(host, port), database=database_name(settings.database_url))


def _check_cache_url(settings: Settings) -> None:
    """Refuse a cache URL that would fail in each process."""
    if settings.cache_url is not None:
        # Takes a while to load, and no other command needs it.
        from app.repositories.standings.shared_cache import SharedCache

        SharedCache(settings.cache_url).close()


def _admin_key_printer(settings: Settings) -> Callable[[str], None]:
    """Show the admin key on the terminal or, without one, write it to a file that only its owner can read."""

    def announce(secret: str) -> None:
        if sys.stderr.isatty():
            sys.stderr.write(f"The admin key, which creates clubs. It is shown only once:\n\n  {secret}\n\n")
        else:
            path = _folder_of(settings.database_url) / _KEY_FILE
            try:
                _write_for_owner(path, secret + "\n")
            except OSError as error:
                raise WrongSetting(
                    f"MAFRATE_ADMIN_KEY: set a key, because a new one cannot be written to {path}: {error.strerror}"
                ) from None
            sys.stderr.write(
                f"The admin key, which creates clubs, is in {path}. Save it elsewhere and delete the file.\n"
            )
        sys.stderr.flush()

    return announce


def _folder_of(database_url: str) -> Path:
    """The folder of an SQLite file; ``data`` where the database is elsewhere."""
    url = read_url(database_url)
    return sqlite_path(url).parent if url.get_backend_name() == "sqlite" else Path("data")


def _write_for_owner(path: Path, text: str) -> None:
    """Write or replace a file that only its owner can read from the first moment."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


def _listening_socket(settings: Settings) -> socket.socket:
    """The socket of the service. It comes before anything is printed or written, because the port may be taken.

    A supervisor that keeps the socket open between restarts, such as systemd, passes it as file descriptor 3 and says
    so in ``LISTEN_PID`` and ``LISTEN_FDS`` (sd_listen_fds(3)); then the address of the settings is not used.

    Raises:
        WrongSetting: the service cannot listen on this address.
    """
    if os.environ.pop("LISTEN_PID", None) == str(os.getpid()):
        if os.environ.pop("LISTEN_FDS", None) != "1":
            raise WrongSetting("LISTEN_FDS: expected 1, one socket for the service")
        passed = socket.socket(fileno=_FIRST_PASSED)
        if passed.family not in {socket.AF_INET, socket.AF_INET6}:
            raise WrongSetting("LISTEN_FDS: expected a socket with an address and a port")
        passed.set_inheritable(True)
        return passed
    bound = socket.socket(socket.AF_INET6 if ":" in settings.host else socket.AF_INET)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((settings.host, settings.port))
    except (UnicodeError, TypeError):  # not a host name in any encoding
        bound.close()
        raise WrongSetting("MAFRATE_HOST: expected the address to listen on, such as 127.0.0.1") from None
    except OSError as error:
        bound.close()
        if error.errno == errno.EADDRINUSE:
            address = service_url(settings.host, settings.port)
            raise WrongSetting(f"MAFRATE_PORT: {address} is already in use; choose another port") from None
        raise WrongSetting(f"MAFRATE_HOST, MAFRATE_PORT: cannot listen on this address: {error.strerror}") from None
    bound.set_inheritable(True)
    return bound
