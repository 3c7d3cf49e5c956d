"""Databases to measure on: an SQLite file beside the checkout, which is a disk; PostgreSQL where one is reached."""

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Final

import psycopg

from app.repositories.database import Database
from app.repositories.schema import bring_up_to_date
from tests.postgresql import new_postgresql

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
    with ExitStack() as stack:
        try:
            url: str | None = stack.enter_context(new_postgresql(durable=True))
        except psycopg.OperationalError:
            url = None
        yield url
