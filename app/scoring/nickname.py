"""Nicknames: how they are written and when two are the same."""

import re
import unicodedata
from functools import lru_cache
from typing import Annotated, Any, Final

from idna import valid_contextj
from pydantic import BeforeValidator, StringConstraints, TypeAdapter, ValidationError, ValidationInfo
from pydantic_core import PydanticCustomError

from app.patterns import PLAIN_TEXT

AS_STORED: Final = "as stored"
"""The context in which nicknames are read as they are: older services stored invisible characters."""

IGNORABLE: Final = (
    *((0x00AD, 0x00AD), (0x034F, 0x034F), (0x061C, 0x061C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F)),
    *((0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x2800, 0x2800), (0x3164, 0x3164), (0xFE00, 0xFE0F)),
    *((0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A)),
    (0xE0000, 0xE0FFF),
)
"""First and last of each range of characters that show nothing: Default_Ignorable_Code_Point and Bidi_Control of
Unicode 17.0, which are the same since 14.0, and the blank Braille pattern (U+2800)."""

_MOST: Final = 64
_JOINERS: Final = "\u200c\u200d"
_DROPPED: Final = re.compile(f"(?![{_JOINERS}])[{''.join(f'{chr(first)}-{chr(last)}' for first, last in IGNORABLE)}]")
_RUN: Final = re.compile(f"([{_JOINERS}]+)")
_LONGEST_WITH_JOINERS: Final = 4 * _MOST
"""Characters; in longer texts no joiner stays: whatever they are, they are no nicknames."""
_INVISIBLE: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp", "Zs", "Mn", "Me"})
"""Categories of characters that show nothing, or nothing by themselves."""


def without_invisible(text: str) -> str:
    """``text`` without :data:`IGNORABLE` characters; joiners stay where RFC 5892, A.1 and A.2, allow them."""
    if text.isascii():
        return text
    text = _DROPPED.sub("", text)
    return _with_allowed_joiners(text) if _RUN.search(text) else text


def _with_allowed_joiners(text: str) -> str:
    """Of each run of joiners at most the first that may stand there, judged as if those after it were gone."""
    bare, *pairs = _RUN.split(text)
    letters = _RUN.sub("", text)
    if len(text) > _LONGEST_WITH_JOINERS:
        return letters
    kept, at = bare, len(bare)
    for run, part in zip(pairs[::2], pairs[1::2], strict=True):
        kept += next((joiner for joiner in dict.fromkeys(run) if _may_join(kept, joiner, letters[at:])), "") + part
        at += len(part)
    return kept


def _may_join(before: str, joiner: str, after: str) -> bool:
    try:
        return valid_contextj(before + joiner + after, len(before))
    except ValueError:  # beside a character without a name
        return False


@lru_cache(maxsize=16384)
def _visible(text: str) -> str:
    shown = without_invisible(text)
    if not text.isspace() and all(unicodedata.category(character) in _INVISIBLE for character in shown):
        raise PydanticCustomError("invisible", "expected a visible character")
    return shown


def as_sent(value: Any, info: ValidationInfo) -> Any:
    """A sent nickname as it will be stored, but for outer spaces."""
    if type(value) is not str or value.isascii() or info.context == AS_STORED:
        return value
    # Nothing long is remembered.
    return _visible(value) if len(value) <= _LONGEST_WITH_JOINERS else _visible.__wrapped__(value)


SHAPE: Final = StringConstraints(strict=True, strip_whitespace=True, min_length=1, max_length=_MOST, pattern=PLAIN_TEXT)
Nickname = Annotated[str, SHAPE, BeforeValidator(as_sent)]
"""1 to 64 characters, one of them visible, without control characters; invisible ones dropped, outer spaces trimmed."""

_ADAPTER: Final = TypeAdapter[str](Nickname)


def is_nickname(value: object) -> bool:
    """Whether ``value`` is a nickname exactly as it is stored, or as an older service stored it."""
    try:
        return bool(_ADAPTER.validate_python(value, context=AS_STORED) == value)
    except ValidationError:
        return False


@lru_cache(maxsize=16384)
def folded(nickname: str) -> str:
    """What nicknames are compared by: visible characters, NFKC, case folded, inner spaces folded; ё is not е."""
    return strictly_folded(without_invisible(nickname))


@lru_cache(maxsize=16384)
def strictly_folded(nickname: str) -> str:
    """What nicknames were compared by when invisible characters still told them apart."""
    composed = unicodedata.normalize("NFKC", nickname)
    return " ".join(unicodedata.normalize("NFKC", composed.casefold()).split())
