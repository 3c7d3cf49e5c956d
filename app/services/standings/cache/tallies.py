"""What this process knows of seasons' ledgers: tallies by player, each at a revision, that only ever catch up."""

import threading
from collections import OrderedDict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from typing import Final, TypeAlias, cast

from app.repositories.database import Transaction
from app.repositories.games import ledger
from app.repositories.games.hidden_games import HiddenGames
from app.repositories.seasons import season_states
from app.repositories.seasons.season_states import SeasonState, StateMark
from app.scoring.tally import Cell, Tallies
from app.scoring.terms import Outcome, Result, Stage

MOST_CELLS: Final = 100_000
"""How many circumstances of players are kept in memory, some 600 bytes each; a busy season of 100 players has 3,000."""

MOST_ROWS: Final = 20_000
"""If more ledger rows than these were added since, the database sums everything up instead; some 2,000 games."""

_Key: TypeAlias = tuple[int, HiddenGames | None]
"""A season by its row number, and the games that the tallies are without."""

PlayerId: TypeAlias = int
"""A player's row number: what tallies of kept seasons are keyed by."""


class SeasonTallies:
    """One season's tallies at a revision, without the ``hidden`` games. Who holds :attr:`lock` may use them."""

    __slots__ = ("_hidden", "_mark", "cells", "lock", "tallies")

    def __init__(self, hidden: HiddenGames | None = None) -> None:
        self._hidden = hidden
        self.lock = threading.Lock()
        self.tallies = Tallies()
        self.cells = 0
        """How many circumstances of players it holds."""
        self._mark: StateMark | None = None

    @property
    def revision(self) -> int:
        """The season's, that the tallies are of; -1 before any."""
        return -1 if self._mark is None else self._mark.revision

    def catch_up(self, tx: Transaction, state: SeasonState) -> None:
        """Bring the tallies to the season's revision as ``tx`` sees it: by what came since, or from nothing.

        The transaction must have begun with the lock held: then it never sees an older revision than the
        tallies, unless another database took the place of the one that was read; its revisions are others, whatever
        their numbers.
        """
        season = state.season
        if self._mark == state.mark:
            return
        if self._is_close(tx, state):
            for row in ledger.after(tx, season.id, self.revision, up_to=season.revision):
                if self._hidden is None or not self._hidden.has(row.played_on, row.seat.stage):
                    add_entry(self.tallies, row.seat, row.lines, row.sign)
        else:
            self.tallies = tallies_at(tx, season.id, revision=season.revision, hidden=self._hidden)
        self._mark = state.mark
        self.cells = sum([len(tally.cells) for tally in self.tallies.players.values()])

    def _is_close(self, tx: Transaction, state: SeasonState) -> bool:
        """Whether the season went on from where the tallies are, and not far."""
        was, now = self._mark, state.mark
        return (
            was is not None
            and was.revision < now.revision
            and (was.season_id, was.created_at) == (now.season_id, now.created_at)
            and was.changed is not None
            and was.changed == season_states.changed_at(tx, now.season_id, was.revision)
            and not season_states.lags(tx, now.season_id, was.revision, rows=MOST_ROWS)
        )


class TalliesCache:
    """The tallies of the seasons that were asked for last, bounded by what they hold together."""

    def __init__(self, most_cells: int = MOST_CELLS) -> None:
        self._most_cells = most_cells
        self._seasons: OrderedDict[_Key, SeasonTallies] = OrderedDict()
        self._lock = threading.Lock()

    @contextmanager
    def of(self, season_id: int, hidden: HiddenGames | None = None) -> Iterator[SeasonTallies]:
        """The season's tallies without some games, held alone; one that is left by an exception is forgotten."""
        key = (season_id, hidden)
        with self._lock:
            season = self._seasons.get(key)
            if season is None:
                season = self._seasons[key] = SeasonTallies(hidden)
            self._seasons.move_to_end(key)
        with season.lock:
            try:
                yield season
            except BaseException:
                self._forget(key, season)
                raise
        self._make_room()

    def __len__(self) -> int:
        return len(self._seasons)

    def _forget(self, key: _Key, season: SeasonTallies) -> None:
        with self._lock:
            if self._seasons.get(key) is season:
                del self._seasons[key]

    def _make_room(self) -> None:
        """Forget who was asked for longest ago; the last one stays however large it is."""
        with self._lock:
            held = sum([season.cells for season in self._seasons.values()])
            while held > self._most_cells and len(self._seasons) > 1:
                _, season = self._seasons.popitem(last=False)
                held -= season.cells


def tallies_at(
    tx: Transaction, season_id: int, *, revision: int, as_of: date | None = None, hidden: HiddenGames | None = None
) -> Tallies:
    """The tallies of the games that counted at a revision, played up to a day and not hidden; summed up by the
    database.
    """
    tallies = Tallies()
    for entry in ledger.sums(tx, season_id, revision=revision, as_of=as_of, hidden=hidden):
        add_entry(tallies, entry.seat, entry.lines, entry.times)
    return tallies


def tallies_by_stage(
    tx: Transaction, season_id: int, *, revision: int, as_of: date | None = None, hidden: HiddenGames | None = None
) -> dict[Stage, Tallies]:
    """As :func:`tallies_at`, of the games of each stage by themselves; of games that have one."""
    tallies: dict[Stage, Tallies] = {}
    for entry in ledger.sums(tx, season_id, revision=revision, as_of=as_of, hidden=hidden):
        stage = cast(Stage | None, entry.seat.stage)
        if stage is not None:
            add_entry(tallies.setdefault(stage, Tallies()), entry.seat, entry.lines, entry.times)
    return {stage: of_stage for stage, of_stage in tallies.items() if of_stage.games}


def without(tallies: Tallies, taken: Iterable[ledger.Sum]) -> Tallies:
    """The tallies without some of their games. Only what changes is copied; ``tallies`` stay as they are."""
    back = Tallies()
    for entry in taken:
        add_entry(back, entry.seat, entry.lines, -entry.times)
    left = Tallies(tallies.players)
    left.outcomes = dict(tallies.outcomes)
    for player in back.players:
        left.part(player)
    left.merge(back)
    return left


def add_entry(tallies: Tallies, seat: ledger.Seat, lines: Sequence[ledger.Line], times: int) -> None:
    """A seat of a player who was not registered stands in the ledger and in no sum; its game counts."""
    if seat.opens:
        tallies.count_game(cast(Outcome, seat.outcome), times)
    if seat.registered:
        cell: Cell = (seat.role, seat.team, cast(Result, seat.result), cast(Stage | None, seat.stage), seat.first_kill)
        earned = tuple([(line.code, line.category, line.points) for line in lines])
        tallies.add(seat.player_id, cell, earned, times)


def rekeyed(tallies: Tallies, keys: Mapping[PlayerId, Hashable]) -> Tallies:
    """The same tallies, shared and not copied, under other keys."""
    other = Tallies({keys[cast(PlayerId, player)]: tally for player, tally in tallies.players.items()})
    other.outcomes = tallies.outcomes
    return other
