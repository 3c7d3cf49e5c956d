"""Lots of a season (API.md, "Kept"; docs/lots.md)."""

from datetime import datetime
from typing import Final

from fastapi import APIRouter, Request, Response

from app.routers.common.openapi import UNCHANGED, asks, fails, takes
from app.routers.common.resources import (
    BODY_FAILURES,
    ONCE,
    READ_FAILURES,
    ClubSlug,
    SeasonSlug,
    current,
    read_as,
    tag_of,
)
from app.routers.common.use_case import UseCaseResult, reading, writing
from app.schemas.common.fields import PageQuery, page_wire
from app.schemas.rule_systems import NoQuery
from app.schemas.standings.lots import DrawIn, DrawnLot, DrawnLotList, lot_wire
from app.services.access import Caller
from app.services.standings import lots
from app.services.storage import Transaction
from app.web.bodies import read_query

_ANN: Final = "p_01jd8q6yk3zt4w5x7e"
_BOB: Final = "p_01jd8q6yk40m9r2c8s"
_EXAMPLES: Final[dict[str, tuple[str, object]]] = {
    "table": ("Drawn at the table", {"group": [_ANN, _BOB], "drawn": [_BOB, _ANN]}),
    "here": ("To be drawn here", {"group": [_ANN, _BOB], "draw": True}),
}

router = APIRouter(prefix="/v1/clubs/{club}/seasons/{season}/lots", tags=["Standings"])


@router.post(
    "",
    status_code=201,
    summary="Draw a lot, or record one",
    response_model=DrawnLot,
    responses=fails(*BODY_FAILURES, "idempotency-mismatch"),
    openapi_extra=ONCE | takes("DrawIn", _EXAMPLES),
)
async def draw_lot(club: ClubSlug, season: SeasonSlug, request: Request) -> Response:
    """Needs a chief judge's or the president's key. The group must be exactly a present tie (`ties` of the table) under
    a regulation that draws lots, else `not_a_tie`; lots are drawn for it once, then it is `lot_exists`. With `draw` the
    players are ordered by the SHA-256 of `seed:id`, the smallest first, so that anyone can repeat it from the seed in
    the answer. A lot is void while the group is not exactly a tie, and holds again when it is.
    """
    read_query(request, NoQuery)
    asked, body = await read_as(request, DrawIn)

    def use_case(tx: Transaction, caller: Caller, now: datetime) -> UseCaseResult:
        kept = lots.draw(
            tx, caller, club, season, group=asked.group, drawn=asked.drawn, here=asked.draw is True, now=now
        )
        wire = lot_wire(kept)
        return UseCaseResult(wire, status=201, location=f"/v1/clubs/{club}/seasons/{season}/lots", etag=tag_of(wire))

    return await writing(request, use_case, body)


@router.get(
    "",
    summary="List lots",
    response_model=DrawnLotList,
    responses=UNCHANGED | fails(*READ_FAILURES),
    openapi_extra=asks(PageQuery),
)
async def list_lots(club: ClubSlug, season: SeasonSlug, request: Request) -> Response:
    """Every lot that was drawn, void ones too, the first drawn first. Which key recorded it is shown to the club's own
    keys only.
    """
    query = read_query(request, PageQuery)

    def use_case(tx: Transaction, caller: Caller) -> UseCaseResult:
        page = lots.page(tx, caller, club, season, cursor=query.cursor, limit=query.limit)
        return current(page_wire(page, lot_wire))

    return await reading(request, use_case)
