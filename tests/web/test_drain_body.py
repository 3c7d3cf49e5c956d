"""An answer reaches a client that sends all of its body before it reads."""

import json
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import anyio
import pytest
import uvicorn
from starlette.types import Message, Receive, Scope, Send

from app.config import Settings
from app.main import create_app
from app.web.middleware import drain_body
from app.web.middleware.drain_body import DrainBody
from tests.databases import migrated_sqlite
from tests.test_main import free_port

SCORE = "/v1/rule-systems/maffamily/score"
STANDINGS = "/v1/rule-systems/maffamily/standings"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A service on a socket whose places for standings are all taken."""
    database = tmp_path_factory.mktemp("drained") / "mafrate.db"
    database.write_bytes(migrated_sqlite())
    app = create_app(Settings(database_url=f"sqlite:///{database}"))
    app.state.standings_slots.free = 0
    port = free_port()
    server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="error"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started and thread.is_alive():
        time.sleep(0.01)
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join(20)


@pytest.mark.parametrize(
    "path, size, headers, status",
    [
        (SCORE, 1_000_001, {}, 413),
        (SCORE, 5_000_000, {}, 413),
        (SCORE, 32_000_000, {}, 413),
        (STANDINGS, 1_000_000, {}, 503),
        (STANDINGS, 32_000_000, {}, 503),
        (SCORE, 1_000_000, {"content-type": "text/plain"}, 415),
        ("/v1/rule-systems/nothing/score", 1_000_000, {}, 404),
        ("/v1/clubs", 1_000_000, {}, 401),
        ("/nothing", 1_000_000, {}, 404),
        ("/healthz", 1_000_000, {}, 405),
    ],
)
def test_who_sends_before_reading_sees_the_problem(
    address: str, path: str, size: int, headers: dict[str, str], status: int
) -> None:
    headers = {"content-type": "application/json", **headers}
    for _ in range(3):
        request = urllib.request.Request(address + path, b" " * size, headers, method="POST")
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(request, timeout=30)
        with refused.value as answer:
            assert answer.code == status
            assert json.load(answer)["status"] == status


class Exchange:
    """One request to ``app`` behind the middleware: what it was asked to receive, and what was sent when."""

    def __init__(self, *chunks: bytes, endless: bool = False) -> None:
        self.chunks = list(chunks)
        self.endless = endless
        self.pause = 0.0
        self.taken = 0
        self.sent: list[Message] = []
        self.taken_when_sent: list[int] = []

    async def receive(self) -> Message:
        if not self.chunks and not self.endless:
            await anyio.sleep_forever()
        await anyio.sleep(self.pause)
        chunk = self.chunks.pop(0) if self.chunks else b"x" * 1_000_000
        self.taken += 1
        return {"type": "http.request", "body": chunk, "more_body": self.endless or bool(self.chunks)}

    async def send(self, message: Message) -> None:
        self.sent.append(message)
        self.taken_when_sent.append(self.taken)

    async def run(self, app: Any) -> None:
        scope = {"type": "http", "method": "POST", "headers": [(b"transfer-encoding", b"chunked")]}
        await DrainBody(app)(scope, self.receive, self.send)


async def refuses(_scope: Scope, _receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 413, "headers": []})
    await send({"type": "http.response.body", "body": b"too large"})


async def reads_all(_scope: Scope, receive: Receive, send: Send) -> None:
    while (await receive())["more_body"]:
        pass
    await refuses(_scope, receive, send)


@pytest.mark.anyio
async def test_the_answer_goes_out_before_the_rest_is_taken_in() -> None:
    exchange = Exchange(b"1", b"2", b"3")
    await exchange.run(refuses)
    assert [message.get("body") for message in exchange.sent] == [None, b"too large", b""]
    assert [message.get("more_body", False) for message in exchange.sent] == [False, True, False]
    assert exchange.taken_when_sent == [0, 0, 3]


@pytest.mark.anyio
async def test_what_was_read_is_not_waited_for() -> None:
    exchange = Exchange(b"1", b"2")
    with anyio.fail_after(drain_body.SILENT_SECONDS / 2):
        await exchange.run(reads_all)
    assert [message.get("body") for message in exchange.sent] == [None, b"too large"]


@pytest.mark.anyio
async def test_a_body_without_end_is_left() -> None:
    exchange = Exchange(endless=True)
    await exchange.run(refuses)
    assert exchange.taken == drain_body.MOST_BYTES / 1_000_000
    assert exchange.sent[-1] == {"type": "http.response.body", "body": b""}


@pytest.mark.anyio
async def test_a_body_that_does_not_come_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drain_body, "SILENT_SECONDS", 0.01)
    exchange = Exchange(b"1")
    exchange.chunks.clear()
    await exchange.run(refuses)
    assert exchange.sent[-1] == {"type": "http.response.body", "body": b""}


@pytest.mark.anyio
async def test_a_body_that_comes_slowly_is_waited_for_but_not_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each pause is short, all of them together are not."""
    monkeypatch.setattr(drain_body, "SILENT_SECONDS", 0.5)
    exchange = Exchange(*[b"x"] * 20)
    exchange.pause = 0.05
    await exchange.run(refuses)
    assert exchange.taken == 20
    monkeypatch.setattr(drain_body, "MOST_SECONDS", 0.2)
    exchange = Exchange(*[b"x"] * 100)
    exchange.pause = 0.05
    await exchange.run(refuses)
    assert exchange.taken < 100
    assert exchange.sent[-1] == {"type": "http.response.body", "body": b""}


def test_who_sends_slowly_sees_the_problem(address: str) -> None:
    """A file over a slow line, with a key that opens nothing."""

    def slowly() -> Iterator[bytes]:
        for _ in range(25):
            time.sleep(0.1)
            yield b" " * 50_000

    headers = {"content-type": "application/x-ndjson", "authorization": "Bearer nobody's"}
    path = f"{address}/v1/clubs/moscow/seasons/spring/games/import"
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(urllib.request.Request(path, slowly(), headers, method="POST"), timeout=30)
    with refused.value as answer:
        assert answer.code == 401


def test_who_sends_much_sees_the_problem(address: str) -> None:
    headers = {"content-type": "application/x-ndjson", "authorization": "Bearer nobody's"}
    path = f"{address}/v1/clubs/moscow/seasons/spring/games/import"
    request = urllib.request.Request(path, b" " * 100_000_000, headers, method="POST")
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request, timeout=30)
    with refused.value as answer:
        assert answer.code == 401
