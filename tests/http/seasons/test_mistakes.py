"""Players and seasons that were created by mistake are deleted; what is in use is not (docs/api.md#seasons)."""

from copy import deepcopy
from typing import Any

import pytest
from httpx import Response

from app.repositories.seasons import season_states
from tests.http.club import SEASON, Club
from tests.http.conftest import RED_WON
from tests.http.desk import ask, merge, newcomer, player
from tests.http.kept_season import KeptSeason, problem, read

pytestmark = pytest.mark.anyio

ON = {"played_on": "2025-03-14"}


async def delete(spring: KeptSeason, path: str, role: str = "president", **headers: str) -> Response:
    return await ask(spring, role, "DELETE", path, **headers)


def in_use(answer: Response) -> list[str]:
    assert problem(answer) == (409, "conflict", "in_use")
    used_by: list[str] = answer.json()["used_by"]
    return used_by


async def test_a_player_made_by_mistake_is_deleted_with_his_nicknames(spring: KeptSeason) -> None:
    ann = await newcomer(spring, "Ann")
    path = f"/players/{ann['id']}"
    renamed = await ask(spring, "president", "PATCH", path, {"nickname": "Anna"})
    assert problem(await delete(spring, path, "chief_judge"))[0] == 403
    assert (await delete(spring, path, if_match='"old"')).status_code == 412
    gone = await delete(spring, path, if_match=renamed.headers["etag"])
    assert (gone.status_code, gone.content) == (204, b"")
    assert (await ask(spring, "reader", "GET", path)).status_code == 404
    assert problem(await delete(spring, path))[0] == 404
    change = read(await ask(spring, "president", "GET", "/changes"))["items"][0]
    assert (change["action"], change["target"], change["detail"]) == (
        "player_deleted",
        ann["id"],
        {"nickname": "Anna"},
    )
    for nickname in ("Ann", "Anna"):  # both are free again
        read(await ask(spring, "judge", "POST", "/players", {"nickname": nickname}), 201)


async def test_a_player_of_any_version_of_a_game_stays(spring: KeptSeason) -> None:
    """Also of a version that was corrected away, and of a game that is voided."""
    ann = await newcomer(spring, "Ann")
    slip = deepcopy(RED_WON) | ON
    slip["seats"][0]["player"] = "Ann"
    kept = await spring.kept(slip)
    path = f"/players/{ann['id']}"
    assert in_use(await delete(spring, path)) == ["games"]
    corrected = read(await spring.correct(kept, {**RED_WON, **ON}))
    assert in_use(await delete(spring, path)) == ["games"]
    read(await spring.ask("president", "DELETE", f"/{corrected['id']}"))
    assert in_use(await delete(spring, path)) == ["games"]


async def test_a_player_with_an_entry_or_a_merge_stays(spring: KeptSeason) -> None:
    ann, bob, kim = [await newcomer(spring, name) for name in ("Ann", "Bob", "Kim")]
    read(await ask(spring, "judge", "POST", "/seasons/spring/entries", {"player": kim["id"]}), 201)
    assert in_use(await delete(spring, f"/players/{kim['id']}")) == ["entries"]
    read(await merge(spring, ann, bob))
    assert in_use(await delete(spring, f"/players/{ann['id']}")) == ["merges"]
    assert in_use(await delete(spring, f"/players/{bob['id']}")) == ["merges"]


async def test_a_season_made_by_mistake_is_deleted_and_its_slug_is_free(club: Club) -> None:
    made = await club.ask("president", "POST", "/seasons", SEASON)
    await club.ask("president", "PATCH", "/seasons/spring", {"name": "Slip"})
    assert (await club.ask("president", "GET", "/seasons/spring/standings")).status_code == 200
    stale = await club.ask("president", "DELETE", "/seasons/spring", headers={"if-match": made.headers["etag"]})
    assert stale.status_code == 412
    for role, status in (("anonymous", 401), ("chief_judge", 403)):
        assert (await club.ask(role, "DELETE", "/seasons/spring")).status_code == status
    gone = await club.ask("president", "DELETE", "/seasons/spring")
    assert (gone.status_code, gone.content) == (204, b"")
    for path in ("", "/standings", "/games", "/changes"):
        assert (await club.ask("president", "GET", f"/seasons/spring{path}")).status_code == 404
    assert (await club.ask("president", "DELETE", "/seasons/spring")).status_code == 404
    items = (await club.ask("president", "GET", "/changes")).json()["items"][:3]
    assert [(one["action"], one["season"]) for one in items] == [
        ("season_deleted", None),
        ("season_changed", None),
        ("season_created", None),
    ]
    assert items[0]["detail"] == {"name": "Slip"}
    again = await club.ask("president", "POST", "/seasons", SEASON)
    assert (again.status_code, again.json()["revision"]) == (201, 0)
    table = (await club.ask("reader", "GET", "/seasons/spring/standings")).json()
    assert (table["revision"], table["games"], table["rows"]) == (0, 0, [])


async def test_a_season_that_is_deleted_while_its_table_is_made_is_not_found(
    club: Club, monkeypatch: pytest.MonkeyPatch
) -> None:
    await club.ask("president", "POST", "/seasons", SEASON)
    monkeypatch.setattr(season_states, "find_by_id", lambda _tx, _number: None)
    assert (await club.ask("anonymous", "GET", "/seasons/spring/standings")).status_code == 404


async def test_a_closed_season_without_games_is_deleted_too(club: Club) -> None:
    await club.ask("president", "POST", "/seasons", SEASON)
    assert (await club.ask("president", "POST", "/seasons/spring/close")).status_code == 200
    assert (await club.ask("president", "DELETE", "/seasons/spring")).status_code == 204


@pytest.mark.parametrize("voided", [False, True])
async def test_a_season_with_a_game_of_any_status_stays(spring: KeptSeason, voided: bool) -> None:
    kept = await spring.kept({**RED_WON, **ON})
    if voided:
        read(await spring.ask("president", "DELETE", f"/{kept['id']}"))
    assert in_use(await delete(spring, "/seasons/spring")) == ["games"]


async def test_a_season_with_entries_or_whose_awards_another_takes_stays(spring: KeptSeason) -> None:
    one = await player(spring, "P1")
    read(await ask(spring, "judge", "POST", "/seasons/spring/entries", {"player": one["id"]}), 201)
    assert in_use(await delete(spring, "/seasons/spring")) == ["entries"]
    cup: dict[str, Any] = {**SEASON, "slug": "cup", "awards_from": "spring"}
    read(await ask(spring, "president", "POST", "/seasons", cup), 201)
    assert in_use(await delete(spring, "/seasons/spring")) == ["entries", "awards_from"]
    assert (await delete(spring, f"/seasons/spring/entries/{one['id']}", "judge")).status_code == 204
    assert in_use(await delete(spring, "/seasons/spring")) == ["awards_from"]
    assert (await delete(spring, "/seasons/cup")).status_code == 204
    assert (await delete(spring, "/seasons/spring")).status_code == 204


async def test_strangers_do_not_learn_the_slug_of_a_private_qualifying_season(spring: KeptSeason) -> None:
    cup = {**SEASON, "slug": "cup", "awards_from": "spring"}
    read(await ask(spring, "president", "POST", "/seasons", cup), 201)

    async def seen(role: str) -> list[Any]:
        (listed,) = [one for one in read(await ask(spring, role, "GET", "/seasons"))["items"] if one["slug"] == "cup"]
        one = read(await ask(spring, role, "GET", "/seasons/cup"))
        entries = read(await ask(spring, role, "GET", "/seasons/cup/entries"))
        return [listed["awards_from"], one["awards_from"], entries["awards_from"]]

    assert await seen("anonymous") == ["spring"] * 3
    read(await ask(spring, "president", "PATCH", "/seasons/spring", {"public": False}))
    assert await seen("anonymous") == [None] * 3
    assert await seen("reader") == ["spring"] * 3
