"""A primary that is frozen amid writing, and its standby: read before, promoted after."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
from sqlalchemy import text

from app.repositories.clubs import clubs
from app.repositories.database import Database, patience, server
from app.repositories.database.errors import ReadOnly, Unavailable
from app.repositories.schema import bring_up_to_date, schema_is_current
from tests.clusters import Server, folder_of_servers, programs
from tests.repositories.kept import NOON

pytestmark = pytest.mark.skipif(programs() is None, reason="needs PostgreSQL's own programs")

WRITERS = 12
"""More than there are turns."""


@pytest.fixture
def pair() -> Iterator[tuple[Server, Server]]:
    """A primary and a standby that has all that the primary answered."""
    with folder_of_servers() as folder:
        primary, standby = Server(folder / "primary"), Server(folder / "standby")
        try:
            primary.create()
            primary.start()
            standby.copy(primary)
            standby.start()
            with closing(primary.connect()) as connection:
                connection.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
                connection.execute("ALTER SYSTEM SET synchronous_commit = remote_apply")
                connection.execute("SELECT pg_reload_conf()")
                while connection.execute("SHOW synchronous_commit").fetchone() != ("remote_apply",):
                    pass
            yield primary, standby
        finally:
            for one in (primary, standby):
                one.kill()


def add_club(database: Database, slug: str) -> None:
    with database.write() as tx:
        clubs.add(tx, slug=slug, name=slug, timezone="UTC", at=NOON)


def slugs(database: Database) -> set[str]:
    with database.read() as tx:
        return {club.slug for club in clubs.page(tx, cursor=None, limit=100).items}


def test_writing_goes_on_with_the_standby_of_a_frozen_primary(
    pair: tuple[Server, Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    primary, standby = pair
    monkeypatch.setattr(patience, "SILENT_SECONDS", 0.3)
    monkeypatch.setattr(patience, "_PROBE_SECONDS", 0.3)
    monkeypatch.setitem(server._DEFAULTS, "connect_timeout", 2)
    url = f"postgresql://postgres@{primary.place},{standby.place}/postgres?target_session_attrs=read-write"
    reader = Database(f"postgresql://postgres@{standby.place}/postgres", read_only=True)
    with closing(Database(url)) as database, closing(reader):
        bring_up_to_date(database)
        assert schema_is_current(reader)
        add_club(database, "before")
        assert slugs(reader) == {"before"}
        with pytest.raises(ReadOnly):
            add_club(reader, "refused")
        with (
            closing(Database(f"postgresql://postgres@{standby.place}/postgres")) as mistaken,
            pytest.raises(Unavailable),
        ):
            add_club(mistaken, "refused")

        primary.freeze()
        with ThreadPoolExecutor(WRITERS) as threads:
            work = [threads.submit(add_club, database, f"lost-{n}") for n in range(WRITERS)]
            for one in work:
                assert isinstance(one.exception(timeout=60), Unavailable)
        standby.promote()
        add_club(database, "after")
        with ThreadPoolExecutor(WRITERS) as threads:
            for one in [threads.submit(add_club, database, f"more-{n}") for n in range(WRITERS)]:
                one.result(timeout=60)
        assert slugs(database) == {"before", "after", *(f"more-{n}" for n in range(WRITERS))}
        assert slugs(reader) == slugs(database)
        with database.read() as tx:
            assert tx.execute(text("SELECT pg_is_in_recovery()")).scalar() is False
