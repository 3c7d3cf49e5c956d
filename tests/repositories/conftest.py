"""Every test of storage runs on both databases."""

from tests.databases import (  # noqa: F401  pytest finds fixtures by name
    _kept_postgresql,
    _kept_sqlite,
    database,
    database_url,
    empty_database_url,
)
