"""Games submitted to a season (docs/api.md#games-of-a-season); points worked out by hand."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from fastapi import FastAPI
from httpx import AsyncClient

from app.repositories.clubs import keys, players
from app.repositories.seasons import seasons
from app.scoring.game import Game
from app.services.access import Caller
from app.services.games import submission
from tests.http.kept_season import KeptSeason, faults, make_season, points, problem, read
from tests.repositories.kept import in_force

pytestmark = pytest.mark.anyio

ON = {"played_on": "2025-03-14"}


async def test_a_submitted_game_answers_what_it_is_and_every_point(spring: KeptSeason, game: dict[str, Any]) -> None:
    answer = await spring.submit({**game, **ON, "external_id": "2025-03-14/1/2"})
    kept = read(answer, 201)
    assert list(kept) == ["id", "external_id", "status", "version", "etag", "revision", "game", "breakdown"]
    assert answer.headers["location"] == f"{spring.path}/{kept['id']}"
    assert answer.headers["etag"] == kept["etag"]
    assert (kept["external_id"], kept["status"], kept["version"], kept["revision"]) == (
        "2025-03-14/1/2", "counted", 1, 1,
    )  # fmt: skip
    assert kept["game"]["seats"][0] == {
        "seat": 1,
        "player": "P1",
        "player_id": kept["breakdown"]["seats"][0]["player_id"],
        "role": "citizen",
    }
    assert kept["game"]["played_on"] == "2025-03-14"
    assert points(kept) == dict.fromkeys(range(1, 8), 2) | dict.fromkeys(range(8, 11), 0)
    assert len({seat["player_id"] for seat in kept["breakdown"]["seats"]}) == 10


async def test_a_game_is_read_as_it_was_answered(spring: KeptSeason, game: dict[str, Any]) -> None:
    submitted = await spring.submit({**game, **ON})
    got = await spring.client.get(submitted.headers["location"])
    assert (got.status_code, got.content) == (200, submitted.content)
    assert got.headers["etag"] == submitted.headers["etag"]
    again = await spring.client.get(submitted.headers["location"], headers={"if-none-match": got.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


async def test_one_version_has_an_etag_for_each_language_and_if_match_takes_both(
    spring: KeptSeason, game: dict[str, Any]
) -> None:
    kept = await spring.kept({**game, **ON})
    russian = await spring.ask("judge", "GET", f"/{kept['id']}", headers={"accept-language": "ru"})
    assert russian.headers["etag"] != kept["etag"]
    assert (
        russian.json()["breakdown"]["seats"][0]["lines"][0]["reason"]
        != (kept["breakdown"]["seats"][0]["lines"][0]["reason"])
    )
    corrected = await spring.correct({**kept, "etag": russian.headers["etag"]}, {**game, **ON, "table": 2})
    assert corrected.status_code == 200


async def test_the_sheriff_of_the_worked_example_gets_1_05(spring: KeptSeason, game: dict[str, Any]) -> None:
    """Regulation A: 0.5 for being shot first and losing, 0.25 for two blacks of three, 0.3 from the judge."""
    game |= {**ON, "outcome": "black", "first_kill": {"seat": 7, "best_move": [8, 9, 3]}}
    game["seats"][6] |= {"bonus": "0,3", "bonus_note": "named two"}
    kept = await spring.kept(game)
    assert points(kept)[7] == Decimal("1.05")
    assert kept["game"]["seats"][6]["bonus"] == Decimal("0.3")
    assert [(line["clause"], line["points"]) for line in kept["breakdown"]["seats"][6]["lines"]] == [
        ("2", Decimal("0.5")),
        ("3", Decimal("0.25")),
        ("4", Decimal("0.3")),
    ]


@pytest.mark.parametrize(
    "moment, day", [("2025-03-15T02:59:59+00:00", "2025-03-14"), ("2025-03-15T03:00:00+00:00", "2025-03-15")]
)
async def test_a_game_without_a_day_is_of_the_clubs_today(
    spring: KeptSeason, game: dict[str, Any], moment: str, day: str
) -> None:
    """Moscow is three hours ahead of UTC, and the club's day ends at six."""
    with spring.database.write() as tx:
        kept = submission.submit(
            tx, caller(spring, "judge"), spring.club, spring.slug, Game.read(game), create_players=False,
            now=datetime.fromisoformat(moment),
        )  # fmt: skip
    assert kept.facts["played_on"] == day


def caller(spring: KeptSeason, role: str) -> Caller:
    """Who a role's key is, for asking a service without HTTP."""
    with spring.database.read() as tx:
        season = seasons.find(tx, spring.club, spring.slug)
        assert season
        key = keys.by_public_id(tx, season.club_id, spring.ids[role])
    assert key
    return Caller(key.id, key.public_id, key.club_id, key.role, key.name)


async def test_every_violation_is_reported_at_once(spring: KeptSeason, game: dict[str, Any]) -> None:
    game |= {"played_on": "2025-06-01", "stage": "final"}
    game["seats"][0] |= {"player": "Nobody", "bonus": 0.8}
    game["seats"][1] |= {"player": "P 3"}
    game["seats"][9] |= {"player": "p9"}
    answer = await spring.submit(game)
    assert sorted(faults(answer)) == [
        ("bonus_range", "/seats/0/bonus"),
        ("played_on_outside_season", "/played_on"),
        ("player_duplicate", "/seats/9/player"),
        ("stage_not_allowed", "/stage"),
        ("unknown_player", "/seats/0/player"),
        ("unknown_player", "/seats/1/player"),
    ]
    found = {(one["code"], one["pointer"]): one for one in answer.json()["violations"]}
    unknown = found["unknown_player", "/seats/1/player"]
    assert (unknown["actual"], unknown["clause"], unknown["limit"]) == ("P 3", None, None)
    assert "P3" in unknown["suggestions"]
    outside = found["played_on_outside_season", "/played_on"]
    assert (outside["limit"], outside["actual"], outside["clause"]) == ("2025-05-31", "2025-06-01", None)
    assert read(await spring.ask("judge", "GET"))["items"] == []


@pytest.mark.parametrize(
    "day, limit",
    [("2025-02-28", "2025-03-01"), ("2025-03-01", None), ("2025-05-31", None), ("2025-06-01", "2025-05-31")],
)
async def test_both_days_belong_to_a_season(
    spring: KeptSeason, game: dict[str, Any], day: str, limit: str | None
) -> None:
    answer = await spring.submit({**game, "played_on": day})
    if limit is None:
        assert answer.status_code == 201
    else:
        assert faults(answer) == [("played_on_outside_season", "/played_on")]
        assert answer.json()["violations"][0]["limit"] == limit


async def test_two_nicknames_of_one_player_are_one_player_twice(spring: KeptSeason, game: dict[str, Any]) -> None:
    rename(spring, "P1", "Alice")
    game["seats"][1]["player"] = "alice"
    answer = await spring.submit({**game, **ON})
    assert faults(answer) == [("player_duplicate", "/seats/1/player")]
    assert answer.json()["violations"][0]["actual"] == "alice"


def rename(spring: KeptSeason, old: str, new: str) -> None:
    with spring.database.write() as tx:
        season = seasons.find(tx, spring.club, spring.slug)
        assert season
        (player,) = players.named(tx, season.club_id, [old.casefold()]).values()
        players.rename(tx, player, nickname=new, folded=new.casefold())


async def test_an_old_nickname_still_means_its_player_and_answers_show_the_current_one(
    spring: KeptSeason, game: dict[str, Any]
) -> None:
    before = await spring.kept({**game, **ON})
    rename(spring, "P1", "Алиса")
    after = await spring.kept({**game, "played_on": "2025-03-15"})
    assert after["game"]["seats"][0]["player"] == after["breakdown"]["seats"][0]["player"] == "Алиса"
    assert after["game"]["seats"][0]["player_id"] == before["game"]["seats"][0]["player_id"]
    now = await spring.get(before["id"])
    assert now["game"]["seats"][0]["player"] == now["breakdown"]["seats"][0]["player"] == "Алиса"
    assert now["etag"] != before["etag"]
    (_, listed) = read(await spring.ask("judge", "GET"))["items"]
    assert listed["game"]["seats"][0]["player"] == "Алиса"


async def test_nicknames_are_compared_folded(spring: KeptSeason, game: dict[str, Any]) -> None:
    game["seats"][0]["player"] = " ｐ１ "
    kept = await spring.kept({**game, **ON})
    assert kept["game"]["seats"][0]["player"] == "P1"


async def test_unknown_nicknames_become_registered_players_on_request(spring: KeptSeason, game: dict[str, Any]) -> None:
    game["seats"][0]["player"] = "Newcomer"
    game["seats"][1]["player"] = "Ещё один"
    answer = await spring.ask("judge", "POST", "?create_players=true", {**game, **ON})
    kept = read(answer, 201)
    assert [seat["player"] for seat in kept["game"]["seats"][:2]] == ["Newcomer", "Ещё один"]
    listed = await spring.client.get(
        f"/v1/clubs/{spring.club}/players/{kept['game']['seats'][0]['player_id']}",
        headers={"authorization": f"Bearer {spring.secrets['judge']}"},
    )
    assert (listed.json()["nickname"], listed.json()["registered"]) == ("Newcomer", True)
    again = await spring.kept({**game, "played_on": "2025-03-15"})
    assert again["game"]["seats"][0]["player_id"] == kept["game"]["seats"][0]["player_id"]


async def test_a_refused_game_makes_no_players(spring: KeptSeason, game: dict[str, Any]) -> None:
    game["seats"][0] |= {"player": "Newcomer", "bonus": 0.8}
    answer = await spring.ask("judge", "POST", "?create_players=true", {**game, **ON})
    assert faults(answer) == [("bonus_range", "/seats/0/bonus")]
    game["seats"][0].pop("bonus")
    assert faults(await spring.submit({**game, **ON})) == [("unknown_player", "/seats/0/player")]


async def test_a_tournament_asks_for_the_stage(
    kept_app: FastAPI, kept_client: AsyncClient, game: dict[str, Any]
) -> None:
    cup = make_season(kept_app.state.database, kept_client, system="sport-percent", format="tournament")
    assert faults(await cup.submit({**game, **ON})) == [("stage_required", "/stage")]
    kept = await cup.kept({**game, **ON, "stage": "qualifying"})
    assert kept["game"]["stage"] == "qualifying"


@pytest.mark.parametrize(
    "change, status", [({"rated": False}, "unrated"), ({"cancelled": True, "outcome": None}, "cancelled")]
)
async def test_friendly_and_cancelled_games_are_kept_and_enter_nothing(
    spring: KeptSeason, game: dict[str, Any], change: dict[str, Any], status: str
) -> None:
    game["seats"][0]["bonus"] = 0.6
    kept = await spring.kept({**game, **ON, **change})
    assert (kept["status"], kept["breakdown"]["status"], kept["breakdown"]["approvals"]) == (status, status, [])
    assert entered(spring) == []


def entered(spring: KeptSeason) -> list[tuple[int, int]]:
    """Seat and millionths of every ledger entry in force."""
    with spring.database.read() as tx:
        season = seasons.find(tx, spring.club, spring.slug)
        assert season
        return [(entry.number, entry.points) for entry in in_force(tx, season.id)]


async def test_a_counted_game_enters_every_seat_once(spring: KeptSeason, game: dict[str, Any]) -> None:
    await spring.kept({**game, **ON})
    assert entered(spring) == [(seat, 2_000_000 if seat < 8 else 0) for seat in range(1, 11)]


@pytest.mark.parametrize(
    "system, role, bonus, by, status",
    [
        ("maffamily", "judge", 0.55, None, "counted"),
        ("maffamily", "judge", 0.6, "president", "pending"),
        ("maffamily", "chief_judge", 0.6, "president", "pending"),
        ("maffamily", "president", 0.6, "president", "counted"),
        ("sport-percent", "judge", 0.65, None, "counted"),
        ("sport-percent", "judge", 0.7, "chief_judge", "pending"),
        ("sport-percent", "chief_judge", 0.7, "chief_judge", "counted"),
        ("sport-percent", "president", 0.7, "chief_judge", "counted"),
    ],
)
async def test_a_key_whose_role_may_decide_an_approval_decides_it_by_submitting(
    kept_app: FastAPI,
    kept_client: AsyncClient,
    game: dict[str, Any],
    system: str,
    role: str,
    bonus: float,
    by: str | None,
    status: str,
) -> None:
    spring = make_season(kept_app.state.database, kept_client, system=system)
    game["seats"][1]["bonus"] = bonus
    kept = await spring.kept({**game, **ON}, role)
    assert (kept["status"], kept["breakdown"]["status"]) == (status, status)
    assert bool(entered(spring)) == (status == "counted")
    needed = kept["breakdown"]["approvals"]
    assert [(one["seat"], one["by"]) for one in needed] == ([] if by is None else [(2, by)])
    for one in needed:
        decided = status == "counted"
        assert one["state"] == ("approved" if decided else "pending")
        assert one["decided_by"] == (spring.ids[role] if decided else None)
        assert (one["at"] is not None) == decided
        assert one["note"] is None
    public = (await spring.get(kept["id"], "anonymous"))["breakdown"]["approvals"]
    assert [one["decided_by"] for one in public] == [role if one["decided_by"] else None for one in needed]


CITY = ["citizen", "citizen", "citizen", "citizen", "mafia", "don"]


def city_game(**registered: bool) -> dict[str, Any]:
    """Red won on day 3; the first four lived three days each. ``P1=False``: what the host says."""
    seats: list[dict[str, Any]] = [
        {"seat": n, "player": f"P{n}", "role": role} | ({"days_lived": 3} if n < 5 else {})
        for n, role in enumerate(CITY, 1)
    ]
    for seat in seats:
        if seat["player"] in registered:
            seat["registered"] = registered[seat["player"]]
    return {"outcome": "red", "seats": seats, **ON}


async def test_only_who_was_registered_in_the_club_and_with_the_host_is_rated(
    kept_app: FastAPI, kept_client: AsyncClient
) -> None:
    city = make_season(kept_app.state.database, kept_client, system="city-average")
    register(city, "P1", on=None)
    register(city, "P2", on="2025-03-14")
    register(city, "P3", on="2025-03-15")
    register(city, "P5", on=None, registered=False)
    kept = await city.kept(city_game(P4=False, P5=True, P6=True))
    shown = {seat["player"]: seat["registered"] for seat in kept["game"]["seats"]}
    assert shown == {"P1": True, "P2": True, "P3": False, "P4": False, "P5": False, "P6": True}
    assert points(kept) == {1: 3, 2: 3, 3: 3, 4: 3, 5: 0, 6: 0}
    with city.database.read() as tx:
        season = seasons.find(tx, city.club, city.slug)
        assert season
        rated = [entry.number for entry in in_force(tx, season.id) if entry.seat.registered]
    assert rated == [1, 2, 6]
    register(city, "P3", on=None)
    assert (await city.get(kept["id"]))["game"] == kept["game"]


def register(spring: KeptSeason, nickname: str, *, on: str | None, registered: bool = True) -> None:
    with spring.database.write() as tx:
        season = seasons.find(tx, spring.club, spring.slug)
        assert season
        (player,) = players.named(tx, season.club_id, [nickname.casefold()]).values()
        since = datetime.fromisoformat(on).replace(tzinfo=UTC).date() if on else None
        players.register(tx, player.id, registered=registered, on=since)


async def test_where_the_regulation_asks_for_registration_newcomers_are_unregistered(
    kept_app: FastAPI, kept_client: AsyncClient
) -> None:
    city = make_season(kept_app.state.database, kept_client, system="city-average", nicknames=5)
    kept = read(await city.ask("judge", "POST", "?create_players=true", city_game()), 201)
    assert [seat["registered"] for seat in kept["game"]["seats"]][5] is False
    with city.database.read() as tx:
        season = seasons.find(tx, city.club, city.slug)
        assert season
        assert players.named(tx, season.club_id, ["p6"])["p6"].registered is False


@pytest.mark.parametrize(
    "body, code, pointer",
    [
        (b'{"outcome": "red", "outcome": "red"}', "json", ""),
        (b'{"outcome": "blue", "seats": []}', "value", "/outcome"),
        (b'{"outcome": "red", "seats": [], "winner": 1}', "unknown_field", "/winner"),
        (b'{"seats": []}', "missing", "/outcome"),
        (b'{"outcome": "red", "seats": [{"seat": 1, "player": "", "role": "don"}]}', "too_short", "/seats/0/player"),
    ],
)
async def test_a_misshapen_game_is_refused_before_the_rules_are_asked(
    spring: KeptSeason, body: bytes, code: str, pointer: str
) -> None:
    headers = {"authorization": f"Bearer {spring.secrets['judge']}", "content-type": "application/json"}
    answer = await spring.client.post(spring.path, content=body, headers=headers)
    assert problem(answer) == (422, "invalid-request", None)
    assert (code, pointer) in [(found["code"], found["pointer"]) for found in answer.json()["violations"]]


@pytest.mark.parametrize("query", ["?create_players=maybe", "?create=true", "?create_players=true&create_players=true"])
async def test_an_unknown_query_is_refused(spring: KeptSeason, game: dict[str, Any], query: str) -> None:
    assert problem(await spring.ask("judge", "POST", query, {**game, **ON})) == (422, "invalid-request", None)
