"""Webhooks of a club: the president creates, changes and deletes them."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

import httpx

from app.repositories.clubs import clubs, webhook_deliveries, webhook_events, webhooks
from app.repositories.clubs.webhook_deliveries import Delivery
from app.repositories.clubs.webhooks import Webhook as Webhook
from app.repositories.database import Transaction
from app.repositories.database.pages import Page
from app.scoring.text import words
from app.scoring.violation import Violation
from app.services import journal
from app.services.access import Caller, club_for
from app.services.clubs.webhooks.event_types import TEST, News
from app.services.clubs.webhooks.outbox import add
from app.services.clubs.webhooks.sending import is_certainly_private
from app.services.clubs.webhooks.signature import new_secret
from app.services.errors import Conflict, NotFound
from app.services.journal import Scope
from app.services.storage.settings_tag import demand_settings, settings_tag
from app.validation import InvalidInput

MOST: Final = 10
"""Webhooks of a club."""

BOTH_SIGN: Final = timedelta(hours=24)
"""How long a former secret signs beside the one that replaced it."""

_NAME_CHARACTERS: Final = 128
_NO_WEBHOOK: Final = words("Нет такого вебхука.", "Webhook not found.")
_TOO_MANY: Final = words("У клуба уже {} вебхуков; больше нельзя.", "The club has {} webhooks, the most that it can.")
_DISABLED: Final = words("Вебхук отключён; сначала включите его.", "The webhook is disabled; enable it first.")
_URL: Final = words(
    "нужен адрес https:// без имени пользователя и фрагмента", "expected an https:// URL without user name and fragment"
)
_NOT_PUBLIC: Final = words("нужен общедоступный адрес", "expected a public address")


class NewWebhook(NamedTuple):
    """A webhook and its secret, which nothing shows again."""

    webhook: Webhook
    secret: str


def create(
    tx: Transaction,
    caller: Caller,
    club: str,
    *,
    url: str,
    types: Sequence[str] | None,
    name: str | None,
    private: bool,
    now: datetime,
) -> NewWebhook:
    """Create a webhook that is told what happens from now on.

    Args:
        tx: the transaction.
        caller: who asks.
        club: its slug.
        url: where to.
        types: of the events that it is told; None: all.
        name: what it is for; by default the host of the URL.
        private: whether it may be anywhere, and without TLS.
        now: when.

    Raises:
        Unauthorized, Forbidden, NotFound: only the club's president creates webhooks.
        InvalidInput: the URL is none to send to.
        Conflict: ``too_many_webhooks``.
    """
    found = club_for(tx, caller, club, "create_webhook")
    host = _demand_url(url, private=private)
    clubs.lock(tx, found.id)
    if webhooks.count(tx, found.id) >= MOST:
        raise Conflict("too_many_webhooks", _TOO_MANY, MOST, limit=MOST)
    if not webhooks.enabled(tx, found.id):
        webhook_events.begin_now(tx, found.id)
    secret = new_secret()
    named = name or host[:_NAME_CHARACTERS]
    made = webhooks.add(tx, club_id=found.id, name=named, url=url, types=types, secret=secret, at=now)
    _record(tx, caller, made, "webhook_created", now)
    return NewWebhook(made, secret)


def page(tx: Transaction, caller: Caller, club: str, *, cursor: str | None, limit: int) -> Page[Webhook]:
    """Return the club's webhooks, oldest first.

    Raises:
        Unauthorized, Forbidden, NotFound: only the club's president sees them.
        NotACursor: the cursor belongs to another list.
    """
    found = club_for(tx, caller, club, "list_webhooks")
    return webhooks.page(tx, found.id, cursor=cursor, limit=limit)


def get(tx: Transaction, caller: Caller, club: str, webhook: str) -> Webhook:
    """Return a webhook.

    Raises:
        Unauthorized, Forbidden, NotFound: only the club's president sees it.
    """
    return find_or_refuse(tx, club_for(tx, caller, club, "get_webhook").id, webhook)


def tag_of(webhook: Webhook) -> str:
    """Return the tag of the webhook's settings."""
    types = None if webhook.types is None else tuple(webhook.types)
    return settings_tag(webhook.public_id, webhook.name, webhook.url, types, webhook.disabled_at)


def change(
    tx: Transaction,
    caller: Caller,
    club: str,
    webhook: str,
    *,
    values: Mapping[str, Any],
    expected: Collection[str] | None = None,
    private: bool,
    now: datetime,
) -> Webhook:
    """Give a webhook another ``url``, ``types`` or ``name``; ``disabled`` stops it, or lets it go on with what comes.

    ``expected``: the tags that the caller takes for current; None: any.

    Raises:
        Unauthorized, Forbidden, NotFound: only the club's president changes webhooks.
        PreconditionFailed: what is expected is given and not the current tag.
        InvalidInput: the URL is none to send to.
    """
    before = _to_change(tx, caller, club, webhook, "update_webhook", expected)
    columns = {name: value for name, value in values.items() if name != "disabled" and value != getattr(before, name)}
    if "url" in columns:
        _demand_url(columns["url"], private=private)
        columns |= {"resume_at": None, "unreachable": 0}
    is_disabled = before.disabled_at is not None
    if values.get("disabled", is_disabled) != is_disabled:
        columns |= _enabled(tx, before) if is_disabled else {"disabled_at": now}
        if not is_disabled:
            webhook_deliveries.give_up(tx, before.id)
    if not columns:
        return before
    webhooks.change(tx, before.id, columns)
    after = webhooks.by_id(tx, before.id)
    _record(tx, caller, after, "webhook_changed", now, disabled=after.disabled_at is not None)
    return after


def remove(
    tx: Transaction,
    caller: Caller,
    club: str,
    webhook: str,
    *,
    expected: Collection[str] | None = None,
    now: datetime,
) -> None:
    """Delete a webhook; what waits for it is not sent.

    Raises:
        Unauthorized, Forbidden, NotFound: only the club's president deletes webhooks.
        PreconditionFailed: what is expected is given and not the current tag.
    """
    gone = _to_change(tx, caller, club, webhook, "delete_webhook", expected)
    webhooks.remove(tx, gone.id)
    _record(tx, caller, gone, "webhook_deleted", now)


def rotate_secret(tx: Transaction, caller: Caller, club: str, webhook: str, now: datetime) -> NewWebhook:
    """Give a webhook another secret; the former one signs too for :data:`BOTH_SIGN`.

    Raises:
        Unauthorized, Forbidden, NotFound: only the club's president does.
    """
    before = _to_change(tx, caller, club, webhook, "rotate_webhook_secret", None)
    secret = new_secret()
    values = {"secret": secret, "former_secret": before.secret, "former_until": now + BOTH_SIGN}
    webhooks.change(tx, before.id, values)
    _record(tx, caller, before, "webhook_secret_rotated", now)
    return NewWebhook(webhooks.by_id(tx, before.id), secret)


def send_test(tx: Transaction, caller: Caller, club: str, webhook: str, now: datetime) -> Delivery:
    """Send a webhook an event that says nothing happened, whatever types it takes.

    Raises:
        Unauthorized, Forbidden, NotFound: only the club's president does.
        Conflict: ``webhook_disabled``.
    """
    found = club_for(tx, caller, club, "try_webhook")
    to = _to_change(tx, caller, club, webhook, "try_webhook", None)
    demand_enabled(to)
    outbox = webhook_events.lock_outbox(tx, found.id)
    if outbox is None:
        raise LookupError("a club with a webhook has an outbox")
    outbox = add(tx, outbox, found.slug, News(TEST, now), [to], now)
    webhook_events.advance(tx, found.id, sequence=outbox.sequence)
    webhooks.change(tx, to.id, {"resume_at": None, "unreachable": 0})
    return webhook_deliveries.page(tx, to.id, cursor=None, limit=1).items[0]


def find_or_refuse(tx: Transaction, club_id: int, webhook: str) -> Webhook:
    """Return a webhook of the club.

    Raises:
        NotFound: there is none with this public id.
    """
    found = webhooks.find(tx, club_id, webhook)
    if found is None:
        raise NotFound(_NO_WEBHOOK)
    return found


def demand_enabled(webhook: Webhook) -> None:
    """Check that something is sent to the webhook.

    Raises:
        Conflict: ``webhook_disabled``.
    """
    if webhook.disabled_at is not None:
        raise Conflict("webhook_disabled", _DISABLED)


def _to_change(
    tx: Transaction, caller: Caller, club: str, webhook: str, operation: str, expected: Collection[str] | None
) -> Webhook:
    """The webhook that the caller may change; its club is locked."""
    found = club_for(tx, caller, club, operation)
    clubs.lock(tx, found.id)
    before = webhooks.lock(tx, find_or_refuse(tx, found.id, webhook).id)
    if expected is not None:
        demand_settings(expected, tag_of(before))
    return before


def _enabled(tx: Transaction, webhook: Webhook) -> dict[str, Any]:
    """What changes of a webhook that is told again what happens from now on."""
    if not webhooks.enabled(tx, webhook.club_id):
        webhook_events.begin_now(tx, webhook.club_id)
    return {"disabled_at": None, "failing_since": None, "resume_at": None, "unreachable": 0}


def _demand_url(url: str, *, private: bool) -> str:
    """Return the host of a URL that something can be sent to.

    Raises:
        InvalidInput: it is none.
    """
    try:
        read = httpx.URL(url)
    except httpx.InvalidURL:
        read = httpx.URL("")
    schemes = ("https", "http") if private else ("https",)
    is_fit = read.scheme in schemes and read.host and not read.userinfo and not read.fragment
    if not is_fit or not (read.port is None or 0 < read.port < 65_536):
        raise InvalidInput([Violation("value", "/url", _URL)])
    if not private and is_certainly_private(read.raw_host.decode("ascii")):
        raise InvalidInput([Violation("value", "/url", _NOT_PUBLIC)])
    return read.host


def _record(tx: Transaction, caller: Caller, webhook: Webhook, action: str, now: datetime, **detail: object) -> None:
    # The address itself may be a secret of the receiver's.
    told = {"name": webhook.name, "host": httpx.URL(webhook.url).host, **detail}
    journal.record(tx, caller, webhook.public_id, action, Scope(webhook.club_id), now, detail=told)
