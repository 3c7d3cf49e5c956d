"""Seasons and tournaments, their revisions and the rules that each revision followed."""

import secrets
from collections.abc import Collection, Mapping
from datetime import date, datetime
from typing import Any, Final, NamedTuple

from sqlalchemy import ColumnElement, bindparam, case, insert, select, update
from sqlalchemy import delete as delete_from

from app.repositories.clubs import clubs
from app.repositories.database import Transaction, batches, new_row
from app.repositories.database.pages import Page, after_row, page_of
from app.repositories.games.hidden_games import HiddenGames
from app.repositories.tables import (
    CHANGES,
    CLUBS,
    FROZEN_SEASONS,
    KEPT_SUMS,
    LOTS,
    SEASON_RULES,
    SEASONS,
    WITHDRAWN_LOTS,
)

_REVISIONS: Final = 2**21


class Season(NamedTuple):
    """A stored season, with what is always needed of its club."""

    id: int
    club_id: int
    slug: str
    name: str
    rule_system: str
    rule_version: int
    format: str
    starts_on: date | None
    ends_on: date | None
    public: bool
    revision: int
    closed_at: datetime | None
    created_at: datetime
    hidden_stage: str | None
    hidden_day: date | None
    traits_at: int
    """The revision up to which the traits of its games are written."""
    awards_from: str | None
    """The slug of the season whose awards hold at this one's registration."""
    club: str
    """The club's slug."""
    timezone: str
    """The club's."""
    day_ends_at: str
    """The club's."""

    @property
    def hidden_games(self) -> HiddenGames | None:
        """The games that only the club sees."""
        return HiddenGames.of(self.hidden_stage, self.hidden_day)


class FrozenSeason(NamedTuple):
    """What a closed season was: standings and awards as JSON, and their revision."""

    revision: int
    tables: str


_QUALIFYING = SEASONS.alias("qualifying")
_AWARDS_FROM = (
    select(_QUALIFYING.c.slug).where(_QUALIFYING.c.id == SEASONS.c.awards_from).correlate(SEASONS).scalar_subquery()
)
COLUMNS: Final[tuple[ColumnElement[Any], ...]] = (
    *(SEASONS.c[name] for name in Season._fields[:-4]),
    _AWARDS_FROM.label("awards_from"),
    CLUBS.c.slug.label("club"),
    CLUBS.c.timezone,
    CLUBS.c.day_ends_at,
)
"""The columns of a :class:`Season`, from ``seasons`` and ``clubs``."""

_ALL = select(*COLUMNS).join_from(SEASONS, CLUBS)
_FIND = _ALL.where(CLUBS.c.slug == bindparam("club"), SEASONS.c.slug == bindparam("season"))
_BY_ID = _ALL.where(SEASONS.c.id == bindparam("season"))
# FOR NO KEY UPDATE OF seasons: rows that refer to the season can be written meanwhile, and the club is not locked.
_FIND_LOCKED = _FIND.with_for_update(of=SEASONS, key_share=True)
_LOCKED = _BY_ID.with_for_update(of=SEASONS, key_share=True)
_REVISION = select(SEASONS.c.revision).where(SEASONS.c.id == bindparam("season"))
_ADVANCE = (
    update(SEASONS)
    .where(SEASONS.c.id == bindparam("season"))
    .values(
        revision=bindparam("to"),
        change_token=bindparam("token"),
        traits_at=case((SEASONS.c.traits_at == SEASONS.c.revision, bindparam("to")), else_=SEASONS.c.traits_at),
    )
)


def add(
    tx: Transaction,
    *,
    club_id: int,
    slug: str,
    name: str,
    rule_system: str,
    rule_version: int,
    format: str,
    starts_on: date | None,
    ends_on: date | None,
    public: bool,
    awards_from: str | None = None,
    at: datetime,
) -> Season:
    """Create a season at revision 0; ``awards_from``: the slug of another one of the club.

    Raises:
        NotUnique: ``seasons``, when the club has another with this slug.
    """
    values = {
        "club_id": club_id,
        "slug": slug,
        "name": name,
        "rule_system": rule_system,
        "rule_version": rule_version,
        "format": format,
        "starts_on": starts_on,
        "ends_on": ends_on,
        "public": public,
        "revision": 0,
        "change_token": _new_token(0),
        "created_at": at,
    }
    number = new_row(tx, SEASONS, values)
    follow(tx, number, revision=0, rule_system=rule_system, rule_version=rule_version)
    if awards_from is not None:
        change(tx, number, {"awards_from": awards_from})
    return Season._make(tx.execute(_BY_ID, {"season": number}).one())


def find(tx: Transaction, club: str, season: str) -> Season | None:
    """Return the season with the slugs of its club and its own."""
    row = tx.execute(_FIND, {"club": club, "season": season}).first()
    return Season._make(row) if row else None


def find_locked(tx: Transaction, club: str, season: str) -> Season | None:
    """Return the season as :func:`find` does, locked until the transaction ends."""
    row = tx.execute(_FIND_LOCKED, {"club": club, "season": season}).first()
    return Season._make(row) if row else None


def by_id(tx: Transaction, season_id: int) -> Season:
    """Return the season with a row number."""
    return Season._make(tx.execute(_BY_ID, {"season": season_id}).one())


def slugs(tx: Transaction, season_ids: Collection[int]) -> dict[int, str]:
    """Return the slugs of the seasons with these row numbers."""
    found = {}
    for batch in batches(season_ids):
        query = select(SEASONS.c.id, SEASONS.c.slug).where(SEASONS.c.id.in_(batch))
        found.update({row.id: row.slug for row in tx.execute(query)})
    return found


def lock(tx: Transaction, season_id: int) -> Season:
    """Lock the season until the transaction ends and return it as it is now."""
    return Season._make(tx.execute(_LOCKED, {"season": season_id}).one())


def lock_all(tx: Transaction, club_id: int) -> list[Season]:
    """All seasons of a club, locked in the one order that cannot deadlock."""
    query = _ALL.where(SEASONS.c.club_id == club_id).order_by(SEASONS.c.id)
    return [Season._make(row) for row in tx.execute(query.with_for_update(of=SEASONS, key_share=True))]


def lock_with_club(tx: Transaction, club_id: int) -> list[Season]:
    """Lock all seasons of a club and then the club: until the transaction ends, none is changed and none created.

    Creating a season locks the club, too. A season created just before the club was locked here may be locked by
    somebody who waits for the club, so the club is unlocked before that season is locked.
    """
    numbers = select(SEASONS.c.id).where(SEASONS.c.club_id == club_id).order_by(SEASONS.c.id)
    while True:
        found = lock_all(tx, club_id)
        club = tx.begin_nested()
        clubs.lock(tx, club_id)
        if list(tx.execute(numbers).scalars()) == [season.id for season in found]:
            club.commit()
            return found
        club.rollback()


def revision_of(tx: Transaction, season_id: int) -> int:
    """Return the season's current revision."""
    return int(tx.execute(_REVISION, {"season": season_id}).scalar_one())


def advance(tx: Transaction, season: Season, by: int = 1) -> int:
    """Raise the revision of a locked season; return the new one, under which the change is stored.

    Who writes a game under it writes its traits, too.
    """
    to = season.revision + by
    tx.execute(_ADVANCE, {"season": season.id, "to": to, "token": _new_token(to)})
    return to


def set_apart(tx: Transaction, season: Season) -> None:
    """Tell the season's present revision from that of any other database, such as one that it was copied from."""
    token = _new_token(season.revision)
    tx.execute(update(SEASONS).where(SEASONS.c.id == season.id).values(change_token=token))


def is_token_of(token: int | None, revision: int) -> bool:
    """Whether the token was written with the revision: versions of the service that know none leave the last one."""
    return token is not None and token % _REVISIONS == revision % _REVISIONS


def _new_token(revision: int) -> int:
    """42 random bits, then the last 21 of the revision."""
    return secrets.randbits(42) * _REVISIONS + revision % _REVISIONS


def change(tx: Transaction, season_id: int, values: Mapping[str, str | date | bool | None]) -> None:
    """Change some of ``slug``, ``name``, ``format``, ``starts_on``, ``ends_on``, ``public``, ``hidden_stage``,
    ``hidden_day`` and ``awards_from``.

    ``awards_from`` is the slug of another season of the club.

    Raises:
        NotUnique: ``seasons``, when the club has another with this slug.
    """
    columns: dict[str, Any] = dict(values)
    if columns.get("awards_from") is not None:
        same = (_QUALIFYING.c.club_id == SEASONS.c.club_id, _QUALIFYING.c.slug == columns["awards_from"])
        columns["awards_from"] = select(_QUALIFYING.c.id).where(*same).correlate(SEASONS).scalar_subquery()
    if columns:
        tx.execute(update(SEASONS).where(SEASONS.c.id == season_id).values(columns))


def follow(tx: Transaction, season_id: int, *, revision: int, rule_system: str, rule_version: int) -> None:
    """Let the season follow these rules from ``revision`` on."""
    rules = {"rule_system": rule_system, "rule_version": rule_version}
    tx.execute(insert(SEASON_RULES), {"season_id": season_id, "revision": revision, **rules})
    tx.execute(update(SEASONS).where(SEASONS.c.id == season_id).values(rules))


def rules_at(tx: Transaction, season_id: int, revision: int) -> tuple[str, int]:
    """Return id and version of the rule system that the season followed at a revision."""
    query = (
        select(SEASON_RULES.c.rule_system, SEASON_RULES.c.rule_version)
        .where(SEASON_RULES.c.season_id == season_id, SEASON_RULES.c.revision <= revision)
        .order_by(SEASON_RULES.c.revision.desc())
        .limit(1)
    )
    system, version = tx.execute(query).one()
    return system, version


def close(tx: Transaction, season_id: int, *, revision: int, tables: str, at: datetime) -> None:
    """Close the season with frozen tables; ``tables`` is JSON."""
    tx.execute(insert(FROZEN_SEASONS), {"season_id": season_id, "revision": revision, "tables": tables})
    tx.execute(update(SEASONS).where(SEASONS.c.id == season_id).values(closed_at=at))


def refreeze(tx: Transaction, season_id: int, tables: str) -> None:
    """Replace a closed season's frozen tables."""
    tx.execute(update(FROZEN_SEASONS).where(FROZEN_SEASONS.c.season_id == season_id).values(tables=tables))


def reopen(tx: Transaction, season_id: int) -> None:
    """Reopen the season and delete its frozen tables."""
    tx.execute(delete_from(FROZEN_SEASONS).where(FROZEN_SEASONS.c.season_id == season_id))
    tx.execute(update(SEASONS).where(SEASONS.c.id == season_id).values(closed_at=None))


def gives_awards(tx: Transaction, season_id: int) -> bool:
    """Return whether another season has this one as ``awards_from``."""
    return tx.execute(select(SEASONS.c.id).where(SEASONS.c.awards_from == season_id).limit(1)).first() is not None


def delete(tx: Transaction, season_id: int) -> None:
    """Delete a locked season that has no games and no entries, and that no other season refers to.

    What was done in it is from now on of the club alone.
    """
    tx.execute(update(CHANGES).where(CHANGES.c.season_id == season_id).values(season_id=None, revision=None))
    for table in (KEPT_SUMS, FROZEN_SEASONS, WITHDRAWN_LOTS, LOTS, SEASON_RULES):
        tx.execute(delete_from(table).where(table.c.season_id == season_id))
    tx.execute(delete_from(SEASONS).where(SEASONS.c.id == season_id))


def readable_slugs(tx: Transaction, club_id: int, slugs: Collection[str]) -> set[str]:
    """Return those of the slugs whose seasons are public."""
    found = set[str]()
    for batch in batches(slugs):
        query = select(SEASONS.c.slug).where(SEASONS.c.club_id == club_id, SEASONS.c.slug.in_(batch))
        found.update(tx.execute(query.where(SEASONS.c.public)).scalars())
    return found


def frozen(tx: Transaction, season_id: int) -> FrozenSeason | None:
    """Return a closed season's frozen tables; None while it is open."""
    query = select(FROZEN_SEASONS.c.revision, FROZEN_SEASONS.c.tables).where(FROZEN_SEASONS.c.season_id == season_id)
    row = tx.execute(query).first()
    return FrozenSeason._make(row) if row else None


def page(tx: Transaction, club_id: int, *, public: bool | None, cursor: str | None, limit: int) -> Page[Season]:
    """Return a club's seasons, newest first; ``public=None`` means public or not.

    Raises:
        NotACursor: the cursor belongs to another list.
    """
    query = _ALL.where(SEASONS.c.club_id == club_id).order_by(SEASONS.c.id.desc()).limit(limit + 1)
    if public is not None:
        query = query.where(SEASONS.c.public.is_(public))
    if cursor is not None:
        query = query.where(SEASONS.c.id < after_row(cursor))
    return page_of([Season._make(row) for row in tx.execute(query)], limit, lambda season: (season.id,))
