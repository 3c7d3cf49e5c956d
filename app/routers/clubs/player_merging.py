"""Merging players and finding who may be the same person (docs/api.md#clubs-keys-and-players)."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Body, Query, Response

from app.routers.clubs.players import PlayerId
from app.routers.common.openapi import UNCHANGED, fails, shown
from app.routers.common.resources import (
    BODY_FAILURES,
    READ_FAILURES,
    ClubSlug,
    IdempotencyKey,
    Page,
    changed,
    current,
)
from app.routers.common.strict_route import AnswerLanguage, KeySession, StrictRoute
from app.schemas.clubs.player_merging import DuplicateList, MergeIn, duplicate_wire
from app.schemas.clubs.players import DryRunQuery, Player, RegistrationPreview, player_wire, preview_wire
from app.schemas.common.fields import page_wire
from app.services.access import Caller
from app.services.clubs import likely_duplicates, players
from app.services.seasons import player_merging
from app.services.storage import Transaction
from app.web.render import UseCaseResult

MergeBody = Annotated[
    MergeIn,
    Body(openapi_examples=shown({"merge": ("Merge into the surviving player", {"into": "p_01jd8q6yk3zt4w5x7e"})})),
]

router = APIRouter(prefix="/v1/clubs/{club}/players", tags=["Players"], route_class=StrictRoute)


@router.get(
    "/duplicates",
    summary="List possible duplicate players",
    response_model=DuplicateList,
    responses=UNCHANGED | fails(*READ_FAILURES, "forbidden"),
)
async def list_duplicates(club: ClubSlug, query: Page, session: KeySession, language: AnswerLanguage) -> Response:
    """Requires a judge's key. Pairs of players who never sat in the same game and whose nicknames, current or former,
    look alike (letters of two alphabets, digits) or differ by one letter; most likely first. The president confirms a
    pair by merging the players.
    """

    def use_case(tx: Transaction, caller: Caller) -> UseCaseResult:
        page = likely_duplicates.page(tx, caller, club, cursor=query.cursor, limit=query.limit)
        return current(page_wire(page, lambda likeness: duplicate_wire(likeness, language)), language)

    return await session.read(use_case)


@router.post(
    "/{player:player_id}/merge",
    summary="Merge two players",
    response_model=Player | RegistrationPreview,
    responses=fails(*BODY_FAILURES, "idempotency-mismatch"),
)
async def merge_player(
    club: ClubSlug,
    player: PlayerId,
    query: Annotated[DryRunQuery, Query()],
    asked: MergeBody,
    session: KeySession,
    once: IdempotencyKey = None,
) -> Response:
    """Requires the president's key. A merge cannot be undone. The response is the surviving player, who gets all
    nicknames of both and is registered if either was, from the earlier date. The merged player can still be read by ID,
    with `merged_into`. Games in open seasons count for the survivor; closed seasons keep their tables. The survivor's
    seats from the day of registration on are rated. Players who sat in the same game, whatever its status, are rejected
    with `sat_together`. With `dry_run=true` the response lists the seasons and in how many games a seat would be rated.
    """
    if query.dry_run:

        def look(tx: Transaction, caller: Caller) -> UseCaseResult:
            found = player_merging.preview(tx, caller, club, player, into=asked.into)
            return UseCaseResult(preview_wire(found), cache_control="private, no-cache")

        return await session.read(look)

    def use_case(tx: Transaction, caller: Caller, now: datetime) -> UseCaseResult:
        survivor = player_merging.merge(tx, caller, club, player, into=asked.into, now=now)
        return changed(player_wire(survivor), players.tag_of(survivor.player))

    return await session.write(use_case, once)
