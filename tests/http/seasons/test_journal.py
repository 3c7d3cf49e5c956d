"""What was done in a club and in a season, by whom, when and why."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from httpx import Response
from sqlalchemy import text

from tests.http.club import ADMIN, Club, bearer
from tests.http.conftest import RED_WON
from tests.http.desk import ask, merge, newcomer, player
from tests.http.games.test_submitting import ON
from tests.http.importing import ndjson, post
from tests.http.kept_season import KeptSeason, problem, read

pytestmark = pytest.mark.anyio

GAME = {**RED_WON, **ON}


async def season_changes(season: KeptSeason, role: str = "reader", query: str = "") -> Response:
    return await ask(season, role, "GET", f"/seasons/{season.slug}/changes{query}")


def told(listed: dict[str, Any]) -> list[tuple[object, ...]]:
    """Of each item what was done to what, and the revision."""
    return [(item["action"], item["target"], item["revision"]) for item in listed["items"]]


async def test_a_season_shows_what_was_done_the_last_first(spring: KeptSeason) -> None:
    kept = await spring.kept(GAME)
    read(await spring.correct(kept, {**GAME, "outcome": "black"}, "chief_judge", "?reason=misheard"))
    read(await spring.ask("president", "DELETE", f"/{kept['id']}?reason=no%20quorum"))
    assert (await post(spring, ndjson([{**GAME, "external_id": n} for n in "ab"]))).status_code == 200
    read(await ask(spring, "president", "PATCH", "/seasons/spring?reason=it%20rained", {"name": "A long spring"}))
    listed = read(await season_changes(spring))
    assert told(listed) == [
        ("season_changed", "spring", 5),
        ("games_imported", "spring", 4),
        ("game_voided", kept["id"], 3),
        ("game_corrected", kept["id"], 2),
        ("game_submitted", kept["id"], 1),
        ("season_created", "spring", 0),
    ]
    assert [(item["who"]["role"], item["reason"], item["detail"]) for item in listed["items"]] == [
        ("president", "it rained", {"name": "A long spring"}),
        ("president", None, {"games": 2}),
        ("president", "no quorum", {"version": 3, "status": "voided"}),
        ("chief_judge", "misheard", {"version": 2, "status": "counted"}),
        ("judge", None, {"version": 1, "status": "counted"}),
        ("president", None, None),
    ]
    assert listed["items"][3]["who"] == {
        "role": "chief_judge", "key": {"id": spring.ids["chief_judge"], "name": "a chief_judge"},
    }  # fmt: skip
    assert {item["season"] for item in listed["items"]} == {"spring"}
    assert listed["next_cursor"] is None
    moments = [datetime.fromisoformat(item["at"]) for item in listed["items"][:-1]]
    assert moments == sorted(moments, reverse=True)
    assert timedelta() <= datetime.now(UTC) - moments[0] < timedelta(minutes=1)


async def test_a_club_shows_what_was_done_in_its_seasons_and_beside_them(spring: KeptSeason) -> None:
    body = {"slug": "autumn", "name": "Autumn", "rule_system": "maffamily"}
    read(await ask(spring, "president", "POST", "/seasons", body), 201)
    loser, survivor = await newcomer(spring, "P1b"), await player(spring, "P1")
    game = {**GAME, "seats": [{**GAME["seats"][0], "player": "P1b"}, *GAME["seats"][1:]]}
    kept = await spring.kept(game)
    read(await merge(spring, loser, survivor))
    key = read(await ask(spring, "president", "POST", "/keys", {"role": "judge", "name": "Kim"}), 201)
    assert (await ask(spring, "president", "DELETE", f"/keys/{key['id']}")).status_code == 204
    read(await ask(spring, "president", "PATCH", "/seasons/autumn", {"slug": "winter"}))
    listed = read(await ask(spring, "president", "GET", "/changes?limit=8"))
    shown = [(item["action"], item["target"], item["season"], item["revision"]) for item in listed["items"]]
    assert shown == [
        ("season_changed", "winter", "winter", 1),
        ("key_revoked", key["id"], None, None),
        ("key_created", key["id"], None, None),
        ("player_merged", loser["id"], None, None),
        ("player_merged", loser["id"], "spring", 2),
        ("game_submitted", kept["id"], "spring", 1),
        ("player_created", loser["id"], None, None),
        ("season_created", "autumn", "winter", 0),
    ]
    assert [item["detail"] for item in listed["items"][1:5]] == [
        {"role": "judge", "name": "Kim"},
        {"role": "judge", "name": "Kim"},
        {"into": survivor["id"], "nicknames": ["P1b"]},
        {"into": survivor["id"]},
    ]
    assert key["secret"] not in str(listed)


async def test_what_the_admin_did_is_shown_without_a_key(club: Club) -> None:
    """A key of the admin's that is stored is none of the club's either."""
    items = (await club.ask("president", "GET", "/changes")).json()["items"]
    assert (items[-1]["action"], items[-1]["target"]) == ("club_created", "moscow")
    assert items[-1]["who"] == {"role": "admin", "key": None}
    made = await club.client.post("/v1/clubs/moscow/keys", json={"role": "president"}, headers=bearer(ADMIN))
    (newest, *_) = (await club.ask("president", "GET", "/changes?limit=1")).json()["items"]
    assert (newest["target"], newest["who"]) == (made.json()["id"], {"role": "admin", "key": None})


async def test_pages_hold_everything_once_whatever_is_done_meanwhile(spring: KeptSeason) -> None:
    for number in range(5):
        await spring.kept({**GAME, "number": number})
    whole = told(read(await season_changes(spring)))
    assert len(whole) == 6
    listed: list[tuple[object, ...]] = []
    cursor = ""
    while True:
        page = read(await season_changes(spring, query=f"?limit=2{cursor}"))
        listed += told(page)
        await spring.kept({**GAME, "table": len(listed)})
        if page["next_cursor"] is None:
            break
        cursor = f"&cursor={page['next_cursor']}"
    assert listed == whole


async def test_a_list_of_one_season_has_nothing_of_another(spring: KeptSeason) -> None:
    body = {"slug": "autumn", "name": "Autumn", "rule_system": "maffamily"}
    read(await ask(spring, "president", "POST", "/seasons", body), 201)
    read(await ask(spring, "judge", "POST", "/seasons/autumn/games", GAME), 201)
    assert told(read(await season_changes(spring))) == [("season_created", "spring", 0)]


async def test_a_list_that_is_known_is_not_sent_again(spring: KeptSeason) -> None:
    first = await season_changes(spring)
    known = {"if_none_match": first.headers["etag"]}
    assert first.headers["cache-control"] == "private, no-cache"
    path = f"/seasons/{spring.slug}/changes"
    assert (await ask(spring, "reader", "GET", path, **known)).status_code == 304
    await spring.kept(GAME)
    assert (await ask(spring, "reader", "GET", path, **known)).status_code == 200


@pytest.mark.parametrize("query", ["?limit=0", "?limit=201", "?cursor=x", "?season=spring"])
@pytest.mark.parametrize("path", ["/changes", "/seasons/spring/changes"])
async def test_what_no_list_is_asked_is_refused(spring: KeptSeason, path: str, query: str) -> None:
    refused = await ask(spring, "president", "GET", path + query)
    assert problem(refused)[:2] == (422, "invalid-request")
    assert [fault["pointer"] for fault in refused.json()["violations"]] == [query.partition("=")[0]]


@pytest.mark.unsound
async def test_a_detail_that_cannot_be_read_hides_nothing_else(spring: KeptSeason) -> None:
    await spring.kept(GAME)
    with spring.database.write() as tx:
        assert tx.execute(text("UPDATE changes SET detail = '{' WHERE action = 'game_submitted'")).rowcount
        assert tx.execute(text("UPDATE changes SET detail = '7' WHERE action = 'season_created'")).rowcount
    assert [item["detail"] for item in read(await season_changes(spring))["items"]] == [None, None]
