"""Writing a version of a game: its facts, its rows in the ledger, its approvals, one revision more, who and why."""

from collections.abc import Sequence
from datetime import datetime
from itertools import chain
from typing import NamedTuple

from app.repositories.database import Transaction
from app.repositories.games import approvals, batches, games, ledger
from app.repositories.games.approvals import Approval
from app.repositories.games.batches import NewGame
from app.repositories.games.games import Written
from app.repositories.games.ledger import Entry
from app.repositories.seasons import seasons
from app.repositories.seasons.seasons import Season
from app.services import journal
from app.services.access import Caller, author_of
from app.services.games import fingerprint
from app.services.games.checked_game import SeatedGame
from app.services.games.ledger_entries import entries_of
from app.services.games.needed_approvals import status_of
from app.services.games.stored import StoredGame, deciders_of
from app.services.journal import Scope


class Step(NamedTuple):
    """What is done to a game, and what it is then."""

    action: str
    """``submitted``, ``corrected``, ``voided``, ``restored`` …"""
    status: str
    reason: str | None
    at: datetime


def enter(
    tx: Transaction, caller: Caller, season: Season, drafted: SeatedGame, needed: Sequence[Approval], now: datetime
) -> StoredGame:
    """A new game in a locked season.

    Raises:
        NotUnique: ``games``, when the season has a game with this external id.
    """
    step = Step("submitted", status_of(drafted.breakdown, needed), None, now)
    revision = seasons.advance(tx, season)
    game_id, public_id = games.add(
        tx,
        season_id=season.id,
        external_id=drafted.game.external_id,
        played_on=drafted.played_on,
        stage=drafted.game.stage,
        entered=revision if step.status == "counted" else None,
        written=_written(caller, step, drafted, revision),
    )
    if step.status == "counted":
        ledger.enter(tx, season.id, revision, _entries(drafted, game_id))
    approvals.add(tx, game_id, needed)
    _record(tx, caller, season, public_id, 1, step, revision)
    shown = _shown(tx, season, drafted, needed, public_id, 1, step.status, revision)
    return shown._replace(is_new=True)


def enter_all(
    tx: Transaction,
    caller: Caller,
    season: Season,
    new: Sequence[tuple[SeatedGame, Sequence[Approval]]],
    now: datetime,
) -> list[str]:
    """New games in a locked season, with the approvals that they need, all under one revision; their public ids.

    Raises:
        NotUnique: ``games``, when the season has a game with one of the external ids.
    """
    revision = seasons.advance(tx, season)
    games_made, counted, needed = [], [], {}
    for number, (drafted, approvals_needed) in zip(batches.numbers(tx, len(new)), new, strict=True):
        step = Step("submitted", status_of(drafted.breakdown, approvals_needed), None, now)
        counts = step.status == "counted"
        games_made.append(
            NewGame(
                id=number,
                external_id=drafted.game.external_id,
                played_on=drafted.played_on,
                stage=drafted.game.stage,
                entered=revision if counts else None,
                written=_written(caller, step, drafted, revision),
            )
        )
        if counts:
            counted.append((drafted, number))
        if approvals_needed:
            needed[number] = approvals_needed
    public_ids = batches.add_all(tx, season.id, games_made)
    entries = chain.from_iterable(_entries(drafted, number) for drafted, number in counted)
    ledger.enter(tx, season.id, revision, entries)
    approvals.add_all(tx, needed)
    scope = Scope.of(season, revision)
    journal.record(tx, caller, season.slug, "games_imported", scope, now, detail={"games": len(new)})
    return public_ids


def rewrite(
    tx: Transaction,
    caller: Caller,
    season: Season,
    game: games.Game,
    step: Step,
    drafted: SeatedGame,
    needed: Sequence[Approval],
) -> StoredGame:
    """The next version of a game of a locked season; the ledger gets the reversal of the one before.

    Raises:
        NotUnique: ``games``, when another game of the season has this external id.
    """
    revision = seasons.advance(tx, season)
    if game.entered is not None:
        ledger.reverse(tx, season.id, game.id, entered=game.entered, revision=revision)
    if step.status == "counted":
        ledger.enter(tx, season.id, revision, _entries(drafted, game.id))
    version = games.rewrite(
        tx,
        game,
        external_id=drafted.game.external_id,
        played_on=drafted.played_on,
        stage=drafted.game.stage,
        entered=revision if step.status == "counted" else None,
        written=_written(caller, step, drafted, revision),
    )
    approvals.replace(tx, game.id, needed)
    _record(tx, caller, season, game.public_id, version, step, revision)
    return _shown(tx, season, drafted, needed, game.public_id, version, step.status, revision)


def _written(caller: Caller, step: Step, drafted: SeatedGame, revision: int) -> Written:
    author = author_of(caller)
    system = drafted.breakdown.system
    return Written(
        action=step.action,
        status=step.status,
        revision=revision,
        rule_system=system.id,
        rule_version=system.version,
        key_id=author.key_id,
        role=author.role,
        at=step.at,
        reason=step.reason,
        fingerprint=drafted.fingerprint,
        facts=fingerprint.written(drafted.facts),
        seats=drafted.seated,
        totals=drafted.totals,
    )


def _entries(drafted: SeatedGame, game_id: int) -> list[Entry]:
    player_ids = [player.id for player in drafted.players]
    return entries_of(drafted.breakdown, player_ids, game_id=game_id, played_on=drafted.played_on)


def _record(
    tx: Transaction, caller: Caller, season: Season, public_id: str, version: int, step: Step, revision: int
) -> None:
    scope, detail = Scope.of(season, revision), {"version": version, "status": step.status}
    journal.record(tx, caller, public_id, f"game_{step.action}", scope, step.at, reason=step.reason, detail=detail)


def _shown(
    tx: Transaction,
    season: Season,
    drafted: SeatedGame,
    needed: Sequence[Approval],
    public_id: str,
    version: int,
    status: str,
    revision: int,
) -> StoredGame:
    game = drafted.game
    return StoredGame(
        season=season,
        public_id=public_id,
        external_id=game.external_id,
        version=version,
        status=status,
        revision=revision,
        facts=drafted.facts,
        players={seat.seat: player for seat, player in zip(game.seats, drafted.players, strict=True)},
        in_full=True,
        breakdown=drafted.breakdown,
        approvals=needed,
        deciders=deciders_of(tx, needed),
    )
