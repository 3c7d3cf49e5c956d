"""Failed attempts to authenticate, counted by where they come from, so that nobody can try keys at leisure."""

import ipaddress
import math
import time
from typing import Final

from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import FixedWindowRateLimiter

FAILURES_A_MINUTE: Final = 20
"""From one address. Each process counts by itself: enough against guessing 256 bits, and nothing to share."""

_IPV6_NETWORK: Final = 64
"""Bits of an IPv6 address that a single subscriber does not choose."""


class FailedLogins:
    """How often authentication failed lately, by address. Whoever brings a valid key is not counted here."""

    def __init__(self) -> None:
        self._allowance = RateLimitItemPerMinute(FAILURES_A_MINUTE)
        self._limiter = FixedWindowRateLimiter(MemoryStorage())

    def note(self, address: str) -> int | None:
        """Note a failure; None while they are few, else the seconds after which the next one is answered again."""
        origin = _origin(address)
        return None if self._limiter.hit(self._allowance, origin) else self._left(origin)

    def wait(self, address: str) -> int | None:
        """The seconds after which a failure is answered again; None while there were few."""
        origin = _origin(address)
        return None if self._limiter.test(self._allowance, origin) else self._left(origin)

    def _left(self, origin: str) -> int:
        reset = self._limiter.get_window_stats(self._allowance, origin).reset_time
        return max(1, math.ceil(reset - time.time()))


def _origin(address: str) -> str:
    """The address, or of an IPv6 address the network that its owner moves about in."""
    try:
        read = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if read.version == 4:
        return address
    if read.ipv4_mapped is not None:
        return str(read.ipv4_mapped)
    return str(ipaddress.ip_network((int(read), _IPV6_NETWORK), strict=False))
