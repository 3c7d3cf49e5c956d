"""Tests of use cases run on both databases."""

from tests.caches import redis_url  # noqa: F401
from tests.databases import _kept_postgresql, _kept_sqlite, database, database_url  # noqa: F401  found by name
