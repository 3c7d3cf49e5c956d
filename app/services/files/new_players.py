"""The players that an import creates, beside known ones whose nicknames are alike."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from app.services.games.checked_game import Suggest

MOST_NAMED: Final = 200


class NewPlayer(NamedTuple):
    """A nickname that nobody had."""

    nickname: str
    like: Sequence[str]
    """Nicknames of players who may be meant."""


@dataclass(slots=True)
class NewPlayers:
    """The first players that a file creates, and how many more."""

    named: list[NewPlayer] = field(default_factory=list)
    more: int = 0

    def add(self, nicknames: Iterable[str], suggest: Suggest) -> None:
        """Note nicknames that nobody has yet; ``suggest`` finds who has a similar one."""
        for nickname in nicknames:
            if len(self.named) < MOST_NAMED:
                self.named.append(NewPlayer(nickname, suggest(nickname)))
            else:
                self.more += 1
