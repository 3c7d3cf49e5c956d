"""A database put back under services that run on it: what they answer next is of what was put back."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import pytest
from fastapi import FastAPI
from httpx import ASGITransport, AsyncClient, Response

from app.config import Settings
from app.main import create_app
from app.repositories import backups
from tests.http.club import bearer
from tests.http.kept_season import KeptSeason, make_season
from tests.http.tables import FIRST, SECOND, ask, id_of, table

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)]

PATHS = (
    "/standings",
    "/standings?order=points",
    "/standings?revision=1",
    "/standings?rule_system=sport-percent",
    "/standings.csv",
    "/standings.xlsx",
    "/awards",
    "/games",
    "/games.ndjson",
    "",
)


class Services(NamedTuple):
    """Two services on one database, who know the season, and a copy of the database before any game."""

    first: KeptSeason
    second: KeptSeason
    url: str
    copy: Path

    def restore(self) -> None:
        """Put the copy back."""
        backups.restore(self.url, self.copy)


@asynccontextmanager
async def service(settings: Settings) -> AsyncIterator[tuple[FastAPI, AsyncClient]]:
    app = create_app(settings)
    try:
        async with AsyncClient(transport=ASGITransport(app), base_url="http://mafrate") as client:
            yield app, client
    finally:
        app.state.scoreboard.close()
        app.state.database.close()


@pytest.fixture(params=["alone", "redis"])
async def services(
    request: pytest.FixtureRequest, database_url: str, redis_url: str, tmp_path: Path
) -> AsyncIterator[Services]:
    settings = Settings(database_url=database_url, cache_url=redis_url if request.param == "redis" else None)
    async with AsyncExitStack() as until:
        app, client = await until.enter_async_context(service(settings))
        _, other = await until.enter_async_context(service(settings))
        season = make_season(app.state.database, client)
        copy = tmp_path / "copy.db"
        backups.back_up(database_url, copy)
        yield Services(season, season._replace(client=other), database_url, copy)


async def answers(season: KeptSeason, tags: dict[str, str] | None = None) -> dict[str, Response]:
    """What each path is answered, asked with the tag that it had before."""
    return {path: await ask(season, path, if_none_match=(tags or {}).get(path, "")) for path in PATHS}


async def bodies(settings: Settings, season: KeptSeason) -> dict[str, bytes]:
    """What a service answers that was just started and knows nothing."""
    async with service(settings) as (_, client):
        return {path: answer.content for path, answer in (await answers(season._replace(client=client))).items()}


async def test_nothing_of_the_database_before_is_answered(services: Services) -> None:
    """The season comes to the same revision again, by another game."""
    await services.first.kept(FIRST)
    before = [await answers(season) for season in (services.first, services.second)]
    services.restore()
    await services.first.kept(SECOND)
    expected = await bodies(Settings(database_url=services.url), services.first)
    for season, then in zip((services.first, services.second), before, strict=True):
        tags = {path: answer.headers["etag"] for path, answer in then.items() if path}
        for path, answer in (await answers(season, tags)).items():
            if path:
                assert (answer.status_code, answer.content) == (200, expected[path]), path
    assert (await table(services.second))["revision"] == 1
    assert b"P10" in expected["/standings.csv"]


async def test_a_season_that_went_on_otherwise_is_read_anew(services: Services) -> None:
    """The services know revision 1 of the one, and the season is at revision 2 of the other when they look again."""
    await services.first.kept(FIRST)
    await answers(services.second)
    services.restore()
    for game in (SECOND, {**SECOND, "number": 2}):
        await services.first.kept(game)
    expected = await bodies(Settings(database_url=services.url), services.first)
    for path, answer in (await answers(services.second)).items():
        assert answer.content == expected[path], path
    assert {row["values"]["wins"] for row in (await table(services.second))["rows"]} == {0, 2}


async def test_what_was_made_since_the_copy_is_gone_at_once(services: Services) -> None:
    president = bearer(services.first.secrets["president"])
    path = f"/v1/clubs/{services.first.club}/keys"
    made = await services.first.client.post(path, json={"role": "judge"}, headers=president)
    await services.first.kept(FIRST)
    player = id_of(await table(services.first), "P1")
    for season in services[:2]:
        assert (await ask(season, f"/standings/{player}")).status_code == 200
    services.restore()
    for season in services[:2]:
        assert (await table(season))["games"] == 0
        assert (await ask(season, f"/standings/{player}")).status_code == 404
        me = await season.client.get("/v1/me", headers=bearer(made.json()["secret"]))
        assert me.status_code == 401
        assert (await season.client.get("/v1/me", headers=president)).status_code == 200
