"""Runs migrations: in the transaction of :mod:`app.repositories.schema`, or, for `alembic revision`, in its own."""

import os

from alembic import context

from app.repositories.database import Database, Transaction
from app.repositories.tables import metadata


def _run(tx: Transaction) -> None:
    context.configure(connection=tx, target_metadata=metadata, transactional_ddl=True, render_as_batch=True)
    with context.begin_transaction():
        context.run_migrations()


if "connection" in context.config.attributes:
    _run(context.config.attributes["connection"])
else:
    with Database(os.environ["MAFRATE_DATABASE_URL"]).alter() as tx:
        _run(tx)
