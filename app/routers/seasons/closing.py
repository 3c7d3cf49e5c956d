"""Closing and reopening a season (API.md, "Kept")."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query, Response

from app.routers.common.openapi import fails
from app.routers.common.resources import WRITE_FAILURES, ClubSlug, IdempotencyKey, SeasonSlug, changed
from app.routers.common.strict_route import KeySession, StrictRoute
from app.routers.common.use_case import UseCaseResult
from app.schemas.seasons.closing import CloseQuery, ReopenQuery
from app.schemas.seasons.seasons import Season, season_wire
from app.services.access import Caller
from app.services.seasons import closing
from app.services.storage import Transaction

_FAILURES = fails(*WRITE_FAILURES, "conflict", "invalid-request", "idempotency-mismatch")

router = APIRouter(prefix="/v1/clubs/{club}/seasons/{season}", tags=["Seasons"], route_class=StrictRoute)


@router.post(
    "/close",
    summary="Close a season",
    response_model=Season,
    responses=_FAILURES,
)
async def close_season(
    club: ClubSlug,
    season: SeasonSlug,
    query: Annotated[CloseQuery, Query()],
    session: KeySession,
    once: IdempotencyKey = None,
) -> Response:
    """Needs the president's key. Table and awards are frozen as they are, with the names that players have now, and
    nothing of the season can be written until it is reopened. Refused with `games_pending` while a game waits for a
    decision; `games` names them.
    """

    def use_case(tx: Transaction, caller: Caller, now: datetime) -> UseCaseResult:
        return changed(season_wire(closing.close(tx, caller, club, season, reason=query.reason, now=now)))

    return await session.write(use_case, once)


@router.post(
    "/reopen",
    summary="Reopen a season",
    response_model=Season,
    responses=_FAILURES,
)
async def reopen_season(
    club: ClubSlug,
    season: SeasonSlug,
    query: Annotated[ReopenQuery, Query()],
    session: KeySession,
    once: IdempotencyKey = None,
) -> Response:
    """Needs the president's key and a reason. The table is what the games give again, players who were merged meanwhile
    are one row. A season that is not closed: `season_open`.
    """

    def use_case(tx: Transaction, caller: Caller, now: datetime) -> UseCaseResult:
        return changed(season_wire(closing.reopen(tx, caller, club, season, reason=query.reason, now=now)))

    return await session.write(use_case, once)
