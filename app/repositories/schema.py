"""Bringing a database's tables up to date, and asking whether they are."""

import threading
from functools import cache
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from app.repositories.database import Database, Transaction

_CHECKOUT = Path(__file__).parents[2] / "alembic"
_INSTALLED = Path(__file__).parents[1] / "migrations"
"""Where a wheel carries the same files: one that installed a top-level ``alembic`` would write into the library."""

_ALEMBIC = threading.Lock()
"""Its operations go to whichever database the process began to migrate last."""


class SchemaTooNew(Exception):
    """The database was brought up by a newer version of the service; this one must not touch it."""


def newest_version() -> str:
    """The version of the schema that this code works with."""
    return versions()[-1]


def schema_version(tx: Transaction) -> str | None:
    """The version that the database is at; None for an empty one."""
    return MigrationContext.configure(tx).get_current_revision()


def schema_is_current(database: Database) -> bool:
    """Whether the tables are at least those that this code works with.

    A version unknown here was written by newer code, whose migrations only add: true.

    Raises:
        Unavailable: the database cannot be asked.
    """
    with database.read() as tx:
        version = schema_version(tx)
    return version is not None and (version == newest_version() or version not in versions())


def bring_up_to_date(database: Database) -> None:
    """Apply the migrations that the database lacks, in one transaction; several processes may start at once.

    Raises:
        SchemaTooNew: newer code was here before.
        Unavailable: the database is locked or gone.
    """
    migrate(database, newest_version())


def migrate(database: Database, version: str) -> None:
    """Bring the schema up or down to ``version`` ("base": nothing left), in one transaction, one process at a time.

    Raises:
        SchemaTooNew: the database is at a version that this code does not know.
        Unavailable: the database is locked or gone.
    """
    config = _config()
    with _ALEMBIC, database.alter() as tx:
        present = schema_version(tx)
        if present is not None and present not in versions():
            raise SchemaTooNew(f"the database is at version {present}, this program knows {newest_version()}")
        config.attributes["connection"] = tx
        if version in _below(present):
            command.downgrade(config, version)
        else:
            command.upgrade(config, version)


def _config() -> Config:
    config = Config()
    folder = _INSTALLED if _INSTALLED.is_dir() else _CHECKOUT
    config.set_main_option("script_location", str(folder).replace("%", "%%"))
    return config


@cache
def versions() -> list[str]:
    """Every version of the schema that this code knows, the oldest first."""
    return [script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions()][::-1]


def _below(version: str | None) -> list[str]:
    """What lies under ``version``, the empty database included."""
    return [] if version is None else ["base", *versions()[: versions().index(version)]]
