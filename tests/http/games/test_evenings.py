"""Evenings over HTTP: who is there, how many games each played and missed, and who plays next."""

import random
from copy import deepcopy
from typing import Any

import pytest
from httpx import Response

from app.scoring.seating import seated
from tests.http.club import Club, bearer
from tests.http.conftest import RED_WON
from tests.http.kept_season import KeptSeason, problem, read

pytestmark = pytest.mark.anyio

DAY = "2025-03-14"


class Evening:
    """An evening of the club of a season."""

    def __init__(self, season: KeptSeason) -> None:
        self.season = season
        self.etag: str | None = None

    async def ask(
        self, method: str, path: str = "", json: object = None, role: str = "judge", **headers: str
    ) -> Response:
        address = f"/v1/clubs/{self.season.club}/evenings/{DAY}{path}"
        carried = {**bearer(self.season.secrets[role]), **{name.replace("_", "-"): of for name, of in headers.items()}}
        return await self.season.client.request(method, address, json=json, headers=carried)

    async def there(self, *players: str) -> dict[str, Any]:
        answer = await self.ask("PUT", "", {"players": players}, **({"if_match": self.etag} if self.etag else {}))
        self.etag = answer.headers.get("etag")
        return read(answer)

    async def get(self) -> dict[str, Any]:
        return read(await self.ask("GET", role="reader"))

    async def draw(self, table: int = 1, seats: int = 10) -> dict[str, Any]:
        return read(await self.ask("POST", "/seating", {"table": table, "seats": seats}), 201)

    async def play(self, seating: dict[str, Any]) -> None:
        """The game that was drawn is played and stored."""
        game = deepcopy(RED_WON) | {"played_on": DAY, "table": seating["table"], "number": seating["number"]}
        for seat, drawn in zip(game["seats"], seating["seats"], strict=True):
            seat["player"] = drawn["player"]["nickname"]
        await self.season.kept(game)


@pytest.fixture
async def evening(spring: KeptSeason) -> Evening:
    for number in range(11, 24):
        await spring.client.post(
            f"/v1/clubs/{spring.club}/players",
            json={"nickname": f"P{number}"},
            headers=bearer(spring.secrets["judge"]),
        )
    return Evening(spring)


def names(*numbers: int) -> list[str]:
    return [f"P{number}" for number in numbers]


def counted(evening: dict[str, Any]) -> dict[str, tuple[int, int]]:
    """Played and missed by nickname, in order of arrival."""
    return {one["player"]["nickname"]: (one["played"], one["missed"]) for one in evening["players"]}


async def test_who_comes_stays_in_order_and_who_is_not_named_has_left(evening: Evening) -> None:
    assert await evening.get() == {"day": DAY, "players": [], "tables": []}
    first = await evening.there("P2", "p1 ")
    assert [one["player"]["nickname"] for one in first["players"]] == names(2, 1)
    ids = [one["player"]["id"] for one in first["players"]]
    second = await evening.there(ids[1], "P3", ids[0])
    assert [one["player"]["nickname"] for one in second["players"]] == names(1, 3, 2)
    came = {one["player"]["nickname"]: one["arrived_at"] for one in second["players"]}
    assert came["P1"] == came["P2"] == first["players"][0]["arrived_at"] < came["P3"]
    assert await evening.get() == second
    third = await evening.there("P3")
    assert [one["player"]["nickname"] for one in third["players"]] == ["P3"]


async def test_after_the_first_time_if_match_is_needed(evening: Evening) -> None:
    await evening.there("P1")
    stale = evening.etag
    assert problem(await evening.ask("PUT", "", {"players": ["P2"]}))[0] == 428
    await evening.there("P1", "P2")
    assert problem(await evening.ask("PUT", "", {"players": ["P3"]}, if_match=str(stale)))[0] == 412
    got = (await evening.ask("GET")).headers["etag"]
    await evening.play(await evening_of_ten(evening, got))
    assert counted(await evening.get())["P1"] == (1, 0)


async def evening_of_ten(evening: Evening, etag: str) -> dict[str, Any]:
    """A game does not spoil the tag; ten are there, and drawn."""
    evening.etag = etag
    await evening.there(*names(*range(1, 11)))
    return await evening.draw()


@pytest.mark.parametrize(
    "players, pointers", [(["P1", "nobody"], ["/players/1"]), (["P1", "P2", "p1"], ["/players/2"])]
)
async def test_who_is_nobody_or_there_twice_is_refused(
    evening: Evening, players: list[str], pointers: list[str]
) -> None:
    answer = await evening.ask("PUT", "", {"players": players})
    assert problem(answer)[:2] == (422, "invalid-request")
    assert [fault["pointer"] for fault in answer.json()["violations"]] == pointers
    assert (await evening.get())["players"] == []


async def test_who_missed_most_plays_next_and_late_guests_wait_for_nobody_who_came_later(evening: Evening) -> None:
    await evening.there(*names(*range(1, 13)))
    first = await evening.draw()
    assert {one["player"]["nickname"] for one in first["seats"]} == set(names(*range(1, 11)))
    assert [one["nickname"] for one in first["waiting"]] == names(11, 12)
    assert [one["seat"] for one in first["seats"]] == list(range(1, 11))
    ids = [one["player"]["id"] for one in first["seats"]]
    assert tuple(ids) == seated(sorted(ids), first["seed"])
    await evening.there(*names(*range(1, 14)))  # P13 comes while they play
    await evening.play(first)
    after = await evening.get()
    assert counted(after) == {
        **dict.fromkeys(names(*range(1, 11)), (1, 0)),
        **dict.fromkeys(names(11, 12), (0, 1)),
        "P13": (0, 0),
    }
    assert after["tables"] == [{"table": 1, "number": 2, "seats": None}]
    second = await evening.draw()
    assert second["number"] == 2
    assert {one["player"]["nickname"] for one in second["seats"]} == set(names(11, 12, *range(1, 9)))
    assert [one["nickname"] for one in second["waiting"]] == names(9, 10, 13)
    assert (await evening.get())["tables"] == [{"table": 1, "number": 2, "seats": second["seats"]}]


async def test_drawing_again_replaces_a_seating_until_its_game_is_stored(evening: Evening) -> None:
    await evening.there(*names(*range(1, 11)))
    first, second = await evening.draw(), await evening.draw()
    assert (first["number"], second["number"]) == (1, 1)
    assert first["seed"] != second["seed"]
    assert (await evening.get())["tables"] == [{"table": 1, "number": 1, "seats": second["seats"]}]
    await evening.play(second)
    assert (await evening.draw())["number"] == 2


async def test_two_tables_play_a_round_together(evening: Evening) -> None:
    await evening.there(*names(*range(1, 24)))
    one, two = await evening.draw(1), await evening.draw(2)
    playing = [{seat["player"]["nickname"] for seat in seating["seats"]} for seating in (one, two)]
    assert playing == [set(names(*range(1, 11))), set(names(*range(11, 21)))]
    answer = await evening.ask("POST", "/seating", {"table": 3})
    assert problem(answer) == (409, "conflict", "too_few_players")
    assert answer.json()["available"] == 3
    await evening.play(two)
    await evening.play(one)
    missed = {name: missed for name, (_, missed) in counted(await evening.get()).items()}
    assert missed == {**dict.fromkeys(names(*range(1, 21)), 0), **dict.fromkeys(names(21, 22, 23), 1)}
    again = await evening.draw(2)
    assert [table["number"] for table in (await evening.get())["tables"]] == [2, 2]
    assert set(names(21, 22, 23)) < {seat["player"]["nickname"] for seat in again["seats"]}


async def test_games_that_nobody_drew_count_too_and_voided_ones_do_not(evening: Evening) -> None:
    await evening.there(*names(*range(1, 12)))
    game = await evening.season.kept(deepcopy(RED_WON) | {"played_on": DAY})
    assert counted(await evening.get()) == {**dict.fromkeys(names(*range(1, 11)), (1, 0)), "P11": (0, 1)}
    assert (await evening.get())["tables"] == [{"table": None, "number": 2, "seats": None}]
    await evening.season.ask("president", "DELETE", f"/{game['id']}")
    assert counted(await evening.get()) == dict.fromkeys(names(*range(1, 12)), (0, 0))


async def test_a_merged_player_is_there_as_the_survivor(evening: Evening) -> None:
    there = await evening.there(*names(11, 12, 13))
    one, other, _ = [player["player"]["id"] for player in there["players"]]
    president = bearer(evening.season.secrets["president"])
    path = f"/v1/clubs/{evening.season.club}/players"
    merged = await evening.season.client.post(f"{path}/{one}/merge", json={"into": other}, headers=president)
    assert merged.status_code == 200
    assert list(counted(await evening.get())) == names(12, 13)
    gone = (await evening.get())["players"][1]["player"]["id"]
    assert (await evening.season.client.delete(f"{path}/{gone}", headers=president)).status_code == 204
    assert list(counted(await evening.get())) == ["P12"]


async def test_a_day_that_is_none_is_not_found(club: Club) -> None:
    for day in ("2025-02-30", "20250314", "1741910400", "today", "2025-3-14"):
        answer = await club.ask("judge", "GET", f"/evenings/{day}")
        assert problem(answer)[1] == "not-found", day


async def test_evenings_with_late_guests_leave_nobody_behind(evening: Evening) -> None:
    """As tests/scoring/test_seating.py, over HTTP: whoever came together sat out equally often, give or take one."""
    chance = random.Random(1)
    there = names(*range(1, chance.randint(11, 13)))
    for _ in range(6):
        await evening.there(*there)
        await evening.play(await evening.draw())
        there += names(len(there) + 1) if chance.random() < 0.4 else []
    missed = [one["missed"] for one in (await evening.get())["players"]]
    assert max(missed) - min(missed) < 2


async def test_what_is_said_of_an_evening_is_in_the_change_log(evening: Evening) -> None:
    await evening.there(*names(*range(1, 11)))
    seating = await evening.draw()
    answer = await evening.season.client.get(
        f"/v1/clubs/{evening.season.club}/changes", headers=bearer(evening.season.secrets["president"])
    )
    drawn, changed = answer.json()["items"][:2]
    assert (drawn["action"], drawn["target"], drawn["detail"]["seed"]) == ("seating_drawn", DAY, seating["seed"])
    assert (changed["action"], changed["detail"]) == ("evening_changed", {"players": 10})
