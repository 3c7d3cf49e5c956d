"""A real league's games through HTTP."""

import json
from collections import Counter
from decimal import Decimal
from typing import Any

import pytest
from httpx import AsyncClient

from tests.league import COUNTED, EXPECTED, SEASONS, SYSTEMS, VERSION, lines_of, top_of

pytestmark = pytest.mark.anyio

JSON = {"content-type": "application/json"}


async def valid_and_broken(client: AsyncClient, system: str, games: list[bytes]) -> tuple[list[bytes], Counter[str]]:
    """The games that scoring takes, and in how many of the others each code occurs."""
    valid: list[bytes] = []
    broken: Counter[str] = Counter()
    for game in games:
        answer = await client.post(f"/v1/rule-systems/{system}/score?version={VERSION}", content=game, headers=JSON)
        if answer.status_code == 200:
            valid.append(game)
        else:
            problem = answer.json()
            assert problem["type"] == "/problems/rule-violation", problem
            broken.update({violation["code"] for violation in problem["violations"]})
    return valid, broken


async def table(client: AsyncClient, system: str, games: list[bytes]) -> dict[str, Any]:
    body = b'{"format": "season", "games": [' + b",".join(games) + b"]}"
    answer = await client.post(f"/v1/rule-systems/{system}/standings?version={VERSION}", content=body, headers=JSON)
    assert answer.status_code == 200, answer.text
    read: dict[str, Any] = json.loads(answer.content, parse_float=Decimal)
    return read


@pytest.mark.parametrize(
    "system, codes",
    [
        ("maffamily", {"best_move_size", "bonus_players_exceeded", "bonus_range", "bonus_total_exceeded"}),
        ("sport-percent", {"best_move_size", "bonus_range", "bonus_total_exceeded"}),
    ],
)
def test_every_code_that_the_league_meets_is_among_its_seasons_here(system: str, codes: set[str]) -> None:
    assert set().union(*(EXPECTED[name][system]["games_with_violation"] for name in COUNTED)) == codes


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("name", SEASONS)
async def test_every_figure_of_a_real_season_agrees(client: AsyncClient, name: str, system: str) -> None:
    games = lines_of(name)
    valid, broken = await valid_and_broken(client, system, games)
    standings = await table(client, system, valid)
    assert standings["games"] == len(valid)
    expected = EXPECTED.get(name)
    if expected is None:
        return  # Nobody counted it; it must only never fail.
    figures = expected[system]
    assert len(games) == expected["games"]
    assert len(valid) == figures["valid"]
    assert broken == figures["games_with_violation"]
    assert len(standings["rows"]) == figures["players"]
    assert top_of(standings) == figures["top"]
