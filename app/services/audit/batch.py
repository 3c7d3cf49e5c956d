"""The games of a season, each with all that belongs to it, some at a time: a season is larger than memory may be."""

from collections.abc import Iterator, Sequence
from itertools import groupby, islice
from typing import Final, Generic, NamedTuple, TypeVar

from app.repositories import audits
from app.repositories.audits import GameRow, RecordedVersion, StoredLedgerRow
from app.repositories.database import Transaction
from app.repositories.games import approvals, games
from app.repositories.games.approvals import Approval
from app.repositories.games.games import SeatedPlayer
from app.repositories.seasons.seasons import Season
from app.services.audit.differences import FoundDifference, differs

Row = TypeVar("Row", RecordedVersion, StoredLedgerRow)

_AT_ONCE: Final = 200
"""Games that are looked at together."""


class GameRecord(NamedTuple):
    """All that is stored of one game."""

    head: GameRow
    recorded: Sequence[RecordedVersion]
    """Its versions, the first first."""
    seated: Sequence[SeatedPlayer]
    approvals: Sequence[Approval]
    ledger_rows: Sequence[StoredLedgerRow]
    """Its rows in the ledger, by revision, sign and seat."""


def gathered(tx: Transaction, season: Season, strays: list[FoundDifference]) -> Iterator[GameRecord]:
    """Every game with all that belongs to it; ``strays`` gets what belongs to none.

    The statements that read many rows give them in the order of the games' row numbers.
    """
    versions = _ByGame(
        audits.recorded_versions(tx, season.id), strays, "versions of game number {}, which the season has not"
    )
    ledger_rows = _ByGame(
        audits.ledger_rows(tx, season.id), strays, "entries of game number {}, which the season has not"
    )
    each = audits.game_rows(tx, season.id)
    while batch := list(islice(each, _AT_ONCE)):
        numbers = [game.id for game in batch]
        seated, needed = games.seats(tx, numbers), approvals.of_games(tx, numbers)
        for game in batch:
            yield GameRecord(game, versions.of(game.id), seated[game.id], needed[game.id], ledger_rows.of(game.id))
    for along in (versions, ledger_rows):
        along.skip_to(None)


class _ByGame(Generic[Row]):
    """Rows in game order, consumed one game at a time. Rows of skipped games are strays."""

    def __init__(self, rows: Iterator[Row], strays: list[FoundDifference], what: str) -> None:
        self._groups: Iterator[tuple[int, Iterator[Row]]] = groupby(rows, key=lambda row: row.game_id)
        self._strays = strays
        self._what = what
        self._next: tuple[int, Iterator[Row]] | None = next(self._groups, None)

    def of(self, game_id: int) -> list[Row]:
        """The rows of one game; games must be requested in their order."""
        self.skip_to(game_id)
        if self._next is None or self._next[0] != game_id:
            return []
        mine = list(self._next[1])
        self._next = next(self._groups, None)
        return mine

    def skip_to(self, game_id: int | None) -> None:
        """Pass over the games before one, or over all that are left."""
        while self._next is not None:
            stray, rows = self._next
            if game_id is not None and stray >= game_id:
                return
            self._strays.append(differs(self._what.format(stray), 0, len(list(rows))))
            self._next = next(self._groups, None)
