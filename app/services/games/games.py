"""Games of a season: submitted, corrected, voided, restored."""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Final, NamedTuple, cast

from app.repositories.database import Transaction
from app.repositories.games import approvals, games
from app.repositories.games import traits as recognised
from app.repositories.seasons.seasons import Season
from app.scoring.game import Game
from app.scoring.terms import Format
from app.scoring.text import words
from app.services.access import Caller, season_for_writing
from app.services.clubs.registration import demand_backdating
from app.services.errors import Forbidden, PreconditionRequired
from app.services.games import stored
from app.services.games.checked_game import SeatedGame, check_and_seat, seated_as_stored
from app.services.games.likeness import (
    demand_unlike,
    likely_restored,
    stored_games,
    traits_as_sent,
    write_traits,
)
from app.services.games.needed_approvals import approvals_of, status_of
from app.services.games.registration import as_corrected, registered_since
from app.services.games.sent_game import players_of, rules_of, sent_games
from app.services.games.stored import StoredGame
from app.services.games.submission import id_conflict, same_facts
from app.services.games.versions import Step, rewrite

NOT_OWN: Final = words(
    "Судья может исправить или аннулировать игру, только если внёс её сам и прошло не больше {} ч. "
    "Обратитесь к главному судье или президенту.",
    "Judges can correct and void only games submitted with the same key, for {} hours.",
)


class ChangeRequest(NamedTuple):
    """Which stored game is to be changed, and what the caller knows and says of it."""

    club: str
    """Its slug."""
    season: str
    """Its slug."""
    game_id: str
    """Public."""
    expected: Collection[str] | None = None
    """The versions that the caller takes for current (:func:`.stored.version_tag`); None: it did not say."""
    reason: str | None = None


def correct(
    tx: Transaction,
    caller: Caller,
    request: ChangeRequest,
    game: Game,
    *,
    create_players: bool,
    register_players: bool = False,
    allow_duplicate: bool = False,
    judge_window: timedelta,
    now: datetime,
) -> StoredGame:
    """Replace a game's facts. What the body leaves out is gone, but the day and the ``external_id``, which stay.

    Approvals whose clause, seat and points stand keep what became of them. A voided game is corrected too, and stays
    voided.

    Args:
        tx: the transaction.
        caller: who asks.
        request: which game, and why.
        game: the new facts.
        create_players: whether unknown nicknames become players.
        register_players: whether those are registered on the day of the game.
        allow_duplicate: whether it may be like another stored game.
        judge_window: how long a judge may correct what its own key submitted.
        now: when.

    Raises:
        Unauthorized, Forbidden, NotFound: the caller does not correct this game, or registers no players as of its day.
        PreconditionRequired, PreconditionFailed: what is expected is not the current version.
        Conflict: ``season_closed``, ``external_id_conflict``, ``possible_duplicate`` by what it changes.
        RuleViolations: every breach.
    """
    season, before = _to_change(tx, caller, request, "correct_game", judge_window, now)
    if register_players:
        demand_backdating(caller)
    if request.expected is None:
        raise PreconditionRequired
    if game.external_id is None:
        game = game.model_copy(update={"external_id": before.external_id})
    elif game.external_id != before.external_id:
        existing = games.by_external_id(tx, season.id, game.external_id)
        if existing is not None:
            raise id_conflict(existing)
    (sent,) = sent_games(tx, season, [game], before.played_on)
    known = players_of(tx, season.club_id, [sent])
    sent = as_corrected(tx, sent, before, known, sent.day)
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
    same = None
    if sent.has_own_id and seated.traits is not None:
        if season.traits_at < season.revision:
            write_traits(tx, season)
        whole = seated.traits.whole
        same = recognised.first_sharing(tx, season.id, [whole], but_for=before.id).get(whole)
    elif not allow_duplicate:
        likely = stored_games(tx, season, traits_as_sent(sent, sent.day, known).present[2:])
        demand_unlike([] if likely is None else likely.alike_by_correction(before, sent, known))
    corrected = supersede(tx, caller, season, before, seated, reason=request.reason, now=now)
    return corrected if same is None else corrected._replace(warnings=[*corrected.warnings, same_facts(same)])


def supersede(
    tx: Transaction,
    caller: Caller,
    season: Season,
    before: games.Game,
    game: SeatedGame,
    *,
    reason: str | None,
    now: datetime,
) -> StoredGame:
    """The facts of a game of a locked season are now these: the next version, one revision more.

    Raises:
        NotUnique: ``games``, when another game of the season has the external id.
    """
    needed = approvals_of(game.breakdown, approvals.of_game(tx, before.id), caller, now)
    status = "voided" if before.status == "voided" else status_of(game.breakdown, needed)
    return rewrite(tx, caller, season, before, game, Step("corrected", status, needed, reason, now))


def void(
    tx: Transaction, caller: Caller, request: ChangeRequest, *, judge_window: timedelta, now: datetime
) -> StoredGame:
    """Take a game out of every table; it stays readable. One that is voided already stays as it is.

    Raises:
        Unauthorized, Forbidden, NotFound: the caller does not void this game.
        PreconditionFailed: what is expected is given and not the current version.
        Conflict: ``season_closed``.
    """
    season, before = _to_change(tx, caller, request, "void_game", judge_window, now)
    if before.status == "voided":
        return stored.show(tx, caller, season, before)
    step = Step("voided", "voided", approvals.of_game(tx, before.id), request.reason, now)
    return rewrite(tx, caller, season, before, seated_as_stored(tx, before, stored.scored(before.current)), step)


def restore(
    tx: Transaction,
    caller: Caller,
    request: ChangeRequest,
    *,
    allow_duplicate: bool = False,
    judge_window: timedelta,
    now: datetime,
) -> StoredGame:
    """Bring a voided game back, under the rules that the season follows now. One that is not voided stays as it is.

    Players who were registered as of its day meanwhile are rated.

    Raises:
        Unauthorized, Forbidden, NotFound: the caller does not restore this game.
        PreconditionFailed: what is expected is given and not the current version.
        Conflict: ``season_closed``, ``possible_duplicate``.
        RuleViolations: the season has followed other rules since, and they forbid it.
    """
    season, before = _to_change(tx, caller, request, "restore_game", judge_window, now)
    if before.status != "voided":
        return stored.show(tx, caller, season, before)
    facts = registered_since(tx, before)
    breakdown = rules_of(season).examine(Game.stored(facts), cast(Format, season.format))
    if not allow_duplicate:
        demand_unlike(likely_restored(tx, season, before))
    needed = approvals_of(breakdown, approvals.of_game(tx, before.id), None, now)
    step = Step("restored", status_of(breakdown, needed), needed, request.reason, now)
    return rewrite(tx, caller, season, before, seated_as_stored(tx, before, breakdown)._replace(facts=facts), step)


def may_correct(caller: Caller, game: games.Game, window: timedelta, now: datetime) -> bool:
    """Whether a caller who corrects games corrects this one: a judge what the same key submitted within ``window``."""
    return caller.role != "judge" or (game.created_by == caller.key_id and now - game.created_at <= window)


def _to_change(
    tx: Transaction, caller: Caller, request: ChangeRequest, operation: str, window: timedelta, now: datetime
) -> tuple[Season, games.Game]:
    """The game that the caller may change and its locked season."""
    season = season_for_writing(tx, caller, request.club, request.season, operation)
    game = stored.find_or_refuse(tx, season, request.game_id)
    if not may_correct(caller, game, window, now):
        raise Forbidden(NOT_OWN, window // timedelta(hours=1))
    if request.expected is not None:
        stored.demand_current(request.expected, game)
    return season, game
