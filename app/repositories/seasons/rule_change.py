"""Many games of a season rewritten at once: when it follows other rules, or when a player was registered earlier."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date
from typing import NamedTuple

from sqlalchemy import ColumnElement, delete, func, insert, literal, select, true, tuple_, update

from app.repositories.database import Transaction, batches
from app.repositories.database.bulk import insert_rows
from app.repositories.games.approvals import Approval
from app.repositories.games.games import VERSION_COLUMNS, Game, SeatedPlayer, Version
from app.repositories.games.hidden_games import HiddenGames
from app.repositories.tables import APPROVALS, FORMER_APPROVALS, GAME_VERSIONS, GAMES, LEDGER, SEATS

_APPROVED = ("game_id", *Approval._fields)
_SEATED = ("game_id", *SeatedPlayer._fields)


class NextVersion(NamedTuple):
    """A game and its next version."""

    game: Game
    entered: int | None
    """The revision of its ledger rows; None when it has none."""
    version: Version
    approvals: Sequence[Approval]
    """All that the version needs."""


class UnratedSeat(NamedTuple):
    """A seat whose player was not registered, and the day and fingerprint of its game."""

    game_id: int
    played_on: date
    fingerprint: str
    seat: SeatedPlayer


_UNRATED = (
    select(
        GAMES.c.id, GAMES.c.played_on, GAME_VERSIONS.c.fingerprint, *(SEATS.c[name] for name in SeatedPlayer._fields)
    )
    .join_from(GAMES, SEATS, SEATS.c.game_id == GAMES.c.id)
    .join(GAME_VERSIONS, (GAMES.c.id == GAME_VERSIONS.c.game_id) & (GAMES.c.version == GAME_VERSIONS.c.version))
    .where(SEATS.c.registered.is_(False), GAMES.c.status != "voided")
)


def take_out(tx: Transaction, season_id: int, revision: int, game_ids: Collection[int] | None = None) -> None:
    """Reverse every entry in force of the season, or of some of its games, under ``revision``.

    The games still note what they noted.
    """
    if game_ids is None:
        _take_out(tx, season_id, revision, true())
    else:
        for batch in batches(game_ids):
            _take_out(tx, season_id, revision, GAMES.c.id.in_(batch))


def _take_out(tx: Transaction, season_id: int, revision: int, which: ColumnElement[bool]) -> None:
    changed = {"revision": literal(revision), "sign": literal(-1)}
    entries = (
        select(*(changed.get(column.name, column) for column in LEDGER.c))
        .join_from(LEDGER, GAMES, (GAMES.c.id == LEDGER.c.game_id) & (GAMES.c.entered == LEDGER.c.revision))
        .where(LEDGER.c.season_id == season_id, GAMES.c.season_id == season_id, LEDGER.c.sign == 1, which)
    )
    tx.execute(insert(LEDGER).from_select([column.name for column in LEDGER.c], entries))


def rewrite(tx: Transaction, rewritten: Sequence[NextVersion]) -> None:
    """The next version of each of these games, who is registered in it, and its approvals; all else stays as it is."""
    versions = [(one.game.id, *one.version) for one in rewritten]
    insert_rows(tx, GAME_VERSIONS, ("game_id", *VERSION_COLUMNS), versions)
    for status, entered in {(one.version.status, one.entered) for one in rewritten}:
        alike = [one.game.id for one in rewritten if (one.version.status, one.entered) == (status, entered)]
        for batch in batches(alike):
            values = {"version": GAMES.c.version + 1, "status": status, "entered": entered}
            tx.execute(update(GAMES).where(GAMES.c.id.in_(batch)).values(values))
    _seat(tx, [one for one in rewritten if one.version.seats_json != one.game.current.seats_json])
    for batch in batches([one.game.id for one in rewritten]):
        tx.execute(delete(APPROVALS).where(APPROVALS.c.game_id.in_(batch)))
    needed = [(one.game.id, *approval) for one in rewritten for approval in one.approvals]
    insert_rows(tx, APPROVALS, _APPROVED, needed)


def unrated(tx: Transaction, season_id: int, player_id: int | None = None) -> Iterator[UnratedSeat]:
    """The seats of the season whose players were not registered, in games that are not voided; or one player's."""
    query = _UNRATED.where(GAMES.c.season_id == season_id)
    if player_id is not None:
        query = query.where(SEATS.c.player_id == player_id)
    for game_id, played_on, fingerprint, *seat in tx.execute(query.order_by(GAMES.c.id, SEATS.c.seat)):
        yield UnratedSeat(game_id, played_on, fingerprint, SeatedPlayer._make(seat))


def _seat(tx: Transaction, rewritten: Sequence[NextVersion]) -> None:
    for batch in batches([one.game.id for one in rewritten]):
        tx.execute(delete(SEATS).where(SEATS.c.game_id.in_(batch)))
    insert_rows(tx, SEATS, _SEATED, [(one.game.id, *seat) for one in rewritten for seat in one.version.seats])


def set_approvals_aside(tx: Transaction, season_id: int) -> None:
    """Keep what became of the approvals of all games of the season, each under the rules that it was written under."""
    written = (
        select(GAMES.c.id, GAME_VERSIONS.c.rule_system)
        .join_from(
            GAMES, GAME_VERSIONS, (GAMES.c.id == GAME_VERSIONS.c.game_id) & (GAMES.c.version == GAME_VERSIONS.c.version)
        )
        .where(GAMES.c.season_id == season_id)
    )
    old = tuple_(FORMER_APPROVALS.c.game_id, FORMER_APPROVALS.c.rule_system).in_(written)
    tx.execute(delete(FORMER_APPROVALS).where(old))
    under = written.subquery()
    columns = [column.name for column in FORMER_APPROVALS.c]
    now = select(*(under.c.rule_system if name == "rule_system" else APPROVALS.c[name] for name in columns)).join_from(
        APPROVALS, under, under.c.id == APPROVALS.c.game_id
    )
    tx.execute(insert(FORMER_APPROVALS).from_select(columns, now))


def approvals_set_aside(
    tx: Transaction, game_ids: Collection[int], rule_system: str
) -> Mapping[int, Sequence[Approval]]:
    """What had become of the approvals of these games when the season left these rules."""
    found: dict[int, list[Approval]] = {}
    for batch in batches(game_ids):
        query = select(FORMER_APPROVALS.c.game_id, *(FORMER_APPROVALS.c[name] for name in Approval._fields)).where(
            FORMER_APPROVALS.c.game_id.in_(batch), FORMER_APPROVALS.c.rule_system == rule_system
        )
        for game_id, *approval in tx.execute(query):
            found.setdefault(game_id, []).append(Approval._make(approval))
    return found


def seated(
    tx: Transaction, season_id: int, *, revision: int, as_of: date | None, hidden: HiddenGames | None
) -> Mapping[int, Sequence[tuple[int, int]]]:
    """(seat, player's row number) of every shown game that counted at a revision, played up to a day; by game."""
    entry = (LEDGER.c.game_id, LEDGER.c.seat, LEDGER.c.player_id)
    query = select(*entry).where(LEDGER.c.season_id == season_id, LEDGER.c.revision <= revision)
    if as_of is not None:
        query = query.where(LEDGER.c.played_on <= as_of)
    if hidden is not None:
        query = query.where(*hidden.shown_in(LEDGER))
    found: dict[int, list[tuple[int, int]]] = {}
    in_force = query.group_by(*entry).having(func.sum(LEDGER.c.sign) != 0).order_by(LEDGER.c.game_id, LEDGER.c.seat)
    for game_id, seat, player_id in tx.execute(in_force):
        found.setdefault(game_id, []).append((seat, player_id))
    return found
