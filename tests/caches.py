"""A Redis for tests: the one at ``MAFRATE_TEST_REDIS_URL`` or on 127.0.0.1, a database of it for each process.

Without it those tests are skipped, but fail where ``CI`` is set.
"""

import os
from collections.abc import Iterator
from contextlib import closing

import pytest
import redis

_SERVER = os.environ.get("MAFRATE_TEST_REDIS_URL", "redis://127.0.0.1:6379")
_DATABASE = 15 - int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) % 15


@pytest.fixture
def redis_url() -> Iterator[str]:
    """The URL of a Redis that answers; what the service keeps there is gone afterwards."""
    url = f"{_SERVER}/{_DATABASE}"
    with closing(redis.Redis.from_url(url)) as server:
        try:
            server.ping()
        except redis.RedisError as error:
            if os.environ.get("CI"):
                raise
            pytest.skip(f"no Redis at MAFRATE_TEST_REDIS_URL ({type(error).__name__})")
        yield url
        for key in server.scan_iter("mafrate:*"):
            server.delete(key)
