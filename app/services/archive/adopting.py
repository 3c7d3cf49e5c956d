"""Moving a staged season into a club: the same rows under the numbers of another database."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import Any, Final, NamedTuple, TypeAlias

from app.patterns import ANY_ID
from app.repositories.archive import season_rows
from app.repositories.archive.season_rows import REFERENCES, InconsistentRows, TableRows
from app.repositories.clubs import clubs
from app.repositories.clubs.clubs import Club
from app.repositories.database import Transaction
from app.repositories.database.errors import NotUnique, Unavailable
from app.repositories.database.ids import new_id
from app.repositories.games import batches, ledger
from app.repositories.seasons import seasons
from app.repositories.seasons.seasons import Season
from app.services import journal
from app.services.access import Caller, club_for
from app.services.archive import people
from app.services.archive.people import People
from app.services.archive.staging import StagedSeason
from app.services.errors import Conflict
from app.services.journal import Scope
from app.services.seasons.seasons import SLUG_TAKEN
from app.services.standings import frozen_tables

_AT_ONCE: Final = 1000
_ID: Final = re.compile(rf'(?<=(?<!\\)"){ANY_ID}(?=")')
"""An id that is a whole string of a JSON text."""

Row: TypeAlias = Sequence[Any]


class AdoptedSeason(NamedTuple):
    """An imported season, and the players it brought."""

    season: Season
    games: int
    players_made: int


def demand_club(tx: Transaction, caller: Caller, club: str) -> Club:
    """The club that the caller may take a season into.

    Raises:
        NotFound: there is none.
        Unauthorized, Forbidden: only the president takes seasons in.
    """
    return club_for(tx, caller, club, "import_season")


def adopt(
    tx: Transaction, caller: Caller, club: str, staged: StagedSeason, *, slug: str | None = None, now: datetime
) -> AdoptedSeason:
    """Import a staged season into a club, with its revisions, versions and lots.

    The slug is ``slug`` or the original one.

    Raises:
        NotFound, Unauthorized, Forbidden: see :func:`demand_club`.
        Conflict: ``slug_taken``; ``nickname_taken``: see :func:`app.services.archive.people.players`.
        Unavailable: another request is importing the same season into another club.
    """
    found = demand_club(tx, caller, club)
    clubs.lock(tx, found.id)
    address = slug or staged.manifest.season
    with staged.database.read() as old:
        move = _Move(tx, old, staged.season_id, found, address, now)
        try:
            move.everything()
        except (NotUnique, InconsistentRows):
            # Ids that were free when they were looked for; once the other request is done they are seen to be taken.
            raise Unavailable("the same rows are being written") from None
    season = _with_awards(tx, seasons.by_id(tx, move.season), staged.manifest.awards_from)
    games = len(move.numbers["games"])
    detail = {"archive": staged.manifest.season, "games": games}
    journal.record(tx, caller, season.slug, "season_imported", Scope.of(season), now, detail=detail)
    return AdoptedSeason(season, games, move.players_made)


def _with_awards(tx: Transaction, season: Season, awards_from: str | None) -> Season:
    """The season with its qualifying one, where the club has that."""
    other = None if awards_from is None else seasons.find(tx, season.club, awards_from)
    if other is None or other.id == season.id:
        return season
    seasons.change(tx, season.id, {"awards_from": other.slug})
    return seasons.by_id(tx, season.id)


class _Move:
    """The rows of the only season of one database on their way into another."""

    def __init__(
        self, tx: Transaction, old: Transaction, old_season: int, club: Club, slug: str, now: datetime
    ) -> None:
        self.numbers: dict[str, dict[int, int]] = {name: {} for name in REFERENCES.values()}
        """Row numbers here by row numbers there, of each table that rows refer to."""
        self.players_made = 0
        self._tx, self._old, self._old_season = tx, old, old_season
        self._club, self._slug, self._now = club, slug, now
        self._parts = {part.name: part for part in season_rows.parts(old)}
        self._ids: dict[str, str] = {}
        """Public ids that are others here."""

    @property
    def season(self) -> int:
        """The season's number here."""
        return self.numbers["seasons"][self._old_season]

    def everything(self) -> None:
        """Move all rows.

        Raises:
            Conflict, NotUnique, InconsistentRows: nothing of what was moved may be stored.
        """
        for name, part in self._parts.items():
            match name:
                case "clubs":
                    self.numbers[name] = {row["id"]: self._club.id for row in self._rows(part)}
                case "keys":
                    self._meet(name, people.keys(self._tx, self._club, part, self._rows(part), self._now))
                case "players":
                    met = people.players(self._tx, self._club, part, self._rows(part), self._nicknames())
                    self._meet(name, met)
                    self.players_made = met.created
                case "nicknames":
                    pass  # came with the players
                case "seasons":
                    self._add_season(part)
                case "games":
                    self._add_games(part)
                case _:
                    self._add_rows(part)
        self._add_rows(season_rows.SUMS)

    def _rows(self, part: TableRows) -> Iterator[dict[str, Any]]:
        for row in season_rows.rows(self._old, self._old_season, part):
            yield dict(zip(part.columns, row, strict=True))

    def _nicknames(self) -> dict[int, dict[str, str]]:
        names: dict[int, dict[str, str]] = {}
        for claim in self._rows(self._parts["nicknames"]):
            names.setdefault(claim["player_id"], {})[claim["folded"]] = claim["nickname"]
        return names

    def _meet(self, name: str, met: People) -> None:
        self.numbers[name] = dict(met.numbers)
        self._ids |= met.renamed

    def _add_season(self, part: TableRows) -> None:
        [row] = self._rows(part)
        try:
            adapted = {**row, "club_id": self._club.id, "slug": self._slug}
            self.numbers["seasons"][row["id"]] = season_rows.add(self._tx, part, adapted)
        except NotUnique:
            raise Conflict("slug_taken", SLUG_TAKEN, self._slug) from None
        seasons.set_apart(self._tx, seasons.by_id(self._tx, self.season))

    def _add_games(self, part: TableRows) -> None:
        """Games keep their ids, unless a game somewhere has one of them."""
        place = part.columns.index("public_id")
        rows = season_rows.rows(self._old, self._old_season, part, raw=True)
        while batch := [list(row) for row in islice(rows, _AT_ONCE)]:
            taken = season_rows.holders(self._tx, part.name, [row[place] for row in batch])
            new = batches.numbers(self._tx, len(batch))
            for row, number in zip(batch, new, strict=True):
                self.numbers["games"][row[0]] = number
                if row[place] in taken:
                    self._ids[row[place]] = row[place] = new_id("g")
            season_rows.put(self._tx, part, self._moved(part, batch), raw=True)

    def _add_rows(self, part: TableRows) -> None:
        """Rows that nothing refers to are numbered as they come."""
        rows = season_rows.rows(self._old, self._old_season, part, raw=True)
        if part.columns[0] == "id":
            part = part._replace(columns=part.columns[1:])
            rows = (row[1:] for row in rows)
        season_rows.put(self._tx, part, self._moved(part, rows), raw=True)

    def _moved(self, part: TableRows, rows: Iterable[Row]) -> Iterator[Row]:
        """The rows with numbers and ids of this database."""
        turns = list(self._turns(part))
        for row in rows:
            moved = list(row)
            for index, turn in turns:
                if moved[index] is not None:
                    moved[index] = turn(moved[index])
            yield moved

    def _turns(self, part: TableRows) -> Iterator[tuple[int, Callable[[Any], Any]]]:
        converters: dict[tuple[str, str], Callable[[Any], Any]] = {
            ("games", "id"): self.numbers["games"].__getitem__,
            ("game_versions", "seated"): self._seated,
            ("frozen_seasons", "tables"): self._tables,
            ("kept_sums", "sums"): self._sums,
            ("lots", "tied"): self._tied,
            ("lots", "drawn"): self._written_ids,
            ("lots", "seed"): self._seed,
            ("withdrawn_lots", "tied"): self._tied,
            ("withdrawn_lots", "drawn"): self._written_ids,
            ("changes", "target"): self._id,
            ("changes", "detail"): self._written_ids,
        }
        for index, column in enumerate(part.columns):
            if column in REFERENCES:
                yield index, self.numbers[REFERENCES[column]].__getitem__
            elif (part.name, column) in converters:
                yield index, converters[part.name, column]

    def _id(self, public_id: str) -> str:
        return self._ids.get(public_id, public_id)

    def _seated(self, written: str) -> str:
        players = self.numbers["players"]
        return json.dumps([[seat, players[player], known] for seat, player, known in json.loads(written)])

    def _tables(self, written: str) -> str:
        players = self.numbers["players"]
        return frozen_tables.reseated(written, lambda who: [players[who[0]], self._id(who[1]), *who[2:]])

    def _sums(self, written: str) -> str:
        return ledger.sums_of_others(written, self.numbers["players"])

    def _tied(self, written: str) -> str:
        return json.dumps(sorted(map(self._id, json.loads(written))))

    def _written_ids(self, written: str) -> str:
        """Replace the archive's IDs in JSON text by the IDs in this database."""
        return _ID.sub(lambda found: self._id(found[0]), written)

    def _seed(self, seed: str) -> str | None:
        """Drop the seed if IDs changed: a seed only verifies the order of the original IDs."""
        return None if self._ids else seed
