"""What is on the shelf is answered to exactly the requests that it was an answer to."""

from typing import Any

import pytest
from fastapi import FastAPI, Request, Response
from httpx import ASGITransport, AsyncClient

from app.web.middleware import ready_answers
from app.web.middleware.ready_answers import ReadyAnswers, ReadyAnswersFirst

pytestmark = pytest.mark.anyio


class Counter:
    """An application whose only route says how often it was asked, and lets its answers be given again."""

    def __init__(self) -> None:
        self.asked = 0
        self.holds = True
        self.named: list[str | None] = []
        self.app = FastAPI()
        self.app.state.ready_answers = ReadyAnswers()
        self.app.add_middleware(ReadyAnswersFirst)
        self.app.add_api_route("/tables/{name}", self.count, methods=["GET", "POST"])

    async def count(self, request: Request) -> Response:
        self.asked += 1
        content = f"{self.asked}"

        async def again(if_none_match: str | None) -> Response | None:
            self.named.append(if_none_match)
            return Response(content) if self.holds else None

        self.app.state.ready_answers.put(request.scope, again)
        return Response(content)

    async def ask(self, path: str = "/tables/spring", method: str = "GET", **headers: str) -> str:
        transport = ASGITransport(self.app)
        given: Any = [(name.replace("_", "-"), value) for name, value in headers.items()]
        async with AsyncClient(
            transport=transport, base_url="http://mafrate", headers={"accept-encoding": ""}
        ) as client:
            return (await client.request(method, path, headers=given)).text


async def test_the_same_request_is_answered_without_its_route() -> None:
    counter = Counter()
    assert [await counter.ask() for _ in range(3)] == ["1", "1", "1"]
    assert counter.asked == 1


@pytest.mark.parametrize("other", [
    {"path": "/tables/autumn"}, {"path": "/tables/spring?order=points"}, {"accept_language": "ru"},
    {"accept_encoding": "gzip"}, {"method": "POST"}, {"authorization": "Bearer key"}, {"authorization": ""},
])  # fmt: skip
async def test_another_request_is_answered_by_its_route(other: dict[str, str]) -> None:
    counter = Counter()
    await counter.ask()
    assert await counter.ask(**other) == "2"


async def test_what_was_answered_to_a_key_is_not_answered_to_anyone() -> None:
    counter = Counter()
    await counter.ask(authorization="Bearer key")
    assert await counter.ask() == "2"


async def test_headers_that_change_no_answer_do_not_matter() -> None:
    counter = Counter()
    await counter.ask(user_agent="one")
    assert await counter.ask(user_agent="another", accept="*/*") == "1"


async def test_what_no_longer_holds_is_answered_by_its_route() -> None:
    counter = Counter()
    await counter.ask()
    counter.holds = False
    assert await counter.ask() == "2"


async def test_an_answer_is_told_what_the_client_has() -> None:
    counter = Counter()
    await counter.ask(if_none_match='"one"')
    await counter.ask(if_none_match='"two"')
    await counter.ask()
    assert (counter.asked, counter.named) == (1, ['"two"', None])


async def test_a_header_that_stands_twice_is_for_the_route_to_read() -> None:
    counter = Counter()
    await counter.ask()
    transport = ASGITransport(counter.app)
    async with AsyncClient(transport=transport, base_url="http://mafrate", headers={"accept-encoding": ""}) as client:
        twice = [("accept-language", "ru"), ("accept-language", "en")]
        assert (await client.get("/tables/spring", headers=twice)).text == "2"


async def test_a_shelf_does_not_grow_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ready_answers, "MOST", 10)
    counter = Counter()
    for number in range(25):
        await counter.ask(f"/tables/{number}")
    assert len(counter.app.state.ready_answers) == 5


@pytest.mark.parametrize(
    "long",
    [{"accept_language": "a" * 1_000}, {"accept_encoding": "a" * 1_000}, {"path": "/tables/spring?" + "a" * 1_000}],
)
async def test_a_long_request_is_not_remembered(long: dict[str, str]) -> None:
    counter = Counter()
    assert [await counter.ask(**long) for _ in range(2)] == ["1", "2"]
    assert len(counter.app.state.ready_answers) == 0
