"""Unpack an archive into a temporary database and verify it before anything is stored.

Derived data is recomputed as in an audit, so nobody can import a table that its games do not give. Archives of older
services are upgraded by the usual migrations.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from itertools import islice
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO, Final, NamedTuple

import orjson

from app.repositories.archive import season_checks, season_rows
from app.repositories.archive.row_values import readers
from app.repositories.archive.season_rows import InconsistentRows, TableRows
from app.repositories.database import Database, Transaction
from app.repositories.database.errors import Unavailable
from app.repositories.games import games, ledger
from app.repositories.schema import bring_up_to_date, migrate
from app.repositories.seasons import seasons
from app.repositories.seasons.seasons import Season
from app.scoring.systems import UnknownRuleSystem, find_system
from app.scoring.text import Text, words
from app.scoring.violation import Violation
from app.services.archive.reading import Archive, Manifest, member, refused
from app.services.archive.values import fit_of, unfit_together
from app.services.audit import Difference, audit
from app.services.seasons.closing import refreeze
from app.validation import InvalidInput

_MOST_FAULTS: Final = 100
"""Faults; more are not looked for."""

MOST_ROWS: Final[Mapping[str, int]] = {
    "clubs": 1,
    "keys": 20_000,
    "players": 20_000,
    "nicknames": 100_000,
    "seasons": 1,
    "lots": 300,
    "withdrawn_lots": 300,
}
"""Of what is written one by one while others wait, or looked at in pairs. No season comes near."""
MOST_TURNS: Final = 50_000_000
"""Games times what was done to all of them: players merged, other rules. An audit looks at each."""
MOST_FACTS: Final = 20_000_000
"""Characters, of all versions of one game."""

_LONGEST: Final = 1000
"""Characters of what is reported of one."""

_MEMBERS: Final = words("нужен объект с полями: {}", "expected an object with the fields {}")
_LINES: Final = words("строк должно быть: {}", "expected {} lines")
_UNFIT: Final = words(
    "строка ссылается на несуществующую или повторяет другую", "a row refers to a missing row or duplicates another"
)
_ROWS: Final = words("слишком много строк; предел — {}", "more than {} lines")
_TURNS: Final = words(
    "история сезона слишком длинная, чтобы её проверить: {}", "too many game checks for merges and rule changes: {}"
)
_FACTS: Final = words("у одной игры слишком много версий, знаков в них: {}", "too many versions of one game: {}")
_STRAY: Final = words("есть строки другого сезона", "rows that do not belong to the season")
_CANNOT_BE: Final = words("здесь такое значение невозможно", "invalid value")
_UNSOUND: Final = words("не сходится с записанными играми: {}", "does not follow from the facts: {}")
_EXPECTED: Final[Mapping[str, Text]] = {
    "number": words("нужно: целое число", "expected a whole number"),
    "flag": words("нужно: true или false", "expected true or false"),
    "day": words("нужна дата вида 2025-03-14", "expected a date such as 2025-03-14"),
    "moment": words("нужны дата и время вида 2025-03-14T18:00:00Z", "expected a time such as 2025-03-14T18:00:00Z"),
    "text": words("нужно: текст", "expected a string"),
}


class StagedSeason(NamedTuple):
    """A season alone in a database."""

    database: Database
    manifest: Manifest
    season_id: int
    """Its row number there."""


@contextmanager
def staged(file: BinaryIO) -> Iterator[StagedSeason]:
    """The season of an archive in a database that is gone after the block; everything in it follows from its facts.

    Raises:
        InvalidInput: see :class:`app.services.archive.reading.Archive`; what is wrong in its lines, each at a pointer
            such as ``/games.ndjson/17/status``; ``unsound``: the lines contradict each other.
    """
    archive = Archive(file)
    with (
        TemporaryDirectory(prefix="mafrate-") as folder,
        closing(Database(f"sqlite:///{folder}/season.db")) as database,
    ):
        migrate(database, archive.manifest.schema_version)
        with database.write() as tx:
            for part in season_rows.parts(tx):
                _fill(tx, archive, part)
        bring_up_to_date(database)
        with database.read() as tx:
            _demand_whole(tx)
        season = _prove(database)
        with database.write() as tx:
            refreeze(tx, season)
            if sum(games.count_by_status(tx, season.id).values()) >= ledger.WORTH_SUMMING:
                ledger.store_sums(tx, season.id, season.revision)
        yield StagedSeason(database, archive.manifest, season.id)


def _demand_whole(tx: Transaction) -> None:
    """Reject rows outside the season (they would be lost), contradictory rows, and seasons too large to verify."""
    strays = season_checks.strays(tx, season_checks.only_season(tx))
    if strays:
        raise InvalidInput([Violation("unsound", f"/{member(name)}", _STRAY) for name in strays])
    if season_checks.contradictory(tx):
        raise refused("unsound", _UNFIT)
    extent = season_checks.extent(tx)
    for text, found, most in ((_TURNS, extent.turns, MOST_TURNS), (_FACTS, extent.facts_of_a_game, MOST_FACTS)):
        if found > most:
            raise refused("file_too_large", text, found, limit=most)


def _fill(tx: Transaction, archive: Archive, part: TableRows) -> None:
    name = member(part.name)
    counted = _CountedRows(archive, part)
    try:
        season_rows.put(tx, part, counted)
    except InconsistentRows:
        raise refused("unsound", _UNFIT, pointer=f"/{name}") from None
    if counted.faults:
        raise InvalidInput(counted.faults)
    expected = 1 if part.name in {"clubs", "seasons"} else archive.manifest.rows.get(part.name, 0)
    if counted.lines != expected:
        raise refused("file_broken", _LINES, expected, pointer=f"/{name}", limit=expected)


class _CountedRows:
    """The rows of a part, read on demand; an invalid one is left out and reported."""

    def __init__(self, archive: Archive, part: TableRows) -> None:
        self.lines = 0
        self.faults: list[Violation] = []
        self._archive = archive
        self._part = part

    def __iter__(self) -> Iterator[Sequence[Any]]:
        wanted = readers(self._part)
        fits = [fit_of(self._part.name, reader.column, reader.kind) for reader in wanted]
        names = set(self._part.columns)
        most = MOST_ROWS.get(self._part.name)
        for line in self._archive.lines(member(self._part.name)):
            self.lines += 1
            if most is not None and self.lines > most:
                raise refused("file_too_large", _ROWS, most, pointer=f"/{member(self._part.name)}", limit=most)
            row = _object(line)
            if row is None or row.keys() != names:
                listed = ", ".join(self._part.columns)
                self._note("", "type" if row is None else "value", _MEMBERS, listed)
                continue
            values, before = [], len(self.faults)
            for reader, fit in zip(wanted, fits, strict=True):
                try:
                    value = reader.read(row[reader.column])
                except ValueError:
                    self._note(f"/{reader.column}", "type", _EXPECTED[reader.kind])
                    continue
                if value is not None and fit is not None and not fit(value):
                    self._note(f"/{reader.column}", "value", _CANNOT_BE)
                values.append(value)
            if len(self.faults) == before:
                for column in unfit_together(self._part.name, row):
                    self._note(f"/{column}", "value", _CANNOT_BE)
                yield values

    def _note(self, column: str, code: str, text: Text, *args: object) -> None:
        self.faults.append(Violation(code, f"/{member(self._part.name)}/{self.lines}{column}", text, args))
        if len(self.faults) == _MOST_FAULTS:
            raise InvalidInput(self.faults)


def _object(line: bytes) -> dict[str, Any] | None:
    try:
        row = orjson.loads(line)
    except ValueError:
        return None
    return row if type(row) is dict else None


def _prove(database: Database) -> Season:
    """The season; refuses what an audit would find."""
    with database.read() as tx:
        season = seasons.by_id(tx, season_checks.only_season(tx))
    try:
        find_system(season.rule_system, season.rule_version)
    except UnknownRuleSystem as error:
        raise refused("value", error.text, pointer=f"/{member('seasons')}/1/rule_system") from None
    try:
        found = [Violation("unsound", "", _UNSOUND, (_said(one),)) for one in islice(audit(database), _MOST_FAULTS)]
    except Unavailable:
        raise
    except Exception as error:  # rows that contradict each other make whatever reads them raise whatever they hit
        raise refused("unsound", _UNSOUND, type(error).__name__) from None
    if found:
        raise InvalidInput(found)
    return season


def _said(difference: Difference) -> str:
    """The difference in words, as far as the file lets them be said."""
    return str(difference)[:_LONGEST].encode(errors="backslashreplace").decode()
