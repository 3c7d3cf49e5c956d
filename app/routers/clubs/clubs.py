"""Clubs (API.md, "Kept")."""

from datetime import datetime

from fastapi import APIRouter, Request, Response

from app.routers.common.openapi import UNCHANGED, fails, takes
from app.routers.common.resources import BODY_FAILURES, ONCE, READ_FAILURES, ClubSlug, current, read_as, tag_of
from app.routers.common.use_case import UseCaseResult, reading, writing
from app.schemas.clubs.clubs import Club, ClubChangesIn, ClubIn, NewClub, club_wire, new_club_wire
from app.schemas.rule_systems import NoQuery
from app.services.access import Caller
from app.services.clubs import clubs
from app.services.storage import Transaction
from app.web.bodies import read_query

router = APIRouter(prefix="/v1/clubs", tags=["Clubs"])


@router.post(
    "",
    status_code=201,
    summary="Make a club",
    response_model=NewClub,
    responses=fails(*BODY_FAILURES, "idempotency-mismatch"),
    openapi_extra=ONCE
    | takes(
        "ClubIn",
        {"club": ("A club in Moscow", {"slug": "maffamily", "name": "MAFFAMILY", "timezone": "Europe/Moscow"})},
    ),
)
async def create_club(request: Request) -> Response:
    """Needs the admin's key. The answer holds the club's first key, of role `president`: its secret is shown this once
    and kept as a hash.
    """
    read_query(request, NoQuery)
    asked, body = await read_as(request, ClubIn)

    def use_case(tx: Transaction, caller: Caller, now: datetime) -> UseCaseResult:
        club, issued = clubs.create(tx, caller, slug=asked.slug, name=asked.name, timezone=asked.timezone, now=now)
        return UseCaseResult(
            new_club_wire(club, issued, secret=issued.secret),
            status=201,
            location=f"/v1/clubs/{club.slug}",
            etag=tag_of(club_wire(club)),
            cache_control="no-store",
            replayed=new_club_wire(club, issued, secret=None),
        )

    return await writing(request, use_case, body)


@router.get("/{club}", summary="Read a club", response_model=Club, responses=UNCHANGED | fails(*READ_FAILURES))
async def get_club(club: ClubSlug, request: Request) -> Response:
    """Open to anyone."""
    read_query(request, NoQuery)

    def use_case(tx: Transaction, _caller: Caller) -> UseCaseResult:
        return current(club_wire(clubs.find(tx, club)), public=True)

    return await reading(request, use_case)


@router.patch(
    "/{club}",
    summary="Change a club",
    response_model=Club,
    responses=fails(*BODY_FAILURES),
    openapi_extra=takes("ClubChangesIn", {"zone": ("Another time zone", {"timezone": "Europe/Berlin"})}),
)
async def update_club(club: ClubSlug, request: Request) -> Response:
    """Needs the president's key. Another time zone dates the games to come; those that are kept stay on their days.
    Under another slug everything of the club moves to another address.
    """
    read_query(request, NoQuery)
    asked, _ = await read_as(request, ClubChangesIn)

    def use_case(tx: Transaction, caller: Caller, now: datetime) -> UseCaseResult:
        wire = club_wire(clubs.change(tx, caller, club, values=asked.given(), now=now))
        return UseCaseResult(wire, etag=tag_of(wire))

    return await writing(request, use_case)
