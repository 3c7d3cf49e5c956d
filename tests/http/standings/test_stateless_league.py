"""A real league's 2,675 games through HTTP; expected.json was counted without this project's code."""

import json
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from httpx import AsyncClient

pytestmark = pytest.mark.anyio

SEASONS = [f"s{number:02}" for number in range(17)]
SYSTEMS = ["maffamily", "sport-percent"]
JSON = {"content-type": "application/json"}


async def valid_and_broken(client: AsyncClient, system: str, games: list[bytes]) -> tuple[list[bytes], Counter[str]]:
    """The games that scoring takes, and in how many of the others each code occurs."""
    valid: list[bytes] = []
    broken: Counter[str] = Counter()
    for game in games:
        answer = await client.post(f"/v1/rule-systems/{system}/score", content=game, headers=JSON)
        if answer.status_code == 200:
            valid.append(game)
        else:
            problem = answer.json()
            assert problem["type"] == "/problems/rule-violation", problem
            broken.update({violation["code"] for violation in problem["violations"]})
    return valid, broken


async def table(client: AsyncClient, system: str, games: list[bytes]) -> dict[str, Any]:
    body = b'{"format": "season", "games": [' + b",".join(games) + b"]}"
    answer = await client.post(f"/v1/rule-systems/{system}/standings", content=body, headers=JSON)
    assert answer.status_code == 200, answer.text
    read: dict[str, Any] = json.loads(answer.content, parse_float=Decimal)
    return read


def season_of(league: Path, name: str) -> list[bytes]:
    return (league / f"{name}.ndjson").read_bytes().splitlines()


def test_the_league_is_whole(league: Path) -> None:
    assert sum(len(season_of(league, name)) for name in SEASONS) == 2675


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("name", SEASONS)
async def test_every_figure_of_a_real_season_agrees(client: AsyncClient, league: Path, name: str, system: str) -> None:
    games = season_of(league, name)
    valid, broken = await valid_and_broken(client, system, games)
    standings = await table(client, system, valid)
    assert standings["games"] == len(valid)
    expected = json.loads((league / "expected.json").read_text(), parse_float=Decimal).get(name)
    if expected is None:
        return  # Seasons 10 to 16 have no independent count; they must only never fail.
    figures = expected[system]
    assert len(games) == expected["games"]
    assert len(valid) == figures["valid"]
    assert broken == figures["games_with_violation"]
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
