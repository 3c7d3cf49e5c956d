"""The expected ledger rows of one game, from its first entry on.

Entries and reversals follow from the versions and from the changes in which the season applied player merges. A merge
reverses the game and enters it again with the survivors in its seats, without creating a version.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, Final, NamedTuple

from app.repositories.audits import StoredLedgerRow
from app.repositories.games.ledger import Entry, Seat, lines_read, lines_written
from app.services.audit.differences import UNREADABLE, FoundDifference, by_seat, differs
from app.services.audit.people import MergeRevision, People
from app.services.audit.versions import ScoredVersion
from app.services.games.ledger_entries import entries_of

_DONE: Final = {1: "entered", -1: "taken out"}
_COMPARED: Final = (*Seat._fields, "played_on", "points", "lines")


class ExpectedLedger(NamedTuple):
    """What a game's rows must be."""

    rows: Sequence[StoredLedgerRow]
    standing: Sequence[StoredLedgerRow]
    """Those of the entry in force; none when there is none."""
    followed: Sequence[int]
    """The revisions under which the game was entered again for merged players' survivors."""


def ledger_of(
    game_id: int,
    read: Sequence[ScoredVersion],
    found: Sequence[StoredLedgerRow],
    follows: Sequence[MergeRevision],
    people: People,
) -> ExpectedLedger:
    """Return the ledger rows that a game must have.

    Args:
        game_id: the row number of the game.
        read: all versions of the game.
        found: the game's actual ledger rows, consulted if the result of a merge is unknown.
        follows: the revisions in which the season applied merges.
        people: the players of the club.
    """
    rows: list[StoredLedgerRow] = []
    standing: list[StoredLedgerRow] = []
    followed = []
    hints = {(row.revision, row.number): row.seat.player_id for row in found if row.sign == 1}
    touched = {row.revision for row in found}
    has_more = len(touched.difference(one.version.revision for one in read)) > 0
    for i, one in enumerate(read):
        revision = one.version.revision
        rows += _taken_out(standing, revision)
        standing = _entered(game_id, one) if one.version.status == "counted" else []
        rows += standing
        if not has_more and not people.any_merged([row.seat.player_id for row in standing]):
            continue
        until = read[i + 1].version.revision if i + 1 < len(read) else None
        for follow in follows:
            if follow.revision <= revision or (until is not None and follow.revision >= until):
                continue
            survivors = [
                people.then(row.seat.player_id, follow, hints.get((follow.revision, row.number), row.seat.player_id))
                for row in standing
            ]
            # In a season that came from elsewhere two players may be one from the start: then nothing changed.
            merged = survivors != [row.seat.player_id for row in standing]
            if merged or (standing and follow.revision in touched):
                rows += _taken_out(standing, follow.revision)
                standing = [
                    row._replace(revision=follow.revision, seat=row.seat._replace(player_id=survivor))
                    for row, survivor in zip(standing, survivors, strict=True)
                ]
                rows += standing
                followed.append(follow.revision)
    return ExpectedLedger(rows, standing, followed)


def differences(expected: Sequence[StoredLedgerRow], found: Sequence[StoredLedgerRow]) -> Iterator[FoundDifference]:
    """What differs in a game's rows; ``found`` in the order of revisions, signs and seats."""
    wanted = sorted(expected, key=_place)
    if wanted == list(found):
        return
    wanted_groups = {key: list(rows) for key, rows in groupby(wanted, key=_entry)}
    found_groups = {key: list(rows) for key, rows in groupby(found, key=_entry)}
    for revision, sign in sorted({*wanted_groups, *found_groups}):
        mine, theirs = (groups.get((revision, sign), []) for groups in (wanted_groups, found_groups))
        done = f"{_DONE.get(sign, sign)} under revision {revision}"
        if not mine or not theirs:
            yield differs(f"rows {done}", len(mine), len(theirs))
        else:
            yield from _rows(done, {row.number: row for row in mine}, {row.number: row for row in theirs})


def _rows(
    done: str, expected: dict[int, StoredLedgerRow], found: dict[int, StoredLedgerRow]
) -> Iterator[FoundDifference]:
    seats = expected.keys() | found.keys()
    yield from by_seat(f"rows {done}", *({seat: int(seat in rows) for seat in seats} for rows in (expected, found)))
    for seat in sorted(expected.keys() & found.keys()):
        for name, wanted, got in zip(_COMPARED, _compared(expected[seat]), _compared(found[seat]), strict=True):
            if wanted != got:
                yield FoundDifference(None, seat, f"{name} {done}", wanted, got)


def _compared(row: StoredLedgerRow) -> tuple[Any, ...]:
    return (*row.seat, row.played_on, row.points, _lines(row.lines))


def _lines(written: Any) -> Any:
    """The lines of a row, or what stands there instead."""
    try:
        return lines_read(written)
    except UNREADABLE:
        return written


def _entered(game_id: int, read: ScoredVersion) -> list[StoredLedgerRow]:
    game = read.breakdown.game
    if game.played_on is None or game.outcome is None:
        return []  # it cannot count; its status says so
    entries = entries_of(read.breakdown, read.seats, game_id=game_id, played_on=game.played_on)
    return [_stored(entry, read.version.revision) for entry in entries]


def _stored(entry: Entry, revision: int) -> StoredLedgerRow:
    points = sum([line.points for line in entry.lines])
    lines = lines_written(entry.lines)
    return StoredLedgerRow(entry.game_id, revision, 1, entry.number, entry.played_on, entry.seat, points, lines)


def _taken_out(rows: Sequence[StoredLedgerRow], revision: int) -> list[StoredLedgerRow]:
    return [row._replace(revision=revision, sign=-1) for row in rows]


def _place(row: StoredLedgerRow) -> tuple[int, int, int]:
    return row.revision, row.sign, row.number


def _entry(row: StoredLedgerRow) -> tuple[int, int]:
    return row.revision, row.sign
