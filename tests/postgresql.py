"""The PostgreSQL that tests and measurements run on.

It is found by ``MAFRATE_TEST_POSTGRES_URL`` (a role that may create databases) or on 127.0.0.1.
"""

import os
import secrets
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Final

import psycopg
from psycopg import sql
from sqlalchemy import make_url

_SERVER: Final = os.environ.get("MAFRATE_TEST_POSTGRES_URL", "postgresql://postgres@127.0.0.1:5432/postgres")


@contextmanager
def new_postgresql(*, durable: bool) -> Iterator[str]:
    """The URL of a new, empty database, dropped afterwards.

    Args:
        durable: whether a commit waits for the disk. Without it a commit still outlives whoever made it, but not the
            server.

    Raises:
        psycopg.OperationalError: no server answers.
    """
    with closing(psycopg.connect(_SERVER, autocommit=True, connect_timeout=5)) as server:
        name = f"mafrate_test_{secrets.token_hex(6)}"
        database = sql.Identifier(name)
        server.execute(sql.SQL("CREATE DATABASE {}").format(database))
        try:
            if not durable:
                server.execute(sql.SQL("ALTER DATABASE {} SET synchronous_commit = off").format(database))
            yield make_url(_SERVER).set(database=name).render_as_string(hide_password=False)
        finally:
            server.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(database))
