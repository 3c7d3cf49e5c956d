"""The ``mafrate`` command: serve, and look after a database without a service (``mafrate --help``)."""

import errno
import os
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import UTC, date, datetime
from json import dumps
from pathlib import Path
from typing import Annotated, Final, TypeAlias

import typer
import uvicorn
from uvicorn.supervisors import Multiprocess

from app.config import Settings, WrongSetting
from app.repositories.clubs import Club
from app.repositories.database import Database
from app.repositories.engines import UnusableURL, read_url, sqlite_path
from app.repositories.errors import Unavailable
from app.repositories.keys import Key
from app.repositories.schema import SchemaTooNew, bring_up_to_date, newest_version, schema_is_current
from app.schemas.keys import key_wire
from app.services import audit as audits
from app.services import clubs, keys
from app.services.access import Caller
from app.services.errors import NotFound
from app.services.start import make_admin_key

_GREETING: Final = """\
mafrate: {address}
  documentation   {address}/docs
  the regulations {address}/v1/rule-systems
  try it          {address}/v1/rule-systems/maffamily
  how to          README.md
Stop it with Ctrl+C.
"""
_KEY_FILE: Final = "admin-key.txt"
_KEYS_AT_ONCE: Final = 200
_HERE: Final = "command line"


class _NotUpToDate(Exception):
    """The database lacks tables or columns that this program works with."""


commands = typer.Typer(
    name="mafrate",
    help="Scores games of Mafia under club regulations. Settings are environment variables: MAFRATE_… (README.md).",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
of_keys = typer.Typer(help="Keys of a club, without its president.", no_args_is_help=True, rich_markup_mode=None)
commands.add_typer(of_keys, name="keys")

AsJSON: TypeAlias = Annotated[bool, typer.Option("--json", help="Answer one JSON object.")]
ClubSlug: TypeAlias = Annotated[str, typer.Argument(help="The club's slug.")]


@commands.command(epilog="Example: MAFRATE_PORT=9000 mafrate serve")
def serve() -> None:
    """Bring the database up to date, make the admin's key at the first start, and serve until told to stop."""
    settings = _settings()
    with ExitStack() as stack:
        bound = stack.enter_context(closing(_bound(settings)))
        with closing(Database(settings.database_url)) as database:
            bring_up_to_date(database)
            if settings.admin_key is None:
                make_admin_key(database, announce=_announcer(settings), now=datetime.now(UTC))
        if settings.workers > 1:
            # Must be set before the workers import the metrics; app.web.metrics says what it is for.
            shared = stack.enter_context(tempfile.TemporaryDirectory(prefix="mafrate-metrics-"))
            os.environ["PROMETHEUS_MULTIPROC_DIR"] = shared
        sys.stdout.write(_GREETING.format(address=_address(settings.host, bound.getsockname()[1])))
        sys.stdout.flush()
        config = uvicorn.Config(
            "app.main:create_app",
            factory=True,
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


@commands.command(epilog="Example: MAFRATE_DATABASE_URL=postgresql://db/mafrate mafrate migrate")
def migrate(*, json: AsJSON = False) -> None:
    """Bring the database up to date and stop; for fleets whose services start when that is done."""
    with closing(Database(_settings().database_url)) as database:
        bring_up_to_date(database)
    version = newest_version()
    _tell({"version": version} if json else f"The database is at version {version}.")


@commands.command(epilog="Example: mafrate audit --json")
def audit(*, json: AsJSON = False) -> None:
    """Work out anew all that is derived from the facts of the games, and name every difference from what is kept; the
    exit status is 1 when there is one.
    """
    differing = 0
    listed = []
    with _database() as database:
        for difference in audits.audit(database):
            differing += 1
            if json:
                listed.append(difference._asdict())
            else:
                _tell(str(difference))
    if json:
        _tell({"differences": listed})
    elif not differing:
        _tell("All that is kept follows from the facts.")
    if differing:
        raise typer.Exit(1)


@of_keys.command("list", epilog="Example: mafrate keys list moscow --json")
def list_keys(club: ClubSlug, *, json: AsJSON = False) -> None:
    """List the club's keys that were not revoked."""
    listed: list[Key] = []
    with _database() as database, database.read() as tx:
        president = _president_of(clubs.find(tx, club))
        page = keys.page(tx, president, club, cursor=None, limit=_KEYS_AT_ONCE)
        while page.next_cursor is not None:
            listed += page.items
            page = keys.page(tx, president, club, cursor=page.next_cursor, limit=_KEYS_AT_ONCE)
        listed += page.items
    if json:
        _tell({"items": [key_wire(key) for key in listed]})
        return
    for key in listed:
        until = f"until {key.expires_at:%Y-%m-%d %H:%M} UTC" if key.expires_at else "for good"
        used = f"used {key.last_used_at:%Y-%m-%d %H:%M} UTC" if key.last_used_at else "never used"
        _tell(f"{key.public_id}  {key.role:<11}  {until}, {used}  {key.name}")


@of_keys.command("make-president", epilog='Example: mafrate keys make-president moscow --name "Kim, after the loss"')
def make_president(
    club: ClubSlug,
    *,
    name: Annotated[str, typer.Option(help="What the key is called.")] = "president",
    json: AsJSON = False,
) -> None:
    """Make a president's key, for a club whose president has lost his; its secret is shown this once."""
    admin = Caller(None, None, None, "admin", _HERE)
    with _database() as database, database.write() as tx:
        key, secret = keys.create(tx, admin, club, role="president", name=name, expires_at=None, now=datetime.now(UTC))
    _tell({**key_wire(key), "secret": secret} if json else secret)


def _settings() -> Settings:
    return Settings.from_environ(os.environ)


@contextmanager
def _database() -> Iterator[Database]:
    """The database as it must be for anything but bringing it up to date."""
    with closing(Database(_settings().database_url)) as database:
        if not schema_is_current(database):
            raise _NotUpToDate("The database is not up to date; run mafrate migrate.")
        yield database


def _president_of(club: Club) -> Caller:
    """Whoever has the database may read what the president may."""
    return Caller(None, None, club.id, "president", _HERE)


def _tell(told: object) -> None:
    """One line on standard output: a string as it is, anything else as JSON."""
    sys.stdout.write((told if isinstance(told, str) else dumps(told, ensure_ascii=False, default=_written)) + "\n")


def _written(value: object) -> str:
    """A moment or day in ISO's form, anything else that JSON does not have as it prints."""
    return value.isoformat() if isinstance(value, date) else str(value)


def _announcer(settings: Settings) -> Callable[[str], None]:
    """Show the admin's key: on the terminal, or where nobody looks on, in a file that only its owner can read."""

    def announce(secret: str) -> None:
        if sys.stderr.isatty():
            sys.stderr.write(f"The admin's key, which makes clubs. It is shown this once:\n\n  {secret}\n\n")
        else:
            path = _folder_of(settings.database_url) / _KEY_FILE
            _write_for_owner(path, secret + "\n")
            sys.stderr.write(
                f"The admin's key, which makes clubs, is in {path}; keep it elsewhere and delete the file.\n"
            )
        sys.stderr.flush()

    return announce


def _folder_of(database_url: str) -> Path:
    """The folder of an SQLite file; ``data`` where the database is elsewhere."""
    url = read_url(database_url)
    return sqlite_path(url).parent if url.get_backend_name() == "sqlite" else Path("data")


def _write_for_owner(path: Path, text: str) -> None:
    """Write a file that nobody but its owner was ever able to read, in place of what may lie there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


def _bound(settings: Settings) -> socket.socket:
    """The socket that the service will listen on: before anything is said or written, for the port may be taken.

    Raises:
        WrongSetting: the address cannot be had.
    """
    bound = socket.socket(socket.AF_INET6 if ":" in settings.host else socket.AF_INET)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((settings.host, settings.port))
    except OSError as error:
        bound.close()
        if error.errno == errno.EADDRINUSE:
            address = _address(settings.host, settings.port)
            raise WrongSetting(f"MAFRATE_PORT: something listens at {address} already; name another port") from None
        raise WrongSetting(f"MAFRATE_HOST, MAFRATE_PORT: cannot listen there: {error.strerror}") from None
    bound.set_inheritable(True)
    return bound


def _address(host: str, port: int) -> str:
    if host in {"0.0.0.0", "::"}:  # noqa: S104 - compared, not bound
        host = "127.0.0.1"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 2 when a setting is wrong or the database cannot be used, with a sentence that says why."""
    try:
        commands(arguments)
    except (WrongSetting, NotFound, SchemaTooNew, _NotUpToDate) as error:
        sys.stderr.write(f"{error}\n")
    except UnusableURL as error:
        sys.stderr.write(f"MAFRATE_DATABASE_URL: {error}\n")
    except Unavailable as error:
        reason = getattr(error.__cause__, "orig", None) or error
        sys.stderr.write(f"MAFRATE_DATABASE_URL: the database cannot be used now: {str(reason).strip()}\n")
    except OSError as error:
        sys.stderr.write(f"{error}\n")
    return 2
