"""Requests to receivers: only to addresses that were checked, and to nowhere that those point to."""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from app.services.clubs.webhooks import sending
from app.services.clubs.webhooks.sending import Outcome, Sender

pytestmark = pytest.mark.anyio

NO_CONTENT = b"HTTP/1.1 204 No Content\r\n\r\n"
Answer = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class Host:
    """A server on this machine, and what reached it."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.requests: list[bytes] = []
        self.connections = 0


@asynccontextmanager
async def serving(answer: bytes | None = NO_CONTENT, address: str = "127.0.0.1") -> AsyncIterator[Host]:
    """A server that answers so; None: never."""
    over = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        host.connections += 1
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        host.requests.append(head + await reader.readexactly(length))
        if answer is None:
            await over.wait()
        else:
            writer.write(answer)
        writer.close()

    server = await asyncio.start_server(serve, address, 0)
    host = Host(server.sockets[0].getsockname()[1])
    try:
        yield host
    finally:
        over.set()
        server.close()


@asynccontextmanager
async def sender(*, private: bool) -> AsyncIterator[Sender]:
    made = Sender(private=private)
    try:
        yield made
    finally:
        await made.close()


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Certificates are not what is tested here."""
    monkeypatch.setattr(sending, "SCHEMES", {"http", "https"})


async def send(url: str, *, private: bool = False) -> Outcome:
    async with sender(private=private) as one:
        return await one.send(url, {"webhook-id": "e_1"}, b"{}")


class Names:
    """A resolver that answers as a test says, and differently each time."""

    def __init__(self, *answers: list[str]) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    def __call__(self, host: str, _port: int) -> list[str]:
        self.asked.append(host)
        return self.answers.pop(0)


@pytest.fixture
def everything_public(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if this machine's address were one of the internet."""
    monkeypatch.setattr(sending, "is_public", lambda address: address == "127.0.0.1")


async def test_a_message_reaches_a_receiver_of_a_closed_network_only_if_that_is_allowed() -> None:
    async with serving() as host:
        url = f"http://localhost:{host.port}/hook?a=b"
        assert await send(url) == Outcome(None, "address_not_public")
        assert host.connections == 0
        assert await send(url, private=True) == Outcome(204)
        (request,) = host.requests
    head, _, body = request.partition(b"\r\n\r\n")
    assert head.startswith(b"POST /hook?a=b HTTP/1.1\r\n")
    assert f"host: localhost:{host.port}".encode() in head.lower()
    assert b"webhook-id: e_1" in head.lower()
    assert b"content-type: application/json" in head.lower()
    assert body == b"{}"


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "2130706433", "127.1", "0x7f000001", "017700000001", "[::1]", "[::ffff:127.0.0.1]", "localhost"],
)
async def test_however_it_is_written_this_machine_is_never_called(host: str) -> None:
    async with serving() as here:
        outcome = await send(f"http://{host}:{here.port}/")
        assert outcome.error in ("address_not_public", "unreachable")
        assert here.connections == 0


@pytest.mark.parametrize(
    "answers", [["127.0.0.1"], ["93.184.215.14", "127.0.0.1"], ["127.0.0.1", "93.184.215.14"], ["::ffff:7f00:1"]]
)
async def test_a_name_with_any_address_of_a_network_is_not_called(
    monkeypatch: pytest.MonkeyPatch, answers: list[str]
) -> None:
    monkeypatch.setattr(sending, "look_up", Names(answers))
    async with serving() as host:
        assert await send(f"http://bot.example:{host.port}/") == Outcome(None, "address_not_public")
        assert host.connections == 0


@pytest.mark.usefixtures("everything_public")
async def test_the_address_that_was_checked_is_the_one_that_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that means another machine when it is looked up again."""
    names = Names(["127.0.0.1"], ["127.0.0.2"])
    monkeypatch.setattr(sending, "look_up", names)

    def never(*_: object, **__: object) -> None:
        raise AssertionError("looked up again")

    async with serving(address="127.0.0.2") as other, serving() as host:
        monkeypatch.setattr(socket, "getaddrinfo", never)
        assert await send(f"http://bot.example:{host.port}/") == Outcome(204)
        assert names.asked == ["bot.example"]
        assert f"host: bot.example:{host.port}".encode() in host.requests[0].lower()
        assert other.connections == 0
        # The next attempt looks again, and finds that it may not be called any more.
        assert await send(f"http://bot.example:{host.port}/") == Outcome(None, "address_not_public")
        assert (host.connections, other.connections) == (1, 0)


@pytest.mark.usefixtures("everything_public")
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_where_a_receiver_points_to_is_not_called(monkeypatch: pytest.MonkeyPatch, status: int) -> None:
    monkeypatch.setattr(sending, "look_up", Names(["127.0.0.1"], ["127.0.0.1"]))
    async with serving() as inside:
        answer = (
            f"HTTP/1.1 {status} Over there\r\nLocation: http://127.0.0.1:{inside.port}/\r\nContent-Length: 0\r\n\r\n"
        )
        async with serving(answer.encode()) as host:
            assert await send(f"http://bot.example:{host.port}/") == Outcome(status, "status")
        assert inside.connections == 0


@pytest.mark.usefixtures("everything_public")
async def test_nothing_is_sent_without_tls(monkeypatch: pytest.MonkeyPatch) -> None:
    """To a webhook of a service that was started with MAFRATE_WEBHOOK_PRIVATE before."""
    monkeypatch.setattr(sending, "SCHEMES", {"https"})
    monkeypatch.setattr(sending, "look_up", Names(["127.0.0.1"]))
    async with serving() as host:
        assert await send(f"http://bot.example:{host.port}/") == Outcome(None, "address_not_public")
        assert host.connections == 0


@pytest.mark.usefixtures("everything_public")
async def test_no_proxy_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sending, "look_up", Names(["127.0.0.1"]))
    async with serving() as proxy, serving() as host:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        assert await send(f"http://bot.example:{host.port}/") == Outcome(204)
        assert (proxy.connections, host.connections) == (0, 1)


@pytest.mark.parametrize(
    "answer, outcome",
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n", Outcome(200)),
        (b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n", Outcome(202)),
        (b"HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n", Outcome(410, "status")),
        (b"HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n", Outcome(500, "status")),
        (b"nothing like it\r\n\r\n", Outcome(None, "unreachable")),
        (b"", Outcome(None, "unreachable")),
    ],
)
async def test_of_an_answer_nothing_but_its_status_is_read(answer: bytes, outcome: Outcome) -> None:
    async with serving(answer) as host:
        assert await send(f"http://127.0.0.1:{host.port}/", private=True) == outcome


async def test_a_receiver_that_never_answers_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sending, "SECONDS", 0.05)
    async with serving(None) as host:
        assert await send(f"http://127.0.0.1:{host.port}/", private=True) == Outcome(None, "timeout")


async def test_who_is_not_there_is_unreachable_and_other_addresses_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving() as host:
        url = f"http://bot.example:{host.port}/"
        monkeypatch.setattr(sending, "look_up", Names(["127.0.0.2", "127.0.0.1"]))
        assert await send(url, private=True) == Outcome(204)
        monkeypatch.setattr(sending, "look_up", Names(["127.0.0.2", "127.0.0.3"]))
        assert await send(url, private=True) == Outcome(None, "unreachable")


async def test_a_name_that_means_nothing_is_unreachable(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(_host: str, _port: int) -> list[str]:
        raise socket.gaierror(socket.EAI_NONAME, "no such host")

    monkeypatch.setattr(sending, "look_up", unknown)
    assert await send("https://bot.example/") == Outcome(None, "unreachable")


async def test_a_certificate_must_be_of_the_name_and_not_of_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    """What greets with TLS is asked for the name; a receiver without a certificate is not talked to."""
    monkeypatch.setattr(sending, "is_public", lambda _: True)
    monkeypatch.setattr(sending, "look_up", Names(["127.0.0.1"]))
    hello = asyncio.get_running_loop().create_future()

    async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        hello.set_result(await reader.read(4096))
        writer.close()

    server = await asyncio.start_server(greet, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    assert await send(f"https://bot.example:{port}/") == Outcome(None, "unreachable")
    assert b"bot.example" in await hello
    server.close()
