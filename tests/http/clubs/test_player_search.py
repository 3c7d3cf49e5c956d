"""Players found while a nickname is typed (docs/api.md#clubs-keys-and-players)."""

from typing import Any

import pytest

from tests.http.club import SEASON, Club, bearer
from tests.http.conftest import RED_WON

pytestmark = pytest.mark.anyio

OTHERS = [f"Guest {number}" for number in range(10)]


async def found(club: Club, text: str, limit: int = 10) -> list[str]:
    answer = await club.client.get(
        f"/v1/clubs/{club.slug}/players",
        params={"search": text, "limit": limit},
        headers=bearer(club.secrets["reader"]),
    )
    assert answer.status_code == 200, answer.text
    assert answer.json()["next_cursor"] is None
    return [player["nickname"] for player in answer.json()["items"]]


async def play(club: Club, day: str, *nicknames: str) -> dict[str, Any]:
    """Play a game in which these sit in the first seats."""
    names = [*nicknames, *OTHERS][:10]
    seats = [{**seat, "player": name} for seat, name in zip(RED_WON["seats"], names, strict=True)]
    game = {**RED_WON, "played_on": day, "seats": seats}
    answer = await club.ask("judge", "POST", "/seasons/spring/games?create_players=true", game)
    assert answer.status_code == 201, answer.text
    kept: dict[str, Any] = answer.json()
    return kept


async def make(club: Club, *nicknames: str) -> list[str]:
    made = [await club.ask("judge", "POST", "/players", {"nickname": nickname}) for nickname in nicknames]
    return [answer.json()["id"] for answer in made]


async def test_who_begins_so_comes_first_then_who_played_last(club: Club) -> None:
    await club.ask("president", "POST", "/seasons", SEASON)
    await make(club, "Алиса", "Галка", "Алмаз", "Палач", "Вера")
    await play(club, "2025-03-14", "Алмаз", "Палач")
    await play(club, "2025-03-21", "Палач", "Галка")
    await play(club, "2025-03-28", "Галка")
    assert await found(club, "ал") == ["Алмаз", "Алиса", "Галка", "Палач"]
    assert await found(club, " АЛ ", limit=2) == ["Алмаз", "Алиса"]
    assert await found(club, "", limit=3) == ["Guest 0", "Guest 1", "Guest 2"]
    played_last = [*(f"Guest {n}" for n in range(9)), "Галка"]
    assert await found(club, "  ", limit=200) == [*played_last, "Палач", "Алмаз", "Алиса", "Вера"]
    assert await found(club, "нет такого") == []


async def test_letters_that_look_alike_are_equal_and_a_player_is_found_once(club: Club) -> None:
    (ada,) = await make(club, "Caxap")  # Latin letters
    assert await found(club, "сах") == ["Caxap"]
    await club.ask("president", "PATCH", f"/players/{ada}", {"nickname": "Сахарок"})
    assert await found(club, "cax") == ["Сахарок"]
    answer = await club.ask("reader", "GET", "/players?search=cax")
    assert [(player["id"], player["aliases"]) for player in answer.json()["items"]] == [(ada, ["Caxap"])]


async def test_what_changes_is_found_at_once(club: Club) -> None:
    await club.ask("president", "POST", "/seasons", SEASON)
    assert await found(club, "") == []
    one, _ = await make(club, "Zed", "Zoe")
    assert await found(club, "z") == ["Zed", "Zoe"]
    game = await play(club, "2025-03-14", "Zoe")
    assert await found(club, "z") == ["Zoe", "Zed"]
    later = await play(club, "2025-03-15", "Zed")
    assert await found(club, "z") == ["Zed", "Zoe"]
    await club.ask("chief_judge", "DELETE", f"/seasons/spring/games/{later['id']}")
    assert await found(club, "z") == ["Zoe", "Zed"]
    moved = {**game["game"], "played_on": "2025-03-01"}
    answer = await club.ask(
        "chief_judge", "PUT", f"/seasons/spring/games/{game['id']}", moved, {"if-match": game["etag"]}
    )
    assert answer.status_code == 200, answer.text
    await play(club, "2025-03-02", "Zed")
    assert await found(club, "z") == ["Zed", "Zoe"]
    (gone,) = await make(club, "Zara")
    assert await found(club, "za") == ["Zara"]
    await club.ask("president", "DELETE", f"/players/{gone}")
    assert await found(club, "za") == []
    (twin,) = await make(club, "Zedd")
    merged = await club.ask("president", "POST", f"/players/{twin}/merge", {"into": one})
    assert merged.status_code == 200, merged.text
    assert await found(club, "zedd") == ["Zed"]


async def test_players_of_other_clubs_are_not_found(club: Club, other_club: Club) -> None:
    await make(club, "Ann")
    assert await found(other_club, "") == []
    for role, status in (("anonymous", 401), ("reader", 404)):
        headers = {} if role == "anonymous" else bearer(other_club.secrets[role])
        answer = await club.client.get("/v1/clubs/moscow/players?search=a", headers=headers)
        assert answer.status_code == status
