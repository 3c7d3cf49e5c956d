"""How a PostgreSQL URL becomes connections: to one server or several, none of which is waited for in vain."""

import re
import select
import time
from typing import Any, Final

import psycopg
from psycopg.conninfo import conninfo_to_dict
from sqlalchemy import URL, Engine, create_engine, event
from sqlalchemy.exc import InvalidatePoolError
from sqlalchemy.pool import ConnectionPoolEntry

from app.repositories.database.errors import UnusableURL
from app.repositories.database.patience import Servers

DRIVER: Final = "postgresql+psycopg"

_SCHEME: Final = re.compile(r"postgres(?:ql)?(?:\+[a-z0-9_]+)?://")
_A_PORT: Final = "expected a port from 1 to 65535 after the host: postgresql://host:5432/database"
_PERCENT: Final = "expected %40 in place of an @ and %25 in place of a % in the user's name or password"
_PARAMETERS: Final = "expected parameters of PostgreSQL's after the question mark, such as sslmode"
_ONE_LIST: Final = "expected several hosts as postgresql://host1:5432,host2:5432/database"
_WHICH: Final = ("any", "read-write", "read-only", "primary", "standby", "prefer-standby")
_APART: Final = frozenset({"user", "password", "host", "dbname"})
"""Parameters of libpq's that a URL has places for; the others stand in its query."""

CONNECT_SECONDS: Final = 3
"""How long each host may take to let a connection in."""

_DEFAULTS: Final[dict[str, Any]] = {
    "connect_timeout": CONNECT_SECONDS,
    "client_encoding": "utf8",
    "application_name": "mafrate",
    # A machine that is gone says nothing: what was sent is not acknowledged, what is awaited does not come.
    "tcp_user_timeout": 10_000,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
}
"""What a URL need not say and may say otherwise."""

_IDLE_SECONDS: Final = 1.0
"""A connection that lay idle longer is tried before it is used: its server may have gone without a word."""


def read_server_url(url: str) -> URL:
    """Return a URL in libpq's own form, with the driver that is here; several hosts stand in ``host`` with commas.

    Raises:
        UnusableURL: an invalid port or an unknown parameter. The message does not repeat the URL, because it may
            contain a password.
    """
    scheme = _SCHEME.match(url)
    if scheme is None:
        raise UnusableURL("expected sqlite:///path or postgresql://host/database")
    try:
        found = {key: str(value) for key, value in conninfo_to_dict("postgresql://" + url[scheme.end() :]).items()}
    except psycopg.ProgrammingError as error:
        raise UnusableURL(_fault(str(error))) from None
    hosts, ports = found.get("host", "").split(","), found.get("port", "").split(",")
    if any(port and not (port.isascii() and port.isdecimal() and 0 < int(port) < 65536) for port in ports):
        raise UnusableURL(_A_PORT)
    if "@" in found.get("host", ""):
        raise UnusableURL(_PERCENT)
    if len(ports) not in (1, len(hosts)) or any(":" in host and not _is_ipv6(host) for host in hosts):
        raise UnusableURL(_ONE_LIST)
    if found.get("target_session_attrs", "any") not in _WHICH:
        raise UnusableURL(f"target_session_attrs: expected one of {', '.join(_WHICH)}")
    rest = {key: value for key, value in found.items() if key not in _APART}
    return URL.create(
        DRIVER, found.get("user"), found.get("password"), found.get("host"), database=found.get("dbname"), query=rest
    )


def _fault(said: str) -> str:
    """One sentence for what libpq found; its own words may repeat a password."""
    if "percent-encoded" in said:
        return _PERCENT
    return _PARAMETERS if "query parameter" in said else _A_PORT


def _is_ipv6(host: str) -> bool:
    return host.count(":") > 1


def servers_of(url: URL) -> Servers:
    """The servers that a URL of :func:`read_server_url` names."""
    return Servers(parameters(url))


def parameters(url: URL) -> dict[str, Any]:
    """What a URL of :func:`read_server_url` says, as psycopg takes it, with what it leaves open."""
    placed = {"user": url.username, "password": url.password, "host": url.host, "dbname": url.database}
    return {**_DEFAULTS, **url.query, **{name: value for name, value in placed.items() if value is not None}}


def postgresql(servers: Servers, *, wait: float, connections: int) -> Engine:
    """A pool that works behind PgBouncer's transaction pooling: nothing in it outlives a transaction."""
    engine = create_engine(
        URL.create(DRIVER),
        creator=servers.connect,
        hide_parameters=True,
        pool_size=connections,
        max_overflow=0,
        pool_timeout=wait,
        pool_recycle=1800,
        pool_use_lifo=True,
        use_native_hstore=False,
    )

    def leave(_connection: object, record: ConnectionPoolEntry) -> None:
        record.info["left"] = time.monotonic()

    def take(connection: Any, record: ConnectionPoolEntry, _proxy: object) -> None:
        idle = time.monotonic() - record.info.get("left", time.monotonic())
        if idle > _IDLE_SECONDS or _has_been_told(connection):
            try:
                engine.dialect.do_ping(connection)
            except psycopg.Error as error:
                # Where one connection was lost the others were: all that are older are made anew.
                raise InvalidatePoolError from error

    event.listen(engine, "checkin", leave)
    event.listen(engine, "checkout", take)
    return engine


def _has_been_told(connection: "psycopg.Connection[Any]") -> bool:
    """Whether the server said something while nobody asked it: for the most part, that it ends the connection."""
    looked = select.poll()
    looked.register(connection.fileno(), select.POLLIN)
    return bool(looked.poll(0))
