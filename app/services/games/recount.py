"""Rating seats of stored games after all: their players turned out to have been in the club on the day of the game."""

from collections.abc import Collection, Mapping
from datetime import datetime
from itertools import islice
from typing import Final, NamedTuple

from app.repositories.clubs import merges
from app.repositories.clubs import players as people
from app.repositories.clubs.players import Player
from app.repositories.database import Transaction
from app.repositories.games import approvals, games, ledger
from app.repositories.games.games import SeatedPlayer
from app.repositories.seasons import rule_change, seasons
from app.repositories.seasons.seasons import Season
from app.scoring.exact_json import loads
from app.scoring.game import Game
from app.scoring.systems import find_system
from app.services import journal
from app.services.access import Caller
from app.services.games.fingerprint import written
from app.services.games.needed_approvals import approvals_of, status_of
from app.services.games.registration import rated_now, with_rated
from app.services.games.versions import RewrittenGame, rewrite_all
from app.services.journal import Scope

_AT_ONCE: Final = 500
"""Games that are in memory together."""


class Recounted(NamedTuple):
    """How many games of a season a registration rates a seat in."""

    season: str
    """Its slug."""
    games: int


def recount_player(
    tx: Transaction,
    caller: Caller,
    player: Player,
    of_club: Mapping[int, Season],
    revisions: dict[int, int],
    now: datetime,
) -> None:
    """Rate the seats of a player in every open season from the day of his registration on, unless the judge said no.

    Args:
        tx: the transaction that holds the locks of the club and its seasons.
        caller: who registered him.
        player: as registered now.
        of_club: the seasons of the club by row number.
        revisions: of the seasons that rise by a revision in this transaction; further ones are added.
        now: the time.
    """
    for season_id in merges.open_seasons_of(tx, player.id):
        season = of_club[season_id]
        found = _to_rate(tx, season_id, {player.id: player})
        if not found:
            continue
        revision = revisions.get(season_id) or seasons.advance(tx, season)
        revisions[season_id] = revision
        _rate(tx, caller, season, found, revision, now)
        scope = Scope(season.club_id, season_id, revision)
        detail = {"registered_on": player.registered_on, "games": len(found)}
        journal.record(tx, caller, player.public_id, "player_registered", scope, now, detail=detail)


def preview_player(tx: Transaction, registered: Player, merged: Collection[int] = ()) -> list[Recounted]:
    """Return what :func:`recount_player` would do; nothing is written.

    Args:
        tx: a transaction that may only read.
        registered: the player as he would be registered.
        merged: row numbers of players whose seats would be his.
    """
    whose = dict.fromkeys((registered.id, *merged), registered)
    of_seasons = {number for one in whose for number in merges.open_seasons_of(tx, one)}
    counted = {number: len(_to_rate(tx, number, whose)) for number in sorted(of_seasons)}
    slugs = seasons.slugs(tx, of_seasons)
    return [Recounted(slugs[number], count) for number, count in counted.items() if count]


def recount_season(tx: Transaction, caller: Caller, season: Season, revision: int, now: datetime) -> None:
    """Rate the seats of a reopened season whose players were registered as of an earlier day while it was closed."""
    whose = {one.seat.player_id for one in rule_change.unrated(tx, season.id)}
    found = _to_rate(tx, season.id, people.by_ids(tx, whose)) if whose else {}
    if found:
        _rate(tx, caller, season, found, revision, now)


def _to_rate(tx: Transaction, season_id: int, whose: Mapping[int, Player]) -> dict[int, list[int]]:
    """The seats to rate by the row number of their game."""
    found: dict[int, list[int]] = {}
    only = next(iter(whose)) if len(whose) == 1 else None
    for game_id, day, mark, seat in rule_change.unrated(tx, season_id, only):
        if seat.player_id in whose:
            for number in rated_now(mark, [seat], whose, day):
                found.setdefault(game_id, []).append(number)
    return found


def _rate(
    tx: Transaction, caller: Caller, season: Season, found: Mapping[int, list[int]], revision: int, now: datetime
) -> None:
    """Write the next version of each game, with these seats rated, under one revision."""
    rule_change.take_out(tx, season.id, revision, found)
    numbers = iter(found)
    while batch := list(islice(numbers, _AT_ONCE)):
        current = games.by_ids(tx, batch)
        seated, needed = games.seats(tx, batch), approvals.of_games(tx, batch)
        rated = [_rated(current[one], seated[one], needed.get(one, ()), found[one], now) for one in batch]
        rewrite_all(tx, caller, season, rated, action="registered", revision=revision, reason=None, now=now)
    if len(found) >= ledger.WORTH_SUMMING:
        ledger.store_sums(tx, season.id, revision)


def _rated(
    game: games.Game,
    seated: Collection[SeatedPlayer],
    earlier: Collection[approvals.Approval],
    rated: Collection[int],
    now: datetime,
) -> RewrittenGame:
    facts = with_rated(loads(game.current.facts), rated)
    system = find_system(game.current.rule_system, game.current.rule_version)
    breakdown = system.score(Game.stored(facts))
    who = {one.seat: one.player_id for one in seated}
    along = zip(breakdown.game.seats, breakdown.registered, strict=True)
    seats = [SeatedPlayer(seat.seat, who[seat.seat], registered) for seat, registered in along]
    needed = approvals_of(breakdown, earlier, None, now)
    return RewrittenGame(game, breakdown, seats, needed, status_of(breakdown, needed), written(facts))
