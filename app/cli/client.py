"""Talking to a running service: where it is, with which key, and what it refuses."""

import json
import os
import select
import socket
import ssl
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias
from urllib.parse import urlsplit

from app.cli.application import VERBATIM, CommandError
from app.scoring.text import words

if TYPE_CHECKING:
    from httpx import Client, Response

URL_VARIABLE: Final = "MFR_URL"
KEY_VARIABLE: Final = "MFR_KEY"

_DEFAULT_URL: Final = "http://127.0.0.1:8000"
_TIMEOUT: Final = 600
"""Seconds that the service may be silent, as it is while it stores the rest of a large file."""
_SHOWN: Final = 20
"""Violations of a problem that are shown."""

_NO_CONNECTION: Final = words(
    "не удалось подключиться к {}: {}. Запущен ли там mafrate serve? Другой адрес: --url или MFR_URL.",
    "cannot connect to {}: {}. Is mafrate serve running there? For another address, use --url or MFR_URL.",
)
_LOST: Final = words("связь с {} прервалась: {}.", "lost connection to {}: {}.")
INCOMPLETE: Final = words(
    "Связь прервалась раньше, чем пришёл весь ответ.", "The connection closed before the response was complete."
)
_FOREIGN: Final = words(
    "{}: ответ {} с типом {} — не от mafrate. Проверьте адрес.",
    "{} answered {} with {}, which is not a mafrate response. Check the address.",
)
_NO_KEY: Final = words(
    "нужен ключ вида mfr_…, а в этом есть недопустимые символы",
    "expected a key such as mfr_…, got one with invalid characters",
)
_NO_URL: Final = words("нужен адрес вида {}, а не {}", "expected an address such as {}, got {}")
_CONFIG: Final = words(
    '{}: нужны url = "…" и key = "…", и больше ничего', '{}: expected url = "…" and key = "…" and nothing else'
)
_FAILED: Final = words("сервис ответил {}", "the service answered {}")

Trace: TypeAlias = Mapping[str, Any]


class ConnectionLost(CommandError):
    """The exchange ended before the response was complete."""


class Service(NamedTuple):
    """A service, and the key to use there."""

    url: str
    key: str | None

    @contextmanager
    def request(
        self,
        method: str,
        path: str,
        *,
        media: str,
        query: Mapping[str, str | None] | None = None,
        headers: Mapping[str, str] | None = None,
        body: Iterable[bytes] | None = None,
        about: str = "",
    ) -> Iterator["Response"]:
        """The response to a request, its body yet to be read. ``about``: what the request is about, for a refusal.

        Raises:
            CommandError: nothing answers there, it refuses with a problem, or its response is not of the type
                ``media``.
            ConnectionLost: it stops answering, perhaps while the caller reads the response.
        """
        import httpx  # takes a while to load, and most commands do not need it

        with self._client() as client:
            answered = _EarlyAnswer()
            request = client.build_request(
                method,
                path,
                params={name: value for name, value in (query or {}).items() if value},
                headers={**(headers or {}), **self._authorization()},
                content=None if body is None else answered.stop(body),
                extensions={"trace": answered.trace},
            )
            try:
                response = client.send(request, stream=True)
            except (httpx.ConnectError, httpx.ConnectTimeout) as error:
                raise CommandError(_NO_CONNECTION, self.url, _reason(error)) from None
            except httpx.TransportError as error:
                raise ConnectionLost(_LOST, self.url, _reason(error)) from None
            with closing(response):
                try:
                    self._check(response, media, about)
                    yield response
                except (httpx.TransportError, httpx.DecodingError):
                    raise ConnectionLost(INCOMPLETE) from None

    def _client(self) -> "Client":
        import httpx

        try:
            parts = urlsplit(self.url)
            if parts.scheme not in {"http", "https"} or not parts.hostname or not parts.path.isascii():
                raise ValueError
            return httpx.Client(
                base_url=httpx.URL(scheme=parts.scheme, host=parts.hostname, port=parts.port, path=parts.path),
                timeout=_TIMEOUT,
                verify=ssl.create_default_context() if parts.scheme == "https" else False,
                trust_env=False,
            )
        except (ValueError, httpx.InvalidURL):
            raise CommandError(_NO_URL, _DEFAULT_URL, self.url) from None

    def _authorization(self) -> Mapping[str, str]:
        if self.key is None:
            return {}
        if not (self.key.isascii() and self.key.isprintable()):
            raise CommandError(_NO_KEY)
        return {"Authorization": f"Bearer {self.key}"}

    def _check(self, response: "Response", media: str, about: str) -> None:
        """Refuse a problem, and what is not of the type ``media``."""
        kind = response.headers.get("Content-Type", "no content type").partition(";")[0].strip().lower()
        if kind == "application/problem+json":
            raise _refusal(response, about)
        if kind != media:
            raise CommandError(_FOREIGN, self.url, _status(response), kind)


class _EarlyAnswer:
    """Ends a body as soon as the service refuses the request, whatever is left of it.

    Over TLS nothing can be seen before the body's end; the refusal is read then.
    """

    def __init__(self) -> None:
        self._socket: socket.socket | None = None

    def trace(self, event: str, about: Trace) -> None:
        """Remember the connection that httpx made for the request."""
        if event == "connection.connect_tcp.complete":
            self._socket = about["return_value"].get_extra_info("socket")

    def stop(self, body: Iterable[bytes]) -> Iterator[bytes]:
        """The body, up to the refusal."""
        for chunk in body:
            if self._is_refused():
                return
            yield chunk

    def _is_refused(self) -> bool:
        if self._socket is None or not select.select([self._socket], [], [], 0)[0]:
            return False
        try:
            head = self._socket.recv(10, socket.MSG_PEEK)
        except OSError:
            return False  # sending the rest fails then too
        return head in {b"HTTP/1.1 4", b"HTTP/1.1 5"}


def service_at(url: str | None, key: str | None, config: Path | None) -> Service:
    """The service that is named by option, otherwise by the environment, otherwise by file.

    ``config``: a TOML file with ``url`` and ``key``; by default the one in the user's folder, if there is one.

    Raises:
        CommandError: the file cannot be read or says something else.
    """
    stored = _read_config(config)
    return Service(
        url or os.environ.get(URL_VARIABLE) or stored.get("url") or _DEFAULT_URL,
        key or os.environ.get(KEY_VARIABLE) or stored.get("key"),
    )


def config_path() -> Path:
    """Return the default path of the configuration file."""
    folder = os.environ.get("XDG_CONFIG_HOME")
    return (Path(folder) if folder else Path.home() / ".config") / "mafrate.toml"


def _read_config(config: Path | None) -> Mapping[str, str]:
    path = config or config_path()
    try:
        stored = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        if config is None:
            return {}
        raise
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CommandError(VERBATIM, f"{path}: {error}") from None
    if not all(name in {"url", "key"} and isinstance(value, str) for name, value in stored.items()):
        raise CommandError(_CONFIG, path)
    return stored


def _reason(error: BaseException) -> str:
    """What the system says below httpx's error, otherwise what httpx says."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.strerror:
            return cause.strerror
        cause = cause.__cause__ or cause.__context__
    return " ".join(str(error).split()).rstrip(".") or type(error).__name__


def _status(response: "Response") -> str:
    return f"{response.status_code} {response.reason_phrase}".rstrip()


def _refusal(response: "Response", about: str) -> CommandError:
    """A problem as a few lines."""
    try:
        problem: Any = json.loads(response.read())
        lines = [f"{problem['title']}: {problem['detail']}"]
        lines += [f"  {found['pointer'] or about}: {found['message']}" for found in problem["violations"][:_SHOWN]]
    except (ValueError, TypeError, KeyError):
        return CommandError(_FAILED, _status(response))
    return CommandError(VERBATIM, "\n".join(lines))
