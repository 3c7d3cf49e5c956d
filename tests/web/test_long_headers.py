"""Long values of headers mean what short ones do, and fill no memory."""

import tracemalloc

import pytest
from fastapi import Request
from httpx import ASGITransport, AsyncClient

from app.config import Settings
from app.main import create_app
from app.web.language import language_of
from app.web.prepared_response import names, takes_gzip


@pytest.mark.parametrize("padding", [0, 1_000])
def test_a_value_means_the_same_whatever_its_length(padding: int) -> None:
    ballast = ", ".join(["identity"] * padding + [""])
    assert takes_gzip(ballast + "gzip;q=0.5")
    assert not takes_gzip(ballast + "gzip;q=0")
    assert names(ballast + '"tag-gzip"', "tag")
    assert not names(ballast + '"other"', "tag")
    spoken = (ballast + "ru").encode()
    assert language_of(Request({"type": "http", "headers": [(b"accept-language", spoken)]})) == "ru"


@pytest.mark.anyio
async def test_requests_with_long_headers_leave_nothing_behind() -> None:
    """300 requests, each with three values of 30 kB that no other request has: 27 MB if they were remembered."""
    app = create_app(Settings())
    async with AsyncClient(transport=ASGITransport(app), base_url="http://mafrate") as client:

        async def ask(number: int) -> None:
            value = f"a{number}-" + "x" * 30_000
            headers = {"accept-encoding": value, "accept-language": value, "if-none-match": value}
            for path in ("/v1/rule-systems/maffamily", "/nothing", "/problems/not-found"):
                await client.get(path, headers=headers)

        await ask(0)
        tracemalloc.start()
        try:
            before, _ = tracemalloc.get_traced_memory()
            for number in range(1, 301):
                await ask(number)
            after, _ = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert after - before < 5_000_000
