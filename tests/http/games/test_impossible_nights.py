"""Nights that contradict each other: refused wherever a game is sent, and left alone where older services took them."""

from copy import deepcopy
from typing import Any

import pytest
from fastapi import FastAPI
from httpx import AsyncClient

from app.scoring.rule_system import RuleSystem
from app.services.audit import audit
from tests.http.archives import archive_of, bring_in, new_club
from tests.http.desk import ask
from tests.http.games.test_submitting import city_game, register
from tests.http.kept_season import KeptSeason, faults, make_season, points, read

pytestmark = pytest.mark.anyio

Acts = list[dict[str, Any]]

SHOT_AND_SAVED: Acts = [{"night": 1, "seat": 2, "target": 1}, {"night": 1, "seat": 3, "target": 1, "saved": True}]
"""Seat 2 is the sheriff, 3 the doctor, 4 the commissar, 1 a citizen, 5 and 6 play for the mafia."""

IMPOSSIBLE: list[tuple[str, Acts, str]] = [
    ("night_contradiction", SHOT_AND_SAVED, "/night_actions/0/died"),
    (
        "night_dead_target",
        [{"night": 1, "seat": 2, "target": 5}, {"night": 2, "seat": 2, "target": 5}],
        "/night_actions/1/target",
    ),
    (
        "night_acts_exceeded",
        [{"night": 1, "seat": 2, "target": 5}, {"night": 1, "seat": 2, "target": 6}],
        "/night_actions/1/seat",
    ),
    (
        "night_dead_actor",
        [{"night": 1, "seat": 2, "target": 4}, {"night": 2, "seat": 4, "target": 5}],
        "/night_actions/1/seat",
    ),
]


ROLES = ("citizen", "sheriff", "doctor", "commissar", "mafia", "don")


def with_nights(acts: Acts) -> dict[str, Any]:
    """Red won; the first four lived three days."""
    game = city_game()
    for seat, role in zip(game["seats"], ROLES, strict=True):
        seat["role"] = role
    return game | {"night_actions": deepcopy(acts)}


@pytest.fixture
def city(kept_app: FastAPI, kept_client: AsyncClient) -> KeptSeason:
    """Everybody is registered; ten games publish nobody here, so rows are read with ``include=unpublished``."""
    made = make_season(kept_app.state.database, kept_client, system="city-average")
    for number in range(1, 7):
        register(made, f"P{number}", on=None)
    return made


@pytest.fixture
async def older(city: KeptSeason, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A game that an older service took in: -1 for the shot and +1 for saving the very player that it killed."""
    with monkeypatch.context() as before:
        before.setattr(RuleSystem, "_contradictions", lambda *_: [])
        return await city.kept(with_nights(SHOT_AND_SAVED) | {"external_id": "older"})


async def table_points(city: KeptSeason) -> dict[str, Any]:
    table = read(await ask(city, "judge", "GET", f"/seasons/{city.slug}/standings?include=unpublished"))
    return {row["player"]["nickname"]: row["values"]["points"] for row in table["rows"]}


@pytest.mark.parametrize("code, acts, pointer", IMPOSSIBLE)
async def test_an_impossible_night_is_refused_with_and_without_a_season(
    city: KeptSeason, code: str, acts: Acts, pointer: str
) -> None:
    sent = with_nights(acts)
    scored = await city.client.post("/v1/rule-systems/city-average/score", json=sent)
    assert faults(scored) == faults(await city.submit(sent)) == [(code, pointer)]


async def test_in_russian_the_message_says_what_to_write(city: KeptSeason) -> None:
    answer = await city.client.post(
        "/v1/rule-systems/city-average/score", json=with_nights(SHOT_AND_SAVED), headers={"accept-language": "ru"}
    )
    assert answer.json()["violations"][0]["message"] == (
        "в ночь 1 место 1 и убито, и спасено; если цель спасли, у выстрела отметьте, что она осталась жива"
    )


async def test_a_season_that_has_such_a_game_keeps_its_table_and_its_audit(
    city: KeptSeason, older: dict[str, Any]
) -> None:
    """The first four lived three days each; the sheriff lost a point by the shot, the doctor got one."""
    assert await table_points(city) == {"P1": 3, "P2": 2, "P3": 4, "P4": 3, "P5": 0, "P6": 0}
    assert points(await city.get(older["id"]))[2] == 2
    assert list(audit(city.database)) == []


async def test_sending_it_again_changes_nothing_and_correcting_it_asks_for_a_possible_night(
    city: KeptSeason, older: dict[str, Any]
) -> None:
    again = await city.submit(with_nights(SHOT_AND_SAVED) | {"external_id": "older"})
    assert (again.status_code, again.json()["version"]) == (200, 1)
    one_more = [*SHOT_AND_SAVED, {"night": 1, "seat": 4, "target": 5}]
    refused = await city.correct(older, with_nights(one_more) | {"external_id": "older"})
    assert faults(refused) == [("night_contradiction", "/night_actions/0/died")]
    mended = [{**SHOT_AND_SAVED[0], "died": False}, SHOT_AND_SAVED[1]]
    read(await city.correct(older, with_nights(mended) | {"external_id": "older"}))
    assert await table_points(city) == {"P1": 3, "P2": 3, "P3": 4, "P4": 3, "P5": 0, "P6": 0}
    assert list(audit(city.database)) == []


async def test_voided_it_does_not_come_back(city: KeptSeason, older: dict[str, Any]) -> None:
    read(await city.ask("judge", "DELETE", f"/{older['id']}"))
    refused = await city.ask("judge", "POST", f"/{older['id']}/restore")
    assert faults(refused) == [("night_contradiction", "/night_actions/0/died")]
    assert list(audit(city.database)) == []


async def test_a_what_if_names_it_as_refused(city: KeptSeason, older: dict[str, Any]) -> None:
    path = f"/seasons/{city.slug}/standings?rule_system=city-average&include=unpublished"
    table = read(await ask(city, "judge", "GET", path))
    assert table["what_if"]["refused"] == [
        {"id": older["id"], "external_id": "older", "codes": ["night_contradiction"]}
    ]


async def test_a_season_that_has_such_a_game_moves_to_another_service(
    city: KeptSeason, older: dict[str, Any], elsewhere: AsyncClient
) -> None:
    assert older["version"] == 1
    answer = await bring_in(elsewhere, await new_club(elsewhere), await archive_of(city))
    assert answer.status_code == 201, answer.text
