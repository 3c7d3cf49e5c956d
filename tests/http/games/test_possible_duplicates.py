"""The same game again, by whichever road (docs/games.md#duplicate-games)."""

import asyncio
from copy import deepcopy
from typing import Any

import pytest
from sqlalchemy import text

from tests.http.archives import moved
from tests.http.desk import merge, newcomer, player
from tests.http.games.test_submitting import ON, entered
from tests.http.importing import CSV, bring, ndjson, stored
from tests.http.kept_season import KeptSeason, faults, problem, read

pytestmark = pytest.mark.anyio

NUMBERED = {**ON, "table": 1, "number": 2}


@pytest.fixture
def sheet(game: dict[str, Any]) -> dict[str, Any]:
    """A game of a sheet: day, table and number, and no id."""
    return {**game, **NUMBERED}


def bonused(game: dict[str, Any], bonus: float = 0.3, seat: int = 3) -> dict[str, Any]:
    """The same game with another bonus."""
    mended = deepcopy(game)
    mended["seats"][seat - 1]["bonus"] = bonus
    return mended


def with_guests(game: dict[str, Any], guests: int) -> dict[str, Any]:
    """Other people in the first seats: ``Guest 1`` and so on."""
    other = deepcopy(game)
    for number in range(guests):
        other["seats"][number]["player"] = f"Guest {number + 1}"
    return other


def turned(game: dict[str, Any]) -> dict[str, Any]:
    """The same people, each one seat further."""
    other = deepcopy(game)
    names = [seat["player"] for seat in game["seats"]]
    for seat, name in zip(other["seats"], names[1:] + names[:1], strict=True):
        seat["player"] = name
    return other


def refused(answer: Any, kept: dict[str, Any], others: int = 0) -> None:
    """The answer is a conflict that names a game as it is now."""
    assert problem(answer) == (409, "conflict", "possible_duplicate")
    told = answer.json()
    existing = {"id": kept["id"], "version": kept["version"], "status": kept["status"]}
    assert {name: told["existing"][name] for name in existing} == existing
    assert told["existing"]["etag"] == f'"{kept["id"]}-{kept["version"]}"'
    assert told["others"] == others


async def guests(spring: KeptSeason, count: int) -> None:
    for number in range(count):
        await newcomer(spring, f"Guest {number + 1}")


async def test_a_mended_game_is_refused_and_the_first_one_named(spring: KeptSeason, sheet: dict[str, Any]) -> None:
    kept = await spring.kept(sheet)
    refused(await spring.submit(bonused(sheet)), kept)
    assert len(entered(spring)) == 10
    both = read(await spring.ask("judge", "POST", "?allow_duplicate=true", bonused(sheet)), 201)
    refused(await spring.submit(bonused(sheet, 0.2)), kept, others=1)
    read(await spring.ask("judge", "DELETE", f"/{kept['id']}"))
    refused(await spring.submit(bonused(sheet, 0.2)), both)


async def test_equal_facts_are_answered_with_the_game(spring: KeptSeason, sheet: dict[str, Any]) -> None:
    kept = await spring.kept(sheet)
    corrected = read(await spring.correct(kept, bonused(sheet)))
    for facts in (sheet, bonused(sheet), {name: value for name, value in sheet.items() if name != "played_on"}):
        again = await spring.submit(facts)
        assert (again.status_code, again.json()["id"], again.json()["version"]) == (200, kept["id"], 2)
        assert (await spring.ask("judge", "POST", "?allow_duplicate=true", facts)).status_code == 200
    assert (await bring(spring, ndjson([sheet, bonused(sheet)]))).results == ["unchanged"] * 2
    read(await spring.ask("judge", "DELETE", f"/{kept['id']}"))
    again = await spring.submit(sheet)
    assert (again.status_code, again.json()["status"]) == (200, "voided")
    assert (await bring(spring, ndjson([sheet]))).results == ["unchanged"]
    assert corrected["version"] == 2


@pytest.mark.parametrize(
    "change, is_like",
    [
        ({}, True),
        ({"judge": "Kim"}, True),
        ({"outcome": "black"}, True),
        ({"number": 3}, True),  # the same people in the same seats and roles
        ({"number": None, "table": 5}, True),
        ({"played_on": "2025-03-15"}, False),
    ],
)
async def test_the_same_table_on_one_day_is_likely_one_game(
    spring: KeptSeason, sheet: dict[str, Any], change: dict[str, Any], is_like: bool
) -> None:
    kept = await spring.kept(sheet)
    answer = await spring.submit(bonused(sheet) | change if "outcome" not in change else sheet | change)
    if is_like:
        refused(answer, kept)
    else:
        assert answer.status_code == 201


@pytest.mark.parametrize(
    "first, second, is_like",
    [
        ({}, {}, True),
        ({"table": None}, {"table": None}, True),
        ({"table": None}, {}, False),
        ({}, {"table": 2}, False),
        ({}, {"number": 3}, False),
        ({"number": None}, {"number": None}, False),
        ({}, {"played_on": "2025-03-15"}, False),
    ],
)
async def test_most_of_the_players_at_one_place_are_likely_one_game(
    spring: KeptSeason, sheet: dict[str, Any], first: dict[str, Any], second: dict[str, Any], is_like: bool
) -> None:
    kept = await spring.kept(sheet | first)
    answer = await spring.submit(turned(sheet) | second)
    if is_like:
        refused(answer, kept)
    else:
        assert answer.status_code == 201


@pytest.mark.parametrize("count, is_like", [(4, True), (5, False)])
async def test_more_than_half_must_be_the_same(
    spring: KeptSeason, sheet: dict[str, Any], count: int, is_like: bool
) -> None:
    """Ten at the table: six of them are most, five are not."""
    await guests(spring, count)
    kept = await spring.kept(sheet)
    answer = await spring.submit(turned(with_guests(sheet, count)))
    if is_like:
        refused(answer, kept)
    else:
        assert answer.status_code == 201


async def test_who_is_created_is_nobody_of_before(spring: KeptSeason, sheet: dict[str, Any]) -> None:
    kept = await spring.kept(sheet)
    refused(await spring.ask("judge", "POST", "?create_players=true", with_guests(sheet, 4)), kept)
    read(await spring.ask("judge", "POST", "?create_players=true", with_guests(sheet, 5)), 201)


async def test_players_are_compared_as_who_they_are_now(spring: KeptSeason, sheet: dict[str, Any]) -> None:
    await guests(spring, 5)
    kept = await spring.kept(with_guests(sheet, 5))
    for number in range(5):
        name = f"P{number + 11}"
        here = await newcomer(spring, name)
        read(await merge(spring, await player(spring, f"Guest {number + 1}"), here))
        sheet["seats"][number]["player"] = name
    refused(await spring.submit(bonused(sheet, seat=4)), kept)
    assert (await spring.submit(sheet)).json()["id"] == kept["id"]
    own = read(await spring.submit(sheet | {"external_id": "a"}), 201)
    assert [one["code"] for one in own["breakdown"]["warnings"]] == ["possible_duplicate"]


async def test_violations_come_before_the_conflict(spring: KeptSeason, sheet: dict[str, Any]) -> None:
    await spring.kept(sheet)
    assert faults(await spring.submit(bonused(sheet, 0.9))) == [("bonus_range", "/seats/2/bonus")]


async def test_an_id_of_its_own_tells_a_game_apart(spring: KeptSeason, sheet: dict[str, Any]) -> None:
    first = await spring.kept(sheet)
    assert first["breakdown"]["warnings"] == []
    answer = await spring.submit(sheet | {"external_id": "b"})
    second = read(answer, 201)
    (warning,) = second["breakdown"]["warnings"]
    assert (warning["code"], warning["seat"]) == ("possible_duplicate", None)
    assert first["id"] in warning["message"]
    mended = read(await spring.submit(bonused(sheet) | {"external_id": "c"}), 201)
    assert mended["breakdown"]["warnings"] == []
    corrected = read(await spring.correct(mended, sheet))
    assert [one["code"] for one in corrected["breakdown"]["warnings"]] == ["possible_duplicate"]
    imported = await bring(
        spring, ndjson([sheet | {"external_id": "d"}, bonused(sheet, 0.1) | {"external_id": "e"}] * 2)
    )
    assert imported.results == ["created", "created", "unchanged", "unchanged"]
    assert [[one["code"] for one in line["warnings"]] for line in imported.games[:2]] == [["possible_duplicate"], []]
    pair = await bring(spring, ndjson([turned(sheet) | {"external_id": id} for id in ("f", "g")]))
    assert [[one["code"] for one in line["warnings"]] for line in pair.games] == [[], ["possible_duplicate"]]
    # What has no id of its own may be any of them.
    again = await spring.submit(bonused(sheet, 0.1))
    assert (again.status_code, again.json()["external_id"]) == (200, "e")


@pytest.mark.parametrize("id", ["facts-0123456789abcdef0123456789abcdef", "g_000000000000000000"])
async def test_an_id_that_the_service_made_is_none_of_its_own(
    spring: KeptSeason, sheet: dict[str, Any], id: str
) -> None:
    kept = await spring.kept(sheet)
    refused(await spring.submit(bonused(sheet) | {"external_id": id}), kept)
    assert (await spring.submit(sheet | {"external_id": id})).json()["id"] == kept["id"]
    (told,) = (await bring(spring, ndjson([bonused(sheet) | {"external_id": id}]))).games
    assert (told["result"], told["code"], told["id"]) == ("conflict", "possible_duplicate", kept["id"])


async def test_the_id_here_of_a_game_without_one_names_it(spring: KeptSeason, sheet: dict[str, Any]) -> None:
    kept = await spring.kept(sheet)
    again = await spring.submit(sheet | {"external_id": kept["id"]})
    assert (again.status_code, again.json()["id"]) == (200, kept["id"])
    other = await spring.submit(bonused(sheet) | {"external_id": kept["id"]})
    assert problem(other)[2] == "external_id_conflict"


async def test_external_ids_are_trimmed_as_nicknames_are(spring: KeptSeason, sheet: dict[str, Any]) -> None:
    kept = await spring.kept(sheet | {"external_id": "\u00a0 a\u200b1 "})
    assert kept["external_id"] == kept["game"]["external_id"] == "a1"
    assert (await spring.submit(sheet | {"external_id": "a1"})).json()["id"] == kept["id"]
    blank = await spring.submit(sheet | {"external_id": " \u200b "})
    assert (blank.status_code, blank.json()["id"]) == (200, kept["id"])
    none = read(await spring.submit({**sheet, "played_on": "2025-03-20", "external_id": ""}), 201)
    assert none["external_id"] is None


async def test_a_correction_is_asked_about_what_it_changes(spring: KeptSeason, sheet: dict[str, Any]) -> None:
    first = await spring.kept(sheet)
    other = await spring.kept(turned(sheet) | {"number": 3})
    refused(await spring.correct(other, turned(sheet)), first)
    refused(await spring.correct(other, bonused(sheet) | {"number": 3}), first)
    twin = read(await spring.correct(other, turned(sheet), query="?allow_duplicate=true"))
    mended = read(await spring.correct(twin, bonused(turned(sheet))))
    assert mended["version"] == 3
    moved_on = read(await spring.correct(mended, turned(sheet) | {"number": 4}))
    refused(await spring.correct(moved_on, turned(sheet)), first)
    # Of its own id nobody asks.
    read(await spring.correct(moved_on, turned(sheet) | {"external_id": "own"}))


async def test_a_game_is_restored_unless_it_was_sent_again_meanwhile(spring: KeptSeason, sheet: dict[str, Any]) -> None:
    voided = await spring.kept(sheet)
    read(await spring.ask("judge", "DELETE", f"/{voided['id']}"))
    kept = await spring.kept(bonused(sheet))
    refused(await spring.ask("judge", "POST", f"/{voided['id']}/restore"), kept)
    assert (await spring.get(voided["id"]))["status"] == "voided"
    back = read(await spring.ask("judge", "POST", f"/{voided['id']}/restore?allow_duplicate=true"))
    assert back["status"] == "counted"
    read(await spring.ask("judge", "DELETE", f"/{kept['id']}"))
    read(await spring.ask("judge", "DELETE", f"/{voided['id']}"))
    read(await spring.ask("judge", "POST", f"/{voided['id']}/restore"))


SHEET = "Дата;Стол;Номер;Исход;Место;Игрок;Роль;Доп\n"
ROLES = ["мирный"] * 6 + ["шериф", "мафия", "мафия", "дон"]


def as_csv(bonus: str = "", number: int = 2) -> bytes:
    rows = [
        f"14.03.2025;1;{number};красные;{seat};P{seat};{role};{bonus if seat == 3 else ''}\n"
        for seat, role in enumerate(ROLES, 1)
    ]
    return (SHEET + "".join(rows)).encode()


async def test_a_mended_sheet_is_a_conflict_or_a_correction(spring: KeptSeason) -> None:
    (made,) = (await bring(spring, as_csv(), media=CSV)).games
    assert (await bring(spring, as_csv(), media=CSV)).results == ["unchanged"]
    (told,) = (await bring(spring, as_csv("0,3"), media=CSV)).games
    assert (told["result"], told["code"], told["id"], told["others"]) == (
        "conflict", "possible_duplicate", made["id"], 0,
    )  # fmt: skip
    (told,) = (await bring(spring, as_csv("0,3"), "?on_conflict=correct", media=CSV)).games
    assert (told["result"], told["id"]) == ("corrected", made["id"])
    assert "code" not in told
    assert (await bring(spring, as_csv(), media=CSV)).results == ["unchanged"]
    assert (await bring(spring, as_csv("0,3"), media=CSV)).results == ["unchanged"]
    (kept,) = stored(spring).values()
    assert (kept.version, kept.external_id) == (2, made["external_id"])
    (told,) = (await bring(spring, as_csv("0,2"), "?allow_duplicate=true", media=CSV)).games
    assert told["result"] == "created"
    (told,) = (await bring(spring, as_csv("0,1"), "?on_conflict=correct", media=CSV)).games
    assert (told["result"], told["code"], told["id"], told["others"]) == (
        "conflict", "possible_duplicate", made["id"], 1,
    )  # fmt: skip
    assert len(stored(spring)) == 2


async def test_a_judge_corrects_by_likeness_what_the_same_key_submitted(
    spring: KeptSeason, sheet: dict[str, Any]
) -> None:
    kept = await spring.kept(sheet, "president")
    query = "?on_conflict=correct"
    (told,) = (await bring(spring, ndjson([bonused(sheet)]), query, role="judge")).games
    assert (told["result"], told["code"], told["id"]) == ("conflict", "forbidden", kept["id"])
    (told,) = (await bring(spring, ndjson([bonused(sheet)]), query, role="chief_judge")).games
    assert (told["result"], told["id"]) == ("corrected", kept["id"])
    assert (await spring.get(kept["id"]))["external_id"] is None


async def test_a_game_comes_by_every_road_and_is_one(spring: KeptSeason, game: dict[str, Any]) -> None:
    told = {**game, **NUMBERED}
    kept = await spring.kept(told)
    assert (await bring(spring, as_csv(), media=CSV)).results == ["unchanged"]
    assert (await bring(spring, ndjson([told]))).results == ["unchanged"]
    exported = (await spring.client.get(f"{spring.path}.ndjson")).content
    assert (await bring(spring, exported)).results == ["unchanged"]
    again = await spring.submit(told)
    assert (again.status_code, again.json()["id"], len(stored(spring))) == (200, kept["id"], 1)


async def test_each_line_comes_after_the_one_before_it(spring: KeptSeason, sheet: dict[str, Any]) -> None:
    file = [sheet, bonused(sheet), sheet, turned(sheet) | {"number": 3}, turned(sheet)]
    told = await bring(spring, ndjson(file))
    assert told.results == ["created", "conflict", "unchanged", "created", "conflict"]
    assert [line["id"] for line in told.games[1:3]] == [told.games[0]["id"]] * 2
    mended = await bring(spring, ndjson([bonused(sheet), sheet, bonused(sheet, 0.2)]), "?on_conflict=correct")
    assert mended.results == ["corrected", "unchanged", "corrected"]
    assert stored(spring)[told.games[0]["external_id"]].version == 3


async def test_two_lines_that_correct_one_game_follow_each_other(spring: KeptSeason, sheet: dict[str, Any]) -> None:
    """The first moves the game's people away, so that the second is like it no more by its seats."""
    kept = await spring.kept(sheet)
    first = turned(with_guests(sheet, 4))
    second = bonused(sheet) | {"number": 7}
    await guests(spring, 4)
    told = await bring(spring, ndjson([first, second]), "?on_conflict=correct")
    assert told.results == ["corrected", "created"]
    assert (await spring.get(kept["id"]))["version"] == 2


async def test_two_at_once_are_one(spring: KeptSeason, sheet: dict[str, Any]) -> None:
    answers = await asyncio.gather(*(spring.submit(sheet) for _ in range(4)))
    assert sorted(answer.status_code for answer in answers) == [200, 200, 200, 201]
    others = await asyncio.gather(*(spring.submit(bonused(sheet, n / 10)) for n in range(1, 4)))
    assert [problem(answer)[2] for answer in others] == ["possible_duplicate"] * 3
    assert len(stored(spring)) == 1


async def test_games_of_a_service_without_traits_are_recognised(spring: KeptSeason, sheet: dict[str, Any]) -> None:
    """It wrote none, or wrote some games more after they were written."""
    kept = await spring.kept(sheet)
    with spring.database.write() as tx:
        tx.execute(text("DELETE FROM traits"))
        tx.execute(text("UPDATE seasons SET traits_at = 0"))
    refused(await spring.submit(bonused(sheet)), kept)
    assert (await spring.submit(sheet)).json()["id"] == kept["id"]
    next_one = await spring.kept(sheet | {"played_on": "2025-03-15"})
    with spring.database.write() as tx:
        tx.execute(text("DELETE FROM traits WHERE game_id = (SELECT max(id) FROM games)"))
        tx.execute(text("UPDATE seasons SET traits_at = 1"))
    assert (await bring(spring, ndjson([bonused(sheet) | {"played_on": "2025-03-15"}]))).games[0]["id"] == next_one[
        "id"
    ]
    with spring.database.read() as tx:
        assert tx.execute(text("SELECT traits_at, revision FROM seasons")).one() == (2, 2)
    own = await spring.kept(sheet | {"external_id": "own"})
    assert [one["code"] for one in own["breakdown"]["warnings"]] == ["possible_duplicate"]
    with spring.database.read() as tx:
        assert tx.execute(text("SELECT traits_at, revision FROM seasons")).one() == (3, 3)


async def test_an_archive_is_recognised_where_it_came(
    spring: KeptSeason, sheet: dict[str, Any], elsewhere: Any
) -> None:
    await spring.kept(sheet)
    there = await moved(spring, elsewhere)
    assert (await there.submit(sheet, "president")).status_code == 200
    answer = await there.submit(bonused(sheet), "president")
    assert problem(answer)[2] == "possible_duplicate"
