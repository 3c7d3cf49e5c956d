"""The days of a season (docs/api.md#standings)."""

import pytest

from tests.http.conftest import RED_WON
from tests.http.kept_season import KeptSeason, read
from tests.http.tables import FIRST, SECOND, ask

pytestmark = pytest.mark.anyio


async def test_each_day_tells_how_many_games_and_players_it_had(spring: KeptSeason) -> None:
    assert (await ask(spring, "/days")).json() == []
    await spring.kept(SECOND)
    await spring.kept(FIRST)
    for seat in (other := RED_WON | FIRST | {"table": 2, "seats": [dict(seat) for seat in FIRST["seats"]]})["seats"]:
        if seat["seat"] == 1:
            seat["player"] = "Visitor"
    read(await spring.ask("president", "POST", "?create_players=true", other), 201)
    assert (await ask(spring, "/days")).json() == [
        {"day": "2025-03-14", "games": 2, "players": 11},
        {"day": "2025-03-20", "games": 1, "players": 10},
    ]


async def test_a_day_goes_with_its_last_game(spring: KeptSeason) -> None:
    kept = await spring.kept(FIRST)
    other = await spring.kept(SECOND)
    moved = read(await spring.correct(other, SECOND | {"played_on": "2025-03-14"}, query="?allow_duplicate=true"))
    assert (await ask(spring, "/days")).json() == [{"day": "2025-03-14", "games": 2, "players": 10}]
    for game in (kept, moved):
        read(await spring.ask("judge", "DELETE", f"/{game['id']}?reason=twice", headers={"if-match": game["etag"]}))
    assert (await ask(spring, "/days")).json() == []
