"""A real league's seasons kept here, with the mistakes and second thoughts of a real club on the way."""

import json
import random
from collections.abc import AsyncIterator
from contextlib import closing
from typing import Any

import pytest
from httpx import ASGITransport, AsyncClient

from app.config import Settings
from app.main import create_app
from app.services.audit import audit
from tests.http.kept_season import KeptSeason, make_season, read
from tests.league import COUNTED, EXPECTED, SYSTEMS, lines_of, top_of

pytestmark = pytest.mark.anyio


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


async def kept_as_expected(client: AsyncClient, name: str, system: str) -> None:
    games = [json.loads(line, parse_float=str) for line in lines_of(name)]
    figures = EXPECTED[name][system]
    database = client.app.state.database  # type: ignore[attr-defined]
    season = make_season(database, client, club=f"{name}-{system}", system=system, days=(None, None), nicknames=0)
    assert await play(season, games, random.Random(f"{name} {system}")) == figures["valid"]
    standings = read(await client.get(season.path.replace("/games", "/standings")))
    assert standings["games"] == figures["valid"]
    assert len(standings["rows"]) == figures["players"]
    assert top_of(standings) == figures["top"]


@pytest.mark.parametrize("system", SYSTEMS)
async def test_a_season_kept_with_mistakes_gives_the_table_of_its_games(client: AsyncClient, system: str) -> None:
    await kept_as_expected(client, "s00", system)
    assert list(audit(client.app.state.database)) == []  # type: ignore[attr-defined]


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_every_counted_season_of_the_league_gives_its_table(client: AsyncClient) -> None:
    for name in COUNTED:
        for system in SYSTEMS:
            await kept_as_expected(client, name, system)
    assert list(audit(client.app.state.database)) == []  # type: ignore[attr-defined]
