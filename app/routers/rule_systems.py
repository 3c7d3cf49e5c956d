"""Rule systems, and what they say of games that are not kept (API.md, "Stateless")."""

from functools import cache
from typing import Annotated, Final

import anyio
import anyio.to_thread
from fastapi import APIRouter, Path, Request, Response
from pydantic import ValidationError

from app.routers.common.openapi import UNCHANGED, asks, fails, takes
from app.routers.common.use_case import admit
from app.schemas.common import examples
from app.schemas.games.breakdown import Breakdown, breakdown_wire
from app.schemas.rule_systems import NoQuery, RuleSystemList, SystemQuery, summary_wire
from app.schemas.standings.standings import MOST_GAMES, Standings, StandingsIn, standings_wire
from app.scoring.exact_json import loads
from app.scoring.game import Game
from app.scoring.ranking import Lot
from app.scoring.rule_system import RuleSystem
from app.scoring.systems import find_system, newest_systems
from app.scoring.violation import RuleViolations, Violation
from app.services.standings.stateless import read_games, tally_games, unrankable
from app.validation import InvalidInput, input_violations
from app.web.bodies import read_json, read_json_bytes, read_query
from app.web.concurrency import RETRY_SECONDS, Saturated
from app.web.language import Language, language_of
from app.web.render import answer, fresh, render

STANDINGS_BYTES: Final = 32_000_000
TURN_SECONDS: Final = 20.0
"""How long standings wait for their turn: those of ten thousand games with ten new players each take as long alone."""

CACHE_CONTROL: Final = "public, max-age=300"

_KEY_FAILURES: Final = ("unauthorized", "rate-limited", "unavailable")
"""No key is needed, but one that is brought must open something, which only the database knows."""

SystemId = Annotated[str, Path(description="One of those that GET /v1/rule-systems lists.", examples=["maffamily"])]

router = APIRouter(prefix="/v1/rule-systems", tags=["Rule systems"])


@router.get(
    "",
    summary="List the built-in rule systems",
    response_model=RuleSystemList,
    responses=UNCHANGED | fails(*_KEY_FAILURES, "invalid-request"),
)
async def list_rule_systems(request: Request) -> Response:
    """The newest version of each built-in system."""
    await admit(request)
    read_query(request, NoQuery)
    return fresh(*_summaries(), request.headers.get("if-none-match"), CACHE_CONTROL)


@router.get(
    "/{system_id}",
    summary="Read a whole rule system",
    response_model=RuleSystem,
    responses=UNCHANGED | fails(*_KEY_FAILURES, "not-found", "invalid-request"),
    openapi_extra=asks(SystemQuery),
)
async def get_rule_system(system_id: SystemId, request: Request) -> Response:
    """The table and every clause in document order: number, text in Russian and English, readings, and the rules that
    formalise it with all their parameters. This is the very value that scores games; it is the same in every language.
    """
    await admit(request)
    query = read_query(request, SystemQuery)
    return fresh(*_whole(system_id, query.version), request.headers.get("if-none-match"), CACHE_CONTROL)


@router.post(
    "/{system_id}/score",
    summary="Score a game",
    response_model=Breakdown,
    responses=fails(
        *_KEY_FAILURES,
        "not-found",
        "too-slow",
        "too-large",
        "unsupported-media-type",
        "invalid-request",
        "rule-violation",
    ),
    openapi_extra=asks(SystemQuery) | takes("GameIn", examples.GAMES),
)
async def score_game(system_id: SystemId, request: Request) -> Response:
    """Every point of every seat with the clause that gave it, or every breach of the rules at once. Nothing is kept.
    `stage` does not matter here.
    """
    await admit(request)
    system = find_system(system_id, read_query(request, SystemQuery).version)
    breakdown = system.examine(Game.read(await read_json(request)))
    language = language_of(request)
    return answer(render(breakdown_wire(breakdown, language)), language)


@router.post(
    "/{system_id}/standings",
    summary="Rank the players of many games",
    response_model=Standings,
    responses=fails(
        *_KEY_FAILURES,
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
    """The table that the games make, at most 10,000 of them in 32 MB. Games that break a rule are refused together,
    their breaches under `/games/17/…`. Games that await an approval count here; friendly and cancelled ones do not.
    Nothing is kept. Tables are made one after another; who would wait for long is asked to come back.
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


@cache
def _summaries() -> tuple[bytes, str]:
    systems = newest_systems()
    tag = "-".join(system.fingerprint[:16] for system in systems)
    return render({"items": [summary_wire(system) for system in systems]}), f'"{tag}"'


@cache
def _whole(system_id: str, version: int | None) -> tuple[bytes, str]:
    system = find_system(system_id, version)
    return render(system.model_dump()), f'"{system.fingerprint}"'
