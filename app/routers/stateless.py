"""What a rule system says of games that are not kept (docs/api.md#scoring-without-storage).

Read by hand: a body is read only once its rule system is found, and many games only where there is a place for them
(docs/decisions/0010-reading-requests.md).
"""

from typing import Final

import anyio
import anyio.to_thread
from fastapi import APIRouter, Request, Response
from pydantic import ValidationError

from app.routers.common.openapi import asks, fails, takes
from app.routers.common.use_case import admit
from app.routers.rule_systems import KEY_FAILURES, SystemId
from app.schemas.common import examples
from app.schemas.common.fields import NoQuery
from app.schemas.games.breakdown import Breakdown, breakdown_wire
from app.schemas.games.unfinished import UnfinishedBreakdown, unfinished_wire
from app.schemas.rule_system_proof import RuleSystemProof, RuleSystemProofIn, validated_wire
from app.schemas.rule_systems import ScoreQuery, SystemQuery
from app.schemas.standings.standings import MOST_GAMES, Standings, StandingsIn, standings_wire
from app.scoring.exact_json import loads
from app.scoring.game import Game
from app.scoring.ranking import Lot
from app.scoring.rule_system import RuleSystem
from app.scoring.systems import find_system
from app.scoring.unfinished import UnfinishedViolations, read_unfinished
from app.scoring.violation import RuleViolations, Violation
from app.services.rule_systems.validation import prove
from app.services.standings.stateless import read_games, tally_games, unrankable
from app.validation import InvalidInput, input_violations
from app.web.bodies import read_json, read_json_bytes, read_query
from app.web.concurrency import RETRY_SECONDS, TURN_SECONDS, Saturated
from app.web.language import Language, language_of
from app.web.render import answer, render

STANDINGS_BYTES: Final = 32_000_000
VALIDATION_BYTES: Final = 4_000_000
"""A system of 1 MB, and its cases."""

router = APIRouter(prefix="/v1/rule-systems", tags=["Rule systems"])


@router.post(
    "/validate",
    summary="Validate a rule system",
    response_model=RuleSystemProof,
    responses=fails(*KEY_FAILURES, "too-slow", "too-large", "unsupported-media-type", "invalid-request"),
    openapi_extra=takes("RuleSystemProofIn", examples.VALIDATIONS),
)
async def validate_rule_system(request: Request) -> Response:
    """Whether a regulation of your own can be computed and gives what its worked cases say. Every fault is listed at
    once, each with its place, its code and suggestions. Nothing is stored.
    """
    await admit(request)
    read_query(request, NoQuery)
    state = request.app.state
    with state.standings_slots:
        body = await read_json_bytes(request, VALIDATION_BYTES)
        try:
            with anyio.fail_after(TURN_SECONDS):
                content = await anyio.to_thread.run_sync(_validated, body, limiter=state.one_at_a_time)
        except TimeoutError:
            raise Saturated(RETRY_SECONDS) from None
    return answer(content)


def _validated(body: bytes) -> bytes:
    try:
        asked = RuleSystemProofIn.model_validate(loads(body))
    except ValidationError as error:
        raise InvalidInput(input_violations(error)) from None
    system, report = prove(asked.system, [case.model_dump() for case in asked.cases])
    return render(validated_wire(system.fingerprint, report))


@router.post(
    "/{system_id}/score",
    summary="Score a game",
    response_model=Breakdown | UnfinishedBreakdown,
    responses=fails(
        *KEY_FAILURES,
        "not-found",
        "too-slow",
        "too-large",
        "unsupported-media-type",
        "invalid-request",
        "rule-violation",
    ),
    openapi_extra=asks(ScoreQuery) | takes("GameIn", examples.GAMES, "UnfinishedGameIn"),
)
async def score_game(system_id: SystemId, request: Request) -> Response:
    """Every point of every seat with the clause that awarded it, or all violations of the regulation at once. Nothing
    is stored. `stage` is ignored. With `partial=true` the game may be unfinished: what it does not say yet is listed in
    `incomplete`, and rules that cannot judge yet in `later`; `remaining` is what the judge may still give.
    """
    await admit(request)
    query = read_query(request, ScoreQuery)
    system = find_system(system_id, query.version)
    language = language_of(request)
    if query.partial:
        judged = system.judge(read_unfinished(await read_json(request), Game))
        if judged.violations:
            raise UnfinishedViolations(judged)
        return answer(render(unfinished_wire(judged, language)), language)
    breakdown = system.examine(Game.read(await read_json(request)))
    return answer(render(breakdown_wire(breakdown, language)), language)


@router.post(
    "/{system_id}/standings",
    summary="Rank players",
    response_model=Standings,
    responses=fails(
        *KEY_FAILURES,
        "not-found",
        "too-slow",
        "too-large",
        "unsupported-media-type",
        "invalid-request",
        "rule-violation",
    ),
    openapi_extra=asks(SystemQuery) | takes("StandingsIn", examples.RANKINGS),
)
async def rank_games(system_id: SystemId, request: Request) -> Response:
    """The table for up to 10,000 games in 32 MB. If games break a rule, all violations are listed under `/games/17/…`.
    Games that need an approval count; friendly and cancelled games do not. Nothing is stored. Tables are computed one
    after another; if the wait is long, the response is 503.
    """
    await admit(request)
    system = find_system(system_id, read_query(request, SystemQuery).version)
    language = language_of(request)
    state = request.app.state
    with state.standings_slots:
        body = await read_json_bytes(request, STANDINGS_BYTES)
        try:
            with anyio.fail_after(TURN_SECONDS):  # only the wait for the turn: a thread that has begun is not left
                content = await anyio.to_thread.run_sync(_ranked, system, body, language, limiter=state.one_at_a_time)
        except TimeoutError:
            raise Saturated(RETRY_SECONDS) from None
    return answer(content, language)


def _ranked(system: RuleSystem, body: bytes, language: Language) -> bytes:
    value = loads(body)
    faults: list[Violation] = []
    asked = None
    games: object = None
    lots: list[Lot] = []
    try:
        asked = StandingsIn.model_validate(value)
    except ValidationError as error:
        faults += input_violations(error)
        games = value.get("games") if isinstance(value, dict) else None
    else:
        games, lots = asked.games, asked.drawn()
        faults += unrankable(system, asked.format, asked.order, lots)
    del value
    sent = games if isinstance(games, list) and len(games) <= MOST_GAMES else []
    tallied = tally_games(system, read_games(sent, faults), asked.format if asked else None)
    if faults or asked is None:
        raise InvalidInput(faults)
    if tallied.breaches:
        raise RuleViolations(tallied.breaches)
    standings = system.rank(tallied.tallies, asked.format, asked.order, lots)
    return render(standings_wire(system, standings, tallied.nicknames, language))
