from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy import inspect, text

from app.repositories import schema
from app.repositories.database import Database
from app.repositories.tables import metadata


@pytest.fixture
def empty(empty_database_url: str) -> Iterator[Database]:
    if empty_database_url.startswith("sqlite"):
        Path(empty_database_url.removeprefix("sqlite:///")).touch()
    with closing(Database(empty_database_url)) as database:
        yield database


def test_an_empty_database_is_not_current(empty: Database) -> None:
    assert not schema.schema_is_current(empty)


def test_migrations_go_up_and_down_and_up_again(empty: Database) -> None:
    schema.bring_up_to_date(empty)
    assert schema.schema_is_current(empty)
    schema.migrate(empty, "base")
    assert not schema.schema_is_current(empty)
    with empty.read() as tx:
        assert set(inspect(tx).get_table_names()) <= {"alembic_version"}
    schema.bring_up_to_date(empty)
    schema.bring_up_to_date(empty)
    assert schema.schema_is_current(empty)


def test_the_migrated_tables_are_those_that_the_code_declares(database: Database) -> None:
    with database.read() as tx:
        differences = compare_metadata(MigrationContext.configure(tx, opts={"compare_type": True}), metadata)
    assert differences == []


def test_a_database_of_a_newer_program_is_ready_but_not_migrated(database: Database) -> None:
    with database.write() as tx:
        tx.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    try:
        assert schema.schema_is_current(database)
        with pytest.raises(schema.SchemaTooNew, match="9999"):
            schema.bring_up_to_date(database)
    finally:
        with database.write() as tx:
            tx.execute(text("UPDATE alembic_version SET version_num = :v"), {"v": schema.newest_version()})


def test_a_migration_that_fails_leaves_nothing_behind(empty: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail_at_the_end(config: Config, version: str) -> None:
        upgrade(config, version)
        raise RuntimeError("no more")

    upgrade = command.upgrade
    monkeypatch.setattr(command, "upgrade", fail_at_the_end)
    with pytest.raises(RuntimeError):
        schema.bring_up_to_date(empty)
    with empty.read() as tx:
        assert inspect(tx).get_table_names() == []


def test_databases_that_are_migrated_at_once_each_get_their_own_tables(tmp_path: Path) -> None:
    def made(number: int) -> set[str]:
        with closing(Database(f"sqlite:///{tmp_path}/{number}.db")) as database:
            schema.bring_up_to_date(database)
            with database.read() as tx:
                return set(inspect(tx).get_table_names())

    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(made, range(8)))
    assert found == [{*metadata.tables, "alembic_version"}] * 8
