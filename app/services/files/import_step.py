"""What is to be done about one game of a file: stored, left as it is, corrected or refused.

Each by the rules of one that is submitted alone after those before it.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Final, Literal, NamedTuple, TypeAlias

from app.patterns import GAME_ID
from app.repositories.clubs.players import Player
from app.repositories.database import Transaction
from app.repositories.games import batches, games
from app.repositories.seasons.seasons import Season
from app.scoring.breakdown import SeatWarning
from app.scoring.game import Game
from app.scoring.violation import RuleViolations, Violation
from app.services.access import Caller
from app.services.files.new_players import NewPlayers
from app.services.games.checked_game import CheckedGame, Suggest, check
from app.services.games.fingerprint import Traits
from app.services.games.games import NOT_OWN, may_correct
from app.services.games.likeness import LIKELY_STORED, StoredGames, described, stored_games, traits_as_sent
from app.services.games.registration import as_corrected
from app.services.games.resubmission import is_resubmission
from app.services.games.sent_game import SentGame, sent_game
from app.services.games.submission import TAKEN
from app.sheets import ReadGame

Result: TypeAlias = Literal["created", "unchanged", "corrected", "pending", "conflict", "invalid"]

_OWN_ID: Final = re.compile(GAME_ID)


class ImportOptions(NamedTuple):
    """How a file is imported."""

    judge_window: timedelta
    """How long a judge may correct what the same key submitted."""
    create_players: bool = False
    register_players: bool = False
    """Whether new players are registered on the day of the game that made them."""
    correct: bool = False
    """Whether a game replaces the stored one with its external id, or the only one that it likely is."""
    allow_duplicate: bool = False
    """Whether a game is stored beside one that it likely is."""


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
    others: int = 0
    """How many more stored games than that one it likely is."""


class Read(NamedTuple):
    """A game as the file has it; ``sent`` is None where none could be read."""

    read: ReadGame
    sent: SentGame | None
    traits: Traits | None = None
    """What it may be recognised by, where it has no id of its own."""


class BatchContext(NamedTuple):
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


class StoredOfRun(NamedTuple):
    """The stored games that some games of a file may be about."""

    by_id: Mapping[str, games.Game]
    """By the external id that the file has."""
    likely: StoredGames | None
    """Those that games without an id of their own may be; None: there are none."""

    def find(self, sent: SentGame) -> games.Game | None:
        """The game with the external id of ``sent``."""
        return self.by_id.get(sent.game.external_id or "")

    def is_about(self, one: Read, games: Collection[int]) -> bool:
        """Whether a game of the file may be about one of some games, by row number."""
        existing = None if one.sent is None else self.find(one.sent)
        if existing is not None and existing.id in games:
            return True
        if self.likely is None or one.traits is None:
            return False
        return any(game.id in games for game in self.likely.with_traits(*one.traits))


class Step(NamedTuple):
    """What is to be done about a game of the file."""

    result: ImportResult
    checked: CheckedGame | None = None
    existing: games.Game | None = None
    """The stored game that it corrects."""
    has_own_id: bool = False
    """Whether it is told apart by its external id."""


def stored_of(
    tx: Transaction, season: Season, run: Sequence[Read], known: Mapping[str, Player], options: ImportOptions
) -> StoredOfRun:
    """The stored games that these may be about, read at once."""
    by_id = _by_id(tx, season, run)
    traits: list[int] = []
    for _, sent, mine in run:
        if sent is None or mine is None:
            continue
        existing = by_id.get(sent.game.external_id or "")
        if existing is None:
            traits += mine.present[1:]
        elif options.correct:
            day = sent.game.played_on or existing.played_on
            traits += traits_as_sent(sent, day, known).present[2:]
    return StoredOfRun(by_id, stored_games(tx, season, traits) if traits else None)


def _by_id(tx: Transaction, season: Season, run: Sequence[Read]) -> dict[str, games.Game]:
    """The stored games with the external ids of these, by the id that the file has."""
    sent = [one.sent for one in run if one.sent is not None]
    ids = [one.game.external_id for one in sent if one.game.external_id is not None]
    existing = batches.by_external_ids(tx, season.id, ids)
    own = [id for id in ids if id not in existing and _OWN_ID.fullmatch(id)]
    if own:
        # An export names a game that has no external id by the id that it has here.
        existing |= batches.by_own_ids(tx, season.id, own)
    return existing


def decide(
    tx: Transaction,
    caller: Caller,
    season: Season,
    one: Read,
    stored: StoredOfRun,
    context: BatchContext,
    options: ImportOptions,
    now: datetime,
) -> Step:
    """Decide about a game of the file, which is not stored yet."""
    read, sent, traits = one
    if sent is None:
        faults = read.faults(lambda game: _faults(season, game, context))
        return Step(ImportResult(read.line, read.external_id, "invalid", None, faults))
    existing = stored.find(sent)
    same = _same(tx, one, existing, stored, context)
    if same is not None:
        return Step(ImportResult(read.line, read.external_id, "unchanged", same.public_id))
    alike: Sequence[games.Game] = ()
    likely = None if options.allow_duplicate else stored.likely
    if likely is not None and traits is not None and existing is None:
        alike = likely.alike(described(sent, sent.day, context.players), traits)
    named = alike[0] if alike else existing
    day = sent.day
    if named is not None:
        day = sent.game.played_on or named.played_on
        sent = sent._replace(day=day)
        if named.external_id != sent.game.external_id:
            sent = sent.under(named.external_id)
        sent = as_corrected(tx, sent, named, context.players, day)
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
        return _refused(read, "invalid", error.violations)
    if named is not None:
        if likely is not None and traits is not None and existing is not None:
            alike = likely.alike_by_correction(existing, sent, context.players)
        refusal = _conflict(caller, read, named, alike, options, now, is_named=existing is not None)
        if refusal is not None:
            return refusal
    context.since.update(since)
    told = ImportResult(read.line, read.external_id, "created")
    if named is not None:
        told = told._replace(result="corrected", id=named.public_id)
    return Step(told, checked, named, sent.has_own_id)


def _same(
    tx: Transaction, one: Read, existing: games.Game | None, stored: StoredOfRun, context: BatchContext
) -> games.Game | None:
    """The stored game that this one is, if it is one: ``existing``, which has its id, or without an own id any."""
    sent = one.sent
    if sent is None:
        return None
    if existing is not None:
        return existing if is_resubmission(tx, sent, context.players, existing) else None
    if stored.likely is None or one.traits is None:
        return None
    return stored.likely.equal(sent, one.traits, context.players)


def _conflict(
    caller: Caller,
    read: ReadGame,
    existing: games.Game,
    alike: Sequence[games.Game],
    options: ImportOptions,
    now: datetime,
    *,
    is_named: bool,
) -> Step | None:
    """Why a stored game is not to be corrected, if it is not.

    ``is_named``: whether the file names it; then ``alike`` are others that it would be like.
    """
    if alike and (is_named or not options.correct or len(alike) > 1):
        first = alike[0].public_id
        likely = Violation("possible_duplicate", "", LIKELY_STORED, (first,))
        return _refused(read, "conflict", [likely], first, len(alike) - 1)
    if not options.correct:
        taken = Violation("external_id_conflict", "/external_id", TAKEN)
        return _refused(read, "conflict", [taken], existing.public_id)
    if not may_correct(caller, existing, options.judge_window, now):
        hours = options.judge_window // timedelta(hours=1)
        return _refused(
            read, "conflict", [Violation("forbidden", "/external_id", NOT_OWN, (hours,))], existing.public_id
        )
    return None


def _refused(
    read: ReadGame, result: Result, violations: Sequence[Violation], id: str | None = None, others: int = 0
) -> Step:
    return Step(ImportResult(read.line, read.external_id, result, id, read.located(violations), (), others))


def _faults(season: Season, game: Game, context: BatchContext) -> Sequence[Violation]:
    """What is wrong with a draft of a game, as far as it could be read."""
    try:
        check(
            season,
            sent_game(season, game, context.today),
            day=game.played_on or context.today,
            known=context.players,
            newcomers=context.newcomers,
            suggest=context.suggest,
        )
    except RuleViolations as error:
        return error.violations
    return ()
