"""Closing a season: its tables are frozen, and it accepts no changes until it is reopened."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple, cast

from app.repositories.clubs import merges
from app.repositories.database import Transaction
from app.repositories.games import games
from app.repositories.seasons import seasons
from app.repositories.seasons.seasons import Season
from app.scoring.nickname import is_nickname
from app.scoring.ranking import Row, Standings
from app.scoring.terms import Format
from app.scoring.text import words
from app.services import journal
from app.services.access import Caller, season_for_writing, season_locked
from app.services.errors import Conflict
from app.services.games.recount import recount_season
from app.services.journal import Scope
from app.services.standings import frozen_tables
from app.services.standings.cache.tallies import tallies_at
from app.services.standings.standings import TablePlayer, ranked, rules_at

_MOST_LISTED: Final = 50
"""How many of the waiting games the refusal lists."""

_WAITING: Final = words(
    "Игр, которые ждут согласования: {}. Сначала решите по ним.", "Games waiting for a decision: {}."
)
_OPEN: Final = words("Сезон и так открыт.", "The season is not closed.")
_TIED: Final = words(
    "Места делят группы игроков, которым нужен жребий: {}. Запишите жребий или закройте с lots=shared.",
    "Ties that need a lot: {}. Record the lots, or close with lots=shared.",
)


class Difference(NamedTuple):
    """A frozen value that does not follow from the games."""

    what: str
    expected: Any
    found: Any


def close(
    tx: Transaction,
    caller: Caller,
    club: str,
    season: str,
    *,
    reason: str | None,
    places_shared: bool = False,
    now: datetime,
) -> Season:
    """Freeze the season's table in every order, with its awards, under a new revision.

    ``places_shared``: whether players whom only a lot would separate may share a place for good.

    Raises:
        Unauthorized, Forbidden, NotFound: see :func:`app.services.access.season_for_writing`.
        Conflict: ``season_closed``; ``games_pending``: games wait for a decision; ``pending`` says how many, ``games``
            lists the first of them; ``lots_needed``, with the ``ties``.
    """
    found = season_for_writing(tx, caller, club, season, "close_season")
    waiting = games.count_by_status(tx, found.id).get("pending", 0)
    if waiting:
        first = games.pending(tx, found.id, cursor=None, limit=_MOST_LISTED).items
        named = [{"id": game.public_id, "external_id": game.external_id} for game in first]
        raise Conflict("games_pending", _WAITING, waiting, pending=waiting, games=named)
    revision = seasons.advance(tx, found)
    tables = _tables(tx, found, revision)
    shared = [tie for tie in tables[0].ties if tie.lot == "needed"]
    if shared and not places_shared:
        ties = [{"rank": tie.rank, "players": sorted(map(_id, tie.players)), "lot": tie.lot} for tie in shared]
        raise Conflict("lots_needed", _TIED, len(ties), ties=ties)
    seasons.close(tx, found.id, revision=revision, tables=frozen_tables.written(tables), at=now)
    detail = {"lots": "shared"} if shared else None
    journal.record(
        tx, caller, found.slug, "season_closed", Scope.of(found, revision), now, reason=reason, detail=detail
    )
    return found._replace(revision=revision, closed_at=now)


def reopen(tx: Transaction, caller: Caller, club: str, season: str, *, reason: str, now: datetime) -> Season:
    """Let the season accept changes again, under a new revision; its table follows from its games again.

    Players who were merged while it was closed are now merged in it, and seats are rated of those who were registered
    as of an earlier day.

    Raises:
        Unauthorized, Forbidden, NotFound: see :func:`app.services.access.season_locked`.
        Conflict: ``season_open``: it is not closed.
    """
    found = season_locked(tx, caller, club, season, "reopen_season")
    if found.closed_at is None:
        raise Conflict("season_open", _OPEN)
    revision = seasons.advance(tx, found)
    seasons.reopen(tx, found.id)
    lags = merges.lags(tx, found.id)
    # Games that are rated anew are entered with survivors in them, so the season follows merges after that.
    recount_season(tx, caller, found, revision, now)
    if lags:
        merges.follow(tx, found.id, revision)
    journal.record(tx, caller, found.slug, "season_reopened", Scope.of(found, revision), now, reason=reason)
    return found._replace(revision=revision, closed_at=None)


def refreeze(tx: Transaction, season: Season) -> None:
    """Freeze an imported closed season again after :func:`differences` finds none.

    A frozen table is shown as stored, including its text templates, so its texts must not come from an archive. Only
    the players' names and the order of tied players do.
    """
    frozen = seasons.frozen(tx, season.id)
    if frozen is not None:
        now = _tables(tx, season, frozen.revision)
        renamed = [_as_named(table, frozen_tables.read(frozen.tables, table.order, TablePlayer)) for table in now]
        seasons.refreeze(tx, season.id, frozen_tables.written(renamed))


def differences(tx: Transaction, season: Season) -> Iterator[Difference]:
    """Compare a closed season's frozen tables with what its ledger, rules and lots of that revision give.

    Nicknames are not compared: a frozen table has the names of its day.
    """
    frozen = seasons.frozen(tx, season.id)
    if (frozen is None) != (season.closed_at is None):
        yield Difference("frozen tables", None if season.closed_at is None else "some", frozen and "some")
    if frozen is None or not 0 <= frozen.revision <= season.revision:
        return  # what is wrong with the revision is said of the season itself
    now = {table.order: table for table in _tables(tx, season, frozen.revision)}
    try:
        then = {
            order: frozen_tables.read(frozen.tables, order, TablePlayer)
            for order in frozen_tables.orders(frozen.tables)
        }
    except (ValueError, LookupError, TypeError) as error:
        yield Difference("frozen tables", "tables", f"{type(error).__name__}: {error}")
        return
    if now.keys() != then.keys():
        yield Difference("frozen orders", list(now), list(then))
    for order in now.keys() & then.keys():
        for found in _between(now[order], then[order]):
            yield found._replace(what=f"{found.what}, frozen by {order}")


def _tables(tx: Transaction, season: Season, revision: int) -> list[Standings]:
    """Return the season's table at a revision in each of its orders, the regulation's own first."""
    tallies = tallies_at(tx, season.id, revision=revision)
    orders = rules_at(tx, season, revision).rankings[cast(Format, season.format)].orders
    return [ranked(tx, season, revision, tallies, order) for order in orders]


def _between(now: Standings, then: Standings) -> Iterator[Difference]:
    for what, expected, found in (
        ("games", now.games, then.games),
        ("places", [row.rank for row in now.rows], [row.rank for row in then.rows]),
        ("columns", _columns(now), _columns(then)),
        ("ties", _ties(now), _ties(then)),
        ("awards", _awards(now), _awards(then)),
    ):
        if expected != found:
            yield Difference(what, expected, found)
    expected_rows, found_rows = _rows(now), _rows(then)
    for who in (cast(TablePlayer, row.player) for row in then.rows):
        if not is_nickname(who.nickname):
            yield Difference(f"name of {who.public_id}", "a nickname", who.nickname)
    for player in sorted({*expected_rows, *found_rows}):
        if expected_rows.get(player) != found_rows.get(player):
            yield Difference(f"row of {player}", expected_rows.get(player), found_rows.get(player))


def _as_named(now: Standings, then: Standings) -> Standings:
    """Return the table ``now`` with the player names and player order of the equal table ``then``."""
    rows = {_id(row.player): row for row in now.rows}
    named = {
        _id(row.player): cast(TablePlayer, rows[_id(row.player)].player)._replace(
            nickname=cast(TablePlayer, row.player).nickname
        )
        for row in then.rows
    }

    def all_named(players: Sequence[object]) -> tuple[TablePlayer, ...]:
        return tuple(named[_id(player)] for player in players)

    return now._replace(
        rows=tuple(rows[public_id]._replace(player=who) for public_id, who in named.items()),
        ties=tuple(tie._replace(players=all_named(was.players)) for tie, was in zip(now.ties, then.ties, strict=True)),
        awards=tuple(
            award._replace(players=all_named(was.players)) for award, was in zip(now.awards, then.awards, strict=True)
        ),
    )


def _id(player: object) -> str:
    return cast(TablePlayer, player).public_id


def _columns(table: Standings) -> list[tuple[object, ...]]:
    return [(column.key, column.decimals, column.unit, column.clause) for column in table.columns]


def _rows(table: Standings) -> dict[str, tuple[object, ...]]:
    return {_id(row.player): _figures(row) for row in table.rows}


def _figures(row: Row) -> tuple[object, ...]:
    lines = tuple((clause, line.code, line.category, str(line.points)) for clause, line in row.season_lines)
    values = {key: None if value is None else str(value) for key, value in row.values.items()}
    return row.rank, row.published, values, lines


def _ties(table: Standings) -> list[tuple[object, ...]]:
    return [(tie.rank, sorted(map(_id, tie.players)), tie.lot) for tie in table.ties]


def _awards(table: Standings) -> list[tuple[object, ...]]:
    return [
        (award.clause, award.code, award.by, award.places, str(award.cut), sorted(map(_id, award.players)))
        for award in table.awards
    ]
