"""Games, every version of them, and who sits where."""

import json
from collections.abc import Collection, Iterator, Sequence
from datetime import date, datetime
from functools import partial
from typing import NamedTuple

from sqlalchemy import bindparam, delete, func, insert, literal_column, select, tuple_, update

from app.repositories.database import Transaction, batches, new_row
from app.repositories.database.bulk import insert_rows
from app.repositories.database.ids import new_id
from app.repositories.database.pages import Page, after_day_and_row, after_row, page_of
from app.repositories.games import traits as recognised
from app.repositories.games.hidden_games import HiddenGames
from app.repositories.tables import GAME_VERSIONS, GAMES, SEASONS, SEATS, TRAITS

compact_json = partial(json.dumps, separators=(",", ":"))
"""Seats and totals as a version holds them."""


class SeatedPlayer(NamedTuple):
    """Who sits in a seat; ``registered`` as it was when the game was played."""

    seat: int
    player_id: int
    registered: bool


class Version(NamedTuple):
    """A version of a game, a row of its table but for the game's row number."""

    version: int
    action: str
    """What was done: ``submitted``, ``corrected``, ``voided``, ``restored``, ``approved`` …"""
    status: str
    revision: int
    rule_system: str
    rule_version: int
    key_id: int
    role: str
    at: datetime
    reason: str | None
    fingerprint: str
    """Of the facts but who sat where."""
    facts: str
    """The canonical game, JSON."""
    seats_json: str
    totals_json: str

    @property
    def seats(self) -> list[SeatedPlayer]:
        """Who sat where by this version; players may have been merged since."""
        return [SeatedPlayer(*seat) for seat in json.loads(self.seats_json)]

    @property
    def totals(self) -> list[tuple[int, int]]:
        """(seat, millionths of a point)."""
        return [(seat, points) for seat, points in json.loads(self.totals_json)]


class Game(NamedTuple):
    """A game as it stands, with its current version."""

    id: int
    public_id: str
    season_id: int
    external_id: str | None
    version: int
    status: str
    played_on: date
    stage: str | None
    created_by: int
    created_at: datetime
    entered: int | None
    current: Version

    @property
    def revision(self) -> int:
        """The season's revision that the game last changed in."""
        return self.current.revision


_HEAD = [GAMES.c[name] for name in Game._fields[:-1]]
VERSION_COLUMNS = ("version", *Version._fields[1:-2], "seated", "totals")
"""Those of :class:`Version`, in its order."""

_VERSION = [GAME_VERSIONS.c[name] for name in VERSION_COLUMNS]
ALL = select(*_HEAD, *_VERSION).join_from(
    GAMES, GAME_VERSIONS, (GAMES.c.id == GAME_VERSIONS.c.game_id) & (GAMES.c.version == GAME_VERSIONS.c.version)
)
"""Games with their current versions, for :func:`game_of`."""

_FIND = ALL.where(GAMES.c.season_id == bindparam("season"), GAMES.c.public_id == bindparam("game"))
_BY_EXTERNAL_ID = ALL.where(GAMES.c.season_id == bindparam("season"), GAMES.c.external_id == bindparam("external_id"))
_VERSIONS = select(*_VERSION).where(GAME_VERSIONS.c.game_id == bindparam("game")).order_by(GAME_VERSIONS.c.version)
_SEATED = ("game_id", *SeatedPlayer._fields)
_SEATS = (
    select(SEATS.c.game_id, SEATS.c.seat, SEATS.c.player_id, SEATS.c.registered)
    .where(SEATS.c.game_id.in_(bindparam("games", expanding=True)))
    .order_by(SEATS.c.game_id, SEATS.c.seat)
)
# A literal, not a parameter: only so does either database know that its index of pending games holds the answer.
_IS_PENDING = GAMES.c.status == literal_column("'pending'")
_AT_ONCE = 1000


def game_of(row: Sequence[object]) -> Game:
    """The game that a row of :data:`ALL` is."""
    heads = len(_HEAD)
    return Game._make([*row[:heads], Version._make(row[heads:])])


def add(
    tx: Transaction,
    *,
    season_id: int,
    external_id: str | None,
    played_on: date,
    stage: str | None,
    entered: int | None,
    version: Version,
    traits: Sequence[int | None] = (),
) -> tuple[int, str]:
    """A new game in its first version; its row number and public id.

    ``entered`` is the revision of its ledger rows (:func:`app.repositories.games.ledger.enter`), None when it has none.

    Raises:
        NotUnique: ``games``, when the season has a game with this external id.
    """
    public_id = new_id("g")
    game_id = new_row(
        tx,
        GAMES,
        {
            "public_id": public_id,
            "season_id": season_id,
            "external_id": external_id,
            "version": version.version,
            "status": version.status,
            "played_on": played_on,
            "stage": stage,
            "created_by": version.key_id,
            "created_at": version.at,
            "entered": entered,
        },
    )
    tx.execute(insert(GAME_VERSIONS), {"game_id": game_id, **dict(zip(VERSION_COLUMNS, version, strict=True))})
    recognised_by = [(season_id, trait, game_id) for trait in traits if trait is not None]
    _seat(tx, game_id, version)
    insert_rows(tx, TRAITS, recognised.COLUMNS, recognised_by, raw=True)
    return game_id, public_id


def rewrite(
    tx: Transaction,
    game: Game,
    *,
    external_id: str | None,
    played_on: date,
    stage: str | None,
    entered: int | None,
    version: Version,
    traits: Sequence[int | None] = (),
) -> None:
    """The game's next version, whatever it changes: facts, players or only the status; ``traits`` of other facts.

    Raises:
        NotUnique: ``games``, when another game of the season has this external id.
    """
    tx.execute(
        update(GAMES)
        .where(GAMES.c.id == game.id)
        .values(
            version=version.version,
            status=version.status,
            external_id=external_id,
            played_on=played_on,
            stage=stage,
            entered=entered,
        )
    )
    tx.execute(insert(GAME_VERSIONS), {"game_id": game.id, **dict(zip(VERSION_COLUMNS, version, strict=True))})
    if version.seats_json != game.current.seats_json:
        tx.execute(delete(SEATS).where(SEATS.c.game_id == game.id))
        _seat(tx, game.id, version)
    if traits:
        recognised.add(tx, game.season_id, [(trait, game.id) for trait in traits if trait is not None])


def _seat(tx: Transaction, game_id: int, version: Version) -> None:
    insert_rows(tx, SEATS, _SEATED, [(game_id, *seat) for seat in version.seats])


def find(tx: Transaction, season_id: int, public_id: str) -> Game | None:
    """A game of the season."""
    row = tx.execute(_FIND, {"season": season_id, "game": public_id}).first()
    return game_of(row) if row else None


def by_external_id(tx: Transaction, season_id: int, external_id: str) -> Game | None:
    """The season's game with this external id, a voided one too."""
    row = tx.execute(_BY_EXTERNAL_ID, {"season": season_id, "external_id": external_id}).first()
    return game_of(row) if row else None


def find_unnamed(tx: Transaction, season_id: int, public_id: str) -> Game | None:
    """A game of the season that has no external id: exports name it by its public id."""
    found = find(tx, season_id, public_id)
    return found if found is not None and found.external_id is None else None


def by_ids(tx: Transaction, game_ids: Collection[int]) -> dict[int, Game]:
    """The games with these row numbers."""
    found = {}
    for batch in batches(game_ids):
        for row in tx.execute(ALL.where(GAMES.c.id.in_(batch))):
            found[row[0]] = game_of(row)
    return found


def versions(tx: Transaction, game_id: int) -> list[Version]:
    """Every version of the game, the first first."""
    return [Version._make(row) for row in tx.execute(_VERSIONS, {"game": game_id})]


def seats(tx: Transaction, game_ids: Collection[int]) -> dict[int, list[SeatedPlayer]]:
    """Who sits where in each game now, merged players replaced by their survivors."""
    found: dict[int, list[SeatedPlayer]] = {game_id: [] for game_id in game_ids}
    for batch in batches(found):
        for game_id, *seat in tx.execute(_SEATS, {"games": batch}):
            found[game_id].append(SeatedPlayer._make(seat))
    return found


def page(
    tx: Transaction,
    season_id: int,
    *,
    player_id: int | None = None,
    since: date | None = None,
    until: date | None = None,
    statuses: Collection[str] = (),
    hidden: HiddenGames | None = None,
    cursor: str | None,
    limit: int,
) -> Page[Game]:
    """A season's games that are not hidden, the last played first; both days belong to the span, no status means any.

    Raises:
        NotACursor: the cursor is of another list.
    """
    query = ALL.where(GAMES.c.season_id == season_id, *([] if hidden is None else hidden.shown_in(GAMES)))
    if player_id is not None:
        query = query.where(GAMES.c.id.in_(select(SEATS.c.game_id).where(SEATS.c.player_id == player_id)))
    if since is not None:
        query = query.where(GAMES.c.played_on >= since)
    if until is not None:
        query = query.where(GAMES.c.played_on <= until)
    if statuses:
        query = query.where(GAMES.c.status.in_(statuses))
    if cursor is not None:
        day, row = after_day_and_row(cursor)
        query = query.where(tuple_(GAMES.c.played_on, GAMES.c.id) < tuple_(day, row))
    rows = tx.execute(query.order_by(GAMES.c.played_on.desc(), GAMES.c.id.desc()).limit(limit + 1))
    return page_of([game_of(row) for row in rows], limit, lambda game: (game.played_on.isoformat(), game.id))


def pending(tx: Transaction, season_id: int, *, cursor: str | None, limit: int) -> Page[Game]:
    """A season's games that wait for a decision, the longest waiting first.

    Raises:
        NotACursor: the cursor is of another list.
    """
    query = ALL.where(GAMES.c.season_id == season_id, _IS_PENDING).order_by(GAMES.c.id).limit(limit + 1)
    if cursor is not None:
        query = query.where(GAMES.c.id > after_row(cursor))
    return page_of([game_of(row) for row in tx.execute(query)], limit, lambda game: (game.id,))


def pending_in_club(tx: Transaction, club_id: int, *, cursor: str | None, limit: int) -> Page[Game]:
    """The games of a club's seasons that wait for a decision, the longest waiting first.

    Raises:
        NotACursor: the cursor is of another list.
    """
    of_club = select(SEASONS.c.id).where(SEASONS.c.club_id == club_id)
    query = ALL.where(GAMES.c.season_id.in_(of_club), _IS_PENDING).order_by(GAMES.c.id).limit(limit + 1)
    if cursor is not None:
        query = query.where(GAMES.c.id > after_row(cursor))
    return page_of([game_of(row) for row in tx.execute(query)], limit, lambda game: (game.id,))


def any_pending(tx: Transaction, season_id: int) -> bool:
    """Whether any game of the season waits for a decision."""
    query = select(GAMES.c.id).where(GAMES.c.season_id == season_id, _IS_PENDING).limit(1)
    return tx.execute(query).first() is not None


def any_at_all(tx: Transaction, season_id: int) -> bool:
    """Whether the season ever had a game."""
    return tx.execute(select(GAMES.c.id).where(GAMES.c.season_id == season_id).limit(1)).first() is not None


def count_by_status(tx: Transaction, season_id: int) -> dict[str, int]:
    """How many games of the season have each status."""
    query = (
        select(GAMES.c.status, func.count().label("games"))
        .where(GAMES.c.season_id == season_id)
        .group_by(GAMES.c.status)
    )
    return {row.status: row.games for row in tx.execute(query)}


def each(tx: Transaction, season_id: int) -> Iterator[Game]:
    """Every game of the season in the order submitted, read a thousand at a time."""
    last = 0
    while True:
        query = ALL.where(GAMES.c.season_id == season_id, GAMES.c.id > last).order_by(GAMES.c.id).limit(_AT_ONCE)
        rows = tx.execute(query).all()
        yield from map(game_of, rows)
        if len(rows) < _AT_ONCE:
            return
        last = rows[-1][0]


def note_entered(tx: Transaction, game_ids: Collection[int], revision: int | None) -> None:
    """The ledger rows of these games are now those of ``revision``; None: they have none."""
    if game_ids:
        statement = update(GAMES).where(GAMES.c.id == bindparam("game")).values(entered=bindparam("revision"))
        tx.execute(statement, [{"game": game_id, "revision": revision} for game_id in game_ids])
