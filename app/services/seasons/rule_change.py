"""A season under other rules: what that would change, and changing it."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import Final, NamedTuple, cast

from app.repositories.database import Transaction
from app.repositories.games import approvals, games, ledger
from app.repositories.games.approvals import Approval
from app.repositories.games.games import SeatedPlayer
from app.repositories.seasons import rule_change
from app.repositories.seasons.seasons import Season
from app.scoring.exact_json import loads
from app.scoring.game import Game
from app.scoring.ranking import Standings
from app.scoring.rule_system import RuleSystem
from app.scoring.tally import Tallies
from app.scoring.terms import Format
from app.scoring.violation import RuleViolations, Violation
from app.services.access import Caller
from app.services.errors import GamesRefused, RefusedGame
from app.services.games.needed_approvals import approvals_of, status_of
from app.services.games.sent_game import rules_of
from app.services.games.versions import RewrittenGame, rewrite_all
from app.services.standings.cache.tallies import tallies_at
from app.services.standings.standings import ranked_under
from app.validation import MOST_VIOLATIONS

MOST_NAMED: Final = 1000
"""So many games of a kind are named; how many there are is always said."""

_AT_ONCE: Final = 500
"""Games that are in memory together."""


class StatusChange(NamedTuple):
    """A game whose status would be another."""

    id: str
    external_id: str | None
    before: str
    after: str
    waits_for: Sequence[Approval]
    """The approvals that would be open."""


class ComparedTable(NamedTuple):
    """A season's table under one system."""

    system: RuleSystem
    standings: Standings


class Preview(NamedTuple):
    """What other rules would change; of games of a kind the first are named."""

    season: Season
    before: ComparedTable
    after: ComparedTable
    """Without the games that are refused: as it will be when there are none."""
    examined: int
    moved: Sequence[StatusChange]
    moved_games: int
    pending_games: int
    """How many of those would wait for an approval."""
    refused: Sequence[RefusedGame]
    refused_games: int


class Refusals:
    """The games that rules refuse and what is wrong with them, as many as are ever shown."""

    def __init__(self) -> None:
        self.games = 0
        self.named: list[RefusedGame] = []
        self.violations: list[Violation] = []

    def add(self, public_id: str, external_id: str | None, violations: Iterable[Violation]) -> None:
        """Note a game; the places of its violations are below ``/games/ID``."""
        found = list(violations)
        self.games += 1
        if len(self.named) < MOST_NAMED:
            self.named.append(RefusedGame(public_id, external_id, list(dict.fromkeys([one.code for one in found]))))
        if len(self.violations) <= MOST_VIOLATIONS:
            self.violations += [one._replace(pointer=f"/games/{public_id}{one.pointer}") for one in found]


def rescore(
    tx: Transaction,
    caller: Caller,
    season: Season,
    system: RuleSystem,
    *,
    revision: int,
    reason: str | None,
    now: datetime,
) -> int:
    """Rescore every game of a locked season under ``system`` and ``revision``; how many games those are.

    ``season`` is as it was: it says which rules are left. Each game gets a version, ``rescored``, and the ledger the
    reversal of its entry and the new one. Voided games stay as they are: restoring one works it out under the rules of
    then. Approvals start over but for those that the same regulation gave: decisions under rules that the season
    leaves are stored until it returns to them.

    Raises:
        GamesRefused: the rules refuse some of the games; what is written until then must be undone.
    """
    refusals = Refusals()
    rule_change.set_approvals_aside(tx, season.id)
    rule_change.take_out(tx, season.id, revision)
    rescored = 0
    for batch in _examined(tx, season, system, refusals, now):
        if not refusals.games:
            rewrite_all(tx, caller, season, batch, action="rescored", revision=revision, reason=reason, now=now)
        rescored += len(batch)
    if refusals.games:
        raise GamesRefused(refusals.violations, refusals.named, refusals.games)
    if rescored >= ledger.WORTH_SUMMING:
        ledger.store_sums(tx, season.id, revision)
    return rescored


def preview(tx: Transaction, season: Season, system: RuleSystem, now: datetime) -> Preview:
    """What :func:`rescore` would do to the season as it is; nothing is written."""
    refusals = Refusals()
    tallies = Tallies()
    moved: list[StatusChange] = []
    statuses: Counter[tuple[str, str]] = Counter()
    for batch in _examined(tx, season, system, refusals, now):
        for game, breakdown, seats, needed, status, _ in batch:
            statuses[game.status, status] += 1
            if status == "counted":
                breakdown.add_to(tallies, [seat.player_id for seat in seats])
            if status != game.status and len(moved) < MOST_NAMED:
                open_ones = [approval for approval in needed if approval.state == "pending"]
                moved.append(StatusChange(game.public_id, game.external_id, game.status, status, open_ones))
    present = tallies_at(tx, season.id, revision=season.revision)
    follows = rules_of(season)
    others = {pair: times for pair, times in statuses.items() if pair[0] != pair[1]}
    return Preview(
        season=season,
        before=ComparedTable(follows, ranked_under(tx, follows, season, season.revision, present)),
        after=ComparedTable(system, ranked_under(tx, system, season, season.revision, tallies)),
        examined=statuses.total() + refusals.games,
        moved=moved,
        moved_games=sum(others.values()),
        pending_games=sum([times for (_, after), times in others.items() if after == "pending"]),
        refused=refusals.named,
        refused_games=refusals.games,
    )


def _examined(
    tx: Transaction, season: Season, system: RuleSystem, refusals: Refusals, now: datetime
) -> Iterator[list[RewrittenGame]]:
    """Every game of the season but the voided ones under other rules; those that they refuse go to ``refusals``."""
    each = (game for game in games.each(tx, season.id) if game.status != "voided")
    while batch := list(islice(each, _AT_ONCE)):
        ids = [game.id for game in batch]
        seated = games.seats(tx, ids)
        earlier = (
            approvals.of_games(tx, ids)
            if system.id == season.rule_system
            else rule_change.approvals_set_aside(tx, ids, system.id)
        )
        found = []
        for game in batch:
            facts = Game.stored(loads(game.current.facts))
            try:
                breakdown = system.examine(facts, cast(Format, season.format))
            except RuleViolations as error:
                refusals.add(game.public_id, game.external_id, error.violations)
                continue
            who = {seat.seat: seat.player_id for seat in seated[game.id]}
            needed = approvals_of(breakdown, earlier.get(game.id, ()), None, now)
            counts = zip(facts.seats, breakdown.registered, strict=True)
            seats = [SeatedPlayer(seat.seat, who[seat.seat], registered) for seat, registered in counts]
            status = status_of(breakdown, needed)
            found.append(RewrittenGame(game, breakdown, seats, needed, status, game.current.facts))
        yield found
