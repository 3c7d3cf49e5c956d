"""Games of a season: submitted, corrected, voided, restored (API.md, "Kept")."""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Final

from app.repositories.clubs import players as people
from app.repositories.database import Transaction
from app.repositories.games import approvals, games
from app.repositories.seasons.seasons import Season
from app.scoring.exact_json import loads
from app.scoring.game import Game
from app.scoring.text import words
from app.services.access import Caller, season_for_writing
from app.services.clubs.clubs import today
from app.services.errors import Conflict, Forbidden, PreconditionRequired
from app.services.games import stored
from app.services.games.checked_game import SeatedGame, check_and_seat, examine, names_of, rules_of, seated_as_stored
from app.services.games.needed_approvals import approvals_of, status_of
from app.services.games.resubmission import is_repeat
from app.services.games.stored import StoredGame, version_tag
from app.services.games.versions import Step, enter, rewrite

TAKEN: Final = words(
    "В сезоне уже есть игра с этим external_id и другими фактами.",
    "The season has a game with this external_id and other facts.",
)
NOT_OWN: Final = words(
    "Судья исправляет и отменяет только игры, внесённые его ключом, и только {} ч после внесения.",
    "A judge corrects and voids only what the same key submitted, and only for {} hours.",
)


def submit(
    tx: Transaction, caller: Caller, club: str, season: str, game: Game, *, create_players: bool, now: datetime
) -> StoredGame:
    """Keep a game; what :func:`record` does, by whoever may.

    Raises:
        Unauthorized, Forbidden, NotFound: the caller submits no games there.
        Conflict: ``season_closed``, ``external_id_conflict``.
        RuleViolations: every breach.
    """
    into = season_for_writing(tx, caller, club, season, "submit_game")
    return record(tx, caller, into, game, create_players=create_players, now=now)


def record(
    tx: Transaction, caller: Caller, season: Season, game: Game, *, create_players: bool, now: datetime
) -> StoredGame:
    """Keep a game in a locked season: its facts, its entry in the ledger, one revision more.

    One with the ``external_id`` and the facts of a kept game changes nothing and is answered with that game as it
    stands. Approvals that the caller's role may decide are decided.

    Raises:
        Conflict: ``external_id_conflict``: a game with this id has other facts; ``existing`` names it.
        RuleViolations: every breach.
    """
    known = people.named(tx, season.club_id, set(names_of(game)))
    existing = None
    if game.external_id is not None:
        existing = games.by_external_id(tx, season.id, game.external_id)
        if existing and is_repeat(tx, rules_of(season), game, known, existing):
            return stored.show(tx, caller, season, existing)
    drafted = check_and_seat(
        tx,
        caller,
        season,
        game,
        played_on=today(season.timezone, now),
        known=known,
        create_players=create_players,
        now=now,
    )
    if existing:
        raise _taken(existing)
    return enter(tx, caller, season, drafted, approvals_of(drafted.breakdown, (), caller, now), now)


def correct(
    tx: Transaction,
    caller: Caller,
    club: str,
    season: str,
    game_id: str,
    sent: Game,
    *,
    expected: Collection[str] | None,
    reason: str | None,
    create_players: bool,
    judge_window: timedelta,
    now: datetime,
) -> StoredGame:
    """Replace a game's facts. What the body leaves out is gone, but the day and the ``external_id``, which stay.

    Approvals whose clause, seat and points stand keep what became of them. A voided game is corrected too, and stays
    voided.

    Args:
        tx: the transaction.
        caller: who asks.
        club: its slug.
        season: its slug.
        game_id: public.
        sent: the new facts.
        expected: the versions that the caller knows as current (:func:`version_tag`); None: it did not say.
        reason: why.
        create_players: whether unknown nicknames become players.
        judge_window: how long a judge may correct what its own key submitted.
        now: when.

    Raises:
        Unauthorized, Forbidden, NotFound: the caller does not correct this game.
        PreconditionRequired, PreconditionFailed: ``expected`` is not the current version.
        Conflict: ``season_closed``, ``external_id_conflict``.
        RuleViolations: every breach.
    """
    within = season_for_writing(tx, caller, club, season, "correct_game")
    game = stored.find(tx, within, game_id)
    _demand_own(caller, game, judge_window, now)
    if expected is None:
        raise PreconditionRequired
    stored.demand_current(expected, game)
    if sent.external_id is None:
        sent = sent.model_copy(update={"external_id": game.external_id})
    elif sent.external_id != game.external_id:
        existing = games.by_external_id(tx, within.id, sent.external_id)
        if existing is not None:
            raise _taken(existing)
    known = people.named(tx, within.club_id, set(names_of(sent)))
    drafted = check_and_seat(
        tx, caller, within, sent, played_on=game.played_on, known=known, create_players=create_players, now=now
    )
    return supersede(tx, caller, within, game, drafted, reason=reason, now=now)


def supersede(
    tx: Transaction,
    caller: Caller,
    season: Season,
    game: games.Game,
    drafted: SeatedGame,
    *,
    reason: str | None,
    now: datetime,
) -> StoredGame:
    """The facts of a game of a locked season are now these: the next version, one revision more.

    Raises:
        NotUnique: ``games``, when another game of the season has the external id.
    """
    needed = approvals_of(drafted.breakdown, approvals.of_games(tx, [game.id])[game.id], caller, now)
    status = "voided" if game.status == "voided" else status_of(drafted.breakdown, needed)
    return rewrite(tx, caller, season, game, Step("corrected", status, reason, now), drafted, needed)


def void(
    tx: Transaction,
    caller: Caller,
    club: str,
    season: str,
    game_id: str,
    *,
    expected: Collection[str] | None,
    reason: str | None,
    judge_window: timedelta,
    now: datetime,
) -> StoredGame:
    """Take a game out of every table; it stays readable. One that is voided already stays as it is.

    Raises:
        Unauthorized, Forbidden, NotFound: the caller does not void this game.
        PreconditionFailed: ``expected`` is given and not the current version.
        Conflict: ``season_closed``.
    """
    within = season_for_writing(tx, caller, club, season, "void_game")
    game = stored.find(tx, within, game_id)
    _demand_own(caller, game, judge_window, now)
    if expected is not None:
        stored.demand_current(expected, game)
    if game.status == "voided":
        return stored.show(tx, caller, within, game)
    drafted = seated_as_stored(tx, game, stored.scored(game.current))
    needed = approvals.of_games(tx, [game.id])[game.id]
    return rewrite(tx, caller, within, game, Step("voided", "voided", reason, now), drafted, needed)


def restore(
    tx: Transaction,
    caller: Caller,
    club: str,
    season: str,
    game_id: str,
    *,
    expected: Collection[str] | None,
    reason: str | None,
    judge_window: timedelta,
    now: datetime,
) -> StoredGame:
    """Bring a voided game back, under the rules that the season follows now. One that is not voided stays as it is.

    Raises:
        Unauthorized, Forbidden, NotFound: the caller does not restore this game.
        PreconditionFailed: ``expected`` is given and not the current version.
        Conflict: ``season_closed``.
        RuleViolations: the season has followed other rules since, and they forbid it.
    """
    within = season_for_writing(tx, caller, club, season, "restore_game")
    game = stored.find(tx, within, game_id)
    _demand_own(caller, game, judge_window, now)
    if expected is not None:
        stored.demand_current(expected, game)
    if game.status != "voided":
        return stored.show(tx, caller, within, game)
    breakdown = examine(within, Game.read(loads(game.current.facts)))
    drafted = seated_as_stored(tx, game, breakdown)
    needed = approvals_of(breakdown, approvals.of_games(tx, [game.id])[game.id], None, now)
    step = Step("restored", status_of(breakdown, needed), reason, now)
    return rewrite(tx, caller, within, game, step, drafted, needed)


def _taken(existing: games.Game) -> Conflict:
    tag = version_tag(existing.public_id, existing.version)
    members = {"id": existing.public_id, "version": existing.version, "status": existing.status, "etag": f'"{tag}"'}
    return Conflict("external_id_conflict", TAKEN, existing=members)


def may_correct(caller: Caller, game: games.Game, window: timedelta, now: datetime) -> bool:
    """Whether a caller who corrects games corrects this one: a judge what the same key submitted within ``window``."""
    return caller.role != "judge" or (game.created_by == caller.key_id and now - game.created_at <= window)


def _demand_own(caller: Caller, game: games.Game, window: timedelta, now: datetime) -> None:
    if not may_correct(caller, game, window, now):
        raise Forbidden(NOT_OWN, window // timedelta(hours=1))
