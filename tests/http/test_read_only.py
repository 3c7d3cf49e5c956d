"""A process that only reads (docs/storage.md#read-workers-on-a-standby)."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest
from fastapi import FastAPI
from httpx import ASGITransport, AsyncClient
from sqlalchemy import select

from app.config import Settings
from app.main import create_app
from app.repositories.tables import KEYS
from tests.http.kept_season import KeptSeason
from tests.http.tables import FIRST, SECOND, ask, table

pytestmark = pytest.mark.anyio


@pytest.fixture
async def reading(spring: KeptSeason, database_url: str) -> AsyncIterator[KeptSeason]:
    """The season by way of a process that only reads."""
    app = create_app(Settings(database_url=database_url, read_only=True))
    try:
        async with AsyncClient(transport=ASGITransport(app), base_url="http://mafrate") as client:
            yield spring._replace(client=client)
    finally:
        app.state.scoreboard.close()
        app.state.database.close()


async def test_it_answers_what_is_read_as_the_one_that_writes_does(spring: KeptSeason, reading: KeptSeason) -> None:
    game = await spring.kept(FIRST)
    for round in range(3):
        for path, role in (
            ("/standings", "anonymous"),
            ("/standings.csv", "anonymous"),
            ("/standings?order=points", "reader"),
            (f"/games/{game['id']}", "judge"),
            ("/games.ndjson", "anonymous"),
            ("/changes", "president"),
            ("/archive.zip", "president"),
        ):
            there, here = await ask(spring, path, role), await ask(reading, path, role)
            assert (here.status_code, here.content) == (200, there.content), path
            assert here.headers.get("etag") == there.headers.get("etag"), path
        await spring.kept(SECOND | {"number": round + 1})
    assert (await table(reading))["games"] == 3 + 1
    assert (await reading.client.get("/readyz")).json() == {"status": "ok"}


async def test_it_refuses_what_writes_in_a_sentence(spring: KeptSeason, reading: KeptSeason) -> None:
    game = await spring.kept(FIRST)
    answers = [
        await reading.submit(SECOND),
        await reading.submit(SECOND, idempotency_key="once"),
        await reading.correct(game, SECOND),
        await reading.ask("judge", "DELETE", f"/{game['id']}"),
    ]
    for answer in answers:
        body = answer.json()
        assert (answer.status_code, body["type"], body["code"]) == (503, "/problems/unavailable", "read_only")
        assert body["detail"] == "This process only reads; nothing was stored. Send the request to one that writes."
        assert int(answer.headers["retry-after"]) >= 1
    assert (await table(spring))["games"] == 1


async def test_it_notes_no_use_of_a_key(spring: KeptSeason, reading: KeptSeason) -> None:
    long_ago = datetime(2025, 3, 1, tzinfo=UTC)
    with spring.database.write() as tx:
        tx.execute(KEYS.update().values(last_used_at=long_ago))
    for path in ("/standings", "/changes"):
        assert (await ask(reading, path, "president")).status_code == 200
    with spring.database.read() as tx:
        assert set(tx.execute(select(KEYS.c.last_used_at)).scalars()) == {long_ago}


async def test_it_delivers_no_webhooks(kept_app: FastAPI, database_url: str) -> None:
    app = create_app(Settings(database_url=database_url, read_only=True))
    async with app.router.lifespan_context(app):
        assert app.state.database.read_only
