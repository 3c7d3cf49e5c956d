"""Patterns of slugs, ids and plain texts."""

import re

import pytest

from app.patterns import ANY_ID, GAME_ID, KEY_ID, PLAIN_TEXT, PLAYER_ID, SLUG
from app.repositories.database.ids import new_id


def test_new_ids_fit_their_patterns() -> None:
    for id, pattern in ((new_id("g"), GAME_ID), (new_id("k"), KEY_ID), (new_id("p"), PLAYER_ID)):
        assert re.fullmatch(pattern, id)
        assert re.fullmatch(ANY_ID, id)
    assert not re.fullmatch(GAME_ID, new_id("p"))


@pytest.mark.parametrize("slug, fits", [("2025-spring", True), ("-a", False), ("A", False), ("a" * 64, False)])
def test_slugs_are_small_letters_digits_and_hyphens(slug: str, fits: bool) -> None:
    assert bool(re.fullmatch(SLUG, slug)) is fits


@pytest.mark.parametrize("text, fits", [("Клуб «М»", True), ("", True), ("a\tb", False), ("a\x85b", False)])
def test_plain_texts_have_no_control_characters(text: str, fits: bool) -> None:
    assert bool(re.fullmatch(PLAIN_TEXT, text)) is fits
