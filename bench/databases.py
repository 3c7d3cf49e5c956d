"""Databases to measure on: an SQLite file beside the checkout, which is a disk; PostgreSQL where one is reached."""

import os
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

import psycopg
from psycopg import sql
from sqlalchemy import make_url

from app.repositories.database import Database
from app.repositories.schema import bring_up_to_date

_SERVER: Final = os.environ.get("MAFRATE_TEST_POSTGRES_URL", "postgresql://postgres@127.0.0.1:5432/postgres")
_DISK: Final = Path(__file__).parents[1] / "data"


@contextmanager
def new_database(dialect: str) -> Iterator[str | None]:
    """The URL of a new database with every table, removed at the end; None where there is no PostgreSQL."""
    make = _sqlite if dialect == "sqlite" else _postgresql
    with make() as url:
        if url is not None:
            with closing(Database(url)) as database:
                bring_up_to_date(database)
        yield url


@contextmanager
def _sqlite() -> Iterator[str]:
    _DISK.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="bench-", dir=_DISK) as folder:
        yield f"sqlite:///{folder}/bench.db"


@contextmanager
def _postgresql() -> Iterator[str | None]:
    try:
        server = psycopg.connect(_SERVER, autocommit=True, connect_timeout=5)
    except psycopg.OperationalError:
        yield None
        return
    with closing(server):
        name = f"mafrate_bench_{secrets.token_hex(6)}"
        server.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        try:
            yield make_url(_SERVER).set(database=name).render_as_string(hide_password=False)
        finally:
            server.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))
