"""Keys of a club, and who a key is (docs/api.md#clubs-keys-and-players)."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Body, Path, Response

from app.routers.common.openapi import UNCHANGED, fails, shown
from app.routers.common.resources import (
    BODY_FAILURES,
    READ_FAILURES,
    WRITE_FAILURES,
    ClubSlug,
    IdempotencyKey,
    IfMatch,
    Page,
    current,
)
from app.routers.common.strict_route import KeySession, StrictRoute
from app.schemas.clubs.keys import KeyIn, KeyList, Me, NewKey, key_wire, me_wire
from app.schemas.common.fields import page_wire
from app.services.access import Caller
from app.services.clubs import keys
from app.services.storage import Transaction
from app.web.conditional import tags_of
from app.web.render import BodyTag, UseCaseResult, render

KeyId = Annotated[
    str, Path(pattern="^k_[0-9a-z]{18}$", description="The ID of the key.", examples=["k_01jd8q6yk3zt4w5x7e"])
]

KeyBody = Annotated[
    KeyIn,
    Body(
        openapi_examples=shown(
            {
                "judge": (
                    "A judge's key for a season",
                    {"role": "judge", "name": "Kim", "expires_at": "2099-07-01T00:00:00Z"},
                )
            }
        )
    ),
]

router = APIRouter(prefix="/v1", tags=["Keys"], route_class=StrictRoute)


@router.get("/me", summary="Get the current key", response_model=Me, responses=fails(*READ_FAILURES))
async def get_me(session: KeySession) -> Response:
    """The role and club of the key in the request."""

    def use_case(tx: Transaction, caller: Caller) -> UseCaseResult:
        club = keys.club_of(tx, caller)
        return UseCaseResult(me_wire(caller, club.slug if club else None), cache_control="no-store")

    return await session.read(use_case)


@router.post(
    "/clubs/{club}/keys",
    status_code=201,
    summary="Create a key",
    response_model=NewKey,
    responses=fails(*BODY_FAILURES, "idempotency-mismatch"),
)
async def create_key(club: ClubSlug, asked: KeyBody, session: KeySession, once: IdempotencyKey = None) -> Response:
    """Requires the president's key. The admin key can create keys of role `president` only. The secret is shown only
    once; only a hash is stored.
    """

    def use_case(tx: Transaction, caller: Caller, now: datetime) -> UseCaseResult:
        key, secret = keys.create(
            tx, caller, club, role=asked.role, name=asked.name, expires_at=asked.expires_at, now=now
        )
        wire = key_wire(key)
        return UseCaseResult(
            {**wire, "secret": secret},
            status=201,
            location=f"/v1/clubs/{club}/keys/{key.public_id}",
            etag=BodyTag(keys.tag_of(key)).of(render(wire)),
            cache_control="no-store",
            replayed={**wire, "secret": None},
        )

    return await session.write(use_case, once)


@router.get(
    "/clubs/{club}/keys",
    summary="List keys",
    response_model=KeyList,
    responses=UNCHANGED | fails(*READ_FAILURES, "forbidden"),
)
async def list_keys(club: ClubSlug, query: Page, session: KeySession) -> Response:
    """Requires the president's key. Expired keys are listed, revoked keys are not."""

    def use_case(tx: Transaction, caller: Caller) -> UseCaseResult:
        page = keys.page(tx, caller, club, cursor=query.cursor, limit=query.limit)
        return current(page_wire(page, key_wire))

    return await session.read(use_case)


@router.delete(
    "/clubs/{club}/keys/{key}",
    status_code=204,
    summary="Revoke a key",
    response_class=Response,
    responses=fails(*WRITE_FAILURES, "conflict", "invalid-request", "precondition-failed"),
)
async def delete_key(club: ClubSlug, key: KeyId, session: KeySession, match: IfMatch = None) -> Response:
    """Requires the president's key. Data written with the key is kept. The last key of role `president` cannot be
    revoked.
    """

    def use_case(tx: Transaction, caller: Caller, now: datetime) -> UseCaseResult:
        keys.revoke(tx, caller, club, key, expected=tags_of(match), now=now)
        return UseCaseResult(None, status=204)

    return await session.write(use_case)
