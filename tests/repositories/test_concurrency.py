"""Several processes with several threads each, on one database."""

import multiprocessing
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing

import pytest

from app.repositories import idempotency, journal
from app.repositories.clubs import clubs, players
from app.repositories.database import Database
from app.repositories.journal import NewChange
from app.repositories.schema import bring_up_to_date, schema_is_current
from app.repositories.seasons import seasons
from tests.repositories.kept import NOON, keep, new_season

THREADS = 4
TIMES = 25


@pytest.fixture(scope="module")
def processes() -> Iterator[Executor]:
    """Two processes that share nothing with this one."""
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield pool


def everyone_done(work: list[Future[None]]) -> None:
    for one in work:
        one.result(timeout=60)


def raise_revisions(url: str, season_id: int) -> None:
    """Raise the season's revision in each of some threads, noting the number each time."""

    def some_times() -> None:
        for _ in range(TIMES):
            with database.write() as tx:
                season = seasons.lock(tx, season_id)
                revision = seasons.advance(tx, season)
                journal.add(
                    tx,
                    NewChange(
                        action="counted",
                        target="x",
                        at=NOON,
                        key_id=None,
                        role="judge",
                        season_id=season_id,
                        revision=revision,
                    ),
                )

    with closing(Database(url)) as database, ThreadPoolExecutor(THREADS) as threads:
        everyone_done([threads.submit(some_times) for _ in range(THREADS)])


def test_revisions_have_no_gaps_and_none_is_given_twice(
    database: Database, database_url: str, processes: Executor
) -> None:
    kept = keep(database)
    everyone_done([processes.submit(raise_revisions, database_url, kept.season.id) for _ in range(2)])
    with database.read() as tx:
        noted = [change.revision for change in journal.after(tx, kept.season.id, 0, limit=1000)]
        assert noted == list(range(1, 2 * THREADS * TIMES + 1))
        assert seasons.revision_of(tx, kept.season.id) == 2 * THREADS * TIMES


def start(url: str) -> None:
    with closing(Database(url)) as database:
        bring_up_to_date(database)


def test_processes_that_start_at_once_bring_the_schema_up_once(empty_database_url: str, processes: Executor) -> None:
    everyone_done([processes.submit(start, empty_database_url) for _ in range(4)])
    with closing(Database(empty_database_url)) as database:
        assert schema_is_current(database)


def test_the_same_request_in_many_threads_is_done_once(database: Database) -> None:
    kept = keep(database)
    request = idempotency.Request(kept.key.id, "POST", "/v1/games", "key-1")

    def send() -> str:
        with database.write() as tx:
            answer = idempotency.claim(tx, request, body_hash="b", at=NOON)
            if answer:
                return answer.body.decode()
            revision = seasons.advance(tx, seasons.lock(tx, kept.season.id))
            idempotency.complete(tx, request, status=201, headers={}, body=b"%d" % revision)
            return str(revision)

    with ThreadPoolExecutor(8) as threads:
        answers = {one.result() for one in [threads.submit(send) for _ in range(40)]}
    assert answers == {"1"}


def test_players_made_at_once_in_two_seasons_are_made_once(database: Database) -> None:
    kept = keep(database)
    with database.write() as tx:
        other = new_season(tx, kept.club, "autumn")

    def submit(n: int) -> None:
        newcomers = [players.Newcomer(f"N{i}", f"n{i}", True, None) for i in range(20)]
        with database.write() as tx:
            seasons.lock(tx, (kept.season, other)[n % 2].id)
            known = players.named(tx, kept.club.id, [one.folded for one in newcomers])
            if len(known) < len(newcomers):
                clubs.lock(tx, kept.club.id)
                known = players.named(tx, kept.club.id, [one.folded for one in newcomers])
                players.add(tx, kept.club.id, [one for one in newcomers if one.folded not in known], NOON)

    with ThreadPoolExecutor(8) as threads:
        everyone_done([threads.submit(submit, n) for n in range(16)])
    with database.read() as tx:
        assert len(players.of_club(tx, kept.club.id)) == 30
