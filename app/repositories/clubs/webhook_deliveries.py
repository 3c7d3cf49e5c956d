"""Deliveries: events on their way to webhooks."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import bindparam, literal_column, select, update

from app.repositories.database import Transaction
from app.repositories.database.pages import Page, after_row, page_of
from app.repositories.tables import WEBHOOK_DELIVERIES, WEBHOOK_EVENTS, WEBHOOKS


class Delivery(NamedTuple):
    """An event on its way to a webhook."""

    id: int
    public_id: str
    webhook_id: int
    state: str
    """``pending``, ``delivered`` or ``failed``."""
    attempts: int
    next_at: datetime | None
    failed_at: datetime | None
    """When it first was not taken."""
    last_at: datetime | None
    last_status: int | None
    last_error: str | None
    event_id: str
    """Public."""
    type: str
    sequence: int
    at: datetime
    """When it happened."""
    body: str
    """What is sent, JSON."""


_IS_PENDING = WEBHOOK_DELIVERIES.c.state == literal_column("'pending'")  # or SQLite would not use the index
_EVENT = (
    WEBHOOK_EVENTS.c.public_id.label("event_id"),
    WEBHOOK_EVENTS.c.type,
    WEBHOOK_EVENTS.c.sequence,
    WEBHOOK_EVENTS.c.at,
    WEBHOOK_EVENTS.c.body,
)
_ALL = select(*(WEBHOOK_DELIVERIES.c[name] for name in Delivery._fields[: -len(_EVENT)]), *_EVENT).join_from(
    WEBHOOK_DELIVERIES, WEBHOOK_EVENTS
)
_NEXT = (
    _ALL.where(
        WEBHOOK_DELIVERIES.c.webhook_id == bindparam("webhook"),
        _IS_PENDING,
        WEBHOOK_DELIVERIES.c.next_at <= bindparam("now", type_=WEBHOOK_DELIVERIES.c.next_at.type),
    )
    .order_by(WEBHOOK_DELIVERIES.c.id)
    .limit(1)
)


def page(tx: Transaction, webhook_id: int, *, cursor: str | None, limit: int) -> Page[Delivery]:
    """Return what was on its way to a webhook, newest first.

    Raises:
        NotACursor: the cursor belongs to another list.
    """
    query = _ALL.where(WEBHOOK_DELIVERIES.c.webhook_id == webhook_id)
    query = query.order_by(WEBHOOK_DELIVERIES.c.id.desc()).limit(limit + 1)
    if cursor is not None:
        query = query.where(WEBHOOK_DELIVERIES.c.id < after_row(cursor))
    return page_of([Delivery._make(row) for row in tx.execute(query)], limit, lambda delivery: (delivery.id,))


def find(tx: Transaction, club_id: int, public_id: str) -> Delivery | None:
    """Return a delivery to a webhook of the club."""
    query = _ALL.join(WEBHOOKS, WEBHOOKS.c.id == WEBHOOK_DELIVERIES.c.webhook_id)
    row = tx.execute(query.where(WEBHOOKS.c.club_id == club_id, WEBHOOK_DELIVERIES.c.public_id == public_id)).first()
    return Delivery._make(row) if row else None


def next_due(tx: Transaction, webhook_id: int, now: datetime) -> Delivery | None:
    """Return the oldest that is due."""
    row = tx.execute(_NEXT, {"webhook": webhook_id, "now": now}).first()
    return Delivery._make(row) if row else None


def change(tx: Transaction, delivery_id: int, values: Mapping[str, Any]) -> None:
    """Change some columns."""
    tx.execute(update(WEBHOOK_DELIVERIES).where(WEBHOOK_DELIVERIES.c.id == delivery_id).values(dict(values)))


def give_up(tx: Transaction, webhook_id: int) -> None:
    """Let everything fail that waits for a webhook."""
    waiting = (WEBHOOK_DELIVERIES.c.webhook_id == webhook_id, _IS_PENDING)
    tx.execute(update(WEBHOOK_DELIVERIES).where(*waiting).values(state="failed", next_at=None))
