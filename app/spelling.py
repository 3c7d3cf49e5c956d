"""Which known word an unknown one probably is, and letters of two alphabets that look the same."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

_LATIN: Final = "abcehijkmopstxy"
_CYRILLIC: Final = "авсеніјкморѕтху"
TO_LATIN: Final = str.maketrans(_CYRILLIC, _LATIN)
"""Small Cyrillic letters as the Latin letters that they look like."""
TO_CYRILLIC: Final = str.maketrans(_LATIN, _CYRILLIC)


def nearest(word: str, known: Iterable[str], most: int = 1) -> tuple[str, ...]:
    """Return up to ``most`` known words that are close to ``word``, the closest first."""
    return tuple(get_close_matches(word, list(known), most))
