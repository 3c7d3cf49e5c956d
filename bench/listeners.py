"""``python -m bench.listeners PORT COUNT PATH``: many who follow a season, in a process of their own.

It prints ``ready`` when all are connected. At the end of its input it prints how many revisions each has seen, if all
have seen the same ones, each once and in order; else it fails.
"""

import asyncio
import re
import sys
from functools import partial
from typing import Final, cast

import uvloop

_ID: Final = re.compile(rb"^id: (\d+)$", re.MULTILINE)
_REST_SECONDS: Final = 2.0


class _Listener(asyncio.Protocol):
    def __init__(self, request: bytes, begun: asyncio.Future[None]) -> None:
        self.request = request
        self.begun = begun
        self.seen: list[int] = []
        self.rest = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        cast(asyncio.Transport, transport).write(self.request)

    def data_received(self, data: bytes) -> None:
        lines, _, self.rest = (self.rest + data).rpartition(b"\n")
        if b"retry:" in lines and not self.begun.done():
            self.begun.set_result(None)
        self.seen += map(int, _ID.findall(lines))

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.begun.done():
            self.begun.set_exception(ConnectionError("refused"))


def _itself(listener: _Listener) -> _Listener:
    return listener


async def _listen(port: int, count: int, path: str) -> int:
    loop = asyncio.get_running_loop()
    request = f"GET {path} HTTP/1.1\r\nHost: bench\r\n\r\n".encode()
    listeners = []
    for _ in range(count):
        listener = _Listener(request, loop.create_future())
        await loop.create_connection(partial(_itself, listener), "127.0.0.1", port)
        listeners.append(listener)
    await asyncio.gather(*(listener.begun for listener in listeners))
    print("ready", flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    await asyncio.sleep(_REST_SECONDS)
    first = listeners[0].seen
    if any(listener.seen != first for listener in listeners) or first != list(range(first[0], first[-1] + 1)):
        print("a listener missed a revision, or was told one twice", file=sys.stderr)
        return 1
    print(len(first))
    return 0


if __name__ == "__main__":
    sys.exit(uvloop.run(_listen(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])))
