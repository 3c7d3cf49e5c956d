"""Closing and reopening a season (docs/api.md#seasons)."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query, Response

from app.routers.common.openapi import fails
from app.routers.common.resources import WRITE_FAILURES, ClubSlug, IdempotencyKey, SeasonSlug, changed
from app.routers.common.strict_route import KeySession, StrictRoute
from app.schemas.seasons.closing import CloseQuery, ReopenQuery
from app.schemas.seasons.seasons import Season, season_wire
from app.services.access import Caller
from app.services.seasons import closing
from app.services.storage import Transaction
from app.web.render import UseCaseResult

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
    """Requires the president's key. Freezes the table and awards with the players' current nicknames. The season
    accepts no writes until it is reopened. Rejected with `games_pending` while games are pending; `games` lists them.
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
    """Requires the president's key and a reason. The table is computed from the games again, and players merged in the
    meantime share one row. If the season is not closed: `season_open`.
    """

    def use_case(tx: Transaction, caller: Caller, now: datetime) -> UseCaseResult:
        return changed(season_wire(closing.reopen(tx, caller, club, season, reason=query.reason, now=now)))

    return await session.write(use_case, once)
