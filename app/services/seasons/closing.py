"""Closing a season: its tables are frozen and it takes no writes until it is reopened (API.md, "Kept")."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple, cast

from app.repositories import journal
from app.repositories.clubs import merges
from app.repositories.database import Transaction
from app.repositories.games import games
from app.repositories.seasons import seasons
from app.repositories.seasons.seasons import Season
from app.scoring.nickname import is_nickname
from app.scoring.ranking import Row, Standings
from app.scoring.terms import Format
from app.scoring.text import words
from app.services.access import Caller, season_for_writing, season_locked
from app.services.errors import Conflict
from app.services.standings import frozen_tables
from app.services.standings.cache.tallies import tallies_at
from app.services.standings.standings import TablePlayer, ranked, rules_at

MOST_NAMED: Final = 50
"""So many of the games that wait are named to who would close a season."""

_WAITING: Final = words("Игр, ожидающих решения: {}.", "Games that wait for a decision: {}.")
_OPEN: Final = words("Сезон не закрыт.", "The season is not closed.")


class Difference(NamedTuple):
    """Something frozen that the games no longer give."""

    what: str
    expected: Any
    found: Any


def close(tx: Transaction, caller: Caller, club: str, season: str, *, reason: str | None, now: datetime) -> Season:
    """Freeze the season's table in every order, with its awards, under a new revision.

    Raises:
        Unauthorized, Forbidden, NotFound: see :func:`app.services.access.season_for_writing`.
        Conflict: ``season_closed``; ``games_pending``: games wait for a decision; ``pending`` says how many, ``games``
            names the first of them.
    """
    found = season_for_writing(tx, caller, club, season, "close_season")
    waiting = games.count_by_status(tx, found.id).get("pending", 0)
    if waiting:
        first = games.pending(tx, found.id, cursor=None, limit=MOST_NAMED).items
        named = [{"id": game.public_id, "external_id": game.external_id} for game in first]
        raise Conflict("games_pending", _WAITING, waiting, pending=waiting, games=named)
    revision = seasons.advance(tx, found)
    tables = frozen_tables.written(_tables(tx, found, revision))
    seasons.close(tx, found.id, revision=revision, tables=tables, at=now)
    _record(tx, caller, found, "season_closed", now, revision=revision, reason=reason)
    return found._replace(revision=revision, closed_at=now)


def reopen(tx: Transaction, caller: Caller, club: str, season: str, *, reason: str, now: datetime) -> Season:
    """Let the season take writes again under a new revision; its table is what its games give again.

    Players who were merged meanwhile are merged in it now.

    Raises:
        Unauthorized, Forbidden, NotFound: see :func:`app.services.access.season_locked`.
        Conflict: ``season_open``: it is not closed.
    """
    found = season_locked(tx, caller, club, season, "reopen_season")
    if found.closed_at is None:
        raise Conflict("season_open", _OPEN)
    revision = seasons.advance(tx, found)
    seasons.reopen(tx, found.id)
    if merges.lags(tx, found.id):
        merges.follow(tx, found.id, revision)
    _record(tx, caller, found, "season_reopened", now, revision=revision, reason=reason)
    return found._replace(revision=revision, closed_at=None)


def refreeze(tx: Transaction, season: Season) -> None:
    """Freeze a closed season that came from elsewhere anew, once :func:`differences` finds none.

    A frozen table is shown as it is kept, words to be filled in included, so that no stranger may have written it. His
    are what players were called that day, and their order where places do not tell.
    """
    kept = seasons.frozen(tx, season.id)
    if kept is not None:
        now = _tables(tx, season, kept.revision)
        renamed = [_as_named(table, frozen_tables.read(kept.tables, table.order, TablePlayer)) for table in now]
        seasons.refreeze(tx, season.id, frozen_tables.written(renamed))


def differences(tx: Transaction, season: Season) -> Iterator[Difference]:
    """What of a closed season's frozen tables its ledger, rules and lots of then would not give today.

    What players are called is not compared: a frozen table keeps the names of its day.
    """
    kept = seasons.frozen(tx, season.id)
    if (kept is None) != (season.closed_at is None):
        yield Difference("frozen tables", None if season.closed_at is None else "some", kept and "some")
    if kept is None:
        return
    now = {table.order: table for table in _tables(tx, season, kept.revision)}
    try:
        then = {
            order: frozen_tables.read(kept.tables, order, TablePlayer) for order in frozen_tables.orders(kept.tables)
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
    """The season's table at a revision in each of its orders, the system's own first."""
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
    """The table of ``now`` with the names and the order of players of ``then``, from which it does not differ."""
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


def _record(
    tx: Transaction,
    caller: Caller,
    season: Season,
    action: str,
    now: datetime,
    *,
    revision: int,
    reason: str | None,
) -> None:
    journal.record(
        tx,
        action=action,
        target=season.slug,
        at=now,
        key_id=caller.key_id,
        role=caller.role,
        club_id=season.club_id,
        season_id=season.id,
        revision=revision,
        reason=reason,
    )
