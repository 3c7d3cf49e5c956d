"""The table of one stage of a tournament (docs/api.md#standings)."""

from copy import deepcopy
from typing import Any

import pytest
from fastapi import FastAPI
from httpx import AsyncClient, Response

from tests.http.conftest import RED_WON
from tests.http.desk import ask
from tests.http.kept_season import KeptSeason, make_season, read

pytestmark = pytest.mark.anyio


@pytest.fixture
async def cup(kept_app: FastAPI, kept_client: AsyncClient) -> KeptSeason:
    """Red won the one game of the qualifying stage and one of the final, black the other; P1 won two of three."""
    made = make_season(kept_app.state.database, kept_client, system="sport-percent", format="tournament")
    for outcome, stage, day in (("red", "qualifying", 1), ("red", "final", 2), ("black", "final", 3)):
        game = deepcopy(RED_WON) | {"outcome": outcome, "stage": stage, "played_on": f"2025-04-0{day}"}
        await made.kept(game, "president")
    return made


async def standings(cup: KeptSeason, query: str, role: str = "anonymous") -> Response:
    return await ask(cup, role, "GET", f"/seasons/spring/standings{query}")


def played(table: dict[str, Any], nickname: str = "P1") -> tuple[int, int]:
    (values,) = [row["values"] for row in table["rows"] if row["player"]["nickname"] == nickname]
    return values["games"], values["wins"]


async def test_the_games_of_a_stage_alone_make_its_table(cup: KeptSeason) -> None:
    whole = read(await standings(cup, ""))
    assert (whole["games"], played(whole)) == (3, (3, 2))
    for stage, games, wins in (("qualifying", 1, 1), ("final", 2, 1)):
        table = read(await standings(cup, f"?stage={stage}"))
        assert (table["games"], played(table)) == (games, (games, wins))
        assert (table["revision"], table["awards"]) == (3, [])
    assert (await standings(cup, "?stage=final")).headers["etag"] != (await standings(cup, "")).headers["etag"]


async def test_a_stage_without_games_has_an_empty_table(cup: KeptSeason) -> None:
    table = read(await standings(cup, "?stage=semifinal"))
    assert (table["games"], table["rows"], table["ties"], table["awards"]) == (0, [], [], [])


async def test_lots_do_not_count_for_a_stage(cup: KeptSeason) -> None:
    (tie, *_) = read(await standings(cup, ""))["ties"]
    body = {"group": tie["players"], "drawn": tie["players"]}
    read(await ask(cup, "president", "POST", "/seasons/spring/lots", body), 201)
    table = read(await standings(cup, "?stage=qualifying"))
    assert {tie["lot"] for tie in table["ties"]} == {None}
    assert [row["rank"] for row in table["rows"]].count(2) == 6  # the citizens of one game that red won


async def test_a_stage_at_a_revision_as_of_a_day_and_under_other_rules(cup: KeptSeason) -> None:
    assert read(await standings(cup, "?stage=final&revision=2"))["games"] == 1
    assert read(await standings(cup, "?stage=final&as_of=2025-04-02"))["games"] == 1
    other = read(await standings(cup, "?stage=final&rule_system=maffamily"))
    assert (other["games"], other["what_if"]["games"], played(other), other["awards"]) == (2, 2, (2, 1), [])


async def test_the_table_of_a_stage_stays_when_the_tournament_is_closed(cup: KeptSeason) -> None:
    before = read(await standings(cup, "?stage=final"))
    read(await ask(cup, "president", "POST", "/seasons/spring/close?lots=shared"))
    assert read(await standings(cup, "?stage=final")) == {**before, "revision": 4}


async def test_other_words_are_no_stages(cup: KeptSeason) -> None:
    assert (await standings(cup, "?stage=quarterfinal")).status_code == 422


async def test_a_season_that_is_no_tournament_has_no_stages(spring: KeptSeason) -> None:
    refused = await standings(spring, "?stage=final")
    assert refused.status_code == 422
    assert [(one["code"], one["pointer"]) for one in refused.json()["violations"]] == [("value", "?stage")]
