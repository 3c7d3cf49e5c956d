"""Some games of a file into a locked season, in one transaction; each by the rules of one that is submitted alone.

What they all need is read at once: players, stored games. New games are written together, under one revision.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from typing import Final, Literal, NamedTuple, TypeAlias

from app.patterns import GAME_ID
from app.repositories.clubs import clubs
from app.repositories.clubs.players import Player
from app.repositories.database import Transaction
from app.repositories.games import batches, games
from app.repositories.seasons.seasons import Season
from app.scoring.breakdown import SeatWarning
from app.scoring.game import Game
from app.scoring.violation import RuleViolations, Violation
from app.services.access import Caller
from app.services.clubs.clubs import day_at
from app.services.clubs.players import enrol, nicknames_near, outlines
from app.services.files.new_players import NewPlayers
from app.services.games.checked_game import CheckedGame, SeatedGame, Suggest, check, enrols_registered, newcomers_of
from app.services.games.games import NOT_OWN, TAKEN, may_correct, supersede
from app.services.games.registration import as_corrected
from app.services.games.resubmission import is_resubmission
from app.services.games.sent_game import SentGame, players_of, sent_game, sent_games
from app.services.games.versions import EnteredGame, enter_all
from app.sheets import ReadGame

Result: TypeAlias = Literal["created", "unchanged", "corrected", "pending", "conflict", "invalid"]

_SUGGESTED: Final = 200
"""Unknown nicknames of a file that get suggestions: looking for them takes time that others wait for."""
_REMARK: Final = re.compile(r"\([^()]*\)|\[[^][]*\]|\*")
"""What a scorer adds to a nickname: ``Dan (guest)``."""
_OWN_ID: Final = re.compile(GAME_ID)


class ImportOptions(NamedTuple):
    """How a file is imported."""

    judge_window: timedelta
    """How long a judge may correct what the same key submitted."""
    create_players: bool = False
    register_players: bool = False
    """Whether new players are registered on the day of the game that made them."""
    correct: bool = False
    """Whether a game replaces a stored one with its external id and other facts."""


class ImportResult(NamedTuple):
    """What became of one game of a file."""

    line: int
    external_id: str | None
    result: Result
    id: str | None = None
    """The public id of the stored game."""
    violations: Sequence[Violation] = ()
    warnings: Sequence[SeatWarning] = ()
    """Of the stored game."""


@dataclass(slots=True)
class Suggestions:
    """Who may be meant by nicknames that mean nobody: looked for once in a file, and only for the first of them."""

    _found: dict[str, Sequence[str]] = field(default_factory=dict)
    _outlines: dict[str, str] | None = None

    def among(self, tx: Transaction, club_id: int) -> Suggest:
        """A search among the club's players."""

        def suggest(nickname: str) -> Sequence[str]:
            if nickname not in self._found and len(self._found) < _SUGGESTED:
                if self._outlines is None:
                    self._outlines = outlines(tx, club_id)
                near = nicknames_near(self._outlines, nickname)
                if not near and (bare := _REMARK.sub(" ", nickname).strip()) not in ("", nickname):
                    near = nicknames_near(self._outlines, bare)
                self._found[nickname] = near
            return self._found.get(nickname, ())

        return suggest


class _Read(NamedTuple):
    """A game as the file has it; ``sent`` is None where none could be read."""

    read: ReadGame
    sent: SentGame | None


class _BatchContext(NamedTuple):
    """What the games of a batch are looked at with."""

    sent: Sequence[SentGame]
    """Those that could be read."""
    players: dict[str, Player]
    """By folded nickname; new ones too once they are created."""
    newcomers: dict[str, str]
    """Nicknames, as first written, of players who may be created, by folded nickname."""
    today: date
    suggest: Suggest
    since: dict[str, date]
    """As of which day the newcomers of the games so far are registered."""
    new_players: NewPlayers


class _Step(NamedTuple):
    """What is to be done about a game of the file."""

    result: ImportResult
    checked: CheckedGame | None = None
    existing: games.Game | None = None


def enter_batch(
    tx: Transaction,
    caller: Caller,
    season: Season,
    reads: Sequence[ReadGame],
    options: ImportOptions,
    suggestions: Suggestions,
    new_players: NewPlayers,
    now: datetime,
) -> list[ImportResult]:
    """Store the good ones of some games in a locked season: what became of each, in their order.

    New games are one revision together, each correction is one.
    """
    context = _context(tx, season, reads, options, suggestions, new_players, now)
    results = []
    for run in _runs(reads, context.sent):
        of_run, season = _enter_run(tx, caller, season, run, context, options, now)
        results += of_run
    return results


def _runs(reads: Sequence[ReadGame], sent: Iterable[SentGame]) -> list[list[_Read]]:
    """Split the games before each repeated external ID, so that the later game finds the earlier one stored."""
    runs: list[list[_Read]] = [[]]
    ids: set[str] = set()
    following = iter(sent)
    for read in reads:
        one = _Read(read, None if read.game is None else next(following))
        if one.sent is not None and not one.sent.game.external_id:
            one = _named_by_facts(read, one.sent)
        id = None if one.sent is None else one.sent.game.external_id
        if id in ids:
            runs.append([])
            ids = set()
        if id:
            ids.add(id)
        runs[-1].append(one)
    return runs


def _named_by_facts(read: ReadGame, sent: SentGame) -> _Read:
    """Give the game an external ID derived from its facts and nicknames."""
    where = sorted(zip([seat.seat for seat in sent.game.seats], sent.names, strict=True))
    external_id = "facts-" + hashlib.sha256(repr((str(sent.fingerprint), where)).encode()).hexdigest()[:32]
    return _Read(replace(read, external_id=external_id), sent.under(external_id))


def _enter_run(
    tx: Transaction,
    caller: Caller,
    season: Season,
    run: Sequence[_Read],
    context: _BatchContext,
    options: ImportOptions,
    now: datetime,
) -> tuple[list[ImportResult], Season]:
    stored = _stored(tx, season, run)
    steps = [_step(tx, caller, season, one, stored, context, options, now) for one in run]
    players = context.players
    if context.newcomers:
        players |= _enrolled(tx, caller, season, steps, context, now)
    seated: list[SeatedGame | None] = []
    new: list[SeatedGame] = []
    for step in steps:
        seated.append(None if step.checked is None else step.checked.seated(players))
        if seated[-1] is not None and step.existing is None:
            new.append(seated[-1])
    entered: Iterator[EnteredGame] = iter(())
    if new:
        entered = iter(enter_all(tx, caller, season, new, now))
        season = season._replace(revision=season.revision + 1)
    results = []
    for game, (result, _, existing) in zip(seated, steps, strict=True):
        if game is not None:
            result = result._replace(warnings=[*game.breakdown.warnings, *game.not_registered])
        if game is not None and existing is not None:
            supersede(tx, caller, season, existing, game, reason=None, now=now)
            season = season._replace(revision=season.revision + 1)
        elif game is not None:
            id, status = next(entered)
            result = result._replace(id=id, result="pending" if status == "pending" else "created")
        results.append(result)
    return results, season


def _context(
    tx: Transaction,
    season: Season,
    reads: Sequence[ReadGame],
    options: ImportOptions,
    suggestions: Suggestions,
    new_players: NewPlayers,
    now: datetime,
) -> _BatchContext:
    sent = sent_games(tx, season, [read.game for read in reads if read.game is not None])
    named = [*sent, *(sent_game(season, read.drafts.games[0]) for read in reads if read.drafts is not None)]
    players = players_of(tx, season.club_id, named)
    newcomers: dict[str, str] = {}
    if options.create_players and newcomers_of(named, players):
        # Once the club is locked nobody else creates the same players before these are created.
        clubs.lock(tx, season.club_id)
        players = players_of(tx, season.club_id, named)
        newcomers = newcomers_of(named, players)
    today, suggest = day_at(season, now), suggestions.among(tx, season.club_id)
    return _BatchContext(sent, players, newcomers, today, suggest, {}, new_players)


def _stored(tx: Transaction, season: Season, run: Sequence[_Read]) -> dict[str, games.Game]:
    """The stored games with the external ids of these, by the id that the file has."""
    sent = [one.sent for one in run if one.sent is not None]
    ids = [one.game.external_id for one in sent if one.game.external_id is not None]
    existing = batches.by_external_ids(tx, season.id, ids)
    own = [id for id in ids if id not in existing and _OWN_ID.fullmatch(id)]
    if own:
        # An export names a game that has no external id by the id that it has here.
        existing |= batches.by_own_ids(tx, season.id, own)
    return existing


def _step(
    tx: Transaction,
    caller: Caller,
    season: Season,
    one: _Read,
    stored: Mapping[str, games.Game],
    context: _BatchContext,
    options: ImportOptions,
    now: datetime,
) -> _Step:
    read, sent = one

    def refused(result: Result, violations: Sequence[Violation], id: str | None = None) -> _Step:
        return _Step(ImportResult(read.line, read.external_id, result, id, read.located(violations)))

    if sent is None:
        faults = read.faults(lambda game: _faults(season, game, context))
        return _Step(ImportResult(read.line, read.external_id, "invalid", None, faults))
    existing = stored.get(sent.game.external_id or "")
    if existing is not None and is_resubmission(tx, sent, context.players, existing):
        return _Step(ImportResult(read.line, read.external_id, "unchanged", existing.public_id))
    if existing is not None and existing.external_id is None:
        sent = sent.under(None)
    day = sent.game.played_on or (context.today if existing is None else existing.played_on)
    if existing is not None:
        sent = as_corrected(tx, sent, existing, context.players, day)
    since = context.since
    if options.register_players:
        day_made = min(day, context.today)
        since = {name: since.get(name, day_made) for name in sent.names if name in context.newcomers}
    try:
        checked = check(
            season,
            sent,
            day=day,
            known=context.players,
            newcomers=context.newcomers,
            since=since,
            suggest=context.suggest,
        )
    except RuleViolations as error:
        return refused("invalid", error.violations)
    if existing is None:
        context.since.update(since)
        return _Step(ImportResult(read.line, read.external_id, "created"), checked)
    if not options.correct:
        return refused("conflict", [Violation("external_id_conflict", "/external_id", TAKEN)], existing.public_id)
    if not may_correct(caller, existing, options.judge_window, now):
        hours = options.judge_window // timedelta(hours=1)
        return refused("conflict", [Violation("forbidden", "/external_id", NOT_OWN, (hours,))], existing.public_id)
    context.since.update(since)
    return _Step(ImportResult(read.line, read.external_id, "corrected", existing.public_id), checked, existing)


def _faults(season: Season, game: Game, context: _BatchContext) -> Sequence[Violation]:
    """What is wrong with a draft of a game, as far as it could be read."""
    try:
        check(
            season,
            sent_game(season, game),
            day=game.played_on or context.today,
            known=context.players,
            newcomers=context.newcomers,
            suggest=context.suggest,
        )
    except RuleViolations as error:
        return error.violations
    return ()


def _enrolled(
    tx: Transaction,
    caller: Caller,
    season: Season,
    steps: Sequence[_Step],
    context: _BatchContext,
    now: datetime,
) -> Mapping[str, Player]:
    """The newcomers of the games that are stored, created."""
    names = {name: None for step in steps if step.checked is not None for name in step.checked.names}
    wanted = [context.newcomers.pop(name) for name in names if name in context.newcomers]
    context.new_players.add(wanted, context.suggest)
    club = clubs.by_id(tx, season.club_id)
    return enrol(tx, caller, club, wanted, registered=enrols_registered(season), since=context.since, now=now)
