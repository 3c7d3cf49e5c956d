"""A cup's list of entries."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Body, Response

from app.routers.clubs.players import PlayerId
from app.routers.common.openapi import UNCHANGED, fails, shown
from app.routers.common.resources import (
    BODY_FAILURES,
    READ_FAILURES,
    WRITE_FAILURES,
    ClubSlug,
    IdempotencyKey,
    IfMatch,
    Page,
    SeasonSlug,
    current,
)
from app.routers.common.strict_route import AnswerLanguage, KeySession, OpenSession, StrictRoute
from app.schemas.seasons.cup_entries import CupEntry, CupEntryIn, CupEntryList, entries_wire, entry_wire
from app.services.access import Caller
from app.services.seasons import cup_entries
from app.services.storage import Transaction
from app.web.conditional import tags_of
from app.web.render import BodyTag, UseCaseResult

_EXAMPLE = {"player": "p_01jd8q6yk3zt4w5x7e"}
_PRESENT: dict[int | str, dict[str, Any]] = {200: {"model": CupEntry, "description": "The player has already entered."}}

CupEntryBody = Annotated[CupEntryIn, Body(openapi_examples=shown({"entry": ("A player enters", _EXAMPLE)}))]

router = APIRouter(prefix="/v1/clubs/{club}/seasons/{season}/entries", tags=["Entries"], route_class=StrictRoute)


@router.get(
    "",
    summary="List entries",
    response_model=CupEntryList,
    responses=UNCHANGED | fails(*READ_FAILURES),
)
async def list_entries(
    club: ClubSlug, season: SeasonSlug, query: Page, session: OpenSession, language: AnswerLanguage
) -> Response:
    """Entries, oldest first, with what each player gets from the awards of the season in `awards_from` (waived fee,
    priority). `not_entered` lists players who have an award and have not entered.
    """

    def use_case(tx: Transaction, caller: Caller) -> UseCaseResult:
        found = cup_entries.page(tx, caller, club, season, cursor=query.cursor, limit=query.limit)
        return current(entries_wire(found, language), language)

    return await session.read(use_case)


@router.post(
    "",
    status_code=201,
    summary="Enter a player",
    response_model=CupEntry,
    responses=_PRESENT | fails(*BODY_FAILURES, "idempotency-mismatch"),
)
async def enter_player(
    club: ClubSlug,
    season: SeasonSlug,
    asked: CupEntryBody,
    session: KeySession,
    language: AnswerLanguage,
    once: IdempotencyKey = None,
) -> Response:
    """Requires a judge's key. The ID of a merged player enters the survivor."""

    def use_case(tx: Transaction, caller: Caller, now: datetime) -> UseCaseResult:
        entrant, is_new = cup_entries.enter(tx, caller, club, season, player=asked.player, now=now)
        wire = entry_wire(entrant, language)
        address = f"/v1/clubs/{club}/seasons/{season}/entries/{entrant.player.public_id}"
        return UseCaseResult(
            wire,
            status=201 if is_new else 200,
            language=language,
            location=address if is_new else None,
            etag=BodyTag(cup_entries.tag_of(entrant)),
        )

    return await session.write(use_case, once)


@router.get("/{player}", summary="Get an entry", response_model=CupEntry, responses=UNCHANGED | fails(*READ_FAILURES))
async def get_entry(
    club: ClubSlug, season: SeasonSlug, player: PlayerId, session: OpenSession, language: AnswerLanguage
) -> Response:
    """A player's entry, with the awards from the qualifying season."""

    def use_case(tx: Transaction, caller: Caller) -> UseCaseResult:
        entrant = cup_entries.one(tx, caller, club, season, player)
        return current(entry_wire(entrant, language), language, settings=cup_entries.tag_of(entrant))

    return await session.read(use_case)


@router.delete(
    "/{player}",
    status_code=204,
    response_class=Response,
    summary="Withdraw a player",
    responses=fails(*WRITE_FAILURES, "conflict", "invalid-request", "precondition-failed"),
)
async def withdraw_player(
    club: ClubSlug, season: SeasonSlug, player: PlayerId, session: KeySession, match: IfMatch = None
) -> Response:
    """Requires a judge's key. Removes the entry. A waived fee or priority does not pass to anyone else."""

    def use_case(tx: Transaction, caller: Caller, now: datetime) -> UseCaseResult:
        cup_entries.withdraw(tx, caller, club, season, player, expected=tags_of(match), now=now)
        return UseCaseResult(None, status=204)

    return await session.write(use_case)
