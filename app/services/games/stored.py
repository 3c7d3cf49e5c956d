"""A stored game as responses show it: its facts, its players, its points."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from typing import Any, Final, NamedTuple

from app.repositories.clubs import keys
from app.repositories.clubs import players as people
from app.repositories.clubs.keys import Key
from app.repositories.clubs.players import Player
from app.repositories.database import Transaction
from app.repositories.database.pages import Page
from app.repositories.games import approvals, games
from app.repositories.games.approvals import Approval
from app.repositories.seasons.seasons import Season
from app.scoring.breakdown import Breakdown, SeatWarning
from app.scoring.exact_json import loads
from app.scoring.game import Game
from app.scoring.systems import find_system
from app.scoring.text import words
from app.services.access import Caller, hidden_from, season_for_reading
from app.services.clubs.players import demand_player
from app.services.errors import NotFound, PreconditionFailed
from app.services.games.fingerprint import Fingerprint
from app.services.games.registration import not_registered

ANY_VERSION: Final = "*"

_NO_GAME: Final = words("Нет такой игры.", "Game not found.")


class StoredGame(NamedTuple):
    """A game of a season, as it stands."""

    season: Season
    public_id: str
    external_id: str | None
    version: int
    status: str
    revision: int
    """The season's, when the game last changed."""
    facts: dict[str, Any]
    """Canonical; nicknames as the judge wrote them."""
    players: Mapping[int, Player]
    """By seat."""
    in_full: bool
    """Whether notes, reasons and keys are shown: to the club's own keys only."""
    breakdown: Breakdown | None = None
    """None in a list."""
    approvals: Sequence[Approval] = ()
    deciders: Mapping[int, Key] = {}
    """The keys that decided, where they are shown."""
    is_new: bool = False
    warnings: Sequence[SeatWarning] = ()
    """What else than its breakdown warns of: seats that are not rated because their players were not in the club, and
    right after it was stored a game with the same facts. None in a list."""


def version_tag(public_id: str, version: int) -> str:
    """What names one version of a game, as an ETag does without its quotes."""
    return f"{public_id}-{version}"


def demand_current(expected: Collection[str], game: games.Game) -> None:
    """Refuse unless the game's version is among the tags :func:`version_tag` ``expected``, or any will do.

    A tag may go on after the version, for answers of one version differ in their words.

    Raises:
        PreconditionFailed: the caller knows another version.
    """
    current = version_tag(game.public_id, game.version)
    if ANY_VERSION not in expected and not any(tag.partition(".")[0] == current for tag in expected):
        raise PreconditionFailed


def one(tx: Transaction, caller: Caller, club: str, season: str, game_id: str) -> StoredGame:
    """A game with its breakdown.

    Raises:
        NotFound: there is no such game that the caller may know of.
    """
    of = season_for_reading(tx, caller, club, season)
    return show(tx, caller, of, find_shown(tx, caller, of, game_id))


def page(
    tx: Transaction,
    caller: Caller,
    club: str,
    season: str,
    *,
    player: str | None,
    since: date | None,
    until: date | None,
    status: str | None,
    cursor: str | None,
    limit: int,
) -> Page[StoredGame]:
    """A season's games without breakdowns, the last played first; both days belong to the span.

    Raises:
        NotFound: there is no such season that the caller may know of.
        InvalidInput: the club has no such player.
        NotACursor: the cursor is of another list.
    """
    of = season_for_reading(tx, caller, club, season)
    who = None
    if player is not None:
        who = demand_player(people.by_public_id(tx, of.club_id, player), "?player").survivor_id
    listed = games.page(
        tx,
        of.id,
        player_id=who,
        since=since,
        until=until,
        statuses=() if status is None else (status,),
        hidden=hidden_from(caller, of),
        cursor=cursor,
        limit=limit,
    )
    return Page(show_all(tx, caller, of, listed.items), listed.next_cursor)


def find_or_refuse(tx: Transaction, season: Season, public_id: str) -> games.Game:
    """A game of the season.

    Raises:
        NotFound: the season has no such game.
    """
    game = games.find(tx, season.id, public_id)
    if game is None:
        raise NotFound(_NO_GAME)
    return game


def find_shown(tx: Transaction, caller: Caller, season: Season, public_id: str) -> games.Game:
    """A game of the season that is not hidden from the caller.

    Raises:
        NotFound: the season has no such game.
    """
    game = find_or_refuse(tx, season, public_id)
    hidden = hidden_from(caller, season)
    if hidden is not None and hidden.has(game.played_on, game.stage):
        raise NotFound(_NO_GAME)
    return game


def scored(version: games.Version) -> Breakdown:
    """What the rules that a version was written under give for its facts."""
    return find_system(version.rule_system, version.rule_version).score(Game.stored(loads(version.facts)))


def show(tx: Transaction, caller: Caller, season: Season, game: games.Game) -> StoredGame:
    """One game with its breakdown."""
    (shown,) = show_all(tx, caller, season, [game])
    needed = approvals.of_game(tx, game.id)
    nicknames = {seat: player.nickname for seat, player in shown.players.items()}
    return shown._replace(
        warnings=not_registered(shown.facts, Fingerprint.read(game.current.fingerprint), nicknames),
        breakdown=scored(game.current),
        approvals=needed,
        deciders=deciders_of(tx, needed) if shown.in_full else {},
    )


def show_all(tx: Transaction, caller: Caller, season: Season, found: Sequence[games.Game]) -> list[StoredGame]:
    """Games without their breakdowns."""
    seated = games.seats(tx, [game.id for game in found])
    known = people.by_ids(tx, {seat.player_id for seats in seated.values() for seat in seats})
    return [
        StoredGame(
            season=season,
            public_id=game.public_id,
            external_id=game.external_id,
            version=game.version,
            status=game.status,
            revision=game.revision,
            facts=loads(game.current.facts),
            players={seat.seat: known[seat.player_id] for seat in seated[game.id]},
            in_full=caller.is_of(season.club_id),
        )
        for game in found
    ]


def deciders_of(tx: Transaction, needed: Sequence[Approval]) -> dict[int, Key]:
    """The keys that decided approvals, by row number."""
    decided = {approval.decided_by for approval in needed if approval.decided_by is not None}
    return keys.by_ids(tx, decided) if decided else {}
