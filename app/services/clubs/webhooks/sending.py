"""One request to a receiver: to the very address that was checked, without redirects or proxies, for ten seconds."""

import asyncio
import socket
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from ipaddress import ip_address
from typing import Final, NamedTuple

import httpx

from app.services.clubs.webhooks.addresses import is_public

SECONDS: Final = 10.0
"""From looking up the host to the head of the answer."""

SCHEMES: Final = frozenset({"https"})
"""What a URL may begin with, unless receivers may be anywhere."""

_CONNECT_SECONDS: Final = 4.0
_MOST_ADDRESSES: Final = 2
_LOOKUPS_AT_ONCE: Final = 64
_AGENT: Final = f"mafrate/{version('mafrate')}"


class Outcome(NamedTuple):
    """What became of an attempt: the status that was answered, or why there is none."""

    status: int | None
    error: str | None = None
    """``unreachable``, ``address_not_public``, ``timeout`` or ``status`` (an answer other than 2xx)."""

    @property
    def is_unheard(self) -> bool:
        """Whether nobody got the message: then the next one would fare no better."""
        return self.error in ("unreachable", "address_not_public")


class AddressNotPublic(Exception):
    """A host has an address that is not public, or is talked to without TLS."""


class Sender:
    """Sends messages to receivers.

    Args:
        private: whether receivers may be anywhere, and without TLS: for tests and closed networks.
    """

    def __init__(self, *, private: bool) -> None:
        self._private = private
        self._lookups = ThreadPoolExecutor(_LOOKUPS_AT_ONCE, "webhook-lookup")
        self._made: httpx.AsyncClient | None = None

    @property
    def _client(self) -> httpx.AsyncClient:
        """Made when something is sent first: it reads all certificates, and most services send nothing."""
        if self._made is None:
            # A connection that is kept would be one to an address that is not checked again.
            limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
            timeout = httpx.Timeout(SECONDS, connect=_CONNECT_SECONDS)
            self._made = httpx.AsyncClient(trust_env=False, follow_redirects=False, limits=limits, timeout=timeout)
        return self._made

    async def close(self) -> None:
        """Let go of threads and connections."""
        self._lookups.shutdown(wait=False, cancel_futures=True)
        if self._made is not None:
            await self._made.aclose()

    async def send(self, url: str, headers: Mapping[str, str], body: bytes) -> Outcome:
        """POST a message; nothing of the answer but its status is read."""
        try:
            async with asyncio.timeout(SECONDS):
                status = await self._post(httpx.URL(url), headers, body)
        except (TimeoutError, httpx.ReadTimeout, httpx.WriteTimeout):
            return Outcome(None, "timeout")
        except AddressNotPublic:
            return Outcome(None, "address_not_public")
        except (httpx.HTTPError, httpx.InvalidURL, OSError, UnicodeError):
            return Outcome(None, "unreachable")
        return Outcome(status, None if 200 <= status < 300 else "status")

    async def _post(self, url: httpx.URL, headers: Mapping[str, str], body: bytes) -> int:
        if not self._private and url.scheme not in SCHEMES:
            raise AddressNotPublic(url.scheme)  # stored while it might be
        host = url.raw_host.decode("ascii")
        *others, last = (await self._addresses(host, url.port or (443 if url.scheme == "https" else 80)))[
            :_MOST_ADDRESSES
        ]
        request = {
            "headers": {
                **headers,
                "host": url.netloc.decode("ascii"),
                "content-type": "application/json",
                "user-agent": _AGENT,
            },
            # The certificate must be of the host, not of the address.
            "extensions": {"sni_hostname": host},
        }
        for address in others:
            try:
                return await self._post_to(url.copy_with(host=address), body, request)
            except (httpx.ConnectError, httpx.ConnectTimeout):
                continue
        return await self._post_to(url.copy_with(host=last), body, request)

    async def _post_to(self, url: httpx.URL, body: bytes, request: Mapping[str, Mapping[str, str]]) -> int:
        async with self._client.stream("POST", url, content=body, **request) as answer:  # type: ignore[arg-type]
            return answer.status_code

    async def _addresses(self, host: str, port: int) -> Sequence[str]:
        """The addresses of a host as they are now.

        Raises:
            AddressNotPublic: one of them is not.
            OSError: there is none.
        """
        found = await asyncio.get_running_loop().run_in_executor(self._lookups, look_up, host.strip("[]"), port)
        if not self._private and not all(map(is_public, found)):
            raise AddressNotPublic(host)
        return found


def look_up(host: str, port: int) -> list[str]:
    """Return the addresses of a host, each once.

    Raises:
        OSError: there is none.
    """
    infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(info[4][0]) for info in infos))


def is_certainly_private(host: str) -> bool:
    """Return whether a host is written as an address that is not public, or is this machine by its very name."""
    name = host.strip("[]").rstrip(".").lower()
    try:
        ip_address(name)
    except ValueError:
        return name == "localhost" or name.endswith(".localhost")
    return not is_public(name)
