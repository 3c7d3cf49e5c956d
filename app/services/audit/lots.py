"""The lots of a season: drawn once for a group, and recorded again for the survivors of merged players."""

from collections.abc import Iterator, Sequence, Set

from app.repositories.standings.lots import Lot, WithdrawnLot
from app.scoring.lots import drawn_order
from app.services.audit.differences import FoundDifference, differs
from app.services.audit.people import MergeRevision, People
from app.services.audit.season import SeasonRecord
from app.services.standings.lots import lot_id, was_drawn_here


def differences(
    present: Sequence[Lot],
    withdrawn: Sequence[WithdrawnLot],
    record: SeasonRecord,
    followed: Set[int],
    people: People,
) -> Iterator[FoundDifference]:
    """What differs in the lots of a season.

    Args:
        present: those that were not withdrawn, the first recorded first.
        withdrawn: the others.
        record: what was written down about the season.
        followed: the revisions under which a game was entered again for survivors.
        people: of the club.
    """
    lots = sorted([*present, *(one.lot for one in withdrawn)], key=lambda lot: lot.revision)
    for revision, detail in record.draws.items():
        if not any(lot.revision == revision for lot in lots):
            yield differs(f"lot drawn under revision {revision}", detail, None)
    for lot in lots:
        yield from _possible(lot, people)
        yield from _drawn(lot, record) if lot.revision in record.draws else _recorded_anew(lot, lots, record, people)
    for follow in record.follows:
        if follow.revision in followed or follow.revision in record.merging:
            gone = {one.lot for one in withdrawn if one.withdrawn_in <= follow.revision}
            yield from _missing(follow, [lot for lot in lots if lot not in gone], people)
    yield from _withdrawn(present, withdrawn, record)


def _withdrawn(
    present: Sequence[Lot], withdrawn: Sequence[WithdrawnLot], record: SeasonRecord
) -> Iterator[FoundDifference]:
    """Each was drawn at the table, and withdrawn as a whole when that was written down."""
    first: dict[int, Lot] = {}
    for one in withdrawn:
        first.setdefault(one.withdrawn_in, one.lot)
    for revision in sorted({*first, *record.withdrawals}):
        lot, detail = first.get(revision), record.withdrawals.get(revision)
        expected = None if lot is None else {"lot": lot_id(lot), "drawn": list(lot.drawn)}
        if detail != expected:
            yield differs(f"lot withdrawn under revision {revision}", detail, expected)
    for one in withdrawn:
        what = f"withdrawal of the lot of revision {one.lot.revision}"
        if one.withdrawn_in <= one.lot.revision:
            yield differs(what, "under a later revision", one.withdrawn_in)
        if any(_author(lot) == _author(one.lot) for lot in present):
            yield differs(what, "of all that merges made of it", "of a part")
        if was_drawn_here(record.draws.get(one.lot.revision)):
            yield differs(what, "none, for it was drawn here", one.withdrawn_in)


def _possible(lot: Lot, people: People) -> Iterator[FoundDifference]:
    what = f"lot of revision {lot.revision}"
    if list(lot.tied) != sorted(set(lot.tied)):
        yield differs(f"group of the {what}", "each player once, in order", lot.tied)
    if sorted(lot.drawn) != list(lot.tied):
        yield differs(f"order of the {what}", f"of {lot.tied}", lot.drawn)
    strangers = [player for player in lot.tied if player not in people.numbers]
    if strangers:
        yield differs(f"group of the {what}", "players of the club", strangers)


def _drawn(lot: Lot, record: SeasonRecord) -> Iterator[FoundDifference]:
    """What was written down when it was drawn; where it was drawn here, what its seed gives."""
    expected, found = record.draws[lot.revision], {"drawn": list(lot.drawn), "seed": lot.seed}
    if not record.has_own_ids and lot.seed is None and isinstance(expected, dict):
        expected = {**expected, "seed": None}  # of other ids it would give another order
    if expected != found:
        yield differs(f"lot of revision {lot.revision}", expected, found)
    order = lot.drawn if lot.seed is None else drawn_order(lot.tied, lot.seed)
    if order != lot.drawn:
        yield differs(f"order that the seed of revision {lot.revision} gives", order, lot.drawn)


def _recorded_anew(lot: Lot, lots: Sequence[Lot], record: SeasonRecord, people: People) -> Iterator[FoundDifference]:
    """It is an earlier one with survivors in the places of the merged."""
    follow = next((one for one in record.follows if one.revision == lot.revision), None)
    if follow is None:
        yield differs(f"lot of revision {lot.revision}", "drawn then", "nothing written down")
        return
    same = [one for one in lots if one.revision < lot.revision and _author(one) == _author(lot)]
    if not any(_followed(one, follow, people, lot) == lot.drawn for one in same):
        yield differs(f"lot of revision {lot.revision}", "an earlier one with survivors in it", lot.drawn)


def _missing(follow: MergeRevision, lots: Sequence[Lot], people: People) -> Iterator[FoundDifference]:
    groups = {lot.tied for lot in lots if lot.revision <= follow.revision}
    for lot in lots:
        if lot.revision < follow.revision:
            drawn = _followed(lot, follow, people)
            group = tuple(sorted(set(drawn)))
            is_known = all(people.is_known(people.numbers[player]) for player in drawn if player in people.numbers)
            if is_known and len(group) == len(drawn) and group not in groups:
                yield differs(f"lot of revision {lot.revision} recorded anew under {follow.revision}", drawn, None)


def _author(lot: Lot) -> tuple[object, ...]:
    return lot.key_id, lot.role, lot.at, lot.seed


def _followed(lot: Lot, follow: MergeRevision, people: People, hint: Lot | None = None) -> tuple[str, ...]:
    """The players of a lot in the order drawn, each who he was once a change was made."""
    hints = lot.drawn if hint is None or len(hint.drawn) != len(lot.drawn) else hint.drawn
    found = []
    for player, likely in zip(lot.drawn, hints, strict=True):
        number = people.numbers.get(player)
        then = None if number is None else people.then(number, follow, people.numbers.get(likely, number))
        found.append(player if then is None else people.ids[then])
    return tuple(found)
