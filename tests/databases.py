"""Databases for tests: what asks for ``database`` or ``database_url`` runs on SQLite and on PostgreSQL.

Without PostgreSQL (:mod:`tests.postgresql`) those tests are skipped, but fail where ``CI`` is set. Each run makes
databases of its own and drops them; each process has one of PostgreSQL, which every test finds empty.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest
from sqlalchemy import URL, Dialect, Engine, create_engine

from app.repositories.database import Database, engines, server
from app.repositories.schema import bring_up_to_date
from app.repositories.tables import metadata
from tests.postgresql import new_postgresql

_EMPTYING: Final = "; ".join(f"DELETE FROM {table.name}" for table in reversed(metadata.sorted_tables)).encode()
"""TRUNCATE would make forty files anew: a third of a second."""


@pytest.fixture(scope="session", autouse=True)
def _statements_compiled_once() -> Iterator[None]:
    """Every database of this process uses what SQLAlchemy has compiled for those before it.

    An engine compiles each statement once, which a service does not notice; tests make an engine or two each.
    """
    compiled: dict[Any, Any] = {}
    dialects: dict[str, Dialect] = {}

    def engine_like_the_first(url: URL, **options: Any) -> Engine:
        own = create_engine(url, **options)
        dialect = dialects.get(own.name)
        if dialect is None or dialect.server_version_info is None:  # known once there was a connection
            dialect = dialects[own.name] = own.dialect
        return Engine(own.pool, dialect, url, hide_parameters=True).execution_options(compiled_cache=compiled)

    with pytest.MonkeyPatch.context() as patched:
        for module in (engines, server):
            patched.setattr(module, "create_engine", engine_like_the_first)
        yield


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
def _migrated_postgresql() -> Iterator[str]:
    with _new_postgresql() as url:
        with closing(Database(url)) as database:
            bring_up_to_date(database)
        yield url


class _Emptied:
    """The PostgreSQL database of this process, and a connection that empties it; a test may have ended that."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._connection = psycopg.connect(url, autocommit=True)

    def empty(self) -> None:
        try:
            self._connection.execute(_EMPTYING)
        except psycopg.OperationalError:
            self._connection = psycopg.connect(self.url, autocommit=True)
            self._connection.execute(_EMPTYING)

    def close(self) -> None:
        self._connection.close()


@pytest.fixture(scope="session")
def _emptied_postgresql(_migrated_postgresql: str) -> Iterator[_Emptied]:
    with closing(_Emptied(_migrated_postgresql)) as emptied:
        yield emptied


@cache
def migrated_sqlite() -> bytes:
    """The file of an SQLite database with every table, up to date and empty."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "empty.db"
        with closing(Database(f"sqlite:///{path}")) as database:
            bring_up_to_date(database)
        return path.read_bytes()


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a database with every table, up to date and empty."""
    if request.param == "sqlite":
        path = tmp_path / "mafrate.db"
        path.write_bytes(migrated_sqlite())
        return f"sqlite:///{path}"
    emptied: _Emptied = request.getfixturevalue("_emptied_postgresql")
    emptied.empty()
    return emptied.url


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
