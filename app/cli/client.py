"""Talking to a running service: where it is, with which key, and what it refuses."""

import http.client
import json
import os
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


class Service(NamedTuple):
    """A service, and the key that opens it."""

    url: str
    key: str | None

    @contextmanager
    def ask(
        self, method: str, path: str, body: Iterable[bytes] | None = None, headers: Mapping[str, str] | None = None
    ) -> Iterator[HTTPResponse]:
        """The answer to a request, its body yet to be read.

        Raises:
            CannotDo: nothing answers there, or it refuses with a problem.
        """
        parts = urlsplit(self.url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise CannotDo(f"expected an address such as {_HERE}, got {self.url}")
        connect = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        carried = {**(headers or {}), **({} if self.key is None else {"Authorization": f"Bearer {self.key}"})}
        connection: HTTPConnection = connect(parts.hostname, parts.port, timeout=_PATIENCE)
        with closing(connection):
            try:
                response = _answer(connection, method, parts.path.rstrip("/") + path, body, carried)
            except (OSError, HTTPException, ValueError) as error:
                raise CannotDo(f"{self.url} does not answer: {str(error) or type(error).__name__}") from None
            with response:
                if response.headers.get_content_type() == "application/problem+json":
                    raise CannotDo(_told(response))
                yield response


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
    chunked = "Transfer-Encoding" in headers
    try:
        connection.request(method, path, body, headers, encode_chunked=chunked)
    except (BrokenPipeError, ConnectionResetError):
        # It may have refused the request without reading all of it: that answer says more than this error.
        response = http.client.HTTPResponse(connection.sock, method=method)
        response.begin()
        return response
    return connection.getresponse()


def _told(response: HTTPResponse) -> str:
    """A problem as a few lines."""
    try:
        problem: dict[str, Any] = json.loads(response.read())
    except ValueError:
        return f"the service answered {response.status} {response.reason}"
    lines = [f"{problem.get('title')}: {problem.get('detail')}"]
    lines += [f"  {found['pointer'] or 'file'}: {found['message']}" for found in problem.get("violations", ())[:20]]
    return "\n".join(lines)
