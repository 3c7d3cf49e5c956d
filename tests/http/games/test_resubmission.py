"""Games sent again: by ``external_id`` and by ``Idempotency-Key`` (docs/api.md#games-of-a-season)."""

from copy import deepcopy
from inspect import signature
from typing import Any

import pytest
from fastapi import FastAPI
from httpx import AsyncClient

from app.repositories.clubs import merges, players
from app.repositories.seasons import seasons
from app.services.games.likeness import follow_merge
from tests.http.games.test_submitting import ON, city_game, entered, register, rename
from tests.http.kept_season import KeptSeason, faults, make_season, problem, read

pytestmark = pytest.mark.anyio


@pytest.fixture
def told(game: dict[str, Any]) -> dict[str, Any]:
    """Black won; with every kind of fact that maffamily reads."""
    game |= {**ON, "external_id": "evening-1", "outcome": "black", "table": 1, "judge": "Kim"}
    game["first_kill"] = {"seat": 7, "best_move": [8, 9, 3]}
    game["seats"][0] |= {"penalties": ["broke_red_at_ten", "broke_red_at_four"], "fouls": 3}
    game["seats"][9]["bonus"] = 0.4
    return game


def reordered(game: dict[str, Any]) -> dict[str, Any]:
    game["seats"].reverse()
    game["seats"][9]["penalties"].reverse()
    game["first_kill"]["best_move"].reverse()
    return game


def rewritten(game: dict[str, Any]) -> dict[str, Any]:
    game["seats"][9]["bonus"] = "0,40"
    game["seats"][8] |= {"bonus": 0, "penalties": [], "removed": False, "bonus_note": None}
    return game | {"rated": True, "cancelled": None, "ppk": None, "stage": None}


def respelt(game: dict[str, Any]) -> dict[str, Any]:
    game["seats"][2]["player"] = "ｐ3 "
    return game


def undated(game: dict[str, Any]) -> dict[str, Any]:
    """Whoever left the day to the service the first time leaves it to it again, perhaps after midnight."""
    del game["played_on"]
    return game


@pytest.mark.parametrize("again", [deepcopy, reordered, rewritten, respelt, undated])
async def test_equal_facts_are_answered_with_the_game_that_is_kept(
    spring: KeptSeason, told: dict[str, Any], again: Any
) -> None:
    first = await spring.submit(told)
    kept = read(first, 201)
    second = await spring.submit(again(deepcopy(told)))
    assert (second.status_code, second.json()) == (200, first.json())
    assert second.headers["etag"] == kept["etag"]
    assert "location" not in second.headers
    assert len(read(await spring.ask("judge", "GET"))["items"]) == 1
    assert len(entered(spring)) == 10


def other_outcome(game: dict[str, Any]) -> None:
    game["outcome"] = "draw"
    del game["seats"][9]["bonus"], game["seats"][0]["penalties"]


def other_player(game: dict[str, Any]) -> None:
    game["seats"][1]["player"], game["seats"][2]["player"] = game["seats"][2]["player"], game["seats"][1]["player"]


def other_day(game: dict[str, Any]) -> None:
    game["played_on"] = "2025-03-15"


def other_bonus(game: dict[str, Any]) -> None:
    game["seats"][9]["bonus"] = 0.41


def other_best_move(game: dict[str, Any]) -> None:
    game["first_kill"]["best_move"] = [8, 9, 2]


def other_judge(game: dict[str, Any]) -> None:
    game["judge"] = "Lee"


def unrated(game: dict[str, Any]) -> None:
    game["rated"] = False


@pytest.mark.parametrize(
    "change", [other_outcome, other_player, other_day, other_bonus, other_best_move, other_judge, unrated]
)
async def test_other_facts_under_the_same_external_id_are_a_conflict(
    spring: KeptSeason, told: dict[str, Any], change: Any
) -> None:
    kept = await spring.kept(told)
    change(told)
    refused = await spring.submit(told)
    assert problem(refused) == (409, "conflict", "external_id_conflict")
    assert refused.json()["existing"] == {
        "id": kept["id"], "version": 1, "status": "counted", "etag": f'"{kept["id"]}-1"',
    }  # fmt: skip
    assert (await spring.get(kept["id"]))["version"] == 1


async def test_the_existing_game_can_be_corrected_by_the_tag_that_the_conflict_names(
    spring: KeptSeason, told: dict[str, Any]
) -> None:
    await spring.kept(told)
    told["judge"] = "Lee"
    existing = (await spring.submit(told)).json()["existing"]
    assert (await spring.correct(existing, told)).status_code == 200


async def test_a_broken_game_under_a_known_external_id_is_told_what_is_broken(
    spring: KeptSeason, told: dict[str, Any]
) -> None:
    await spring.kept(told)
    told["seats"][9]["bonus"] = 0.8
    assert faults(await spring.submit(told)) == [("bonus_range", "/seats/9/bonus")]


async def test_an_earlier_version_sent_again_is_answered_with_the_current_one(
    spring: KeptSeason, told: dict[str, Any]
) -> None:
    kept = await spring.kept(told)
    corrected = read(await spring.correct(kept, {**told, "judge": "Lee"}))
    again = await spring.submit(told)
    assert (again.status_code, again.json()["version"]) == (200, 2)
    assert again.json()["game"]["judge"] == "Lee"
    assert again.headers["etag"] == corrected["etag"]


async def test_a_voided_game_keeps_its_external_id_and_is_not_revived(spring: KeptSeason, told: dict[str, Any]) -> None:
    kept = await spring.kept(told)
    await spring.ask("judge", "DELETE", f"/{kept['id']}")
    again = await spring.submit(told)
    assert (again.status_code, again.json()["status"], again.json()["id"]) == (200, "voided", kept["id"])
    assert problem(await spring.submit({**told, "judge": "Lee"}))[2] == "external_id_conflict"
    assert entered(spring) == []


async def test_a_renamed_player_is_the_same_player_under_either_nickname(
    spring: KeptSeason, told: dict[str, Any]
) -> None:
    kept = await spring.kept(told)
    rename(spring, "P3", "Carol")
    assert (await spring.submit(told)).json()["id"] == kept["id"]
    told["seats"][2]["player"] = "Carol"
    assert (await spring.submit(told)).status_code == 200


@pytest.mark.unsound
async def test_a_merged_player_is_the_survivor(spring: KeptSeason, told: dict[str, Any]) -> None:
    kept = await spring.kept(told)
    with spring.database.write() as tx:
        season = seasons.find_locked(tx, spring.club, spring.slug)
        assert season
        made = players.add(tx, season.club_id, [players.Newcomer("Zoe", "zoe", True, None)], season.created_at)
        loser = players.named(tx, season.club_id, ["p3"])["p3"]
        revision = seasons.advance(tx, season)
        merges.merge(tx, loser=loser.id, survivor=made["zoe"].id)
        follow_merge(tx, season.club_id, made["zoe"].id)
        merges.follow(tx, season.id, revision)
    for nickname in ("P3", "Zoe"):
        told["seats"][2]["player"] = nickname
        again = await spring.submit(told)
        assert (again.status_code, again.json()["id"]) == (200, kept["id"])
        assert again.json()["game"]["seats"][2]["player"] == "Zoe"


async def test_what_an_answer_shows_of_registration_may_be_sent_again(
    kept_app: FastAPI, kept_client: AsyncClient
) -> None:
    city = make_season(kept_app.state.database, kept_client, system="city-average")
    register(city, "P3", on=None, registered=False)
    sent = city_game(P4=False) | {"external_id": "evening-1"}
    kept = await city.kept(sent)
    shown = deepcopy(kept["game"])
    for seat in shown["seats"]:
        del seat["player_id"]
    for again in (sent, shown, city_game(P1=True, P4=False) | {"external_id": "evening-1"}):
        assert (await city.submit(again)).status_code == 200
    register(city, "P3", on=None)
    assert (await city.submit(sent)).status_code == 200
    for other in (city_game(), city_game(P4=False, P5=False)):
        answer = await city.submit(other | {"external_id": "evening-1"})
        assert problem(answer)[2] == "external_id_conflict"


async def test_an_external_id_is_a_seasons_own(spring: KeptSeason, told: dict[str, Any]) -> None:
    await spring.kept(told)
    with spring.database.write() as tx:
        season = seasons.find_locked(tx, spring.club, spring.slug)
        assert season
        values = season._asdict() | {"slug": "autumn", "at": season.created_at}
        seasons.add(tx, **{name: value for name, value in values.items() if name in signature(seasons.add).parameters})
    assert (await spring._replace(slug="autumn").submit(told)).status_code == 201


async def test_an_idempotency_key_makes_one_game_of_two_requests(spring: KeptSeason, told: dict[str, Any]) -> None:
    del told["external_id"]
    first = await spring.submit(told, idempotency_key="evening-1")
    second = await spring.submit(told, idempotency_key="evening-1")
    assert (second.status_code, second.content) == (201, first.content)
    assert second.headers["idempotency-replayed"] == "true"
    for name in ("location", "etag"):
        assert second.headers[name] == first.headers[name]
    assert len(entered(spring)) == 10
    told["judge"] = "Lee"
    assert problem(await spring.submit(told, idempotency_key="evening-1")) == (422, "idempotency-mismatch", None)


async def test_a_refused_game_leaves_its_idempotency_key_free(spring: KeptSeason, told: dict[str, Any]) -> None:
    told["seats"][9]["bonus"] = 0.8
    assert (await spring.submit(told, idempotency_key="evening-1")).status_code == 422
    told["seats"][9]["bonus"] = 0.4
    assert (await spring.submit(told, idempotency_key="evening-1")).status_code == 201


async def test_restoring_is_repeated_by_its_idempotency_key(spring: KeptSeason, told: dict[str, Any]) -> None:
    kept = await spring.kept(told)
    await spring.ask("judge", "DELETE", f"/{kept['id']}")
    key = {"idempotency-key": "back"}
    first = await spring.ask("judge", "POST", f"/{kept['id']}/restore", headers=key)
    await spring.ask("judge", "DELETE", f"/{kept['id']}")
    second = await spring.ask("judge", "POST", f"/{kept['id']}/restore", headers=key)
    assert (first.status_code, second.content) == (200, first.content)
    assert (await spring.get(kept["id"]))["status"] == "voided"
