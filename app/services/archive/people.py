"""Match the keys and players of an archive with those of the importing club."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Final, NamedTuple

from app.repositories.archive import season_rows
from app.repositories.archive.season_rows import TableRows
from app.repositories.clubs import players as people
from app.repositories.clubs.clubs import Club
from app.repositories.database import Transaction
from app.repositories.database.ids import new_id
from app.scoring.text import words
from app.services.errors import Conflict

_APART: Final = words(
    "Под этими никами в клубе и в архиве разные игроки: {}. Переименуйте их в клубе.",
    "These nicknames belong to different players in the club and in the archive: {}.",
)


class People(NamedTuple):
    """Row numbers in this database by row number in the archive, and IDs that had to change."""

    numbers: Mapping[int, int]
    renamed: Mapping[str, str]
    created: int
    """How many are new to the club."""


def keys(tx: Transaction, club: Club, part: TableRows, rows: Iterable[dict[str, Any]], now: datetime) -> People:
    """Match keys by ID, or create them as revoked records that grant no access."""
    listed = list(rows)
    holders = season_rows.holders(tx, part.name, [row["public_id"] for row in listed])
    numbers: dict[int, int] = {}
    renamed: dict[str, str] = {}
    for row in listed:
        holder, of = holders.get(row["public_id"], (None, None))
        if holder is not None and of == club.id:
            numbers[row["id"]] = holder
            continue
        public_id = row["public_id"] if holder is None else new_id("k")
        adapted = {**row, "public_id": public_id, "club_id": club.id, "revoked_at": row["revoked_at"] or now}
        numbers[row["id"]] = season_rows.add(tx, part, adapted)
        renamed[row["public_id"]] = public_id
    return People(numbers, _others(renamed), len(renamed))


def players(
    tx: Transaction, club: Club, part: TableRows, rows: Iterable[dict[str, Any]], names: Mapping[int, Mapping[str, str]]
) -> People:
    """Match players by ID or nickname, or create them.

    Args:
        tx: a transaction that holds the lock of the club.
        club: the importing club.
        part: the columns of a player.
        rows: the players of the archive; merged players must come last.
        names: all nicknames of each player in the archive, by row number and by folded nickname.

    Raises:
        Conflict: ``nickname_taken``: a nickname belongs to another player in the club, or two players of the archive
            are one in the club.
    """
    meeting = _PlayerMatching(tx, club, part, list(rows), names)
    for row in meeting.rows:
        if row["merged_into"] is None:
            meeting.take_in(row)
        else:
            meeting.take_in_merged(row)
    if meeting.apart:
        listed = sorted(meeting.apart)
        raise Conflict("nickname_taken", _APART, ", ".join(listed), nicknames=listed)
    return People(meeting.numbers, _others(meeting.renamed), meeting.created)


class _PlayerMatching:
    """The players of an archive and those of a club, matched where they are the same."""

    def __init__(
        self,
        tx: Transaction,
        club: Club,
        part: TableRows,
        rows: list[dict[str, Any]],
        names: Mapping[int, Mapping[str, str]],
    ) -> None:
        self.rows = rows
        self.numbers: dict[int, int] = {}
        self.renamed: dict[str, str] = {}
        self.apart: set[str] = set()
        self.created = 0
        self._tx, self._club, self._part, self._names = tx, club, part, names
        ids = [row["public_id"] for row in rows]
        self._taken = season_rows.holders(tx, part.name, ids)
        self._by_id = people.by_public_ids(tx, club.id, ids)
        self._named = people.named(tx, club.id, {claim for known in names.values() for claim in known})
        self._survivors = people.survivors(tx, self._by_id.values())
        self._met: set[int] = set()

    def take_in(self, row: dict[str, Any]) -> None:
        """Import a player who was not merged, with the nicknames that are new to the club."""
        claims = self._names.get(row["id"], {})
        meant = {player.id: player for claim in claims if (player := self._named.get(claim))}
        if same := self._by_id.get(row["public_id"]):
            same = self._survivors[same.id]
            meant[same.id] = same
        if len(meant) > 1 or not self._met.isdisjoint(meant):
            self.apart.add(row["nickname"])
            return
        for player in meant.values():
            self._note(row, player.id, player.public_id)
        if not meant:
            self._make(row, None)
        number = self.numbers[row["id"]]
        self._met.add(number)
        new = {claim: name for claim, name in claims.items() if claim not in self._named}
        people.claim(self._tx, self._club.id, number, new)

    def take_in_merged(self, row: dict[str, Any]) -> None:
        """A player who was merged into another there, and is so here."""
        survivor = self.numbers.get(row["merged_into"])
        if survivor is None:
            return  # who is apart himself
        same = self._by_id.get(row["public_id"])
        if same is None:
            self._make(row, survivor)
        elif survivor in (same.id, same.merged_into):
            self._note(row, same.id, same.public_id)
        else:
            self.apart.add(row["nickname"])

    def _make(self, row: dict[str, Any], survivor: int | None) -> None:
        public_id = new_id("p") if row["public_id"] in self._taken else row["public_id"]
        adapted = {**row, "public_id": public_id, "club_id": self._club.id, "merged_into": survivor}
        self._note(row, season_rows.add(self._tx, self._part, adapted), public_id)
        self.created += 1

    def _note(self, row: dict[str, Any], number: int, public_id: str) -> None:
        self.numbers[row["id"]] = number
        self.renamed[row["public_id"]] = public_id


def _others(renamed: Mapping[str, str]) -> dict[str, str]:
    return {before: after for before, after in renamed.items() if before != after}
