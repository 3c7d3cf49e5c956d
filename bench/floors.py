"""The application with the endpoints that its own are compared with; they exist here only."""

from fastapi import APIRouter, FastAPI, Request, Response

from app.main import create_app
from app.scoring.game import Game
from app.web.render import answer, render
from app.web.requests import read_json

router = APIRouter(prefix="/bench", include_in_schema=False)

FIXED = render({"status": "ok"})


def create() -> FastAPI:
    """The service with the floors before it."""
    app = create_app()
    app.include_router(router)
    # First, so that a floor does not pay for the search through every route before it.
    app.router.routes.insert(0, app.router.routes.pop())
    return app


@router.get("/fixed")
async def fixed() -> Response:
    """Nothing is read, the same bytes are written."""
    return answer(FIXED)


@router.post("/echo")
async def echo(request: Request) -> Response:
    """A game is read as every endpoint reads it, and written in its canonical form."""
    return answer(render(Game.read(await read_json(request)).canonical()))
