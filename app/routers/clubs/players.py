"""Players of a club (API.md, "Kept")."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Path, Request, Response

from app.routers.common.openapi import UNCHANGED, asks, fails, takes
from app.routers.common.resources import (
    BODY_FAILURES,
    ONCE,
    PLAYER_ID,
    READ_FAILURES,
    ClubSlug,
    current,
    read_as,
    tag_of,
)
from app.routers.common.use_case import UseCaseResult, reading, writing
from app.schemas.clubs.players import Player, PlayerChangesIn, PlayerIn, PlayerList, PlayersQuery, player_wire
from app.schemas.common.fields import page_wire
from app.schemas.rule_systems import NoQuery
from app.services.access import Caller
from app.services.clubs import players
from app.services.storage import Transaction
from app.web.bodies import read_query

PlayerId = Annotated[
    str, Path(pattern=f"^{PLAYER_ID}$", description="The player's id.", examples=["p_01jd8q6yk3zt4w5x7e"])
]

router = APIRouter(prefix="/v1/clubs/{club}/players", tags=["Players"])


@router.post(
    "",
    status_code=201,
    summary="Make a player",
    response_model=Player,
    responses=fails(*BODY_FAILURES, "idempotency-mismatch"),
    openapi_extra=ONCE | takes("PlayerIn", {"player": ("A registered player", {"nickname": "Ann"})}),
)
async def create_player(club: ClubSlug, request: Request) -> Response:
    """Needs a judge's key. A nickname that means or meant somebody already is refused with `nickname_taken`."""
    read_query(request, NoQuery)
    asked, body = await read_as(request, PlayerIn)

    def use_case(tx: Transaction, caller: Caller, now: datetime) -> UseCaseResult:
        known = players.create(tx, caller, club, nickname=asked.nickname, registered=asked.registered, now=now)
        wire = player_wire(known)
        location = f"/v1/clubs/{club}/players/{known.player.public_id}"
        return UseCaseResult(wire, status=201, location=location, etag=tag_of(wire))

    return await writing(request, use_case, body)


@router.get(
    "",
    summary="List the club's players",
    response_model=PlayerList,
    responses=UNCHANGED | fails(*READ_FAILURES),
    openapi_extra=asks(PlayersQuery),
)
async def list_players(club: ClubSlug, request: Request) -> Response:
    """Needs a key of the club."""
    query = read_query(request, PlayersQuery)

    def use_case(tx: Transaction, caller: Caller) -> UseCaseResult:
        page = players.page(tx, caller, club, nickname=query.nickname, cursor=query.cursor, limit=query.limit)
        return current(page_wire(page, player_wire))

    return await reading(request, use_case)


@router.get(
    "/{player:player_id}", summary="Read a player", response_model=Player, responses=UNCHANGED | fails(*READ_FAILURES)
)
async def get_player(club: ClubSlug, player: PlayerId, request: Request) -> Response:
    """Needs a key of the club."""
    read_query(request, NoQuery)

    def use_case(tx: Transaction, caller: Caller) -> UseCaseResult:
        return current(player_wire(players.get(tx, caller, club, player)))

    return await reading(request, use_case)


@router.patch(
    "/{player:player_id}",
    summary="Rename or register a player",
    response_model=Player,
    responses=fails(*BODY_FAILURES),
    openapi_extra=takes("PlayerChangesIn", {"nickname": ("A new nickname", {"nickname": "Anna"})}),
)
async def update_player(club: ClubSlug, player: PlayerId, request: Request) -> Response:
    """Needs the president's key. The old nickname stays an alias. Registration holds from now on: what a game was when
    played stays.
    """
    read_query(request, NoQuery)
    asked, _ = await read_as(request, PlayerChangesIn)

    def use_case(tx: Transaction, caller: Caller, now: datetime) -> UseCaseResult:
        changed = players.change(
            tx, caller, club, player, nickname=asked.nickname, registered=asked.registered, now=now
        )
        wire = player_wire(changed)
        return UseCaseResult(wire, etag=tag_of(wire))

    return await writing(request, use_case)
