"""Giving memory back: the C library keeps what was freed among what is in use, unless it is told not to."""

import ctypes
import gc
from contextlib import suppress


def give_back_memory() -> None:
    """Let the system have the memory that a crowd of connections needed; some ten milliseconds, glibc only."""
    gc.collect()
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
