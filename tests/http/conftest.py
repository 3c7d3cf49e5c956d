"""A client that talks to the application without a socket, and a game to change."""

from collections.abc import AsyncIterator
from copy import deepcopy
from typing import Any

import pytest
from fastapi import FastAPI
from httpx import ASGITransport, AsyncClient

from app.config import Settings
from app.main import create_app
from tests.http.archives import archive, elsewhere  # noqa: F401  pytest finds fixtures by name
from tests.http.club import club, kept_app, kept_client, other_club  # noqa: F401
from tests.http.kept_season import spring  # noqa: F401

ROLES = ["citizen"] * 6 + ["sheriff", "mafia", "mafia", "don"]
RED_WON: dict[str, Any] = {
    "outcome": "red",
    "seats": [{"seat": seat, "player": f"P{seat}", "role": role} for seat, role in enumerate(ROLES, 1)],
}


@pytest.fixture
def app() -> FastAPI:
    return create_app(Settings(standings_at_once=1))


@pytest.fixture
async def client(app: FastAPI) -> AsyncIterator[AsyncClient]:
    transport = ASGITransport(app, raise_app_exceptions=False)
    async with AsyncClient(transport=transport, base_url="http://mafrate") as client:
        yield client


@pytest.fixture
def game() -> dict[str, Any]:
    """Red won; seats 1 to 6 are citizens, 7 the sheriff, 8 and 9 mafia, 10 the don; nothing else happened."""
    return deepcopy(RED_WON)
