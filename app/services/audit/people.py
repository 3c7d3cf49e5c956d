"""Who is who in a club, now and at any time before: merged players are their survivors."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Final, NamedTuple

from app.repositories import audits
from app.repositories.audits import ChangeRow
from app.repositories.clubs import players as people
from app.repositories.database import Transaction
from app.scoring.exact_json import loads
from app.scoring.nickname import folded, strictly_folded

MERGED: Final = "player_merged"


class MergeRevision(NamedTuple):
    """A revision under which a season followed the merges of its players, and what was written down about it."""

    revision: int
    change: int
    at: datetime


class Merge(NamedTuple):
    """The time of a merge and the surviving player, who may have been merged later."""

    revision: int | None
    """Of the season that is looked at; None where it was closed or had no game of his."""
    change: int
    at: datetime
    into: str


def merge_of(change: ChangeRow, revision: int | None) -> Merge | None:
    """The merge that a change records; None where it cannot be read, which is reported elsewhere."""
    try:
        into = loads(change.detail or "")["into"]
    except (ValueError, LookupError, TypeError):
        return None
    return Merge(revision, change.id, change.at, into) if isinstance(into, str) else None


class People:
    """The players of a club and their merges.

    Args:
        tx: the transaction to read in.
        club_id: the row number of the club.
        merges: merges that the season applied immediately, by the public ID of the merged player.
        follows: whether the season applied any merges, including late ones.
    """

    def __init__(self, tx: Transaction, club_id: int, merges: Mapping[str, Merge], *, follows: bool) -> None:
        players = people.of_club(tx, club_id)
        self._nicknames = audits.nicknames(tx, club_id)
        self.ids = {number: player.public_id for number, player in players.items()}
        self.numbers = {public_id: number for number, public_id in self.ids.items()}
        self._merged = {n: player.merged_into for n, player in players.items() if player.merged_into is not None}
        self._merges = dict(merges)
        if follows and self._merged:
            for change in audits.changes_of(tx, club_id, MERGED):
                if change.target not in self._merges and (merge := merge_of(change, None)):
                    self._merges[change.target] = merge

    def named(self, nickname: str) -> int | None:
        """Whom a nickname in stored facts means.

        Where invisible characters told two players apart, they still do.
        """
        return self._nicknames.get(strictly_folded(nickname)) or self._nicknames.get(folded(nickname))

    def now(self, number: int) -> int:
        """Who a player is now."""
        return self._merged.get(number, number)

    def any_merged(self, numbers: Collection[int]) -> bool:
        """Whether one of these was ever merged."""
        return not self._merged.keys().isdisjoint(numbers)

    def then(self, number: int, follow: MergeRevision, hint: int) -> int:
        """Return the ID a player had after the season applied the merges known at ``follow``.

        Merges that the season applied late are ordered by the change log; in an imported season, by time. If nothing is
        known about a merge, accept ``hint`` (the ID found in the data) if it resolves to the same person.
        """
        by_change = self._then(number, follow, by_clock=False)
        if hint == by_change:
            return by_change
        if hint == self._then(number, follow, by_clock=True):
            return hint
        is_taken = not self.is_known(by_change) and self.now(hint) == self.now(by_change)
        return hint if is_taken else by_change

    def is_known(self, number: int) -> bool:
        """Whether the time of the player's merge is known. True if the player was never merged."""
        return number not in self._merged or self.ids[number] in self._merges

    def _then(self, number: int, follow: MergeRevision, *, by_clock: bool) -> int:
        for _ in range(len(self._merges)):
            merge = self._merges.get(self.ids.get(number, ""))
            if merge is None or merge.into not in self.numbers:
                break
            if merge.revision is not None:
                has_happened = merge.revision <= follow.revision
            elif by_clock:
                has_happened = merge.at <= follow.at
            else:
                has_happened = merge.change <= follow.change
            if not has_happened:
                break
            number = self.numbers[merge.into]
        return number
