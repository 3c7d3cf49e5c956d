"""Connections that end a statement which is never answered (docs/decisions/0014-silent-servers.md).

A server that is frozen keeps its connections: the system acknowledges what is sent to it, so that no timeout of TCP's
comes to pass. Only whoever waits can tell that nothing comes.
"""

import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeVar

import psycopg
from psycopg.abc import PQGen

Returned = TypeVar("Returned")

SILENT_SECONDS: Final = 5.0
"""After so long without an answer the server is asked by a new connection whether it answers anybody."""

LONGEST_SECONDS: Final = 120.0
"""No statement of the service's takes so long, but for those that alter the schema."""

_PROBE_SECONDS: Final = 3.0
_INTERVAL: Final = 0.1
"""How often a thread that waits for an answer looks up."""


class _Watched(psycopg.Connection[Any]):
    """A connection that is asked, each time that a while has passed without an answer, whether to wait on."""

    def wait(self, gen: PQGen[Returned], interval: float = _INTERVAL, timeout: float | None = None) -> Returned:
        """Wait for what ``gen`` waits for.

        Raises:
            psycopg.OperationalError: it was given up; the connection is closed.
        """
        return super().wait(self._watched(gen), interval, timeout)

    def goes_on(self, seconds: float) -> bool:
        """Whether to wait on after so many seconds; asked ten times a second."""
        raise NotImplementedError

    def _watched(self, gen: PQGen[Returned]) -> PQGen[Returned]:
        began = time.monotonic()
        try:
            needed = next(gen)
            while True:
                ready = yield needed
                if ready:
                    needed = gen.send(ready)
                    continue
                if not self.goes_on(time.monotonic() - began):
                    gen.close()
                    self.pgconn.finish()
                    raise psycopg.OperationalError("the server does not answer")
                needed = gen.send(ready)
        except StopIteration as done:
            returned: Returned = done.value
            return returned


class _Probe(_Watched):
    """A connection that only asks whether there is an answer."""

    def goes_on(self, seconds: float) -> bool:
        return seconds < _PROBE_SECONDS


def _ask(told: Mapping[str, Any]) -> None:
    in_time = {"connect_timeout": max(2, round(_PROBE_SECONDS))}  # libpq takes 1 for 2
    with _Probe.connect(**{**told, **in_time}, autocommit=True) as probe:
        probe.execute("SELECT 1")


class _Server:
    """What is known of a server: when it answered last, on any connection of this process."""

    def __init__(self) -> None:
        self.heard = time.monotonic()
        self._asked = 0.0
        self._asking = threading.Lock()

    def answers(self, told: Mapping[str, Any]) -> bool:
        """Whether it has answered anybody lately, or does now."""
        if time.monotonic() - self.heard < SILENT_SECONDS:
            return True
        with self._asking:
            if time.monotonic() - self._asked >= _PROBE_SECONDS:
                try:
                    with _Probe.connect(
                        **{**told, "connect_timeout": max(2, round(_PROBE_SECONDS))}, autocommit=True
                    ) as probe:
                        probe.execute("SELECT 1")
                    self.heard = time.monotonic()
                except psycopg.Error:
                    pass
                self._asked = time.monotonic()
            return time.monotonic() - self.heard < SILENT_SECONDS


class PatientConnection(_Watched):
    """A connection that waits as long as its server answers somebody, and :data:`LONGEST_SECONDS` at most."""

    server: _Server
    longest = LONGEST_SECONDS
    told: Mapping[str, Any]

    def wait(self, gen: PQGen[Returned], interval: float = _INTERVAL, timeout: float | None = None) -> Returned:
        """As of any connection; that there was an answer is noted."""
        answer = super().wait(gen, interval, timeout)
        self.server.heard = time.monotonic()
        return answer

    def goes_on(self, seconds: float) -> bool:
        """Whether its server answers anybody."""
        return seconds < SILENT_SECONDS or (seconds < self.longest and self.server.answers(self.told))


class Servers:
    """The servers that a URL names, of which the one that let a connection in last is tried first."""

    def __init__(self, told: Mapping[str, Any]) -> None:
        self._attempts = _attempts(told)
        self._ordered = told.get("target_session_attrs") == "prefer-standby"
        self._known: dict[tuple[str, str], _Server] = {}

    def in_turn(self) -> Sequence[Mapping[str, Any]]:
        """What to tell psycopg to reach each of them, the likeliest first."""
        return tuple(self._attempts)

    def note_reached(self, told: Mapping[str, Any]) -> None:
        """Note that one of :meth:`in_turn` let a connection in."""
        if not self._ordered and self._attempts[0] is not told:
            self._attempts = [told, *(other for other in self._attempts if other is not told)]

    def connect(self) -> PatientConnection:
        """Connect to the first that is what the URL asks for; only a statement that says so begins a transaction.

        Raises:
            psycopg.OperationalError: there is none.
        """
        refused: list[psycopg.OperationalError] = []
        for told in self.in_turn():
            try:
                connection = PatientConnection.connect(**told, autocommit=True, prepare_threshold=None)
            except psycopg.OperationalError as error:
                refused.append(error)
            else:
                self.note_reached(told)
                connection.told = told
                connection.server = self._known.setdefault((str(told.get("host")), str(told.get("port"))), _Server())
                return connection
        raise refused[0]


def _attempts(told: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """One for each host, in the order of the URL; those that only libpq can tell apart are left to it."""
    if "hostaddr" in told or "load_balance_hosts" in told:
        return [told]
    hosts, ports = [str(told.get(name, "")).split(",") for name in ("host", "port")]
    ports = ports * len(hosts) if len(ports) == 1 else ports
    places = [
        {name: value for name, value in (("host", host), ("port", port)) if value}
        for host, port in zip(hosts, ports, strict=True)
    ]
    apart = {name: value for name, value in told.items() if name not in ("host", "port")}
    if apart.get("target_session_attrs") == "prefer-standby":
        wishes = [apart | {"target_session_attrs": wish} for wish in ("standby", "any")]
        return [wish | place for wish in wishes for place in places]
    return [apart | place for place in places]
