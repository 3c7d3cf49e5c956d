"""A full disk, a locked database, a lost connection: 503 with ``Retry-After``, and nothing is lost."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any, TypeVar

import psycopg
import pytest
from httpx import ASGITransport, AsyncClient, Response
from sqlalchemy import make_url

from app.config import Settings
from app.main import create_app
from app.repositories.database import Database
from app.services.audit import audit
from tests.http.games.test_submitting import ON, entered
from tests.http.kept_season import KeptSeason, make_season, problem, read

pytestmark = pytest.mark.anyio

Found = TypeVar("Found")

WAIT = 0.3
"""Seconds that a request waits for a lock in these tests."""


@pytest.fixture
async def impatient(database_url: str) -> AsyncIterator[KeptSeason]:
    """A season of a service that does not wait for long."""
    app = create_app(Settings(database_url=database_url))
    app.state.database.close()
    with closing(Database(database_url, wait=WAIT)) as database:
        app.state.database = database
        async with AsyncClient(transport=ASGITransport(app), base_url="http://mafrate") as client:
            yield make_season(database, client)


def refused(answer: Response, code: str | None = None) -> None:
    assert problem(answer) == (503, "unavailable", code), answer.text
    assert int(answer.headers["retry-after"]) >= 1


@contextmanager
def locked(url: str) -> Iterator[None]:
    """Somebody else holds what a submission must lock: the whole SQLite file, or the season's row."""
    read_url = make_url(url)
    if read_url.get_backend_name() == "sqlite":
        with closing(sqlite3.connect(str(read_url.database), isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            yield
            other.execute("ROLLBACK")
    else:
        with closing(psycopg.connect(url)) as other:
            other.execute("SELECT 1 FROM seasons FOR UPDATE")
            yield
            other.rollback()


async def test_a_locked_database_is_waited_for_and_then_refused(
    impatient: KeptSeason, database_url: str, game: dict[str, Any]
) -> None:
    kept = await impatient.kept({**game, **ON})
    with locked(database_url):
        refused(await impatient.submit({**game, **ON}))
        refused(await impatient.correct(kept, {**game, **ON, "table": 2}))
        refused(await impatient.ask("judge", "DELETE", f"/{kept['id']}"))
        assert await impatient.get(kept["id"]) == kept
    await impatient.kept({**game, "played_on": "2025-03-15"})
    assert len(entered(impatient)) == 20
    assert list(audit(impatient.database)) == []


async def test_who_waits_shortly_for_a_lock_is_served(
    impatient: KeptSeason, database_url: str, game: dict[str, Any]
) -> None:
    with locked(database_url):
        waiting = asyncio.create_task(impatient.submit({**game, **ON}))
        await asyncio.sleep(WAIT / 3)
    assert (await waiting).status_code == 201


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_a_full_disk_takes_no_game_and_loses_none(impatient: KeptSeason, game: dict[str, Any]) -> None:
    kept = [await impatient.kept({**game, **ON})]
    limit_pages(impatient.database, fewer_than_needed=True)
    answers = [await impatient.submit({**game, **ON, "external_id": f"game {n}"}) for n in range(60)]
    taken = [answer.json() for answer in answers if answer.status_code == 201]
    for answer in answers:
        if answer.status_code != 201:
            refused(answer, "disk_full")
    assert len(taken) < len(answers)
    limit_pages(impatient.database, fewer_than_needed=False)
    kept += [read(await impatient.submit({**game, **ON, "external_id": "after"}), 201)]
    for one in [*kept, *taken]:
        assert (await impatient.get(one["id"]))["version"] == 1
    assert len(entered(impatient)) == 10 * len([*kept, *taken])
    assert list(audit(impatient.database)) == []


def limit_pages(database: Database, *, fewer_than_needed: bool) -> None:
    """Let the file grow by no more than a few pages, or freely; the writing connection is the only one."""
    with database.write() as tx:
        pages = tx.exec_driver_sql("PRAGMA page_count").scalar_one()
        tx.exec_driver_sql(f"PRAGMA max_page_count = {pages + 2 if fewer_than_needed else 1_000_000}")


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
async def test_a_connection_lost_amid_a_submission_is_refused_and_keeps_nothing(
    impatient: KeptSeason, database_url: str, game: dict[str, Any]
) -> None:
    await impatient.kept({**game, **ON})
    sent = {**game, **ON, "external_id": "once"}
    with locked(database_url), closing(psycopg.connect(database_url, autocommit=True)) as server:
        waiting = asyncio.create_task(impatient.submit(sent))
        await until(lambda: server.execute(f"SELECT pid {THEIRS} AND wait_event_type = 'Lock'").fetchone())
        server.execute(f"SELECT pg_terminate_backend(pid) {THEIRS} AND wait_event_type = 'Lock'")
        refused(await waiting)
    await impatient.kept(sent)
    assert len(entered(impatient)) == 20
    assert list(audit(impatient.database)) == []


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
async def test_connections_lost_between_requests_are_made_anew(
    impatient: KeptSeason, database_url: str, game: dict[str, Any]
) -> None:
    kept = await impatient.kept({**game, **ON})
    with closing(psycopg.connect(database_url, autocommit=True)) as server:
        server.execute(f"SELECT pg_terminate_backend(pid) {THEIRS}")
        await until(lambda: not server.execute(f"SELECT pid {THEIRS}").fetchall())
    assert await impatient.get(kept["id"]) == kept
    await impatient.kept({**game, "played_on": "2025-03-15"})
    assert len(entered(impatient)) == 20


THEIRS = (
    "FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'mafrate' "
    "AND pid <> pg_backend_pid()"
)
"""The connections of the service."""


async def until(found: Callable[[], Found]) -> Found:
    """What ``found`` gives, once it gives something."""
    for _ in range(500):
        if value := found():
            return value
        await asyncio.sleep(0.01)
    raise AssertionError("it did not come to that in time")
