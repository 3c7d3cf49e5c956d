"""Whether the service can take requests (docs/api.md#operations)."""

import socket
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from fastapi import FastAPI
from httpx import ASGITransport, AsyncClient

from app.config import Settings
from app.main import create_app
from app.repositories.schema import bring_up_to_date
from tests.http.conftest import RED_WON
from tests.http.kept_season import make_season

pytestmark = pytest.mark.anyio


async def readiness(app: FastAPI) -> tuple[int, str, str | None]:
    """Status, what is said, and when to try again."""
    async with AsyncClient(transport=ASGITransport(app), base_url="http://mafrate") as client:
        answer = await client.get("/readyz")
    app.state.scoreboard.close()
    app.state.database.close()
    body = answer.json()
    return answer.status_code, body.get("type", body["status"]), answer.headers.get("retry-after")


async def test_with_an_up_to_date_database_it_can(database_url: str) -> None:
    assert await readiness(create_app(Settings(database_url=database_url))) == (200, "ok", None)


async def test_with_a_redis_that_answers_it_can(database_url: str, redis_url: str) -> None:
    settings = Settings(database_url=database_url, cache_url=redis_url)
    assert await readiness(create_app(settings)) == (200, "ok", None)


async def test_without_its_redis_it_can_and_says_that_it_is_degraded(database_url: str) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        settings = Settings(database_url=database_url, cache_url=f"redis://127.0.0.1:{nobody.getsockname()[1]}")
        assert await readiness(create_app(settings)) == (200, "degraded", None)


async def test_with_a_database_that_was_not_brought_up_to_date_it_cannot(tmp_path: Path) -> None:
    settings = Settings(database_url=f"sqlite:///{tmp_path}/empty.db")
    assert await readiness(create_app(settings)) == (503, "/problems/unavailable", "10")


@pytest.mark.parametrize("url", ["sqlite:///{folder}", "postgresql://postgres@127.0.0.1:{port}/mafrate"])
async def test_without_its_database_it_cannot(url: str, tmp_path: Path) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        settings = Settings(database_url=url.format(folder=tmp_path, port=nobody.getsockname()[1]))
        status, problem, again = await readiness(create_app(settings))
    assert (status, problem) == (503, "/problems/unavailable")
    assert again


@pytest.mark.parametrize("code", ["database_gone", "database_damaged"])
async def test_without_the_file_that_it_was_started_with_it_cannot_and_takes_no_game(tmp_path: Path, code: str) -> None:
    path = tmp_path / "mafrate.db"
    app = create_app(Settings(database_url=f"sqlite:///{path}"))
    bring_up_to_date(app.state.database)
    async with AsyncClient(transport=ASGITransport(app), base_url="http://mafrate") as client:
        spring = make_season(app.state.database, client)
        await spring.kept(RED_WON | {"played_on": "2025-03-14"})
        assert (await client.get("/readyz")).json() == {"status": "ok"}
        if code == "database_gone":
            path.unlink()
        else:
            with closing(sqlite3.connect(path)) as connection:  # what is in the log would stand for what is damaged
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            with path.open("r+b") as file:
                file.write(b"rubbish" * 100)
        for answer in (
            await client.get("/readyz"),
            await spring.submit(RED_WON | {"played_on": "2025-03-15"}),
            await client.get("/v1/clubs/moscow/seasons/spring/standings"),
        ):
            body = answer.json()
            assert (answer.status_code, body["type"], body["code"]) == (503, "/problems/unavailable", code)
            assert int(answer.headers["retry-after"]) >= 1
            assert "mafrate restore" in body["detail"]
        assert (await client.get("/healthz")).status_code == 200
    app.state.scoreboard.close()
    app.state.database.close()
