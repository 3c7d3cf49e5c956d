"""Merging players and finding who may be the same person (API.md, "Kept")."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Body, Response

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
from app.routers.common.use_case import UseCaseResult
from app.schemas.clubs.player_merging import DuplicateList, MergeIn, duplicate_wire
from app.schemas.clubs.players import Player, player_wire
from app.schemas.common.fields import page_wire
from app.services.access import Caller
from app.services.clubs import likely_duplicates, player_merging
from app.services.storage import Transaction

MergeBody = Annotated[
    MergeIn, Body(openapi_examples=shown({"merge": ("Into the player who stays", {"into": "p_01jd8q6yk3zt4w5x7e"})}))
]

router = APIRouter(prefix="/v1/clubs/{club}/players", tags=["Players"], route_class=StrictRoute)


@router.get(
    "/duplicates",
    summary="List players who may be one person",
    response_model=DuplicateList,
    responses=UNCHANGED | fails(*READ_FAILURES, "forbidden"),
)
async def list_duplicates(club: ClubSlug, query: Page, session: KeySession, language: AnswerLanguage) -> Response:
    """Needs a judge's key. Pairs of players who never sat at one table and whose nicknames, old ones too, look alike
    (letters of two alphabets, digits) or are one letter apart; the likeliest first. Whether they are one person is for
    the president to say, by merging them.
    """

    def use_case(tx: Transaction, caller: Caller) -> UseCaseResult:
        page = likely_duplicates.page(tx, caller, club, cursor=query.cursor, limit=query.limit)
        return current(page_wire(page, lambda likeness: duplicate_wire(likeness, language)), language)

    return await session.read(use_case)


@router.post(
    "/{player:player_id}/merge",
    summary="Merge a player into another",
    response_model=Player,
    responses=fails(*BODY_FAILURES, "idempotency-mismatch"),
)
async def merge_player(
    club: ClubSlug, player: PlayerId, asked: MergeBody, session: KeySession, once: IdempotencyKey = None
) -> Response:
    """Needs the president's key; it cannot be undone. The answer is the player who stays: all nicknames of both mean
    him, and he is registered when either was, since the earlier day. Who goes is still read at his id, with
    `merged_into`. Games in open seasons count for who stays; closed seasons keep their tables. Whether a game was rated
    stays as it was when played, until it is corrected. Two who sat in one game, whatever its status, are refused with
    `sat_together`.
    """

    def use_case(tx: Transaction, caller: Caller, now: datetime) -> UseCaseResult:
        return changed(player_wire(player_merging.merge(tx, caller, club, player, into=asked.into, now=now)))

    return await session.write(use_case, once)
