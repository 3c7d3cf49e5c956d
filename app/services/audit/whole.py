"""The audit of a database, a season at a time, and of one season."""

from collections.abc import Iterator

from app.repositories import audits
from app.repositories.clubs import clubs
from app.repositories.database import Database, Transaction
from app.repositories.seasons import seasons
from app.repositories.seasons.seasons import Season
from app.repositories.standings import lots
from app.services.access import NO_SEASON
from app.services.audit import games, traits
from app.services.audit import lots as drawn
from app.services.audit import season as own
from app.services.audit.batch import gathered
from app.services.audit.differences import UNREADABLE, Difference, FoundDifference, differs, unreadable
from app.services.audit.people import People
from app.services.audit.season import SeasonRecord
from app.services.audit.versions import RulesByRevision
from app.services.errors import NotFound
from app.services.seasons import closing


def audit(database: Database) -> Iterator[Difference]:
    """Every difference between what is stored and what the facts give; none when all is well.

    Each season is read in one state. The facts of every version of a game, who sat there, the rules that it was written
    under and the merges that were written down are trusted.
    """
    with database.read() as tx:
        of_seasons, of_clubs = audits.season_ids(tx), audits.club_ids(tx)
    for number in of_seasons:
        with database.read() as tx:
            yield from audit_season(tx, seasons.by_id(tx, number))
    for number in of_clubs:
        with database.read() as tx:
            yield from _club(tx, number)
    with database.read() as tx:
        yield from _seasonless(tx)


def audit_one(database: Database, club: str, season: str) -> Iterator[Difference]:
    """Every difference in one season, by the slugs of its club and its own.

    Raises:
        NotFound: there is none.
    """
    with database.read() as tx:
        found = seasons.find(tx, club, season)
        if found is None:
            raise NotFound(NO_SEASON)
        yield from audit_season(tx, found)


def audit_season(tx: Transaction, season: Season) -> Iterator[Difference]:
    """Every difference in one season, read in a transaction that sees one state."""
    for found in _guarded("what is kept of it", _season(tx, season)):
        yield Difference(season.club, season.slug, *found)


def _season(tx: Transaction, season: Season) -> Iterator[FoundDifference]:
    unread: list[FoundDifference] = []
    record = own.record(audits.change_rows(tx, season.id), unread)
    yield from unread
    frozen = seasons.frozen(tx, season.id)
    yield from own.head(season, record, None if frozen is None else frozen.revision)
    yield from own.revisions(season, record.revisions)
    followed = audits.rules(tx, season.id)
    yield from own.rules(season, followed, record.revisions)
    people = People(tx, season.club_id, record.merges, follows=bool(record.follows))
    around = games.SeasonContext(season, people, RulesByRevision(followed), record.revisions, record.follows)
    strays: list[FoundDifference] = []
    entered_anew: set[int] = set()
    for game in gathered(tx, season, strays):
        yield from games.differences(around, game, entered_anew)
    yield from strays
    yield from _guarded("lots", _lots(tx, season, record, entered_anew, people))
    yield from _guarded("kept sums", own.kept_sums(tx, season))
    yield from _guarded("traits", traits.differences(tx, season))
    yield from _guarded("frozen tables", (differs(*found) for found in closing.differences(tx, season)))


def _lots(
    tx: Transaction, season: Season, record: SeasonRecord, followed: set[int], people: People
) -> Iterator[FoundDifference]:
    present, withdrawn = lots.of_season(tx, season.id), lots.withdrawn_of_season(tx, season.id)
    yield from drawn.differences(present, withdrawn, record, followed, people)


def _club(tx: Transaction, club_id: int) -> Iterator[Difference]:
    slug = clubs.by_id(tx, club_id).slug
    for change in audits.change_rows_of_club(tx, club_id):
        _, found = own.detail_of(change)
        if found is not None:
            yield Difference(slug, None, *found)


def _seasonless(tx: Transaction) -> Iterator[Difference]:
    known = set(audits.season_ids(tx))
    for number in audits.seasons_in_ledger(tx):
        if number not in known:
            what = f"rows in the ledger of season number {number}, which there is not"
            yield Difference(None, None, *differs(what, "none", "some"))


def _guarded(what: str, differences: Iterator[FoundDifference]) -> Iterator[FoundDifference]:
    """The differences, and last that something cannot be read at all."""
    try:
        yield from differences
    except UNREADABLE as error:
        yield unreadable(what, error)
