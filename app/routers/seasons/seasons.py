"""Seasons and tournaments of a club (docs/api.md#seasons)."""

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Body, Query, Response

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
    changed,
    current,
)
from app.routers.common.strict_route import KeySession, OpenSession, StrictRoute
from app.schemas.common.fields import page_wire
from app.schemas.seasons.rule_change import ChangeQuery, SeasonChangePreview, preview_wire
from app.schemas.seasons.seasons import Season, SeasonChangesIn, SeasonIn, SeasonList, season_wire
from app.services.access import Caller
from app.services.seasons import removal, seasons
from app.services.storage import Transaction
from app.web.conditional import tags_of
from app.web.language import language_of
from app.web.render import BodyTag, UseCaseResult

_EXAMPLE = {
    "slug": "2025-spring",
    "name": "Spring 2025",
    "rule_system": "maffamily",
    "format": "season",
    "starts_on": "2025-03-01",
    "ends_on": "2025-05-31",
}
_CHANGES = {
    "longer": ("A later end date", {"ends_on": "2025-06-15"}),
    "rules": ("Other rules", {"rule_system": "sport-percent"}),
}

SeasonBody = Annotated[SeasonIn, Body(openapi_examples=shown({"season": ("A season under maffamily", _EXAMPLE)}))]
SeasonChangesBody = Annotated[SeasonChangesIn, Body(openapi_examples=shown(_CHANGES))]

router = APIRouter(prefix="/v1/clubs/{club}/seasons", tags=["Seasons"], route_class=StrictRoute)


@router.post(
    "",
    status_code=201,
    summary="Create a season or tournament",
    response_model=Season,
    responses=fails(*BODY_FAILURES, "idempotency-mismatch"),
)
async def create_season(
    club: ClubSlug, asked: SeasonBody, session: KeySession, once: IdempotencyKey = None
) -> Response:
    """Requires the president's key. The season keeps the version of the rule system that it is created with."""

    def use_case(tx: Transaction, caller: Caller, now: datetime) -> UseCaseResult:
        new = seasons.NewSeason(
            slug=asked.slug,
            name=asked.name,
            rules=seasons.RequestedRules(asked.rule_system.id, asked.rule_system.version),
            format=asked.format,
            starts_on=asked.starts_on,
            ends_on=asked.ends_on,
            public=asked.public,
            awards_from=asked.awards_from,
        )
        season = seasons.create(tx, caller, club, new, now)
        location, etag = f"/v1/clubs/{club}/seasons/{season.slug}", BodyTag(seasons.tag_of(season))
        return UseCaseResult(season_wire(season), status=201, location=location, etag=etag)

    return await session.write(use_case, once)


@router.get(
    "",
    summary="List seasons",
    response_model=SeasonList,
    responses=UNCHANGED | fails(*READ_FAILURES),
)
async def list_seasons(club: ClubSlug, query: Page, session: OpenSession) -> Response:
    """Newest first. With a key of the club, all seasons; otherwise only public ones."""

    def use_case(tx: Transaction, caller: Caller) -> UseCaseResult:
        page = seasons.page(tx, caller, club, cursor=query.cursor, limit=query.limit)
        return current(page_wire(page, season_wire), public=caller.club_id is None)

    return await session.read(use_case)


@router.get("/{season}", summary="Get a season", response_model=Season, responses=UNCHANGED | fails(*READ_FAILURES))
async def get_season(club: ClubSlug, season: SeasonSlug, session: OpenSession) -> Response:
    """A season that is not public can be read only with a key of its club."""

    def use_case(tx: Transaction, caller: Caller) -> UseCaseResult:
        found = seasons.get(tx, caller, club, season)
        return current(season_wire(found), public=found.public, settings=seasons.tag_of(found))

    return await session.read(use_case)


@router.patch(
    "/{season}",
    summary="Update a season",
    response_model=Season | SeasonChangePreview,
    responses=fails(*BODY_FAILURES, "precondition-failed", "rule-violation"),
)
async def update_season(
    club: ClubSlug,
    season: SeasonSlug,
    query: Annotated[ChangeQuery, Query()],
    asked: SeasonChangesBody,
    session: KeySession,
    match: IfMatch = None,
) -> Response:
    """Requires the president's key. The dates must still include every game. `format` cannot change once the season has
    a game. With another rule system, every game is rescored in one step: newly required approvals are open, and if the
    rules reject any game, nothing changes and `games` lists them. With `dry_run=true`, the response shows the season
    before and after the change. Every change creates a revision.
    """
    values, expected = asked.given(), None if match is None else tags_of(match)
    if asked.rule_system is not None:
        values["rule_system"] = seasons.RequestedRules(asked.rule_system.id, asked.rule_system.version)

    if "hidden_from" in values:
        hidden = values.pop("hidden_from")
        values["hidden_games"] = None if hidden is None else seasons.HiddenGames(hidden.stage, hidden.day)

    if query.dry_run:
        language = language_of(session.request)

        def look(tx: Transaction, caller: Caller) -> UseCaseResult:
            made = seasons.preview_change(
                tx, caller, club, season, values=values, expected=expected, now=datetime.now(UTC)
            )
            return UseCaseResult(preview_wire(made, language), language=language, cache_control="private, no-cache")

        with session.state.standings_slots:
            return await session.read(look)

    def use_case(tx: Transaction, caller: Caller, now: datetime) -> UseCaseResult:
        after = seasons.change(tx, caller, club, season, values=values, expected=expected, reason=query.reason, now=now)
        return changed(season_wire(after), seasons.tag_of(after))

    return await session.write(use_case)


@router.delete(
    "/{season}",
    status_code=204,
    summary="Delete a season",
    response_class=Response,
    responses=fails(*WRITE_FAILURES, "conflict", "invalid-request", "precondition-failed"),
)
async def delete_season(club: ClubSlug, season: SeasonSlug, session: KeySession, match: IfMatch = None) -> Response:
    """Requires the president's key. For a season created by mistake: one that has a game of any status or an entry, or
    whose awards another season takes, is rejected with `in_use`; `used_by` says what it is. Its changes stay in the
    club's change log.
    """

    def use_case(tx: Transaction, caller: Caller, now: datetime) -> UseCaseResult:
        removal.delete(tx, caller, club, season, expected=tags_of(match), now=now)
        return UseCaseResult(None, status=204)

    return await session.write(use_case)
