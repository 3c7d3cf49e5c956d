"""What if the season followed another regulation: its table under that one, nothing changed (docs/api.md#standings)."""

from decimal import Decimal
from typing import Any

import pytest
from fastapi import FastAPI
from httpx import AsyncClient, Response

from app.scoring.systems import find_system
from app.services.audit import audit
from app.services.seasons import what_if
from tests.http.desk import ask, merge, newcomer, player
from tests.http.games.test_correcting import bonused
from tests.http.games.test_submitting import ON, city_game, register
from tests.http.kept_season import KeptSeason, make_season, problem, read
from tests.http.seasons.test_closing import close
from tests.http.seasons.test_rule_change import change, league_games, placed
from tests.league import EXPECTED, top_of

pytestmark = pytest.mark.anyio

PERCENT = "?rule_system=sport-percent&version=1"


@pytest.fixture
def red(game: dict[str, Any]) -> dict[str, Any]:
    """Red won on 14 March; seats 1 to 6 citizens, 7 the sheriff, 8 and 9 mafia, 10 the don."""
    return {**game, **ON}


@pytest.fixture
async def played(spring: KeptSeason, red: dict[str, Any]) -> KeptSeason:
    """Red won on 14 March, P1 got 0.3; black won on 15 March; red won on 16 March, P2 got 0.7.

    Under maffamily P1 has 2.3 + 0 + 2, P2 2 + 0 + 2.7, P3 to P7 4, P8 to P10 2; what waits or was voided is in no sum.
    Under sport-percent a winner has 1.3 a game and a loser 0.3, and P2's 0.7 would need the chief judge.
    """
    await spring.kept({**bonused(red, s1=0.3), "external_id": "a"})
    await spring.kept({**red, "outcome": "black", "external_id": "b", "played_on": "2025-03-15"})
    await spring.kept({**bonused(red, s2=0.7), "external_id": "c", "played_on": "2025-03-16"}, "president")
    waiting = await spring.kept(bonused(red, s3=0.6))
    assert waiting["status"] == "pending"
    voided = await spring.kept(bonused(red, s4=0.5))
    await spring.ask("judge", "DELETE", f"/{voided['id']}")
    return spring


async def asked(season: KeptSeason, query: str = PERCENT, role: str = "anonymous", **headers: str) -> Response:
    return await ask(season, role, "GET", f"/seasons/{season.slug}/standings{query}", **headers)


async def table(season: KeptSeason, query: str = PERCENT, role: str = "anonymous") -> dict[str, Any]:
    return read(await asked(season, query, role))


def both_places(table: dict[str, Any]) -> dict[str, tuple[int | None, int | None]]:
    """Everybody's place in the season and here."""
    return {row["player"]["nickname"]: (row["rank_before"], row["rank"]) for row in table["rows"]}


async def test_the_same_games_are_ranked_by_other_rules_beside_the_own_places(played: KeptSeason) -> None:
    """P10 is before P8 and P9 by a win as don, P7 before P3 to P6 by two as sheriff."""
    own = await table(played, "")
    found = await table(played)
    assert {name: found[name] for name in ("season", "revision", "rule_system", "format", "games", "order")} == {
        "season": "spring",
        "revision": own["revision"],
        "rule_system": {"id": "sport-percent", "version": 1},
        "format": "season",
        "games": 3,
        "order": "rating",
    }
    assert {name: value for name, (_, value) in placed(found).items()} == {
        "P2": Decimal("3.6"),
        "P1": Decimal("3.2"),
        **dict.fromkeys(("P3", "P4", "P5", "P6", "P7"), Decimal("2.9")),
        **dict.fromkeys(("P8", "P9", "P10"), Decimal("1.9")),
    }
    assert both_places(found) == {
        "P2": (1, 1),
        "P1": (2, 2),
        "P7": (3, 3),
        **dict.fromkeys(("P3", "P4", "P5", "P6"), (3, 4)),
        "P10": (8, 8),
        **dict.fromkeys(("P8", "P9"), (8, 9)),
    }
    assert found["what_if"] == {
        "rule_system": {"id": "maffamily", "version": 1},
        "games": 3,
        "pending_games": 1,
        "refused": [],
        "refused_games": 0,
        "absent": [],
    }


async def test_nothing_changes_and_the_own_table_has_nothing_of_it(played: KeptSeason) -> None:
    before = await asked(played, "")
    await table(played)
    after = await asked(played, "")
    assert (after.content, after.headers["etag"]) == (before.content, before.headers["etag"])
    assert "what_if" not in after.json()
    assert "rank_before" not in after.json()["rows"][0]
    assert list(audit(played.database)) == []


async def test_games_that_the_other_rules_refuse_are_left_out_and_listed(
    played: KeptSeason, red: dict[str, Any]
) -> None:
    """Under sport-percent a winner gets at least 0.3; P8 sits in no other game than the refused one as Zoe."""
    zoe = await newcomer(played, "Zoe")
    low = bonused({**red, "external_id": "low"}, s1=0.2, s2=0.1)
    low["seats"][7]["player"] = "Zoe"
    refused = await played.kept(low)
    found = await table(played)
    assert found["games"] == 3
    assert (found["what_if"]["games"], found["what_if"]["refused_games"]) == (4, 1)
    assert found["what_if"]["refused"] == [{"id": refused["id"], "external_id": "low", "codes": ["bonus_range"]}]
    own = await table(played, "")
    assert found["what_if"]["absent"] == [
        {"player": {"id": zoe["id"], "nickname": "Zoe"}, "rank_before": placed(own)["Zoe"][0]}
    ]
    assert {row["player"]["nickname"]: row["rank"] for row in own["rows"] if row["player"]["nickname"] != "Zoe"} == {
        name: before for name, (before, _) in both_places(found).items()
    }


async def test_the_own_rules_give_the_own_table(played: KeptSeason) -> None:
    own = await table(played, "")
    found = await table(played, "?rule_system=maffamily&version=1")
    assert [row.pop("rank_before") for row in found["rows"]] == [row["rank"] for row in own["rows"]]
    assert found.pop("what_if")["refused_games"] == 0
    assert found == own


async def test_without_a_version_the_newest_rules_are_tried(played: KeptSeason) -> None:
    found = await table(played, "?rule_system=sport-percent")
    assert found["rule_system"] == {"id": "sport-percent", "version": find_system("sport-percent").version}


async def test_it_is_the_table_that_a_change_of_rules_gives_where_nothing_waits(
    spring: KeptSeason, red: dict[str, Any]
) -> None:
    await spring.kept(bonused(red, s1=0.3, s8=0.4))
    await spring.kept({**bonused(red, s9=0.5), "outcome": "black"})
    found = await table(spring)
    for row in found["rows"]:
        del row["rank_before"]
    del found["what_if"]
    read(await change(spring, {"rule_system": {"id": "sport-percent", "version": 1}}))
    changed = await table(spring, "")
    assert {**changed, "revision": found["revision"]} == found


async def test_it_can_be_ordered_as_the_other_rules_can(played: KeptSeason) -> None:
    assert (await table(played, PERCENT + "&order=rating"))["order"] == "rating"
    refused = await asked(played, PERCENT + "&order=k1")
    assert problem(refused) == (422, "invalid-request", None)
    assert [one["pointer"] for one in refused.json()["violations"]] == ["?order"]
    ordered = await table(played, "?rule_system=maffamily&order=points")
    assert [(row["rank_before"], row["rank"]) for row in ordered["rows"][:2]] == [(1, 1), (2, 2)]


async def test_it_can_be_of_a_day_and_of_a_revision(played: KeptSeason, red: dict[str, Any]) -> None:
    day = await table(played, PERCENT + "&as_of=2025-03-15")
    assert (day["games"], day["what_if"]["games"]) == (2, 2)
    assert {name: value for name, (_, value) in placed(day).items()} == {
        "P1": Decimal("1.9"),
        **dict.fromkeys((f"P{number}" for number in range(2, 11)), Decimal("1.6")),
    }
    first = await table(played, PERCENT + "&revision=1")
    assert (first["revision"], first["games"]) == (1, 1)
    games = read(await played.ask("judge", "GET"))["items"]
    kept = next(game for game in games if game["external_id"] == "a")
    read(await played.correct(kept, red, "president"))
    assert await table(played, PERCENT + "&revision=1") == first
    read(await change(played, {"rule_system": {"id": "sport-percent", "version": 1}}))
    then = await table(played, PERCENT + "&revision=1")
    assert then == first
    assert then["what_if"]["rule_system"] == {"id": "maffamily", "version": 1}


async def test_a_merged_player_is_his_survivor(played: KeptSeason) -> None:
    before = await table(played)
    survivor = await newcomer(played, "Zoe")
    read(await merge(played, await player(played, "P2"), survivor))
    found = await table(played)
    assert (placed(found)["Zoe"], "P2" in placed(found)) == (placed(before)["P2"], False)
    assert both_places(found)["Zoe"] == (1, 1)
    old = await table(played, f"{PERCENT}&revision={before['revision']}")
    assert placed(old) == placed(before)


async def test_a_closed_season_is_looked_at_from_its_frozen_table(played: KeptSeason) -> None:
    before = await table(played)
    for game in read(await played.ask("judge", "GET", "?status=pending"))["items"]:
        await played.ask("judge", "DELETE", f"/{game['id']}")
    await close(played)
    one = await player(played, "P1")
    read(await ask(played, "president", "PATCH", f"/players/{one['id']}", {"nickname": "Renamed"}))
    found = await table(played)
    assert both_places(found) == {
        "Renamed" if name == "P1" else name: places for name, places in both_places(before).items()
    }
    assert found["what_if"] == before["what_if"]


async def test_who_was_not_registered_is_not_rated_there_either(kept_app: FastAPI, kept_client: AsyncClient) -> None:
    """No game of a city passes the clubs' rules; under the city's own the registration of the day holds."""
    city = make_season(kept_app.state.database, kept_client, system="city-average")
    register(city, "P3", on=None, registered=False)
    for _ in range(10):
        await city.kept(city_game())
    own = await table(city, "?include=unpublished", "reader")
    found = await table(city, "?rule_system=city-average&include=unpublished", "reader")
    assert placed(found) == placed(own)
    assert "P3" not in placed(found)
    elsewhere = await table(city, "?rule_system=maffamily")
    assert (elsewhere["rows"], elsewhere["what_if"]["refused_games"]) == ([], 10)
    assert {one["rank_before"] for one in elsewhere["what_if"]["absent"]} == {row["rank"] for row in own["rows"]}


async def test_unpublished_rows_need_a_key_here_too(kept_app: FastAPI, kept_client: AsyncClient) -> None:
    city = make_season(kept_app.state.database, kept_client, system="city-average")
    await city.kept(city_game())
    query = "?rule_system=maffamily&include=unpublished"
    assert (await asked(city, query)).status_code == 401
    absent = (await table(city, query, "reader"))["what_if"]["absent"]
    assert absent
    assert {one["rank_before"] for one in absent} == {None}
    assert (await table(city, "?rule_system=maffamily"))["what_if"]["absent"] == []


async def test_a_season_that_is_not_public_is_its_clubs_own(kept_app: FastAPI, kept_client: AsyncClient) -> None:
    season = make_season(kept_app.state.database, kept_client, public=False)
    assert (await asked(season)).status_code == 404
    answer = await asked(season, role="reader")
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "private, no-cache")


@pytest.mark.parametrize(
    "query, fault",
    [
        ("?rule_system=maffamly", ("value", "?rule_system")),
        ("?rule_system=", ("value", "?rule_system")),
        ("?rule_system=maffamily&version=7", ("value", "?version")),
        ("?rule_system=maffamily&version=0", ("too_small", "?version")),
        ("?version=1", ("missing", "?rule_system")),
    ],
)
async def test_only_a_system_that_there_is_can_be_asked_for(
    spring: KeptSeason, query: str, fault: tuple[str, str]
) -> None:
    refused = await asked(spring, query)
    assert problem(refused) == (422, "invalid-request", None)
    assert [(one["code"], one["pointer"]) for one in refused.json()["violations"]] == [fault]


async def test_it_is_made_once_for_a_revision(played: KeptSeason, monkeypatch: pytest.MonkeyPatch) -> None:
    first = await asked(played)
    again = await asked(played, if_none_match=first.headers["etag"])
    assert (again.status_code, again.content) == (304, b"")
    tags = {first.headers["etag"]}
    for query in ("", "?rule_system=maffamily", "?rule_system=city-average", PERCENT + "&as_of=2025-03-15"):
        tags.add((await asked(played, query)).headers["etag"])
    assert len(tags) == 5
    monkeypatch.delattr(what_if, "_scored")
    assert (await asked(played)).content == first.content


async def test_when_every_place_is_taken_only_what_is_ready_is_answered(kept_app: FastAPI, played: KeptSeason) -> None:
    ready = await asked(played)
    places = kept_app.state.standings_slots
    free, places.free = places.free, 0
    refused = await asked(played, "?rule_system=city-average")
    assert (refused.status_code, int(refused.headers["retry-after"]) > 0) == (503, True)
    assert (await asked(played)).content == ready.content
    assert (await asked(played, "")).status_code == 200
    places.free = free
    assert (await asked(played, "?rule_system=city-average")).status_code == 200


async def test_the_facts_are_read_batch_by_batch(played: KeptSeason, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(what_if, "_AT_ONCE", 2)
    found = await table(played)
    assert (found["games"], placed(found)["P2"]) == (3, (1, Decimal("3.6")))


async def test_season_5_of_a_real_league_under_other_rules_has_the_table_of_the_games_that_those_accept(
    kept_app: FastAPI, kept_client: AsyncClient
) -> None:
    """expected.json counts 193 games under maffamily; the 85 of sport-percent are among them."""
    season = make_season(kept_app.state.database, kept_client, days=(None, None), nicknames=0)
    for game in league_games("s05"):
        await season.ask("president", "POST", "?create_players=true", game)
    figures = EXPECTED["s05"]["sport-percent"]
    found = await table(season)
    assert (found["games"], found["what_if"]["games"], found["what_if"]["refused_games"]) == (85, 193, 108)
    assert len(found["what_if"]["refused"]) == 108
    assert len(found["rows"]) == figures["players"]
    assert len(found["rows"]) + len(found["what_if"]["absent"]) == 77
    assert top_of(found) == figures["top"]


async def test_a_tournament_is_ranked_as_the_same_games_are_without_a_season(
    kept_app: FastAPI, kept_client: AsyncClient, red: dict[str, Any]
) -> None:
    """Ci and K are of the whole tournament: red won one game of three, so each win of red counts for more."""
    first = {"outcome": "black", "first_kill": {"seat": 7, "best_move": [8, 9, 3]}}
    games = [
        {**red, **first, "stage": "qualifying"},
        {**red, **first, "stage": "semifinal"},
        {**bonused(red, s1=0.5), "stage": "final"},
    ]
    cup = make_season(kept_app.state.database, kept_client, format="tournament")
    for game in games:
        await cup.kept(game)
    found = await table(cup)
    body = {"format": "tournament", "games": games}
    alone = read(await kept_client.post("/v1/rule-systems/sport-percent/standings?version=1", json=body))
    assert (found["format"], found["columns"]) == ("tournament", alone["columns"])
    assert [(row["player"]["nickname"], row["rank"], row["values"]) for row in found["rows"]] == [
        (row["player"]["nickname"], row["rank"], row["values"]) for row in alone["rows"]
    ]
    # P7: a win of red at K = 1 + (1.5 - 1)/1.5 = 4/3; 3 × 0.3 and twice 0.3 for two blacks; i = 2 first kills of the
    # distance's 2 games, B = round(0.8) = 1, so Ci = 0.4 in both.
    sheriff = next(row for row in found["rows"] if row["player"]["nickname"] == "P7")
    assert (sheriff["values"]["extra"], sheriff["values"]["ci"]) == (Decimal("1.5"), Decimal("0.4"))
    assert (sheriff["values"]["main"], sheriff["values"]["points"]) == (Decimal("2.1333"), Decimal("3.6333"))
