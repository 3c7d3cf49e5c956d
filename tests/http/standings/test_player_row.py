"""A player's row line by line: the lines add up to the row, whatever the regulation."""

from copy import deepcopy
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Final

import pytest
from fastapi import FastAPI
from httpx import AsyncClient

from tests.http.conftest import RED_WON
from tests.http.kept_season import KeptSeason, make_season, problem, read
from tests.http.tables import FIRST, SECOND, ask, id_of, table

pytestmark = pytest.mark.anyio

KILLED: Final = {"seat": 1, "best_move": [2, 3, 8]}


async def row_of(season: KeptSeason, nickname: str, query: str = "", role: str = "anonymous") -> dict[str, Any]:
    """A player's row with its lines, its numbers exact."""
    found = id_of(await table(season, query, role), nickname)
    return read(await ask(season, f"/standings/{found}{query}", role))


def rounded(value: Decimal, decimals: int) -> Decimal:
    return value.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)


def lines_of(row: dict[str, Any]) -> list[dict[str, Any]]:
    return [*(line for game in row["games"] for line in game["lines"]), *row["season_lines"]]


def sums_of(row: dict[str, Any]) -> dict[str, Decimal]:
    """What a reader adds up: the written points of all lines, by category."""
    sums = dict.fromkeys(("main", "extra", "rating"), Decimal(0))
    for line in lines_of(row):
        sums[line["category"]] += line["points"]
    return sums


def demand_that_lines_add_up(row: dict[str, Any]) -> None:
    decimals = {column["key"]: column["decimals"] for column in row["columns"]}
    values, sums = row["row"]["values"], sums_of(row)
    assert row["sums"] == sums
    assert rounded(sums["main"] + sums["extra"], decimals["points"]) == values["points"]
    assert len(row["games"]) == values["games"]
    assert sum(game["result"] == "won" for game in row["games"]) == values["wins"]
    for game in row["games"]:
        assert game["total"] == sum(line["points"] for line in game["lines"])
    for key in ("main", "extra"):
        if key in values:
            assert rounded(sums[key], decimals[key]) == values[key]
    assert all(line["reason"] for line in lines_of(row))
    demand_that_columns_are_explained(row)


def demand_that_columns_are_explained(row: dict[str, Any]) -> None:
    explained, decimals = row["explained"], {column["key"]: column["decimals"] for column in row["columns"]}
    assert [column["key"] for column in explained["columns"]] == list(decimals)
    for column in explained["columns"]:
        assert rounded(Decimal(column["value"]), decimals[column["key"]]) == row["row"]["values"][column["key"]]
    by_clause: dict[tuple[str, str], list[Decimal]] = {}
    for line in lines_of(row):
        by_clause.setdefault((line["clause"], line["category"]), []).append(line["points"])
    given = {(one["clause"], one["category"]): (one["lines"], one["points"]) for one in explained["points"]}
    assert given == {where: (len(points), sum(points)) for where, points in by_clause.items()}
    for category, total in row["sums"].items():
        assert sum(one["points"] for one in explained["points"] if one["category"] == category) == total


async def demand_of_everyone(season: KeptSeason, query: str = "", role: str = "anonymous") -> dict[str, dict[str, Any]]:
    """Check every row of the table; the rows with their lines by nickname."""
    found = {}
    whole = await table(season, query, role)
    for shown in whole["rows"]:
        row = read(await ask(season, f"/standings/{shown['player']['id']}{query}", role))
        assert row["row"] == shown
        assert (row["revision"], row["columns"], row["order"]) == (whole["revision"], whole["columns"], whole["order"])
        demand_that_lines_add_up(row)
        found[shown["player"]["nickname"]] = row
    return found


async def test_under_maffamily_lines_are_told_game_by_game(spring: KeptSeason) -> None:
    first, second = (
        await spring.kept(FIRST),
        await spring.kept(SECOND | {"external_id": "20/1", "table": 2, "number": 3, "judge": "Anna"}),
    )
    rows = await demand_of_everyone(spring)
    assert rows["P7"]["games"] == [
        {
            "game": first["id"], "external_id": None, "played_on": "2025-03-14", "stage": None, "outcome": "red",
            "seat": 7, "role": "sheriff", "team": "red", "result": "won", "first_kill": False, "total": 2,
            "table": None, "number": None, "judge": None, "best_move_hits": None,
            "lines": [
                {"clause": "1", "code": "win", "category": "main", "points": 2, "reason": "own team won"},
            ],
        },
        {
            "game": second["id"], "external_id": "20/1", "played_on": "2025-03-20", "stage": None, "outcome": "black",
            "seat": 7, "role": "sheriff", "team": "red", "result": "lost", "first_kill": True, "total": Decimal("0.75"),
            "table": 2, "number": 3, "judge": "Anna", "best_move_hits": 2,
            "lines": [
                {
                    "clause": "2", "code": "first_kill_compensation", "category": "main", "points": Decimal("0.5"),
                    "reason": "first kill, red lost",
                },
                {
                    "clause": "3", "code": "best_move", "category": "extra", "points": Decimal("0.25"),
                    "reason": "2 of 3 named are black: 8, 9",
                },
            ],
        },
    ]  # fmt: skip
    assert rows["P7"]["season_lines"] == []
    assert rows["P7"]["sums"] == {"main": Decimal("2.5"), "extra": Decimal("0.25"), "rating": 0}
    assert rows["P1"]["sums"] == {"main": 2, "extra": -1, "rating": 0}


async def test_each_column_shows_its_formula_with_the_numbers_of_the_player(spring: KeptSeason) -> None:
    """P7 won one of two games and has 2 + 0.5 + 0.25 points: 2.75 · 1/2 · 2.75/2 = 1.890625."""
    await spring.kept(FIRST)
    await spring.kept(SECOND)
    explained = (await demand_of_everyone(spring))["P7"]["explained"]
    assert explained["columns"][-1] == {
        "key": "rating", "clause": "6", "formula": "k1 * k2 * points_sign",
        "terms": [
            {"name": "k1", "value": Decimal("1.375")},
            {"name": "k2", "value": Decimal("1.375")},
            {"name": "points_sign", "value": 1},
        ],
        "numbers": "(2.75 * 1 / 2) * (2.75 / 2) * 1",
        "value": Decimal("1.890625"),
    }  # fmt: skip
    assert explained["points"] == [
        {"clause": "1", "category": "main", "lines": 1, "points": 2},
        {"clause": "2", "category": "main", "lines": 1, "points": Decimal("0.5")},
        {"clause": "3", "category": "extra", "lines": 1, "points": Decimal("0.25")},
    ]


async def test_two_lines_of_equal_points_keep_their_own_reasons(spring: KeptSeason) -> None:
    game = deepcopy(SECOND)
    game["seats"][0]["penalties"] = ["broke_red_at_ten", "false_sheriff_check"]
    await spring.kept(game)
    row = await row_of(spring, "P1")
    reasons = [line["reason"] for line in row["games"][0]["lines"]]
    assert len(set(reasons)) == 2
    russian = read(await ask(spring, f"/standings/{row['row']['player']['id']}", accept_language="ru"))
    assert [line["reason"] for line in russian["games"][0]["lines"]] != reasons


async def test_a_season_of_sport_percent_adds_ten_percent_a_game(kept_app: FastAPI, kept_client: AsyncClient) -> None:
    season = make_season(kept_app.state.database, kept_client, system="sport-percent")
    for day in (1, 2, 3):
        await season.kept(RED_WON | {"played_on": f"2025-03-0{day}", "first_kill": KILLED})
    rows = await demand_of_everyone(season)
    for row in rows.values():
        values = row["row"]["values"]
        assert row["season_lines"] == [
            {
                "clause": "season", "code": "games_bonus", "category": "rating", "points": 30,
                "reason": "for each game played: 3 · 10",
            }
        ]  # fmt: skip
        assert rounded(100 * values["points"] / values["games"] + row["sums"]["rating"], 4) == values["rating"]
    # P1 won three times and has 0.3 for each game; of those he named one is black.
    assert rows["P1"]["sums"] == {"main": 3, "extra": Decimal("0.9"), "rating": 30}


def tournament_game(number: int, outcome: str, **more: Any) -> dict[str, Any]:
    game = {"played_on": f"2025-03-{number:02}", "stage": "qualifying", "outcome": outcome, "external_id": f"{number}"}
    return RED_WON | game | more


@pytest.fixture
async def tournament(kept_app: FastAPI, kept_client: AsyncClient) -> KeptSeason:
    """Seven games, of which red won two, the same ten at the table; P1 was shot first once, and red lost."""
    season = make_season(kept_app.state.database, kept_client, system="sport-percent", format="tournament")
    for number in range(1, 8):
        killed = {"first_kill": {"seat": 1}} if number == 3 else {}
        await season.kept(tournament_game(number, "red" if number <= 2 else "black", **killed))
    return season


async def test_in_a_tournament_ci_and_k_are_lines_of_the_season(tournament: KeptSeason) -> None:
    row = (await demand_of_everyone(tournament))["P1"]
    # B = 40 % of 7 = 3, i = 1: Ci = 0.4/3, once. N = 7, n = 2: K = 1 + 1.5/3.5 = 10/7, for two wins 6/7 more.
    ci, difficulty = Decimal("0.133333333333"), Decimal("0.857142857143")
    assert {line["code"]: (line["clause"], line["category"], line["points"]) for line in row["season_lines"]} == {
        "ci_compensation": ("ci", "main", ci),
        "difficulty": ("k", "main", difficulty),
    }
    values = row["row"]["values"]
    assert (values["compensation"], values["difficulty"]) == (Decimal("0.1333"), Decimal("0.8571"))
    # 2 wins + 2/15 + 6/7 + 7 · 0.3 = 5.0904761…
    assert values["points"] == values["rating"] == Decimal("5.0905")
    assert [game["stage"] for game in row["games"]] == ["qualifying"] * 7


async def test_a_row_as_of_a_day_has_the_lines_of_then(tournament: KeptSeason) -> None:
    rows = await demand_of_everyone(tournament, "?as_of=2025-03-03")
    # N = 3, n = 1 for black: K = 1 + 0.5/1.5 = 4/3 on one black win; red won two of three and has none.
    assert [line["code"] for line in rows["P1"]["season_lines"]] == ["ci_compensation"]
    assert [line["points"] for line in rows["P10"]["season_lines"]] == [Decimal("0.333333333333")]
    assert [game["external_id"] for game in rows["P1"]["games"]] == ["1", "2", "3"]


async def test_a_row_at_a_revision_has_the_facts_of_then(spring: KeptSeason) -> None:
    first = await spring.kept(FIRST)
    await spring.correct(first, FIRST | {"external_id": "later", "outcome": "draw"})
    then = (await demand_of_everyone(spring, "?revision=1"))["P1"]["games"][0]
    now = (await demand_of_everyone(spring))["P1"]["games"][0]
    assert (then["external_id"], then["outcome"], then["total"]) == (None, "red", 2)
    assert (now["external_id"], now["outcome"], now["total"], now["lines"]) == ("later", "draw", 0, [])


async def test_voided_games_are_in_no_row(spring: KeptSeason) -> None:
    first, second = await spring.kept(FIRST), await spring.kept(SECOND)
    await spring.ask("judge", "DELETE", f"/{first['id']}")
    row = (await demand_of_everyone(spring))["P7"]
    assert [game["game"] for game in row["games"]] == [second["id"]]


@pytest.fixture
async def city(kept_app: FastAPI, kept_client: AsyncClient) -> KeptSeason:
    """Ten games of city-average that P1 to P4 played, P5 nine of them and P6 one; in one P1 was not registered."""
    season = make_season(kept_app.state.database, kept_client, system="city-average")
    for day in range(1, 12):
        names = ["P1", "P2", "P3", "P4", "P6" if day == 11 else "P5"]
        roles = ("citizen", "citizen", "commissar", "doctor", "mafia")
        seats = [
            {"seat": seat, "player": name, "role": role, "days_lived": days}
            for seat, (name, role, days) in enumerate(zip(names, roles, (day % 3, 2, 1, 1, 3), strict=True), 1)
        ]
        if day == 10:
            seats[0]["registered"] = False
        await season.kept(
            {
                "played_on": f"2025-03-{day:02}", "outcome": "red", "seats": seats,
                "night_actions": [{"night": 1, "seat": 3, "target": 5}, {"night": 2, "seat": 4, "target": 5}],
            }
        )  # fmt: skip
    return season


async def test_under_city_average_participation_is_a_line_and_unregistered_games_are_none(city: KeptSeason) -> None:
    rows = await demand_of_everyone(city, "?include=unpublished", "reader")
    for row in rows.values():
        values = row["row"]["values"]
        sums = sums_of(row)
        average = rounded((sums["main"] + sums["extra"]) / len(row["games"]), 2)
        assert average == values["average"]
        assert average + sums["rating"] == values["rating"]
    # Days lived 1 2 0 1 2 0 1 2 0 (1) 2: eleven points in ten games; the game of the tenth is not his. Of six players
    # three have more games: (6 + 1 - 4)/6.
    assert rows["P1"]["sums"] == {"main": 11, "extra": 0, "rating": Decimal("0.5")}
    assert "2025-03-10" not in [game["played_on"] for game in rows["P1"]["games"]]
    # The commissar found the mafia every night, the doctor healed it.
    assert (rows["P3"]["sums"]["extra"], rows["P4"]["sums"]["extra"]) == (11, -11)


async def test_a_row_that_is_not_published_needs_the_club_to_ask_for_it(city: KeptSeason) -> None:
    hidden = id_of(await table(city, "?include=unpublished", "reader"), "P6")
    assert problem(await ask(city, f"/standings/{hidden}")) == (404, "not-found", None)
    assert problem(await ask(city, f"/standings/{hidden}", "reader")) == (404, "not-found", None)
    assert problem(await ask(city, f"/standings/{hidden}?include=unpublished")) == (401, "unauthorized", None)
    row = read(await ask(city, f"/standings/{hidden}?include=unpublished", "reader"))
    assert (row["row"]["rank"], row["row"]["published"], len(row["games"])) == (None, False, 1)


async def test_who_is_in_no_row_is_not_found(spring: KeptSeason, kept_client: AsyncClient) -> None:
    await spring.kept(FIRST)
    other = make_season(spring.database, kept_client, club="kyiv")
    await other.kept(FIRST)
    stranger = id_of(await table(other), "P1")
    for player in (stranger, "p_0", "P1", "%00", "%D0%AF"):
        assert problem(await ask(spring, f"/standings/{player}")) == (404, "not-found", None), player
