"""The ledger: what every table is the sum of. Rows are only ever added.

A game's entry is one row a seat, all under one revision, which the game's row notes as ``entered``. Taking a game out
writes the same rows once more with the other sign. A table as of a revision or a day is the sum of the rows up to it.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import lru_cache
from typing import Final, NamedTuple

from sqlalchemy import ColumnElement, bindparam, case, delete, func, insert, literal, select

from app.repositories.database import Transaction
from app.repositories.database.bulk import insert_rows
from app.repositories.tables import KEPT_SUMS, LEDGER


class Line(NamedTuple):
    """One line of a seat; points in millionths."""

    clause: str
    code: str
    category: str
    points: int


class Entry(NamedTuple):
    """One seat of a counted game, as a use case enters it."""

    game_id: int
    seat: int
    opens: bool
    """True for exactly one seat of the game, by which games are counted."""
    player_id: int
    registered: bool
    role: str
    team: str
    result: str
    outcome: str
    stage: str | None
    first_kill: bool
    played_on: date
    lines: tuple[Line, ...]


class Row(NamedTuple):
    """A row of the ledger."""

    revision: int
    game_id: int
    seat: int
    sign: int
    opens: bool
    player_id: int
    registered: bool
    role: str
    team: str
    result: str
    outcome: str
    stage: str | None
    first_kill: bool
    played_on: date
    points: int
    lines: tuple[Line, ...]


class Sum(NamedTuple):
    """How many times a player sat in just such a seat and got just such lines; ``times`` may be negative."""

    player_id: int
    registered: bool
    role: str
    team: str
    result: str
    outcome: str
    stage: str | None
    first_kill: bool
    opens: bool
    lines: tuple[Line, ...]
    times: int


class OpenEntry(NamedTuple):
    """An entry that no reversal has taken out; ``times`` is 1 unless the ledger was tampered with."""

    game_id: int
    seat: int
    player_id: int
    registered: bool
    role: str
    team: str
    result: str
    outcome: str
    stage: str | None
    first_kill: bool
    opens: bool
    played_on: date
    points: int
    lines: tuple[Line, ...]
    times: int


_EVER = 2**63 - 1


@lru_cache(maxsize=16384)
def lines_written(lines: tuple[Line, ...]) -> str:
    """Lines as a row holds them."""
    return json.dumps(lines, separators=(",", ":"), ensure_ascii=False)


@lru_cache(maxsize=16384)
def lines_read(lines: str) -> tuple[Line, ...]:
    """The lines that a row holds."""
    return tuple(Line(*line) for line in json.loads(lines))


_ENTERED = ("season_id", "revision", "sign", *Entry._fields[:-1], "points", "lines")
_ROWS = select(*(LEDGER.c[name] for name in Row._fields)).where(
    LEDGER.c.season_id == bindparam("season"), LEDGER.c.revision > bindparam("after")
)
_AFTER = _ROWS.where(LEDGER.c.revision <= bindparam("up_to")).order_by(
    LEDGER.c.revision, LEDGER.c.game_id, LEDGER.c.seat, LEDGER.c.sign
)
_KEPT_SUMS = select(KEPT_SUMS.c.revision, KEPT_SUMS.c.sums).where(
    KEPT_SUMS.c.season_id == bindparam("season"), KEPT_SUMS.c.revision <= bindparam("up_to")
)
_TIMES = func.sum(LEDGER.c.sign).label("times")
_SUMMED = [LEDGER.c[name] for name in Sum._fields[:-1]]
_KEPT = [LEDGER.c[name] for name in OpenEntry._fields[:-1]]


def enter(tx: Transaction, season_id: int, revision: int, entries: Iterable[Entry]) -> None:
    """Add entries of whole games under a revision, each as it comes: many at once are much to look after."""
    insert_rows(
        tx,
        LEDGER,
        _ENTERED,
        (
            (season_id, revision, 1, *facts, sum([line[3] for line in lines]), lines_written(lines))
            for *facts, lines in entries
        ),
    )


def reverse(tx: Transaction, season_id: int, game_id: int, *, entered: int, revision: int) -> None:
    """Take a game's entry of revision ``entered`` out again under ``revision``."""
    _copy(tx, season_id, game_id, entered, {"revision": literal(revision), "sign": literal(-1)})


def repoint(
    tx: Transaction, season_id: int, game_id: int, *, entered: int, revision: int, survivors: Mapping[int, int]
) -> None:
    """Take a game's entry out and enter it anew, each merged player's survivor in the seat."""
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
    return [Row._make([*row[:-1], lines_read(row[-1])]) for row in rows]


def sums(tx: Transaction, season_id: int, *, revision: int | None = None, as_of: date | None = None) -> Iterator[Sum]:
    """All rows up to a revision, of games played up to a day, equal ones counted together.

    A season of 100,000 games has a million rows and some thousands of sums; without a day only the rows after the last
    :func:`keep_sums` are read. The same seat and lines may come twice, to be added.
    """
    after = 0
    if as_of is None:
        kept = tx.execute(_KEPT_SUMS, {"season": season_id, "up_to": _EVER if revision is None else revision}).first()
        if kept:
            after = kept.revision
            yield from _unpacked(kept.sums)
    yield from sums_of_rows(tx, season_id, after=after, up_to=revision, as_of=as_of)


def sums_of_rows(
    tx: Transaction, season_id: int, *, after: int = 0, up_to: int | None = None, as_of: date | None = None
) -> Iterator[Sum]:
    """As :func:`sums`, of the rows themselves and only those after a revision."""
    limits = [LEDGER.c.season_id == season_id, LEDGER.c.revision > after, *_limits(up_to, as_of)]
    query = select(*_SUMMED, _TIMES).where(*limits).group_by(*_SUMMED).having(_TIMES != 0)
    for row in tx.execute(query):
        yield Sum._make([*row[:-2], lines_read(row[-2]), row[-1]])


SUMS_FROM_GAMES: Final = 1_000
"""From so many new or rescored games on, it is worth keeping a season's sums."""


def keep_sums(tx: Transaction, season_id: int, revision: int) -> None:
    """Keep the season's sums up to the revision that a locked season is at, for cold starts to begin from.

    Worth doing after :data:`SUMS_FROM_GAMES`; nothing depends on it but speed.
    """
    counts: Counter[tuple[object, ...]] = Counter()
    for *seat, times in sums(tx, season_id, revision=revision):
        counts[tuple(seat)] += times
    profiles: dict[tuple[object, ...], int] = {}
    packed = [
        (player_id, profiles.setdefault(tuple(profile), len(profiles)), times)
        for (player_id, *profile), times in counts.items()
        if times
    ]
    written = json.dumps({"profiles": list(profiles), "counts": packed}, separators=(",", ":"))
    tx.execute(delete(KEPT_SUMS).where(KEPT_SUMS.c.season_id == season_id))
    tx.execute(insert(KEPT_SUMS), {"season_id": season_id, "revision": revision, "sums": written})


def _unpacked(written: str) -> Iterator[Sum]:
    kept = json.loads(written)
    profiles = [(*facts, tuple(Line(*line) for line in lines)) for *facts, lines in kept["profiles"]]
    for player_id, profile, times in kept["counts"]:
        yield Sum._make((player_id, *profiles[profile], times))


def sums_of_others(written: str, players: Mapping[int, int]) -> str:
    """Sums as :func:`keep_sums` wrote them, of players whose row numbers are others."""
    kept = json.loads(written)
    kept["counts"] = [[players[player_id], profile, times] for player_id, profile, times in kept["counts"]]
    return json.dumps(kept, separators=(",", ":"))


def of_player(
    tx: Transaction, season_id: int, player_id: int, *, revision: int | None = None, as_of: date | None = None
) -> list[OpenEntry]:
    """A player's entries in force, in the order played."""
    limits = [LEDGER.c.season_id == season_id, LEDGER.c.player_id == player_id, *_limits(revision, as_of)]
    query = select(*_KEPT, _TIMES).where(*limits).group_by(*_KEPT).having(_TIMES != 0)
    rows = tx.execute(query.order_by(LEDGER.c.played_on, LEDGER.c.game_id, LEDGER.c.seat))
    return [_kept(row) for row in rows]


def in_force(
    tx: Transaction, season_id: int, *, revision: int | None = None, as_of: date | None = None
) -> Iterator[OpenEntry]:
    """Every entry in force, games in the order played, each game's seats together."""
    limits = [LEDGER.c.season_id == season_id, *_limits(revision, as_of)]
    query = select(*_KEPT, _TIMES).where(*limits).group_by(*_KEPT).having(_TIMES != 0)
    query = query.order_by(LEDGER.c.played_on, LEDGER.c.game_id, LEDGER.c.seat)
    return map(_kept, tx.execute(query.execution_options(yield_per=5000)))


def _kept(row: Sequence[object]) -> OpenEntry:
    *facts, lines, times = row
    return OpenEntry._make([*facts, lines_read(str(lines)), times])


def _limits(revision: int | None, as_of: date | None) -> list[ColumnElement[bool]]:
    limits = []
    if revision is not None:
        limits.append(LEDGER.c.revision <= revision)
    if as_of is not None:
        limits.append(LEDGER.c.played_on <= as_of)
    return limits
