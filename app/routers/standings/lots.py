"""Lots of a season (docs/api.md#standings; docs/lots.md)."""

from datetime import datetime
from typing import Annotated, Final

from fastapi import APIRouter, Body, Path, Query, Response

from app.routers.common.openapi import UNCHANGED, fails, shown
from app.routers.common.resources import (
    BODY_FAILURES,
    READ_FAILURES,
    WRITE_FAILURES,
    ClubSlug,
    IdempotencyKey,
    Page,
    SeasonSlug,
    changed,
    current,
)
from app.routers.common.strict_route import KeySession, OpenSession, StrictRoute
from app.schemas.common.fields import page_wire
from app.schemas.standings.lots import DrawIn, DrawnLot, DrawnLotList, WithdrawQuery, lot_wire
from app.services.access import Caller
from app.services.standings import lots
from app.services.storage import Transaction
from app.web.render import BodyTag, UseCaseResult

_ANN: Final = "p_01jd8q6yk3zt4w5x7e"
_BOB: Final = "p_01jd8q6yk40m9r2c8s"
_EXAMPLES: Final[dict[str, tuple[str, object]]] = {
    "table": ("Drawn at the table", {"group": [_ANN, _BOB], "drawn": [_BOB, _ANN]}),
    "here": ("Drawn by the service", {"group": [_ANN, _BOB], "draw": True}),
}

LotId = Annotated[str, Path(pattern="^l_[0-9]{1,19}$", description="The ID of the lot.", examples=["l_42"])]

DrawBody = Annotated[DrawIn, Body(openapi_examples=shown(_EXAMPLES))]

router = APIRouter(prefix="/v1/clubs/{club}/seasons/{season}/lots", tags=["Standings"], route_class=StrictRoute)


@router.post(
    "",
    status_code=201,
    summary="Draw or record a lot",
    response_model=DrawnLot,
    responses=fails(*BODY_FAILURES, "idempotency-mismatch"),
)
async def draw_lot(
    club: ClubSlug, season: SeasonSlug, asked: DrawBody, session: KeySession, once: IdempotencyKey = None
) -> Response:
    """Requires a chief judge's or the president's key. The group must be exactly a current tie (`ties` of the table)
    under a regulation that draws lots, otherwise `not_a_tie`. Each group has one lot; a second one is rejected with
    `lot_exists`. With `draw`, players are ordered by the SHA-256 of `seed:id`, smallest first, so that anyone can
    verify the order from the seed in the response. A lot is void while its group is not exactly a tie, and in force
    again when it is. If a lot of the group was withdrawn, the next one must be drawn at the table: `draw_at_table`.
    """

    def use_case(tx: Transaction, caller: Caller, now: datetime) -> UseCaseResult:
        kept = lots.draw(
            tx, caller, club, season, group=asked.group, drawn=asked.drawn, here=asked.draw is True, now=now
        )
        wire = lot_wire(kept)
        return UseCaseResult(wire, status=201, location=f"/v1/clubs/{club}/seasons/{season}/lots", etag=BodyTag())

    return await session.write(use_case, once)


@router.get(
    "",
    summary="List lots",
    response_model=DrawnLotList,
    responses=UNCHANGED | fails(*READ_FAILURES),
)
async def list_lots(club: ClubSlug, season: SeasonSlug, query: Page, session: OpenSession) -> Response:
    """All lots, including void ones, oldest first. The key that recorded a lot is shown only to the club's own keys."""

    def use_case(tx: Transaction, caller: Caller) -> UseCaseResult:
        page = lots.page(tx, caller, club, season, cursor=query.cursor, limit=query.limit)
        return current(page_wire(page, lot_wire))

    return await session.read(use_case)


@router.post(
    "/{lot}/withdraw",
    summary="Withdraw a lot",
    response_model=DrawnLot,
    responses=fails(*WRITE_FAILURES, "conflict", "invalid-request", "idempotency-mismatch"),
)
async def withdraw_lot(
    club: ClubSlug,
    season: SeasonSlug,
    lot: LotId,
    query: Annotated[WithdrawQuery, Query()],
    session: KeySession,
    once: IdempotencyKey = None,
) -> Response:
    """Requires the president's key and a reason. For a lot that was drawn at the table and recorded wrongly: it stays
    on record, its players share their place again, and the next lot of the group must be drawn at the table. A lot
    drawn by the service cannot be withdrawn: `drawn_here`.
    """

    def use_case(tx: Transaction, caller: Caller, now: datetime) -> UseCaseResult:
        return changed(lot_wire(lots.withdraw(tx, caller, club, season, lot, reason=query.reason, now=now)))

    return await session.write(use_case, once)
