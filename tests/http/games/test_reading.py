"""Games listed and read, and who may (docs/api.md#games-of-a-season)."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from fastapi import FastAPI
from httpx import AsyncClient

from app.repositories.seasons import seasons
from tests.http.games.test_submitting import ON
from tests.http.kept_season import KeptSeason, make_season, problem, read

pytestmark = pytest.mark.anyio

DAYS = ["2025-03-14", "2025-03-20", "2025-03-14", "2025-04-01", "2025-03-20"]


@pytest.fixture
async def five(spring: KeptSeason, game: dict[str, Any]) -> list[dict[str, Any]]:
    """Games 0 to 4 on :data:`DAYS`; P1 sat in all but game 3, which is friendly; game 1 is voided, game 4 pending."""
    kept = []
    for number, day in enumerate(DAYS):
        sent = {**game, "played_on": day, "table": number, "external_id": f"{number}", "rated": number != 3}
        seats = [dict(seat) for seat in game["seats"]]
        if number == 3:
            seats[0]["player"] = "Guest"
        if number == 4:
            seats[0]["bonus"] = 0.6
        kept.append(read(await spring.ask("judge", "POST", "?create_players=true", {**sent, "seats": seats}), 201))
    await spring.ask("judge", "DELETE", f"/{kept[1]['id']}")
    return kept


async def tables(spring: KeptSeason, query: str, role: str = "anonymous") -> list[int]:
    """The tables of the games that are listed, in their order."""
    return [item["game"]["table"] for item in read(await spring.ask(role, "GET", query))["items"]]


@pytest.mark.parametrize(
    "query, expected",
    [
        ("", [3, 4, 1, 2, 0]),
        ("?from=2025-03-20", [3, 4, 1]),
        ("?to=2025-03-20", [4, 1, 2, 0]),
        ("?from=2025-03-15&to=2025-03-31", [4, 1]),
        ("?from=2025-05-01&to=2025-03-01", []),
        ("?status=counted", [2, 0]),
        ("?status=pending", [4]),
        ("?status=voided", [1]),
        ("?status=unrated", [3]),
        ("?status=rejected", []),
        ("?player={guest}", [3]),
        ("?player={p1}&status=counted&to=2025-03-14", [2, 0]),
    ],
)
async def test_games_are_listed_the_last_played_first(
    spring: KeptSeason, five: list[dict[str, Any]], query: str, expected: list[int]
) -> None:
    ids = {"p1": five[0]["game"]["seats"][0]["player_id"], "guest": five[3]["game"]["seats"][0]["player_id"]}
    for name, value in ids.items():
        query = query.replace("{" + name + "}", value)
    assert await tables(spring, query) == expected


async def test_a_listed_game_is_a_game_without_its_breakdown(spring: KeptSeason, five: list[dict[str, Any]]) -> None:
    (listed,) = read(await spring.ask("judge", "GET", "?status=pending"))["items"]
    kept = dict(five[4])
    del kept["breakdown"]
    assert listed == {**kept, "etag": f'"{kept["id"]}-1"'}
    assert listed["game"]["seats"][0]["bonus"] == Decimal("0.6")
    assert (await spring.correct(listed, {**five[4]["game"], "seats": []})).status_code == 422  # not 412


@pytest.mark.parametrize("limit", [1, 2, 3, 5])
async def test_pages_neither_repeat_nor_skip_a_game(spring: KeptSeason, five: list[dict[str, Any]], limit: int) -> None:
    assert len(five) == 5
    seen = []
    cursor: str | None = ""
    while cursor is not None:
        page = read(await spring.ask("judge", "GET", f"?limit={limit}" + (f"&cursor={cursor}" if cursor else "")))
        assert len(page["items"]) <= limit
        seen += [item["game"]["table"] for item in page["items"]]
        cursor = page["next_cursor"]
    assert seen == [3, 4, 1, 2, 0]


async def test_a_list_that_has_not_changed_is_not_sent_again(spring: KeptSeason, game: dict[str, Any]) -> None:
    await spring.kept({**game, **ON})
    first = await spring.ask("judge", "GET")
    known = {"if-none-match": first.headers["etag"]}
    assert (await spring.ask("judge", "GET", headers=known)).status_code == 304
    await spring.kept({**game, "played_on": "2025-03-15"})
    assert (await spring.ask("judge", "GET", headers=known)).status_code == 200


@pytest.mark.parametrize(
    "query, pointer",
    [
        ("?limit=0", "?limit"),
        ("?limit=201", "?limit"),
        ("?limit=all", "?limit"),
        ("?from=yesterday", "?from"),
        ("?to=2025-02-30", "?to"),
        ("?status=lost", "?status"),
        ("?cursor=abc", "?cursor"),
        ("?cursor=WyJhIiwxXQ", "?cursor"),
        ("?player=p_0", "?player"),
        ("?since=2025-03-01", "?since"),
    ],
)
async def test_a_query_that_cannot_be_read_is_refused(spring: KeptSeason, query: str, pointer: str) -> None:
    answer = await spring.ask("judge", "GET", query)
    assert problem(answer) == (422, "invalid-request", None)
    assert [found["pointer"] for found in answer.json()["violations"]] == [pointer]


async def test_another_clubs_player_filters_nothing(
    spring: KeptSeason, kept_app: FastAPI, game: dict[str, Any]
) -> None:
    kyiv = make_season(kept_app.state.database, spring.client, club="kyiv")
    theirs = (await kyiv.kept({**game, **ON}))["game"]["seats"][0]["player_id"]
    assert problem(await spring.ask("judge", "GET", f"?player={theirs}"))[0] == 422


WRITES = [("POST", ""), ("PUT", "/{id}"), ("DELETE", "/{id}"), ("POST", "/{id}/restore")]
READS = [("GET", ""), ("GET", "/{id}"), ("GET", "/{id}/history")]


async def ask_all(season: KeptSeason, role: str, kept: dict[str, Any], requests: list[tuple[str, str]]) -> set[int]:
    statuses = set()
    for method, path in requests:
        body = {"outcome": "red", "seats": []} if method in ("POST", "PUT") else None
        answer = await season.ask(role, method, path.replace("{id}", kept["id"]), body, {"if-match": "*"})
        statuses.add(answer.status_code)
        assert "P1" not in answer.text or answer.status_code == 200
    return statuses


async def test_who_may_not_write_changes_nothing(spring: KeptSeason, kept_app: FastAPI, game: dict[str, Any]) -> None:
    kept = await spring.kept({**game, **ON})
    spring.secrets["stranger"] = make_season(kept_app.state.database, spring.client, club="kyiv").secrets["president"]
    assert await ask_all(spring, "anonymous", kept, WRITES) == {401}
    assert await ask_all(spring, "reader", kept, WRITES) == {403}
    assert await ask_all(spring, "stranger", kept, WRITES) == {403}
    assert await spring.get(kept["id"]) == kept


async def test_a_season_that_is_not_public_is_its_clubs_alone(
    kept_app: FastAPI, kept_client: AsyncClient, game: dict[str, Any]
) -> None:
    closed = make_season(kept_app.state.database, kept_client, public=False)
    kept = await closed.kept({**game, **ON})
    closed.secrets["stranger"] = make_season(kept_app.state.database, kept_client, club="kyiv").secrets["president"]
    assert await ask_all(closed, "anonymous", kept, READS) == {404}
    assert await ask_all(closed, "stranger", kept, READS + WRITES) == {404}
    assert await ask_all(closed, "reader", kept, READS) == {200}
    answer = await closed.ask("reader", "GET", f"/{kept['id']}")
    assert "private" in answer.headers["cache-control"]


@pytest.mark.parametrize("method, path", WRITES[1:] + READS[1:])
async def test_a_game_is_found_in_its_own_season_only(
    spring: KeptSeason, kept_app: FastAPI, game: dict[str, Any], method: str, path: str
) -> None:
    kyiv = make_season(kept_app.state.database, spring.client, club="kyiv")
    theirs = await kyiv.kept({**game, **ON})
    for missing in (theirs["id"], "g_0", "%00", "..%2F", "'%20OR%201=1--"):
        body = game if method == "PUT" else None
        address = path.replace("{id}", missing)
        answer = await spring.ask("president", method, address, body, {"if-match": "*"})
        assert answer.status_code in ({404} if missing != "%00" else {404, 422})
    assert await kyiv.get(theirs["id"]) == theirs


@pytest.mark.unsound
async def test_a_closed_season_takes_no_games_and_shows_all(spring: KeptSeason, game: dict[str, Any]) -> None:
    kept = await spring.kept({**game, **ON})
    with spring.database.write() as tx:
        season = seasons.find_locked(tx, spring.club, spring.slug)
        assert season
        seasons.close(tx, season.id, revision=season.revision, tables="{}", at=datetime(2025, 6, 1, tzinfo=UTC))
    for method, path in WRITES:
        address = path.replace("{id}", kept["id"])
        answer = await spring.ask("president", method, address, {**game, **ON}, {"if-match": "*"})
        assert problem(answer) == (409, "conflict", "season_closed")
    assert await spring.get(kept["id"]) == kept


async def test_head_is_answered_where_get_is(spring: KeptSeason, game: dict[str, Any]) -> None:
    kept = await spring.kept({**game, **ON})
    answer = await spring.ask("judge", "HEAD", f"/{kept['id']}")
    assert (answer.status_code, answer.content, answer.headers["etag"]) == (200, b"", kept["etag"])
