"""Close words, and letters of two alphabets that look the same."""

import pytest

from app.spelling import TO_CYRILLIC, TO_LATIN, nearest


@pytest.mark.parametrize(
    "word, most, expected",
    [("blak", 1, ("black",)), ("blak", 2, ("black", "slack")), ("?", 1, ()), ("", 1, ())],
)
def test_the_closest_words_come_first(word: str, most: int, expected: tuple[str, ...]) -> None:
    assert nearest(word, ["red", "slack", "black"], most) == expected


def test_letters_that_look_alike_are_told_both_ways() -> None:
    cyrillic, latin = "\u0441\u043e\u0440\u0443", "copy"
    assert cyrillic.translate(TO_LATIN) == latin
    assert latin.translate(TO_CYRILLIC) == cyrillic
