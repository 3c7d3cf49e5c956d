"""Players over HTTP: made, found by any nickname, renamed, registered (docs/api.md#clubs-keys-and-players)."""

from datetime import UTC, datetime
from typing import Any

import pytest
from fastapi import FastAPI
from sqlalchemy import text

from app.repositories.seasons import seasons
from app.routers.common import use_case
from tests.http.club import SEASON, Club
from tests.http.conftest import RED_WON

pytestmark = pytest.mark.anyio

NICKNAMES = [f"P{number}" for number in range(1, 11)]


async def made(club: Club, nickname: str, **more: Any) -> dict[str, Any]:
    answer = await club.ask("judge", "POST", "/players", {"nickname": nickname, **more})
    assert answer.status_code == 201, answer.text
    wire: dict[str, Any] = answer.json()
    return wire


async def rename(club: Club, player: dict[str, Any], nickname: str) -> dict[str, Any]:
    answer = await club.ask("president", "PATCH", f"/players/{player['id']}", {"nickname": nickname})
    assert answer.status_code == 200, answer.text
    wire: dict[str, Any] = answer.json()
    return wire


async def meant_by(club: Club, nickname: str) -> list[str]:
    answer = await club.client.get(
        f"/v1/clubs/{club.slug}/players",
        params={"nickname": nickname},
        headers={"authorization": f"Bearer {club.secrets['reader']}"},
    )
    assert answer.status_code == 200, answer.text
    return [player["id"] for player in answer.json()["items"]]


@pytest.fixture
def late_evening(monkeypatch: pytest.MonkeyPatch) -> None:
    """22:30 of 14 March in London, 01:30 of 15 March in Moscow."""

    class Evening(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return datetime(2025, 3, 14, 22, 30, tzinfo=UTC)

    monkeypatch.setattr(use_case, "datetime", Evening)


@pytest.mark.usefixtures("late_evening")
async def test_a_player_is_registered_as_of_the_clubs_today(club: Club) -> None:
    answer = await club.ask("judge", "POST", "/players", {"nickname": " Ann "})
    wire = answer.json()
    assert (answer.status_code, {**wire, "id": ""}) == (
        201,
        {
            "id": "",
            "nickname": "Ann",
            "aliases": [],
            "registered": True,
            "registered_on": "2025-03-14",
            "merged_into": None,
        },
    )
    assert answer.headers["location"] == f"/v1/clubs/moscow/players/{wire['id']}"
    read = await club.ask("reader", "GET", f"/players/{wire['id']}")
    assert read.json() == wire
    assert read.headers["etag"] == answer.headers["etag"]
    assert read.headers["cache-control"] == "private, no-cache"


@pytest.mark.usefixtures("late_evening")
async def test_who_registers_later_is_registered_as_of_then(club: Club) -> None:
    guest = await made(club, "Ann", registered=False)
    assert (guest["registered"], guest["registered_on"]) == (False, None)
    path = f"/players/{guest['id']}"
    joined = (await club.ask("president", "PATCH", path, {"registered": True})).json()
    assert (joined["registered"], joined["registered_on"]) == (True, "2025-03-14")
    left = (await club.ask("president", "PATCH", path, {"registered": False})).json()
    assert (left["registered"], left["registered_on"]) == (False, None)


async def test_registering_who_is_registered_keeps_the_day(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    player = await made(club, "Ann")

    class MuchLater(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return datetime(2099, 1, 1, tzinfo=UTC)

    monkeypatch.setattr(use_case, "datetime", MuchLater)
    changed = await club.ask("president", "PATCH", f"/players/{player['id']}", {"registered": True})
    assert changed.json() == player


@pytest.mark.parametrize("other", ["Ann", "ANN", "  ann ", "Ａｎｎ"])
async def test_a_nickname_means_one_player_however_it_is_written(club: Club, other: str) -> None:
    ann = await made(club, "Ann")
    refused = await club.ask("judge", "POST", "/players", {"nickname": other})
    assert (refused.status_code, refused.json()["code"]) == (409, "nickname_taken")
    assert refused.json()["existing"] == {"id": ann["id"], "nickname": "Ann"}
    assert await meant_by(club, other) == [ann["id"]]


async def test_yo_and_ye_are_two_letters(club: Club) -> None:
    assert (await made(club, "Пётр"))["id"] != (await made(club, "Петр"))["id"]


async def test_clubs_do_not_share_players(club: Club, other_club: Club) -> None:
    ann = await made(club, "Ann")
    assert (await made(other_club, "Ann"))["id"] != ann["id"]
    assert (await other_club.ask("president", "GET", f"/players/{ann['id']}")).status_code == 404
    answer = await other_club.ask("president", "PATCH", f"/players/{ann['id']}", {"nickname": "Mine"})
    assert answer.status_code == 404
    assert (await club.ask("reader", "GET", f"/players/{ann['id']}")).json() == ann


async def test_the_old_nickname_stays_an_alias(club: Club) -> None:
    ann = await made(club, "Ann")
    renamed = await rename(club, ann, "Bella")
    assert renamed == {**ann, "nickname": "Bella", "aliases": ["Ann"]}
    assert await meant_by(club, "ann") == await meant_by(club, "bella") == [ann["id"]]
    refused = await club.ask("judge", "POST", "/players", {"nickname": "Ann"})
    assert (refused.json()["code"], refused.json()["existing"]) == (
        "nickname_taken",
        {"id": ann["id"], "nickname": "Bella"},
    )


async def test_a_player_may_take_an_old_nickname_back(club: Club) -> None:
    ann = await made(club, "Ann")
    await rename(club, ann, "Bella")
    back = await rename(club, ann, "ANN")
    assert (back["nickname"], back["aliases"]) == ("ANN", ["Bella"])


async def test_another_spelling_of_the_same_nickname_makes_no_alias(club: Club) -> None:
    ann = await made(club, "ann")
    assert await rename(club, ann, "Ann") == {**ann, "nickname": "Ann"}
    assert await meant_by(club, "ann") == [ann["id"]]


@pytest.mark.parametrize("wanted", ["Bob", "bob", "Robert"])
async def test_a_nickname_cannot_be_taken_from_another_player(club: Club, wanted: str) -> None:
    bob = await made(club, "Robert")
    await rename(club, bob, "Bob")
    ann = await made(club, "Ann")
    refused = await club.ask("president", "PATCH", f"/players/{ann['id']}", {"nickname": wanted})
    assert (refused.status_code, refused.json()["code"]) == (409, "nickname_taken")
    assert refused.json()["existing"] == {"id": bob["id"], "nickname": "Bob"}
    assert (await club.ask("reader", "GET", f"/players/{ann['id']}")).json() == ann


@pytest.mark.parametrize(
    "body, fault",
    [
        ({}, ("missing", "/nickname")),
        ({"nickname": "   "}, ("too_short", "/nickname")),
        ({"nickname": "x" * 65}, ("too_long", "/nickname")),
        ({"nickname": "a\u0000b"}, ("value", "/nickname")),
        ({"nickname": "a\nb"}, ("value", "/nickname")),
        ({"nickname": 7}, ("type", "/nickname")),
        ({"nickname": "Ann", "registered": "yes"}, ("type", "/registered")),
        ({"nickname": "Ann", "registered": 1}, ("type", "/registered")),
        ({"nickname": "Ann", "club": "kyiv"}, ("unknown_field", "/club")),
        ({"nickname": "Ann", "id": "p_1"}, ("unknown_field", "/id")),
    ],
)
async def test_what_is_wrong_with_a_player_is_named(club: Club, body: dict[str, Any], fault: tuple[str, str]) -> None:
    refused = await club.ask("judge", "POST", "/players", body)
    assert refused.status_code == 422
    assert [(found["code"], found["pointer"]) for found in refused.json()["violations"]] == [fault]


async def test_players_are_listed_page_by_page_in_the_order_they_came(club: Club) -> None:
    ids = [(await made(club, nickname))["id"] for nickname in NICKNAMES]
    listed: list[str] = []
    cursor = ""
    while True:
        page = (await club.ask("reader", "GET", f"/players?limit=4{cursor}")).json()
        listed += [player["id"] for player in page["items"]]
        if page["next_cursor"] is None:
            break
        cursor = f"&cursor={page['next_cursor']}"
    assert listed == ids


async def test_fifty_players_make_a_page_and_two_hundred_the_longest(club: Club) -> None:
    for number in range(51):
        await made(club, f"N{number}")
    assert len((await club.ask("reader", "GET", "/players")).json()["items"]) == 50
    assert len((await club.ask("reader", "GET", "/players?limit=200")).json()["items"]) == 51


async def test_a_nickname_that_means_nobody_finds_nobody(club: Club) -> None:
    await made(club, "Ann")
    assert await meant_by(club, "Bob") == []


@pytest.mark.parametrize(
    "nickname",
    [
        "'; DROP TABLE players; --",
        "' OR '1'='1",
        "%",
        "_",
        "a\\b",
        "../../etc/passwd",
        "<script>alert(1)</script>",
        "{}{0}",
        "=1+1",
        "😀",
        'a"b',
    ],
)
async def test_a_nickname_is_text_and_nothing_else(club: Club, nickname: str) -> None:
    ann = await made(club, "Ann")
    player = await made(club, nickname)
    assert player["nickname"] == nickname
    assert await meant_by(club, nickname) == [player["id"]]
    assert (await rename(club, ann, nickname + "!"))["nickname"] == nickname + "!"
    refused = await club.ask("judge", "POST", "/players", {"nickname": nickname})
    assert nickname in refused.json()["detail"]


async def test_a_repeated_request_makes_one_player(club: Club) -> None:
    headers = {"idempotency-key": "ann"}
    first = await club.ask("judge", "POST", "/players", {"nickname": "Ann"}, headers)
    again = await club.ask("judge", "POST", "/players", {"nickname": "Ann"}, headers)
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.headers["idempotency-replayed"] == "true"
    assert again.content == first.content
    # Another key's, another path's: other requests.
    assert (await club.ask("president", "POST", "/players", {"nickname": "Ann"}, headers)).status_code == 409
    assert (await club.ask("president", "POST", "/keys", {"role": "judge"}, headers)).status_code == 201


async def test_every_change_of_players_says_who_and_what(club: Club, kept_app: FastAPI) -> None:
    ann = await made(club, "Ann")
    await rename(club, ann, "Bella")
    with kept_app.state.database.read() as tx:
        query = text("SELECT action, role, detail FROM changes WHERE target = :player ORDER BY id")
        rows = [tuple(row) for row in tx.execute(query, {"player": ann["id"]})]
    assert rows == [
        ("player_created", "judge", None),
        ("player_changed", "president", '{"nickname": ["Ann", "Bella"]}'),
    ]


class TestRenamingWhoPlayed:
    """A new nickname is in what seasons answer, so they rise by a revision."""

    @pytest.fixture
    async def played(self, club: Club) -> Club:
        """A season in which P1 to P10 played one game, and one in which nobody did."""
        for nickname in NICKNAMES:
            await made(club, nickname)
        for slug in ("spring", "empty"):
            assert (await club.ask("president", "POST", "/seasons", {**SEASON, "slug": slug})).status_code == 201
        game = {**RED_WON, "played_on": "2025-03-14"}
        submitted = await club.ask("judge", "POST", "/seasons/spring/games", game)
        assert submitted.status_code == 201, submitted.text
        return club

    @staticmethod
    async def revision(club: Club, season: str) -> int:
        answer = await club.ask("reader", "GET", f"/seasons/{season}")
        found: int = answer.json()["revision"]
        return found

    async def test_renaming_raises_the_revision_of_the_seasons_he_played_in(self, played: Club) -> None:
        before = await self.revision(played, "spring")
        (first,) = await meant_by(played, "P1")
        await rename(played, {"id": first}, "Champion")
        assert await self.revision(played, "spring") == before + 1
        assert await self.revision(played, "empty") == 0
        game = (await played.ask("reader", "GET", "/seasons/spring/games")).json()["items"][0]
        assert game["game"]["seats"][0]["player"] == "Champion"

    async def test_who_did_not_play_is_renamed_without_one(self, played: Club) -> None:
        before = await self.revision(played, "spring")
        await rename(played, await made(played, "Newcomer"), "Veteran")
        assert await self.revision(played, "spring") == before

    async def test_the_same_nickname_again_changes_nothing(self, played: Club) -> None:
        before = await self.revision(played, "spring")
        (first,) = await meant_by(played, "P1")
        await rename(played, {"id": first}, "P1")
        assert await self.revision(played, "spring") == before

    async def test_a_registration_changes_no_answer_about_games_played(self, played: Club) -> None:
        before = await self.revision(played, "spring")
        (first,) = await meant_by(played, "P1")
        await played.ask("president", "PATCH", f"/players/{first}", {"registered": False})
        assert await self.revision(played, "spring") == before

    async def test_a_renaming_is_among_the_seasons_changes(self, played: Club, kept_app: FastAPI) -> None:
        (first,) = await meant_by(played, "P1")
        await rename(played, {"id": first}, "Champion")
        with kept_app.state.database.read() as tx:
            season = seasons.find(tx, "moscow", "spring")
            assert season
            query = text("SELECT revision, target FROM changes WHERE season_id = :season AND action = 'player_renamed'")
            assert [tuple(row) for row in tx.execute(query, {"season": season.id})] == [(season.revision, first)]
