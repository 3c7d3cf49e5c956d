"""Webhooks on the wire (docs/live.md#webhooks): the secret once, never again."""

import json
from datetime import datetime
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, Field, StringConstraints

from app.schemas.common.fields import Body, Changes, Name
from app.services.clubs.webhooks import settings as stored
from app.services.clubs.webhooks.deliveries import Delivery as StoredDelivery
from app.services.clubs.webhooks.event_types import EventType

Url = Annotated[
    str,
    StringConstraints(strict=True, min_length=1, max_length=2000, pattern=r"^[!-~]+$"),
    Field(description="Where to, `https://` and public.", examples=["https://bot.example/mafrate"]),
]
Types = Annotated[
    list[EventType] | None,
    Field(min_length=1, max_length=50, description="Only events of these types; null: of all."),
]
WebhookName = Annotated[Name | None, Field(description="What it is for; if missing, the host of the URL.")]


class WebhookIn(Body):
    """A new webhook."""

    url: Url
    types: Types = None
    name: WebhookName = None


class WebhookChangesIn(Changes):
    """Changes to a webhook. Fields that are missing stay unchanged; null in `types` means all."""

    clearable: ClassVar[frozenset[str]] = frozenset({"types"})

    url: Url | None = None
    types: Types = None
    name: WebhookName = None
    disabled: Annotated[
        bool | None, Field(strict=True, description="`true` stops it; `false` lets it go on with what happens next.")
    ] = None


class Webhook(BaseModel):
    """A webhook, without its secret."""

    id: str
    name: str
    url: str
    types: Annotated[list[str] | None, Field(description="Types of the events that it is told; null: all.")]
    created_at: datetime
    failing_since: Annotated[
        datetime | None, Field(description="When the first attempt failed since the last that did not.")
    ]
    disabled_at: Annotated[
        datetime | None, Field(description="Since then nothing is sent: by the president, or after failures.")
    ]


class NewWebhook(Webhook):
    """A webhook with its new secret."""

    secret: Annotated[
        str | None, Field(description="Signs what is sent. Shown only once; null if the response is repeated.")
    ]


class WebhookList(BaseModel):
    """Webhooks of a club, oldest first."""

    items: list[Webhook]
    next_cursor: str | None


class EventGame(BaseModel):
    """The game that an event is about."""

    id: str
    version: int
    status: str


class EventData(BaseModel):
    """What an event says. Some types say more, such as `games` (how many) and `player`."""

    club: Annotated[str, Field(description="The club's slug.")]
    season: Annotated[str | None, Field(description="The season's slug; null if it is about none, or several.")]
    revision: Annotated[int | None, Field(description="The revision of the season.")]
    sequence: Annotated[int, Field(description="Rises with each event of the club; may have gaps.")]
    game: Annotated[EventGame | None, Field(description="Null if it is about no game, or many.")]


class WebhookEvent(BaseModel):
    """What is posted to a webhook."""

    type: Annotated[str, Field(description="Such as `game.counted`; more may come.")]
    timestamp: Annotated[datetime, Field(description="When it happened.")]
    data: EventData


class DeliveredEvent(WebhookEvent):
    """An event as it is posted, with its ID."""

    id: Annotated[str, Field(description="The header `webhook-id`; the same in each attempt.")]


class Delivery(BaseModel):
    """An event on its way to a webhook."""

    id: str
    state: Annotated[str, Field(description="`pending`, `delivered` or `failed`.")]
    attempts: int
    next_attempt_at: datetime | None
    last_attempt_at: datetime | None
    last_status: Annotated[int | None, Field(description="What the receiver answered to the last attempt.")]
    last_error: Annotated[
        str | None,
        Field(description="`status` (other than 2xx), `timeout`, `unreachable` or `address_not_public`."),
    ]
    event: DeliveredEvent


class DeliveryList(BaseModel):
    """What was on its way to a webhook in the last 30 days, newest first."""

    items: list[Delivery]
    next_cursor: str | None


def webhook_wire(webhook: stored.Webhook) -> dict[str, Any]:
    """The webhook as :class:`Webhook` describes it."""
    return {
        "id": webhook.public_id,
        "name": webhook.name,
        "url": webhook.url,
        "types": webhook.types,
        "created_at": webhook.created_at,
        "failing_since": webhook.failing_since,
        "disabled_at": webhook.disabled_at,
    }


def delivery_wire(delivery: StoredDelivery) -> dict[str, Any]:
    """The delivery as :class:`Delivery` describes it."""
    return {
        "id": delivery.public_id,
        "state": delivery.state,
        "attempts": delivery.attempts,
        "next_attempt_at": delivery.next_at,
        "last_attempt_at": delivery.last_at,
        "last_status": delivery.last_status,
        "last_error": delivery.last_error,
        "event": {"id": delivery.event_id, **json.loads(delivery.body)},
    }
