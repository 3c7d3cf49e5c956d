"""A Redis for tests: ``MAFRATE_TEST_REDIS_URL``, by default the last database of the one on 127.0.0.1.

Without it those tests are skipped, but fail where ``CI`` is set.
"""

import os
from collections.abc import Iterator
from contextlib import closing

import pytest
import redis

_SERVER = os.environ.get("MAFRATE_TEST_REDIS_URL", "redis://127.0.0.1:6379/15")


@pytest.fixture
def redis_url() -> Iterator[str]:
    """The URL of a Redis that answers; what the service keeps there is gone afterwards."""
    with closing(redis.Redis.from_url(_SERVER)) as server:
        try:
            server.ping()
        except redis.RedisError as error:
            if os.environ.get("CI"):
                raise
            pytest.skip(f"no Redis at MAFRATE_TEST_REDIS_URL ({type(error).__name__})")
        yield _SERVER
        for key in server.scan_iter("mafrate:*"):
            server.delete(key)
