"""The list of clubs, and what waits in all seasons of a club (docs/api.md#clubs-keys-and-players)."""

from copy import deepcopy
from typing import Any

import pytest
from httpx import AsyncClient

from tests.http.club import ADMIN, SEASON, Club, bearer, new_club
from tests.http.conftest import RED_WON

pytestmark = pytest.mark.anyio


async def listed(client: AsyncClient, query: str = "", secret: str | None = None) -> list[str]:
    headers = {} if secret is None else bearer(secret)
    answer = await client.get(f"/v1/clubs{query}", headers=headers)
    assert answer.status_code == 200, answer.text
    return [club["slug"] for club in answer.json()["items"]]


async def test_clubs_with_a_public_season_are_listed_and_all_for_the_admin(
    club: Club, other_club: Club, kept_client: AsyncClient
) -> None:
    assert await listed(kept_client) == []
    assert await listed(kept_client, secret=ADMIN) == ["moscow", "kyiv"]
    await club.ask("president", "POST", "/seasons", {**SEASON, "public": False})
    await other_club.ask("president", "POST", "/seasons", SEASON)
    assert await listed(kept_client) == ["kyiv"]
    assert await listed(kept_client, secret=club.secrets["president"]) == ["kyiv"]
    await club.ask("president", "PATCH", "/seasons/spring", {"public": True})
    answer = await kept_client.get("/v1/clubs")
    assert answer.json()["items"] == [
        (await kept_client.get(f"/v1/clubs/{slug}")).json() for slug in ("moscow", "kyiv")
    ]
    again = await kept_client.get("/v1/clubs", headers={"if-none-match": answer.headers["etag"]})
    assert again.status_code == 304


async def test_clubs_are_found_by_a_part_of_name_or_slug(kept_client: AsyncClient) -> None:
    for slug, name in (("msk", "Клуб Москва"), ("tver", "Тверь"), ("m-2", "100% МАФИЯ")):
        made = await kept_client.post("/v1/clubs", json={"slug": slug, "name": name}, headers=bearer(ADMIN))
        assert made.status_code == 201
    for search, found in (
        ("МОСК", ["msk"]),
        ("ver", ["tver"]),
        ("мафия", ["m-2"]),
        ("%25", ["m-2"]),
        ("_", []),
        ("%20", ["msk", "tver", "m-2"]),
        ("kyiv", []),
    ):
        assert await listed(kept_client, f"?search={search}", ADMIN) == found, search


async def test_the_list_of_clubs_has_pages(kept_client: AsyncClient) -> None:
    for number in range(5):
        await kept_client.post("/v1/clubs", json={"slug": f"club-{number}", "name": "Club"}, headers=bearer(ADMIN))
    found: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        page = (await kept_client.get(f"/v1/clubs?limit=2&search=club{cursor}", headers=bearer(ADMIN))).json()
        found += [club["slug"] for club in page["items"]]
        cursor = page["next_cursor"] and f"&cursor={page['next_cursor']}"
    assert found == [f"club-{number}" for number in range(5)]


async def test_what_waits_in_all_seasons_of_a_club(club: Club, kept_client: AsyncClient) -> None:
    game: dict[str, Any] = deepcopy(RED_WON) | {"played_on": "2025-03-14"}
    game["seats"][0]["bonus"] = 0.6  # the president must agree
    sent: list[tuple[str, str]] = []
    for season in ("spring", "autumn", "spring"):
        await club.ask("president", "POST", "/seasons", {**SEASON, "slug": season})
        game |= {"external_id": f"{len(sent)}"}
        made = await club.ask("judge", "POST", f"/seasons/{season}/games?create_players=true", game)
        assert made.json()["status"] == "pending", made.text
        sent.append((season, made.json()["id"]))
    await new_club(kept_client, "kyiv")
    items = (await club.ask("reader", "GET", "/approvals")).json()["items"]
    assert [(one["season"], one["game"]["id"]) for one in items] == sent
    first = (await club.ask("reader", "GET", "/approvals?limit=2")).json()
    rest = (await club.ask("reader", "GET", f"/approvals?limit=2&cursor={first['next_cursor']}")).json()
    assert [*first["items"], *rest["items"]] == items
    (autumn,) = (await club.ask("reader", "GET", "/seasons/autumn/approvals")).json()["items"]
    assert autumn == items[1]
    assert (await club.ask("anonymous", "GET", "/approvals")).status_code == 401
