"""Webhooks of a club: their settings, and who delivers to them."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Row, bindparam, delete, exists, func, literal_column, or_, select, update

from app.repositories.database import Transaction, new_row
from app.repositories.database.ids import new_id
from app.repositories.database.pages import Page, after_row, page_of
from app.repositories.tables import WEBHOOK_DELIVERIES, WEBHOOKS


class Webhook(NamedTuple):
    """A stored webhook."""

    id: int
    public_id: str
    club_id: int
    name: str
    url: str
    types: Sequence[str] | None
    """None: all."""
    secret: str
    former_secret: str | None
    former_until: datetime | None
    created_at: datetime
    failing_since: datetime | None
    disabled_at: datetime | None
    resume_at: datetime | None
    unreachable: int

    def takes(self, type: str) -> bool:
        """Return whether it wants events of a type."""
        return self.types is None or type in self.types


_IS_PENDING = WEBHOOK_DELIVERIES.c.state == literal_column("'pending'")  # or SQLite would not use the index
_ALL = select(*(WEBHOOKS.c[name] for name in Webhook._fields))
_IS_DUE = exists().where(
    WEBHOOK_DELIVERIES.c.webhook_id == WEBHOOKS.c.id,
    _IS_PENDING,
    WEBHOOK_DELIVERIES.c.next_at <= bindparam("now", type_=WEBHOOKS.c.created_at.type),
)
_NOW = bindparam("now", type_=WEBHOOKS.c.created_at.type)
_IS_FREE = or_(WEBHOOKS.c.leased_until.is_(None), WEBHOOKS.c.leased_until <= _NOW)
_DUE = select(WEBHOOKS.c.id).where(
    WEBHOOKS.c.disabled_at.is_(None),
    _IS_FREE,
    or_(WEBHOOKS.c.resume_at.is_(None), WEBHOOKS.c.resume_at <= _NOW),
    _IS_DUE,
)
_LEASE = (
    update(WEBHOOKS)
    .where(WEBHOOKS.c.id == bindparam("webhook"), _IS_FREE)
    .values(lease=bindparam("by"), leased_until=bindparam("until"))
)
_LEASED = _ALL.where(WEBHOOKS.c.id == bindparam("webhook"), WEBHOOKS.c.lease == bindparam("by"))


def _made(row: Row[Any]) -> Webhook:
    found = Webhook._make(row)
    return found._replace(types=None if row.types is None else json.loads(row.types))


def _columns(values: Mapping[str, Any]) -> dict[str, Any]:
    types = values.get("types")
    return {**values, "types": json.dumps(types)} if types is not None else dict(values)


def add(
    tx: Transaction, *, club_id: int, name: str, url: str, types: Sequence[str] | None, secret: str, at: datetime
) -> Webhook:
    """Create a webhook."""
    public_id = new_id("w")
    values = {"club_id": club_id, "name": name, "url": url, "types": types, "secret": secret, "created_at": at}
    number = new_row(tx, WEBHOOKS, _columns({**values, "public_id": public_id}))
    return Webhook(number, public_id, club_id, name, url, types, secret, None, None, at, None, None, None, 0)


def find(tx: Transaction, club_id: int, public_id: str) -> Webhook | None:
    """Return a webhook of the club."""
    row = tx.execute(_ALL.where(WEBHOOKS.c.club_id == club_id, WEBHOOKS.c.public_id == public_id)).first()
    return _made(row) if row else None


def by_id(tx: Transaction, webhook_id: int) -> Webhook:
    """Return the webhook with a row number."""
    return _made(tx.execute(_ALL.where(WEBHOOKS.c.id == webhook_id)).one())


def lock(tx: Transaction, webhook_id: int) -> Webhook:
    """Lock the webhook until the transaction ends and return it as it is now; do so before you change deliveries."""
    return _made(tx.execute(_ALL.where(WEBHOOKS.c.id == webhook_id).with_for_update()).one())


def page(tx: Transaction, club_id: int, *, cursor: str | None, limit: int) -> Page[Webhook]:
    """Return a club's webhooks, oldest first.

    Raises:
        NotACursor: the cursor belongs to another list.
    """
    query = _ALL.where(WEBHOOKS.c.club_id == club_id).order_by(WEBHOOKS.c.id).limit(limit + 1)
    if cursor is not None:
        query = query.where(WEBHOOKS.c.id > after_row(cursor))
    return page_of([_made(row) for row in tx.execute(query)], limit, lambda webhook: (webhook.id,))


def count(tx: Transaction, club_id: int) -> int:
    """Count the webhooks of a club; lock the club before you decide by it."""
    return int(tx.execute(select(func.count()).where(WEBHOOKS.c.club_id == club_id)).scalar_one())


def enabled(tx: Transaction, club_id: int) -> list[Webhook]:
    """Return those of the club that are told what happens; none of them is deleted until the transaction ends."""
    query = _ALL.where(WEBHOOKS.c.club_id == club_id, WEBHOOKS.c.disabled_at.is_(None)).order_by(WEBHOOKS.c.id)
    return [_made(row) for row in tx.execute(query.with_for_update(read=True, key_share=True))]


def change(tx: Transaction, webhook_id: int, values: Mapping[str, Any]) -> None:
    """Change some columns."""
    if values:
        tx.execute(update(WEBHOOKS).where(WEBHOOKS.c.id == webhook_id).values(_columns(values)))


def remove(tx: Transaction, webhook_id: int) -> None:
    """Delete a webhook and what was on its way to it."""
    tx.execute(delete(WEBHOOK_DELIVERIES).where(WEBHOOK_DELIVERIES.c.webhook_id == webhook_id))
    tx.execute(delete(WEBHOOKS).where(WEBHOOKS.c.id == webhook_id))


def due(tx: Transaction, now: datetime) -> list[int]:
    """Return the row numbers of webhooks that something waits for and nobody delivers to."""
    return list(tx.execute(_DUE, {"now": now}).scalars())


def lease(tx: Transaction, webhook_id: int, *, by: str, now: datetime, until: datetime) -> bool:
    """Let nobody else deliver to a webhook until then; return whether nobody did."""
    values = {"webhook": webhook_id, "by": by, "now": now, "until": until}
    return tx.execute(_LEASE, values).rowcount == 1


def leased(tx: Transaction, webhook_id: int, *, by: str) -> Webhook | None:
    """Return a webhook, locked, if it is still leased by this holder."""
    row = tx.execute(_LEASED.with_for_update(key_share=True), {"webhook": webhook_id, "by": by}).first()
    return _made(row) if row else None


def release(tx: Transaction, *, by: str) -> None:
    """End every lease of a holder."""
    tx.execute(update(WEBHOOKS).where(WEBHOOKS.c.lease == by).values(lease=None, leased_until=None))
