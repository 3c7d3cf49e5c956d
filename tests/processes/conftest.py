"""A running service is tried on both databases."""

from tests.databases import _kept_postgresql, _kept_sqlite, database, database_url  # noqa: F401  found by name
