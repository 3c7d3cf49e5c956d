"""Remembering what a header's value means, as long as the value is short: nobody may fill the memory with long ones."""

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Final, TypeVar

LONGEST: Final = 256
"""Characters of a value that is remembered; browsers send less than half of that."""

Meaning = TypeVar("Meaning")


def header_cache(maxsize: int) -> Callable[[Callable[[str], Meaning]], Callable[[str], Meaning]]:
    """As :func:`functools.lru_cache`, for functions of a header's value."""

    def decorate(function: Callable[[str], Meaning]) -> Callable[[str], Meaning]:
        remembered = lru_cache(maxsize)(function)

        @wraps(function)
        def meaning(value: str) -> Meaning:
            return remembered(value) if len(value) <= LONGEST else function(value)

        return meaning

    return decorate
