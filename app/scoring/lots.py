"""Drawing lots so that anyone can draw them again (docs/lots.md)."""

from collections.abc import Iterable
from hashlib import sha256


def drawn_order(group: Iterable[str], seed: str) -> tuple[str, ...]:
    """The players of ``group`` in the order drawn: by the SHA-256 of ``seed:player``, the smallest first.

    The order depends on the seed and on who is in the group, and on nothing else. Over seeds every order is equally
    likely, for SHA-256 gives each player a number that says nothing of the others'; that two are equal (1 in 2**256)
    leaves the order to the ids.
    """
    return tuple(sorted(group, key=lambda player: (sha256(f"{seed}:{player}".encode()).digest(), player)))
