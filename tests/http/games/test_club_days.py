"""The club's day: it ends in the night, at ``day_ends_at`` by the club's clock (docs/games.md#the-evenings-day)."""

from datetime import date, datetime
from typing import Any

import pytest
from fastapi import FastAPI
from httpx import AsyncClient

from app.routers.common import use_case
from app.routers.files import imports
from app.services.clubs.clubs import day_at
from tests.http.club import SEASON, Club, new_club
from tests.http.conftest import RED_WON
from tests.http.importing import bring, ndjson
from tests.http.kept_season import KeptSeason, faults, make_season, read

pytestmark = pytest.mark.anyio

NICKNAMES = [f"P{number}" for number in range(1, 11)]


def at(monkeypatch: pytest.MonkeyPatch, moment: str) -> None:
    """Stop the clock of the service."""

    class Then(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return datetime.fromisoformat(moment)

    for module in (use_case, imports):
        monkeypatch.setattr(module, "datetime", Then)


class Clock:
    def __init__(self, timezone: str, day_ends_at: str) -> None:
        self.timezone, self.day_ends_at = timezone, day_ends_at


@pytest.mark.parametrize(
    "timezone, ends, moment, day",
    [
        ("Europe/Moscow", "06:00", "2025-03-14T22:30:00+00:00", date(2025, 3, 14)),  # 01:30
        ("Europe/Moscow", "00:00", "2025-03-14T22:30:00+00:00", date(2025, 3, 15)),
        ("Europe/Moscow", "06:00", "2025-03-15T02:59:59+00:00", date(2025, 3, 14)),
        ("Europe/Moscow", "06:00", "2025-03-15T03:00:00+00:00", date(2025, 3, 15)),
        ("Europe/Moscow", "12:00", "2025-03-15T08:59:59+00:00", date(2025, 3, 14)),
        ("Europe/Moscow", "12:00", "2025-03-15T09:00:00+00:00", date(2025, 3, 15)),
        ("UTC", "06:00", "2025-03-15T01:30:00+00:00", date(2025, 3, 14)),
        ("UTC", "00:00", "2025-03-15T00:00:00+00:00", date(2025, 3, 15)),
        ("UTC", "00:01", "2025-03-15T00:00:00+00:00", date(2025, 3, 14)),
        # In the night of 30 March the clocks of Berlin go from 02:00 to 03:00: its day ends at six all the same.
        ("Europe/Berlin", "06:00", "2025-03-30T03:59:59+00:00", date(2025, 3, 29)),
        ("Europe/Berlin", "06:00", "2025-03-30T04:00:00+00:00", date(2025, 3, 30)),
        # 02:30 is skipped that night: at one second past 01:59:59 the clock shows 03:00.
        ("Europe/Berlin", "02:30", "2025-03-30T00:59:59+00:00", date(2025, 3, 29)),
        ("Europe/Berlin", "02:30", "2025-03-30T01:00:00+00:00", date(2025, 3, 30)),
        ("No/Where", "06:00", "2025-03-15T01:30:00+00:00", date(2025, 3, 14)),
    ],
)
def test_the_day_of_a_club(timezone: str, ends: str, moment: str, day: date) -> None:
    assert day_at(Clock(timezone, ends), datetime.fromisoformat(moment)) == day


@pytest.mark.parametrize(
    "timezone, moment, day",
    [
        ("Europe/Moscow", "2025-03-14T22:30:00+00:00", "2025-03-14"),
        ("Europe/Moscow", "2025-03-15T03:00:00+00:00", "2025-03-15"),
        ("UTC", "2025-03-15T01:30:00+00:00", "2025-03-14"),
        ("UTC", "2025-03-15T06:00:00+00:00", "2025-03-15"),
    ],
)
async def test_games_and_registrations_after_midnight_are_of_the_evening(
    kept_client: AsyncClient, monkeypatch: pytest.MonkeyPatch, timezone: str, moment: str, day: str
) -> None:
    club = await new_club(kept_client, timezone=timezone)
    assert (await club.ask("president", "POST", "/seasons", SEASON)).status_code == 201
    at(monkeypatch, moment)
    for nickname in NICKNAMES:
        made = await club.ask("judge", "POST", "/players", {"nickname": nickname})
        assert made.json()["registered_on"] == day
    game = await club.ask("judge", "POST", "/seasons/spring/games", RED_WON)
    assert game.json()["game"]["played_on"] == day
    table = read(await club.ask("reader", "GET", f"/seasons/spring/standings?as_of={day}"))
    assert table["games"] == 1


@pytest.mark.parametrize("moment, refused", [("2025-06-01T02:59:59+00:00", False), ("2025-06-01T03:00:00+00:00", True)])
async def test_the_last_evening_of_a_season_ends_in_the_night(
    spring: KeptSeason, game: dict[str, Any], monkeypatch: pytest.MonkeyPatch, moment: str, refused: bool
) -> None:
    """The season ends on 31 May; Moscow is three hours ahead."""
    at(monkeypatch, moment)
    answer = await spring.submit(game)
    if refused:
        assert faults(answer) == [("played_on_outside_season", "/played_on")]
    else:
        assert read(answer, 201)["game"]["played_on"] == "2025-05-31"


async def test_imported_games_without_a_day_are_of_the_evening(
    spring: KeptSeason, game: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    at(monkeypatch, "2025-03-14T22:30:00+00:00")
    found = await bring(spring, ndjson([game]))
    assert (await spring.get(found.games[0]["id"]))["game"]["played_on"] == "2025-03-14"


async def test_another_end_of_the_day_moves_no_kept_game(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (await club.ask("president", "POST", "/seasons", SEASON)).status_code == 201
    for nickname in NICKNAMES:
        await club.ask("judge", "POST", "/players", {"nickname": nickname})
    at(monkeypatch, "2025-03-14T22:30:00+00:00")
    kept = (await club.ask("judge", "POST", "/seasons/spring/games", RED_WON)).json()
    await club.ask("president", "PATCH", "", {"day_ends_at": "00:00"})
    after = (await club.ask("judge", "GET", f"/seasons/spring/games/{kept['id']}")).json()
    assert after == kept
    later = (await club.ask("judge", "POST", "/seasons/spring/games", {**RED_WON, "table": 2})).json()
    assert (kept["game"]["played_on"], later["game"]["played_on"]) == ("2025-03-14", "2025-03-15")


async def test_an_evening_that_lasts_into_the_night_is_rated(
    kept_app: FastAPI, kept_client: AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Registered at 01:30, playing at 02:00 a game of the evening: the same day."""
    city = make_season(kept_app.state.database, kept_client, system="city-average", nicknames=5)
    at(monkeypatch, "2025-03-14T22:30:00+00:00")
    path = f"/v1/clubs/{city.club}/players"
    headers = {"authorization": f"Bearer {city.secrets['judge']}"}
    assert read(await kept_client.post(path, json={"nickname": "P6"}, headers=headers), 201)
    roles = ["citizen", "citizen", "citizen", "citizen", "mafia", "don"]
    seats = [
        {"seat": n, "player": f"P{n}", "role": role} | ({"days_lived": 3} if n < 5 else {})
        for n, role in enumerate(roles, 1)
    ]
    kept = await city.kept({"outcome": "red", "seats": seats})
    assert kept["game"]["played_on"] == "2025-03-14"
    assert kept["breakdown"]["warnings"] == []
