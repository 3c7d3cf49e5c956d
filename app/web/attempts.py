"""Failed authentications, counted by address in this process; whoever has a valid key is never counted."""

import math
import time
from typing import Final

from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import FixedWindowRateLimiter

ALLOWED_A_MINUTE: Final = 20


class FailedAttempts:
    """So many failures a minute are answered as such; the next ones are told to wait."""

    def __init__(self, allowed: int = ALLOWED_A_MINUTE) -> None:
        self._allowed = RateLimitItemPerMinute(allowed)
        self._limiter = FixedWindowRateLimiter(MemoryStorage())

    def note(self, address: str) -> int | None:
        """Note a failure; the seconds to wait when there were too many."""
        if self._limiter.hit(self._allowed, address):
            return None
        reset, _ = self._limiter.get_window_stats(self._allowed, address)
        return max(1, math.ceil(reset - time.time()))
