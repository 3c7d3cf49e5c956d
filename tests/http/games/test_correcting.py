"""Games corrected, voided and restored (docs/api.md#games-of-a-season)."""

from copy import deepcopy
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from fastapi import FastAPI
from httpx import AsyncClient

from app.repositories import journal
from app.repositories.clubs import keys
from app.repositories.games import approvals, games, ledger
from app.repositories.seasons import seasons
from app.scoring.game import Game
from app.services.errors import Forbidden
from app.services.games import games as use_cases
from tests.http.games.test_submitting import ON, caller, city_game, entered, register
from tests.http.kept_season import KeptSeason, faults, make_season, points, problem, read

pytestmark = pytest.mark.anyio


@pytest.fixture
def red(game: dict[str, Any]) -> dict[str, Any]:
    """Red won on 14 March: two points for seats 1 to 7."""
    return {**game, **ON}


@pytest.fixture
def black(red: dict[str, Any]) -> dict[str, Any]:
    """The same, but black won: two points for seats 8 to 10."""
    return deepcopy(red) | {"outcome": "black"}


async def test_a_correction_replaces_the_facts_and_their_entry(
    spring: KeptSeason, red: dict[str, Any], black: dict[str, Any]
) -> None:
    kept = await spring.kept(red)
    answer = await spring.correct(kept, black, query="?reason=mixed%20up")
    corrected = read(answer)
    assert (corrected["version"], corrected["revision"], corrected["status"]) == (2, 2, "counted")
    assert answer.headers["etag"] == corrected["etag"] != kept["etag"]
    assert points(corrected) == dict.fromkeys(range(1, 8), 0) | dict.fromkeys(range(8, 11), 2)
    assert entered(spring) == [(seat, 0 if seat < 8 else 2_000_000) for seat in range(1, 11)]
    assert await spring.get(kept["id"]) == corrected
    with spring.database.read() as tx:
        season = seasons.find(tx, spring.club, spring.slug)
        assert season
        rows = ledger.after(tx, season.id, 0)
        change = journal.after(tx, season.id, 1, limit=9)
    assert [(row.revision, row.sign) for row in rows] == [(1, 1)] * 10 + [(2, -1), (2, 1)] * 10
    assert [(one.action, one.target, one.reason, one.role) for one in change] == [
        ("game_corrected", kept["id"], "mixed up", "judge")
    ]


async def test_a_correction_moves_the_day_and_the_external_id_only_where_it_names_them(
    spring: KeptSeason, red: dict[str, Any]
) -> None:
    kept = await spring.kept({**red, "external_id": "a"})
    del red["played_on"]
    corrected = read(await spring.correct(kept, {**red, "table": 2}))
    assert (corrected["external_id"], corrected["game"]["played_on"]) == ("a", "2025-03-14")
    assert corrected["game"]["external_id"] == "a"
    moved = read(await spring.correct(corrected, {**red, "played_on": "2025-03-20", "external_id": "b"}))
    assert (moved["external_id"], moved["game"]["played_on"]) == ("b", "2025-03-20")
    assert "table" not in moved["game"]


async def test_a_correction_does_not_take_another_games_external_id(spring: KeptSeason, red: dict[str, Any]) -> None:
    other = await spring.kept({**red, "external_id": "a"})
    kept = await spring.kept({**red, "external_id": "b"})
    refused = await spring.correct(kept, {**red, "external_id": "a"})
    assert problem(refused) == (409, "conflict", "external_id_conflict")
    assert refused.json()["existing"]["id"] == other["id"]


@pytest.mark.parametrize(
    "tags, status",
    [
        (None, 428),
        ("*", 200),
        ('"{id}-1"', 200),
        ('"else", "{id}-1"', 200),
        ('"{id}-1.0123456789abcdef"', 200),
        ('"{id}-2"', 412),
        ('"{id}-11"', 412),
        ('W/"{id}-1"', 412),
        ("{id}-1", 412),
        ("", 412),
        ('"*"', 412),  # a tag as any other
        (' "*" , "other"', 412),
        ('"*", "{id}-1"', 200),
        ('*, "other"', 412),  # no form of the wildcard
    ],
)
async def test_a_correction_needs_the_current_version(
    spring: KeptSeason, red: dict[str, Any], black: dict[str, Any], tags: str | None, status: int
) -> None:
    kept = await spring.kept(red)
    headers = {} if tags is None else {"if-match": tags.replace("{id}", kept["id"])}
    answer = await spring.ask("judge", "PUT", f"/{kept['id']}", black, headers)
    assert answer.status_code == status
    if status == 428:
        assert problem(answer)[1] == "precondition-required"
    if status == 412:
        assert problem(answer)[1] == "precondition-failed"
    assert (await spring.get(kept["id"]))["version"] == (2 if status == 200 else 1)


async def test_of_two_corrections_of_one_version_the_second_is_refused(
    spring: KeptSeason, red: dict[str, Any], black: dict[str, Any]
) -> None:
    kept = await spring.kept(red)
    assert (await spring.correct(kept, black)).status_code == 200
    assert (await spring.correct(kept, red)).status_code == 412
    assert (await spring.get(kept["id"]))["game"]["outcome"] == "black"


async def test_a_correction_is_checked_like_a_submission(spring: KeptSeason, red: dict[str, Any]) -> None:
    kept = await spring.kept(red)
    red |= {"played_on": "2025-06-01"}
    red["seats"][0]["player"] = "Nobody"
    red["seats"][7]["bonus"] = 0.5
    assert sorted(faults(await spring.correct(kept, red))) == [
        ("bonus_range", "/seats/7/bonus"),
        ("played_on_outside_season", "/played_on"),
        ("unknown_player", "/seats/0/player"),
    ]
    assert (await spring.get(kept["id"]))["version"] == 1
    del red["seats"][7]["bonus"]
    made = await spring.correct(kept, {**red, **ON}, query="?create_players=true")
    assert made.json()["game"]["seats"][0]["player"] == "Nobody"


async def test_a_correction_may_change_who_sat_where(spring: KeptSeason, red: dict[str, Any]) -> None:
    kept = await spring.kept(red)
    red["seats"][0]["player"], red["seats"][7]["player"] = "P8", "P1"
    corrected = read(await spring.correct(kept, red))
    assert corrected["game"]["seats"][0]["player_id"] == kept["game"]["seats"][7]["player_id"]
    page = read(await spring.ask("judge", "GET", f"?player={kept['game']['seats'][0]['player_id']}"))
    assert [item["version"] for item in page["items"]] == [2]


@pytest.mark.parametrize("method", ["PUT", "DELETE", "POST"])
@pytest.mark.parametrize("role, status", [("judge", 200), ("chief_judge", 200), ("president", 200)])
async def test_a_judge_touches_only_what_the_same_key_submitted(
    spring: KeptSeason, red: dict[str, Any], method: str, role: str, status: int
) -> None:
    own, others = await spring.kept(red, "judge"), await spring.kept({**red, "external_id": "a"}, "chief_judge")
    path = "/restore" if method == "POST" else ""
    for kept, expected in ((own, status), (others, 403 if role == "judge" else status)):
        answer = await spring.ask(role, method, f"/{kept['id']}{path}", red, {"if-match": kept["etag"]})
        assert answer.status_code == expected
        if expected == 403:
            assert problem(answer) == (403, "forbidden", None)
            assert "24" in answer.json()["detail"]


async def test_a_judges_time_to_correct_ends_after_a_day(spring: KeptSeason, red: dict[str, Any]) -> None:
    kept = await spring.kept(red)
    judge, game = caller(spring, "judge"), Game.read(red)
    with spring.database.read() as tx:
        season = seasons.find(tx, spring.club, spring.slug)
        assert season
        stored = games.find(tx, season.id, kept["id"])
        assert stored

    def correct_at(now: datetime) -> None:
        with spring.database.write() as tx:
            request = use_cases.ChangeRequest(spring.club, spring.slug, kept["id"], expected={"*"})
            use_cases.correct(tx, judge, request, game, create_players=False, judge_window=timedelta(hours=24), now=now)

    correct_at(stored.created_at + timedelta(hours=24))
    with pytest.raises(Forbidden):
        correct_at(stored.created_at + timedelta(hours=24, microseconds=1))


async def test_a_voided_game_is_readable_and_in_no_table(spring: KeptSeason, red: dict[str, Any]) -> None:
    kept = await spring.kept(red)
    answer = await spring.ask("judge", "DELETE", f"/{kept['id']}?reason=twice")
    voided = read(answer)
    assert (voided["status"], voided["version"], voided["revision"]) == ("voided", 2, 2)
    assert voided["breakdown"]["status"] == "voided"
    assert points(voided) == points(kept)
    assert answer.headers["etag"] == voided["etag"]
    assert entered(spring) == []
    assert await spring.get(kept["id"]) == voided
    assert [item["id"] for item in read(await spring.ask("judge", "GET", "?status=voided"))["items"]] == [kept["id"]]


async def test_a_restored_game_is_what_it_was(spring: KeptSeason, red: dict[str, Any]) -> None:
    kept = await spring.kept(red)
    before = entered(spring)
    await spring.ask("judge", "DELETE", f"/{kept['id']}")
    answer = await spring.ask("judge", "POST", f"/{kept['id']}/restore?reason=after%20all")
    restored = read(answer)
    assert (restored["status"], restored["version"], restored["revision"]) == ("counted", 3, 3)
    assert "location" not in answer.headers
    assert restored["game"] == kept["game"]
    assert entered(spring) == before


async def test_voiding_twice_and_restoring_what_is_not_voided_change_nothing(
    spring: KeptSeason, red: dict[str, Any]
) -> None:
    kept = await spring.kept(red)
    assert read(await spring.ask("judge", "POST", f"/{kept['id']}/restore")) == kept
    voided = read(await spring.ask("judge", "DELETE", f"/{kept['id']}"))
    assert read(await spring.ask("judge", "DELETE", f"/{kept['id']}")) == voided


@pytest.mark.parametrize("method, path", [("DELETE", ""), ("POST", "/restore")])
async def test_if_match_is_honoured_where_it_is_not_needed(
    spring: KeptSeason, red: dict[str, Any], method: str, path: str
) -> None:
    kept = await spring.kept(red)
    stale = await spring.ask("judge", method, f"/{kept['id']}{path}", headers={"if-match": '"else"'})
    assert problem(stale) == (412, "precondition-failed", None)
    current = await spring.ask("judge", method, f"/{kept['id']}{path}", headers={"if-match": kept["etag"]})
    assert current.status_code == 200


async def test_a_voided_game_that_is_corrected_stays_voided_until_it_is_restored(
    spring: KeptSeason, red: dict[str, Any], black: dict[str, Any]
) -> None:
    kept = await spring.kept(red)
    voided = read(await spring.ask("judge", "DELETE", f"/{kept['id']}"))
    corrected = read(await spring.correct(voided, black))
    assert (corrected["status"], corrected["version"]) == ("voided", 3)
    assert entered(spring) == []
    restored = read(await spring.ask("judge", "POST", f"/{kept['id']}/restore"))
    assert points(restored)[8] == 2
    assert entered(spring)[7] == (8, 2_000_000)


def bonused(red: dict[str, Any], **bonuses: float) -> dict[str, Any]:
    """``s1=0.6``: seat 1 gets 0.6."""
    game = deepcopy(red)
    for seat, bonus in bonuses.items():
        game["seats"][int(seat[1:]) - 1]["bonus"] = bonus
    return game


def states(kept: dict[str, Any]) -> dict[int, str]:
    return {approval["seat"]: approval["state"] for approval in kept["breakdown"]["approvals"]}


async def test_a_pending_game_is_counted_once_nothing_in_it_needs_an_approval(
    spring: KeptSeason, red: dict[str, Any]
) -> None:
    kept = await spring.kept(bonused(red, s1=0.6))
    assert (kept["status"], entered(spring)) == ("pending", [])
    corrected = read(await spring.correct(kept, bonused(red, s1=0.5)))
    assert corrected["status"] == "counted"
    assert entered(spring)[0] == (1, 2_500_000)
    again = read(await spring.correct(corrected, bonused(red, s1=0.6)))
    assert (again["status"], entered(spring)) == ("pending", [])


@pytest.mark.parametrize(
    "change, status, expected",
    [
        ({"s1": 0.6}, "counted", {1: "approved"}),
        ({"s1": 0.65}, "pending", {1: "pending"}),
        ({"s2": 0.6}, "pending", {2: "pending"}),
        ({"s1": 0.6, "s8": 0.4}, "counted", {1: "approved"}),
        ({"s1": 0.5}, "counted", {}),
    ],
)
async def test_an_approval_stands_while_its_clause_seat_and_points_do(
    spring: KeptSeason, red: dict[str, Any], change: dict[str, float], status: str, expected: dict[int, str]
) -> None:
    kept = await spring.kept(bonused(red, s1=0.6), "president")
    assert states(kept) == {1: "approved"}
    corrected = read(await spring.correct(kept, bonused({**red, "table": 2}, **change), "chief_judge"))
    assert (corrected["status"], states(corrected)) == (status, expected)


async def test_a_president_decides_what_is_open_by_correcting(spring: KeptSeason, red: dict[str, Any]) -> None:
    kept = await spring.kept(bonused(red, s1=0.6))
    corrected = read(await spring.correct(kept, bonused({**red, "table": 2}, s1=0.6), "president"))
    assert (corrected["status"], states(corrected)) == ("counted", {1: "approved"})


async def test_a_rejected_game_stays_out_until_what_was_rejected_is_gone(
    spring: KeptSeason, red: dict[str, Any]
) -> None:
    kept = await spring.kept(bonused(red, s1=0.6))
    with spring.database.write() as tx:
        season = seasons.find_locked(tx, spring.club, spring.slug)
        assert season
        game = games.find(tx, season.id, kept["id"])
        key = keys.by_public_id(tx, season.club_id, spring.ids["president"])
        assert game
        assert key
        approvals.decide(
            tx, game.id, deciders=["president"], state="rejected", key_id=key.id, role="president",
            at=datetime(2025, 3, 15, tzinfo=UTC), note="too much",
        )  # fmt: skip
    still = read(await spring.correct(kept, bonused({**red, "table": 2}, s1=0.6)))
    assert (still["status"], states(still), entered(spring)) == ("rejected", {1: "rejected"}, [])
    assert still["breakdown"]["approvals"][0]["note"] == "too much"
    assert (await spring.get(kept["id"], "anonymous"))["breakdown"]["approvals"][0]["note"] is None
    corrected = read(await spring.correct(still, bonused(red, s1=0.5)))
    assert (corrected["status"], entered(spring)[0]) == ("counted", (1, 2_500_000))


async def test_a_restored_game_waits_for_what_it_waited_for(spring: KeptSeason, red: dict[str, Any]) -> None:
    kept = await spring.kept(bonused(red, s1=0.6))
    await spring.ask("president", "DELETE", f"/{kept['id']}")
    restored = read(await spring.ask("president", "POST", f"/{kept['id']}/restore"))
    assert (restored["status"], states(restored)) == ("pending", {1: "pending"})


async def test_a_friendly_game_becomes_a_rated_one(spring: KeptSeason, red: dict[str, Any]) -> None:
    kept = await spring.kept({**red, "rated": False})
    assert (kept["status"], entered(spring)) == ("unrated", [])
    corrected = read(await spring.correct(kept, red))
    assert (corrected["status"], len(entered(spring))) == ("counted", 10)


async def test_registration_is_that_of_the_day_as_the_club_knows_it_when_a_game_is_corrected_or_restored(
    kept_app: FastAPI, kept_client: AsyncClient
) -> None:
    city = make_season(kept_app.state.database, kept_client, system="city-average")
    register(city, "P3", on="2025-04-01")
    kept = await city.kept(city_game())
    assert kept["game"]["seats"][2]["registered"] is False
    corrected = read(await city.correct(kept, city_game() | {"table": 2}))
    assert corrected["game"]["seats"][2]["registered"] is False
    register(city, "P3", on=None)
    await city.ask("judge", "DELETE", f"/{kept['id']}")
    assert (await city.get(kept["id"]))["game"]["seats"][2]["registered"] is False
    restored = read(await city.ask("judge", "POST", f"/{kept['id']}/restore"))
    assert restored["game"]["seats"][2]["registered"] is True
    mended = read(await city.correct(restored, city_game()))
    assert mended["game"]["seats"][2]["registered"] is True


async def test_history_tells_every_version_and_what_it_moved(
    spring: KeptSeason, red: dict[str, Any], black: dict[str, Any]
) -> None:
    red["seats"][0]["bonus_note"] = "well done"
    kept = await spring.kept(red)
    black["seats"][1]["player"], black["seats"][9]["player"] = "P10", "P2"
    corrected = read(await spring.correct(kept, black, "chief_judge", "?reason=mixed%20up"))
    await spring.ask("president", "DELETE", f"/{kept['id']}?reason=twice")
    history = await spring.get(kept["id"], path="/history")
    assert list(history) == ["items", "next_cursor"]
    told = [
        (one["version"], one["action"], one["status"], one["revision"], one["reason"], one["who"]["role"])
        for one in history["items"]
    ]
    assert told == [
        (1, "submitted", "counted", 1, None, "judge"),
        (2, "corrected", "counted", 2, "mixed up", "chief_judge"),
        (3, "voided", "voided", 3, "twice", "president"),
    ]
    assert history["items"][1]["who"]["key"] == {"id": spring.ids["chief_judge"], "name": "a chief_judge"}
    first, second, third = history["items"]
    assert first["changes"][0] == {
        "seat": 1,
        "player_id": kept["game"]["seats"][0]["player_id"],
        "player": "P1",
        "before": 0,
        "after": 2,
        "difference": 2,
    }
    assert [one["seat"] for one in first["changes"]] == [1, 2, 3, 4, 5, 6, 7]
    assert {(one["seat"], one["player"], one["difference"]) for one in second["changes"]} == {
        *((seat, f"P{seat}", -2) for seat in range(1, 8)),
        (8, "P8", 2),
        (9, "P9", 2),
        (10, "P2", 2),
    }
    assert [(one["seat"], one["before"], one["after"]) for one in third["changes"]] == [
        (8, 2, 0), (9, 2, 0), (10, 2, 0),
    ]  # fmt: skip
    assert (first["game"]["outcome"], second["game"]["outcome"]) == ("red", "black")
    assert second["game"] == corrected["game"]
    assert first["rule_system"] == {"id": "maffamily", "version": 1}


@pytest.mark.parametrize("reader", ["anonymous", "stranger"])
async def test_a_public_history_names_roles_and_leaves_out_notes_and_reasons(
    spring: KeptSeason, kept_app: FastAPI, red: dict[str, Any], reader: str
) -> None:
    stranger = make_season(kept_app.state.database, spring.client, club="kyiv")
    spring.secrets["stranger"] = stranger.secrets["president"]
    red["seats"][0] |= {"bonus": 0.3, "bonus_note": "well done"}
    kept = await spring.kept(red)
    await spring.correct(kept, red, query="?reason=secret")
    for path in ("", "/history"):
        answer = await spring.ask(reader, "GET", f"/{kept['id']}{path}")
        assert answer.status_code == 200
        for hidden in ("well done", "secret", "a judge", spring.ids["judge"]):
            assert hidden not in answer.text
    history = await spring.get(kept["id"], reader, "/history")
    assert [one["who"] for one in history["items"]] == [{"role": "judge", "key": None}] * 2
    assert "well done" in (await spring.ask("reader", "GET", f"/{kept['id']}")).text


async def test_a_history_comes_in_pages(spring: KeptSeason, red: dict[str, Any]) -> None:
    kept = await spring.kept(red)
    for table in range(2, 5):
        kept = read(await spring.correct(kept, {**red, "table": table}))
    seen, cursor = [], None
    while True:
        page = await spring.get(kept["id"], path="/history?limit=2" + (f"&cursor={cursor}" if cursor else ""))
        seen += [(one["version"], len(one["changes"])) for one in page["items"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert seen == [(1, 7), (2, 0), (3, 0), (4, 0)]


async def test_points_of_a_history_are_exact(spring: KeptSeason, red: dict[str, Any]) -> None:
    kept = await spring.kept(bonused(red, s1=0.3))
    await spring.correct(kept, bonused(red, s1=0.1))
    _, second = (await spring.get(kept["id"], path="/history"))["items"]
    assert [(one["before"], one["after"], one["difference"]) for one in second["changes"]] == [
        (Decimal("2.3"), Decimal("2.1"), Decimal("-0.2"))
    ]
