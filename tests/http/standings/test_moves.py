"""Former places of a table's players, and rows listed by any column (docs/api.md#standings)."""

from copy import deepcopy
from typing import Any

import pytest
from fastapi import FastAPI
from httpx import AsyncClient

from tests.http.conftest import RED_WON
from tests.http.desk import ask as write
from tests.http.kept_season import KeptSeason, make_season, read
from tests.http.tables import FIRST, SECOND, ask, id_of, places, table

pytestmark = pytest.mark.anyio

AFTER_FIRST = {**{f"P{n}": 1 for n in range(1, 8)}, "P8": 8, "P9": 8, "P10": 8}
AFTER_BOTH = {"P7": 1, "P10": 2, **{f"P{n}": 3 for n in (2, 3, 4, 5, 6, 8, 9)}, "P1": 10}
NOBODY = dict.fromkeys(AFTER_FIRST)


@pytest.fixture
async def played(spring: KeptSeason) -> KeptSeason:
    """The season after two games, on 14 and 20 March."""
    await spring.kept(FIRST)
    await spring.kept(SECOND)
    return spring


def former(table: dict[str, Any]) -> dict[str, int | None]:
    return {row["player"]["nickname"]: row["previous_rank"] for row in table["rows"]}


async def test_former_places_are_those_before_the_last_day_or_as_of_a_day(played: KeptSeason) -> None:
    for query, expected in (
        ("", AFTER_FIRST),
        ("?moves_since=2025-03-14", AFTER_FIRST),
        ("?moves_since=2025-03-19", AFTER_FIRST),
        ("?moves_since=2025-03-13", NOBODY),
        ("?moves_since=2025-03-20", AFTER_BOTH),
        ("?as_of=2025-03-19", NOBODY),
        ("?as_of=2025-03-20", AFTER_FIRST),
        ("?as_of=2025-03-14&moves_since=2025-03-20", AFTER_FIRST),
        ("?revision=1", NOBODY),
        ("?revision=2", AFTER_FIRST),
        ("?revision=2&moves_since=2025-03-20", AFTER_BOTH),
    ):
        assert former(await table(played, query)) == expected, query


async def test_the_table_stays_as_it_is_when_former_places_are_worked_out(played: KeptSeason) -> None:
    before = await table(played)
    await table(played, "?moves_since=2025-03-13")
    assert await table(played, "?include=unpublished", role="reader") == before
    assert AFTER_BOTH == {name: rank for rank, name in places(await table(played, "?moves_since=2025-03-14"))}


async def test_a_game_that_moves_to_another_day_moves_the_last_day(played: KeptSeason) -> None:
    third = await played.kept(FIRST | {"played_on": "2025-03-25", "table": 3})
    assert former(await table(played)) == AFTER_BOTH
    read(await played.correct(third, FIRST | {"played_on": "2025-03-02", "table": 3}))
    # Red won twice before black did: the same players share the same places.
    assert former(await table(played)) == AFTER_FIRST


async def test_a_closed_season_and_a_players_row_tell_former_places_too(played: KeptSeason) -> None:
    player = id_of(await table(played), "P10")
    for closed in (False, True):
        if closed:
            read(await write(played, "president", "POST", "/seasons/spring/close?lots=shared"))
        row = read(await ask(played, f"/standings/{player}"))["row"]
        assert (row["rank"], row["previous_rank"]) == (2, 8)
        row = read(await ask(played, f"/standings/{player}?moves_since=2025-03-13"))["row"]
        assert row["previous_rank"] is None
        assert former(await table(played)) == AFTER_FIRST
        assert former(await table(played, "?moves_since=2025-03-20")) == AFTER_BOTH


async def test_former_places_in_a_stage_are_of_its_games_alone(kept_app: FastAPI, kept_client: AsyncClient) -> None:
    cup = make_season(kept_app.state.database, kept_client, system="sport-percent", format="tournament")
    for outcome, stage, day in (("red", "qualifying", 1), ("black", "final", 2), ("red", "final", 3)):
        game = deepcopy(RED_WON) | {"outcome": outcome, "stage": stage, "played_on": f"2025-04-0{day}"}
        await cup.kept(game, "president")
    final = await table(cup, "?stage=final")
    # Before 3 April black alone had won in the final.
    assert {name for name, rank in former(final).items() if rank == 1} <= {"P8", "P9", "P10"}
    assert all(rank is not None and rank > 3 for name, rank in former(final).items() if name in ("P1", "P7"))
    assert former(await table(cup, "?stage=qualifying")) == dict.fromkeys(former(final))


async def test_former_places_under_other_rules_are_places_under_those(played: KeptSeason) -> None:
    other = "rule_system=sport-percent"
    then = {name: rank for rank, name in places(await table(played, f"?{other}&as_of=2025-03-14"))}
    assert {then[f"P{n}"] for n in (8, 9, 10)} == {8}  # red alone had won
    for query in ("", "&moves_since=2025-03-14"):
        assert former(await table(played, f"?{other}{query}")) == then
    assert former(await table(played, f"?{other}&moves_since=2025-03-13")) == dict.fromkeys(then)


async def test_only_tables_of_players_tell_former_places(played: KeptSeason) -> None:
    for path in ("/standings.csv", "/standings.xlsx", "/awards"):
        assert (await ask(played, f"{path}?moves_since=2025-03-14")).status_code == 422


async def test_rows_go_by_any_column_and_places_stay(played: KeptSeason) -> None:
    whole = await table(played)
    assert (whole["order"], whole["sorted_by"]) == ("rating", "rating")
    for query, first, last in (("bonus", "P10", "P1"), ("penalty", "P7", "P1"), ("best_move", "P7", "P1")):
        found = await table(played, f"?order={query}")
        assert (found["order"], found["sorted_by"]) == ("rating", query)
        assert {name: rank for rank, name in places(found)} == AFTER_BOTH
        assert [places(found)[0][1], places(found)[-1][1]] == [first, last]
        assert (found["ties"], found["awards"]) == (whole["ties"], whole["awards"])
        assert former(found) == AFTER_FIRST
    by_points = await table(played, "?order=points")
    assert (by_points["order"], by_points["sorted_by"]) == ("points", "points")
    csv = (await ask(played, "/standings.csv?order=bonus")).text.splitlines()
    assert csv[1].split(",")[2] == "P10"
    assert (await ask(played, "/standings.xlsx?order=bonus")).status_code == 200


async def test_a_frozen_table_goes_by_any_column_too(played: KeptSeason) -> None:
    before = await table(played, "?order=bonus")
    closed = read(await write(played, "president", "POST", "/seasons/spring/close?lots=shared"))
    assert await table(played, "?order=bonus") == {**before, "revision": closed["revision"]}
    refused = await ask(played, "/standings?order=luck")
    assert refused.status_code == 422
