"""Seasons and tournaments of a club (API.md, "Kept")."""

from datetime import datetime

from fastapi import APIRouter, Request, Response

from app.repositories.database import Transaction
from app.routers.documented import UNCHANGED, asks, fails, takes
from app.routers.kept import Made, reading, writing
from app.routers.resources import BODY_FAILURES, ONCE, READ_FAILURES, ClubSlug, SeasonSlug, current, read_as, tag_of
from app.schemas.fields import PageQuery, page_wire
from app.schemas.rule_systems import NoQuery
from app.schemas.seasons import Season, SeasonChangesIn, SeasonIn, SeasonList, rules_of, season_wire
from app.services import seasons
from app.services.access import Caller, season_for_reading
from app.web.requests import read_query

_EXAMPLE = {
    "slug": "2025-spring",
    "name": "Spring 2025",
    "rule_system": "maffamily",
    "format": "season",
    "starts_on": "2025-03-01",
    "ends_on": "2025-05-31",
}

router = APIRouter(prefix="/v1/clubs/{club}/seasons", tags=["Seasons"])


@router.post(
    "",
    status_code=201,
    summary="Make a season or tournament",
    response_model=Season,
    responses=fails(*BODY_FAILURES, "idempotency-mismatch"),
    openapi_extra=ONCE | takes("SeasonIn", {"season": ("A season under maffamily", _EXAMPLE)}),
)
async def create_season(club: ClubSlug, request: Request) -> Response:
    """Needs the president's key. The season stays with the version of the rule system that it is made with."""
    read_query(request, NoQuery)
    asked, body = await read_as(request, SeasonIn)

    def use_case(tx: Transaction, caller: Caller, now: datetime) -> Made:
        season = seasons.create(
            tx,
            caller,
            club,
            slug=asked.slug,
            name=asked.name,
            rules=rules_of(asked.rule_system),
            format=asked.format,
            starts_on=asked.starts_on,
            ends_on=asked.ends_on,
            public=asked.public,
            awards_from=asked.awards_from,
            now=now,
        )
        wire = season_wire(season)
        return Made(wire, status=201, location=f"/v1/clubs/{club}/seasons/{season.slug}", etag=tag_of(wire))

    return await writing(request, use_case, body)


@router.get(
    "",
    summary="List the club's seasons",
    response_model=SeasonList,
    responses=UNCHANGED | fails(*READ_FAILURES),
    openapi_extra=asks(PageQuery),
)
async def list_seasons(club: ClubSlug, request: Request) -> Response:
    """The newest first: with a key of the club all of them, else those that are public."""
    query = read_query(request, PageQuery)

    def use_case(tx: Transaction, caller: Caller) -> Made:
        page = seasons.page(tx, caller, club, cursor=query.cursor, limit=query.limit)
        return current(page_wire(page, season_wire), public=caller.club_id is None)

    return await reading(request, use_case)


@router.get("/{season}", summary="Read a season", response_model=Season, responses=UNCHANGED | fails(*READ_FAILURES))
async def get_season(club: ClubSlug, season: SeasonSlug, request: Request) -> Response:
    """A season that is not public is found with a key of its club only."""
    read_query(request, NoQuery)

    def use_case(tx: Transaction, caller: Caller) -> Made:
        found = season_for_reading(tx, caller, club, season)
        return current(season_wire(found), public=found.public)

    return await reading(request, use_case)


@router.patch(
    "/{season}",
    summary="Change a season",
    response_model=Season,
    responses=fails(*BODY_FAILURES, "rule-violation"),
    openapi_extra=takes("SeasonChangesIn", {"longer": ("A later end", {"ends_on": "2025-06-15"})}),
)
async def update_season(club: ClubSlug, season: SeasonSlug, request: Request) -> Response:
    """Needs the president's key. Its days must still hold every game; its format and rule system are fixed once there
    is one. Every change raises the revision.
    """
    read_query(request, NoQuery)
    asked, _ = await read_as(request, SeasonChangesIn)
    values = asked.given()
    if asked.rule_system is not None:
        values["rule_system"] = rules_of(asked.rule_system)

    def use_case(tx: Transaction, caller: Caller, now: datetime) -> Made:
        wire = season_wire(seasons.change(tx, caller, club, season, values=values, now=now))
        return Made(wire, etag=tag_of(wire))

    return await writing(request, use_case)
