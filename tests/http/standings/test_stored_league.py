"""A real league's seasons kept here, with the mistakes and second thoughts of a real club on the way.

expected.json was counted without this project's code, from the valid games alone.
"""

import json
import random
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from httpx import ASGITransport, AsyncClient

from app.config import Settings
from app.main import create_app
from app.services.audit import audit
from tests.http.kept_season import KeptSeason, make_season, read

pytestmark = pytest.mark.anyio

SYSTEMS = ["maffamily", "sport-percent"]


@pytest.fixture
def tmp_path(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """In memory where the machine has such a file system: of three thousand commits none needs to outlive the test."""
    memory = Path("/dev/shm")
    if not memory.is_dir():
        yield tmp_path_factory.mktemp("league")
        return
    with tempfile.TemporaryDirectory(prefix="mafrate-test-", dir=memory) as folder:
        yield Path(folder)


@pytest.fixture
async def client(database_url: str) -> AsyncIterator[AsyncClient]:
    app = create_app(Settings(database_url=database_url))
    with closing(app.state.database):
        async with AsyncClient(transport=ASGITransport(app), base_url="http://mafrate") as client:
            client.app = app  # type: ignore[attr-defined]
            yield client


def players_shifted(game: dict[str, Any]) -> dict[str, Any]:
    """The same game with everybody one seat further: a mistake that the rules cannot see."""
    names = [seat["player"] for seat in game["seats"]]
    shifted = names[-1:] + names[:-1]
    seats = [{**seat, "player": name} for seat, name in zip(game["seats"], shifted, strict=True)]
    return {**game, "seats": seats}


async def play(season: KeptSeason, games: list[dict[str, Any]], chance: random.Random) -> int:
    """Keep the valid games in a random order, as the president; how many they are.

    Every tenth is submitted wrong first and corrected, every twentieth voided and later restored.
    """
    chance.shuffle(games)
    valid, voided = 0, []
    for number, game in enumerate(games):
        mistaken = number % 10 == 3
        sent = players_shifted(game) if mistaken else game
        answer = await season.ask("president", "POST", "?create_players=true", sent)
        if answer.status_code == 422:
            assert answer.json()["type"] == "/problems/rule-violation", answer.text
            continue
        kept = read(answer, 201)
        valid += 1
        if mistaken:
            kept = read(await season.correct(kept, game, "president", "?reason=wrong%20seats"))
        if number % 20 in (3, 17):
            voided.append(read(await season.ask("president", "DELETE", f"/{kept['id']}"))["id"])
    chance.shuffle(voided)
    for game_id in voided:
        assert read(await season.ask("president", "POST", f"/{game_id}/restore"))["status"] == "counted"
    return valid


async def kept_as_expected(client: AsyncClient, league: Path, name: str, system: str) -> None:
    games = [json.loads(line, parse_float=str) for line in (league / f"{name}.ndjson").read_bytes().splitlines()]
    figures = json.loads((league / "expected.json").read_text(), parse_float=Decimal)[name][system]
    database = client.app.state.database  # type: ignore[attr-defined]
    season = make_season(database, client, club=f"{name}-{system}", system=system, days=(None, None), nicknames=0)
    assert await play(season, games, random.Random(f"{name} {system}")) == figures["valid"]
    standings = read(await client.get(season.path.replace("/games", "/standings")))
    assert standings["games"] == figures["valid"]
    assert len(standings["rows"]) == figures["players"]
    top = [
        {
            "rank": row["rank"],
            "player": row["player"]["nickname"],
            **{key: row["values"][key] for key in ("games", "wins", "points", "rating")},
        }
        for row in standings["rows"][:10]
    ]
    assert top == figures["top"]


@pytest.mark.parametrize("system", SYSTEMS)
async def test_a_season_kept_with_mistakes_gives_the_table_of_its_games(
    client: AsyncClient, league: Path, system: str
) -> None:
    await kept_as_expected(client, league, "s00", system)
    assert list(audit(client.app.state.database)) == []  # type: ignore[attr-defined]


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_every_counted_season_of_the_league_gives_its_table(client: AsyncClient, league: Path) -> None:
    for number in range(1, 10):
        for system in SYSTEMS:
            await kept_as_expected(client, league, f"s{number:02}", system)
    assert list(audit(client.app.state.database)) == []  # type: ignore[attr-defined]
