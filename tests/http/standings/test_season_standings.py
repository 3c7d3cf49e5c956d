"""The table of a kept season: what is in it, as of when, and for whom."""

from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from fastapi import FastAPI
from httpx import AsyncClient

from app.repositories.clubs import keys as stored_keys
from app.repositories.seasons import seasons
from app.repositories.standings import lots
from tests.http.club import bearer
from tests.http.kept_season import MADE, KeptSeason, make_season, problem
from tests.http.tables import EVERY, FIRST, POINTS, SECOND, ask, id_of, places, table, values

pytestmark = pytest.mark.anyio

BOTH = [(1, "P7"), (2, "P10"), *((3, f"P{n}") for n in (2, 3, 4, 5, 6, 8, 9)), (10, "P1")]
ONLY_FIRST = [*((1, f"P{n}") for n in range(1, 8)), (8, "P10"), (8, "P8"), (8, "P9")]


@pytest.fixture
async def played(spring: KeptSeason) -> KeptSeason:
    """The season after both games."""
    await spring.kept(FIRST)
    await spring.kept(SECOND)
    return spring


async def ids_of(season: KeptSeason) -> dict[str, str]:
    """The club's players by nickname."""
    answer = await season.client.get(f"/v1/clubs/{season.club}/players", headers=bearer(season.secrets["reader"]))
    return {player["nickname"]: player["id"] for player in answer.json()["items"]}


async def test_a_season_without_games_has_an_empty_table(spring: KeptSeason) -> None:
    found = await table(spring)
    assert (found["games"], found["revision"], found["rows"], found["ties"]) == (0, 0, [], [])
    assert [award["players"] for award in found["awards"]] == [[] for _ in found["awards"]]


async def test_a_table_says_what_it_is_of(played: KeptSeason) -> None:
    found = await table(played)
    assert {name: found[name] for name in ("season", "rule_system", "format", "revision", "games", "order")} == {
        "season": "spring",
        "rule_system": {"id": "maffamily", "version": 1},
        "format": "season",
        "revision": 2,
        "games": 2,
        "order": "rating",
    }
    column = {"key": "rating", "label": "Rating", "decimals": 4, "unit": None, "clause": "6"}
    assert column in found["columns"]


async def test_a_row_has_the_player_with_id_and_nickname_and_exact_values(played: KeptSeason) -> None:
    found = await table(played)
    row = found["rows"][0]
    ids = await ids_of(played)
    assert {name: row[name] for name in ("rank", "player", "published", "warnings")} == {
        "rank": 1,
        "player": {"id": ids["P7"], "nickname": "P7"},
        "published": True,
        "warnings": [],
    }
    # 2.75 points in two games, one won: k1 = 2.75/2, k2 = 2.75/2, rating = 1.890625
    expected = {
        "games": 2, "wins": 1, "win_rate": 50, "points": Decimal("2.75"), "compensation": 1,
        "best_move": Decimal("0.25"), "bonus": 0, "penalty": 0,
        "k1": Decimal("1.375"), "k2": Decimal("1.375"), "rating": Decimal("1.8906"),
    }  # fmt: skip
    assert row["values"] == expected


async def test_points_and_places_are_those_worked_out_by_hand(played: KeptSeason) -> None:
    found = await table(played)
    assert values(found, "points") == POINTS
    assert values(found, "rating") == {
        name: {"P7": Decimal("1.8906")}.get(name, points * points / 4) for name, points in POINTS.items()
    }
    assert places(found) == BOTH


async def test_ties_and_awards_name_players_by_id(played: KeptSeason) -> None:
    found = await table(played)
    tied = [id_of(found, f"P{n}") for n in (2, 3, 4, 5, 6, 8, 9)]
    assert found["ties"] == [{"rank": 3, "players": tied, "lot": None}]
    awards = {award["code"]: award for award in found["awards"] if award["clause"] == "7"}
    assert awards["free_entry"]["players"] == [id_of(found, "P7")]
    assert set(awards["priority_registration"]["players"]) == {id_of(found, name) for name in EVERY}


async def test_the_table_goes_by_the_column_that_is_asked_for(played: KeptSeason) -> None:
    found = await table(played, "?order=points")
    assert found["order"] == "points"
    assert places(found)[:2] == [(1, "P7"), (2, "P10")]


async def test_an_unknown_order_is_refused_with_the_columns_there_are(played: KeptSeason) -> None:
    answer = await ask(played, "/standings?order=luck")
    assert problem(answer) == (422, "invalid-request", None)
    (fault,) = answer.json()["violations"]
    columns = [column["key"] for column in (await table(played))["columns"]]
    assert (fault["pointer"], sorted(fault["limit"])) == ("?order", sorted(columns))


@pytest.mark.parametrize("query", ["?sort=points", "?as_of=14.03.2025", "?revision=-1", "?revision=x", "?include=all"])
async def test_what_cannot_be_asked_is_refused(played: KeptSeason, query: str) -> None:
    answer = await ask(played, f"/standings{query}")
    assert problem(answer) == (422, "invalid-request", None)
    assert [fault["pointer"] for fault in answer.json()["violations"]] == [query.partition("=")[0]]


async def test_as_of_a_day_only_games_played_by_then_are_in_it(played: KeptSeason) -> None:
    for day, expected in (("2025-03-13", []), ("2025-03-14", ONLY_FIRST), ("2025-03-19", ONLY_FIRST)):
        found = await table(played, f"?as_of={day}")
        assert (places(found), found["revision"]) == (expected, 2), day
    assert places(await table(played, "?as_of=2025-03-20")) == BOTH


async def test_at_a_revision_it_is_as_it_was_recorded_then(played: KeptSeason) -> None:
    found = await table(played, "?revision=1")
    assert (places(found), found["revision"], found["games"]) == (ONLY_FIRST, 1, 1)
    assert places(await table(played, "?revision=0")) == []
    now = await table(played)
    assert await table(played, "?revision=2") == now


async def test_a_day_is_as_known_now_and_a_revision_as_known_then(spring: KeptSeason) -> None:
    first = await spring.kept(FIRST)
    corrected = await spring.correct(first, FIRST | {"outcome": "black"})
    assert corrected.status_code == 200
    assert values(await table(spring, "?as_of=2025-03-14"), "wins")["P1"] == 0
    assert values(await table(spring, "?revision=1"), "wins")["P1"] == 1
    assert values(await table(spring, "?revision=1&as_of=2025-03-14"), "wins")["P1"] == 1
    assert places(await table(spring, "?revision=1&as_of=2025-03-13")) == []


async def test_a_revision_that_is_yet_to_come_is_refused_with_the_latest(played: KeptSeason) -> None:
    answer = await ask(played, "/standings?revision=3")
    assert problem(answer) == (422, "invalid-request", None)
    (fault,) = answer.json()["violations"]
    assert (fault["code"], fault["pointer"], fault["limit"], fault["actual"]) == ("too_large", "?revision", 2, 3)


@pytest.mark.unsound
async def test_an_old_revision_follows_the_rules_of_then_and_todays_nicknames(played: KeptSeason) -> None:
    with played.database.write() as tx:
        season = seasons.find_locked(tx, played.club, played.slug)
        assert season
        revision = seasons.advance(tx, season)
        seasons.follow(tx, season.id, revision=revision, rule_system="sport-percent", rule_version=1)
    ids = await ids_of(played)
    address = f"/v1/clubs/{played.club}/players/{ids['P7']}"
    renamed = await played.client.patch(address, json={"nickname": "Lynx"}, headers=bearer(played.secrets["president"]))
    assert renamed.status_code == 200
    now, then = await table(played), await table(played, "?revision=2")
    assert (now["rule_system"]["id"], now["revision"]) == ("sport-percent", 4)
    assert (then["rule_system"]["id"], then["revision"]) == ("maffamily", 2)
    assert then["rows"][0]["player"] == {"id": ids["P7"], "nickname": "Lynx"}


async def test_corrected_voided_and_restored_games_count_as_they_stand(spring: KeptSeason) -> None:
    first = await spring.kept(FIRST)
    second = await spring.kept(SECOND)
    assert places(await table(spring)) == BOTH
    await spring.ask("judge", "DELETE", f"/{second['id']}")
    assert places(await table(spring)) == ONLY_FIRST
    await spring.ask("judge", "POST", f"/{second['id']}/restore")
    assert places(await table(spring)) == BOTH
    await spring.correct(first, FIRST | {"outcome": "draw"})
    found = await table(spring)
    assert values(found, "points") == {
        name: points - (2 if name in {f"P{n}" for n in range(1, 8)} else 0) for name, points in POINTS.items()
    }
    assert found["games"] == 2


@pytest.mark.parametrize("aside", [{"rated": False}, {"cancelled": True}])
async def test_friendly_and_cancelled_games_are_in_no_table(spring: KeptSeason, aside: dict[str, Any]) -> None:
    await spring.kept(FIRST)
    await spring.kept(SECOND | aside)
    found = await table(spring)
    assert (places(found), found["games"], found["revision"]) == (ONLY_FIRST, 1, 2)


async def test_a_game_that_waits_for_an_approval_is_in_no_table(spring: KeptSeason) -> None:
    seats = [seat | ({"bonus": 0.6} if seat["seat"] == 1 else {}) for seat in FIRST["seats"]]
    pending = await spring.kept(FIRST | {"seats": seats})
    assert pending["status"] == "pending"
    assert (await table(spring))["rows"] == []


async def test_labels_and_warnings_speak_the_language_of_the_request(spring: KeptSeason) -> None:
    await spring.kept(SECOND)
    for language, label, message in (
        ("ru", "Рейтинг", "сумма баллов −1 — ниже нуля"),
        ("en", "Rating", "-1 points, below"),
    ):
        found = (await ask(spring, accept_language=language)).json()
        assert {column["key"]: column["label"] for column in found["columns"]}["rating"] == label
        (warning,) = next(row["warnings"] for row in found["rows"] if row["player"]["nickname"] == "P1")
        assert warning["code"] == "negative_points"
        assert warning["message"].startswith(message)


@pytest.mark.unsound
async def test_a_lot_orders_exactly_the_players_that_it_was_drawn_for(
    kept_app: FastAPI, kept_client: AsyncClient
) -> None:
    season = make_season(kept_app.state.database, kept_client, system="sport-percent")
    await season.kept(FIRST)
    before = await table(season)
    citizens = [f"P{n}" for n in range(1, 7)]
    assert before["ties"][0] == {"rank": 2, "players": [id_of(before, name) for name in citizens], "lot": "needed"}
    assert places(before)[:3] == [(1, "P7"), (2, "P1"), (2, "P2")]

    drawn = ["P3", "P1", "P6", "P2", "P5", "P4"]
    with season.database.write() as tx:
        locked = seasons.find_locked(tx, season.club, season.slug)
        assert locked
        key = stored_keys.by_public_id(tx, locked.club_id, season.ids["president"])
        assert key
        ids = [id_of(before, name) for name in drawn]
        lots.add(
            tx, locked.id, tied=ids, drawn=ids, seed=None, revision=seasons.advance(tx, locked), key_id=key.id,
            role="president", at=MADE,
        )  # fmt: skip
    after = await table(season)
    assert places(after)[:7] == [(1, "P7"), *enumerate(drawn, 2)]
    assert after["ties"][0] == {"rank": 2, "players": ids, "lot": "drawn"}
    assert (await table(season, "?revision=1"))["ties"][0]["lot"] == "needed"

    await season.kept(SECOND | {"seats": FIRST["seats"], "played_on": "2025-03-15", "first_kill": {"seat": 1}})
    changed = await table(season)
    group = next(tie for tie in changed["ties"] if id_of(changed, "P2") in tie["players"])
    assert (len(group["players"]), group["lot"]) == (7, "needed"), (
        "P1 was shot first since, and the mafia has won as often"
    )


def city_game(day: int, absent: str | None = None, stranger: bool = False) -> dict[str, Any]:
    """The city won. P1 lived three days, P2 two, P3 and the doctor P4 one; P5 is the mafia."""
    names = ["P1", "P2", "P3", "P4", "P5"]
    if absent:
        names[names.index(absent)] = "P6"
    seats: list[dict[str, Any]] = [
        {"seat": seat, "player": name, "role": role, "days_lived": days}
        for seat, (name, role, days) in enumerate(
            zip(names, ("citizen", "citizen", "citizen", "doctor", "mafia"), (3, 2, 1, 1, 3), strict=True), 1
        )
    ]
    if stranger:
        seats.append({"seat": 6, "player": "P7", "role": "citizen", "days_lived": 9, "registered": False})
    return {"played_on": date(2025, 3, day).isoformat(), "outcome": "red", "seats": seats}


@pytest.fixture
async def city(kept_app: FastAPI, kept_client: AsyncClient) -> KeptSeason:
    """Ten games of city-average: P1 to P4 in all, P5 in nine and P6 in one; P7 once, and not registered."""
    season = make_season(kept_app.state.database, kept_client, system="city-average")
    for day in range(1, 10):
        await season.kept(city_game(day, stranger=day == 1))
    await season.kept(city_game(10, absent="P5"))
    return season


async def test_players_below_the_threshold_are_shown_to_keys_of_the_club_that_ask_for_them(city: KeptSeason) -> None:
    published = [(1, "P1"), (2, "P2"), (3, "P3"), (3, "P4")]
    assert places(await table(city)) == published
    assert places(await table(city, role="president")) == published
    for role in ("reader", "judge", "chief_judge", "president"):
        found = await table(city, "?include=unpublished", role)
        assert places(found) == [*published, (None, "P5"), (None, "P6")], role
        assert [row["published"] for row in found["rows"]] == [True] * 4 + [False] * 2


async def test_unpublished_players_count_in_participation_and_the_unregistered_do_not(city: KeptSeason) -> None:
    found = await table(city, "?include=unpublished", "reader")
    # N = 6: four share place 1, P5 is fifth with nine games, P6 sixth with one.
    assert values(found, "place_by_games") == {"P1": 1, "P2": 1, "P3": 1, "P4": 1, "P5": 5, "P6": 6}
    assert values(found, "participation") == {
        **dict.fromkeys(("P1", "P2", "P3", "P4"), 1), "P5": Decimal("0.33"), "P6": Decimal("0.16"),
    }  # fmt: skip
    assert values(found, "rating")["P1"] == 4
    assert found["games"] == 10


async def test_unpublished_rows_need_a_key_of_the_club(city: KeptSeason, kept_client: AsyncClient) -> None:
    other = make_season(city.database, kept_client, club="kyiv")
    assert problem(await ask(city, "/standings?include=unpublished")) == (401, "unauthorized", None)
    address = f"/v1/clubs/{city.club}/seasons/{city.slug}/standings?include=unpublished"
    answer = await kept_client.get(address, headers=bearer(other.secrets["president"]))
    assert problem(answer) == (403, "forbidden", None)


async def test_a_season_that_is_not_public_is_not_there_for_others(kept_app: FastAPI, kept_client: AsyncClient) -> None:
    hidden = make_season(kept_app.state.database, kept_client, public=False)
    other = make_season(kept_app.state.database, kept_client, club="kyiv")
    for path in ("/standings", "/standings.csv", "/standings.xlsx", "/awards", "/standings/p_1"):
        assert (await ask(hidden, path)).status_code == 404, path
        address = f"/v1/clubs/{hidden.club}/seasons/{hidden.slug}{path}"
        answer = await kept_client.get(address, headers=bearer(other.secrets["president"]))
        assert answer.status_code == 404, path
    assert (await ask(hidden, role="reader")).status_code == 200


async def test_a_key_that_opens_nothing_is_refused_even_where_none_is_needed(played: KeptSeason) -> None:
    await ask(played)
    for path in ("/standings", "/standings.csv", "/standings.xlsx", "/awards", "/standings/p_1"):
        answer = await ask(played, path, authorization="Bearer mf_nobody_0000")
        assert problem(answer) == (401, "unauthorized", None), path


@pytest.mark.parametrize("address", ["/v1/clubs/moscow/seasons/autumn", "/v1/clubs/nobody/seasons/spring"])
async def test_what_is_not_there_is_not_found(spring: KeptSeason, address: str) -> None:
    for path in ("/standings", "/standings.csv", "/standings.xlsx", "/awards", "/standings/p_1"):
        assert problem(await spring.client.get(address + path)) == (404, "not-found", None)


@pytest.mark.parametrize("slug", ["SPRING", "spr%00ing", "spring%27--", "..%2Fspring", "spring%20", "x" * 64])
async def test_what_is_no_slug_is_not_found(spring: KeptSeason, slug: str) -> None:
    answer = await spring.client.get(f"/v1/clubs/{spring.club}/seasons/{slug}/standings")
    assert answer.status_code == 404
