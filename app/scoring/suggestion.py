"""What somebody who wrote an unknown word probably meant."""

from collections.abc import Iterable, Sequence
from typing import Final

from app.scoring.text import Text, words
from app.spelling import nearest

_NOTHING: Final = words("", "")


def perhaps(near: Sequence[str]) -> Text:
    """Return the end of a message: ``; did you mean wins?`` for the first of the close words, or nothing."""
    return words(f"; может быть, {near[0]}?", f"; did you mean {near[0]}?") if near else _NOTHING


def did_you_mean(word: str, known: Iterable[str], language: str = "en") -> str:
    """Return the end of a message that suggests the closest known word, or nothing if none is close."""
    return perhaps(nearest(word, known)).say(language)
