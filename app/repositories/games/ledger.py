"""The ledger: what every table is the sum of. Rows are only ever added.

A game's entry is one row a seat, all under one revision, which the game's row notes as ``entered``. Taking a game out
writes the same rows once more with the other sign. A table as of a revision or a day is the sum of the rows up to it.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, bindparam, case, delete, func, insert, literal, select, text

from app.repositories.database import Transaction
from app.repositories.database.bulk import insert_rows
from app.repositories.games.hidden_games import HiddenGames
from app.repositories.tables import KEPT_SUMS, LEDGER


class Line(NamedTuple):
    """One line of a seat; points in millionths."""

    clause: str
    code: str
    category: str
    points: int


class Seat(NamedTuple):
    """Who sat in a seat of a counted game and how it ended for him: what tables count by."""

    player_id: int
    registered: bool
    role: str
    team: str
    result: str
    outcome: str
    stage: str | None
    first_kill: bool
    opens: bool
    """True for exactly one seat of the game, by which games are counted."""


class Entry(NamedTuple):
    """One seat of a counted game, as a use case enters it."""

    game_id: int
    number: int
    """The seat's at the table."""
    played_on: date
    seat: Seat
    lines: tuple[Line, ...]


class Row(NamedTuple):
    """A row of the ledger."""

    revision: int
    game_id: int
    number: int
    sign: int
    played_on: date
    seat: Seat
    points: int
    lines: tuple[Line, ...]


class Sum(NamedTuple):
    """How many times a player sat in just such a seat and got just such lines; ``times`` may be negative."""

    seat: Seat
    lines: tuple[Line, ...]
    times: int


class OpenEntry(NamedTuple):
    """An entry that no reversal has taken out; ``times`` is 1 unless the ledger was tampered with."""

    game_id: int
    number: int
    played_on: date
    seat: Seat
    points: int
    lines: tuple[Line, ...]
    times: int


WORTH_SUMMING = 1_000
"""From so many games on, storing their sums (:func:`store_sums`) is worth its time."""

_EVER = 2**63 - 1
_MEMORY_FOR_SUMS = text("SET LOCAL work_mem = '128MB'")
_AT_ONCE = 100


@lru_cache(maxsize=16384)
def lines_written(lines: tuple[Line, ...]) -> str:
    """Lines as a row holds them."""
    return json.dumps(lines, separators=(",", ":"), ensure_ascii=False)


@lru_cache(maxsize=16384)
def lines_read(lines: str) -> tuple[Line, ...]:
    """The lines that a row holds."""
    return tuple(Line(*line) for line in json.loads(lines))


_ENTERED = ("season_id", "revision", "sign", "game_id", "seat", "played_on", *Seat._fields, "points", "lines")
SEAT = [LEDGER.c[name] for name in Seat._fields]
_ROWS = select(
    LEDGER.c.revision, LEDGER.c.game_id, LEDGER.c.seat, LEDGER.c.sign, LEDGER.c.played_on, LEDGER.c.points, *SEAT,
    LEDGER.c.lines,
).where(LEDGER.c.season_id == bindparam("season"), LEDGER.c.revision > bindparam("after"))  # fmt: skip
_AFTER = _ROWS.where(LEDGER.c.revision <= bindparam("up_to")).order_by(
    LEDGER.c.revision, LEDGER.c.game_id, LEDGER.c.seat, LEDGER.c.sign
)
_STORED_SUMS = select(KEPT_SUMS.c.revision, KEPT_SUMS.c.sums).where(
    KEPT_SUMS.c.season_id == bindparam("season"), KEPT_SUMS.c.revision <= bindparam("up_to")
)
_TIMES = func.sum(LEDGER.c.sign).label("times")
_SUMMED = [*SEAT, LEDGER.c.lines]
_OPEN = [LEDGER.c.game_id, LEDGER.c.seat, LEDGER.c.played_on, LEDGER.c.points, *_SUMMED]


def enter(tx: Transaction, season_id: int, revision: int, entries: Iterable[Entry]) -> None:
    """Add entries of whole games under a revision, some at a time: many at once take memory."""
    remaining = iter(entries)
    while batch := list(islice(remaining, _AT_ONCE)):
        rows = [
            (
                season_id,
                revision,
                1,
                game_id,
                number,
                day,
                *seat,
                sum([line[3] for line in lines]),
                lines_written(lines),
            )
            for game_id, number, day, seat, lines in batch
        ]
        insert_rows(tx, LEDGER, _ENTERED, rows)


def reverse(tx: Transaction, season_id: int, game_id: int, *, entered: int, revision: int) -> None:
    """Take a game's entry of revision ``entered`` out again under ``revision``."""
    _copy(tx, season_id, game_id, entered, {"revision": literal(revision), "sign": literal(-1)})


def repoint(
    tx: Transaction, season_id: int, game_id: int, *, entered: int, revision: int, survivors: Mapping[int, int]
) -> None:
    """Take a game's entry out and enter it again, each merged player's survivor in the seat."""
    reverse(tx, season_id, game_id, entered=entered, revision=revision)
    whose = case(survivors, value=LEDGER.c.player_id, else_=LEDGER.c.player_id)
    _copy(tx, season_id, game_id, entered, {"revision": literal(revision), "player_id": whose})


def _copy(tx: Transaction, season_id: int, game_id: int, entered: int, changed: dict[str, ColumnElement[int]]) -> None:
    rows = select(*(changed.get(column.name, column) for column in LEDGER.c)).where(
        LEDGER.c.season_id == season_id,
        LEDGER.c.revision == entered,
        LEDGER.c.game_id == game_id,
        LEDGER.c.sign == 1,
    )
    tx.execute(insert(LEDGER).from_select([column.name for column in LEDGER.c], rows))


def after(tx: Transaction, season_id: int, revision: int, *, up_to: int = _EVER) -> list[Row]:
    """The rows of the revisions after ``revision`` up to ``up_to``, in the order they were added."""
    rows = tx.execute(_AFTER, {"season": season_id, "after": revision, "up_to": up_to})
    return [
        Row(revision, game_id, number, sign, day, Seat._make(seat), points, lines_read(lines))
        for revision, game_id, number, sign, day, points, *seat, lines in rows
    ]


def sums(
    tx: Transaction,
    season_id: int,
    *,
    revision: int | None = None,
    as_of: date | None = None,
    hidden: HiddenGames | None = None,
) -> Iterator[Sum]:
    """All rows up to a revision, of games played up to a day and not hidden, equal ones counted together.

    A season of 100,000 games has a million rows and some thousands of sums; without a day only the rows after the last
    :func:`store_sums` are read. The same seat and lines may come twice, to be added.
    """
    after = 0
    if as_of is None and hidden is None:
        stored = tx.execute(_STORED_SUMS, {"season": season_id, "up_to": _EVER if revision is None else revision})
        if row := stored.first():
            after = row.revision
            yield from _unpacked(row.sums)
    yield from sums_of_rows(tx, season_id, after=after, up_to=revision, as_of=as_of, hidden=hidden)


def sums_of_rows(
    tx: Transaction,
    season_id: int,
    *,
    after: int = 0,
    up_to: int | None = None,
    as_of: date | None = None,
    hidden: HiddenGames | None = None,
) -> Iterator[Sum]:
    """As :func:`sums`, of the rows themselves and only those after a revision."""
    limits = [LEDGER.c.season_id == season_id, LEDGER.c.revision > after, *_limits(up_to, as_of, hidden)]
    query = select(*_SUMMED, _TIMES).where(*limits).group_by(*_SUMMED).having(_TIMES != 0)
    if tx.dialect.name == "postgresql":
        # With its usual 4 MB the server sorts the rows first, which takes four times as long.
        tx.execute(_MEMORY_FOR_SUMS)
    for *seat, lines, times in tx.execute(query):
        yield Sum(Seat._make(seat), lines_read(lines), times)


def store_sums(tx: Transaction, season_id: int, revision: int) -> None:
    """Store the season's sums up to the revision that a locked season is at, for cold starts to begin from.

    Worth doing after :data:`WORTH_SUMMING`; nothing depends on it but speed.
    """
    counts: Counter[tuple[Seat, tuple[Line, ...]]] = Counter()
    for seat, lines, times in sums(tx, season_id, revision=revision):
        counts[seat, lines] += times
    profiles: dict[tuple[object, ...], int] = {}
    packed = [
        (player_id, profiles.setdefault((*facts, lines), len(profiles)), times)
        for ((player_id, *facts), lines), times in counts.items()
        if times
    ]
    written = json.dumps({"profiles": list(profiles), "counts": packed}, separators=(",", ":"))
    tx.execute(delete(KEPT_SUMS).where(KEPT_SUMS.c.season_id == season_id))
    tx.execute(insert(KEPT_SUMS), {"season_id": season_id, "revision": revision, "sums": written})


def _unpacked(written: str) -> Iterator[Sum]:
    stored = json.loads(written)
    profiles = [(facts, tuple(Line(*line) for line in lines)) for *facts, lines in stored["profiles"]]
    for player_id, profile, times in stored["counts"]:
        facts, lines = profiles[profile]
        yield Sum(Seat(player_id, *facts), lines, times)


def sums_of_others(written: str, players: Mapping[int, int]) -> str:
    """Convert sums written by :func:`store_sums` to other player row numbers."""
    stored = json.loads(written)
    stored["counts"] = [[players[player_id], profile, times] for player_id, profile, times in stored["counts"]]
    return json.dumps(stored, separators=(",", ":"))


def of_player(
    tx: Transaction,
    season_id: int,
    player_id: int,
    *,
    revision: int | None = None,
    as_of: date | None = None,
    hidden: HiddenGames | None = None,
) -> list[OpenEntry]:
    """A player's entries in force, in the order played."""
    limits = [LEDGER.c.season_id == season_id, LEDGER.c.player_id == player_id, *_limits(revision, as_of, hidden)]
    query = select(*_OPEN, _TIMES).where(*limits).group_by(*_OPEN).having(_TIMES != 0)
    rows = tx.execute(query.order_by(LEDGER.c.played_on, LEDGER.c.game_id, LEDGER.c.seat))
    return [_open_entry(row) for row in rows]


def in_force(
    tx: Transaction,
    season_id: int,
    *,
    revision: int | None = None,
    as_of: date | None = None,
    hidden: HiddenGames | None = None,
) -> Iterator[OpenEntry]:
    """Every entry in force, games in the order played, each game's seats together."""
    limits = [LEDGER.c.season_id == season_id, *_limits(revision, as_of, hidden)]
    query = select(*_OPEN, _TIMES).where(*limits).group_by(*_OPEN).having(_TIMES != 0)
    query = query.order_by(LEDGER.c.played_on, LEDGER.c.game_id, LEDGER.c.seat)
    return map(_open_entry, tx.execute(query.execution_options(yield_per=5000)))


def _open_entry(row: Iterable[Any]) -> OpenEntry:
    game_id, number, day, points, *seat, lines, times = row
    return OpenEntry(game_id, number, day, Seat._make(seat), points, lines_read(lines), times)


def _limits(revision: int | None, as_of: date | None, hidden: HiddenGames | None) -> list[ColumnElement[bool]]:
    limits = [] if hidden is None else hidden.shown_in(LEDGER)
    if revision is not None:
        limits.append(LEDGER.c.revision <= revision)
    if as_of is not None:
        limits.append(LEDGER.c.played_on <= as_of)
    return limits
