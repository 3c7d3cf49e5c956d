"""Which characters of a nickname are kept, and which nicknames are the same."""

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from app.scoring.game import Game
from app.scoring.nickname import IGNORABLE, Nickname, folded, is_nickname, strictly_folded, without_invisible
from app.scoring.systems import find_system

KEPT: TypeAdapter[str] = TypeAdapter(Nickname)

ZWNJ, ZWJ, VIRAMA = "\u200c", "\u200d", "\u094d"
INVISIBLE = {
    "soft hyphen": "\u00ad",
    "combining grapheme joiner": "\u034f",
    "Arabic letter mark": "\u061c",
    "Hangul choseong filler": "\u115f",
    "Khmer inherent vowel": "\u17b4",
    "Mongolian vowel separator": "\u180e",
    "Mongolian variation selector four": "\u180f",
    "zero width space": "\u200b",
    "zero width non-joiner": ZWNJ,
    "zero width joiner": ZWJ,
    "right-to-left mark": "\u200f",
    "right-to-left override": "\u202e",
    "word joiner": "\u2060",
    "isolate": "\u2066",
    "end of an isolate": "\u2069",
    "nominal digit shapes": "\u206f",
    "blank Braille pattern": "\u2800",
    "Hangul filler": "\u3164",
    "variation selector 1": "\ufe00",
    "variation selector 16": "\ufe0f",
    "byte order mark": "\ufeff",
    "halfwidth Hangul filler": "\uffa0",
    "shorthand format": "\U0001bca0",
    "beginning of a beam": "\U0001d173",
    "a tag": "\U000e0041",
    "variation selector 256": "\U000e01ef",
    "reserved": "\U000e0fff",
}


def test_the_ranges_are_those_of_the_unicode_database() -> None:
    """As the package ``regex`` has them, and U+2800."""
    listed = regex.compile(r"[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\u2800]")
    known = {chr(code) for first, last in IGNORABLE for code in range(first, last + 1)}
    assert {chr(code) for code in range(0x110000) if listed.match(chr(code))} == known


@pytest.mark.parametrize("character", INVISIBLE.values(), ids=INVISIBLE)
@pytest.mark.parametrize("place", [0, 2, 4])
def test_a_character_that_shows_nothing_makes_nobody_else(character: str, place: int) -> None:
    for name in ("Аннa", "Anna"):
        written = name[:place] + character + name[place:]
        assert KEPT.validate_python(written) == name
        assert folded(written) == folded(name) != strictly_folded(written)


@pytest.mark.parametrize("character", INVISIBLE.values(), ids=INVISIBLE)
def test_a_name_of_characters_that_show_nothing_is_none(character: str) -> None:
    for written in (character, f" {character}\u00a0{character}", f"{character}\u0301"):
        with pytest.raises(ValidationError):
            KEPT.validate_python(written)


@pytest.mark.parametrize("character", INVISIBLE.values(), ids=INVISIBLE)
def test_two_seats_of_one_name_are_refused(character: str) -> None:
    roles = ["citizen"] * 6 + ["sheriff", "mafia", "mafia", "don"]
    names = ["Ann", f"A{character}nn", *"CDEFGHIJ"]
    along = enumerate(zip(names, roles, strict=True), 1)
    seats = [{"seat": number, "player": name, "role": role} for number, (name, role) in along]
    (found,) = find_system("maffamily").check(Game.read({"outcome": "red", "seats": seats}))
    assert (found.code, found.pointer) == ("player_duplicate", "/seats/1/player")


def test_64_characters_are_counted_when_the_others_are_gone() -> None:
    assert KEPT.validate_python("я\u200b" * 64) == "я" * 64
    with pytest.raises(ValidationError):
        KEPT.validate_python("я\u200b" * 65)
    assert KEPT.validate_python("я" + "\u200b" * 100_000) == "я"


def test_spaces_around_what_is_left_are_trimmed() -> None:
    assert KEPT.validate_python("\u2060 Анна \ufe0f") == "Анна"
    assert folded("Анна\u200b  Ли") == folded("Анна Ли")


@pytest.mark.parametrize(
    "written, kept",
    [
        (f"क{VIRAMA}{ZWJ}ष", True),  # A.2: after a virama
        (f"क{VIRAMA}{ZWNJ}ष", True),  # A.1: after a virama
        (f"क{VIRAMA}{ZWJ}", True),  # what follows does not matter then
        (f"ب{ZWNJ}ب", True),  # A.1: between two letters that join
        (f"ب\u064e{ZWNJ}\u064eب", True),  # transparent marks between them
        (f"ب{ZWNJ}ا", True),  # joins to the right only
        (f"ا{ZWNJ}ب", False),  # does not join to the left
        (f"ب{ZWJ}ب", False),  # A.2 asks for a virama
        (f"क{ZWJ}ष", False),
        (f"{ZWNJ}ب", False),
        (f"ب{ZWNJ}", False),
        (f"ب{ZWNJ}a", False),
        (f"👨{ZWJ}👩", False),
    ],
)
def test_a_joiner_stays_where_rfc_5892_allows_it(written: str, kept: bool) -> None:
    plain = written.replace(ZWJ, "").replace(ZWNJ, "")
    assert KEPT.validate_python(written) == (written if kept else plain)
    assert (folded(written) == folded(plain)) is not kept


def test_of_several_joiners_one_stays() -> None:
    assert without_invisible(f"ب{ZWNJ}{ZWJ}{ZWNJ}\u200b{ZWNJ}ب") == f"ب{ZWNJ}ب"
    assert without_invisible(f"ب{ZWJ}{ZWNJ}ب") == f"ب{ZWNJ}ب"
    assert without_invisible(f"ب{ZWNJ}" * 200_000) == "ب" * 200_000


@settings(deadline=None)
@given(
    st.text(
        st.sampled_from([*INVISIBLE.values(), "a", "Я", "ب", "ا", "\u064e", "क", VIRAMA, " ", "\u0378"]), max_size=80
    )
)
def test_what_is_left_is_left_again_and_shows_the_same(text: str) -> None:
    left = without_invisible(text)
    assert without_invisible(left) == left
    dropped = dict.fromkeys(map(ord, INVISIBLE.values()))
    assert left.translate(dropped) == text.translate(dropped)
    assert folded(left) == folded(text)


def test_what_an_older_service_stored_is_read_as_it_is() -> None:
    game = {"outcome": "red", "seats": [{"seat": 1, "player": "A\u200bnn", "role": "citizen"}]}
    assert [seat.player for seat in Game.stored(game).seats] == ["A\u200bnn"]
    assert [seat.player for seat in Game.read(game).seats] == ["Ann"]
    assert is_nickname("A\u200bnn")
    assert not is_nickname(" Ann")
