"""What webhooks of a club are told: how far events have come, and making them."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import and_, delete, func, insert, literal_column, select, update

from app.repositories.database import Transaction, new_row
from app.repositories.database.ids import new_id
from app.repositories.tables import (
    CHANGES,
    SEASONS,
    WEBHOOK_DELIVERIES,
    WEBHOOK_EVENTS,
    WEBHOOK_OUTBOXES,
    WEBHOOK_POSITIONS,
    WEBHOOKS,
)


class Outbox(NamedTuple):
    """How far the events of a club have come."""

    club_id: int
    sequence: int
    """Of the last event."""
    change_id: int
    """The last merge that was made an event of: its record is made with the club locked, so these rise with commits."""


class Lagging(NamedTuple):
    """A season that has come further than its events; ``seen`` None: no event was made of it yet."""

    id: int
    slug: str
    revision: int
    seen: int | None


_SEASONS = (
    select(SEASONS.c.id, SEASONS.c.slug, SEASONS.c.revision, WEBHOOK_POSITIONS.c.revision)
    .join_from(SEASONS, WEBHOOK_POSITIONS, WEBHOOK_POSITIONS.c.season_id == SEASONS.c.id, isouter=True)
    .where((WEBHOOK_POSITIONS.c.revision.is_(None)) | (WEBHOOK_POSITIONS.c.revision < SEASONS.c.revision))
)
# Literally, or SQLite would not use the index.
_IS_MERGE = and_(CHANGES.c.season_id.is_(None), CHANGES.c.action == literal_column("'player_merged'"))
_ENABLED = select(WEBHOOKS.c.club_id).where(WEBHOOKS.c.disabled_at.is_(None))


def clubs_behind(tx: Transaction) -> set[int]:
    """Return the clubs with a webhook whose changes are ahead of their events; one small query where there is none."""
    clubs = set(tx.execute(_ENABLED.distinct()).scalars())
    if not clubs:
        return set()
    seasons = _SEASONS.with_only_columns(SEASONS.c.club_id).where(SEASONS.c.club_id.in_(clubs)).distinct()
    behind = set(tx.execute(seasons).scalars())
    merged = (
        select(CHANGES.c.club_id)
        .join_from(CHANGES, WEBHOOK_OUTBOXES, WEBHOOK_OUTBOXES.c.club_id == CHANGES.c.club_id)
        .where(CHANGES.c.club_id.in_(clubs), CHANGES.c.id > WEBHOOK_OUTBOXES.c.change_id, _IS_MERGE)
        .distinct()
    )
    return behind | set(tx.execute(merged).scalars())


def lock_outbox(tx: Transaction, club_id: int) -> Outbox | None:
    """Return the outbox of a club, locked until the transaction ends."""
    columns = [WEBHOOK_OUTBOXES.c[name] for name in Outbox._fields]
    row = tx.execute(select(*columns).where(WEBHOOK_OUTBOXES.c.club_id == club_id).with_for_update()).first()
    return Outbox._make(row) if row else None


def begin_now(tx: Transaction, club_id: int) -> None:
    """Let the events of a locked club begin with what happens next."""
    last = tx.execute(select(func.max(CHANGES.c.id)).where(CHANGES.c.club_id == club_id)).scalar() or 0
    if lock_outbox(tx, club_id) is None:
        tx.execute(insert(WEBHOOK_OUTBOXES), {"club_id": club_id, "sequence": 0, "change_id": last})
    else:
        advance(tx, club_id, change_id=last)
    mine = select(SEASONS.c.id, SEASONS.c.revision).where(SEASONS.c.club_id == club_id)
    tx.execute(delete(WEBHOOK_POSITIONS).where(WEBHOOK_POSITIONS.c.season_id.in_(mine.with_only_columns(SEASONS.c.id))))
    tx.execute(insert(WEBHOOK_POSITIONS).from_select(["season_id", "revision"], mine))


def lagging(tx: Transaction, club_id: int) -> list[Lagging]:
    """Return the seasons of a club that have come further than their events."""
    rows = tx.execute(_SEASONS.where(SEASONS.c.club_id == club_id).order_by(SEASONS.c.id))
    return [Lagging._make(row) for row in rows]


def first_revision(tx: Transaction, season_id: int) -> int:
    """Return the revision with which a season came here: what was done before was done elsewhere."""
    of_season = CHANGES.c.season_id == season_id
    brought = select(func.max(CHANGES.c.id)).where(of_season, CHANGES.c.action == "season_imported").scalar_subquery()
    return tx.execute(select(func.max(CHANGES.c.revision)).where(of_season, CHANGES.c.id < brought)).scalar() or 0


def merged(tx: Transaction, club_id: int, after: int) -> list[tuple[int, datetime, str, str | None]]:
    """Return the merges of a club after a change: row number, time, the merged player's public id, detail."""
    query = (
        select(CHANGES.c.id, CHANGES.c.at, CHANGES.c.target, CHANGES.c.detail)
        .where(CHANGES.c.club_id == club_id, CHANGES.c.id > after, _IS_MERGE)
        .order_by(CHANGES.c.id)
    )
    return [(row.id, row.at, row.target, row.detail) for row in tx.execute(query)]


def merged_in(tx: Transaction, club_id: int, player: str, up_to: int) -> list[tuple[str, int]]:
    """Return the seasons that a merge changed, each with its revision; ``up_to``: the club's own record of it."""
    query = (
        select(SEASONS.c.slug, CHANGES.c.revision)
        .join_from(CHANGES, SEASONS, SEASONS.c.id == CHANGES.c.season_id)
        .where(CHANGES.c.club_id == club_id, CHANGES.c.id < up_to)
        .where(CHANGES.c.action == "player_merged", CHANGES.c.target == player)
        .order_by(SEASONS.c.id)
    )
    return [(row.slug, row.revision) for row in tx.execute(query)]


def move(tx: Transaction, season_id: int, revision: int, *, was: int | None) -> None:
    """Note up to which revision events were made of a season."""
    if was is None:
        tx.execute(insert(WEBHOOK_POSITIONS), {"season_id": season_id, "revision": revision})
    else:
        is_it = WEBHOOK_POSITIONS.c.season_id == season_id
        tx.execute(update(WEBHOOK_POSITIONS).where(is_it).values(revision=revision))


def advance(tx: Transaction, club_id: int, **values: int) -> None:
    """Change ``sequence`` or ``change_id`` of a locked outbox."""
    tx.execute(update(WEBHOOK_OUTBOXES).where(WEBHOOK_OUTBOXES.c.club_id == club_id).values(values))


def add(
    tx: Transaction,
    club_id: int,
    *,
    public_id: str,
    sequence: int,
    type: str,
    body: str,
    at: datetime,
    webhooks: Collection[int],
    now: datetime,
) -> list[str]:
    """Store an event that waits for these webhooks; return the public ids of its deliveries."""
    values = {"public_id": public_id, "club_id": club_id, "sequence": sequence, "type": type, "body": body, "at": at}
    number = new_row(tx, WEBHOOK_EVENTS, values)
    deliveries = [
        {
            "public_id": new_id("d"),
            "webhook_id": webhook,
            "event_id": number,
            "state": "pending",
            "attempts": 0,
            "next_at": now,
        }
        for webhook in webhooks
    ]
    tx.execute(insert(WEBHOOK_DELIVERIES), deliveries)
    return [str(one["public_id"]) for one in deliveries]


def forget(tx: Transaction, before: datetime) -> None:
    """Delete the events of before a time, with their deliveries."""
    old: Sequence[int] = (
        tx.execute(select(WEBHOOK_EVENTS.c.id).where(WEBHOOK_EVENTS.c.at < before).limit(1000)).scalars().all()
    )
    if old:
        tx.execute(delete(WEBHOOK_DELIVERIES).where(WEBHOOK_DELIVERIES.c.event_id.in_(old)))
        tx.execute(delete(WEBHOOK_EVENTS).where(WEBHOOK_EVENTS.c.id.in_(old)))
