"""Merging players over HTTP, and the pairs that are suggested for it (docs/api.md#clubs-keys-and-players)."""

import json
from collections import Counter
from contextlib import suppress
from copy import deepcopy
from datetime import date, datetime
from decimal import Decimal
from itertools import combinations
from typing import Any

import anyio
import pytest
from fastapi import FastAPI
from httpx import AsyncClient, Response
from sqlalchemy import text

from app.repositories.clubs import clubs
from app.repositories.clubs import players as people
from app.repositories.seasons import seasons
from app.routers.common import use_case
from app.scoring.exact_json import loads
from app.scoring.game import Game
from app.scoring.violation import RuleViolations
from app.services.access import identify
from app.services.audit import audit
from app.services.clubs.likely_duplicates import likenesses
from app.services.clubs.players import enrol
from app.services.games import submission
from tests.http.club import Club
from tests.http.conftest import RED_WON
from tests.http.desk import ask, merge, newcomer, player, row_of, table
from tests.http.kept_season import MADE, KeptSeason, make_season, problem, read
from tests.league import lines_of

pytestmark = pytest.mark.anyio


def red_won(*, external_id: str, played_on: str = "2025-03-14", **other: str) -> dict[str, Any]:
    """Red won; ``P1="P1b"`` seats P1b where P1 sits."""
    game = deepcopy(RED_WON) | {"external_id": external_id, "played_on": played_on}
    for seat in game["seats"]:
        seat["player"] = other.get(seat["player"], seat["player"])
    return game


def black_won(*, external_id: str, **other: str) -> dict[str, Any]:
    """Black won; the first citizen was shot first and named two of three: 0.5 and 0.25 for him (A.2, A.3)."""
    killed = {"outcome": "black", "first_kill": {"seat": 1, "best_move": [2, 8, 9]}}
    return red_won(external_id=external_id, **other) | killed


@pytest.fixture
async def twins(spring: KeptSeason) -> tuple[dict[str, Any], dict[str, Any]]:
    """P1b, who lost one game in P1's seat, and P1, who won one in it."""
    loser = await newcomer(spring, "P1b")
    await spring.kept(red_won(external_id="1"))
    await spring.kept(black_won(external_id="2", P1="P1b"))
    return loser, await player(spring, "P1")


Twins = tuple[dict[str, Any], dict[str, Any]]


async def test_all_nicknames_of_both_mean_the_survivor(spring: KeptSeason, twins: Twins) -> None:
    loser, survivor = twins
    renamed = await ask(spring, "president", "PATCH", f"/players/{loser['id']}", {"nickname": "Bob"})
    assert renamed.status_code == 200
    answer = read(await merge(spring, loser, survivor))
    assert answer == {**survivor, "aliases": ["Bob", "P1b"]}
    for nickname in ("p1", "bob", "P1B"):
        assert await player(spring, nickname) == answer


async def test_who_was_merged_is_still_read_at_his_id_and_listed_no_more(spring: KeptSeason, twins: Twins) -> None:
    loser, survivor = twins
    await merge(spring, loser, survivor)
    assert read(await ask(spring, "reader", "GET", f"/players/{loser['id']}")) == {
        **loser,
        "merged_into": survivor["id"],
    }
    listed = read(await ask(spring, "reader", "GET", "/players"))["items"]
    assert loser["id"] not in [one["id"] for one in listed]
    assert survivor["id"] in [one["id"] for one in listed]


async def test_the_table_shows_the_survivor_with_the_games_of_both(spring: KeptSeason, twins: Twins) -> None:
    loser, survivor = twins
    before = await table(spring)
    await merge(spring, loser, survivor)
    after = await table(spring)
    assert after["revision"] == before["revision"] + 1
    assert row_of(after, loser) is None
    row = row_of(after, survivor)
    assert row
    # 2 for the win; 0.5 and 0.25 for being shot first and for the best move of the other game.
    assert row["values"] | {"games": 2, "wins": 1, "points": Decimal("2.75"), "compensation": 1} == row["values"]
    others = [row for row in before["rows"] if row["player"]["id"] not in (loser["id"], survivor["id"])]
    for row in others:
        same = row_of(after, row["player"])
        assert same
        assert same["values"] == row["values"]
    assert after["games"] == before["games"] == 2


async def test_the_table_of_an_earlier_revision_stays_what_it_was(spring: KeptSeason, twins: Twins) -> None:
    loser, survivor = twins
    before = await table(spring)
    await merge(spring, loser, survivor)
    assert await table(spring, f"?revision={before['revision']}") == before


async def test_every_line_of_both_is_in_the_survivors_row_under_either_id(spring: KeptSeason, twins: Twins) -> None:
    loser, survivor = twins
    await merge(spring, loser, survivor)
    rows = [
        read(await ask(spring, "anonymous", "GET", f"/seasons/spring/standings/{one['id']}"))
        for one in (loser, survivor)
    ]
    assert rows[0] == rows[1]
    points = [line["points"] for game in rows[0]["games"] for line in game["lines"]]
    assert (len(rows[0]["games"]), sum(points)) == (2, Decimal("2.75"))


async def test_only_open_seasons_that_the_loser_sat_in_rise_by_a_revision(
    spring: KeptSeason, twins: Twins, kept_app: FastAPI
) -> None:
    loser, survivor = twins
    body = {"slug": "autumn", "name": "Autumn", "rule_system": "maffamily"}
    assert (await ask(spring, "president", "POST", "/seasons", body)).status_code == 201
    others = red_won(external_id="3")
    assert (await ask(spring, "judge", "POST", "/seasons/autumn/games", others)).status_code == 201
    await merge(spring, loser, survivor)
    assert read(await ask(spring, "reader", "GET", "/seasons/spring"))["revision"] == 3
    assert read(await ask(spring, "reader", "GET", "/seasons/autumn"))["revision"] == 1
    with kept_app.state.database.read() as tx:
        season = seasons.find(tx, spring.club, "spring")
        assert season
        query = text("SELECT season_id, revision, detail, role FROM changes WHERE action = 'player_merged' ORDER BY id")
        rows = [tuple(row) for row in tx.execute(query)]
    assert rows == [
        (season.id, 3, json.dumps({"into": survivor["id"]}), "president"),
        (None, None, json.dumps({"into": survivor["id"], "nicknames": ["P1b"]}), "president"),
    ]


async def test_a_closed_season_keeps_its_table_and_follows_when_it_is_reopened(
    spring: KeptSeason, twins: Twins
) -> None:
    loser, survivor = twins
    read(await ask(spring, "president", "POST", "/seasons/spring/close"))
    address = "/seasons/spring/standings"
    before = await ask(spring, "anonymous", "GET", address)
    row = await ask(spring, "anonymous", "GET", f"{address}/{loser['id']}")
    read(await merge(spring, loser, survivor))
    after = await ask(spring, "anonymous", "GET", address)
    assert (after.content, after.headers["etag"]) == (before.content, before.headers["etag"])
    assert row_of(read(after), loser)
    assert (await ask(spring, "anonymous", "GET", f"{address}/{loser['id']}")).content == row.content
    assert list(audit(spring.database)) == []
    read(await ask(spring, "president", "POST", "/seasons/spring/reopen?reason=a%20mistake"))
    reopened = await table(spring)
    assert row_of(reopened, loser) is None
    merged = row_of(reopened, survivor)
    assert merged
    assert (merged["values"]["games"], merged["values"]["points"]) == (2, Decimal("2.75"))
    assert list(audit(spring.database)) == []


async def test_games_show_the_survivor_and_their_history_what_was_written(spring: KeptSeason, twins: Twins) -> None:
    loser, survivor = twins
    await merge(spring, loser, survivor)
    (listed,) = [game for game in read(await spring.ask("judge", "GET"))["items"] if game["external_id"] == "2"]
    assert (listed["version"], listed["status"]) == (1, "counted")
    seat = listed["game"]["seats"][0]
    assert (seat["player"], seat["player_id"]) == ("P1", survivor["id"])
    for one in (loser, survivor):
        found = read(await spring.ask("judge", "GET", f"?player={one['id']}"))["items"]
        assert sorted(game["external_id"] for game in found) == ["1", "2"]
    (version,) = (await spring.get(listed["id"], path="/history"))["items"]
    assert (version["game"]["seats"][0]["player"], version["game"]["seats"][0]["player_id"]) == ("P1b", survivor["id"])


async def test_an_old_game_that_is_sent_again_is_found_by_either_nickname(spring: KeptSeason, twins: Twins) -> None:
    loser, survivor = twins
    await merge(spring, loser, survivor)
    as_it_was = await spring.submit(black_won(external_id="2", P1="P1b"))
    renamed = await spring.submit(black_won(external_id="2"))
    assert read(as_it_was) == read(renamed)
    assert read(as_it_was)["breakdown"]["seats"][0]["player_id"] == survivor["id"]
    other = await spring.submit(black_won(external_id="2", P1="P2", P2="P1"))
    assert problem(other) == (409, "conflict", "external_id_conflict")
    assert read(await ask(spring, "reader", "GET", "/seasons/spring"))["revision"] == 3


async def test_a_new_game_may_name_either_and_not_both(spring: KeptSeason, twins: Twins) -> None:
    loser, survivor = twins
    await merge(spring, loser, survivor)
    new = await spring.kept(red_won(external_id="3", P1="P1b"))
    assert new["game"]["seats"][0]["player_id"] == survivor["id"]
    refused = await spring.submit(red_won(external_id="4", P2="P1b"))
    assert [(found["code"], found["pointer"]) for found in refused.json()["violations"]] == [
        ("player_duplicate", "/seats/1/player")
    ]


async def test_a_merged_players_game_is_corrected_voided_and_restored(spring: KeptSeason, twins: Twins) -> None:
    loser, survivor = twins
    await merge(spring, loser, survivor)
    again = read(await spring.submit(black_won(external_id="2", P1="P1b")))
    corrected = read(await spring.correct(again, red_won(external_id="2", P1="P1b")))
    row = row_of(await table(spring), survivor)
    assert row
    assert (row["values"]["games"], row["values"]["points"]) == (2, 4)
    read(await spring.ask("judge", "DELETE", f"/{corrected['id']}"))
    row = row_of(await table(spring), survivor)
    assert row
    assert (row["values"]["games"], row["values"]["points"]) == (1, 2)
    read(await spring.ask("judge", "POST", f"/{corrected['id']}/restore"))
    row = row_of(await table(spring), survivor)
    assert row
    assert (row["values"]["games"], row["values"]["points"]) == (2, 4)
    assert list(audit(spring.database)) == []


class TestSatTogether:
    """Two who sat at one table are two people, whatever became of the game."""

    @pytest.mark.parametrize("status", ["counted", "pending", "unrated", "cancelled", "voided"])
    async def test_they_are_not_merged(self, spring: KeptSeason, status: str) -> None:
        game = red_won(external_id="1")
        if status == "pending":
            game["seats"][0] |= {"bonus": "0.6"}
        if status in ("unrated", "cancelled"):
            game |= {"rated": False} if status == "unrated" else {"cancelled": True, "outcome": None}
        made = await spring.kept(game)
        if status == "voided":
            made = read(await spring.ask("judge", "DELETE", f"/{made['id']}"))
        assert made["status"] == status
        one, other = await player(spring, "P1"), await player(spring, "P2")
        refused = await merge(spring, one, other)
        assert problem(refused) == (409, "conflict", "sat_together")
        assert refused.json()["games"] == [{"season": "spring", "id": made["id"]}]
        assert await player(spring, "P1") == one

    async def test_a_game_that_was_corrected_keeps_nobody_apart(self, spring: KeptSeason) -> None:
        await newcomer(spring, "P1b")
        mistaken = await spring.kept(red_won(external_id="1", P2="P1b"))
        read(await spring.correct(mistaken, red_won(external_id="1")))
        read(await merge(spring, await player(spring, "P1b"), await player(spring, "P1")))
        assert list(audit(spring.database)) == []

    async def test_a_merge_brings_the_games_of_both_to_the_next(self, spring: KeptSeason, twins: Twins) -> None:
        loser, survivor = twins
        third = await newcomer(spring, "P1c")
        await spring.kept(red_won(external_id="3", P2="P1b", P1="P1c"))
        read(await merge(spring, loser, survivor))
        assert problem(await merge(spring, survivor, third)) == (409, "conflict", "sat_together")


async def test_who_was_merged_before_follows_his_survivor(spring: KeptSeason, twins: Twins) -> None:
    loser, survivor = twins
    last = await newcomer(spring, "Zed")
    read(await merge(spring, loser, survivor))
    answer = read(await merge(spring, survivor, last))
    assert answer["aliases"] == ["P1", "P1b"]
    for gone in (loser, survivor):
        found = read(await ask(spring, "reader", "GET", f"/players/{gone['id']}"))
        assert (found["merged_into"], found["aliases"]) == (last["id"], [])
    row = row_of(await table(spring), last)
    assert row
    assert row["values"]["games"] == 2
    assert list(audit(spring.database)) == []


class TestRefusals:
    """What is refused changes nothing."""

    async def test_nobody_is_merged_into_himself(self, spring: KeptSeason, twins: Twins) -> None:
        loser, _ = twins
        refused = await merge(spring, loser, loser)
        assert problem(refused) == (422, "invalid-request", None)
        assert [(found["code"], found["pointer"]) for found in refused.json()["violations"]] == [("value", "/into")]

    async def test_nobody_is_merged_twice(self, spring: KeptSeason, twins: Twins) -> None:
        loser, survivor = twins
        third = await newcomer(spring, "P1c")
        read(await merge(spring, loser, survivor))
        for into in (survivor, third):
            refused = await merge(spring, loser, into)
            assert problem(refused) == (409, "conflict", "player_merged")
            assert refused.json()["existing"] == {"id": survivor["id"], "nickname": "P1"}

    async def test_nobody_is_merged_into_who_is_merged(self, spring: KeptSeason, twins: Twins) -> None:
        loser, survivor = twins
        third = await newcomer(spring, "P1c")
        read(await merge(spring, loser, survivor))
        for one in (third, survivor):
            refused = await merge(spring, one, loser)
            assert problem(refused) == (409, "conflict", "player_merged")
            assert refused.json()["existing"] == {"id": survivor["id"], "nickname": "P1"}
        assert (await player(spring, "P1c"))["merged_into"] is None

    async def test_who_is_merged_is_neither_renamed_nor_registered(self, spring: KeptSeason, twins: Twins) -> None:
        loser, survivor = twins
        read(await merge(spring, loser, survivor))
        for changes in ({"nickname": "New"}, {"registered": False}):
            refused = await ask(spring, "president", "PATCH", f"/players/{loser['id']}", changes)
            assert problem(refused) == (409, "conflict", "player_merged")

    async def test_players_of_two_clubs_are_not_merged(self, club: Club, other_club: Club) -> None:
        mine = (await club.ask("judge", "POST", "/players", {"nickname": "Ann"})).json()
        theirs = (await other_club.ask("judge", "POST", "/players", {"nickname": "Ann"})).json()
        refused = await club.ask("president", "POST", f"/players/{mine['id']}/merge", {"into": theirs["id"]})
        assert problem(refused) == (422, "invalid-request", None)
        assert refused.json()["violations"][0]["pointer"] == "/into"
        unknown = await club.ask("president", "POST", f"/players/{mine['id']}/merge", {"into": "p_" + "0" * 18})
        assert unknown.json()["violations"] == refused.json()["violations"]
        refused = await club.ask("president", "POST", f"/players/{theirs['id']}/merge", {"into": mine["id"]})
        assert problem(refused) == (404, "not-found", None)
        refused = await other_club.ask("president", "POST", f"/players/{theirs['id']}/merge", {"into": mine["id"]})
        assert problem(refused) == (422, "invalid-request", None)

    @pytest.mark.parametrize(
        "body, fault",
        [
            ({}, ("missing", "/into")),
            ({"into": None}, ("missing", "/into")),
            ({"into": 7}, ("type", "/into")),
            ({"into": "x" * 65}, ("too_long", "/into")),
            ({"into": "P2"}, ("value", "/into")),
            ({"into": "p_0", "reason": "typo"}, ("unknown_field", "/reason")),
        ],
    )
    async def test_what_is_wrong_with_the_request_is_named(
        self, spring: KeptSeason, body: dict[str, Any], fault: tuple[str, str]
    ) -> None:
        one = await player(spring, "P1")
        refused = await ask(spring, "president", "POST", f"/players/{one['id']}/merge", body)
        assert [(found["code"], found["pointer"]) for found in refused.json()["violations"]] == [fault]

    @pytest.mark.parametrize("role", ["anonymous", "reader", "judge", "chief_judge"])
    async def test_only_the_president_merges(self, spring: KeptSeason, role: str, twins: Twins) -> None:
        loser, survivor = twins
        path = f"/players/{loser['id']}/merge"
        refused = await ask(spring, role, "POST", path, {"into": survivor["id"]})
        assert refused.status_code == (401 if role == "anonymous" else 403)
        assert (await player(spring, "P1b"))["id"] == loser["id"]


async def test_a_repeated_request_merges_once(spring: KeptSeason, twins: Twins) -> None:
    loser, survivor = twins
    path, body = f"/players/{loser['id']}/merge", {"into": survivor["id"]}
    first = await ask(spring, "president", "POST", path, body, idempotency_key="merge")
    again = await ask(spring, "president", "POST", path, body, idempotency_key="merge")
    assert (first.status_code, again.status_code) == (200, 200)
    assert again.headers["idempotency-replayed"] == "true"
    assert again.content == first.content
    assert again.headers["etag"] == first.headers["etag"]
    found = await ask(spring, "reader", "GET", f"/players/{survivor['id']}")
    assert found.headers["etag"] == first.headers["etag"]


async def test_games_submitted_during_a_merge_count_for_the_survivor(spring: KeptSeason, twins: Twins) -> None:
    loser, survivor = twins
    answers: list[Response] = []

    async def submit(number: int) -> None:
        answers.append(await spring.submit(red_won(external_id=f"new-{number}", P1="P1b")))

    async with anyio.create_task_group() as group:
        for number in range(4):
            group.start_soon(submit, number)
        group.start_soon(merge, spring, loser, survivor)
        for number in range(4, 8):
            group.start_soon(submit, number)
    assert [answer.status_code for answer in answers] == [201] * 8
    row = row_of(await table(spring), survivor)
    assert row
    assert (row["values"]["games"], row["values"]["wins"]) == (10, 9)
    assert list(audit(spring.database)) == []


async def test_of_two_merges_at_once_one_is_refused(spring: KeptSeason, twins: Twins) -> None:
    loser, survivor = twins
    answers: list[Response] = []

    async def both(one: dict[str, Any], other: dict[str, Any]) -> None:
        answers.append(await merge(spring, one, other))

    async with anyio.create_task_group() as group:
        group.start_soon(both, loser, survivor)
        group.start_soon(both, survivor, loser)
    assert sorted(answer.status_code for answer in answers) == [200, 409]
    assert list(audit(spring.database)) == []


class TestRegistration:
    """The survivor is registered when either was, since the earlier day, and his seats from then on are rated."""

    @pytest.mark.parametrize(
        "loser, survivor, expected",
        [
            (None, None, None),
            (None, "2025-03-10", "2025-03-10"),
            ("2025-03-10", None, "2025-03-10"),
            ("2025-03-05", "2025-03-10", "2025-03-05"),
            ("2025-03-10", "2025-03-05", "2025-03-05"),
        ],
    )
    async def test_it_is_the_earlier_of_both(
        self,
        spring: KeptSeason,
        monkeypatch: pytest.MonkeyPatch,
        loser: str | None,
        survivor: str | None,
        expected: str | None,
    ) -> None:
        made = []
        for nickname, day in (("Loser", loser), ("Survivor", survivor)):

            class Then(datetime):
                written: str | None = day

                @classmethod
                def now(cls, tz: Any = None) -> Any:
                    return datetime.combine(date.fromisoformat(cls.written or "2025-03-01"), MADE.timetz())

            monkeypatch.setattr(use_case, "datetime", Then)
            made.append(await newcomer(spring, nickname, registered=day is not None))
        answer = read(await merge(spring, *made))
        assert (answer["registered"], answer["registered_on"]) == (expected is not None, expected)
        assert read(await ask(spring, "reader", "GET", f"/players/{made[0]['id']}"))["registered_on"] == loser

    async def test_who_was_always_registered_is(self, spring: KeptSeason) -> None:
        one, other = await newcomer(spring, "One"), await newcomer(spring, "Other")
        with spring.database.write() as tx:
            season = seasons.find(tx, spring.club, "spring")
            assert season
            found = people.by_public_id(tx, season.club_id, one["id"])
            assert found
            people.register(tx, found.id, registered=True, on=None)
        answer = read(await merge(spring, one, other))
        assert (answer["registered"], answer["registered_on"]) == (True, None)

    async def test_a_game_that_was_not_rated_for_a_guest_is_rated_for_the_survivor(
        self, kept_app: FastAPI, kept_client: AsyncClient
    ) -> None:
        spring = make_season(kept_app.state.database, kept_client, system="city-average")
        guest = await newcomer(spring, "P1b", registered=False)
        wins = {"outcome": "red", "played_on": "2025-03-14"}
        seats = [
            {"seat": 1, "player": "P1b", "role": "citizen", "days_lived": 3},
            *({"seat": n, "player": f"P{n}", "role": "citizen", "days_lived": 3} for n in range(2, 5)),
            {"seat": 5, "player": "P5", "role": "mafia"},
        ]
        await spring.kept(wins | {"seats": seats})
        survivor = await player(spring, "P1")
        read(await merge(spring, guest, survivor))
        unpublished = "?include=unpublished"
        whole = read(await ask(spring, "reader", "GET", f"/seasons/spring/standings{unpublished}"))
        row = row_of(whole, survivor)
        assert row
        assert (row["values"]["games"], row["values"]["points"]) == (1, 3)
        assert list(audit(spring.database)) == []


class TestDuplicates:
    """Pairs whose nicknames are alike and who never sat together."""

    @staticmethod
    async def pairs(spring: KeptSeason, query: str = "") -> list[tuple[str, str, str]]:
        found = read(await ask(spring, "judge", "GET", f"/players/duplicates{query}"))
        return [
            (item["reason"]["code"], *sorted(player["nickname"] for player in item["players"]))
            for item in found["items"]
        ]

    @pytest.mark.parametrize(
        "one, other, reason",
        [
            ("Вася", "Bacя", "look_alike"),  # В, а, с of two alphabets
            ("Tor", "Тоr", "look_alike"),
            ("Oleg", "0leg", "look_alike"),
            ("Пётр", "Петр", "look_alike"),
            ("Éva", "Eva", "look_alike"),
            ("Alexey", "Alexei", "close_spelling"),
            ("Мартин", "Мартинн", "close_spelling"),
            ("Мартин", "Мрати", None),
            ("Мартин", "Мратин", "close_spelling"),  # two letters in another order
            ("Мартин", "Maртнн", "close_spelling"),  # М, а of two alphabets and a letter
            ("Mr. X Y", "Mr X Y", "close_spelling"),
            ("Guest1", "Guest2", None),
            ("Guest", "Guest 2", None),
            ("Ann", "Ana", None),
            ("Саша", "Маша", "close_spelling"),
            ("Katherine", "Catherina", None),
        ],
    )
    def test_what_is_alike(self, one: str, other: str, reason: str | None) -> None:
        for nicknames in ({3: [one], 5: [other]}, {3: [other], 5: [one]}):
            found = likenesses(nicknames)
            assert [("invisible", "look_alike", "close_spelling")[pair.reason] for pair in found] == (
                [reason] if reason else []
            )
            assert [(pair.one, pair.other) for pair in found] == ([(3, 5)] if reason else [])
            assert list(found.values()) == ([tuple(name for (name,) in nicknames.values())] if reason else [])

    async def test_a_pair_comes_with_both_players_and_the_reason(self, spring: KeptSeason) -> None:
        one, other = await newcomer(spring, "Вася"), await newcomer(spring, "Bacя")
        found = read(await ask(spring, "judge", "GET", "/players/duplicates", accept_language="ru"))
        assert found == {
            "items": [
                {
                    "reason": {
                        "code": "look_alike",
                        "nicknames": ["Вася", "Bacя"],
                        "message": "«Вася» и «Bacя» выглядят одинаково: различаются только алфавитом, цифрами или "
                        "знаками над буквами.",
                    },
                    "players": [one, other],
                }
            ],
            "next_cursor": None,
        }

    async def test_old_nicknames_count_too(self, spring: KeptSeason) -> None:
        one, other = await newcomer(spring, "Matilda"), await newcomer(spring, "Mathilda")
        read(await ask(spring, "president", "PATCH", f"/players/{one['id']}", {"nickname": "Zoe"}))
        (item,) = read(await ask(spring, "judge", "GET", "/players/duplicates"))["items"]
        assert item["reason"]["nicknames"] == ["Matilda", "Mathilda"]
        assert [player["id"] for player in item["players"]] == [one["id"], other["id"]]

    async def test_two_nicknames_of_one_player_are_no_pair(self, spring: KeptSeason) -> None:
        one = await newcomer(spring, "Matilda")
        read(await ask(spring, "president", "PATCH", f"/players/{one['id']}", {"nickname": "Mathilda"}))
        assert await self.pairs(spring) == []

    async def test_who_sat_together_is_no_pair(self, spring: KeptSeason) -> None:
        await newcomer(spring, "Саша")
        await newcomer(spring, "Паша")
        await newcomer(spring, "Маша")
        await spring.kept(red_won(external_id="1", P1="Саша", P2="Паша"))
        assert await self.pairs(spring) == [("close_spelling", "Маша", "Саша"), ("close_spelling", "Маша", "Паша")]

    async def test_who_is_merged_is_no_pair(self, spring: KeptSeason) -> None:
        one, other = await newcomer(spring, "Matilda"), await newcomer(spring, "Mathilda")
        third = await newcomer(spring, "Matildaa")
        read(await merge(spring, one, other))
        assert await self.pairs(spring) == [("close_spelling", "Mathilda", "Matildaa")]
        read(await merge(spring, third, other))
        assert await self.pairs(spring) == []

    async def test_pages_hold_every_pair_once_and_the_likeliest_first(self, spring: KeptSeason) -> None:
        for nickname in ("Matilda", "Mathilda", "Matildaa", "Маtilda", "Маtildа"):
            await newcomer(spring, nickname)
        whole = await self.pairs(spring)
        assert [code for code, *_ in whole] == ["look_alike"] * 3 + ["close_spelling"] * 7
        assert len(set(whole)) == 10
        listed: list[Any] = []
        cursor = ""
        while True:
            page = read(await ask(spring, "judge", "GET", f"/players/duplicates?limit=3{cursor}"))
            listed += page["items"]
            if page["next_cursor"] is None:
                break
            cursor = f"&cursor={page['next_cursor']}"
        assert listed == read(await ask(spring, "judge", "GET", "/players/duplicates"))["items"]
        foreign = read(await ask(spring, "judge", "GET", "/players?limit=1"))["next_cursor"]
        refused = await ask(spring, "judge", "GET", f"/players/duplicates?cursor={foreign}")
        assert refused.json()["violations"][0]["pointer"] == "?cursor"

    async def test_a_pattern_of_nicknames_is_no_slip(self, spring: KeptSeason) -> None:
        letters = "abcdefghijkmnpqrstuvwxyz"  # no l and no o, which digits look like
        with spring.database.write() as tx:
            caller = identify(spring.database, spring.secrets["president"], admin_hash=None, now=MADE)
            season = seasons.find(tx, spring.club, "spring")
            assert season
            enrol(
                tx, caller, clubs.by_id(tx, season.club_id), [f"Guest {letter}" for letter in letters],
                registered=False, now=MADE,
            )  # fmt: skip
        assert await self.pairs(spring) == []

    @pytest.mark.parametrize("role, status", [("anonymous", 401), ("reader", 403), ("judge", 200), ("president", 200)])
    async def test_judges_and_their_superiors_are_told(self, spring: KeptSeason, role: str, status: int) -> None:
        answer = await ask(spring, role, "GET", "/players/duplicates")
        assert answer.status_code == status


def figures(table: dict[str, Any]) -> list[Any]:
    """Everything of a table's rows but who is meant."""
    return [(row["rank"], row["player"]["nickname"], row["values"], row["warnings"]) for row in table["rows"]]


def keep_league(spring: KeptSeason, lines: list[bytes]) -> list[dict[str, Any]]:
    """Keep the games of a real season that its rules allow; those games."""
    caller = identify(spring.database, spring.secrets["president"], admin_hash=None, now=MADE)
    valid = []
    with spring.database.write() as tx:
        for line in lines:
            season = seasons.find_locked(tx, spring.club, spring.slug)
            assert season
            with suppress(RuleViolations):
                submission.record(tx, caller, season, Game.read(loads(line)), create_players=True, now=MADE)
                valid.append(json.loads(line))
    return valid


def never_together(league: list[dict[str, Any]]) -> tuple[str, str]:
    """Two who never sat at one table; of all such pairs the one whose rarer player sat most often, he first."""
    tables = [{seat["player"] for seat in game["seats"]} for game in league]
    played = Counter(nickname for seated in tables for nickname in seated)
    apart = [
        (other, one)
        for one, other in combinations(sorted(played, key=lambda nickname: (-played[nickname], nickname)), 2)
        if not any({one, other} <= seated for seated in tables)
    ]
    return max(apart, key=lambda pair: played[pair[0]])


@pytest.mark.parametrize("name", ["s03", "s05"])
async def test_merging_in_a_real_season_gives_the_table_of_renamed_games(
    kept_app: FastAPI, kept_client: AsyncClient, name: str
) -> None:
    spring = make_season(kept_app.state.database, kept_client, days=(None, None), nicknames=0)
    valid = keep_league(spring, lines_of(name))
    loser, survivor = never_together(valid)
    one, other = await player(spring, loser), await player(spring, survivor)
    alone = [row_of(await table(spring), each) for each in (one, other)]
    read(await merge(spring, one, other))

    renamed = deepcopy(valid)
    for seat in (seat for game in renamed for seat in game["seats"]):
        if seat["player"] == loser:
            seat["player"] = survivor
    body = {"format": "season", "games": renamed}
    expected = read(await kept_client.post("/v1/rule-systems/maffamily/standings?version=1", json=body))
    merged = await table(spring)
    assert figures(merged) == figures(expected)
    row = row_of(merged, other)
    assert row
    assert row["values"]["games"] == sum(row["values"]["games"] for row in alone if row)
    assert all(row and row["values"]["games"] >= 3 for row in alone)
    assert list(audit(spring.database)) == []

    again = [await spring.submit(game, "president") for game in valid]
    assert {answer.status_code for answer in again} == {200}
    assert (await table(spring))["revision"] == merged["revision"]
