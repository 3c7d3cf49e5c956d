"""Archives of seasons, taken and brought in over HTTP, and a second service to bring them into."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from io import BytesIO
from pathlib import Path
from typing import Final
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from fastapi import FastAPI
from httpx import ASGITransport, AsyncClient, Response
from pydantic import SecretStr

from app.config import Settings
from app.main import create_app
from app.repositories.database import Database
from app.repositories.schema import bring_up_to_date
from tests.http.club import ADMIN, bearer
from tests.http.desk import ask
from tests.http.kept_season import KeptSeason, read

ZIP: Final = "application/zip"


@asynccontextmanager
async def service(path: Path) -> AsyncIterator[AsyncClient]:
    """A client of a service on an SQLite database that was empty."""
    app = create_app(Settings(database_url=f"sqlite:///{path}", admin_key=SecretStr(ADMIN)))
    bring_up_to_date(app.state.database)
    async with client_of(app) as client:
        yield client
    app.state.database.close()


@pytest.fixture
async def elsewhere(tmp_path: Path) -> AsyncIterator[AsyncClient]:
    """A client of another service."""
    async with service(tmp_path / "elsewhere.db") as client:
        yield client


def client_of(app: FastAPI) -> AsyncClient:
    return AsyncClient(transport=ASGITransport(app, raise_app_exceptions=False), base_url="http://mafrate")


def database_of(client: AsyncClient) -> Database:
    """Where the service keeps its seasons."""
    database: Database = client._transport.app.state.database  # type: ignore[attr-defined]
    return database


async def taken(season: KeptSeason, role: str = "president") -> Response:
    return await ask(season, role, "GET", f"/seasons/{season.slug}/archive.zip")


async def archive_of(season: KeptSeason) -> bytes:
    answer = await taken(season)
    assert answer.status_code == 200, answer.text
    return answer.content


async def bring_in(
    client: AsyncClient, secret: str | None, archive: bytes, query: str = "", club: str = "moscow", media: str = ZIP
) -> Response:
    carried = {"content-type": media} | ({} if secret is None else bearer(secret))
    return await client.post(f"/v1/clubs/{club}/archives{query}", content=archive, headers=carried)


async def new_club(client: AsyncClient, slug: str = "moscow") -> str:
    """The secret of the president of a club that was just made."""
    body = {"slug": slug, "name": slug, "timezone": "Europe/Moscow"}
    made = read(await client.post("/v1/clubs", json=body, headers=bearer(ADMIN)), 201)
    return str(made["key"]["secret"])


async def moved(season: KeptSeason, client: AsyncClient) -> KeptSeason:
    """The season in a new club of another service."""
    secret = await new_club(client)
    read(await bring_in(client, secret, await archive_of(season)), 201)
    return KeptSeason(client, database_of(client), "moscow", season.slug, {"president": secret}, {})


def parts_of(archive: bytes) -> dict[str, bytes]:
    """The files in an archive by name."""
    with ZipFile(BytesIO(archive)) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def zipped(parts: Mapping[str, bytes]) -> bytes:
    file = BytesIO()
    with ZipFile(file, "w", ZIP_DEFLATED) as opened:
        for name, content in parts.items():
            opened.writestr(name, content)
    return file.getvalue()
