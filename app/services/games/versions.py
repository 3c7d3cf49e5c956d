"""Writing a version of a game: its facts, its rows in the ledger, its approvals, one revision more, who and why."""

from collections.abc import Sequence
from datetime import datetime
from itertools import chain, starmap
from typing import NamedTuple

from app.repositories.database import Transaction
from app.repositories.games import approvals, batches, games, ledger
from app.repositories.games.approvals import Approval
from app.repositories.games.batches import NewGame
from app.repositories.games.games import SeatedPlayer, Version, compact_json
from app.repositories.games.ledger import Entry
from app.repositories.seasons import rule_change as next_versions
from app.repositories.seasons import seasons
from app.repositories.seasons.rule_change import NextVersion
from app.repositories.seasons.seasons import Season
from app.scoring.breakdown import Breakdown
from app.services import journal
from app.services.access import Caller, author_of
from app.services.games import fingerprint
from app.services.games.checked_game import SeatedGame
from app.services.games.ledger_entries import entries_of
from app.services.games.needed_approvals import approvals_of, status_of
from app.services.games.stored import StoredGame, deciders_of
from app.services.journal import Scope


class Step(NamedTuple):
    """What is done to a game, and what it is then."""

    action: str
    """``submitted``, ``corrected``, ``voided``, ``restored`` …"""
    status: str
    approvals: Sequence[Approval]
    """All that the version needs."""
    reason: str | None
    at: datetime


class RewrittenGame(NamedTuple):
    """A stored game and what its next version is."""

    game: games.Game
    breakdown: Breakdown
    seats: Sequence[SeatedPlayer]
    """Along the game's."""
    approvals: Sequence[Approval]
    status: str
    facts: str
    """Canonical, JSON."""


class EnteredGame(NamedTuple):
    """A new game, as :func:`enter_all` stored it."""

    public_id: str
    status: str


def enter(tx: Transaction, caller: Caller, season: Season, game: SeatedGame, now: datetime) -> StoredGame:
    """A new game in a locked season; approvals that the caller's role may decide are decided.

    Raises:
        NotUnique: ``games``, when the season has a game with this external id.
    """
    step = _submission(game, caller, now)
    revision = seasons.advance(tx, season)
    game_id, public_id = games.add(
        tx,
        season_id=season.id,
        external_id=game.breakdown.game.external_id,
        played_on=game.played_on,
        stage=game.breakdown.game.stage,
        entered=revision if step.status == "counted" else None,
        version=_version(caller, step, game, 1, revision),
        traits=game.traits or (),
    )
    if step.status == "counted":
        ledger.enter(tx, season.id, revision, _entries(game, game_id))
    if step.approvals:
        approvals.add(tx, game_id, step.approvals)
    _record(tx, caller, season, public_id, 1, step, revision)
    return _stored(tx, season, game, step, public_id, 1, revision)._replace(is_new=True)


def enter_all(
    tx: Transaction, caller: Caller, season: Season, new: Sequence[SeatedGame], now: datetime
) -> list[EnteredGame]:
    """As :func:`enter`, of many games, all under one revision.

    Raises:
        NotUnique: ``games``, when the season has a game with one of the external ids.
    """
    steps = [_submission(game, caller, now) for game in new]
    revision = seasons.advance(tx, season)
    rows: list[NewGame] = []
    counted: list[tuple[SeatedGame, int]] = []
    needed = {}
    for number, game, step in zip(batches.numbers(tx, len(new)), new, steps, strict=True):
        counts = step.status == "counted"
        rows.append(
            NewGame(
                id=number,
                external_id=game.breakdown.game.external_id,
                played_on=game.played_on,
                stage=game.breakdown.game.stage,
                entered=revision if counts else None,
                version=_version(caller, step, game, 1, revision),
                traits=game.traits or (),
            )
        )
        if counts:
            counted.append((game, number))
        if step.approvals:
            needed[number] = step.approvals
    public_ids = batches.add_all(tx, season.id, rows)
    ledger.enter(tx, season.id, revision, chain.from_iterable(starmap(_entries, counted)))
    if needed:
        approvals.add_all(tx, needed)
    scope = Scope.of(season, revision)
    journal.record(tx, caller, season.slug, "games_imported", scope, now, detail={"games": len(new)})
    return [EnteredGame(public_id, step.status) for public_id, step in zip(public_ids, steps, strict=True)]


def rewrite(
    tx: Transaction, caller: Caller, season: Season, before: games.Game, game: SeatedGame, step: Step
) -> StoredGame:
    """The next version of a game of a locked season; the ledger gets the reversal of the one before.

    Raises:
        NotUnique: ``games``, when another game of the season has this external id.
    """
    entries = _entries(game, before.id) if step.status == "counted" else []
    revision = seasons.advance(tx, season)
    if before.entered is not None:
        ledger.reverse(tx, season.id, before.id, entered=before.entered, revision=revision)
    if entries:
        ledger.enter(tx, season.id, revision, entries)
    version = before.version + 1
    games.rewrite(
        tx,
        before,
        external_id=game.breakdown.game.external_id,
        played_on=game.played_on,
        stage=game.breakdown.game.stage,
        entered=revision if entries else None,
        version=_version(caller, step, game, version, revision),
        traits=game.traits or (),
    )
    approvals.replace(tx, before.id, step.approvals)
    _record(tx, caller, season, before.public_id, version, step, revision)
    return _stored(tx, season, game, step, before.public_id, version, revision)


def rewrite_all(
    tx: Transaction,
    caller: Caller,
    season: Season,
    rewritten: Sequence[RewrittenGame],
    *,
    action: str,
    revision: int,
    reason: str | None,
    now: datetime,
) -> None:
    """The next versions of many games of a locked season, all under one revision; their entries were taken out."""
    author = author_of(caller)
    versions = []
    for one in rewritten:
        version = Version(
            version=one.game.version + 1,
            action=action,
            status=one.status,
            revision=revision,
            rule_system=one.breakdown.system.id,
            rule_version=one.breakdown.system.version,
            key_id=author.key_id,
            role=author.role,
            at=now,
            reason=reason,
            fingerprint=one.game.current.fingerprint,
            facts=one.facts,
            seats_json=compact_json(sorted(one.seats)),
            totals_json=compact_json(one.breakdown.totals),
        )
        versions.append(NextVersion(one.game, revision if one.status == "counted" else None, version, one.approvals))
    next_versions.rewrite(tx, versions)
    counted = [one for one in rewritten if one.status == "counted"]
    ledger.enter(tx, season.id, revision, chain.from_iterable(map(_entries_of, counted)))


def _entries_of(one: RewrittenGame) -> list[Entry]:
    return entries_of(one.breakdown, one.seats, game_id=one.game.id, played_on=one.game.played_on)


def _submission(game: SeatedGame, caller: Caller, now: datetime) -> Step:
    needed = approvals_of(game.breakdown, (), caller, now)
    return Step("submitted", status_of(game.breakdown, needed), needed, None, now)


def _version(caller: Caller, step: Step, game: SeatedGame, number: int, revision: int) -> Version:
    author = author_of(caller)
    breakdown = game.breakdown
    return Version(
        version=number,
        action=step.action,
        status=step.status,
        revision=revision,
        rule_system=breakdown.system.id,
        rule_version=breakdown.system.version,
        key_id=author.key_id,
        role=author.role,
        at=step.at,
        reason=step.reason,
        fingerprint=str(game.fingerprint),
        facts=fingerprint.written(game.facts),
        seats_json=compact_json(sorted(game.seats)),
        totals_json=compact_json(breakdown.totals),
    )


def _entries(game: SeatedGame, game_id: int) -> list[Entry]:
    return entries_of(game.breakdown, game.seats, game_id=game_id, played_on=game.played_on)


def _record(
    tx: Transaction, caller: Caller, season: Season, public_id: str, version: int, step: Step, revision: int
) -> None:
    scope, detail = Scope.of(season, revision), {"version": version, "status": step.status}
    journal.record(tx, caller, public_id, f"game_{step.action}", scope, step.at, reason=step.reason, detail=detail)


def _stored(
    tx: Transaction, season: Season, game: SeatedGame, step: Step, public_id: str, version: int, revision: int
) -> StoredGame:
    facts = game.breakdown.game
    return StoredGame(
        season=season,
        public_id=public_id,
        external_id=facts.external_id,
        version=version,
        status=step.status,
        revision=revision,
        facts=game.facts,
        players={seat.seat: player for seat, player in zip(facts.seats, game.players, strict=True)},
        in_full=True,
        breakdown=game.breakdown,
        approvals=step.approvals,
        deciders=deciders_of(tx, step.approvals) if step.approvals else {},
        warnings=game.not_registered,
    )
