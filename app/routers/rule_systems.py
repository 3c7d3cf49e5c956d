"""Rule systems (docs/api.md#scoring-without-storage)."""

import hashlib
from functools import cache, lru_cache
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from starlette.convertors import Convertor, register_url_convertor

from app.routers.common.openapi import UNCHANGED, fails
from app.routers.common.strict_route import StrictRoute
from app.routers.common.use_case import admit
from app.schemas.rule_systems import RuleKindList, RuleSystemList, SystemQuery, SystemsQuery, kind_wire, summary_wire
from app.scoring.rule_kinds import rule_kinds
from app.scoring.rule_system import RuleSystem
from app.scoring.systems import catalogue_systems, find_system, newest_systems
from app.web.render import fresh, render

CACHE_CONTROL: Final = "public, max-age=300"

KEY_FAILURES: Final = ("unauthorized", "rate-limited", "unavailable")
"""No key is needed, but one that is brought must open something, which only the database knows."""


class _SystemIds(Convertor[str]):
    """Ids of rule systems; the addresses beside them have methods of their own."""

    regex = "(?!validate$)[^/]+"

    def convert(self, value: str) -> str:
        """The id as it is written."""
        return value

    def to_string(self, value: str) -> str:
        """The id as it is written."""
        return value


register_url_convertor("system_id", _SystemIds())

SystemId = Annotated[str, Path(description="An ID from GET /v1/rule-systems.", examples=["maffamily"])]

router = APIRouter(prefix="/v1", tags=["Rule systems"], route_class=StrictRoute, dependencies=[Depends(admit)])


@router.get(
    "/rule-kinds",
    summary="List kinds of rules",
    response_model=RuleKindList,
    responses=UNCHANGED | fails(*KEY_FAILURES, "invalid-request"),
)
async def list_rule_kinds(request: Request) -> Response:
    """Every kind that a clause of a rule system can have: what it does in Russian and English, a JSON Schema of its
    parameters, the fields of a game that it reads, the codes and names that it gives.
    """
    return fresh(*_kinds(), request.headers.get("if-none-match"), CACHE_CONTROL)


@router.get(
    "/rule-systems",
    summary="List rule systems",
    response_model=RuleSystemList,
    responses=UNCHANGED | fails(*KEY_FAILURES, "invalid-request"),
)
async def list_rule_systems(query: Annotated[SystemsQuery, Query()], request: Request) -> Response:
    """The newest version of each built-in system, or of each published scoring of the catalogue."""
    return fresh(*_summaries(query), request.headers.get("if-none-match"), CACHE_CONTROL)


@router.get(
    "/rule-systems/{system_id:system_id}",
    summary="Get a rule system",
    response_model=RuleSystem,
    responses=UNCHANGED | fails(*KEY_FAILURES, "not-found", "invalid-request"),
)
async def get_rule_system(system_id: SystemId, query: Annotated[SystemQuery, Query()], request: Request) -> Response:
    """The table and all clauses in document order: number, text in Russian and English, interpretations, and the rules
    that implement them with all parameters. This is the value that scores games; it is the same in every language.
    """
    return fresh(*_whole(system_id, query.version), request.headers.get("if-none-match"), CACHE_CONTROL)


@cache
def _kinds() -> tuple[bytes, str]:
    body = render({"items": [kind_wire(kind) for kind in rule_kinds()]})
    return body, f'"{hashlib.sha256(body).hexdigest()[:32]}"'


@lru_cache(maxsize=64)
def _summaries(query: SystemsQuery) -> tuple[bytes, str]:
    systems = [*(newest_systems() if _asks_for("built_in", query) else ())]
    systems += catalogue_systems() if _asks_for("catalogue", query) else ()
    if query.search is not None:
        part = query.search.casefold()
        systems = [one for one in systems if any(part in text.casefold() for text in _texts(one))]
    body = render({"items": [summary_wire(system) for system in systems]})
    return body, f'"{hashlib.sha256(body).hexdigest()[:32]}"'


def _asks_for(kind: str, query: SystemsQuery) -> bool:
    default = ("built_in",) if query.search is None else ("built_in", "catalogue")
    return kind in (default if query.kind is None else (query.kind,))


def _texts(system: RuleSystem) -> tuple[str, ...]:
    return system.id, system.title.ru, system.title.en, system.source


@cache
def _whole(system_id: str, version: int | None) -> tuple[bytes, str]:
    system = find_system(system_id, version)
    return render(system.model_dump()), f'"{system.fingerprint}"'
