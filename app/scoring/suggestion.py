"""What somebody who wrote an unknown word probably meant."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

_HINTS: Final = {"ru": "; может быть, {}?", "en": "; did you mean {}?"}


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that is closest to ``word``; None where none is close."""
    return next(iter(get_close_matches(word, list(known), 1)), None)


def did_you_mean(word: str, known: Iterable[str], language: str = "en") -> str:
    """The end of an error message: ``; did you mean wins?``, or nothing where no known word is close."""
    near = nearest(word, known)
    return _HINTS[language].format(near) if near else ""
