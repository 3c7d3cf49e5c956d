"""Games submitted to a season."""

from datetime import datetime
from typing import Final

from app.repositories.database import Transaction
from app.repositories.games import games
from app.repositories.games import traits as recognised
from app.repositories.seasons.seasons import Season
from app.scoring.breakdown import SeatWarning
from app.scoring.game import Game
from app.scoring.text import words
from app.services.access import Caller, season_for_writing
from app.services.clubs.clubs import day_at
from app.services.clubs.registration import demand_backdating
from app.services.errors import Conflict
from app.services.games import stored
from app.services.games.checked_game import check_and_seat
from app.services.games.likeness import (
    SAME_FACTS,
    as_existing,
    demand_unlike,
    described,
    stored_games,
    traits_as_sent,
    write_traits,
)
from app.services.games.resubmission import is_resubmission
from app.services.games.sent_game import players_of, sent_games
from app.services.games.stored import StoredGame
from app.services.games.versions import enter

TAKEN: Final = words(
    "В сезоне уже есть игра с этим внешним номером (external_id), и протокол у неё другой.",
    "The season already has a game with this external_id and different facts.",
)


def submit(
    tx: Transaction,
    caller: Caller,
    club: str,
    season: str,
    game: Game,
    *,
    create_players: bool,
    register_players: bool = False,
    allow_duplicate: bool = False,
    now: datetime,
) -> StoredGame:
    """Store a game; what :func:`record` does, by whoever may.

    Raises:
        Unauthorized, Forbidden, NotFound: the caller submits no games there, or registers no players as of their day.
        Conflict: ``season_closed``, ``external_id_conflict``, ``possible_duplicate``.
        RuleViolations: every breach.
    """
    into = season_for_writing(tx, caller, club, season, "submit_game")
    if register_players:
        demand_backdating(caller)
    return record(
        tx,
        caller,
        into,
        game,
        create_players=create_players,
        register_players=register_players,
        allow_duplicate=allow_duplicate,
        now=now,
    )


def record(
    tx: Transaction,
    caller: Caller,
    season: Season,
    game: Game,
    *,
    create_players: bool,
    register_players: bool = False,
    allow_duplicate: bool = False,
    now: datetime,
) -> StoredGame:
    """Store a game in a locked season: its facts, its entry in the ledger, one revision more.

    One with the ``external_id`` and the facts of a stored game changes nothing and is answered with that game as it
    stands; without an id of its own, one with the facts of any game. Approvals that the caller's role may decide are
    decided.

    Raises:
        Conflict: ``external_id_conflict``: a game with this id has other facts; ``existing`` names it.
            ``possible_duplicate``: without an id of its own it is likely stored already.
        RuleViolations: every breach.
    """
    (sent,) = sent_games(tx, season, [game], day_at(season, now))
    known = players_of(tx, season.club_id, [sent])
    existing = None
    if game.external_id is not None:
        existing = games.by_external_id(tx, season.id, game.external_id)
        if existing is None and not sent.has_own_id:
            existing = games.find_unnamed(tx, season.id, game.external_id)
        if existing and is_resubmission(tx, sent, known, existing):
            return stored.show(tx, caller, season, existing)
    likely = None
    if not sent.has_own_id:
        traits = traits_as_sent(sent, sent.day, known)
        likely = stored_games(tx, season, traits.present[1:])
        if likely is not None and (equal := likely.equal(sent, traits, known)):
            return stored.show(tx, caller, season, equal)
    seated = check_and_seat(
        tx,
        caller,
        season,
        sent,
        day=sent.day,
        known=known,
        create_players=create_players,
        register_players=register_players,
        now=now,
    )
    if existing:
        raise id_conflict(existing)
    if likely is not None and not allow_duplicate:
        demand_unlike(likely.alike(described(sent, sent.day, known), traits))
    same = None
    if sent.has_own_id and seated.traits is not None:
        if season.traits_at < season.revision:
            write_traits(tx, season)
        whole = seated.traits.whole
        same = recognised.first_sharing(tx, season.id, [whole]).get(whole)
    entered = enter(tx, caller, season, seated, now)
    return entered if same is None else entered._replace(warnings=[*entered.warnings, same_facts(same)])


def same_facts(public_id: str) -> SeatWarning:
    """The warning that the season has another game with the same facts, day and seats."""
    return SeatWarning("possible_duplicate", None, SAME_FACTS, (public_id,))


def id_conflict(existing: games.Game) -> Conflict:
    """The refusal of other facts under the external id of a stored game."""
    return Conflict("external_id_conflict", TAKEN, existing=as_existing(existing))
