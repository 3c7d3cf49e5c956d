"""Some games of a file into a locked season, in one transaction; each by the rules of one that is submitted alone.

What they all need is read at once: players, stored games. New games are written together, under one revision.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Final

from app.repositories.clubs import clubs
from app.repositories.clubs.players import Player
from app.repositories.database import Transaction
from app.repositories.games import traits as recognised
from app.repositories.seasons.seasons import Season
from app.scoring.breakdown import SeatWarning
from app.services.access import Caller
from app.services.clubs.clubs import day_at
from app.services.clubs.players import enrol
from app.services.files.import_step import BatchContext, ImportOptions, ImportResult, Read, Step, decide, stored_of
from app.services.files.new_players import NewPlayers
from app.services.files.suggestions import Suggestions
from app.services.games.checked_game import SeatedGame, enrols_registered, newcomers_of
from app.services.games.fingerprint import Traits
from app.services.games.games import supersede
from app.services.games.likeness import SAME_FACTS, described, traits_as_sent, write_traits
from app.services.games.sent_game import SentGame, players_of, sent_game, sent_games
from app.services.games.versions import EnteredGame, enter_all
from app.sheets import ReadGame

_NEAR: Final = 20
"""Games of a run with one trait that another is compared with."""


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
    if season.traits_at < season.revision:
        write_traits(tx, season)
        season = season._replace(traits_at=season.revision)
    waiting = _with_ids(reads, context.sent)
    results: list[ImportResult] = []
    all_have_ids = all(one.sent is None or one.sent.has_own_id for one in waiting)
    while len(results) < len(waiting):
        run = _run(waiting, len(results), context.players, all_have_ids=all_have_ids)
        of_run, season = _enter_run(tx, caller, season, run, context, options, now)
        results += of_run
    return results


def _with_ids(reads: Sequence[ReadGame], sent: Iterable[SentGame]) -> list[Read]:
    """The games of a batch, each with an external id."""
    following = iter(sent)
    waiting = []
    for read in reads:
        one = Read(read, None if read.game is None else next(following))
        if one.sent is not None and not one.sent.game.external_id:
            one = _named_by_facts(read, one.sent)
        waiting.append(one)
    return waiting


def _run(waiting: Sequence[Read], start: int, known: Mapping[str, Player], *, all_have_ids: bool) -> list[Read]:
    """The games from ``start`` on, before one that may be one of them: the later game is to find the earlier stored.

    ``all_have_ids``: whether all are told apart by their external ids.
    """
    ids: set[str | None] = set()
    by_trait: dict[int, list[Read]] = {}
    run: list[Read] = []
    for at in range(start, len(waiting)):
        one = waiting[at]
        if one.sent is not None:
            if one.sent.game.external_id in ids:
                break
            ids.add(one.sent.game.external_id)
            if not all_have_ids:
                traits = traits_as_sent(one.sent, one.sent.day, known)
                if not one.sent.has_own_id:
                    if _may_be_one_of(one.sent, traits, by_trait, known):
                        break
                    one = one._replace(traits=traits)
                for trait in traits.present[1:]:
                    by_trait.setdefault(trait, []).append(one)
        run.append(one)
    return run


def _may_be_one_of(
    sent: SentGame, traits: Traits, by_trait: Mapping[int, Sequence[Read]], known: Mapping[str, Player]
) -> bool:
    """Whether one of the games has the facts of ``sent``, or its day and table, or its place and a player."""
    if traits.seats in by_trait:
        return True
    for one in by_trait.get(traits.facts, ()):
        if one.sent is not None and "" in (sent.fingerprint.played_on, one.sent.fingerprint.played_on):
            return True  # a day that was not written is any day
    near = by_trait.get(traits.place, ()) if traits.place is not None else ()
    players = described(sent, sent.day, known).players if near else set()
    return len(near) > _NEAR or any(
        one.sent is not None and players & described(one.sent, one.sent.day, known).players for one in near
    )


def _named_by_facts(read: ReadGame, sent: SentGame) -> Read:
    """Give the game an external ID derived from its facts and nicknames."""
    where = sorted(zip([seat.seat for seat in sent.game.seats], sent.names, strict=True))
    external_id = "facts-" + hashlib.sha256(repr((str(sent.fingerprint), where)).encode()).hexdigest()[:32]
    return Read(replace(read, external_id=external_id), sent.under(external_id))


def _enter_run(
    tx: Transaction,
    caller: Caller,
    season: Season,
    run: Sequence[Read],
    context: BatchContext,
    options: ImportOptions,
    now: datetime,
) -> tuple[list[ImportResult], Season]:
    """Store the good ones of some games, none of which need find another stored; as many as there are results."""
    steps = _decided(tx, caller, season, run, context, options, now)
    players = context.players
    if context.newcomers:
        players |= _enrolled(tx, caller, season, steps, context, now)
    seated: list[SeatedGame | None] = []
    new: list[SeatedGame] = []
    whole: list[int] = []
    for step in steps:
        game = None if step.checked is None else step.checked.seated(players)
        seated.append(game)
        if game is not None and step.existing is None:
            new.append(game)
        if game is not None and game.traits is not None and step.has_own_id:
            whole.append(game.traits.whole)
    same = recognised.first_sharing(tx, season.id, whole)
    entered: list[EnteredGame] = []
    if new:
        entered = enter_all(tx, caller, season, new, now)
        season = season._replace(revision=season.revision + 1, traits_at=season.revision + 1)
    return _told(tx, caller, season, steps, seated, entered, same, now)


def _told(
    tx: Transaction,
    caller: Caller,
    season: Season,
    steps: Sequence[Step],
    seated: Sequence[SeatedGame | None],
    entered: Iterable[EnteredGame],
    same: dict[int, str],
    now: datetime,
) -> tuple[list[ImportResult], Season]:
    """What became of the games, once those are corrected that are to be.

    ``same``: the public id of the first stored game by what it has in common with no others.
    """
    following = iter(entered)
    results = []
    for game, (result, _, existing, has_own_id) in zip(seated, steps, strict=True):
        if game is None:
            results.append(result)
            continue
        if existing is None:
            id, status = next(following)
            result = result._replace(id=id, result="pending" if status == "pending" else "created")
        else:
            id = existing.public_id
            supersede(tx, caller, season, existing, game, reason=None, now=now)
            season = season._replace(revision=season.revision + 1, traits_at=season.revision + 1)
        warnings = [*game.breakdown.warnings, *game.not_registered]
        if has_own_id and game.traits is not None and (first := same.setdefault(game.traits.whole, id)) != id:
            warnings.append(SeatWarning("possible_duplicate", None, SAME_FACTS, (first,)))
        results.append(result._replace(warnings=warnings))
    return results, season


def _decided(
    tx: Transaction,
    caller: Caller,
    season: Season,
    run: Sequence[Read],
    context: BatchContext,
    options: ImportOptions,
    now: datetime,
) -> list[Step]:
    """What is to be done about the games, up to one that is to find a correction of this run stored."""
    stored = stored_of(tx, season, run, context.players, options)
    steps: list[Step] = []
    corrected: set[int] = set()
    for one in run:
        if corrected and stored.is_about(one, corrected):
            break
        step = decide(tx, caller, season, one, stored, context, options, now)
        if step.checked is not None and step.existing is not None:
            corrected.add(step.existing.id)
        steps.append(step)
    return steps


def _context(
    tx: Transaction,
    season: Season,
    reads: Sequence[ReadGame],
    options: ImportOptions,
    suggestions: Suggestions,
    new_players: NewPlayers,
    now: datetime,
) -> BatchContext:
    today = day_at(season, now)
    named = [sent_game(season, read.drafts.games[0], today) for read in reads if read.drafts is not None]
    sent = sent_games(tx, season, [read.game for read in reads if read.game is not None], today)
    named += sent
    players = players_of(tx, season.club_id, named)
    newcomers: dict[str, str] = {}
    if options.create_players and not players.keys() >= {name for one in named for name in one.names}:
        # Once the club is locked nobody else creates the same players before these are created.
        clubs.lock(tx, season.club_id)
        players = players_of(tx, season.club_id, named)
        newcomers = newcomers_of(named, players)
    return BatchContext(sent, players, newcomers, today, partial(suggestions.near, tx, season.club_id), {}, new_players)


def _enrolled(
    tx: Transaction,
    caller: Caller,
    season: Season,
    steps: Sequence[Step],
    context: BatchContext,
    now: datetime,
) -> Mapping[str, Player]:
    """The newcomers of the games that are stored, created."""
    names = {name: None for step in steps if step.checked is not None for name in step.checked.names}
    wanted = [context.newcomers.pop(name) for name in names if name in context.newcomers]
    context.new_players.add(wanted, context.suggest)
    club = clubs.by_id(tx, season.club_id)
    return enrol(tx, caller, club, wanted, registered=enrols_registered(season), since=context.since, now=now)
