"""The limits of a connection (docs/limits.md). Each process has its own connections."""

import os
from contextlib import suppress
from typing import Final

with suppress(ImportError):  # Windows has no such limit
    import resource

HEAD_BYTES: Final = 32_768
"""Request line and headers together; also what may come between two pieces of a body, and trailers."""

HEAD_SECONDS: Final = 15.0
"""From the connection, or the end of the last response, to the last byte of the headers."""

BODY_WINDOW_SECONDS: Final = 15.0
"""How long a body may be slow: its rate is judged over each such stretch in which the service waits for it."""

BODY_BYTES_PER_SECOND: Final = 500
"""The least rate of a body; a line of the slowest phone networks carries four times that."""

RESPONSE_SECONDS: Final = 60.0
"""How long a client may take nothing of a response that waits for it."""

LINGER_SECONDS: Final = 2.0
"""How long the bytes of a refused client are thrown away, so that the refusal reaches it and no reset overtakes it."""

FIRST_REQUEST_SECONDS: Final = 1.0
"""How long a server that stops waits for the request of a client that has just connected."""

MOST_CONNECTIONS: Final = 800
"""Open connections of a process; beyond that the one that has been silent longest is closed."""

_OTHER_FILES: Final = 200
"""File descriptors that connections must leave to the database, files in transit and the process itself."""
_WANTED_FILES: Final = 4_096


def most_connections() -> int:
    """Return :data:`MOST_CONNECTIONS`, or fewer where the process may not open as many files.

    Raises the process's own limit of open files first, as far as the system allows.
    """
    if os.name == "nt":
        return MOST_CONNECTIONS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return MOST_CONNECTIONS
    wanted = _WANTED_FILES if hard == resource.RLIM_INFINITY else min(_WANTED_FILES, hard)
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = wanted
    return max(10, min(MOST_CONNECTIONS, soft - _OTHER_FILES))
