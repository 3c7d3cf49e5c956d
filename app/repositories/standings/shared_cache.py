"""Ready answers shared between machines in Redis. It may be slow, full of rubbish or gone: then it is as if empty."""

import re
import time
from contextlib import suppress
from typing import Final

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from app.repositories.database.errors import UnusableCacheURL

ANSWER_SECONDS: Final = 0.25
"""How long Redis may take to answer anything."""

REST_SECONDS: Final = 5.0
"""How long Redis is left alone after it failed."""

KEPT_SECONDS: Final = 24 * 3600
"""How long a value is cached: nothing is ever invalidated, so values that nobody reads must expire."""

_PREFIX: Final = b"mafrate:"


_IN_URL: Final = re.compile(r"rediss?://[^/?#]*(/[0-9]*)?(\?[^#]*)?", re.ASCII)


class SharedCache:
    """Values by key in the Redis at ``url``; no method raises when Redis fails.

    Raises:
        UnusableCacheURL: no Redis can be asked by such a URL.
    """

    def __init__(self, url: str) -> None:
        try:
            if not _IN_URL.fullmatch(url):
                raise ValueError
            # redis-py would try again by itself, and make who waits for a table wait for each try.
            self._redis = redis.Redis.from_url(
                url,
                socket_timeout=ANSWER_SECONDS,
                socket_connect_timeout=ANSWER_SECONDS,
                retry=Retry(NoBackoff(), 0),
                client_name="mafrate",
            )
            pool = self._redis.connection_pool
            pool.connection_class(**pool.connection_kwargs)  # says now what it would say at the first table
        except (ValueError, TypeError, redis.RedisError):
            raise UnusableCacheURL("expected redis://host:port/number, such as redis://127.0.0.1:6379/0") from None
        self._resting_until = 0.0

    def get(self, key: str) -> bytes | None:
        """The value, if there is one and Redis says so in time."""
        if self._rests():
            return None
        try:
            value = self._redis.get(_PREFIX + key.encode())
        except redis.RedisError:
            self._rest()
            return None
        return value if isinstance(value, bytes) else None

    def put(self, key: str, value: bytes) -> None:
        """Keep the value, if Redis takes it in time."""
        if self._rests():
            return
        try:
            self._redis.set(_PREFIX + key.encode(), value, ex=KEPT_SECONDS)
        except redis.RedisError:
            self._rest()

    def answers(self) -> bool:
        """Whether Redis can be asked; while it is left alone, it is not."""
        if self._rests():
            return False
        try:
            self._redis.ping()
        except redis.RedisError:
            self._rest()
            return False
        return True

    def close(self) -> None:
        """Close the connections."""
        with suppress(redis.RedisError):
            self._redis.close()

    def _rests(self) -> bool:
        return time.monotonic() < self._resting_until

    def _rest(self) -> None:
        self._resting_until = time.monotonic() + REST_SECONDS
