"""Players of a club (docs/api.md#clubs-keys-and-players)."""

from datetime import UTC, datetime
from typing import Annotated, Final

from fastapi import APIRouter, Body, Path, Query, Response

from app.patterns import PLAYER_ID
from app.routers.common.openapi import UNCHANGED, fails, shown
from app.routers.common.resources import (
    BODY_FAILURES,
    READ_FAILURES,
    WRITE_FAILURES,
    ClubSlug,
    IdempotencyKey,
    IfMatch,
    changed,
    current,
)
from app.routers.common.strict_route import KeySession, StrictRoute
from app.schemas.clubs.players import (
    DryRunQuery,
    Player,
    PlayerChangesIn,
    PlayerIn,
    PlayerList,
    PlayersQuery,
    RegistrationPreview,
    player_wire,
    preview_wire,
)
from app.schemas.common.fields import page_wire
from app.services.access import Caller
from app.services.clubs import player_removal, player_search, players
from app.services.clubs.player_search import PlayerDirectories
from app.services.seasons import player_changes
from app.services.storage import Page, Transaction
from app.web.conditional import tags_of
from app.web.render import BodyTag, UseCaseResult

PlayerId = Annotated[
    str, Path(pattern=f"^{PLAYER_ID}$", description="The ID of the player.", examples=["p_01jd8q6yk3zt4w5x7e"])
]

PlayerBody = Annotated[PlayerIn, Body(openapi_examples=shown({"player": ("A registered player", {"nickname": "Ann"})}))]
PlayerChangesBody = Annotated[
    PlayerChangesIn,
    Body(
        openapi_examples=shown(
            {
                "nickname": ("A new nickname", {"nickname": "Anna"}),
                "registration": ("An earlier registration", {"registered_on": "2025-03-01"}),
            }
        )
    ),
]

_REGISTRATION: Final = frozenset({"registered", "registered_on"})

router = APIRouter(prefix="/v1/clubs/{club}/players", tags=["Players"], route_class=StrictRoute)


@router.post(
    "",
    status_code=201,
    summary="Create a player",
    response_model=Player,
    responses=fails(*BODY_FAILURES, "idempotency-mismatch"),
)
async def create_player(
    club: ClubSlug, asked: PlayerBody, session: KeySession, once: IdempotencyKey = None
) -> Response:
    """Requires a judge's key. A nickname that belongs or belonged to another player is rejected with
    `nickname_taken`.
    """

    def use_case(tx: Transaction, caller: Caller, now: datetime) -> UseCaseResult:
        said = {name: getattr(asked, name) for name in _REGISTRATION & asked.model_fields_set}
        known = players.create(tx, caller, club, nickname=asked.nickname, registration=said, now=now)
        wire = player_wire(known)
        location = f"/v1/clubs/{club}/players/{known.player.public_id}"
        return UseCaseResult(wire, status=201, location=location, etag=BodyTag(players.tag_of(known.player)))

    return await session.write(use_case, once)


@router.get(
    "",
    summary="List players",
    response_model=PlayerList,
    responses=UNCHANGED | fails(*READ_FAILURES),
)
async def list_players(club: ClubSlug, query: Annotated[PlayersQuery, Query()], session: KeySession) -> Response:
    """Requires a key of the club. `search` has no further pages; `nickname` overrides it."""

    def use_case(tx: Transaction, caller: Caller) -> UseCaseResult:
        if query.search is not None and query.nickname is None:
            known: PlayerDirectories = session.state.player_directories
            found = player_search.search(tx, known, caller, club, query.search, limit=query.limit)
            return current(page_wire(Page(found, None), player_wire))
        page = players.page(tx, caller, club, nickname=query.nickname, cursor=query.cursor, limit=query.limit)
        return current(page_wire(page, player_wire))

    return await session.read(use_case)


@router.get(
    "/{player:player_id}", summary="Get a player", response_model=Player, responses=UNCHANGED | fails(*READ_FAILURES)
)
async def get_player(club: ClubSlug, player: PlayerId, session: KeySession) -> Response:
    """Requires a key of the club."""

    def use_case(tx: Transaction, caller: Caller) -> UseCaseResult:
        known = players.get(tx, caller, club, player)
        return current(player_wire(known), settings=players.tag_of(known.player))

    return await session.read(use_case)


@router.patch(
    "/{player:player_id}",
    summary="Update a player",
    response_model=Player | RegistrationPreview,
    responses=fails(*BODY_FAILURES, "precondition-failed"),
)
async def update_player(
    club: ClubSlug,
    player: PlayerId,
    query: Annotated[DryRunQuery, Query()],
    asked: PlayerChangesBody,
    session: KeySession,
    match: IfMatch = None,
) -> Response:
    """Requires the president's key; a chief judge's key is enough for a day of registration. The previous nickname
    becomes an alias. `registered_on` rates the player's seats from that day on in open seasons: each game gets a new
    version, each season a revision. Closed seasons follow when they are reopened. A later day changes no stored game.
    With `dry_run=true` the response lists the seasons and how many games would change.
    """
    values = asked.given()

    if query.dry_run:

        def look(tx: Transaction, caller: Caller) -> UseCaseResult:
            found = player_changes.preview(tx, caller, club, player, values=values, now=datetime.now(UTC))
            return UseCaseResult(preview_wire(found), cache_control="private, no-cache")

        return await session.read(look)

    def use_case(tx: Transaction, caller: Caller, now: datetime) -> UseCaseResult:
        known = player_changes.change(tx, caller, club, player, values=values, expected=tags_of(match), now=now)
        return changed(player_wire(known), players.tag_of(known.player))

    return await session.write(use_case)


@router.delete(
    "/{player:player_id}",
    status_code=204,
    summary="Delete a player",
    response_class=Response,
    responses=fails(*WRITE_FAILURES, "conflict", "invalid-request", "precondition-failed"),
)
async def delete_player(club: ClubSlug, player: PlayerId, session: KeySession, match: IfMatch = None) -> Response:
    """Requires the president's key. For a player created by mistake: one who is in a version of any game, in a lot or
    an entry, or on either side of a merge is rejected with `in_use`; `used_by` says what it is.
    """

    def use_case(tx: Transaction, caller: Caller, now: datetime) -> UseCaseResult:
        player_removal.delete(tx, caller, club, player, expected=tags_of(match), now=now)
        return UseCaseResult(None, status=204)

    return await session.write(use_case)
