import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError, IntegrityError

from app.repositories.clubs import clubs, keys
from app.repositories.database import Database, Transaction
from app.repositories.database.bulk import insert_rows
from app.repositories.database.engines import read_url
from app.repositories.database.errors import NotUnique, Unavailable, Unstorable, UnusableURL
from app.repositories.database.server import parameters
from app.repositories.games import ledger
from app.repositories.schema import bring_up_to_date
from app.repositories.seasons import seasons
from app.repositories.tables import SEATS
from tests.repositories.kept import NOON, entries, keep


def pragma(tx: Transaction, name: str) -> Any:
    return tx.execute(text(f"PRAGMA {name}")).scalar_one()


def club_slugs(database: Database) -> set[str]:
    with database.read() as tx:
        return {club.slug for club in clubs.page(tx, cursor=None, limit=100).items}


def add_club(tx: Transaction, slug: str) -> clubs.Club:
    return clubs.add(tx, slug=slug, name=slug, timezone="UTC", at=NOON)


def add_clubs(tx: Transaction, many: int) -> None:
    for n in range(many):
        add_club(tx, f"club-{n}")


@pytest.fixture
def hasty(database_url: str) -> Iterator[Database]:
    """A database whose use cases wait a fifth of a second only."""
    with closing(Database(database_url, wait=0.2, connections=2)) as database:
        yield database


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
class TestSQLite:
    def test_the_connection_that_writes_syncs_every_commit_to_the_disk(self, database: Database) -> None:
        with database.write() as tx:
            assert pragma(tx, "journal_mode") == "wal"
            assert pragma(tx, "synchronous") == 2  # FULL

    def test_the_connection_that_writes_checks_foreign_keys(self, database: Database) -> None:
        with database.write() as tx:
            assert pragma(tx, "foreign_keys") == 1

    def test_foreign_keys_are_checked_again_after_the_schema_was_altered(self, database: Database) -> None:
        with database.alter() as tx:
            assert pragma(tx, "foreign_keys") == 0
        with pytest.raises(RuntimeError, match="no more"), database.alter():
            raise RuntimeError("no more")
        with database.write() as tx:
            assert pragma(tx, "foreign_keys") == 1

    def test_an_alteration_that_breaks_references_is_undone(self, database: Database) -> None:
        kept = keep(database)
        with pytest.raises(RuntimeError, match="clubs"), database.alter() as tx:
            tx.execute(text("DELETE FROM clubs"))
        assert club_slugs(database) == {kept.club.slug}

    def test_readers_wait_for_locks_and_cannot_write(self, database: Database) -> None:
        with database.read() as tx:
            assert pragma(tx, "busy_timeout") == 10_000
        with pytest.raises(Unavailable), database.read() as tx:
            add_club(tx, "sneaky")
        assert club_slugs(database) == set()

    def test_a_lock_held_by_another_process_makes_it_unavailable_and_loses_nothing(
        self, hasty: Database, database_url: str
    ) -> None:
        with closing(sqlite3.connect(database_url.removeprefix("sqlite:///"), isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(Unavailable) as refused, hasty.write() as tx:
                add_club(tx, "late")
            assert refused.value.retry_after >= 1
            assert club_slugs(hasty) == set()  # readers go on meanwhile
            other.execute("ROLLBACK")
        with hasty.write() as tx:
            add_club(tx, "late")
        assert club_slugs(hasty) == {"late"}

    def test_a_full_disk_makes_it_unavailable_and_loses_nothing(self, database: Database) -> None:
        with database.write() as tx:
            add_club(tx, "first")
        with database.write() as tx:
            pragma(tx, f"max_page_count = {pragma(tx, 'page_count')}")
        with pytest.raises(Unavailable), database.write() as tx:
            add_clubs(tx, 10_000)
        assert club_slugs(database) == {"first"}
        with database.write() as tx:
            pragma(tx, "max_page_count = 1000000")
        with database.write() as tx:
            add_club(tx, "second")
        assert club_slugs(database) == {"first", "second"}

    def test_a_file_that_cannot_be_opened_makes_it_unavailable(self, tmp_path: Path, database_url: str) -> None:
        (tmp_path / "folder.db").mkdir()
        with closing(Database(f"sqlite:///{tmp_path}/folder.db")) as database:
            with pytest.raises(Unavailable), database.read():
                pass
            with pytest.raises(Unavailable):
                database.change_mark()

    def test_the_change_mark_differs_after_a_commit_of_any_connection(
        self, database: Database, database_url: str
    ) -> None:
        with closing(Database(database_url)) as elsewhere:
            mark = database.change_mark()
            assert mark is not None
            with database.read() as tx:
                clubs.by_slug(tx, "here")
            assert database.change_mark() == mark
            with database.write() as tx:
                add_club(tx, "here")
            assert database.change_mark() != mark
            mark = database.change_mark()
            with elsewhere.write() as tx:
                add_club(tx, "there")
            assert database.change_mark() != mark

    def test_the_folder_of_the_file_is_made(self, tmp_path: Path, database_url: str) -> None:
        with closing(Database(f"sqlite:///{tmp_path}/new/folder/mafrate.db")) as database:
            bring_up_to_date(database)
        assert (tmp_path / "new/folder/mafrate.db").exists()


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
class TestPostgreSQL:
    def test_a_season_held_by_another_process_makes_it_unavailable(self, hasty: Database, database_url: str) -> None:
        kept = keep(hasty)
        with closing(Database(database_url)) as other, other.write() as theirs:
            seasons.lock(theirs, kept.season.id)
            with pytest.raises(Unavailable), hasty.write() as mine:
                seasons.lock(mine, kept.season.id)
            with hasty.write() as mine:
                add_club(mine, "unrelated")

    @pytest.mark.parametrize("moment", ["within", "copying", "before commit"])
    def test_a_dropped_connection_makes_it_unavailable_and_the_next_use_case_gets_a_new_one(
        self, database: Database, moment: str
    ) -> None:
        def lose_the_connection() -> None:
            with database.write() as tx:
                add_club(tx, "lost")
                pid = tx.execute(text("SELECT pg_backend_pid()")).scalar_one()
                with database.write() as killer:
                    killer.execute(text("SELECT pg_terminate_backend(:pid)"), {"pid": pid})
                if moment == "within":
                    add_club(tx, "lost-too")
                if moment == "copying":
                    insert_rows(tx, SEATS, ("game_id", "seat", "player_id", "registered"), [(1, 1, 1, True)])

        with pytest.raises(Unavailable):
            lose_the_connection()
        assert club_slugs(database) == set()
        with database.write() as tx:
            add_club(tx, "kept")
        assert club_slugs(database) == {"kept"}

    @pytest.mark.parametrize(
        "error",
        [
            psycopg.errors.ReadOnlySqlTransaction("cannot execute INSERT in a read-only transaction"),
            psycopg.errors.FeatureNotSupported("cannot set transaction read-write mode during recovery"),
            psycopg.InternalError("received 2 results from command 'COMMIT'"),
            psycopg.InterfaceError("unexpected result TUPLES_OK from command 'COMMIT'"),
            psycopg.errors.AdminShutdown("terminating connection due to administrator command"),
            psycopg.errors.CannotConnectNow("the database system is in recovery mode"),
            psycopg.errors.ProtocolViolation("server conn crashed?"),
            psycopg.errors.SerializationFailure("canceling statement due to conflict with recovery"),
            psycopg.errors.IdleInTransactionSessionTimeout("terminating connection"),
            psycopg.OperationalError("consuming input failed: server closed the connection unexpectedly"),
        ],
        ids=lambda error: type(error).__name__,
    )
    def test_whatever_a_lost_server_or_a_standby_says_makes_it_unavailable(
        self, database: Database, error: psycopg.Error
    ) -> None:
        for raised in (error, DBAPIError("COMMIT", {}, error)):
            with pytest.raises(Unavailable), database.write():
                raise raised

    def test_a_fault_of_ours_does_not(self, database: Database) -> None:
        with pytest.raises(DBAPIError), database.read() as tx:
            tx.execute(text("SELECT nothing FROM nowhere"))

    def test_the_second_server_of_a_url_is_reached_where_the_first_is_gone(self, database_url: str) -> None:
        given = conninfo_to_dict(database_url)
        place = f"{quote(str(given.get('host', '127.0.0.1')), safe='')}:{given.get('port', 5432)}"
        user, name = given.get("user", ""), given["dbname"]
        url = f"postgresql://{user}@127.0.0.1:1,{place}/{name}?target_session_attrs=read-write"
        with closing(Database(url)) as database:
            with database.write() as tx:
                add_club(tx, "kept")
            assert club_slugs(database) == {"kept"}

    def test_connections_dropped_while_idle_are_not_noticed(self, database: Database, database_url: str) -> None:
        assert club_slugs(database) == set()
        with closing(Database(database_url)) as other, other.write() as tx:
            tx.execute(
                text(
                    # Waits until they have ended.
                    "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity"
                    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
            )
        assert club_slugs(database) == set()

    def test_a_server_that_is_not_there_makes_it_unavailable(self, database_url: str) -> None:
        with closing(Database("postgresql://nobody@127.0.0.1:1/none", wait=1)) as database:
            with pytest.raises(Unavailable), database.read():
                pass
            with pytest.raises(Unavailable), database.write():
                pass

    def test_nothing_is_prepared_on_the_server(self, database: Database) -> None:
        with database.write() as tx:
            add_clubs(tx, 20)
            assert tx.execute(text("SELECT count(*) FROM pg_prepared_statements")).scalar_one() == 0

    def test_the_change_mark_is_not_known(self, database: Database) -> None:
        assert database.change_mark() is None

    def test_a_text_with_a_nul_is_unstorable(self, database: Database) -> None:
        with pytest.raises(Unstorable), database.read() as tx:
            clubs.by_slug(tx, "a\0b")


def test_a_block_that_raises_keeps_nothing(database: Database) -> None:
    def change_my_mind() -> None:
        with database.write() as tx:
            add_club(tx, "gone")
            raise RuntimeError("changed my mind")

    with pytest.raises(RuntimeError, match="changed my mind"):
        change_my_mind()
    assert club_slugs(database) == set()


def test_a_reader_sees_one_state_throughout(database: Database) -> None:
    with database.read() as tx:
        assert clubs.by_slug(tx, "new") is None
        with database.write() as writing:
            add_club(writing, "new")
        assert clubs.by_slug(tx, "new") is None
    with database.read() as tx:
        assert clubs.by_slug(tx, "new")


def test_a_glance_sees_what_was_committed_a_moment_ago(database: Database) -> None:
    with database.write() as tx:
        add_club(tx, "new")
    with database.glance() as tx:
        assert clubs.by_slug(tx, "new")
        with database.write() as writing:
            add_club(writing, "newer")
        assert clubs.by_slug(tx, "newer")


def test_a_second_row_with_the_same_unique_columns_is_named(database: Database) -> None:
    kept = keep(database)
    with pytest.raises(NotUnique) as clash, database.write() as tx:
        add_club(tx, "club")
    assert (clash.value.table, clash.value.columns) == ("clubs", ("slug",))
    with pytest.raises(NotUnique) as clash, database.write() as tx:
        tx.execute(
            text(
                "INSERT INTO seasons SELECT id + 1000, club_id, slug, name, rule_system, rule_version, format,"
                " starts_on, ends_on, public, revision, closed_at, created_at, awards_from, change_token,"
                " hidden_stage, hidden_day, traits_at"
                " FROM seasons WHERE id = :id"
            ),
            {"id": kept.season.id},
        )
    assert (clash.value.table, clash.value.columns) == ("seasons", ("club_id", "slug"))


def test_rows_written_in_bulk_are_checked_like_others(database: Database) -> None:
    kept = keep(database)
    rows = entries(kept, 1, date(2025, 3, 14))

    def enter_twice() -> None:
        with database.write() as tx:
            ledger.enter(tx, kept.season.id, 1, rows)
            ledger.enter(tx, kept.season.id, 1, rows[3:4])

    with pytest.raises(NotUnique) as clash:
        enter_twice()
    assert clash.value.table == "ledger"
    with pytest.raises((sqlite3.IntegrityError, psycopg.errors.ForeignKeyViolation)), database.write() as tx:
        insert_rows(tx, SEATS, ("game_id", "seat", "player_id", "registered"), [(1, 1, 1, True)])
    with database.read() as tx:
        assert ledger.after(tx, kept.season.id, 0) == []


def test_a_row_that_refers_to_nothing_is_refused(database: Database) -> None:
    with pytest.raises(IntegrityError), database.write() as tx:
        keys.add(tx, club_id=424242, role="judge", name="x", prefix="x", secret_hash="", at=NOON)


def test_an_integer_beyond_64_bits_is_unstorable(database: Database) -> None:
    with pytest.raises(Unstorable), database.read() as tx:
        seasons.revision_of(tx, 2**63)


def test_readers_beyond_the_pool_are_refused_after_the_wait(hasty: Database) -> None:
    with hasty.read(), hasty.read():
        begun = time.monotonic()
        with pytest.raises(Unavailable), hasty.read():
            pass
        assert time.monotonic() - begun >= 0.2
    with hasty.read():
        pass


def test_writers_of_a_process_wait_for_their_turn_and_are_refused_after_the_wait(hasty: Database) -> None:
    done = threading.Event()
    inside = threading.Event()

    def hold() -> None:
        with hasty.write():
            inside.set()
            done.wait(10)

    holder = threading.Thread(target=hold)
    holder.start()
    try:
        assert inside.wait(10)
        with pytest.raises(Unavailable), hasty.write():
            pass
        assert club_slugs(hasty) == set()  # a reader still finds a connection
    finally:
        done.set()
        holder.join()
    with hasty.write() as tx:
        add_club(tx, "next")
    assert club_slugs(hasty) == {"next"}


def test_a_closed_database_can_be_used_again(database: Database) -> None:
    database.close()
    assert club_slugs(database) == set()


@pytest.mark.parametrize(
    "url, driver",
    [
        ("sqlite:///data/mafrate.db", "sqlite+pysqlite"),
        ("postgresql://u:p@host:6432/db?sslmode=require", "postgresql+psycopg"),
        ("postgres://host/db", "postgresql+psycopg"),
        ("postgresql+psycopg2://host/db", "postgresql+psycopg"),
        ("postgresql+psycopg://u@h1:1,h2:2/db?target_session_attrs=read-write", "postgresql+psycopg"),
    ],
)
def test_urls_are_read_for_the_drivers_that_are_here(url: str, driver: str) -> None:
    assert read_url(url).drivername == driver


@pytest.mark.parametrize(
    "url, expected",
    [
        ("postgresql://u:p%40@h:5/db", {"user": "u", "password": "p@", "host": "h", "port": "5", "dbname": "db"}),
        ("postgresql:///db?host=/var/run/postgresql", {"host": "/var/run/postgresql", "dbname": "db"}),
        (
            "postgresql://u@h1:1,[::1]:2/db?target_session_attrs=read-write&connect_timeout=7",
            {"host": "h1,::1", "port": "1,2", "target_session_attrs": "read-write", "connect_timeout": "7"},
        ),
    ],
)
def test_a_url_is_read_as_libpq_reads_it(url: str, expected: dict[str, str]) -> None:
    assert parameters(read_url(url)).items() >= expected.items()


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:", "mysql://u:secret@host/db", "data/mafrate.db", ""])
def test_other_urls_are_refused_without_repeating_them(url: str) -> None:
    with pytest.raises(UnusableURL, match="sqlite:///") as refused:
        read_url(url)
    assert "secret" not in str(refused.value)
