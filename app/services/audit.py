"""Everything that is derived, worked out anew from the facts and compared with what is kept."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice
from typing import Any, Final, Generic, NamedTuple, TypeVar, cast

from app.repositories import approvals, audits, games, ledger, seasons
from app.repositories import players as people
from app.repositories.approvals import Approval
from app.repositories.audits import Made, Passed
from app.repositories.database import Database, Transaction
from app.repositories.games import Seated
from app.repositories.ledger import Entry, Kept
from app.repositories.players import Player
from app.repositories.seasons import Season
from app.scoring.breakdown import Breakdown
from app.scoring.exact_json import loads
from app.scoring.game import Format, Game
from app.scoring.nickname import folded
from app.scoring.systems import find_system
from app.services import closing, facts
from app.services.consent import status_of
from app.services.entries import entries_of
from app.services.facts import Fingerprint

Row = TypeVar("Row", Passed, Kept, Made)

_AT_ONCE: Final = 200
"""Games that are looked at together; few enough to fit in memory with all that belongs to them."""


class Difference(NamedTuple):
    """Something kept that is not what the facts give."""

    club: str
    season: str
    game: str | None
    """Public id; None where the season itself is meant."""
    seat: int | None
    what: str
    expected: Any
    found: Any

    def __str__(self) -> str:
        game = "" if self.game is None else f", game {self.game}"
        seat = "" if self.seat is None else f", seat {self.seat}"
        return f"{self.club}/{self.season}{game}{seat}: {self.what}: expected {self.expected}, found {self.found}"


class _Found(NamedTuple):
    """A difference before it is known whose season it is in."""

    game: str | None
    seat: int | None
    what: str
    expected: Any
    found: Any


class _Kept(NamedTuple):
    """All that is kept of one game."""

    game: games.Game
    passed: Sequence[Passed]
    seated: Sequence[Seated]
    approvals: Sequence[Approval]
    entries: Sequence[Kept]
    made: Sequence[Made]


def audit(database: Database) -> Iterator[Difference]:
    """Every difference between what is kept and what the facts give; none when all is well.

    Each season is read in one state; the facts of the games' current versions and the rules that they were written
    under are taken for the truth.
    """
    with database.read() as tx:
        numbers = audits.season_ids(tx)
    for number in numbers:
        with database.read() as tx:
            season = seasons.by_id(tx, number)
            for found in _season(tx, season):
                yield Difference(season.club, season.slug, *found)


def _season(tx: Transaction, season: Season) -> Iterator[_Found]:
    recorded = audits.recorded_revisions(tx, season.id)
    for revision in sorted(recorded ^ set(range(1, season.revision + 1))):
        wanted, got = ("none", "a change") if revision in recorded else ("a change", "none")
        yield _Found(None, None, f"what was done under revision {revision}", wanted, got)
    rules = seasons.rules_at(tx, season.id, season.revision)
    if rules != (season.rule_system, season.rule_version):
        yield _Found(None, None, "rules", rules, (season.rule_system, season.rule_version))
    players = people.of_club(tx, season.club_id)
    strays: list[_Found] = []
    for kept in _games(tx, season, strays):
        try:
            differences = list(_game(tx, season, kept, recorded, players))
        except (ValueError, LookupError, TypeError) as error:
            differences = [_differs("what is written of it", "readable", type(error).__name__)]
        for found in differences:
            yield found._replace(game=kept.game.public_id)
    yield from strays
    yield from _kept_sums(tx, season)
    yield from (_Found(None, None, *found) for found in closing.differences(tx, season))


def _games(tx: Transaction, season: Season, strays: list[_Found]) -> Iterator[_Kept]:
    """Every game with all that belongs to it; ``strays`` gets what belongs to none.

    The statements that read many rows give them in the order of the games' row numbers.
    """
    versions = _Along(audits.passed(tx, season.id), strays, "versions of game number {}, whose current one is missing")
    entries = _Along(ledger.in_force(tx, season.id), strays, "entries of game number {}, which the season has not")
    made = _Along(audits.made(tx, season.id), [], "")
    each = games.each(tx, season.id)
    seen = 0
    while batch := list(islice(each, _AT_ONCE)):
        seen += len(batch)
        seated = games.seats(tx, [game.id for game in batch])
        needed = approvals.of_games(tx, [game.id for game in batch])
        for game in batch:
            more = versions.of(game.id), seated[game.id], needed[game.id], entries.of(game.id), made.of(game.id)
            yield _Kept(game, *more)
    for along in (versions, entries, made):
        along.skip_to(None)
    stored = sum(games.count_by_status(tx, season.id).values())
    if stored != seen:
        strays.append(_Found(None, None, "games with a current version", stored, seen))


class _Along(Generic[Row]):
    """Rows in the order of their games, taken game by game; those of games that are passed over are strays."""

    def __init__(self, rows: Iterator[Row], strays: list[_Found], what: str) -> None:
        self._groups: Iterator[tuple[int, Iterator[Row]]] = groupby(rows, key=lambda row: row.game_id)
        self._strays = strays
        self._what = what
        self._next: tuple[int, Iterator[Row]] | None = next(self._groups, None)

    def of(self, game_id: int) -> list[Row]:
        """The rows of one game; games must be asked for in their order."""
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
            self._strays.append(_Found(None, None, self._what.format(stray), 0, len(list(rows))))
            self._next = next(self._groups, None)


def _game(
    tx: Transaction, season: Season, kept: _Kept, recorded: set[int], players: dict[int, Player]
) -> Iterator[_Found]:
    game, current = kept.game, kept.game.current
    yield from _versions(season, kept, recorded)
    told = Game.read(loads(current.facts))
    system = find_system(current.rule_system, current.rule_version)
    forbidden = system.check(told, cast(Format, season.format))
    if forbidden:
        yield _differs("what the rules forbid", "nothing", [violation.code for violation in forbidden])
        return
    breakdown = system.score(told)
    mark, again = Fingerprint.read(current.fingerprint), facts.fingerprint(told.canonical(), ())
    pairs: list[tuple[str, Any, Any]] = [
        ("external id", told.external_id, game.external_id),
        ("day", told.played_on, game.played_on),
        ("stage", told.stage, game.stage),
        ("fingerprint", again[:2], mark[:2]),
    ]
    needed = {(one.clause, one.seat, one.by): one.points for one in breakdown.approvals}
    pairs.append(("approvals", needed, {(one.clause, one.seat, one.decider): one.points for one in kept.approvals}))
    pairs.append(("status", _status(kept, breakdown), game.status))
    if game.status == "counted":
        rules = (season.rule_system, season.rule_version)
        pairs.append(("rules", rules, (current.rule_system, current.rule_version)))
        last = kept.made[-1] if kept.made else None
        pairs.append(("revision of its entry", last and last.revision, game.entered))
        pairs.append(("rows of its entry", len(told.seats), last and last.rows))
    else:
        pairs.append(("revision of its entry", None, game.entered))
    yield from (_differs(*pair) for pair in pairs if pair[1] != pair[2])
    totals = {seat.seat: total for seat, _, _, _, total in breakdown.seats}
    yield from _by_seat("total", totals, dict(current.totals))
    yield from _people(tx, season, kept, breakdown, players)
    yield from _ledger(season, kept, breakdown, players)


def _versions(season: Season, kept: _Kept, recorded: set[int]) -> Iterator[_Found]:
    numbers = [one.version for one in kept.passed]
    if numbers != list(range(1, kept.game.version + 1)):
        yield _differs("versions", f"1 to {kept.game.version}", numbers)
    revisions = [one.revision for one in kept.passed]
    if sorted(set(revisions)) != revisions or not recorded.issuperset(revisions):
        yield _differs("revisions of the versions", f"rising, up to {season.revision}, each written down", revisions)
    if kept.game.current.status != kept.game.status:
        yield _differs("status of the current version", kept.game.status, kept.game.current.status)


def _status(kept: _Kept, breakdown: Breakdown) -> str:
    last = [one.action for one in kept.passed if one.action in ("submitted", "voided", "restored")]
    return "voided" if last[-1:] == ["voided"] else status_of(breakdown, kept.approvals)


def _people(
    tx: Transaction, season: Season, kept: _Kept, breakdown: Breakdown, players: dict[int, Player]
) -> Iterator[_Found]:
    """Who sits where: by the nicknames in the facts, in the version, and in the seats, merged players as survivors."""
    told = breakdown.game.seats
    registered = breakdown.system.registered(breakdown.played)
    meant = people.named(tx, season.club_id, {folded(seat.player) for seat in told})
    expected = {
        seat.seat: (meant[folded(seat.player)].id if folded(seat.player) in meant else None, known)
        for seat, known in zip(told, registered, strict=True)
    }
    versions = {one.seat: (_survivor(players, one.player_id), one.registered) for one in kept.game.current.seats}
    seated = {one.seat: (one.player_id, one.registered) for one in kept.seated}
    yield from _by_seat("player and registration in the version", expected, versions)
    yield from _by_seat("player and registration in the seats", expected, seated)


def _ledger(season: Season, kept: _Kept, breakdown: Breakdown, players: dict[int, Player]) -> Iterator[_Found]:
    """The entries in force are those of the facts; a closed season's keep whom a player was merged from."""
    expected: dict[int, Entry] = {}
    if kept.game.status == "counted":
        who = {one.seat: one.player_id for one in kept.seated}
        along = [who.get(seat.seat, 0) for seat in breakdown.game.seats]
        entries = entries_of(breakdown, along, game_id=kept.game.id, played_on=kept.game.played_on)
        expected = {entry.seat: entry for entry in entries}
    found: dict[int, list[Kept]] = {}
    for entry in kept.entries:
        found.setdefault(entry.seat, []).append(entry)
    for seat in sorted({*expected, *found}):
        mine = found.get(seat, [])
        if seat not in expected or len(mine) != 1:
            wanted = 1 if seat in expected else 0
            yield _Found(None, seat, "entries in the ledger", wanted, len(mine))
            continue
        for name, wanted, got in _fields(expected[seat], mine[0]):
            if name == "player_id" and season.closed_at is not None and _survivor(players, got) == wanted:
                continue
            yield _Found(None, seat, f"{name} in the ledger", wanted, got)


def _fields(expected: Entry, found: Kept) -> Iterator[tuple[str, Any, Any]]:
    wanted = {**expected._asdict(), "points": sum([line.points for line in expected.lines]), "times": 1}
    for name, value in found._asdict().items():
        if value != wanted[name]:
            yield name, wanted[name], value


def _kept_sums(tx: Transaction, season: Season) -> Iterator[_Found]:
    if audits.kept_sums_revision(tx, season.id) is None:
        return
    expected, found = _counted(ledger.sums_of_rows(tx, season.id)), _counted(ledger.sums(tx, season.id))
    for seat in sorted({*expected, *found}, key=str):
        if expected[seat] != found[seat]:
            yield _Found(None, None, f"times that the kept sums count {seat}", expected[seat], found[seat])


def _counted(sums: Iterable[ledger.Sum]) -> Counter[tuple[Any, ...]]:
    counts: Counter[tuple[Any, ...]] = Counter()
    for *seat, times in sums:
        counts[tuple(seat)] += times
    return counts


def _survivor(players: dict[int, Player], number: int) -> int:
    player = players.get(number)
    return number if player is None or player.merged_into is None else player.merged_into


def _by_seat(what: str, expected: dict[int, Any], found: dict[int, Any]) -> Iterator[_Found]:
    for seat in sorted({*expected, *found}):
        if expected.get(seat) != found.get(seat):
            yield _Found(None, seat, what, expected.get(seat), found.get(seat))


def _differs(what: str, expected: Any, found: Any) -> _Found:
    return _Found(None, None, what, expected, found)
