"""Who may be meant by nicknames of a file that mean nobody."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from app.repositories.database import Transaction
from app.services.clubs.players import nicknames_near, outlines

_SUGGESTED: Final = 200
"""Unknown nicknames of a file that get suggestions: looking for them takes time that others wait for."""
_REMARK: Final = re.compile(r"\([^()]*\)|\[[^][]*\]|\*")
"""What a scorer adds to a nickname: ``Dan (guest)``."""


@dataclass(slots=True)
class Suggestions:
    """Who may be meant by nicknames that mean nobody: looked for once in a file, and only for the first of them."""

    _found: dict[str, Sequence[str]] = field(default_factory=dict)
    _outlines: dict[str, str] | None = None

    def near(self, tx: Transaction, club_id: int, nickname: str) -> Sequence[str]:
        """Nicknames of the club's players that are like an unknown one."""
        if nickname not in self._found and len(self._found) < _SUGGESTED:
            if self._outlines is None:
                self._outlines = outlines(tx, club_id)
            near = nicknames_near(self._outlines, nickname)
            if not near and (bare := _REMARK.sub(" ", nickname).strip()) not in ("", nickname):
                near = nicknames_near(self._outlines, bare)
            self._found[nickname] = near
        return self._found.get(nickname, ())
