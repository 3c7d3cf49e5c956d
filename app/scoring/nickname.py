"""Nicknames: how they are written and when two are the same (API.md, "A game")."""

import unicodedata
from functools import lru_cache
from typing import Annotated

from pydantic import StringConstraints

Nickname = Annotated[
    str,
    StringConstraints(
        strict=True, strip_whitespace=True, min_length=1, max_length=64, pattern="^[^\\x00-\\x1f\\x7f-\\x9f]*$"
    ),
]
"""1 to 64 characters without control characters, outer spaces trimmed."""


@lru_cache(maxsize=16384)
def folded(nickname: str) -> str:
    """What nicknames are compared by: NFKC, case folded, trimmed, inner spaces folded; ё is not е."""
    composed = unicodedata.normalize("NFKC", nickname)
    return " ".join(unicodedata.normalize("NFKC", composed.casefold()).split())
