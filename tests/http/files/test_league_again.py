"""The games of a real league by every road: one season, and no game twice.

Two of its 2,675 games stand there twice under other numbers (16 May 2021, 29 January 2023): those are conflicts.
"""

from typing import Any

import pytest

from app.repositories.games import games
from app.repositories.seasons import seasons
from app.scoring.exact_json import loads
from app.scoring.game import Game
from app.sheets import write_csv
from app.web.render import render
from tests.http.club import bearer
from tests.http.importing import CSV, bring
from tests.http.kept_season import KeptSeason, make_season, problem
from tests.league import SEASONS, lines_of

pytestmark = pytest.mark.anyio


def of_sheets(season: int, lines: list[bytes]) -> list[dict[str, Any]]:
    """The games as sheets have them: no ids, but day, table and number."""
    sheet = []
    for number, line in enumerate(lines):
        game = loads(line)
        game.pop("external_id", None)
        day = f"20{10 + season}-{1 + number // 280 % 12:02}-{1 + number // 10 % 28:02}"
        sheet.append({"played_on": day, **game, "table": season, "number": number})
    return sheet


async def test_games_of_a_league_by_every_road_are_stored_once(kept_app: Any, kept_client: Any) -> None:
    league = make_season(kept_app.state.database, kept_client, days=(None, None), nicknames=0)
    posted, again = 0, 0
    for season, name in enumerate(SEASONS):
        sheet = of_sheets(season, lines_of(name))
        posted += await _post(league, sheet)
        csv = await bring(
            league, b"".join(write_csv([Game.read(game) for game in sheet], "ru")), "?create_players=true", media=CSV
        )
        lines = b"".join(render(game) + b"\n" for game in sheet)
        ndjson = await bring(league, lines, "?create_players=true")
        for told in (csv, ndjson):
            assert set(told.results) <= {"unchanged", "invalid", "conflict"}
            again += told.results.count("unchanged")
    assert posted > 0
    assert again == 2 * posted == 2 * _stored(league)


async def _post(league: KeptSeason, sheet: list[dict[str, Any]]) -> int:
    created = 0
    for game in sheet:
        headers = {**bearer(league.secrets["judge"]), "content-type": "application/json"}
        answer = await league.client.post(f"{league.path}?create_players=true", content=render(game), headers=headers)
        assert answer.status_code in {201, 422} or problem(answer)[2] == "possible_duplicate", answer.text
        created += answer.status_code == 201
    return created


def _stored(league: KeptSeason) -> int:
    with league.database.read() as tx:
        season = seasons.find(tx, league.club, league.slug)
        assert season
        return sum(games.count_by_status(tx, season.id).values())
