"""Events of a season on several workers: every listener sees every revision once and in order, over reconnects."""

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest

from app.repositories.database import Database
from tests.http.club import bearer
from tests.http.kept_season import Founded, found
from tests.processes.running import PATIENCE, Killable, any_game, running

pytestmark = pytest.mark.anyio

LISTENERS = 24
GAMES = 40


def events_of(season: Founded) -> str:
    return season.path.removesuffix("/games") + "/standings/events"


@asynccontextmanager
async def listening(http: httpx.AsyncClient, path: str, headers: dict[str, str]) -> AsyncIterator[AsyncIterator[int]]:
    """The ids of the events of a stream."""

    async def ids(lines: AsyncIterator[str]) -> AsyncIterator[int]:
        async for line in lines:
            if line.startswith("data: "):
                yield json.loads(line.removeprefix("data: "))["revision"]

    async with http.stream("GET", path, headers=headers) as answer:
        assert answer.status_code == 200
        yield ids(answer.aiter_lines())


async def listen(http: httpx.AsyncClient, path: str, number: int) -> list[int]:
    """All revisions, over as many connections as the listener's number says."""
    seen: list[int] = []
    for part in range(number % 3 + 1):
        last = {"last-event-id": str(seen[-1])} if seen else {}
        upto = GAMES * (part + 1) // (number % 3 + 1)
        async with listening(http, f"{path}?after=0", last) as ids:
            async for revision in ids:
                seen.append(revision)
                if revision >= upto:
                    break
    return seen


async def test_listeners_on_two_workers_see_every_revision_once_and_in_order(
    database: Database, database_url: str
) -> None:
    season = found(database)
    with running(database_url, workers=2) as address:
        limits = httpx.Limits(max_connections=200)
        async with httpx.AsyncClient(base_url=address, limits=limits, timeout=PATIENCE) as http:
            told = [asyncio.create_task(listen(http, events_of(season), number)) for number in range(LISTENERS)]
            for number in range(GAMES // 4):
                # Four at a time, each over a connection of its own, so that both workers write.
                games = [any_game(4 * number + each) for each in range(4)]
                headers = {**bearer(season.secrets["judge"]), "connection": "close"}
                sent = [http.post(season.path, json=game, headers=headers) for game in games]
                assert {answer.status_code for answer in await asyncio.gather(*sent)} == {201}
            seen = await asyncio.wait_for(asyncio.gather(*told), PATIENCE)
    for one in seen:
        assert one == list(range(1, GAMES + 1))


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_a_service_that_is_stopped_ends_its_streams_first(database: Database, database_url: str) -> None:
    """A stream that it cut off, its patience over, would end without the last chunk."""
    season = found(database)
    service = Killable(database_url)
    service.wait_until_ready()
    async with (
        httpx.AsyncClient(base_url=service.address, timeout=PATIENCE) as http,
        http.stream("GET", events_of(season)) as answer,
    ):
        lines = answer.aiter_lines()
        assert await anext(lines) == "retry: 3000"
        assert service._process.pid
        os.kill(service._process.pid, signal.SIGTERM)
        assert [line async for line in lines if line] == []
    service._process.join(PATIENCE)
    assert not service._process.is_alive()
