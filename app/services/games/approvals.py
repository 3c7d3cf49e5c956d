"""Approvals of a season's games: what waits for whom, and deciding it (docs/api.md#games-of-a-season)."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Final, Literal, NamedTuple, TypeAlias

from app.repositories.clubs import keys
from app.repositories.clubs.keys import Key
from app.repositories.database import Transaction
from app.repositories.database.pages import Page
from app.repositories.games import approvals, games
from app.repositories.games.approvals import Approval as Approval
from app.repositories.games.games import Version
from app.repositories.seasons import seasons
from app.repositories.seasons.seasons import Season
from app.scoring.rule_system import Clause
from app.scoring.systems import find_system
from app.scoring.text import words
from app.scoring.violation import Violation
from app.services.access import ROLES, Caller, club_for, require, role_names, season_for_reading, season_for_writing
from app.services.errors import Conflict, Forbidden, PreconditionRequired
from app.services.games import stored
from app.services.games.checked_game import seated_as_stored
from app.services.games.needed_approvals import DECIDES, status_of
from app.services.games.stored import StoredGame
from app.services.games.versions import Step, rewrite
from app.validation import InvalidInput

Decision: TypeAlias = Literal["approve", "reject"]

_STATES: Final = {"approve": "approved", "reject": "rejected"}
_SAY_WHY: Final = words("напишите, что исправить", "a rejection needs a note that says what to correct")
_NOT_YOURS: Final = words(
    "Согласовать может: {}; у этого ключа — {}.",
    "Approvals of this game are decided by: {}. The key's role is {}.",
)
_NOT_PENDING: Final = words("С этим ключом здесь решать нечего.", "Nothing is waiting for this key's decision.")


class Verdict(NamedTuple):
    """How approvals of a game are decided."""

    decision: Decision
    note: str | None = None
    """Why; of a rejection, what to correct."""
    clause: str | None = None
    """Only what this clause asks; None: whatever clause."""
    seat: int | None = None
    """Only what this seat waits for; None: every seat."""


class OpenApproval(NamedTuple):
    """An approval that is open, and whether the caller may decide it."""

    approval: Approval
    may_decide: bool


class PendingGame(NamedTuple):
    """A game that waits for a decision, with all that is needed to decide."""

    season: str
    """The slug of its season."""
    game: StoredGame
    waiting: Sequence[OpenApproval]
    clauses: Sequence[Clause]
    """Those that the open approvals are of, in document order."""
    current: Version
    """Who wrote what is to be decided, and when."""
    author: Key


def page(
    tx: Transaction, caller: Caller, club: str, season: str, *, cursor: str | None, limit: int
) -> Page[PendingGame]:
    """A season's games that wait for a decision, the first submitted first; for the club's own keys.

    Raises:
        Unauthorized: there is no key.
        NotFound: there is no such season that the caller may know of.
        NotACursor: the cursor is of another list.
    """
    of = season_for_reading(tx, caller, club, season)
    require(caller, "list_approvals", of.club_id)
    listed = games.pending(tx, of.id, cursor=cursor, limit=limit)
    return Page(_cases(tx, caller, {of.id: of}, listed.items), listed.next_cursor)


def page_of_club(tx: Transaction, caller: Caller, club: str, *, cursor: str | None, limit: int) -> Page[PendingGame]:
    """The games of all seasons of a club that wait for a decision, the first submitted first; for the club's own keys.

    Raises:
        Unauthorized: there is no key.
        NotFound: there is no such club for the caller.
        NotACursor: the cursor is of another list.
    """
    found = club_for(tx, caller, club, "list_club_approvals")
    listed = games.pending_in_club(tx, found.id, cursor=cursor, limit=limit)
    of_games = {number: seasons.by_id(tx, number) for number in {game.season_id for game in listed.items}}
    return Page(_cases(tx, caller, of_games, listed.items), listed.next_cursor)


def _cases(
    tx: Transaction, caller: Caller, of_games: Mapping[int, Season], waiting: Sequence[games.Game]
) -> list[PendingGame]:
    """The games, of these seasons by row number, with all that is needed to decide."""
    needed = approvals.of_games(tx, [game.id for game in waiting])
    deciders = stored.deciders_of(tx, [one for approvals_of_game in needed.values() for one in approvals_of_game])
    authors = keys.by_ids(tx, {game.current.key_id for game in waiting})
    may = DECIDES.get(caller.role, frozenset())
    shown: dict[int, StoredGame] = {}
    for number, season in of_games.items():
        mine = [game for game in waiting if game.season_id == number]
        shown |= zip([game.id for game in mine], stored.show_all(tx, caller, season, mine), strict=True)
    cases = []
    for game in waiting:
        breakdown = stored.scored(game.current)
        open_ones = [one for one in needed[game.id] if one.state == "pending"]
        pending = {one.clause for one in open_ones}
        cases.append(
            PendingGame(
                season=of_games[game.season_id].slug,
                game=shown[game.id]._replace(breakdown=breakdown, approvals=needed[game.id], deciders=deciders),
                waiting=[OpenApproval(one, one.decider in may) for one in open_ones],
                clauses=[clause for clause in find_system(*breakdown.system).clauses if clause.number in pending],
                current=game.current,
                author=authors[game.current.key_id],
            )
        )
    return cases


def decide(
    tx: Transaction,
    caller: Caller,
    club: str,
    season: str,
    game_id: str,
    verdict: Verdict,
    *,
    expected: Collection[str] | None,
    now: datetime,
) -> StoredGame:
    """Decide what of a game waits for the caller's role: all of it, or that of one clause or seat.

    The decision is a step of the game's history. A game enters the tables once nothing of it waits and nothing was
    rejected; one that was rejected stays out until it is corrected.

    Args:
        tx: the transaction.
        caller: who decides.
        club: its slug.
        season: its slug.
        game_id: public.
        verdict: the decision, and on what.
        expected: the versions that the caller has seen (:func:`app.services.games.stored.version_tag`); None: it did
            not say.
        now: when.

    Raises:
        Unauthorized, NotFound: see :func:`app.services.access.season_for_writing`.
        Forbidden: the role decides no approvals, or none that this game needs.
        PreconditionRequired, PreconditionFailed: ``expected`` is not the current version.
        InvalidInput: a rejection without a note.
        Conflict: ``season_closed``; ``not_pending``: nothing of it is open.
    """
    within = season_for_writing(tx, caller, club, season, "decide_approval")
    game = stored.find_or_refuse(tx, within, game_id)
    needed = approvals.of_game(tx, game.id)
    may = DECIDES.get(caller.role, frozenset())
    if needed and not any(one.decider in may for one in needed):
        raise Forbidden(_NOT_YOURS, role_names({one.decider for one in needed}), ROLES[caller.role])
    if expected is None:
        raise PreconditionRequired
    stored.demand_current(expected, game)
    note = verdict.note or None
    if verdict.decision == "reject" and note is None:
        raise InvalidInput([Violation("missing", "/note", _SAY_WHY)])
    state = _STATES[verdict.decision]
    decided = [
        one._replace(state=state, decided_by=caller.key_id, decided_role=caller.role, at=now, note=note)
        if one.state == "pending" and one.decider in may and _concerns(verdict, one)
        else one
        for one in needed
    ]
    if game.status != "pending" or decided == needed:
        raise Conflict("not_pending", _NOT_PENDING)
    breakdown = stored.scored(game.current)
    step = Step(state, status_of(breakdown, decided), decided, note, now)
    return rewrite(tx, caller, within, game, seated_as_stored(tx, game, breakdown), step)


def _concerns(verdict: Verdict, approval: Approval) -> bool:
    return verdict.clause in (None, approval.clause) and verdict.seat in (None, approval.seat)
