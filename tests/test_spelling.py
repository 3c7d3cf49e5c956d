"""Close words, and letters of two alphabets that look the same."""

from random import Random

import pytest

from app.spelling import TO_CYRILLIC, TO_LATIN, Spellings, nearest


@pytest.mark.parametrize(
    "word, most, expected",
    [("blak", 1, ("black",)), ("blak", 2, ("black", "slack")), ("?", 1, ()), ("", 1, ())],
)
def test_the_closest_words_come_first(word: str, most: int, expected: tuple[str, ...]) -> None:
    assert nearest(word, ["red", "slack", "black"], most) == expected


def test_prepared_words_are_as_close_as_others() -> None:
    """Of 2,000 made-up nicknames: what is passed over is not close."""
    chance = Random(1)
    known = ["".join(chance.choices("abcdeдежи ", k=chance.randint(1, 12))) for _ in range(2000)]
    prepared = Spellings(known)
    for word in [*known[:20], "", "a" * 70, *("".join(chance.choices("abcdeдежиx", k=7)) for _ in range(20))]:
        assert prepared.nearest(word, 6) == nearest(word, known, 6)


def test_letters_that_look_alike_are_told_both_ways() -> None:
    cyrillic, latin = "\u0441\u043e\u0440\u0443", "copy"
    assert cyrillic.translate(TO_LATIN) == latin
    assert latin.translate(TO_CYRILLIC) == cyrillic
