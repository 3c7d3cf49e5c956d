"""The file under a database that is in use: taken away, replaced, damaged, open to everybody."""

import os
import shutil
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from app.repositories import backups
from app.repositories.clubs import clubs
from app.repositories.database import Database
from app.repositories.database.errors import Damaged, DiskFull, FileGone
from app.repositories.schema import bring_up_to_date, migrate
from tests.repositories.kept import NOON

FILES = ("mafrate.db", "mafrate.db-wal", "mafrate.db-shm")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "mafrate.db"


@pytest.fixture
def database(path: Path) -> Iterator[Database]:
    """A database that was used: one club is in it, and connections are open."""
    with closing(Database(f"sqlite:///{path}")) as kept:
        bring_up_to_date(kept)
        add(kept, "first")
        assert slugs(kept) == {"first"}
        yield kept


def add(database: Database, slug: str) -> None:
    with database.write() as tx:
        clubs.add(tx, slug=slug, name=slug, timezone="UTC", at=NOON)


def slugs(database: Database) -> set[str]:
    with database.read() as tx:
        return {club.slug for club in clubs.page(tx, cursor=None, limit=100).items}


def uses(database: Database) -> list[Callable[[], object]]:
    """Every way to use it."""

    def glance() -> None:
        with database.glance():
            pass

    return [lambda: add(database, "late"), lambda: slugs(database), glance, database.change_mark, database.check]


def test_nothing_is_stored_in_a_file_that_was_removed(database: Database, path: Path) -> None:
    for name in FILES:
        path.with_name(name).unlink()
    for use in uses(database):
        with pytest.raises(FileGone):
            use()
    assert not path.exists()


def test_nothing_is_stored_where_the_file_was_moved(database: Database, path: Path) -> None:
    moved = path.with_name("moved")
    moved.mkdir()
    for name in FILES:
        path.with_name(name).rename(moved / name)
    with pytest.raises(FileGone):
        add(database, "late")
    for name in FILES:
        (moved / name).rename(path.with_name(name))
    add(database, "second")
    assert slugs(database) == {"first", "second"}


@pytest.mark.parametrize("names", [FILES, FILES[:1], FILES[1:2]])
def test_a_file_that_goes_amid_a_transaction_is_told(database: Database, path: Path, names: tuple[str, ...]) -> None:
    def remove() -> None:
        with database.write() as tx:
            clubs.add(tx, slug="lost", name="lost", timezone="UTC", at=NOON)
            for name in names:
                path.with_name(name).unlink()

    with pytest.raises(FileGone):
        remove()


def test_a_log_that_was_removed_is_told_and_then_begun_anew(database: Database, path: Path) -> None:
    path.with_name(FILES[1]).unlink()
    with pytest.raises(FileGone):
        add(database, "late")
    add(database, "second")
    database.close()
    with closing(Database(f"sqlite:///{path}")) as other:
        assert slugs(other) >= {"first", "second"}  # and what was refused, if SQLite saved the log when it was closed


def test_another_file_that_is_sound_is_gone_on_with(database: Database, path: Path) -> None:
    copy = path.with_name("copy.db")
    backups.back_up(f"sqlite:///{path}", copy)
    add(database, "second")
    mark = database.change_mark()
    for name in FILES:
        path.with_name(name).unlink()
    copy.rename(path)
    assert database.change_mark() != mark
    assert slugs(database) == {"first"}
    add(database, "third")
    database.check()
    with closing(sqlite3.connect(path)) as outside:
        assert {slug for (slug,) in outside.execute("SELECT slug FROM clubs")} == {"first", "third"}


def test_a_copy_put_back_in_the_place_of_a_file_that_is_gone_is_gone_on_with(database: Database, path: Path) -> None:
    copy = path.with_name("copy.db")
    backups.back_up(f"sqlite:///{path}", copy)
    for name in FILES:
        path.with_name(name).unlink()
    with pytest.raises(FileGone):
        add(database, "late")
    backups.restore(f"sqlite:///{path}", copy)
    add(database, "second")
    assert slugs(database) == {"first", "second"}


def empty(path: Path) -> None:
    path.touch()


def text(path: Path) -> None:
    path.write_text("no database " * 1_000)


def theirs(path: Path) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE theirs (id)")


def older(path: Path) -> None:
    with closing(Database(f"sqlite:///{path}")) as other:
        migrate(other, "0001")


@pytest.mark.parametrize("other", [empty, text, theirs, older])
def test_another_file_that_is_no_such_database_is_refused(
    database: Database, path: Path, other: Callable[[Path], None]
) -> None:
    for name in FILES:
        path.with_name(name).unlink()
    other(path)
    for use in uses(database):
        with pytest.raises(FileGone):
            use()


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def emptied(path: Path) -> None:
    os.truncate(path, 0)


def overwritten(path: Path) -> None:
    with path.open("r+b") as file:
        file.write(b"rubbish" * 100)


@pytest.mark.parametrize("damage", [cut, emptied, overwritten])
def test_nothing_is_stored_in_a_file_that_was_cut_or_overwritten(
    database: Database, path: Path, damage: Callable[[Path], None]
) -> None:
    whole = path.with_name("whole")
    with closing(sqlite3.connect(path)) as outside:
        outside.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    shutil.copy(path, whole)
    damage(path)
    for use in uses(database):
        with pytest.raises(Damaged):
            use()
    with path.open("r+b") as file:
        file.write(whole.read_bytes())
    add(database, "second")
    assert slugs(database) == {"first", "second"}


def test_damage_in_the_middle_is_found_by_the_check_and_stops_writes(database: Database, path: Path) -> None:
    """No reader comes by there: the head of the file is as it was."""
    with closing(sqlite3.connect(path)) as outside:
        outside.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.check()
    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 2)
        file.write(b"rubbish" * 3_000)
    with pytest.raises(Damaged):
        database.check()
    with pytest.raises(Damaged):
        add(database, "late")


def test_a_check_of_what_has_not_changed_reads_nothing(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    database.check()
    monkeypatch.setattr("app.repositories.database.sqlite_file._is_malformed", lambda _path: pytest.fail("read"))
    database.check()


def test_the_files_are_their_owners_alone(database: Database, path: Path) -> None:
    assert [stat.S_IMODE(path.with_name(name).stat().st_mode) for name in FILES] == [0o600] * 3
    backups.back_up(f"sqlite:///{path}", path.with_name("copy.db"))
    assert stat.S_IMODE(path.with_name("copy.db").stat().st_mode) == 0o600


@pytest.mark.parametrize("before, after", [(0o644, 0o600), (0o666, 0o600), (0o640, 0o640), (0o600, 0o600)])
def test_a_file_that_was_open_to_everybody_is_closed_at_the_start(path: Path, before: int, after: int) -> None:
    """One that its owner opened to a group stays so."""
    with closing(Database(f"sqlite:///{path}")) as database:
        bring_up_to_date(database)
    path.chmod(before)
    with closing(Database(f"sqlite:///{path}")) as database:
        bring_up_to_date(database)
    assert stat.S_IMODE(path.stat().st_mode) == after


def test_a_file_is_made_by_migrations_only(path: Path) -> None:
    with closing(Database(f"sqlite:///{path}")) as database:
        for use in uses(database):
            with pytest.raises(FileGone):
                use()
        assert not path.exists()
        bring_up_to_date(database)
        assert slugs(database) == set()


def test_a_full_disk_has_a_name_of_its_own(database: Database) -> None:
    with database.write() as tx:
        (pages,) = tx.exec_driver_sql("PRAGMA page_count").one()
        tx.exec_driver_sql(f"PRAGMA max_page_count = {pages}")

    def fill() -> None:
        with database.write() as tx:
            for number in range(10_000):
                clubs.add(tx, slug=f"club-{number}", name="a club", timezone="UTC", at=NOON)

    with pytest.raises(DiskFull):
        fill()
