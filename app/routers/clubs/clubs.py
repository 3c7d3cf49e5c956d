"""Clubs (docs/api.md#clubs-keys-and-players)."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Body, Query, Response

from app.routers.common.openapi import UNCHANGED, fails, shown
from app.routers.common.resources import (
    BODY_FAILURES,
    READ_FAILURES,
    ClubSlug,
    IdempotencyKey,
    IfMatch,
    changed,
    current,
)
from app.routers.common.strict_route import KeySession, OpenSession, StrictRoute
from app.schemas.clubs.clubs import Club, ClubChangesIn, ClubIn, ClubList, ClubsQuery, NewClub, club_wire, new_club_wire
from app.schemas.common.fields import page_wire
from app.services.access import Caller, find_club
from app.services.clubs import clubs
from app.services.storage import Transaction
from app.web.conditional import tags_of
from app.web.render import BodyTag, UseCaseResult, render

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
            etag=BodyTag(clubs.tag_of(club)).of(render(club_wire(club))),
            cache_control="no-store",
            replayed=new_club_wire(club, issued, secret=None),
        )

    return await session.write(use_case, once)


@router.get("", summary="List clubs", response_model=ClubList, responses=UNCHANGED | fails(*READ_FAILURES))
async def list_clubs(query: Annotated[ClubsQuery, Query()], session: OpenSession) -> Response:
    """Clubs that have a public season, oldest first. With the admin key, all clubs."""

    def use_case(tx: Transaction, caller: Caller) -> UseCaseResult:
        page = clubs.page(tx, caller, search=query.search, cursor=query.cursor, limit=query.limit)
        return current(page_wire(page, club_wire), public=caller.role != "admin")

    return await session.read(use_case)


@router.get("/{club}", summary="Get a club", response_model=Club, responses=UNCHANGED | fails(*READ_FAILURES))
async def get_club(club: ClubSlug, session: OpenSession) -> Response:
    """No key required."""

    def use_case(tx: Transaction, _caller: Caller) -> UseCaseResult:
        found = find_club(tx, club)
        return current(club_wire(found), public=True, settings=clubs.tag_of(found))

    return await session.read(use_case)


@router.patch(
    "/{club}",
    summary="Update a club",
    response_model=Club,
    responses=fails(*BODY_FAILURES, "precondition-failed"),
)
async def update_club(club: ClubSlug, asked: ClubChangesBody, session: KeySession, match: IfMatch = None) -> Response:
    """Requires the president's key. A new time zone or `day_ends_at` applies to future games; stored games keep their
    dates. A new slug
    changes the address of everything in the club.
    """

    def use_case(tx: Transaction, caller: Caller, now: datetime) -> UseCaseResult:
        after = clubs.change(tx, caller, club, values=asked.given(), expected=tags_of(match), now=now)
        return changed(club_wire(after), clubs.tag_of(after))

    return await session.write(use_case)
