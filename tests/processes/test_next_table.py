"""A game that one worker took is in the table that the next request reads, whichever worker gets it."""

import httpx

from app.repositories.database import Database
from tests.http.kept_season import found
from tests.processes.running import any_game, running

GAMES = 25
READERS = 4
"""Requests after each game, each a new connection: both workers get some."""


def test_every_table_holds_every_game_that_was_answered_before(database: Database, database_url: str) -> None:
    season = found(database)
    standings = season.path.replace("/games", "/standings")
    headers = {"authorization": f"Bearer {season.secrets['judge']}"}
    seen = set()
    with (
        running(database_url, workers=2) as address,
        httpx.Client(base_url=address, limits=httpx.Limits(max_keepalive_connections=0), timeout=60) as http,
    ):
        for number in range(1, GAMES + 1):
            submitted = http.post(season.path, json=any_game(number), headers=headers)
            assert submitted.status_code == 201, submitted.text
            for _ in range(READERS):
                table = http.get(standings)
                assert table.json()["revision"] == number
                assert table.json()["games"] == number
                again = http.get(standings, headers={"if-none-match": table.headers["etag"]})
                assert again.status_code == 304
            seen.add(table.headers["etag"])
    assert len(seen) == GAMES
