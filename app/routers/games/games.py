"""Games of a season (docs/api.md#games-of-a-season)."""

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Annotated, Any, Final

from fastapi import APIRouter, Body, Path, Query, Response

from app.patterns import GAME_ID
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
from app.routers.common.use_case import Session, Write
from app.schemas.common import examples
from app.schemas.games.games import (
    CorrectQuery,
    GameHistory,
    GameList,
    GamesQuery,
    KeptGame,
    ReasonQuery,
    RestoreQuery,
    SubmitQuery,
    games_wire,
    history_wire,
    kept_wire,
)
from app.scoring.club_game import ClubGame
from app.services.access import Caller
from app.services.games import games, history, stored, submission
from app.services.games.games import ChangeRequest
from app.services.storage import Transaction
from app.web.conditional import tags_of
from app.web.language import Language
from app.web.render import UseCaseResult

GameId = Annotated[
    str, Path(pattern=f"^{GAME_ID}$", description="The ID of the game.", examples=["g_01jd8q6yk3zt4w5x7e"])
]

_PRIVATE: Final = "private, no-cache"
_REPEATED: Final[dict[int | str, dict[str, Any]]] = {
    200: {"model": KeptGame, "description": "The game is already stored; this is its current state."}
}

GameBody = Annotated[ClubGame, Body(openapi_examples=shown(examples.GAMES))]

router = APIRouter(prefix="/v1/clubs/{club}/seasons/{season}/games", tags=["Games"], route_class=StrictRoute)


@router.post(
    "",
    status_code=201,
    summary="Submit a game",
    response_model=KeptGame,
    responses=_REPEATED | fails(*BODY_FAILURES, "idempotency-mismatch", "rule-violation"),
)
async def submit_game(
    club: ClubSlug,
    season: SeasonSlug,
    query: Annotated[SubmitQuery, Query()],
    game: GameBody,
    session: KeySession,
    language: AnswerLanguage,
    once: IdempotencyKey = None,
) -> Response:
    """Requires a judge's key. The game is in the season's table as soon as the response arrives, unless it needs an
    approval; its status is then `pending`. If your role may decide an approval, submitting the game approves it. A game
    with a known `external_id` returns the stored game if the facts are equal, and a conflict otherwise. Without an
    `external_id`, equal facts return the stored game, and a game that is likely stored already is the conflict
    `possible_duplicate`.
    """

    def use_case(tx: Transaction, caller: Caller, now: datetime) -> UseCaseResult:
        found = submission.submit(
            tx,
            caller,
            club,
            season,
            game,
            create_players=query.create_players,
            register_players=query.registered,
            allow_duplicate=query.allow_duplicate,
            now=now,
        )
        return game_result(found, language)

    return await session.write(use_case, once)


@router.get(
    "",
    summary="List games",
    response_model=GameList,
    responses=UNCHANGED | fails(*READ_FAILURES),
)
async def list_games(
    club: ClubSlug, season: SeasonSlug, query: Annotated[GamesQuery, Query()], session: OpenSession
) -> Response:
    """Most recently played first, with any status, without breakdowns. `from` and `to` are inclusive."""

    def use_case(tx: Transaction, caller: Caller) -> UseCaseResult:
        page = stored.page(
            tx,
            caller,
            club,
            season,
            player=query.player,
            since=query.since,
            until=query.until,
            status=query.status,
            cursor=query.cursor,
            limit=query.limit,
        )
        return current(games_wire(page))

    return await session.read(use_case)


@router.get(
    "/{game:game_id}",
    summary="Get a game",
    response_model=KeptGame,
    responses=UNCHANGED | fails(*READ_FAILURES),
)
async def get_game(
    club: ClubSlug, season: SeasonSlug, game: GameId, session: OpenSession, language: AnswerLanguage
) -> Response:
    """The facts and every point with its clause. Notes, reasons and keys are shown only to the club's own keys."""

    def use_case(tx: Transaction, caller: Caller) -> UseCaseResult:
        return game_result(stored.one(tx, caller, club, season, game), language)

    return await session.read(use_case)


@router.put(
    "/{game:game_id}",
    summary="Correct a game",
    response_model=KeptGame,
    responses=fails(
        *BODY_FAILURES,
        "precondition-failed",
        "precondition-required",
        "rule-violation",
    ),
)
async def correct_game(
    club: ClubSlug,
    season: SeasonSlug,
    game: GameId,
    query: Annotated[CorrectQuery, Query()],
    sent: GameBody,
    match: IfMatch,
    session: KeySession,
    language: AnswerLanguage,
) -> Response:
    """Replaces the facts. The date and `external_id` are kept if they are missing. A judge can correct games submitted
    with the same key in the last 24 hours, a chief judge any game. Approvals keep their decision if clause, seat and
    points are unchanged; other approvals start over. A voided game can be corrected and stays voided.
    """
    window = session.judge_window

    def use_case(tx: Transaction, caller: Caller, now: datetime) -> UseCaseResult:
        found = games.correct(
            tx,
            caller,
            ChangeRequest(club, season, game, tags_of(match), query.reason),
            sent,
            create_players=query.create_players,
            register_players=query.registered,
            allow_duplicate=query.allow_duplicate,
            judge_window=window,
            now=now,
        )
        return game_result(found, language)

    return await session.write(use_case)


@router.delete(
    "/{game:game_id}",
    summary="Void a game",
    response_model=KeptGame,
    responses=fails(*WRITE_FAILURES, "conflict", "invalid-request", "precondition-failed"),
)
async def void_game(
    club: ClubSlug,
    season: SeasonSlug,
    game: GameId,
    query: Annotated[ReasonQuery, Query()],
    session: KeySession,
    language: AnswerLanguage,
    match: IfMatch = None,
) -> Response:
    """Removes the game from all tables. The game can still be read; nothing is deleted. Anyone who may correct the game
    may void it.
    """
    change = ChangeRequest(club, season, game, tags_of(match), query.reason)
    use_case = _whole_game(games.void, change, session, language)
    return await session.write(use_case)


@router.post(
    "/{game:game_id}/restore",
    summary="Restore a voided game",
    response_model=KeptGame,
    responses=fails(
        *WRITE_FAILURES,
        "conflict",
        "invalid-request",
        "precondition-failed",
        "idempotency-mismatch",
        "rule-violation",
    ),
)
async def restore_game(
    club: ClubSlug,
    season: SeasonSlug,
    game: GameId,
    query: Annotated[RestoreQuery, Query()],
    session: KeySession,
    language: AnswerLanguage,
    match: IfMatch = None,
    once: IdempotencyKey = None,
) -> Response:
    """Returns the game to the tables, scored under the season's current rules. Anyone who may correct the game may
    restore it.
    """
    change = ChangeRequest(club, season, game, tags_of(match), query.reason)
    act = partial(games.restore, allow_duplicate=query.allow_duplicate)
    use_case = _whole_game(act, change, session, language)
    return await session.write(use_case, once)


@router.get(
    "/{game:game_id}/history",
    summary="Get a game's history",
    response_model=GameHistory,
    responses=UNCHANGED | fails(*READ_FAILURES),
)
async def get_game_history(
    club: ClubSlug, season: SeasonSlug, game: GameId, query: Page, session: OpenSession
) -> Response:
    """Every version: author, time and reason, the facts recorded then, and the points that changed."""

    def use_case(tx: Transaction, caller: Caller) -> UseCaseResult:
        page = history.page(tx, caller, club, season, game, cursor=query.cursor, limit=query.limit)
        return current(history_wire(page))

    return await session.read(use_case)


def _whole_game(
    act: Callable[..., stored.StoredGame], change: ChangeRequest, session: Session, language: Language
) -> Write:
    """The use case of voiding or restoring a game."""
    window = session.judge_window

    def use_case(tx: Transaction, caller: Caller, now: datetime) -> UseCaseResult:
        return game_result(act(tx, caller, change, judge_window=window, now=now), language)

    return use_case


def game_result(found: stored.StoredGame, language: Language) -> UseCaseResult:
    """A kept game as it is answered."""
    wire, etag = kept_wire(found, language)
    season = found.season
    return UseCaseResult(
        wire,
        status=201 if found.is_new else 200,
        language=language,
        location=f"/v1/clubs/{season.club}/seasons/{season.slug}/games/{found.public_id}" if found.is_new else None,
        etag=etag,
        cache_control="no-cache" if season.public and not found.in_full else _PRIVATE,
    )
