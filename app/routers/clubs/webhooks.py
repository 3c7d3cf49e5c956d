"""Webhooks of a club, and what became of what they were told (docs/live.md#webhooks)."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Body, Path, Response

from app.patterns import DELIVERY_ID, WEBHOOK_ID
from app.routers.common.openapi import UNCHANGED, fails, shown
from app.routers.common.resources import (
    BODY_FAILURES,
    READ_FAILURES,
    WRITE_FAILURES,
    ClubSlug,
    IdempotencyKey,
    IfMatch,
    Page,
    changed,
    current,
)
from app.routers.common.strict_route import KeySession, StrictRoute
from app.schemas.clubs.webhooks import (
    Delivery,
    DeliveryList,
    NewWebhook,
    Webhook,
    WebhookChangesIn,
    WebhookIn,
    WebhookList,
    delivery_wire,
    webhook_wire,
)
from app.schemas.common.fields import page_wire
from app.services.access import Caller
from app.services.clubs.webhooks import deliveries, settings
from app.services.storage import Transaction
from app.web.conditional import tags_of
from app.web.render import BodyTag, UseCaseResult, render

WebhookId = Annotated[
    str, Path(pattern=f"^{WEBHOOK_ID}$", description="The ID of the webhook.", examples=["w_01jd8q6yk3zt4w5x7e"])
]
DeliveryId = Annotated[
    str, Path(pattern=f"^{DELIVERY_ID}$", description="The ID of the delivery.", examples=["d_01jd8q6yk3zt4w5x7e"])
]
WebhookBody = Annotated[
    WebhookIn,
    Body(
        openapi_examples=shown(
            {
                "bot": (
                    "A bot that announces tables",
                    {"url": "https://bot.example/mafrate", "types": ["game.counted", "game.corrected"]},
                )
            }
        )
    ),
]
WebhookChangesBody = Annotated[
    WebhookChangesIn, Body(openapi_examples=shown({"enable": ("Let it go on", {"disabled": False})}))
]
ACTION_FAILURES = (*WRITE_FAILURES, "conflict", "invalid-request", "idempotency-mismatch")

router = APIRouter(prefix="/v1/clubs/{club}/webhooks", tags=["Webhooks"], route_class=StrictRoute)


@router.post(
    "",
    status_code=201,
    summary="Create a webhook",
    response_model=NewWebhook,
    responses=fails(*BODY_FAILURES, "idempotency-mismatch"),
)
async def create_webhook(
    club: ClubSlug, asked: WebhookBody, session: KeySession, once: IdempotencyKey = None
) -> Response:
    """Requires the president's key. It is told what happens from now on, signed with a secret that is shown only
    once. A club can have 10.
    """
    private = session.state.settings.webhook_private

    def use_case(tx: Transaction, caller: Caller, now: datetime) -> UseCaseResult:
        made = settings.create(tx, caller, club, **asked.model_dump(), private=private, now=now)
        return _with_secret(made, status=201, location=f"/v1/clubs/{club}/webhooks/{made.webhook.public_id}")

    return await session.write(use_case, once)


@router.get(
    "", summary="List webhooks", response_model=WebhookList, responses=UNCHANGED | fails(*READ_FAILURES, "forbidden")
)
async def list_webhooks(club: ClubSlug, query: Page, session: KeySession) -> Response:
    """Requires the president's key."""

    def use_case(tx: Transaction, caller: Caller) -> UseCaseResult:
        page = settings.page(tx, caller, club, cursor=query.cursor, limit=query.limit)
        return current(page_wire(page, webhook_wire))

    return await session.read(use_case)


@router.get(
    "/{webhook}",
    summary="Get a webhook",
    response_model=Webhook,
    responses=UNCHANGED | fails(*READ_FAILURES, "forbidden"),
)
async def get_webhook(club: ClubSlug, webhook: WebhookId, session: KeySession) -> Response:
    """Requires the president's key."""

    def use_case(tx: Transaction, caller: Caller) -> UseCaseResult:
        found = settings.get(tx, caller, club, webhook)
        return current(webhook_wire(found), settings=settings.tag_of(found))

    return await session.read(use_case)


@router.patch(
    "/{webhook}",
    summary="Update a webhook",
    response_model=Webhook,
    responses=fails(*BODY_FAILURES, "precondition-failed"),
)
async def update_webhook(
    club: ClubSlug, webhook: WebhookId, asked: WebhookChangesBody, session: KeySession, match: IfMatch = None
) -> Response:
    """Requires the president's key. `disabled: false` enables a webhook that was disabled; what happened meanwhile is
    not told.
    """
    private = session.state.settings.webhook_private

    def use_case(tx: Transaction, caller: Caller, now: datetime) -> UseCaseResult:
        after = settings.change(
            tx, caller, club, webhook, values=asked.given(), expected=tags_of(match), private=private, now=now
        )
        return changed(webhook_wire(after), settings.tag_of(after))

    return await session.write(use_case)


@router.delete(
    "/{webhook}",
    status_code=204,
    summary="Delete a webhook",
    response_class=Response,
    responses=fails(*WRITE_FAILURES, "invalid-request", "precondition-failed"),
)
async def delete_webhook(club: ClubSlug, webhook: WebhookId, session: KeySession, match: IfMatch = None) -> Response:
    """Requires the president's key. What waits to be sent is not sent."""

    def use_case(tx: Transaction, caller: Caller, now: datetime) -> UseCaseResult:
        settings.remove(tx, caller, club, webhook, expected=tags_of(match), now=now)
        return UseCaseResult(None, status=204)

    return await session.write(use_case)


@router.post("/{webhook}/test", summary="Test a webhook", response_model=Delivery, responses=fails(*ACTION_FAILURES))
async def try_webhook(club: ClubSlug, webhook: WebhookId, session: KeySession, once: IdempotencyKey = None) -> Response:
    """Requires the president's key. Sends an event `webhook.test`, whatever types the webhook is told. The response is
    its delivery; what became of it is in the list of deliveries a moment later.
    """

    def use_case(tx: Transaction, caller: Caller, now: datetime) -> UseCaseResult:
        return UseCaseResult(delivery_wire(settings.send_test(tx, caller, club, webhook, now)))

    return await session.write(use_case, once)


@router.post(
    "/{webhook}/secret/rotate",
    summary="Replace the secret of a webhook",
    response_model=NewWebhook,
    responses=fails(*ACTION_FAILURES),
)
async def rotate_webhook_secret(
    club: ClubSlug, webhook: WebhookId, session: KeySession, once: IdempotencyKey = None
) -> Response:
    """Requires the president's key. For 24 hours the former secret signs too."""

    def use_case(tx: Transaction, caller: Caller, now: datetime) -> UseCaseResult:
        return _with_secret(settings.rotate_secret(tx, caller, club, webhook, now))

    return await session.write(use_case, once)


@router.get(
    "/{webhook}/deliveries",
    summary="List deliveries",
    response_model=DeliveryList,
    responses=UNCHANGED | fails(*READ_FAILURES, "forbidden"),
)
async def list_deliveries(club: ClubSlug, webhook: WebhookId, query: Page, session: KeySession) -> Response:
    """Requires the president's key. What was sent to the webhook in the last 30 days, and what became of it."""

    def use_case(tx: Transaction, caller: Caller) -> UseCaseResult:
        page = deliveries.page(tx, caller, club, webhook, cursor=query.cursor, limit=query.limit)
        return current(page_wire(page, delivery_wire))

    return await session.read(use_case)


@router.post(
    "/deliveries/{delivery}/retry",
    summary="Send an event again",
    response_model=Delivery,
    responses=fails(*ACTION_FAILURES),
)
async def retry_delivery(
    club: ClubSlug, delivery: DeliveryId, session: KeySession, once: IdempotencyKey = None
) -> Response:
    """Requires the president's key. The same event, with the same `webhook-id`, whatever became of it."""

    def use_case(tx: Transaction, caller: Caller, now: datetime) -> UseCaseResult:
        return UseCaseResult(delivery_wire(deliveries.retry(tx, caller, club, delivery, now)))

    return await session.write(use_case, once)


@router.post(
    "/{webhook}/deliveries/{delivery}/retry",
    summary="Send an event again, below its webhook",
    response_model=Delivery,
    responses=fails(*ACTION_FAILURES),
)
async def retry_webhook_delivery(
    club: ClubSlug, webhook: WebhookId, delivery: DeliveryId, session: KeySession, once: IdempotencyKey = None
) -> Response:
    """The same as `POST …/webhooks/deliveries/{delivery}/retry`, for clients that build on the address of the list."""

    def use_case(tx: Transaction, caller: Caller, now: datetime) -> UseCaseResult:
        return UseCaseResult(delivery_wire(deliveries.retry(tx, caller, club, delivery, now, webhook=webhook)))

    return await session.write(use_case, once)


def _with_secret(made: settings.NewWebhook, *, status: int = 200, location: str | None = None) -> UseCaseResult:
    wire = webhook_wire(made.webhook)
    return UseCaseResult(
        {**wire, "secret": made.secret},
        status=status,
        location=location,
        etag=BodyTag(settings.tag_of(made.webhook)).of(render(wire)),
        cache_control="no-store",
        replayed={**wire, "secret": None},
    )
