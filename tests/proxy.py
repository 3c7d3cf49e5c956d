"""A way to a server that can fall silent: what is sent to it is taken, and nothing comes back."""

import selectors
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

from psycopg.conninfo import conninfo_to_dict
from sqlalchemy import make_url

_ONCE: Final = 65536


class Proxy:
    """Passes on what comes to a port of this machine; while it is silent, connections are let in and left alone."""

    def __init__(self, server: dict[str, Any]) -> None:
        self._server = server
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._silent = threading.Event()
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._listening, selectors.EVENT_READ)
        self._ended = False
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self._listening.getsockname()[1])

    def fall_silent(self) -> None:
        """From now on nothing is passed on, on any connection."""
        self._silent.set()

    def close(self) -> None:
        """End every connection."""
        self._ended = True
        self._thread.join(5)
        for key in list(self._selector.get_map().values()):
            key.fileobj.close()  # type: ignore[union-attr]
        self._selector.close()

    def _run(self) -> None:
        while not self._ended:
            ready = self._selector.select(0.02)
            if self._silent.is_set():
                time.sleep(0.02)
                continue
            for key, _ in ready:
                if key.fileobj is self._listening:
                    self._let_in()
                else:
                    self._pass_on(key.fileobj, key.data)

    def _let_in(self) -> None:
        client, _ = self._listening.accept()
        server = self._reach()
        self._selector.register(client, selectors.EVENT_READ, server)
        self._selector.register(server, selectors.EVENT_READ, client)

    def _reach(self) -> socket.socket:
        host, port = self._server.get("host", "127.0.0.1"), int(self._server.get("port", 5432))
        if not host.startswith("/"):
            return socket.create_connection((host, port))
        reached = socket.socket(socket.AF_UNIX)
        reached.connect(f"{host}/.s.PGSQL.{port}")
        return reached

    def _pass_on(self, one: Any, other: socket.socket) -> None:
        content = b""
        with suppress(OSError):
            content = one.recv(_ONCE)
            other.sendall(content)
        if not content:
            for end in (one, other):
                with suppress(KeyError, ValueError):
                    self._selector.unregister(end)
                end.close()


@contextmanager
def proxied(url: str) -> Iterator[tuple[Proxy, str]]:
    """A proxy before the server of a URL, and the URL by way of it."""
    proxy = Proxy(dict(conninfo_to_dict(url)))
    try:
        by_way = make_url(url).set(host="127.0.0.1", port=proxy.port).difference_update_query(["host", "port"])
        yield proxy, by_way.render_as_string(hide_password=False)
    finally:
        proxy.close()
