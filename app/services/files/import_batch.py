"""Some games of a file into a locked season, in one transaction; each by the rules of one that is submitted alone.

What they all need is asked for at once: players, kept games. New games are written together, under one revision.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from itertools import chain
from typing import Final, Literal, NamedTuple, TypeAlias

from app.patterns import GAME_ID
from app.repositories.clubs import clubs
from app.repositories.clubs import players as people
from app.repositories.clubs.players import Player
from app.repositories.database import Transaction
from app.repositories.games import batches, games
from app.repositories.seasons.seasons import Season
from app.scoring.game import Game
from app.scoring.violation import RuleViolations, Violation
from app.services.access import Caller
from app.services.clubs.clubs import today
from app.services.clubs.players import enrol, nicknames_near, outlines
from app.services.games import fingerprint
from app.services.games.checked_game import (
    CheckedGame,
    Suggest,
    check,
    enrols_registered,
    names_of,
    newcomers_of,
    rules_of,
    unregistered_by_judge,
)
from app.services.games.games import NOT_OWN, TAKEN, may_correct, supersede
from app.services.games.needed_approvals import approvals_of, status_of
from app.services.games.resubmission import is_repeat
from app.services.games.versions import enter_all
from app.sheets import ReadGame

Result: TypeAlias = Literal["created", "unchanged", "corrected", "pending", "conflict", "invalid"]

_SUGGESTED: Final = 200
"""Unknown nicknames of a file that get suggestions: looking for them takes time that others wait for."""
_OWN_ID: Final = re.compile(GAME_ID)


class ImportOptions(NamedTuple):
    """How a file is imported."""

    judge_window: timedelta
    """How long a judge may correct what the same key submitted."""
    create_players: bool = False
    correct: bool = False
    """Whether a game replaces one that is kept with its external id and other facts."""


class ImportResult(NamedTuple):
    """What became of one game of a file."""

    line: int
    external_id: str | None
    result: Result
    id: str | None = None
    """The public id of the game that is kept."""
    violations: Sequence[Violation] = ()


class Suggestions:
    """Who may be meant by nicknames that mean nobody: looked for once in a file, and only for the first of them."""

    def __init__(self) -> None:
        self._found: dict[str, Sequence[str]] = {}
        self._outlines: dict[str, str] | None = None

    def among(self, tx: Transaction, club_id: int) -> Suggest:
        """A search among the club's players."""

        def suggest(nickname: str) -> Sequence[str]:
            if nickname not in self._found and len(self._found) < _SUGGESTED:
                if self._outlines is None:
                    self._outlines = outlines(tx, club_id)
                self._found[nickname] = nicknames_near(self._outlines, nickname)
            return self._found.get(nickname, ())

        return suggest


class _BatchContext(NamedTuple):
    """What the games of a run are looked at with."""

    players: Mapping[str, Player]
    newcomers: Mapping[str, str]
    kept: Mapping[str, games.Game]
    """By the external id that the file has."""
    today: date
    suggest: Suggest


class _Step(NamedTuple):
    """A game of the file, and what is to be done about it."""

    taken: ImportResult
    weighed: CheckedGame | None = None
    existing: games.Game | None = None


def take(
    tx: Transaction,
    caller: Caller,
    season: Season,
    reads: Sequence[ReadGame],
    plan: ImportOptions,
    suggestions: Suggestions,
    now: datetime,
) -> list[ImportResult]:
    """Keep the good ones of some games in a locked season: what became of each, in their order.

    New games are one revision together, each correction is one.
    """
    taken = []
    for run in _runs(season, reads):
        results, season = _take(tx, caller, season, run, plan, suggestions, now)
        taken += results
    return taken


def _runs(season: Season, reads: Sequence[ReadGame]) -> Iterator[list[ReadGame]]:
    """The games in their order, cut before an external id that comes again: it must find the one before it kept."""
    run: list[ReadGame] = []
    ids: set[str] = set()
    for read in reads:
        named = read if read.game is None or read.game.external_id else _named_by_facts(season, read, read.game)
        if named.game is not None and named.external_id in ids:
            yield run
            run, ids = [], set()
        if named.game is not None and named.external_id:
            ids.add(named.external_id)
        run.append(named)
    yield run


def _named_by_facts(season: Season, read: ReadGame, game: Game) -> ReadGame:
    """The game under an id that equal facts of the same nicknames have too."""
    mark = fingerprint.fingerprint(game.canonical(), unregistered_by_judge(rules_of(season), game))
    where = sorted(zip([seat.seat for seat in game.seats], names_of(game), strict=True))
    made = "facts-" + hashlib.sha256(repr((str(mark), where)).encode()).hexdigest()[:32]
    return replace(read, game=game.model_copy(update={"external_id": made}), external_id=made)


def _take(
    tx: Transaction,
    caller: Caller,
    season: Season,
    run: Sequence[ReadGame],
    plan: ImportOptions,
    suggestions: Suggestions,
    now: datetime,
) -> tuple[list[ImportResult], Season]:
    known = _known(tx, season, [read.game for read in run if read.game is not None], plan, suggestions, now)
    weighings = [_weigh(tx, caller, season, read, known, plan, now) for read in run]
    players = {**known.players, **_enrolled(tx, caller, season, weighings, known, now)}
    new = [one.weighed.drafted(players) for one in weighings if one.weighed is not None and one.existing is None]
    needed = [approvals_of(draft.breakdown, (), caller, now) for draft in new]
    made: Iterator[str] = iter(())
    if new:
        made = iter(enter_all(tx, caller, season, list(zip(new, needed, strict=True)), now))
        season = season._replace(revision=season.revision + 1)
    statuses = (status_of(draft.breakdown, approvals) for draft, approvals in zip(new, needed, strict=True))
    taken = []
    for one in weighings:
        result = one.taken
        if one.weighed is not None and one.existing is not None:
            supersede(tx, caller, season, one.existing, one.weighed.drafted(players), reason=None, now=now)
            season = season._replace(revision=season.revision + 1)
        elif one.weighed is not None:
            result = result._replace(id=next(made), result="pending" if next(statuses) == "pending" else "created")
        taken.append(result)
    return taken, season


def _known(
    tx: Transaction, season: Season, sent: Sequence[Game], plan: ImportOptions, suggestions: Suggestions, now: datetime
) -> _BatchContext:
    names = set(chain.from_iterable(map(names_of, sent)))
    players = people.named(tx, season.club_id, names)
    newcomers: Mapping[str, str] = {}
    if plan.create_players and not players.keys() >= names:
        # Once the club is locked nobody else makes the same players before these are made.
        clubs.lock(tx, season.club_id)
        players = people.named(tx, season.club_id, names)
        newcomers = newcomers_of(sent, players)
    ids = [game.external_id for game in sent if game.external_id is not None]
    kept = batches.by_external_ids(tx, season.id, ids)
    own = [id for id in ids if id not in kept and _OWN_ID.fullmatch(id)]
    if own:
        # An export names a game that has no external id by the id that it has here.
        kept |= batches.by_own_ids(tx, season.id, own)
    suggest = suggestions.among(tx, season.club_id)
    return _BatchContext(players, newcomers, kept, today(season.timezone, now), suggest)


def _weigh(
    tx: Transaction,
    caller: Caller,
    season: Season,
    read: ReadGame,
    known: _BatchContext,
    plan: ImportOptions,
    now: datetime,
) -> _Step:
    def refused(result: Result, violations: Sequence[Violation], id: str | None = None) -> _Step:
        return _Step(ImportResult(read.line, read.external_id, result, id, read.located(violations)))

    game = read.game
    if game is None:
        return _Step(ImportResult(read.line, read.external_id, "invalid", None, read.violations))
    existing = known.kept.get(game.external_id or "")
    if existing is not None and is_repeat(tx, rules_of(season), game, known.players, existing):
        return _Step(ImportResult(read.line, read.external_id, "unchanged", existing.public_id))
    if existing is not None and existing.external_id is None:
        game = game.model_copy(update={"external_id": None})
    try:
        weighed = check(
            season,
            game,
            played_on=known.today if existing is None else existing.played_on,
            known=known.players,
            newcomers=known.newcomers,
            suggest=known.suggest,
        )
    except RuleViolations as error:
        return refused("invalid", error.violations)
    if existing is None:
        return _Step(ImportResult(read.line, read.external_id, "created"), weighed)
    if not plan.correct:
        return refused("conflict", [Violation("external_id_conflict", "/external_id", TAKEN)], existing.public_id)
    if not may_correct(caller, existing, plan.judge_window, now):
        hours = plan.judge_window // timedelta(hours=1)
        return refused("conflict", [Violation("forbidden", "/external_id", NOT_OWN, (hours,))], existing.public_id)
    return _Step(ImportResult(read.line, read.external_id, "corrected", existing.public_id), weighed, existing)


def _enrolled(
    tx: Transaction,
    caller: Caller,
    season: Season,
    weighings: Sequence[_Step],
    known: _BatchContext,
    now: datetime,
) -> Mapping[str, Player]:
    """The newcomers of the games that are kept, made."""
    if not known.newcomers:
        return {}
    names = {name: None for one in weighings if one.weighed is not None for name in one.weighed.names}
    wanted = [known.newcomers[name] for name in names if name in known.newcomers]
    club = clubs.by_id(tx, season.club_id)
    return enrol(tx, caller, club, wanted, registered=enrols_registered(season), now=now)
