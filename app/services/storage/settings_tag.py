"""The tag of a thing's settings: what a change of them may be conditional on. What others add does not alter it."""

import hashlib
from collections.abc import Collection
from typing import Final

from app.services.errors import PreconditionFailed

_ANY: Final = "*"
_CHARACTERS: Final = 16


def settings_tag(*settings: object) -> str:
    """Return the tag of some settings, identity included; equal settings have equal tags."""
    return hashlib.sha256(repr(settings).encode()).hexdigest()[:_CHARACTERS]


def demand_settings(expected: Collection[str], tag: str) -> None:
    """Check that ``tag`` is among the tags that the caller expects; ``*`` expects whatever there is.

    A tag may go on after the settings, with a dot.

    Raises:
        PreconditionFailed: the caller knows other settings.
    """
    if _ANY not in expected and not any(one.partition(".")[0] == tag for one in expected):
        raise PreconditionFailed
