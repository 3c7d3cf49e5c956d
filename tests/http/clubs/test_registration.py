"""Registration as of a day: who may write it, and the games that it rates (docs/games.md#registration)."""

from datetime import UTC, datetime
from typing import Any

import pytest
from fastapi import FastAPI
from httpx import AsyncClient

from app.routers.common import use_case
from app.services.audit import audit
from tests.http.archives import archive_of, bring_in, database_of, new_club
from tests.http.club import Club
from tests.http.desk import ask, merge, newcomer, player, row_of, table
from tests.http.games.test_submitting import city_game
from tests.http.kept_season import KeptSeason, make_season, problem, read

pytestmark = pytest.mark.anyio


@pytest.fixture
def noon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Noon of 20 March 2025 in London, 15:00 in Moscow."""

    class Noon(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return datetime(2025, 3, 20, 12, tzinfo=UTC)

    monkeypatch.setattr(use_case, "datetime", Noon)
    monkeypatch.setattr("app.routers.clubs.players.datetime", Noon)


@pytest.fixture
def city(kept_app: FastAPI, kept_client: AsyncClient, noon: None) -> KeptSeason:
    """A season under city-average whose players P1 to P5 are registered since 1 March, the day it starts."""
    return make_season(kept_app.state.database, kept_client, system="city-average", nicknames=5)


async def guest(city: KeptSeason, nickname: str = "P6") -> dict[str, Any]:
    return await newcomer(city, nickname, registered=False)


async def patch(
    city: KeptSeason, one: dict[str, Any], changes: object, query: str = "", role: str = "president"
) -> Any:
    return await ask(city, role, "PATCH", f"/players/{one['id']}{query}", changes)


async def games_of(city: KeptSeason, one: dict[str, Any], query: str = "") -> int:
    """How many games the table counts for a player."""
    whole = read(await ask(city, "reader", "GET", f"/seasons/{city.slug}/standings?include=unpublished{query}"))
    row = row_of(whole, one)
    return 0 if row is None else int(row["values"]["games"])


async def revision(city: KeptSeason) -> int:
    return int((await table(city))["revision"])


async def actions(city: KeptSeason, game: dict[str, Any]) -> list[str]:
    return [one["action"] for one in (await city.get(game["id"], path="/history"))["items"]]


@pytest.mark.usefixtures("noon")
class TestWhoIsRegistered:
    @pytest.mark.parametrize(
        "asked, expected",
        [
            ({"registered_on": "2025-03-20"}, (True, "2025-03-20")),
            ({"registered_on": "2021-01-05"}, (True, "2021-01-05")),
            ({"registered": True, "registered_on": "2021-01-05"}, (True, "2021-01-05")),
            ({"registered_on": None}, (False, None)),
            ({"registered": False, "registered_on": None}, (False, None)),
            ({"registered": False}, (False, None)),
            ({}, (True, "2025-03-20")),
        ],
    )
    async def test_a_new_player_is_registered_as_of_the_day_that_is_said(
        self, club: Club, asked: dict[str, Any], expected: tuple[bool, str | None]
    ) -> None:
        made = await club.ask("chief_judge", "POST", "/players", {"nickname": "Ann", **asked})
        assert made.status_code == 201, made.text
        assert (made.json()["registered"], made.json()["registered_on"]) == expected

    @pytest.mark.parametrize(
        "asked, pointer",
        [
            ({"registered_on": "2025-03-21"}, "/registered_on"),
            ({"registered": False, "registered_on": "2025-03-20"}, "/registered"),
            ({"registered": True, "registered_on": None}, "/registered"),
            ({"registered_on": "20.03.2025"}, "/registered_on"),
        ],
    )
    async def test_a_day_lies_not_ahead_and_contradicts_nothing(
        self, club: Club, asked: dict[str, Any], pointer: str
    ) -> None:
        made = (await club.ask("judge", "POST", "/players", {"nickname": "Ann"})).json()
        for refused in (
            await club.ask("president", "POST", "/players", {"nickname": "Bob", **asked}),
            await club.ask("president", "PATCH", f"/players/{made['id']}", asked),
        ):
            assert refused.status_code == 422
            assert [(one["code"], one["pointer"]) for one in refused.json()["violations"]] == [("value", pointer)]

    async def test_a_judge_registers_as_of_today_only(self, club: Club) -> None:
        today = await club.ask("judge", "POST", "/players", {"nickname": "Ann", "registered_on": "2025-03-20"})
        assert today.status_code == 201
        earlier = await club.ask("judge", "POST", "/players", {"nickname": "Bob", "registered_on": "2025-03-19"})
        assert earlier.status_code == 403
        assert (await club.ask("reader", "GET", "/players?nickname=Bob")).json()["items"] == []

    async def test_a_chief_judge_changes_the_day_and_nothing_else(self, club: Club) -> None:
        made = (await club.ask("judge", "POST", "/players", {"nickname": "Ann"})).json()
        path = f"/players/{made['id']}"
        changed = await club.ask("chief_judge", "PATCH", path, {"registered_on": "2025-03-01"})
        assert (changed.status_code, changed.json()["registered_on"]) == (200, "2025-03-01")
        for changes in (
            {"nickname": "Anna"},
            {"nickname": "Anna", "registered_on": "2025-03-01"},
            {"registered_on": None},
            {"registered": False},
        ):
            assert (await club.ask("chief_judge", "PATCH", path, changes)).status_code == 403
        for role in ("reader", "judge"):
            assert (await club.ask(role, "PATCH", path, {"registered_on": "2025-03-20"})).status_code == 403

    async def test_no_day_ends_the_registration(self, club: Club) -> None:
        made = (await club.ask("judge", "POST", "/players", {"nickname": "Ann"})).json()
        left = await club.ask("president", "PATCH", f"/players/{made['id']}", {"registered_on": None})
        assert (left.json()["registered"], left.json()["registered_on"]) == (False, None)


class TestGamesOfThePast:
    async def test_a_seat_that_is_not_rated_says_so(self, city: KeptSeason) -> None:
        await guest(city)
        kept = await city.kept(city_game(P2=False))
        [warning] = [one for one in kept["breakdown"]["warnings"] if one["code"] == "not_registered"]
        assert (warning["seat"], "P6" in warning["message"]) == (6, True)
        assert (await city.get(kept["id"]))["breakdown"] == kept["breakdown"]

    async def test_a_day_rates_the_games_from_then_on(self, city: KeptSeason) -> None:
        one = await guest(city)
        days = ["2025-03-13", "2025-03-14", "2025-03-15"]
        kept = [await city.kept(city_game() | {"played_on": day}) for day in days]
        assert (await games_of(city, one), await revision(city)) == (0, 3)
        changed = read(await patch(city, one, {"registered_on": "2025-03-14"}))
        assert (changed["registered"], changed["registered_on"]) == (True, "2025-03-14")
        assert (await games_of(city, one), await revision(city)) == (2, 4)
        assert await games_of(city, one, "&revision=3") == 0
        assert [await actions(city, game) for game in kept] == [
            ["submitted"], ["submitted", "registered"], ["submitted", "registered"],
        ]  # fmt: skip
        after = await city.get(kept[1]["id"])
        assert (after["version"], after["revision"], after["game"]["seats"][5]["registered"]) == (2, 4, True)
        assert "not_registered" not in [one["code"] for one in after["breakdown"]["warnings"]]
        entry = read(await ask(city, "reader", "GET", f"/seasons/{city.slug}/changes"))["items"][0]
        assert (entry["action"], entry["target"], entry["revision"]) == ("player_registered", one["id"], 4)
        assert entry["detail"] == {"registered_on": "2025-03-14", "games": 2}

    async def test_a_dry_run_tells_the_games_and_changes_nothing(self, city: KeptSeason) -> None:
        one = await guest(city)
        for day in ("2025-03-13", "2025-03-14", "2025-03-15"):
            await city.kept(city_game() | {"played_on": day})
        told = await patch(city, one, {"registered_on": "2025-03-14"}, "?dry_run=true")
        assert read(told) == {"seasons": [{"season": "spring", "games": 2}]}
        assert read(await patch(city, one, {"registered_on": None}, "?dry_run=true")) == {"seasons": []}
        assert (await games_of(city, one), await revision(city)) == (0, 3)
        assert (await player(city, "P6"))["registered"] is False
        assert problem(await patch(city, one, {"registered_on": "2025-03-14"}, "?dry_run=true", "judge"))[0] == 403

    async def test_the_same_day_again_rates_what_was_not_rated(self, city: KeptSeason) -> None:
        one = await guest(city)
        kept = await city.kept(city_game() | {"played_on": "2025-03-20"})
        assert read(await patch(city, one, {"registered": True}))["registered_on"] == "2025-03-20"
        assert (await games_of(city, one), await revision(city)) == (0, 1)
        read(await patch(city, one, {"registered_on": "2025-03-20"}))
        assert (await games_of(city, one), await revision(city)) == (1, 2)
        read(await patch(city, one, {"registered_on": "2025-03-20"}))
        assert (await revision(city), (await city.get(kept["id"]))["version"]) == (2, 2)

    async def test_the_judges_word_stands(self, city: KeptSeason) -> None:
        one = await guest(city)
        kept = await city.kept(city_game(P6=False))
        assert "not_registered" not in [each["code"] for each in kept["breakdown"]["warnings"]]
        read(await patch(city, one, {"registered_on": "2025-03-01"}))
        assert (await games_of(city, one), await revision(city)) == (0, 1)
        assert await actions(city, kept) == ["submitted"]

    @pytest.mark.parametrize("later", ["2025-03-20", None])
    async def test_nothing_takes_a_rated_game_away(self, city: KeptSeason, later: str | None) -> None:
        one = await guest(city)
        kept = await city.kept(city_game())
        read(await patch(city, one, {"registered_on": "2025-03-14"}))
        read(await patch(city, one, {"registered_on": later}))
        assert (await games_of(city, one), await revision(city)) == (1, 2)
        now = await city.get(kept["id"])
        read(await city.correct(now, city_game() | {"table": 2}))
        assert await games_of(city, one) == 1

    async def test_a_rename_in_the_same_request_is_one_revision(self, city: KeptSeason) -> None:
        one = await guest(city)
        await city.kept(city_game())
        changed = read(await patch(city, one, {"nickname": "Zoe", "registered_on": "2025-03-14"}))
        assert changed["nickname"] == "Zoe"
        assert (await games_of(city, one), await revision(city)) == (1, 2)

    async def test_a_closed_season_follows_when_it_is_reopened(self, city: KeptSeason) -> None:
        one = await guest(city)
        kept = await city.kept(city_game())
        read(await ask(city, "president", "POST", f"/seasons/{city.slug}/close"))
        told = await patch(city, one, {"registered_on": "2025-03-14"}, "?dry_run=true")
        assert read(told) == {"seasons": []}
        read(await patch(city, one, {"registered_on": "2025-03-14"}))
        assert (await games_of(city, one), await revision(city)) == (0, 2)
        read(await ask(city, "president", "POST", f"/seasons/{city.slug}/reopen?reason=register"))
        assert (await games_of(city, one), await revision(city)) == (1, 3)
        assert await actions(city, kept) == ["submitted", "registered"]

    async def test_a_voided_game_follows_when_it_is_restored(self, city: KeptSeason) -> None:
        one = await guest(city)
        kept = await city.kept(city_game())
        read(await city.ask("judge", "DELETE", f"/{kept['id']}"))
        read(await patch(city, one, {"registered_on": "2025-03-14"}))
        assert await actions(city, kept) == ["submitted", "voided"]
        restored = read(await city.ask("judge", "POST", f"/{kept['id']}/restore"))
        assert restored["game"]["seats"][5]["registered"] is True
        assert await games_of(city, one) == 1

    async def test_in_other_regulations_nothing_is_rated_anew(
        self, spring: KeptSeason, game: dict[str, Any], noon: None
    ) -> None:
        one = await newcomer(spring, "Guest", registered=False)
        game["seats"][0]["player"] = "Guest"
        kept = await spring.kept({**game, "played_on": "2025-03-14"})
        assert kept["breakdown"]["warnings"] == []
        read(await patch(spring, one, {"registered_on": "2025-03-01"}))
        assert await revision(spring) == 1


class TestWhatAnAnswerShows:
    async def test_an_answer_that_is_sent_back_is_not_the_judges_word(self, city: KeptSeason) -> None:
        one = await guest(city)
        kept = await city.kept(city_game(P5=False))
        shown = {name: value for name, value in kept["game"].items() if name != "seats"}
        seats = [{k: v for k, v in seat.items() if k != "player_id"} for seat in kept["game"]["seats"]]
        assert [seat["registered"] for seat in seats] == [True, True, True, True, False, False]
        corrected = read(await city.correct(kept, {**shown, "seats": seats, "table": 2}))
        assert [each["seat"] for each in corrected["breakdown"]["warnings"]] == [6]
        read(await patch(city, one, {"registered_on": "2025-03-14"}))
        after = await city.get(kept["id"])
        assert [seat["registered"] for seat in after["game"]["seats"]] == [True, True, True, True, False, True]

    async def test_another_player_in_the_seat_is_looked_up_anew(self, city: KeptSeason) -> None:
        """Who was a guest by a slip of the pen: the nickname is corrected, the rest of the answer sent back."""
        await guest(city, "P5b")
        sent = city_game()
        sent["seats"] = [seat for seat in sent["seats"] if seat["seat"] < 6]
        sent["seats"][4]["player"] = "P5b"
        kept = await city.kept(sent)
        sent["seats"][4] |= {"player": "P5", "registered": False}
        corrected = read(await city.correct(kept, sent))
        assert corrected["game"]["seats"][4]["registered"] is True

    async def test_no_where_the_game_said_yes_is_the_judges_word(self, city: KeptSeason) -> None:
        kept = await city.kept(city_game() | {"seats": city_game()["seats"][:5]})
        sent = city_game(P1=False) | {"seats": city_game(P1=False)["seats"][:5]}
        corrected = read(await city.correct(kept, sent))
        assert corrected["game"]["seats"][0]["registered"] is False
        read(await patch(city, await player(city, "P1"), {"registered_on": "2025-03-01"}))
        assert (await city.get(kept["id"]))["version"] == 2


class TestMerging:
    async def test_the_earlier_day_rates_seats_of_both(self, city: KeptSeason) -> None:
        """The survivor was a guest on the 13th, the other since the 1st, unrated where the judge said no."""
        survivor = await guest(city)
        await city.kept(city_game() | {"played_on": "2025-03-13"})
        since = {"nickname": "P6b", "registered_on": "2025-03-10"}
        loser = read(await ask(city, "president", "POST", "/players", since), 201)
        for played_on, registered in (("2025-03-09", True), ("2025-03-14", True), ("2025-03-15", False)):
            game = city_game() | {"played_on": played_on}
            game["seats"][5] |= {"player": "P6b"} | ({} if registered else {"registered": False})
            await city.kept(game)
        path = f"/players/{loser['id']}/merge"
        told = read(await ask(city, "president", "POST", path + "?dry_run=true", {"into": survivor["id"]}))
        assert told == {"seasons": [{"season": "spring", "games": 1}]}
        assert (await player(city, "P6b"))["merged_into"] is None
        assert await revision(city) == 4
        one = read(await merge(city, loser, survivor))
        assert (one["registered"], one["registered_on"]) == (True, "2025-03-10")
        assert (await games_of(city, survivor), await revision(city)) == (2, 5)

    async def test_a_guests_games_count_for_the_registered_survivor(self, city: KeptSeason) -> None:
        loser = await guest(city, "P5b")
        for day in ("2025-03-13", "2025-03-14"):
            game = city_game() | {"played_on": day, "seats": city_game()["seats"][:5]}
            game["seats"][4]["player"] = "P5b"
            await city.kept(game)
        survivor = await player(city, "P5")
        assert await games_of(city, survivor) == 0
        read(await merge(city, loser, survivor))
        assert (await games_of(city, survivor), await revision(city)) == (2, 3)

    async def test_while_a_season_is_closed_both_wait_until_it_is_reopened(self, city: KeptSeason) -> None:
        loser = await guest(city, "P5b")
        game = city_game() | {"seats": city_game()["seats"][:5]}
        game["seats"][4]["player"] = "P5b"
        await city.kept(game)
        read(await ask(city, "president", "POST", f"/seasons/{city.slug}/close"))
        survivor = await player(city, "P5")
        read(await merge(city, loser, survivor))
        read(await ask(city, "president", "POST", f"/seasons/{city.slug}/reopen?reason=merge"))
        assert (await games_of(city, survivor), await revision(city)) == (1, 3)


class TestNewPlayersOfAGame:
    async def test_they_are_registered_on_its_day(self, city: KeptSeason) -> None:
        query = "?create_players=true&registered=true"
        kept = read(await city.ask("chief_judge", "POST", query, city_game()), 201)
        one = await player(city, "P6")
        assert (one["registered"], one["registered_on"]) == (True, "2025-03-14")
        assert kept["game"]["seats"][5]["registered"] is True
        assert kept["breakdown"]["warnings"] == []
        assert await games_of(city, one) == 1

    async def test_in_other_regulations_too(self, spring: KeptSeason, game: dict[str, Any], noon: None) -> None:
        game["seats"][0]["player"] = "Newcomer"
        query = "?create_players=true&registered=true"
        read(await spring.ask("president", "POST", query, {**game, "played_on": "2025-03-14"}), 201)
        assert (await player(spring, "Newcomer"))["registered_on"] == "2025-03-14"

    async def test_a_judge_may_not(self, city: KeptSeason) -> None:
        answer = await city.ask("judge", "POST", "?create_players=true&registered=true", city_game())
        assert problem(answer)[0] == 403
        assert (await table(city))["revision"] == 0

    async def test_without_it_they_are_guests(self, city: KeptSeason) -> None:
        kept = read(await city.ask("president", "POST", "?create_players=true", city_game()), 201)
        assert [one["code"] for one in kept["breakdown"]["warnings"]] == ["not_registered"]
        assert (await player(city, "P6"))["registered"] is False


async def test_an_evening_of_2021_is_rated_after_all(kept_app: FastAPI, kept_client: AsyncClient, noon: None) -> None:
    """Players registered today, games of 2021: nobody is in the table until their days are written."""
    past = make_season(kept_app.state.database, kept_client, system="city-average", nicknames=0, days=(None, None))
    made = [await newcomer(past, f"P{n}") for n in range(1, 7)]
    kept = await past.kept(city_game() | {"played_on": "2021-10-02"})
    assert [one["seat"] for one in kept["breakdown"]["warnings"]] == [1, 2, 3, 4, 5, 6]
    assert [await games_of(past, one) for one in made] == [0] * 6
    for one in made:
        read(await patch(past, one, {"registered_on": "2021-09-01"}))
    assert [await games_of(past, one) for one in made] == [1] * 6
    assert await actions(past, kept) == ["submitted", *["registered"] * 6]


async def test_an_archive_carries_versions_of_a_registration(city: KeptSeason, elsewhere: AsyncClient) -> None:
    one = await guest(city)
    kept = await city.kept(city_game())
    read(await patch(city, one, {"registered_on": "2025-03-14"}))
    secret = await new_club(elsewhere)
    read(await bring_in(elsewhere, secret, await archive_of(city)), 201)
    secrets = {"judge": secret, "reader": secret}
    there = KeptSeason(elsewhere, database_of(elsewhere), "moscow", "spring", secrets, {})
    assert await actions(there, kept) == ["submitted", "registered"]
    assert await games_of(there, one) == 1
    assert list(audit(there.database)) == []
