"""Copies of a database, taken while it is written, and put back; a club to look at."""

import io
import json
import resource
import sqlite3
import sys
import threading
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.cli import demo_club as demo
from app.repositories.database import Database
from app.repositories.games.games import count_by_status
from app.repositories.schema import bring_up_to_date, migrate, schema_is_current
from app.repositories.seasons.seasons import find
from app.services.audit import audit
from tests.cli.running import run
from tests.repositories.kept import Kept, keep, play


def count(database: Database, kept: Kept) -> int:
    with database.read() as tx:
        return sum(count_by_status(tx, kept.season.id).values())


@pytest.fixture
def sqlite(environment: pytest.MonkeyPatch) -> str:
    """The URL of a database in the present folder, in which there is nothing."""
    url = "sqlite:///kept.db"
    environment.setenv("MAFRATE_DATABASE_URL", url)
    with closing(Database(url)) as database:
        bring_up_to_date(database)
    return url


def test_a_copy_is_taken_while_games_are_submitted_and_put_back(
    capsys: pytest.CaptureFixture[str], sqlite: str
) -> None:
    with closing(Database(sqlite)) as database:
        kept = keep(database)
        stop = threading.Event()

        def submit() -> None:
            while not stop.is_set():
                play(database, kept)

        writer = threading.Thread(target=submit)
        writer.start()
        try:
            while count(database, kept) < 3:
                pass
            done = run(capsys, "backup", "copy.db", "--json")
        finally:
            stop.set()
            writer.join()
        assert (done.status, done.err) == (0, "")
        assert json.loads(done.out) == {"file": "copy.db", "bytes": Path("copy.db").stat().st_size}
        assert Path("copy.db").stat().st_mode & 0o077 == 0
        assert [path.name for path in Path().glob("*copy*")] == ["copy.db"]
        with closing(Database("sqlite:///copy.db")) as copy:
            copied = count(copy, kept)
            with copy.read() as tx:
                season = find(tx, "club", "spring")
        assert season
        assert season.revision == copied > 0
        written = count(database, kept)
        assert copied <= written
        play(database, kept)
        # Put back under the nose of who has it open.
        assert run(capsys, "restore", "copy.db", "--yes").status == 0
        assert count(database, kept) == copied
        play(database, kept)
        assert count(database, kept) == copied + 1


def test_a_copy_replaces_nothing_unasked(
    capsys: pytest.CaptureFixture[str], sqlite: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("copy.db").write_text("precious")
    done = run(capsys, "backup", "copy.db")
    assert (done.status, "copy.db" in done.err) == (2, True)
    assert Path("copy.db").read_text() == "precious"
    run(capsys, "backup", "other.db")
    monkeypatch.setattr(sys, "stdin", io.StringIO("n\n"))
    assert run(capsys, "restore", "other.db").status == 1


@pytest.mark.parametrize(
    "words", ["audit", "migrate", "demo", "keys list club", "backup b.db", "restore copy.db --yes"]
)
def test_a_damaged_database_is_told_and_a_copy_takes_its_place(
    capsys: pytest.CaptureFixture[str], sqlite: str, words: str
) -> None:
    with closing(Database(sqlite)) as database:
        kept = keep(database)
        play(database, kept)
    run(capsys, "backup", "copy.db")
    content = Path("kept.db").read_bytes()
    Path("kept.db").write_bytes(content[:100] + b"rubbish" * ((len(content) - 100) // 7))
    done = run(capsys, *words.split())
    assert (done.status, done.out) == (2, "")
    assert "malformed; move the file away, then restore a copy with mafrate restore" in done.err
    Path("kept.db").rename("damaged")
    assert run(capsys, "restore", "copy.db", "--yes").status == 0
    with closing(Database(sqlite)) as database:
        assert count(database, kept) == 1


@pytest.mark.parametrize("words", ["backup b.db", "restore copy.db --yes"])
def test_a_disk_without_room_is_told_and_leaves_all_as_it_was(
    capsys: pytest.CaptureFixture[str], sqlite: str, words: str
) -> None:
    with closing(Database(sqlite)) as database:
        kept = keep(database)
        run(capsys, "backup", "copy.db")
        play(database, kept)
    present = sorted(path.name for path in Path().iterdir())
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, limit[1]))
    try:
        done = run(capsys, *words.split())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("MAFRATE_DATABASE_URL: the database is unavailable: ")
    assert sorted(path.name for path in Path().iterdir()) == present
    with closing(Database(sqlite)) as database:
        assert count(database, kept) == 1


def test_what_is_no_sound_copy_is_not_put_back(capsys: pytest.CaptureFixture[str], sqlite: str) -> None:
    with closing(Database(sqlite)) as database:
        kept = keep(database)
        play(database, kept)
        run(capsys, "backup", "copy.db")
        content = bytearray(Path("copy.db").read_bytes())
        content[len(content) // 2 : len(content) // 2 + 20_000] = bytes(20_000)
        Path("broken.db").write_bytes(content)
        Path("text.db").write_text("no database at all, but long enough to look like one" * 100)
        with closing(sqlite3.connect("other.db")) as other:
            other.execute("CREATE TABLE theirs (id)")
        for name in ("broken.db", "text.db", "other.db", "absent.db"):
            done = run(capsys, "restore", name, "--yes")
            assert (done.status, name in done.err, "Traceback" in done.err) == (2, True, False), done.err
        assert count(database, kept) == 1


def test_a_copy_is_brought_up_to_date_before_it_takes_the_databases_place(
    capsys: pytest.CaptureFixture[str], sqlite: str
) -> None:
    with closing(Database(sqlite)) as database:
        kept = keep(database)
        run(capsys, "backup", "copy.db")
        older = Path("older.db")
        older.write_bytes(Path("copy.db").read_bytes())
        with closing(Database(f"sqlite:///{older}")) as copy:
            migrate(copy, "0001")
        content = older.read_bytes()
        play(database, kept)
        assert run(capsys, "restore", "older.db", "--yes") == (0, "Restored.\n", "")
        assert (schema_is_current(database), count(database, kept)) == (True, 0)
        assert older.read_bytes() == content
        play(database, kept)
        assert count(database, kept) == 1


def test_a_copy_of_newer_code_is_not_put_back(capsys: pytest.CaptureFixture[str], sqlite: str) -> None:
    with closing(Database(sqlite)) as database:
        kept = keep(database)
        run(capsys, "backup", "newer.db")
        with closing(sqlite3.connect("newer.db")) as copy:
            copy.execute("UPDATE alembic_version SET version_num = '9999'")
            copy.commit()
        play(database, kept)
        done = run(capsys, "restore", "newer.db", "--yes")
        assert (done.status, "9999" in done.err, "Traceback" in done.err) == (2, True, False)
        assert count(database, kept) == 1
    assert [path.name for path in Path().iterdir() if "restoring" in path.name] == []


def test_a_database_in_use_is_no_copy(capsys: pytest.CaptureFixture[str], sqlite: str) -> None:
    """What was committed last is in the log beside it."""
    with closing(Database(sqlite)) as database:
        kept = keep(database)
        play(database, kept)
        with closing(Database("sqlite:///other.db")) as other:
            bring_up_to_date(other)
            keep(other)
            for name in ("kept.db", "other.db"):
                done = run(capsys, "restore", name, "--yes")
                assert (done.status, done.err) == (2, f"{name} is a database in use, not a copy of one\n")
        assert count(database, kept) == 1


def test_a_folder_that_is_not_there_is_named(capsys: pytest.CaptureFixture[str], sqlite: str) -> None:
    assert run(capsys, "backup", "absent/copy.db") == (2, "", "absent: no such folder\n")


def test_postgresql_has_tools_of_its_own(capsys: pytest.CaptureFixture[str], environment: pytest.MonkeyPatch) -> None:
    environment.setenv("MAFRATE_DATABASE_URL", "postgresql://somebody:secret@127.0.0.1/mafrate")
    for words in (("backup", "copy.db"), ("restore", "copy.db", "--yes")):
        done = run(capsys, *words)
        assert (done.status, "pg_dump" in done.err, "secret" in done.err) == (2, True, False)


def test_there_is_nothing_to_copy_before_the_first_start(
    capsys: pytest.CaptureFixture[str], environment: pytest.MonkeyPatch
) -> None:
    done = run(capsys, "backup", "copy.db")
    assert (done.status, done.err) == (2, "no database at data/mafrate.db\n")
    assert not Path("copy.db").exists()


def test_a_demo_is_a_club_with_tables(
    capsys: pytest.CaptureFixture[str], environment: pytest.MonkeyPatch, database_url: str
) -> None:
    environment.setenv("MAFRATE_DATABASE_URL", database_url)
    made = json.loads(run(capsys, "demo", "--json").out)
    assert (made["club"], made["games"], made["secret"][:4]) == ("demo", 90, "mfr_")
    again = run(capsys, "demo")
    assert (again.status, "--club" in again.err) == (2, True)
    shown = run(capsys, "demo", "--club", "another")
    assert "http://127.0.0.1:8000/v1/clubs/another/seasons/cup/standings" in shown.out
    with closing(Database(database_url)) as database:
        assert list(audit(database)) == []


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_every_demo_is_made_of_games_that_the_regulations_take(database: Database) -> None:
    now = datetime(2025, 3, 14, 20, tzinfo=UTC)
    for seed in range(12):
        assert demo.create_demo(database, slug=f"demo-{seed}", now=now, seed=seed).games == 90
