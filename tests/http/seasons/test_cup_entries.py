"""A cup names its qualifying season, and its list of entries shows whom that season's awards give what."""

from copy import deepcopy
from datetime import UTC, datetime
from typing import Any

import pytest
from fastapi import FastAPI
from httpx import Response

from app.repositories import journal
from app.repositories.seasons import seasons
from app.services.audit import audit
from tests.http.club import bearer
from tests.http.games.test_correcting import bonused
from tests.http.games.test_submitting import ON
from tests.http.kept_season import KeptSeason, make_season, problem, read
from tests.http.seasons.test_closing import close, of_club, of_season, player_id, reopen

pytestmark = pytest.mark.anyio

CUP = {"slug": "cup", "name": "Cup", "rule_system": "sport-percent", "format": "tournament", "awards_from": "spring"}


@pytest.fixture
async def cup(spring: KeptSeason, game: dict[str, Any]) -> KeptSeason:
    """A cup after a season in which P1 has the most points, Ann the best rating, and Bob neither.

    P1 won one of two: 2.5 + 1.3 = 3.8 points, 3.8 x 3.8 / 4 = 3.61. P2 to P10 won one of two: 2 points, rating 1. Ann
    won her only game with 2.5 points, rating 6.25, beside N2 to N7 with 2 points, rating 4; N8, N9 and Bob lost it. So
    the rating's ninth place is shared by nine, and the last three are out of the top ten.
    """
    red = {**game, **ON}
    await spring.kept(bonused(red, s1=0.5))
    black = {**bonused(red, s1=0.4), "outcome": "black"}
    black["first_kill"] = {"seat": 1, "best_move": [8, 9, 10]}
    await spring.kept(black)
    third = bonused(red, s1=0.5)
    for seat, name in zip(third["seats"], ("Ann", *(f"N{n}" for n in range(2, 10)), "Bob"), strict=True):
        seat["player"] = name
    read(await spring.ask("judge", "POST", "?create_players=true", third), 201)
    await of_club(spring, "POST", "/seasons", CUP)
    return spring._replace(slug="cup")


async def enter(cup: KeptSeason, nickname: str, role: str = "judge") -> Response:
    return await of_season(cup, role, "POST", "/entries", {"player": await player_id(cup, nickname)})


async def entries(cup: KeptSeason, role: str = "judge", query: str = "", language: str = "en") -> dict[str, Any]:
    return read(await of_season(cup, role, "GET", f"/entries{query}", language=language))


def flags(found: list[dict[str, Any]]) -> list[tuple[str, bool | None, bool | None]]:
    return [(entry["player"]["nickname"], entry["fee_waived"], entry["priority"]) for entry in found]


async def test_a_season_names_the_season_whose_awards_hold(cup: KeptSeason) -> None:
    shown = read(await of_season(cup, "anonymous", "GET", ""))
    assert shown["awards_from"] == "spring"
    qualifying = cup._replace(slug="spring")
    assert read(await of_season(qualifying, "anonymous", "GET", ""))["awards_from"] is None
    renamed = read(await of_season(qualifying, "president", "PATCH", "", {"slug": "vesna"}))
    assert renamed["slug"] == "vesna"
    assert read(await of_season(cup, "anonymous", "GET", ""))["awards_from"] == "vesna"
    for value, expected in ((None, None), ("vesna", "vesna")):
        changed = read(await of_season(cup, "president", "PATCH", "", {"awards_from": value}))
        assert changed["awards_from"] == expected
        assert read(await of_season(cup, "anonymous", "GET", "")) == changed
    same = read(await of_season(cup, "president", "PATCH", "", {"awards_from": "vesna"}))
    assert same["revision"] == changed["revision"] == 2
    listed = (await of_club(cup, "GET", "/seasons"))["items"]
    assert {season["slug"]: season["awards_from"] for season in listed} == {"cup": "vesna", "vesna": None}


@pytest.mark.parametrize("value, code", [("autumn", "value"), ("cup", "value"), ("Spring", "value"), (7, "type")])
async def test_only_another_season_of_the_club_qualifies(
    cup: KeptSeason, kept_app: FastAPI, value: object, code: str
) -> None:
    elsewhere = make_season(kept_app.state.database, cup.client, club="kyiv")
    await of_club(elsewhere, "POST", "/seasons", {**CUP, "slug": "autumn", "awards_from": None})
    refused = await of_season(cup, "president", "PATCH", "", {"awards_from": value})
    assert problem(refused)[:2] == (422, "invalid-request")
    assert [(found["code"], found["pointer"]) for found in refused.json()["violations"]] == [(code, "/awards_from")]
    made = await cup.client.post(
        f"/v1/clubs/{cup.club}/seasons",
        json={**CUP, "slug": "cup", "awards_from": value},
        headers=bearer(cup.secrets["president"]),
    )
    # Its own slug is taken, and until it is made it is not there.
    assert made.status_code == (409 if value == "cup" else 422)


async def test_the_list_shows_whose_fee_is_waived_and_who_has_priority(cup: KeptSeason) -> None:
    for name in ("P3", "Bob", "P1"):
        assert (await enter(cup, name)).status_code == 201
    listed = await entries(cup)
    assert (listed["awards_from"], listed["provisional"], listed["next_cursor"]) == ("spring", True, None)
    assert flags(listed["items"]) == [("P3", False, True), ("Bob", False, False), ("P1", True, True)]
    assert [award["code"] for award in listed["items"][2]["awards"]] == ["free_entry", "priority_registration"]
    assert listed["items"][0]["awards"] == [
        {"clause": "7", "code": "priority_registration", "name": "Priority registration for the cup"}
    ]
    assert datetime.fromisoformat(listed["items"][0]["entered_at"]) <= datetime.now(UTC)
    missing = listed["not_entered"]
    assert {entry["player"]["nickname"] for entry in missing} == {
        "Ann", "P2", *(f"N{n}" for n in range(2, 8)), *(f"P{n}" for n in range(4, 11)),
    }  # fmt: skip
    (ann,) = [entry for entry in missing if entry["player"]["nickname"] == "Ann"]
    assert ann["entered_at"] is None
    assert [award["code"] for award in ann["awards"]] == ["best_player", "priority_registration"]
    russian = await entries(cup, language="ru")
    assert russian["items"][2]["awards"][0]["name"] == "Бесплатное участие в кубке"


async def test_anyone_reads_the_list_of_a_public_cup_and_its_entries(cup: KeptSeason) -> None:
    made = await enter(cup, "P1")
    address = made.headers["location"]
    assert address == f"/v1/clubs/moscow/seasons/cup/entries/{await player_id(cup, 'P1')}"
    one = await cup.client.get(address)
    assert (one.status_code, one.json(), one.headers["etag"]) == (200, made.json(), made.headers["etag"])
    assert (await entries(cup, "anonymous"))["items"] == [made.json()]
    again = await of_season(cup, "anonymous", "GET", "/entries")
    unchanged = await of_season(cup, "anonymous", "GET", "/entries", **{"if-none-match": again.headers["etag"]})
    assert unchanged.status_code == 304


async def test_awards_of_a_season_that_may_not_be_read_are_not_shown(cup: KeptSeason, kept_app: FastAPI) -> None:
    await enter(cup, "P1")
    read(await of_season(cup._replace(slug="spring"), "president", "PATCH", "", {"public": False}))
    assert flags((await entries(cup, "reader"))["items"]) == [("P1", True, True)]
    stranger = make_season(kept_app.state.database, cup.client, club="kyiv").secrets["president"]
    cup.secrets["stranger"] = stranger
    for role in ("anonymous", "stranger"):
        listed = await entries(cup, role)
        assert (flags(listed["items"]), listed["not_entered"], listed["provisional"]) == (
            [("P1", None, None)],
            [],
            None,
        )
        assert listed["items"][0]["awards"] == []


async def test_a_cup_without_a_qualifying_season_has_a_list_too(spring: KeptSeason) -> None:
    assert (await enter(spring, "P1")).status_code == 201
    listed = await entries(spring)
    assert (listed["awards_from"], listed["provisional"]) == (None, None)
    assert (flags(listed["items"]), listed["not_entered"]) == ([("P1", False, False)], [])


async def test_entering_twice_is_entering_once_and_each_change_is_a_revision(cup: KeptSeason) -> None:
    first, again = await enter(cup, "P1"), await enter(cup, "P1", "president")
    assert (first.status_code, again.status_code, again.json()) == (201, 200, first.json())
    assert read(await of_season(cup, "reader", "GET", ""))["revision"] == 1
    gone = await of_season(cup, "judge", "DELETE", f"/entries/{await player_id(cup, 'P1')}")
    assert (gone.status_code, gone.content) == (204, b"")
    assert (await entries(cup))["items"] == []
    assert read(await of_season(cup, "reader", "GET", ""))["revision"] == 2
    for method in ("GET", "DELETE"):
        absent = await of_season(cup, "judge", method, f"/entries/{await player_id(cup, 'P1')}")
        assert problem(absent)[:2] == (404, "not-found")
    with cup.database.read() as tx:
        season = seasons.find(tx, cup.club, "cup")
        assert season
        recorded = journal.after(tx, season.id, 0, limit=9)
    assert [(one.action, one.target, one.role) for one in recorded] == [
        ("player_entered", await player_id(cup, "P1"), "judge"),
        ("player_withdrawn", await player_id(cup, "P1"), "judge"),
    ]
    assert list(audit(cup.database)) == []


@pytest.mark.parametrize("player", ["p_000000000000000000", "P1", "", "' OR 1=1 --"])
async def test_only_players_of_the_club_enter(cup: KeptSeason, player: str) -> None:
    refused = await of_season(cup, "judge", "POST", "/entries", {"player": player})
    assert problem(refused)[:2] == (422, "invalid-request")
    assert [found["pointer"] for found in refused.json()["violations"]] == ["/player"]


async def test_a_player_of_another_club_does_not_enter(cup: KeptSeason, kept_app: FastAPI) -> None:
    elsewhere = make_season(kept_app.state.database, cup.client, club="kyiv")
    refused = await of_season(cup, "judge", "POST", "/entries", {"player": await player_id(elsewhere, "P1")})
    assert refused.status_code == 422


async def test_the_list_comes_in_pages_in_the_order_of_entering(cup: KeptSeason) -> None:
    names = ["P5", "P1", "Bob", "P9", "P2"]
    for name in names:
        await enter(cup, name)
    seen, query = [], "?limit=2"
    while True:
        page = await entries(cup, query=query)
        seen.append([entry["player"]["nickname"] for entry in page["items"]])
        if page["next_cursor"] is None:
            break
        query = f"?limit=2&cursor={page['next_cursor']}"
    assert seen == [names[:2], names[2:4], names[4:]]


async def test_awards_go_along_with_who_was_merged_before_and_after_closing(cup: KeptSeason) -> None:
    first, second = await player_id(cup, "P1"), await player_id(cup, "P2")
    await enter(cup, "P1")
    await enter(cup, "P3")
    await close(cup._replace(slug="spring"))
    zoe = await of_club(cup, "POST", "/players", {"nickname": "Zoe"})
    await enter(cup, "Zoe")
    await of_club(cup, "POST", f"/players/{first}/merge", {"into": zoe["id"]})
    listed = await entries(cup)
    assert listed["provisional"] is False
    assert flags(listed["items"]) == [("Zoe", True, True), ("P3", False, True)]
    assert zoe["id"] not in [entry["player"]["id"] for entry in listed["not_entered"]]
    by_old_id = read(await of_season(cup, "judge", "GET", f"/entries/{first}"))
    assert by_old_id == listed["items"][0]
    assert (await of_season(cup, "judge", "POST", "/entries", {"player": first})).status_code == 200
    assert (await of_season(cup, "judge", "DELETE", f"/entries/{first}")).status_code == 204
    assert flags((await entries(cup))["items"]) == [("P3", False, True)]
    yan = await of_club(cup, "POST", "/players", {"nickname": "Yan"})
    await of_club(cup, "POST", f"/players/{second}/merge", {"into": yan["id"]})
    missing = {entry["player"]["nickname"] for entry in (await entries(cup))["not_entered"]}
    assert {"Zoe", "Yan"} <= missing
    assert not missing & {"P1", "P2"}


async def test_frozen_awards_hold_whatever_is_played_after(cup: KeptSeason, game: dict[str, Any]) -> None:
    qualifying = cup._replace(slug="spring")
    await enter(cup, "P1")
    await close(qualifying)
    closed = await entries(cup)
    await reopen(qualifying)
    late = deepcopy({**game, **ON})
    late["seats"][0]["player"], late["seats"][2]["player"] = "P3", "P1"
    late |= {"outcome": "black", "first_kill": {"seat": 1, "best_move": [8, 9, 10]}}
    late["seats"][0]["bonus"] = 0.4
    for number in range(3):  # 1.3 for P3 each time, nothing for P1
        await qualifying.kept({**late, "number": number})
    reopened = await entries(cup)
    assert (closed["provisional"], reopened["provisional"]) == (False, True)
    assert flags(closed["items"]) == [("P1", True, True)]
    assert flags(reopened["items"])[0][:2] == ("P1", False)


async def test_a_closed_cup_takes_no_entries(cup: KeptSeason) -> None:
    await enter(cup, "P1")
    await close(cup)
    for answer in (
        await enter(cup, "P2"),
        await of_season(cup, "judge", "DELETE", f"/entries/{await player_id(cup, 'P1')}"),
    ):
        assert problem(answer) == (409, "conflict", "season_closed")
    assert len((await entries(cup))["items"]) == 1
