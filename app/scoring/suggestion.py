"""What somebody who wrote an unknown word probably meant."""

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The end of an error message: ``; did you mean wins?``, or nothing where no known word is close."""
    near = get_close_matches(word, list(known), 1)
    return f"; did you mean {near[0]}?" if near else ""
