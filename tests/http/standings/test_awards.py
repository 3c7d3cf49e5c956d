"""What a regulation gives for places, and how far everyone is from it."""

from decimal import Decimal
from typing import Any

import pytest
from fastapi import FastAPI
from httpx import AsyncClient

from tests.http.conftest import RED_WON
from tests.http.kept_season import KeptSeason, make_season, problem, read
from tests.http.tables import FIRST, POINTS, SECOND, ask

pytestmark = pytest.mark.anyio


async def awards(season: KeptSeason, **headers: str) -> dict[str, Any]:
    return read(await ask(season, "/awards", **headers))


async def award(season: KeptSeason, code: str, **headers: str) -> dict[str, Any]:
    (found,) = [one for one in (await awards(season, **headers))["awards"] if one["code"] == code]
    return dict(found)


def distances(award: dict[str, Any]) -> dict[str, Any]:
    return {one["player"]["nickname"]: one["distance"] for one in award["candidates"]}


@pytest.fixture
async def played(spring: KeptSeason) -> KeptSeason:
    """The season after both games."""
    await spring.kept(FIRST)
    await spring.kept(SECOND)
    return spring


async def test_free_entry_goes_to_the_most_points_and_tells_everyone_what_is_missing(played: KeptSeason) -> None:
    found = await award(played, "free_entry")
    assert {name: found[name] for name in ("clause", "by", "places", "cut")} == {
        "clause": "7", "by": "points", "places": 1, "cut": Decimal("2.75"),
    }  # fmt: skip
    assert [player["nickname"] for player in found["players"]] == ["P7"]
    assert distances(found) == {name: Decimal("2.75") - points for name, points in POINTS.items()}
    assert [one["player"]["nickname"] for one in found["candidates"] if one["awarded"]] == ["P7"]
    assert found["candidates"][0] == {
        "player": found["players"][0], "value": Decimal("2.75"), "distance": 0, "awarded": True,
    }  # fmt: skip
    assert [one["value"] for one in found["candidates"]] == sorted(POINTS.values(), reverse=True)


async def test_ties_at_the_cut_are_all_in(spring: KeptSeason) -> None:
    await spring.kept(FIRST)
    found = await award(spring, "free_entry")
    assert [player["nickname"] for player in found["players"]] == [f"P{n}" for n in range(1, 8)]
    assert set(distances(found).values()) == {0, 2}


async def test_who_has_an_award_sees_how_far_the_cut_is_behind(played: KeptSeason) -> None:
    found = await award(played, "priority_registration")
    # Ten players and ten places: the cut is P1's rating, 0.25.
    assert (found["places"], found["cut"], len(found["players"])) == (10, Decimal("0.25"), 10)
    assert distances(found) == {
        **{name: Decimal("-0.75") for name in POINTS}, "P1": 0, "P7": Decimal("-1.6406"), "P10": Decimal("-1.19"),
    }  # fmt: skip


async def test_awards_say_what_they_are_of_and_are_provisional_while_the_season_is_open(played: KeptSeason) -> None:
    found = await awards(played)
    del found["awards"]
    assert found == {
        "season": "spring", "rule_system": {"id": "maffamily", "version": 1}, "format": "season", "revision": 2,
        "provisional": True,
    }  # fmt: skip


async def test_awards_are_named_in_the_language_of_the_request(played: KeptSeason) -> None:
    assert (await award(played, "free_entry", accept_language="ru"))["name"] == "Бесплатное участие в кубке"
    assert (await award(played, "free_entry", accept_language="en"))["name"] == "Free entry to the cup"


async def test_before_the_first_game_there_is_no_cut(spring: KeptSeason) -> None:
    found = await award(spring, "free_entry")
    assert (found["cut"], found["players"], found["candidates"]) == (None, [], [])


async def test_awards_are_those_of_the_table(played: KeptSeason) -> None:
    shown = read(await ask(played))["awards"]
    assert shown == [
        {"clause": one["clause"], "code": one["code"], "players": [player["id"] for player in one["players"]]}
        for one in (await awards(played))["awards"]
    ]


async def test_a_regulation_without_awards_has_none(kept_app: FastAPI, kept_client: AsyncClient) -> None:
    season = make_season(kept_app.state.database, kept_client, system="sport-percent")
    await season.kept(RED_WON | {"played_on": "2025-03-14"})
    assert (await awards(season))["awards"] == []


async def test_awards_take_no_filters(played: KeptSeason) -> None:
    assert problem(await ask(played, "/awards?order=points")) == (422, "invalid-request", None)
