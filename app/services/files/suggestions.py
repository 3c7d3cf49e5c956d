"""Who may be meant by nicknames of a file that mean nobody."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from app.repositories.database import Transaction
from app.services.clubs.players import KnownNicknames

_SUGGESTED: Final = 200
"""Unknown nicknames of a file that get suggestions: looking for them takes time that others wait for."""
_REMARK: Final = re.compile(r"\([^()]*\)|\[[^][]*\]|\*")
"""What a scorer adds to a nickname: ``Dan (guest)``."""


@dataclass(slots=True)
class Suggestions:
    """Who may be meant by nicknames that mean nobody: looked for once in a file, and only for the first of them."""

    _found: dict[str, Sequence[str]] = field(default_factory=dict)
    _known: KnownNicknames | None = None

    def near(self, tx: Transaction, club_id: int, nickname: str) -> Sequence[str]:
        """Nicknames of the club's players that are like an unknown one."""
        if nickname not in self._found and len(self._found) < _SUGGESTED:
            if self._known is None:
                self._known = KnownNicknames(tx, club_id)
            near = self._known.near(nickname)
            if not near and (bare := _REMARK.sub(" ", nickname).strip()) not in ("", nickname):
                near = self._known.near(bare)
            self._found[nickname] = near
        return self._found.get(nickname, ())
