"""Archives of seasons, taken and brought in over HTTP, and a second service to bring them into."""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from copy import deepcopy
from io import BytesIO
from pathlib import Path
from typing import Any, Final, TypeAlias
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from fastapi import FastAPI
from httpx import ASGITransport, AsyncClient, Response
from pydantic import SecretStr

from app.config import Settings
from app.main import create_app
from app.repositories.database import Database
from app.repositories.schema import newest_version
from tests.databases import migrated_sqlite
from tests.http.club import ADMIN, bearer
from tests.http.desk import ask
from tests.http.kept_season import KeptSeason, make_season, read

ZIP: Final = "application/zip"

Lines: TypeAlias = list[dict[str, Any]]


@asynccontextmanager
async def service(path: Path) -> AsyncIterator[AsyncClient]:
    """A client of a service on an SQLite database that was empty."""
    path.write_bytes(migrated_sqlite())
    app = create_app(Settings(database_url=f"sqlite:///{path}", admin_key=SecretStr(ADMIN)))
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


def of_older_service(archive: bytes, version: str) -> bytes:
    """The archive as if an older version of the schema had written it, before clubs said when their day ends and
    seasons hid games.
    """
    parts = parts_of(archive)
    for table, later in (("clubs", {"day_ends_at"}), ("seasons", {"hidden_stage", "hidden_day"})):
        rows = [json.loads(line) for line in parts[f"{table}.ndjson"].splitlines()]
        written = [{name: value for name, value in row.items() if name not in later} for row in rows]
        parts[f"{table}.ndjson"] = b"".join(json.dumps(row).encode() + b"\n" for row in written)
    parts["mafrate.json"] = parts["mafrate.json"].replace(newest_version().encode(), version.encode())
    return zipped(parts)


def parts_of(archive: bytes) -> dict[str, bytes]:
    """The files in an archive by name."""
    with ZipFile(BytesIO(archive)) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def zipped(parts: Mapping[str, bytes], method: int = ZIP_DEFLATED) -> bytes:
    file = BytesIO()
    with ZipFile(file, "w", method) as opened:
        for name, content in parts.items():
            opened.writestr(name, content)
    return file.getvalue()


@pytest.fixture
async def archive(tmp_path: Path, game: dict[str, Any]) -> bytes:
    """Of a season of two games, the first of which was corrected; closed."""
    async with service(tmp_path / "source.db") as client:
        return await archive_of(await closed(make_season(database_of(client), client), game))


async def closed(spring: KeptSeason, game: dict[str, Any]) -> KeptSeason:
    first = await spring.kept({**game, "played_on": "2025-03-14"})
    read(await spring.correct(first, {**game, "played_on": "2025-03-14", "outcome": "black"}))
    bonused = deepcopy(game) | {"played_on": "2025-03-15"}
    bonused["seats"][0]["bonus"] = 0.6
    await spring.kept(bonused, "president")
    read(await ask(spring, "president", "POST", "/seasons/spring/close"))
    return spring


def lines_of(archive: bytes, table: str) -> Lines:
    return [json.loads(line) for line in parts_of(archive)[f"{table}.ndjson"].splitlines()]


def with_lines(archive: bytes, table: str, lines: Lines) -> bytes:
    """The archive with other rows of a table, of which its manifest says how many there are."""
    parts = parts_of(archive)
    parts[f"{table}.ndjson"] = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    manifest = json.loads(parts["mafrate.json"])
    manifest["rows"][table] = len(lines)
    parts["mafrate.json"] = json.dumps(manifest).encode()
    return zipped(parts)


def edited(archive: bytes, table: str, line: int, **members: object) -> bytes:
    """The archive with other values in one row; lines are counted from 1."""
    lines = lines_of(archive, table)
    lines[line - 1] |= members
    return with_lines(archive, table, lines)


def faults(answer: Response) -> list[tuple[str, str]]:
    assert answer.status_code == 422, answer.text
    assert answer.json()["type"] == "/problems/invalid-request"
    return [(found["code"], found["pointer"]) for found in answer.json()["violations"]]


async def kept_nothing(client: AsyncClient, secret: str) -> bool:
    read_all = [await client.get(f"/v1/clubs/moscow/{name}", headers=bearer(secret)) for name in ("seasons", "players")]
    return all(read(answer)["items"] == [] for answer in read_all)
