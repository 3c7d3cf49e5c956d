"""Talking to a running service: where it is, with which key, and what it refuses."""

import json
import os
import select
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from app.cli.root import CannotDo

URL_VARIABLE: Final = "MFR_URL"
KEY_VARIABLE: Final = "MFR_KEY"

_HERE: Final = "http://127.0.0.1:8000"
_PATIENCE: Final = 600
"""Seconds that the service may be silent, which it is while it takes in the rest of a large file."""
_SHOWN: Final = 20
"""Violations of a problem that are told."""


class BrokeOff(CannotDo):
    """The exchange ended before the answer was whole."""


class Service(NamedTuple):
    """A service, and the key that opens it."""

    url: str
    key: str | None

    @contextmanager
    def ask(
        self,
        method: str,
        path: str,
        body: Iterable[bytes] | None = None,
        headers: Mapping[str, str] | None = None,
        *,
        media: str,
        about: str = "",
    ) -> Iterator[HTTPResponse]:
        """The answer to a request, its body yet to be read. ``about``: what the request is about, named in a refusal.

        Raises:
            CannotDo: nothing answers there, it refuses with a problem, or its answer is not of the type ``media``.
            BrokeOff: whoever answers there stops doing so, perhaps while the caller reads the answer.
        """
        carried = {**(headers or {}), **self._authorization()}
        with closing(self._connection()) as connection:
            try:
                connection.connect()
            except (OSError, ValueError) as error:
                raise CannotDo(f"{self.url} does not answer: {_reason(error)}") from None
            try:
                response = _answer(connection, method, urlsplit(self.url).path.rstrip("/") + path, body, carried)
            except (OSError, ValueError, HTTPException) as error:
                raise BrokeOff(f"{self.url} does not answer any more: {_reason(error)}.") from None
            with response:
                try:
                    kind = response.headers.get_content_type()
                    if kind == "application/problem+json":
                        raise CannotDo(_told(response, about))
                    if kind != media:
                        raise CannotDo(
                            f"{self.url} answered {response.status} {response.reason}".rstrip()
                            + f" with {kind}, as no mafrate does. Is the address right?"
                        )
                    yield response
                except BrokenPipeError:
                    raise  # of whoever reads what is told of the answer
                except (ConnectionError, TimeoutError, HTTPException):
                    raise BrokeOff("The answer broke off.") from None

    def _authorization(self) -> Mapping[str, str]:
        if self.key is None:
            return {}
        if not (self.key.isascii() and self.key.isprintable()):
            raise CannotDo("expected a key such as mfr_…, got one with characters that no key has")
        return {"Authorization": f"Bearer {self.key}"}

    def _connection(self) -> HTTPConnection:
        try:
            parts = urlsplit(self.url)
            host, port = parts.hostname, parts.port
        except ValueError:
            host = port = None
        if not host or parts.scheme not in {"http", "https"} or not parts.path.isascii():
            raise CannotDo(f"expected an address such as {_HERE}, got {self.url}")
        connect = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        return connect(host, port, timeout=_PATIENCE)


def service_at(url: str | None, key: str | None, config: Path | None) -> Service:
    """The service that is meant: by option, else by environment, else by file.

    ``config``: a TOML file with ``url`` and ``key``; by default the one in the user's folder, if there is one.

    Raises:
        CannotDo: the file cannot be read or says something else.
    """
    kept = _kept(config)
    return Service(
        url or os.environ.get(URL_VARIABLE) or kept.get("url") or _HERE,
        key or os.environ.get(KEY_VARIABLE) or kept.get("key"),
    )


def config_path() -> Path:
    """Where the file is looked for that nobody names."""
    folder = os.environ.get("XDG_CONFIG_HOME")
    return (Path(folder) if folder else Path.home() / ".config") / "mafrate.toml"


def _kept(config: Path | None) -> Mapping[str, str]:
    path = config or config_path()
    try:
        kept = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        if config is None:
            return {}
        raise
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CannotDo(f"{path}: {error}") from None
    if not all(name in {"url", "key"} and isinstance(value, str) for name, value in kept.items()):
        raise CannotDo(f'{path}: expected url = "…" and key = "…" and nothing else')
    return kept


def _answer(
    connection: HTTPConnection, method: str, path: str, body: Iterable[bytes] | None, headers: Mapping[str, str]
) -> HTTPResponse:
    """Send a request, its body in chunks as long as nothing is answered: who answers earlier refuses it."""
    connection.putrequest(method, path)
    for name, value in headers.items():
        connection.putheader(name, value)
    if body is None:
        connection.endheaders()
        return connection.getresponse()
    connection.putheader("Transfer-Encoding", "chunked")
    connection.endheaders()
    try:
        for chunk in body:
            if _speaks(connection):
                return connection.getresponse()
            connection.send(b"%x\r\n%b\r\n" % (len(chunk), chunk))
        connection.send(b"0\r\n\r\n")
    except (BrokenPipeError, ConnectionResetError):
        pass  # it may have refused the request: that answer says more than this error
    return connection.getresponse()


def _speaks(connection: HTTPConnection) -> bool:
    """Whether the other side sends something; what comes below TLS need not be an answer."""
    return not isinstance(connection, HTTPSConnection) and bool(select.select([connection.sock], [], [], 0)[0])


def _reason(error: Exception) -> str:
    return str(getattr(error, "strerror", None) or error).strip() or type(error).__name__


def _told(response: HTTPResponse, about: str) -> str:
    """A problem as a few lines."""
    try:
        problem: Any = json.loads(response.read())
        lines = [f"{problem['title']}: {problem['detail']}"]
        lines += [f"  {found['pointer'] or about}: {found['message']}" for found in problem["violations"][:_SHOWN]]
    except (ValueError, TypeError, KeyError):
        return f"the service answered {response.status} {response.reason}"
    return "\n".join(lines)
