"""Evenings of a club: who is there, and who plays next (docs/evenings.md)."""

import re
from datetime import date, datetime
from typing import Annotated, Final

from fastapi import APIRouter, Body, Path, Response
from pydantic import BeforeValidator

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
from app.routers.common.strict_route import KeySession, StrictRoute
from app.schemas.games.evenings import Evening, EveningIn, Seating, SeatingIn, evening_wire, seating_wire
from app.services.access import Caller
from app.services.games import evenings
from app.services.storage import Transaction
from app.web.conditional import tags_of
from app.web.render import BodyTag, UseCaseResult

_ISO: Final = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)


def _as_written(value: object) -> object:
    """Only as ISO 8601 writes it: of an address there is one spelling."""
    if isinstance(value, str) and not _ISO.fullmatch(value):
        raise ValueError("expected a day such as 2025-03-14")
    return value


Day = Annotated[date, BeforeValidator(_as_written), Path(description="The club's day.", examples=["2025-03-14"])]

EveningBody = Annotated[
    EveningIn, Body(openapi_examples=shown({"three": ("Three have come", {"players": ["Ann", "Bob", "Cid"]})}))
]
SeatingBody = Annotated[
    SeatingIn, Body(openapi_examples=shown({"first": ("Ten at table 1", {"table": 1, "seats": 10})}))
]

router = APIRouter(prefix="/v1/clubs/{club}/evenings", tags=["Evenings"], route_class=StrictRoute)


@router.get("/{day}", summary="Get an evening", response_model=Evening, responses=UNCHANGED | fails(*READ_FAILURES))
async def get_evening(club: ClubSlug, day: Day, session: KeySession) -> Response:
    """Requires a key of the club. Who is there, how many games each played and missed, and the next game of each
    table. A day of which nobody said anything has no players.
    """

    def use_case(tx: Transaction, caller: Caller) -> UseCaseResult:
        found = evenings.get(tx, caller, club, day)
        return current(evening_wire(found), settings=evenings.tag_of(found))

    return await session.read(use_case)


@router.put(
    "/{day}",
    summary="Say who is there",
    response_model=Evening,
    responses=fails(*BODY_FAILURES, "precondition-failed", "precondition-required"),
)
async def put_evening(
    club: ClubSlug, day: Day, asked: EveningBody, session: KeySession, match: IfMatch = None
) -> Response:
    """Requires a judge's key, and `If-Match` after the first time. The whole list, in order of arrival: who is new in
    it comes now, who is missing has left.
    """

    def use_case(tx: Transaction, caller: Caller, now: datetime) -> UseCaseResult:
        after = evenings.put(tx, caller, club, day, players=asked.players, expected=tags_of(match), now=now)
        return changed(evening_wire(after), evenings.tag_of(after))

    return await session.write(use_case)


@router.post(
    "/{day}/seating",
    status_code=201,
    summary="Draw who plays next",
    response_model=Seating,
    responses=fails(*BODY_FAILURES, "idempotency-mismatch"),
)
async def draw_seating(
    club: ClubSlug, day: Day, asked: SeatingBody, session: KeySession, once: IdempotencyKey = None
) -> Response:
    """Requires a judge's key. First who missed most, then who came first; seats from a new seed. Drawing again before
    the game is stored replaces the seating.
    """

    def use_case(tx: Transaction, caller: Caller, now: datetime) -> UseCaseResult:
        drawn = evenings.draw(tx, caller, club, day, table=asked.table, seats=asked.seats, now=now)
        return UseCaseResult(
            seating_wire(drawn), status=201, location=f"/v1/clubs/{club}/evenings/{day}", etag=BodyTag()
        )

    return await session.write(use_case, once)
