"""Deliveries: what is due, what becomes of an attempt, and what the president sees of it."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from app.repositories.clubs import clubs, webhook_deliveries, webhooks
from app.repositories.clubs.webhook_deliveries import Delivery as Delivery
from app.repositories.clubs.webhooks import Webhook
from app.repositories.database import Database, Transaction
from app.repositories.database.pages import Page
from app.scoring.text import words
from app.services.access import Caller, club_for
from app.services.clubs.webhooks.sending import Outcome
from app.services.clubs.webhooks.settings import demand_enabled, find_or_refuse
from app.services.errors import NotFound

PAUSES: Final = tuple(
    timedelta(seconds=seconds) for seconds in (5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800, 43_200)
)
"""After each attempt that failed, and the last of them after all that follow."""

PATIENCE: Final = timedelta(days=3)
"""How long an event is tried, and how long a webhook may fail."""

LEASE: Final = timedelta(seconds=20)
"""How long a process may be silent until another one delivers in its place: twice as long as an attempt takes."""

_GONE: Final = 410
_NO_DELIVERY: Final = words("Нет такой доставки.", "Delivery not found.")


class Due(NamedTuple):
    """A delivery to be attempted now."""

    delivery: Delivery
    url: str
    secrets: Sequence[str]
    """All that sign."""


def page(tx: Transaction, caller: Caller, club: str, webhook: str, *, cursor: str | None, limit: int) -> Page[Delivery]:
    """Return what was on its way to a webhook, newest first.

    Raises:
        Unauthorized, Forbidden, NotFound: only the club's president sees its webhooks.
        NotACursor: the cursor belongs to another list.
    """
    found = find_or_refuse(tx, club_for(tx, caller, club, "list_deliveries").id, webhook)
    return webhook_deliveries.page(tx, found.id, cursor=cursor, limit=limit)


def retry(
    tx: Transaction, caller: Caller, club: str, delivery: str, now: datetime, *, webhook: str | None = None
) -> Delivery:
    """Let an event be sent again at once, whatever became of it, for another three days.

    Raises:
        Unauthorized, Forbidden, NotFound: only the club's president sees its webhooks.
        Conflict: ``webhook_disabled``.
    """
    found = club_for(tx, caller, club, "retry_delivery")
    clubs.lock(tx, found.id)
    again = webhook_deliveries.find(tx, found.id, delivery)
    if again is None:
        raise NotFound(_NO_DELIVERY)
    to = webhooks.lock(tx, again.webhook_id)
    if webhook is not None and to.public_id != webhook:
        raise NotFound(_NO_DELIVERY)
    demand_enabled(to)
    values: dict[str, Any] = {"state": "pending", "next_at": now, "failed_at": None}
    webhook_deliveries.change(tx, again.id, values)
    webhooks.change(tx, to.id, {"resume_at": None, "unreachable": 0})
    return again._replace(**values)


def lease_due(database: Database, by: str, now: datetime, *, but_for: Collection[int] = ()) -> list[int]:
    """Return the webhooks that something waits for and that are now the holder's to deliver to.

    ``but_for``: those that the holder is at.

    Raises:
        Unavailable: the database is gone or crowded out.
    """
    with database.glance() as tx:
        waiting = [one for one in webhooks.due(tx, now) if one not in but_for]
    if not waiting:
        return []
    with database.write() as tx:
        return [one for one in waiting if webhooks.lease(tx, one, by=by, now=now, until=now + LEASE)]


def next_due(database: Database, webhook_id: int, by: str, now: datetime) -> Due | None:
    """Return what to send to a webhook now, the oldest first, and go on holding it; None: nothing, or not by this one.

    Raises:
        Unavailable: the database is gone or crowded out.
    """
    with database.write() as tx:
        webhook = webhooks.leased(tx, webhook_id, by=by)
        return None if webhook is None else _next(tx, webhook, now, {})


def record(database: Database, due: Due, by: str, outcome: Outcome, now: datetime) -> Due | None:
    """Note what became of an attempt, and return what to send next as :func:`next_due` does.

    Raises:
        Unavailable: the database is gone or crowded out.
    """
    with database.write() as tx:
        webhook = webhooks.leased(tx, due.delivery.webhook_id, by=by)
        if webhook is None:
            return None  # it was deleted, or another process has taken over, and will send this once more
        return _next(tx, webhook, now, _recorded(tx, webhook, due.delivery, outcome, now))


def _next(tx: Transaction, webhook: Webhook, now: datetime, changed: dict[str, Any]) -> Due | None:
    """The next due delivery; the webhook's row, with what is ``changed`` of it, is written once."""
    holds = webhook.disabled_at is None and not changed.keys() & {"resume_at", "disabled_at"}
    delivery = webhook_deliveries.next_due(tx, webhook.id, now) if holds else None
    lease = {"lease": None, "leased_until": None} if delivery is None else {"leased_until": now + LEASE}
    webhooks.change(tx, webhook.id, {**_RESUMED, **changed, **lease})
    if delivery is None:
        return None
    secrets = [webhook.secret]
    if webhook.former_secret is not None and webhook.former_until is not None and now < webhook.former_until:
        secrets.append(webhook.former_secret)
    return Due(delivery, webhook.url, secrets)


_RESUMED: Final[dict[str, Any]] = {"resume_at": None}


def _recorded(tx: Transaction, webhook: Webhook, delivery: Delivery, outcome: Outcome, now: datetime) -> dict[str, Any]:
    """Note an attempt at a delivery; return what it changes of the webhook."""
    attempt: dict[str, Any] = {
        "attempts": delivery.attempts + 1,
        "last_at": now,
        "last_status": outcome.status,
        "last_error": outcome.error,
    }
    if outcome.error is None:
        webhook_deliveries.change(tx, delivery.id, {**attempt, "state": "delivered", "next_at": None})
        return {"failing_since": None, "unreachable": 0}
    failing_since, failed_at = webhook.failing_since or now, delivery.failed_at or now
    unreachable = webhook.unreachable + 1 if outcome.is_unheard else 0
    pause = PAUSES[min(max(delivery.attempts, unreachable - 1), len(PAUSES) - 1)]
    next_at = min(now + pause, failed_at + PATIENCE)
    is_over = now >= failed_at + PATIENCE or outcome.status == _GONE
    attempt |= {"failed_at": failed_at, "state": "failed" if is_over else "pending"}
    webhook_deliveries.change(tx, delivery.id, {**attempt, "next_at": None if is_over else next_at})
    changed: dict[str, Any] = {"failing_since": failing_since, "unreachable": unreachable}
    if outcome.status == _GONE or now - failing_since >= PATIENCE:
        webhook_deliveries.give_up(tx, webhook.id)
        return {**changed, "disabled_at": now}
    # Where nobody listens, nothing else is tried: what waits stays in order.
    return {**changed, "resume_at": next_at} if outcome.is_unheard and not is_over else changed
