"""Databases for tests: what asks for ``database`` or ``database_url`` runs on SQLite and on PostgreSQL.

Without PostgreSQL (:mod:`tests.postgresql`) those tests are skipped, but fail where ``CI`` is set. Each run makes
databases of its own and drops them.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import text

from app.repositories.database import Database
from app.repositories.schema import bring_up_to_date
from app.repositories.tables import metadata
from tests.postgresql import new_postgresql


@contextmanager
def _new_postgresql() -> Iterator[str]:
    with ExitStack() as stack:
        try:
            url = stack.enter_context(new_postgresql(durable=False))
        except psycopg.OperationalError as error:
            if os.environ.get("CI"):
                raise
            pytest.skip(f"no PostgreSQL at MAFRATE_TEST_POSTGRES_URL ({type(error).__name__})")
        yield url


@pytest.fixture(scope="session")
def _kept_postgresql() -> Iterator[str]:
    with _new_postgresql() as url:
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
        with _new_postgresql() as url:
            yield url


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """A database with every table, up to date and empty."""
    with closing(Database(database_url)) as kept:
        yield kept
