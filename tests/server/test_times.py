"""A client that sends or takes too slowly does not hold its connection (docs/limits.md)."""

import time
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from prometheus_client import REGISTRY
from starlette.types import Receive, Scope, Send

from app.server import limits, watch
from tests.server.served import connected, eventually, parsed, read, served

SHORT = 0.6
LONG = 60.0


class Application:
    """Reads bodies and answers with their length, or with as much as the path says."""

    def __init__(self) -> None:
        self.gone = 0
        """Bodies whose client went away."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        size, more = 0, True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                self.gone += 1
                return
            size += len(message["body"])
            more = message["more_body"]
        said = b"a" * int(scope["path"][1:] or 0) or b"%d" % size
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(said))]})
        await send({"type": "http.response.body", "body": said})


@pytest.fixture
def application() -> Application:
    return Application()


@pytest.fixture
def port(application: Application, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A server that looks at its connections often, whose times are long unless a test makes one short."""
    monkeypatch.setattr(watch, "_EVERY_SECONDS", 0.05)
    for name in ("HEAD_SECONDS", "BODY_WINDOW_SECONDS", "RESPONSE_SECONDS", "LINGER_SECONDS"):
        monkeypatch.setattr(limits, name, LONG)
    with served(application) as found:
        yield found


def refused(reason: str) -> float:
    return REGISTRY.get_sample_value("mafrate_refused_connections_total", {"reason": reason}) or 0.0


def test_half_a_head_is_given_up(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "HEAD_SECONDS", SHORT)
    before = refused("head_too_slow")
    with connected(port) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: a\r\nX: a")
        answer = read(client)
    assert answer is not None
    assert (answer.status, answer.problem["type"]) == (408, "/problems/too-slow")
    assert refused("head_too_slow") == before + 1


def test_a_head_that_comes_byte_by_byte_is_given_up_too(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "HEAD_SECONDS", SHORT)
    with connected(port) as client:
        client.sendall(b"GET / HTTP/1.1\r\nX: ")
        client.settimeout(0.1)
        received = b""
        for _ in range(200):
            try:
                client.sendall(b"a")
                received = client.recv(65_536)
                break
            except TimeoutError:
                continue
    assert parsed(received).status == 408


def test_who_says_nothing_is_closed_without_a_word(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "HEAD_SECONDS", SHORT)
    with connected(port) as client:
        assert read(client) is None


def test_half_a_head_after_a_request_is_given_up(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "HEAD_SECONDS", SHORT)
    with connected(port) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        assert parsed(client.recv(65_536)).status == 200
        client.sendall(b"GET / HTT")
        answer = read(client)
    assert answer is not None
    assert answer.status == 408


def test_a_body_that_stops_is_given_up_and_its_reader_told(
    port: int, application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "BODY_WINDOW_SECONDS", SHORT)
    with connected(port) as client:
        client.sendall(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\na")
        answer = read(client)
    assert answer is not None
    assert (answer.status, answer.problem["type"]) == (408, "/problems/too-slow")
    assert str(limits.BODY_BYTES_PER_SECOND) in answer.problem["detail"]
    eventually(lambda: application.gone == 1)


def test_a_body_that_begins_fast_must_go_on(
    port: int, application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "BODY_WINDOW_SECONDS", SHORT)
    with connected(port) as client:
        client.sendall(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9000000\r\n\r\n" + b"a" * 1_000_000)
        answer = read(client)
    assert answer is not None
    assert answer.status == 408
    eventually(lambda: application.gone == 1)


def test_a_body_at_the_least_rate_is_read(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over several times the stretch in which it is judged."""
    monkeypatch.setattr(limits, "BODY_WINDOW_SECONDS", SHORT)
    with connected(port) as client:
        client.sendall(b"POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 30000\r\n\r\n")
        for _ in range(30):
            client.sendall(b"a" * 1_000)
            time.sleep(0.1)
        answer = read(client)
    assert answer is not None
    assert (answer.status, answer.body) == (200, b"30000")


def test_a_response_that_nobody_takes_is_given_up(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "RESPONSE_SECONDS", SHORT)
    before = refused("response_not_taken")
    with connected(port) as client:
        client.sendall(b"GET /50000000 HTTP/1.1\r\nHost: a\r\n\r\n")
        eventually(lambda: refused("response_not_taken") == before + 1)


def test_a_response_that_is_taken_slowly_comes_whole(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "RESPONSE_SECONDS", SHORT)
    received = 0
    with connected(port) as client:
        client.sendall(b"GET /20000000 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        while chunk := client.recv(1_000_000):
            received += len(chunk)
            time.sleep(0.02)
    assert received > 20_000_000


@pytest.fixture
def crowded(application: Application, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A server for ten connections at once."""
    monkeypatch.setattr(limits, "most_connections", lambda: 10)
    with served(application) as found:
        yield found


def answered(port: int, request: bytes = b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n") -> Any:
    with connected(port) as client:
        client.sendall(request)
        return read(client)


@pytest.mark.parametrize(
    "begun",
    [b"", b"GET / HTTP/1.1\r\nHost: a\r\nX: a", b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\na"],
    ids=["nothing", "headers", "body"],
)
def test_half_requests_beyond_the_limit_keep_nobody_out(crowded: int, begun: bytes) -> None:
    before = refused("crowded")
    with ExitStack() as stack:
        clients = [stack.enter_context(connected(crowded)) for _ in range(50)]
        for client in clients:
            client.sendall(begun)
        for _ in range(20):
            assert answered(crowded).status == 200
        eventually(lambda: refused("crowded") >= before + 41)


def test_who_is_silent_longest_makes_room(crowded: int) -> None:
    with ExitStack() as stack:
        clients = [stack.enter_context(connected(crowded)) for _ in range(10)]
        for client in [*clients[1:], *clients[1:]]:
            client.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            assert parsed(client.recv(65_536)).status == 200
        assert answered(crowded).status == 200
        answer = read(clients[0])
        assert answer is not None
        assert (answer.status, answer.problem["type"], answer.headers["retry-after"]) == (
            503,
            "/problems/unavailable",
            "2",
        )
        for client in clients[1:]:
            client.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            assert parsed(client.recv(65_536)).status == 200


def test_memory_is_given_back_when_a_crowd_has_gone(crowded: int, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[bool] = []
    monkeypatch.setattr(watch, "give_back_memory", lambda: given.append(True))
    monkeypatch.setattr(watch, "_CALM", 1)
    monkeypatch.setattr(watch, "_EVERY_SECONDS", 0.05)
    with ExitStack() as stack:
        for _ in range(10):
            assert answered(crowded).status == 200
            stack.enter_context(connected(crowded))
    eventually(lambda: given)
