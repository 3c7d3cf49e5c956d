"""A server that falls silent: it lets connections in, takes what it is sent, and answers nothing."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
from sqlalchemy import text

from app.repositories.database import Database, patience, server
from app.repositories.database.errors import Unavailable
from tests.proxy import Proxy, proxied

pytestmark = pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)

WRITERS = 4


@pytest.fixture
def _hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "SILENT_SECONDS", 0.3)
    monkeypatch.setattr(patience, "_PROBE_SECONDS", 0.3)
    monkeypatch.setitem(server._DEFAULTS, "connect_timeout", 2)


@pytest.fixture
def proxy(database_url: str) -> Iterator[tuple[Proxy, str]]:
    with proxied(database_url) as made:
        yield made


@pytest.mark.usefixtures("_hasty")
def test_statements_of_a_silent_server_are_given_up_and_turns_come_back(
    proxy: tuple[Proxy, str], database_url: str
) -> None:
    silent, url = proxy
    with closing(Database(url, wait=30, connections=2 * WRITERS)) as database:
        ready = threading.Barrier(WRITERS + 1)

        def write() -> None:
            with database.write() as tx:
                tx.execute(text("SELECT 1"))
                ready.wait(10)
                ready.wait(10)
                tx.execute(text("SELECT 1"))

        with ThreadPoolExecutor(WRITERS) as threads:
            work = [threads.submit(write) for _ in range(WRITERS)]
            ready.wait(10)
            silent.fall_silent()
            ready.wait(10)
            for one in work:
                assert isinstance(one.exception(timeout=20), Unavailable)
        assert not database._turns.is_stuck(0)
        with pytest.raises(Unavailable), database.read():
            pass


@pytest.mark.usefixtures("_hasty")
def test_a_long_statement_of_a_server_that_answers_others_is_waited_for(database: Database) -> None:
    with database.read() as tx:
        assert tx.execute(text("SELECT 1 FROM pg_sleep(1)")).scalar() == 1


@pytest.mark.usefixtures("_hasty")
def test_no_statement_is_waited_for_longer_than_the_longest(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patience.PatientConnection, "longest", 0.5)
    with pytest.raises(Unavailable), database.glance() as tx:
        tx.execute(text("SELECT pg_sleep(30)"))
    with database.read() as tx:
        assert tx.execute(text("SELECT 1")).scalar() == 1


def test_the_database_is_not_ready_while_no_writer_comes_to_an_end(database_url: str) -> None:
    done = threading.Event()
    with closing(Database(database_url, wait=0.2, connections=4)) as database, ThreadPoolExecutor(2) as threads:
        inside = threading.Barrier(3)

        def hang() -> None:
            with database.write():
                inside.wait(10)
                done.wait(10)

        work = [threads.submit(hang) for _ in range(2)]
        inside.wait(10)
        database.check()
        while not database._turns.is_stuck(0.2):
            time.sleep(0.01)
        with pytest.raises(Unavailable):
            database.check()
        done.set()
        for one in work:
            one.result(10)
        database.check()
