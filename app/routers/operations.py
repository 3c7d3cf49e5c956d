"""The service about itself: health, metrics, its description, and what its problems mean (docs/api.md#operations)."""

import base64
import hashlib
import json
from typing import Annotated, Final

from fastapi import APIRouter, Path, Request, Response
from prometheus_client import CONTENT_TYPE_LATEST
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from app.routers.common.openapi import fails
from app.schemas.common.problem import ProblemKind
from app.schemas.common.problem_kinds import KINDS
from app.services.standings.cache.scoreboard import Scoreboard
from app.services.storage import Unavailable, schema_is_current
from app.web.language import language_of
from app.web.middleware.metrics import exposition
from app.web.render import answer, render

router = APIRouter(tags=["Operations"])


class Health(BaseModel):
    """The state of the service."""

    status: str


_OK: Final = render({"status": "ok"})
_DEGRADED: Final = render({"status": "degraded"})
_OLD_SCHEMA_SECONDS: Final = 10


@router.get("/healthz", summary="Check liveness", response_model=Health)
async def check_health() -> Response:
    """Returns 200 while the process is running."""
    return answer(_OK)


@router.get("/readyz", summary="Check readiness", response_model=Health, responses=fails("unavailable"))
def check_readiness(request: Request) -> Response:
    """`ok`: everything that requests need is available. `degraded`: the shared cache is missing; requests are served,
    but slower. 503: the database is missing or not migrated.
    """
    scoreboard: Scoreboard = request.app.state.scoreboard
    scoreboard.database.check()
    if not schema_is_current(scoreboard.database):
        raise Unavailable("the database has an old schema", _OLD_SCHEMA_SECONDS)
    return answer(_DEGRADED if scoreboard.shares() is False else _OK)


@router.get(
    "/metrics",
    summary="Read Prometheus metrics",
    response_class=Response,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
)
def read_metrics() -> Response:
    """Requests by method, route and status, and process metrics, in the Prometheus text format."""
    return answer(exposition(), media_type=CONTENT_TYPE_LATEST)


@router.get(
    "/problems/{slug}",
    summary="Describe a problem type",
    response_model=ProblemKind,
    responses=fails("not-found"),
)
async def describe_problem(slug: Annotated[str, Path(examples=["not-found"])], request: Request) -> Response:
    """Describes a problem type. Every error links here in `type`."""
    kind = KINDS.get(slug)
    if kind is None:
        raise HTTPException(404)
    language = language_of(request)
    body = {
        "type": f"/problems/{slug}",
        "title": kind.title.say(language),
        "status": kind.status,
        "detail": kind.meaning.say(language),
    }
    return answer(render(body), language)


@router.get("/openapi.json", include_in_schema=False)
async def read_description(request: Request) -> Response:
    """The OpenAPI description of everything here."""
    return answer(json.dumps(request.app.openapi(), ensure_ascii=False).encode())


_SCRIPT: Final = """
SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#ui",
  deepLinking: true,
  presets: [SwaggerUIBundle.presets.apis],
  layout: "BaseLayout",
  tryItOutEnabled: true,
});
"""
_PAGE: Final = f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>mafrate API</title>
<link rel="icon" href="static/swagger-ui/favicon-32x32.png">
<link rel="stylesheet" href="static/swagger-ui/swagger-ui.css">
<div id="ui"></div>
<script src="static/swagger-ui/swagger-ui-bundle.js"></script>
<script>{_SCRIPT}</script>
</html>
""".encode()
_SCRIPT_HASH: Final = base64.b64encode(hashlib.sha256(_SCRIPT.encode()).digest()).decode()
_POLICY: Final = (
    f"default-src 'none'; script-src 'self' 'sha256-{_SCRIPT_HASH}'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


@router.get("/", include_in_schema=False)
async def read_root(request: Request) -> Response:
    """To the documentation, whatever path a proxy puts before it."""
    if request.scope["path"] != "/":  # a line end after it, which the route takes too
        raise HTTPException(404)
    return Response(status_code=307, headers={"Location": "docs"})


@router.get("/docs", include_in_schema=False)
async def read_documentation() -> Response:
    """Swagger UI from this very service: works without any other network."""
    return answer(_PAGE, media_type="text/html", headers={"Content-Security-Policy": _POLICY})
