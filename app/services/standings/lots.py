"""Lots between tied players: drawn once for exactly one group, and in force while it is exactly a tie."""

import secrets
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Final, NamedTuple, TypeAlias, cast

from app.repositories.clubs import keys
from app.repositories.clubs import players as people
from app.repositories.clubs.keys import Key
from app.repositories.clubs.players import Player
from app.repositories.database import Transaction
from app.repositories.database.pages import Page, after_row, page_of
from app.repositories.games.hidden_games import HiddenGames
from app.repositories.seasons import seasons
from app.repositories.seasons.seasons import Season
from app.repositories.standings import lots
from app.repositories.standings.lots import Lot, WithdrawnLot
from app.scoring.lots import drawn_order
from app.scoring.ranking import Tie
from app.scoring.terms import Format
from app.scoring.text import words
from app.scoring.violation import Violation
from app.services import journal
from app.services.access import Caller, author_of, hidden_from, season_for_reading, season_for_writing
from app.services.errors import Conflict, NotFound
from app.services.journal import Scope
from app.services.standings.cache.tallies import tallies_at
from app.services.standings.standings import TablePlayer, ranked, rules_at
from app.validation import InvalidInput

_Group: TypeAlias = tuple[str, ...]
"""Public ids of players in ascending order."""

_SEED_BYTES: Final = 16

_ONE_WAY: Final = words(
    "нужно одно из двух: drawn (жребий тянули за столом) или draw: true (тянет сервис)",
    "expected either drawn (a lot drawn at the table) or draw: true (drawn by the service)",
)
_NO_LOTS: Final = words("В этом регламенте жребия нет.", "This regulation does not use lots.")
_NOT_A_TIE: Final = words(
    "Жребий тянут сразу для всех, кто сейчас делит место, и только для них; эти игроки — не такая группа.",
    "These players are not a current tie. A lot is drawn for exactly the players who share a place.",
)
_EXISTS: Final = words("Для этой группы жребий уже тянули.", "A lot was already drawn for this group.")
_AT_THE_TABLE: Final = words(
    "Жребий этой группы отозвали; следующий тянут за столом и присылают в drawn.",
    "A lot of this group was withdrawn. The next one is drawn at the table and sent as drawn.",
)
_NO_LOT: Final = words("Нет такого жребия.", "Lot not found.")
_WITHDRAWN: Final = words("Этот жребий уже отозван.", "The lot was already withdrawn.")
_DRAWN_HERE: Final = words(
    "Этот жребий тянул сервис, такой не отзывают.", "The service drew this lot, so it cannot be withdrawn."
)


class StoredLot(NamedTuple):
    """A recorded lot, and whether it is in force."""

    lot: Lot
    """As it was drawn; some of its players may have been merged since."""
    in_force: bool
    """Whether the group is exactly a tie of the present table."""
    players: Sequence[Player]
    """In the order drawn; survivors for merged players."""
    key: Key | None
    """Whose key recorded it; None unless the caller's key belongs to the club."""
    withdrawal: WithdrawnLot | None = None
    """None unless it was withdrawn."""
    withdrawer: Key | None = None
    """Whose key withdrew it; None unless the caller's key belongs to the club."""
    in_full: bool = False
    """Whether the reason of a withdrawal is shown: to the club's own keys only."""


def lot_id(lot: Lot) -> str:
    """Return what names a lot in its season: the revision that it was first recorded under."""
    return f"l_{lot.revision}"


def was_drawn_here(detail: object) -> bool:
    """Whether the journal's ``detail`` of a drawing has a seed; the lot itself loses it where ids change."""
    return isinstance(detail, dict) and detail.get("seed") is not None


def draw(
    tx: Transaction,
    caller: Caller,
    club: str,
    season: str,
    *,
    group: Collection[str],
    drawn: Sequence[str] | None,
    here: bool,
    now: datetime,
) -> StoredLot:
    """Record the lot of a present tie under a new revision; its players get places of their own in the order drawn.

    Args:
        tx: the transaction.
        caller: who asks.
        club: its slug.
        season: its slug.
        group: public ids of the tied players; a merged player's id means the survivor.
        drawn: the same in the order drawn at the table, the better place first.
        here: whether to draw the order here instead, from a new seed (:func:`app.scoring.lots.drawn_order`).
        now: when.

    Raises:
        Unauthorized, Forbidden, NotFound: the caller may not draw lots there.
        InvalidInput: both ways were requested, or neither.
        Conflict: ``season_closed``; ``not_a_tie``, with the ``ties`` there are; ``lot_exists``, with the ``existing``;
            ``draw_at_table``: a lot of this group was withdrawn.
    """
    into = season_for_writing(tx, caller, club, season, "draw_lot")
    if here == (drawn is not None):
        raise InvalidInput([Violation("value", "/drawn", _ONE_WAY)])
    author = author_of(caller)
    meant = {public_id: player.public_id for public_id, player in people.meant(tx, into.club_id, group).items()}
    tied = sorted(meant.get(public_id, public_id) for public_id in group)
    _demand_open(tx, into, tuple(tied))
    if here and _was_withdrawn(tx, into, tied):
        raise Conflict("draw_at_table", _AT_THE_TABLE)
    seed = secrets.token_hex(_SEED_BYTES) if here else None
    order = [meant[public_id] for public_id in drawn or ()] if seed is None else drawn_order(tied, seed)
    revision = seasons.advance(tx, into)
    lot = lots.add(
        tx,
        into.id,
        tied=tied,
        drawn=order,
        seed=seed,
        revision=revision,
        key_id=author.key_id,
        role=author.role,
        at=now,
    )
    detail = {"drawn": lot.drawn, "seed": lot.seed}
    journal.record(tx, author, into.slug, "lot_drawn", Scope.of(into, revision), now, detail=detail)
    (stored,) = _stored(tx, caller, into, [lot], in_force={lot})
    return stored


def withdraw(
    tx: Transaction, caller: Caller, club: str, season: str, lot: str, *, reason: str, now: datetime
) -> StoredLot:
    """Withdraw a lot that was drawn at the table, under a new revision; it stays on record with its order.

    Raises:
        Unauthorized, Forbidden, NotFound: the caller may not withdraw lots there, or the season has no such lot.
        Conflict: ``season_closed``; ``drawn_here``: the service drew it; ``lot_withdrawn``: it was withdrawn before.
    """
    within = season_for_writing(tx, caller, club, season, "withdraw_lot")
    author = author_of(caller)
    if any(lot_id(one.lot) == lot for one in _withdrawn(tx, within)):
        raise Conflict("lot_withdrawn", _WITHDRAWN)
    found = next((one for one in _recorded(tx, within) if lot_id(one) == lot), None)
    if found is None:
        raise NotFound(_NO_LOT)
    if found.seed is not None or was_drawn_here(journal.detail_at(tx, within, found.revision, "lot_drawn")):
        raise Conflict("drawn_here", _DRAWN_HERE)
    revision = seasons.advance(tx, within)
    withdrawal = lots.withdraw(
        tx, within.id, found, revision=revision, key_id=author.key_id, role=author.role, at=now, reason=reason
    )
    detail = {"lot": lot, "drawn": found.drawn}
    scope = Scope.of(within, revision)
    journal.record(tx, author, within.slug, "lot_withdrawn", scope, now, reason=reason, detail=detail)
    (stored,) = _stored(tx, caller, within, [found], in_force=set(), withdrawn=[withdrawal])
    return stored


def page(tx: Transaction, caller: Caller, club: str, season: str, *, cursor: str | None, limit: int) -> Page[StoredLot]:
    """Return the lots of a season, oldest first; where games are hidden from the caller, those that order his table.

    Raises:
        NotFound: there is no such season that the caller may know of.
        NotACursor: the cursor belongs to another list.
    """
    of = season_for_reading(tx, caller, club, season)
    after = 0 if cursor is None else after_row(cursor)
    recorded, withdrawn = _recorded(tx, of), _withdrawn(tx, of)
    hidden = hidden_from(caller, of)
    ties = {group for group, tie in _ties(tx, of, hidden) if tie.lot == "drawn"} if recorded else set()
    every = sorted([*recorded, *(one.lot for one in withdrawn)], key=lambda lot: lot.revision)
    if hidden is not None:
        every = [lot for lot in every if lot in recorded and recorded[lot] & ties]
    listed = [lot for lot in every if lot.revision > after]
    shown = page_of(listed[: limit + 1], limit, lambda lot: (lot.revision,))
    in_force = {lot for lot in shown.items if lot in recorded and recorded[lot] & ties}
    return Page(_stored(tx, caller, of, shown.items, in_force, withdrawn), shown.next_cursor)


def _ties(tx: Transaction, season: Season, hidden: HiddenGames | None = None) -> list[tuple[_Group, Tie]]:
    """The ties of the season's table, as it is now without the hidden games and in the system's own order."""
    tallies = tallies_at(tx, season.id, revision=season.revision, hidden=hidden)
    table = ranked(tx, season, season.revision, tallies)
    return [(tuple(sorted(cast(TablePlayer, player).public_id for player in tie.players)), tie) for tie in table.ties]


def _demand_open(tx: Transaction, season: Season, tied: _Group) -> None:
    """Check that exactly these players share a place and that no lot has separated them."""
    if not rules_at(tx, season, season.revision).rankings[cast(Format, season.format)].lot:
        raise Conflict("not_a_tie", _NO_LOTS, ties=[])
    ties = _ties(tx, season)
    lot = next((tie.lot for group, tie in ties if group == tied), None)
    if lot is None:
        present = [{"rank": tie.rank, "players": group, "lot": tie.lot} for group, tie in ties]
        raise Conflict("not_a_tie", _NOT_A_TIE, ties=present)
    if lot == "drawn":
        first = next(lot for lot, groups in _recorded(tx, season).items() if tied in groups)
        existing = {"id": lot_id(first), "drawn": first.drawn, "seed": first.seed, "revision": first.revision}
        raise Conflict("lot_exists", _EXISTS, existing=existing)


def _recorded(tx: Transaction, season: Season) -> dict[Lot, set[_Group]]:
    """Each lot as it was drawn, the first first, and the groups that it holds for: its own, and after merges the
    survivors'.
    """
    drawn: dict[tuple[int, datetime], tuple[Lot, set[_Group]]] = {}
    for lot in lots.of_season(tx, season.id):  # a lot that a merge recorded again has the same author and time
        _, groups = drawn.setdefault((lot.key_id, lot.at), (lot, set()))
        groups.add(lot.tied)
    return dict(drawn.values())


def _withdrawn(tx: Transaction, season: Season) -> list[WithdrawnLot]:
    """Each withdrawn lot as it was drawn, the first first."""
    drawn: dict[tuple[int, datetime], WithdrawnLot] = {}
    for one in lots.withdrawn_of_season(tx, season.id):
        drawn.setdefault((one.lot.key_id, one.lot.at), one)
    return list(drawn.values())


def _was_withdrawn(tx: Transaction, season: Season, tied: Sequence[str]) -> bool:
    """Whether a lot of this group was withdrawn, merged players being their survivors."""
    withdrawn = _withdrawn(tx, season)
    meant = people.meant(tx, season.club_id, {player for one in withdrawn for player in one.lot.tied})
    return any({meant[player].public_id for player in one.lot.tied} == set(tied) for one in withdrawn)


def _stored(
    tx: Transaction,
    caller: Caller,
    season: Season,
    shown: Sequence[Lot],
    in_force: Collection[Lot],
    withdrawn: Sequence[WithdrawnLot] = (),
) -> list[StoredLot]:
    in_full = caller.is_of(season.club_id)
    withdrawals = {one.lot: one for one in withdrawn}
    mentioned = {lot.key_id for lot in shown} | {one.withdrawn_by for one in withdrawn}
    authors = keys.by_ids(tx, mentioned) if in_full else {}
    known = people.meant(tx, season.club_id, {player for lot in shown for player in lot.drawn})
    return [
        StoredLot(
            lot=lot,
            in_force=lot in in_force,
            players=[known[player] for player in lot.drawn],
            key=authors.get(lot.key_id),
            withdrawal=(withdrawal := withdrawals.get(lot)),
            withdrawer=None if withdrawal is None else authors.get(withdrawal.withdrawn_by),
            in_full=in_full,
        )
        for lot in shown
    ]
