"""A file of games into a season: a batch at a time as it arrives, or all in one transaction."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Final, NamedTuple, TypeAlias

from app.repositories.database import Database, Transaction
from app.repositories.games import ledger
from app.repositories.seasons.seasons import Season
from app.services.access import Caller, demand_open, require, season_for_reading, season_for_writing
from app.services.clubs.registration import demand_backdating
from app.services.errors import Unauthorized
from app.services.files.import_batch import enter_batch
from app.services.files.import_step import ImportOptions, ImportResult
from app.services.files.new_players import NewPlayers
from app.services.files.suggestions import Suggestions
from app.services.storage import DryRun
from app.sheets import ReadGame
from app.validation import UnreadableFile

Identify: TypeAlias = Callable[[datetime], Caller]
"""Who imports, identified again before every transaction: a key may be revoked while a file arrives."""

REFUSED: Final = frozenset({"conflict", "invalid"})

MOST_GAMES: Final = 1_000
MOST_BYTES: Final = 4_000_000
"""Of a batch: what is reached first."""

_SUMMED_EVERY: Final = 10_000
"""Games, after which the season's sums are stored, so that its next table does not add up all their rows."""


class ImportOutcome(NamedTuple):
    """How an import in one transaction ended."""

    refused: bool
    applied: bool


def admit(tx: Transaction, caller: Caller, club: str, season: str, *, register_players: bool = False) -> Season:
    """The season that the caller may import games into, before anything of a file is read.

    Raises:
        Unauthorized, Forbidden, NotFound: the caller imports no games there, or registers no players as of their day.
        Conflict: ``season_closed``.
    """
    if caller.role == "anonymous":
        raise Unauthorized
    found = season_for_reading(tx, caller, club, season)
    require(caller, "import_games", found.club_id)
    if register_players:
        demand_backdating(caller)
    demand_open(found)
    return found


def in_batches(reads: Iterable[ReadGame], received: Callable[[], int]) -> Iterator[list[ReadGame]]:
    """The games of a file, some at a time; ``received``: how many bytes of it have been read so far.

    Raises:
        UnreadableFile: no game can be read.
    """
    batch: list[ReadGame] = []
    before = received()
    for read in _to_the_end(reads):
        batch.append(read)
        if len(batch) == MOST_GAMES or received() - before >= MOST_BYTES:
            yield batch
            batch, before = [], received()
    if batch:
        yield batch


def _to_the_end(reads: Iterable[ReadGame]) -> Iterator[ReadGame]:
    """The games; where the rest of the file cannot be read, that is told as one more that is invalid."""
    last = 0
    try:
        for read in reads:
            last = read.line
            yield read
    except UnreadableFile as error:
        if not last:
            raise
        yield ReadGame(last + 1, None, error.violations)


class Import:
    """One file on its way into one season.

    Args:
        database: where the season is.
        identify: who imports.
        clock: what time it is.
        club: its slug.
        season: its slug.
        options: how.
    """

    def __init__(
        self,
        database: Database,
        identify: Identify,
        clock: Callable[[], datetime],
        club: str,
        season: str,
        options: ImportOptions,
    ) -> None:
        self._database = database
        self._identify = identify
        self._clock = clock
        self._where = (club, season)
        self._options = options
        self.new_players = NewPlayers()
        self._suggestions = Suggestions()
        self._unsummed = 0

    def by_batches(self, found: Iterable[Sequence[ReadGame]]) -> Iterator[ImportResult]:
        """Store every good game, a transaction a batch; what became of each game of a batch, once that is committed.

        Raises:
            Unauthorized, Forbidden, NotFound, Conflict, Unavailable: from here on; the batches before stay.
        """
        for batch in found:
            now = self._clock()
            caller = self._identify(now)
            with self._database.write() as tx:
                results = self._enter(tx, caller, batch, now)
                self._sum_up(tx, caller, from_games=_SUMMED_EVERY)
            yield from results
        if self._unsummed >= ledger.WORTH_SUMMING:
            caller = self._identify(self._clock())
            with self._database.write() as tx:
                self._sum_up(tx, caller, from_games=ledger.WORTH_SUMMING)

    def at_once(
        self,
        found: Iterable[Sequence[ReadGame]],
        report: Callable[[ImportResult], None],
        *,
        atomic: bool,
        dry_run: bool,
    ) -> ImportOutcome:
        """Store all good games in one transaction, or none: in a dry run, or when ``atomic`` and any is refused.

        ``report`` is called for every game either way; where none is stored, the ids of new games name nothing.

        Raises:
            Unauthorized, Forbidden, NotFound, Conflict, Unavailable: nothing is stored.
        """
        refused = False
        now = self._clock()
        caller = self._identify(now)
        try:
            with self._database.write() as tx:
                for batch in found:
                    for result in self._enter(tx, caller, batch, now):
                        refused = refused or (atomic and result.result in REFUSED)
                        report(result)
                if refused or dry_run:
                    raise DryRun
                self._sum_up(tx, caller, from_games=ledger.WORTH_SUMMING)
        except DryRun:
            return ImportOutcome(refused, applied=False)
        return ImportOutcome(refused, applied=True)

    def _enter(self, tx: Transaction, caller: Caller, batch: Sequence[ReadGame], now: datetime) -> list[ImportResult]:
        season = season_for_writing(tx, caller, *self._where, "import_games")
        results = enter_batch(tx, caller, season, batch, self._options, self._suggestions, self.new_players, now)
        self._unsummed += sum([one.result in {"created", "corrected"} for one in results])
        return results

    def _sum_up(self, tx: Transaction, caller: Caller, *, from_games: int) -> None:
        if self._unsummed >= from_games:
            season = season_for_writing(tx, caller, *self._where, "import_games")
            ledger.store_sums(tx, season.id, season.revision)
            self._unsummed = 0
