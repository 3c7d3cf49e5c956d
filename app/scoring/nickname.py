"""Nicknames: how they are written and when two are the same."""

import unicodedata
from functools import lru_cache
from typing import Annotated, Final

from pydantic import StringConstraints, TypeAdapter, ValidationError

from app.patterns import PLAIN_TEXT

Nickname = Annotated[
    str,
    StringConstraints(strict=True, strip_whitespace=True, min_length=1, max_length=64, pattern=PLAIN_TEXT),
]
"""1 to 64 characters without control characters, outer spaces trimmed."""

_ADAPTER: Final = TypeAdapter[str](Nickname)


def is_nickname(value: object) -> bool:
    """Whether ``value`` is a nickname exactly as it is stored."""
    try:
        return bool(_ADAPTER.validate_python(value) == value)
    except ValidationError:
        return False


@lru_cache(maxsize=16384)
def folded(nickname: str) -> str:
    """What nicknames are compared by: NFKC, case folded, trimmed, inner spaces folded; ё is not е."""
    composed = unicodedata.normalize("NFKC", nickname)
    return " ".join(unicodedata.normalize("NFKC", composed.casefold()).split())
