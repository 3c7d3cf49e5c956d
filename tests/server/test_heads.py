"""A head of any length costs what the limit is, finished or not (docs/limits.md)."""

import socket
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from starlette.types import Receive, Scope, Send

from app.server.limits import HEAD_BYTES
from tests.server.served import connected, parsed, read, served


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """Says how many headers and trailers came, and how much of a body."""
    size, more = 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        size += len(message["body"])
        more = message["more_body"]
    said = b"%d %d" % (len(scope["headers"]), size)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(said))]})
    await send({"type": "http.response.body", "body": said})


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await echo(scope, receive, send)

    with served(app) as found:
        yield found


def send_all(client: socket.socket, *parts: bytes) -> None:
    """Send, as far as the other side lets one."""
    with suppress(ConnectionError):
        for part in parts:
            client.sendall(part)


def ask(port: int, *parts: bytes) -> Any:
    with connected(port) as client:
        send_all(client, *parts)
        return read(client)


START = b"GET /tables HTTP/1.1\r\nHost: a\r\n"


@pytest.mark.parametrize(
    "parts",
    [
        [START, b"X: ", b"a" * HEAD_BYTES, b"\r\n\r\n"],  # one value
        [START, b"a" * HEAD_BYTES, b": x\r\n\r\n"],  # one name
        [START, b"X: a\r\n" * (HEAD_BYTES // 5), b"\r\n"],  # many small ones
        [b"GET /", b"a" * HEAD_BYTES, b" HTTP/1.1\r\nHost: a\r\n\r\n"],
        [START, b"X: ", *[b"a" * 100_000] * 30],  # no end
        [b"GET /", *[b"a" * 100_000] * 30],
        [b"\r\n" * HEAD_BYTES],
        [b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;", *[b"a" * 100_000] * 30],
        [b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: ", *[b"a" * 100_000] * 30],
        [b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", *[b"X: aaaa\r\n" * 9_000] * 9],
    ],
    ids=["value", "name", "many", "target", "endless value", "endless target", "line ends", "chunk", "trailer",
         "trailers"],
)  # fmt: skip
def test_a_head_over_the_limit_is_answered_and_the_connection_closed(port: int, parts: list[bytes]) -> None:
    answer = ask(port, *parts)
    assert answer.status == 431
    assert answer.problem["type"] == "/problems/headers-too-large"
    assert str(HEAD_BYTES) in answer.problem["detail"]
    assert answer.headers["connection"] == "close"


def test_a_head_of_exactly_the_limit_is_read(port: int) -> None:
    """Counted are the target, and of each header four bytes besides its name and value: colon, space and line end."""
    ending = b"Connection: close\r\n\r\n"
    known = len(b"/tables") + len(b"Host: a\r\n") + len(b"Connection: close\r\n") + len(b"X: \r\n")
    for size, status in ((HEAD_BYTES - known, 200), (HEAD_BYTES - known + 1, 431)):
        assert ask(port, START + b"X: " + b"a" * size + b"\r\n" + ending).status == status


def test_the_refusal_speaks_the_clients_language(port: int) -> None:
    answer = ask(port, START, b"Accept-Language: ru\r\n", b"X: ", b"a" * HEAD_BYTES, b"\r\n\r\n")
    assert answer.headers["content-language"] == "ru"
    assert answer.problem["title"] == "Слишком длинные заголовки"
    assert answer.problem["instance"] == "/tables"


def test_the_limit_is_of_each_request_and_not_of_the_connection(port: int) -> None:
    with connected(port) as client:
        for _ in range(8):
            client.sendall(START + b"X: " + b"a" * 20_000 + b"\r\n\r\n")
            assert parsed(client.recv(65_536)).body == b"2 0"


def test_a_body_of_any_length_is_no_head(port: int) -> None:
    head = b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    with connected(port) as client:
        for _ in range(2):
            client.sendall(head + b"186a0\r\n" + b"a" * 100_000 + b"\r\n" + b"1\r\na\r\n" * 20_000 + b"0\r\n\r\n")
            assert parsed(client.recv(65_536)).body == b"2 120000"


def test_requests_sent_in_one_go_are_all_answered(port: int) -> None:
    with connected(port) as client:
        client.sendall(
            b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n" + b"a" * 60_000 + START + b"\r\n" + START
        )
        client.sendall(b"Connection: close\r\n\r\n")
        received = b""
        while chunk := client.recv(65_536):
            received += chunk
    assert received.count(b"HTTP/1.1 200") == 3


def test_what_is_no_http_is_answered_as_before(port: int) -> None:
    assert ask(port, b"\x00\x01\x02").status == 400
