"""Which known word an unknown one probably is, and letters of two alphabets that look the same."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Final

_LATIN: Final = "abcehijkmopstxy"
_CYRILLIC: Final = "авсеніјкморѕтху"
TO_LATIN: Final = str.maketrans(_CYRILLIC, _LATIN)
"""Small Cyrillic letters as the Latin letters that they look like."""
TO_CYRILLIC: Final = str.maketrans(_LATIN, _CYRILLIC)


class Spellings:
    """Known words, prepared so that those close to many others are found quickly."""

    def __init__(self, known: Iterable[str]) -> None:
        self._known = [(word, len(word), _letters(word)) for word in known]

    def nearest(self, word: str, most: int = 1) -> tuple[str, ...]:
        """Return what :func:`nearest` does, which compares far fewer words."""
        length, letters = len(word), _letters(word)
        # Two words are as close as they have letters in common, and no closer.
        near = [one for one, n, own in self._known if 10 * (letters & own).bit_count() >= 3 * (length + n)]
        places = dict.fromkeys(word, 0)
        for place, letter in enumerate(word):
            places[letter] |= 1 << place
        return nearest(
            word, [one for one in near if 10 * _in_order(places, length, one) >= 3 * (length + len(one))], most
        )


def _letters(word: str) -> int:
    """A bit for each letter: for the second of a kind another than for the first. Some kinds share their bits."""
    found = 0
    for letter in word:
        bit = 1 << (ord(letter) & 63)
        while found & bit:
            bit <<= 64
        found |= bit
    return found


def _in_order(places: Mapping[str, int], length: int, other: str) -> int:
    """How many letters of a word ``other`` has in the same order; ``places``: bits of each letter's places in it."""
    whole = (1 << length) - 1
    left = whole
    for letter in other:
        at = left & places.get(letter, 0)
        left = ((left + at) | (left - at)) & whole
    return length - left.bit_count()


def nearest(word: str, known: Iterable[str], most: int = 1) -> tuple[str, ...]:
    """Return up to ``most`` known words that are close to ``word``, the closest first."""
    return tuple(get_close_matches(word, list(known), most))
