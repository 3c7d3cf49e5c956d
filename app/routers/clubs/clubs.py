"""Clubs (docs/api.md#clubs-keys-and-players)."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Body, Response

from app.routers.common.openapi import UNCHANGED, fails, shown
from app.routers.common.resources import (
    BODY_FAILURES,
    READ_FAILURES,
    ClubSlug,
    IdempotencyKey,
    changed,
    current,
    tag_of,
)
from app.routers.common.strict_route import KeySession, OpenSession, StrictRoute
from app.schemas.clubs.clubs import Club, ClubChangesIn, ClubIn, NewClub, club_wire, new_club_wire
from app.services.access import Caller, find_club
from app.services.clubs import clubs
from app.services.storage import Transaction
from app.web.render import UseCaseResult

ClubBody = Annotated[
    ClubIn,
    Body(
        openapi_examples=shown(
            {"club": ("A club in Moscow", {"slug": "maffamily", "name": "MAFFAMILY", "timezone": "Europe/Moscow"})}
        )
    ),
]
ClubChangesBody = Annotated[
    ClubChangesIn, Body(openapi_examples=shown({"zone": ("Another time zone", {"timezone": "Europe/Berlin"})}))
]

router = APIRouter(prefix="/v1/clubs", tags=["Clubs"], route_class=StrictRoute)


@router.post(
    "",
    status_code=201,
    summary="Create a club",
    response_model=NewClub,
    responses=fails(*BODY_FAILURES, "idempotency-mismatch"),
)
async def create_club(asked: ClubBody, session: KeySession, once: IdempotencyKey = None) -> Response:
    """Requires the admin key. The response contains the club's first key, of role `president`. Its secret is shown only
    once; only a hash is stored.
    """

    def use_case(tx: Transaction, caller: Caller, now: datetime) -> UseCaseResult:
        club, issued = clubs.create(tx, caller, **asked.model_dump(), now=now)
        return UseCaseResult(
            new_club_wire(club, issued, secret=issued.secret),
            status=201,
            location=f"/v1/clubs/{club.slug}",
            etag=tag_of(club_wire(club)),
            cache_control="no-store",
            replayed=new_club_wire(club, issued, secret=None),
        )

    return await session.write(use_case, once)


@router.get("/{club}", summary="Get a club", response_model=Club, responses=UNCHANGED | fails(*READ_FAILURES))
async def get_club(club: ClubSlug, session: OpenSession) -> Response:
    """No key required."""

    def use_case(tx: Transaction, _caller: Caller) -> UseCaseResult:
        return current(club_wire(find_club(tx, club)), public=True)

    return await session.read(use_case)


@router.patch(
    "/{club}",
    summary="Update a club",
    response_model=Club,
    responses=fails(*BODY_FAILURES),
)
async def update_club(club: ClubSlug, asked: ClubChangesBody, session: KeySession) -> Response:
    """Requires the president's key. A new time zone or `day_ends_at` applies to future games; stored games keep their
    dates. A new slug
    changes the address of everything in the club.
    """

    def use_case(tx: Transaction, caller: Caller, now: datetime) -> UseCaseResult:
        return changed(club_wire(clubs.change(tx, caller, club, values=asked.given(), now=now)))

    return await session.write(use_case)
