"""``If-Match``: which versions a client takes for current (RFC 9110, 13.1.1)."""

import re
from typing import Final

_TAG: Final = re.compile(r'(W/)?"([\x21\x23-\x7e\x80-\xff]*)"')


def tags_of(if_match: str | None) -> frozenset[str] | None:
    """The strong entity tags that ``If-Match`` names, without quotes, or ``*``; None when the header is absent.

    A weak tag matches nothing here (RFC 9110, 8.8.3.2) and neither does what is no tag at all. A ``*`` in quotes is a
    tag, which no version has.
    """
    if if_match is None:
        return None
    if if_match.strip() == "*":
        return frozenset("*")
    return frozenset(found[2] for found in _TAG.finditer(if_match) if not found[1] and found[2] != "*")
