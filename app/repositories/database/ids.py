"""Public ids: short, sortable by creation time, impossible to count by."""

import secrets
import time
from typing import Literal

_DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"
"""Crockford's base 32: no i, l, o, u to misread."""


def new_id(kind: Literal["g", "k", "p", "w", "e", "d"]) -> str:
    """A letter that says of what, then 9 digits of milliseconds and 9 of chance.

    ``g``: a game, ``k``: a key, ``p``: a player, ``w``: a webhook, ``e``: an event that webhooks are told, ``d``: the
    delivery of one.
    """
    number = time.time_ns() // 1_000_000 << 45 | secrets.randbits(45)
    return f"{kind}_" + "".join(_DIGITS[number >> shift & 31] for shift in range(85, -1, -5))
