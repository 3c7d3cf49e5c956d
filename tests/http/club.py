"""A club to talk about over HTTP: its keys by role, and requests made with them."""

from collections.abc import AsyncIterator, Iterator
from typing import Any, Final, NamedTuple

import pytest
from fastapi import FastAPI
from httpx import ASGITransport, AsyncClient, Response
from pydantic import SecretStr

from app.config import Settings
from app.main import create_app
from app.services.audit import audit
from tests.http.snapshots import made_once

ADMIN: Final = "the-admin-of-these-tests"
ROLES: Final = ("reader", "judge", "chief_judge", "president")
SEASON: Final[dict[str, Any]] = {
    "slug": "spring",
    "name": "Spring",
    "rule_system": "maffamily",
    "format": "season",
    "starts_on": "2025-03-01",
    "ends_on": "2025-05-31",
}


def bearer(secret: str) -> dict[str, str]:
    """The header that carries a key."""
    return {"authorization": f"Bearer {secret}"}


class Club(NamedTuple):
    """A club that was made over HTTP, with a key of every role."""

    client: AsyncClient
    slug: str
    secrets: dict[str, str]
    """By role; the admin's too."""
    ids: dict[str, str]
    """Public ids of the keys, by role."""

    async def ask(
        self, role: str, method: str, path: str, json: object = None, headers: dict[str, str] | None = None
    ) -> Response:
        """Ask for a path below the club's with the key of a role; ``anonymous`` brings none."""
        carried = bearer(self.secrets[role]) if role in self.secrets else {}
        address = f"/v1/clubs/{self.slug}{path}"
        return await self.client.request(method, address, json=json, headers={**carried, **(headers or {})})


async def new_club(client: AsyncClient, slug: str = "moscow", timezone: str = "Europe/Moscow") -> Club:
    """A club with a key of every role."""
    body = {"slug": slug, "name": slug.title(), "timezone": timezone}
    made = await client.post("/v1/clubs", json=body, headers=bearer(ADMIN))
    assert made.status_code == 201, made.text
    key = made.json()["key"]
    club = Club(client, slug, {"admin": ADMIN, "president": key["secret"]}, {"president": key["id"]})
    for role in ("reader", "judge", "chief_judge"):
        key = (await club.ask("president", "POST", "/keys", {"role": role, "name": f"a {role}"})).json()
        club.secrets[role] = key["secret"]
        club.ids[role] = key["id"]
    return club


@pytest.fixture
def kept_app(database_url: str, request: pytest.FixtureRequest) -> Iterator[FastAPI]:
    """The service on a database that is up to date and empty; runs on SQLite and on PostgreSQL.

    What a test leaves behind must be sound, unless it is marked ``unsound``.
    """
    app = create_app(Settings(database_url=database_url, admin_key=SecretStr(ADMIN)))
    yield app
    unsound = request.node.get_closest_marker("unsound") is not None
    differences = [] if unsound else list(audit(app.state.database))
    app.state.database.close()
    assert differences == []


@pytest.fixture
async def kept_client(kept_app: FastAPI) -> AsyncIterator[AsyncClient]:
    transport = ASGITransport(kept_app, raise_app_exceptions=False)
    async with AsyncClient(transport=transport, base_url="http://mafrate") as client:
        yield client


@pytest.fixture
async def club(kept_app: FastAPI, kept_client: AsyncClient) -> Club:
    """A club in Moscow's time zone with a key of every role."""
    made = await made_once(kept_app, "club moscow", lambda: new_club(kept_client))
    return Club(kept_client, made.slug, {**made.secrets}, {**made.ids})


@pytest.fixture
async def other_club(kept_app: FastAPI, kept_client: AsyncClient) -> Club:
    """Another club of the same service."""
    made = await made_once(kept_app, "club kyiv", lambda: new_club(kept_client, "kyiv", "Europe/Kyiv"))
    return Club(kept_client, made.slug, {**made.secrets}, {**made.ids})
