"""Databases for tests: what asks for ``database`` or ``database_url`` runs on SQLite and on PostgreSQL.

PostgreSQL is found by ``MAFRATE_TEST_POSTGRES_URL`` (a role that may create databases) or on 127.0.0.1. Without it
those tests are skipped, but fail where ``CI`` is set. Each run makes databases of its own and drops them.
"""

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from sqlalchemy import make_url, text

from app.repositories.database import Database
from app.repositories.schema import bring_up_to_date
from app.repositories.tables import metadata

_SERVER = os.environ.get("MAFRATE_TEST_POSTGRES_URL", "postgresql://postgres@127.0.0.1:5432/postgres")


@contextmanager
def new_postgresql() -> Iterator[str]:
    """The URL of a new, empty PostgreSQL database, dropped afterwards."""
    try:
        server = psycopg.connect(_SERVER, autocommit=True, connect_timeout=5)
    except psycopg.OperationalError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"no PostgreSQL at MAFRATE_TEST_POSTGRES_URL ({type(error).__name__})")
    with closing(server):
        name = f"mafrate_test_{secrets.token_hex(6)}"
        server.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        try:
            yield make_url(_SERVER).set(database=name).render_as_string(hide_password=False)
        finally:
            server.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@pytest.fixture(scope="session")
def _kept_postgresql() -> Iterator[str]:
    with new_postgresql() as url:
        with closing(Database(url)) as database:
            bring_up_to_date(database)
        yield url


@pytest.fixture(scope="session")
def _kept_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sqlite") / "empty.db"
    with closing(Database(f"sqlite:///{path}")) as database:
        bring_up_to_date(database)
    return path


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a database with every table, up to date and empty."""
    if request.param == "sqlite":
        path = tmp_path / "mafrate.db"
        shutil.copy(request.getfixturevalue("_kept_sqlite"), path)
        return f"sqlite:///{path}"
    url: str = request.getfixturevalue("_kept_postgresql")
    with closing(Database(url, connections=1)) as database, database.write() as tx:
        tx.execute(text("SET LOCAL synchronous_commit = off"))
        for table in reversed(metadata.sorted_tables):  # TRUNCATE rewrites and syncs forty files: a third of a second
            tx.execute(table.delete())
    return url


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of a database without tables."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/mafrate.db"
    else:
        with new_postgresql() as url:
            yield url


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """A database with every table, up to date and empty."""
    with closing(Database(database_url)) as kept:
        yield kept
