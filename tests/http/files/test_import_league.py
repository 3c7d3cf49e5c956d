"""A real league's seasons, imported."""

import io
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import closing
from typing import Any

import pytest
from httpx import ASGITransport, AsyncClient

from app.config import Settings
from app.main import create_app
from app.repositories.database import Database
from app.services.audit import audit
from app.sheets import read_ndjson, write_csv, write_xlsx
from tests.http.importing import CSV, XLSX, bring
from tests.http.kept_season import KeptSeason, make_season, read
from tests.league import COUNTED, EXPECTED, FOLDER, SEASONS, SYSTEMS, top_of

pytestmark = pytest.mark.anyio


@pytest.fixture
async def client(database_url: str) -> AsyncIterator[AsyncClient]:
    app = create_app(Settings(database_url=database_url))
    with closing(app.state.database):
        async with AsyncClient(transport=ASGITransport(app), base_url="http://mafrate") as client:
            client.database = app.state.database  # type: ignore[attr-defined]
            yield client


def a_season(client: AsyncClient, name: str, system: str) -> KeptSeason:
    database: Database = client.database  # type: ignore[attr-defined]
    return make_season(database, client, club=f"{name}-{system}", system=system, days=(None, None), nicknames=0)


async def counted_as_expected(season: KeptSeason, figures: dict[str, Any], content: bytes) -> None:
    found = await bring(season, content, "?create_players=true")
    codes = Counter(code for game in found.games for code in {fault["code"] for fault in game["violations"]})
    assert codes == figures["games_with_violation"]
    assert found.summary["created"] == figures["valid"]
    standings = read(await season.client.get(season.path.replace("/games", "/standings")))
    assert (standings["games"], len(standings["rows"])) == (figures["valid"], figures["players"])
    assert top_of(standings) == figures["top"]


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_the_league_imports_and_running_it_again_changes_nothing(client: AsyncClient) -> None:
    for name in SEASONS:
        season = a_season(client, name, "maffamily")
        content = (FOLDER / f"{name}.ndjson").read_bytes()
        first = await bring(season, content, "?create_players=true")
        assert first.summary["created"] + first.summary["invalid"] == len(first.games) == content.count(b"\n")
        again = await bring(season, content, "?create_players=true")
        told = ["unchanged" if result == "created" else result for result in first.results]
        assert (again.results, again.summary["created"]) == (told, 0)
        assert [game["violations"] for game in again.games] == [game["violations"] for game in first.games]
    assert list(audit(season.database)) == []


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
@pytest.mark.parametrize("system", SYSTEMS)
async def test_every_counted_season_has_the_expected_faults_and_table(client: AsyncClient, system: str) -> None:
    for name in COUNTED:
        content = (FOLDER / f"{name}.ndjson").read_bytes()
        await counted_as_expected(a_season(client, name, system), EXPECTED[name][system], content)


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
async def test_a_season_from_a_workbook_has_them_too(client: AsyncClient) -> None:
    games = [game.game for game in read_ndjson([(FOLDER / "s05.ndjson").read_bytes()]) if game.game]
    file = io.BytesIO()
    write_xlsx(games, file, "ru")
    season = a_season(client, "s05", "maffamily")
    found = await bring(season, file.getvalue(), "?create_players=true", media=XLSX)
    assert found.summary["created"] == EXPECTED["s05"]["maffamily"]["valid"]
    again = await bring(season, b"".join(write_csv(games)), media=CSV)
    assert again.summary["unchanged"] == found.summary["created"]
    assert list(audit(season.database)) == []
