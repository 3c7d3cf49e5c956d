"""Lots over HTTP: drawn at the table or here, in force or void (docs/api.md#standings; sport-percent, ties)."""

from copy import deepcopy
from hashlib import sha256
from typing import Any

import anyio
import pytest
from fastapi import FastAPI
from httpx import AsyncClient, Response
from sqlalchemy import text

from app.repositories.seasons import seasons
from app.services.audit import audit
from tests.http.conftest import RED_WON
from tests.http.desk import ask, merge, newcomer, player, table
from tests.http.kept_season import KeptSeason, make_season, problem, read

pytestmark = pytest.mark.anyio

CITIZENS = [f"P{seat}" for seat in range(1, 7)]
BLACKS = ["P8", "P9", "P10"]


def red_won(external_id: str, **other: str) -> dict[str, Any]:
    """Red won and nothing else happened: P1 to P6 are equal, behind the sheriff P7, and so are P8 to P10."""
    game = deepcopy(RED_WON) | {"external_id": external_id, "played_on": "2025-03-14"}
    for seat in game["seats"]:
        seat["player"] = other.get(seat["player"], seat["player"])
    return game


async def ids_of(season: KeptSeason, nicknames: list[str]) -> list[str]:
    return [(await player(season, nickname))["id"] for nickname in nicknames]


async def draw(season: KeptSeason, role: str = "chief_judge", **body: object) -> Response:
    return await ask(season, role, "POST", "/seasons/spring/lots", body)


async def listed(season: KeptSeason, role: str = "anonymous", query: str = "") -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = read(await ask(season, role, "GET", f"/seasons/spring/lots{query}"))["items"]
    return items


async def states(season: KeptSeason) -> list[str]:
    return [lot["state"] for lot in await listed(season)]


def places(table: dict[str, Any], nicknames: list[str]) -> list[int]:
    ranks = {row["player"]["nickname"]: row["rank"] for row in table["rows"]}
    return [ranks[nickname] for nickname in nicknames]


def ties(table: dict[str, Any]) -> list[tuple[int, int, str | None]]:
    """Place, size and lot of each tie."""
    return [(tie["rank"], len(tie["players"]), tie["lot"]) for tie in table["ties"]]


@pytest.fixture
async def tied(kept_app: FastAPI, kept_client: AsyncClient) -> KeptSeason:
    """A season of one game under sport-percent."""
    season = make_season(kept_app.state.database, kept_client, system="sport-percent")
    await season.kept(red_won("1"))
    return season


async def test_a_lot_drawn_at_the_table_splits_the_place(tied: KeptSeason) -> None:
    before = await table(tied)
    assert ties(before) == [(2, 6, "needed"), (8, 3, "needed")]
    group = await ids_of(tied, BLACKS)
    order = [group[1], group[2], group[0]]
    answer = await draw(tied, group=group, drawn=order)
    lot = read(answer, 201)
    assert lot == {
        "id": lot["id"],
        "withdrawal": None,
        "group": sorted(group),
        "drawn": order,
        "seed": None,
        "state": "in_force",
        "players": [{"id": number, "nickname": name} for number, name in zip(order, ["P9", "P10", "P8"], strict=True)],
        "revision": before["revision"] + 1,
        "at": lot["at"],
        "who": {"role": "chief_judge", "key": {"id": tied.ids["chief_judge"], "name": "a chief_judge"}},
    }
    assert answer.headers["location"] == "/v1/clubs/moscow/seasons/spring/lots"
    after = await table(tied)
    assert after["revision"] == before["revision"] + 1
    assert ties(after) == [(2, 6, "needed"), (8, 3, "drawn")]
    assert places(after, ["P7", *CITIZENS]) == [1, 2, 2, 2, 2, 2, 2]
    assert places(after, ["P9", "P10", "P8"]) == [8, 9, 10]
    assert await table(tied, f"?revision={before['revision']}") == before


async def test_a_lot_drawn_here_can_be_drawn_again_from_its_seed(tied: KeptSeason) -> None:
    group = await ids_of(tied, CITIZENS)
    lot = read(await draw(tied, "president", group=group, draw=True), 201)
    assert len(lot["seed"]) == 32
    assert lot["drawn"] == sorted(group, key=lambda one: sha256(f"{lot['seed']}:{one}".encode()).hexdigest())
    after = await table(tied)
    assert places(after, [one["nickname"] for one in lot["players"]]) == [2, 3, 4, 5, 6, 7]
    assert [tie["players"] for tie in after["ties"] if tie["lot"] == "drawn"] == [lot["drawn"]]


async def test_seeds_differ_from_draw_to_draw(tied: KeptSeason) -> None:
    first = read(await draw(tied, group=await ids_of(tied, CITIZENS), draw=True), 201)
    second = read(await draw(tied, group=await ids_of(tied, BLACKS), draw=True), 201)
    assert first["seed"] != second["seed"]
    assert await states(tied) == ["in_force", "in_force"]


async def test_lots_are_listed_with_who_drew_them_for_the_club_and_in_which_role_for_others(tied: KeptSeason) -> None:
    made = read(await draw(tied, group=await ids_of(tied, BLACKS), draw=True), 201)
    assert await listed(tied, "reader") == [made]
    made["who"]["key"] = None
    assert await listed(tied) == [made]


async def test_lots_are_drawn_once_for_a_group(tied: KeptSeason) -> None:
    group = await ids_of(tied, BLACKS)
    made = read(await draw(tied, group=group, draw=True), 201)
    before = await table(tied)
    for body in ({"drawn": group}, {"draw": True}):
        refused = await draw(tied, group=group, **body)
        assert problem(refused) == (409, "conflict", "lot_exists")
        assert refused.json()["existing"] == {name: made[name] for name in ("id", "drawn", "seed", "revision")}
    assert await table(tied) == before
    assert await listed(tied, "chief_judge") == [made]


@pytest.mark.parametrize(
    "nicknames",
    [["P8", "P9"], ["P8", "P9", "P10", "P7"], ["P1", "P8"], ["P7", "P1"], ["P8", "P9", "P10", *CITIZENS]],
)
async def test_no_lot_is_drawn_for_what_is_not_exactly_a_tie(tied: KeptSeason, nicknames: list[str]) -> None:
    group = await ids_of(tied, nicknames)
    before = await table(tied)
    for body in ({"drawn": group}, {"draw": True}):
        refused = await draw(tied, group=group, **body)
        assert problem(refused) == (409, "conflict", "not_a_tie")
        found = [(tie["rank"], len(tie["players"]), tie["lot"]) for tie in refused.json()["ties"]]
        assert found == [(2, 6, "needed"), (8, 3, "needed")]
    assert await table(tied) == before
    assert await listed(tied) == []


async def test_an_id_of_nobody_is_in_no_tie(tied: KeptSeason) -> None:
    group = [*await ids_of(tied, BLACKS), "p_" + "0" * 18]
    assert problem(await draw(tied, group=group, draw=True)) == (409, "conflict", "not_a_tie")


@pytest.mark.parametrize("system", ["maffamily", "city-average"])
async def test_a_regulation_without_lots_draws_none(kept_app: FastAPI, kept_client: AsyncClient, system: str) -> None:
    season = make_season(kept_app.state.database, kept_client, system=system)
    game = red_won("1")
    if system == "city-average":
        game["seats"] = [seat | {"days_lived": 2} for seat in game["seats"]]
        game["seats"][6]["role"] = "citizen"
    await season.kept(game)
    refused = await draw(season, group=await ids_of(season, CITIZENS), draw=True)
    assert problem(refused) == (409, "conflict", "not_a_tie")
    assert refused.json()["ties"] == []


class TestVoid:
    """A lot holds while its group is exactly a tie, and only then."""

    async def test_it_is_void_when_the_group_changes_and_holds_when_it_is_back(self, tied: KeptSeason) -> None:
        group = await ids_of(tied, BLACKS)
        lot = read(await draw(tied, group=group, draw=True), 201)
        game = await tied.kept(red_won("2", P8="P1", P1="P8"))  # P8 wins once as a citizen, P1 loses once as mafia.
        changed = await table(tied)
        assert ties(changed) == [(2, 5, "needed"), (7, 2, "needed"), (9, 2, "needed")]
        assert [kept["state"] for kept in await listed(tied)] == ["void"]
        read(await tied.ask("judge", "DELETE", f"/{game['id']}"))
        assert ties(await table(tied)) == [(2, 6, "needed"), (8, 3, "drawn")]
        assert places(await table(tied), [one["nickname"] for one in lot["players"]]) == [8, 9, 10]
        assert await states(tied) == ["in_force"]
        assert problem(await draw(tied, group=group, draw=True)) == (409, "conflict", "lot_exists")

    async def test_a_new_group_has_a_lot_of_its_own(self, tied: KeptSeason) -> None:
        read(await draw(tied, group=await ids_of(tied, BLACKS), draw=True), 201)
        await tied.kept(red_won("2", P8="P1", P1="P8"))
        rest = read(await draw(tied, group=await ids_of(tied, ["P9", "P10"]), draw=True), 201)
        assert await states(tied) == ["void", "in_force"]
        assert places(await table(tied), [one["nickname"] for one in rest["players"]]) == [9, 10]

    async def test_a_table_of_the_past_knows_the_lots_of_then(self, tied: KeptSeason) -> None:
        read(await draw(tied, group=await ids_of(tied, BLACKS), draw=True), 201)
        before = await table(tied)
        await tied.kept(red_won("2", P8="P1", P1="P8"))
        assert await table(tied, f"?revision={before['revision']}") == before

    @pytest.mark.unsound
    async def test_it_is_void_under_rules_that_draw_no_lots(self, tied: KeptSeason) -> None:
        read(await draw(tied, group=await ids_of(tied, BLACKS), draw=True), 201)
        with tied.database.write() as tx:
            season = seasons.find_locked(tx, tied.club, tied.slug)
            assert season
            revision = seasons.advance(tx, season)
            seasons.follow(tx, season.id, revision=revision, rule_system="maffamily", rule_version=1)
        assert await states(tied) == ["void"]


class TestMerging:
    """Who is merged is the same person: his lot holds for the survivor, and nobody draws again by merging."""

    async def test_a_lot_holds_for_the_survivor(self, tied: KeptSeason) -> None:
        loser, survivor = await player(tied, "P8"), await newcomer(tied, "Zed")
        group = await ids_of(tied, BLACKS)
        order = [group[1], group[0], group[2]]
        made = read(await draw(tied, group=group, drawn=order), 201)
        before = await table(tied)
        read(await merge(tied, loser, survivor))
        after = await table(tied)
        assert ties(after) == [(2, 6, "needed"), (8, 3, "drawn")]
        assert places(after, ["P9", "Zed", "P10"]) == [8, 9, 10]
        moved = made | {"players": [made["players"][0], {"id": survivor["id"], "nickname": "Zed"}, made["players"][2]]}
        assert await listed(tied, "chief_judge") == [moved]
        assert await table(tied, f"?revision={before['revision']}") == before
        for ids in (group, await ids_of(tied, ["Zed", "P9", "P10"])):  # the old id means the survivor
            refused = await draw(tied, group=ids, draw=True)
            assert problem(refused) == (409, "conflict", "lot_exists")
            assert refused.json()["existing"] == {name: made[name] for name in ("id", "drawn", "seed", "revision")}
        assert list(audit(tied.database)) == []

    async def test_a_lot_holds_through_two_merges(self, tied: KeptSeason) -> None:
        read(await draw(tied, group=await ids_of(tied, BLACKS), draw=True), 201)
        first, second = await newcomer(tied, "Zed"), await newcomer(tied, "Zoe")
        read(await merge(tied, await player(tied, "P8"), first))
        read(await merge(tied, first, second))
        assert ties(await table(tied)) == [(2, 6, "needed"), (8, 3, "drawn")]
        assert await states(tied) == ["in_force"]

    async def test_a_group_that_two_of_are_one_person_has_no_lot(self, tied: KeptSeason) -> None:
        await newcomer(tied, "P8b")
        await tied.kept(red_won("2", P8="P8b"))
        group = await ids_of(tied, ["P8", "P8b"])
        read(await draw(tied, group=group, draw=True), 201)
        read(await merge(tied, await player(tied, "P8b"), await player(tied, "P8")))
        assert await states(tied) == ["void"]
        assert problem(await draw(tied, group=group, draw=True)) == (409, "conflict", "not_a_tie")

    async def test_merged_players_are_meant_by_their_old_ids(self, tied: KeptSeason) -> None:
        group = await ids_of(tied, BLACKS)
        survivor = await newcomer(tied, "Zed")
        read(await merge(tied, await player(tied, "P8"), survivor))
        lot = read(await draw(tied, group=group, drawn=group), 201)
        assert lot["drawn"] == [survivor["id"], *group[1:]]
        assert lot["group"] == sorted(lot["drawn"])


class TestClosed:
    """A closed season keeps its lots, and what is merged meanwhile follows when it is reopened."""

    async def test_no_lot_is_drawn_in_it(self, tied: KeptSeason) -> None:
        read(await ask(tied, "president", "POST", "/seasons/spring/close?lots=shared"))
        refused = await draw(tied, group=await ids_of(tied, BLACKS), draw=True)
        assert problem(refused) == (409, "conflict", "season_closed")

    async def test_a_lot_holds_through_closing_merging_and_reopening(self, tied: KeptSeason) -> None:
        lot = read(await draw(tied, group=await ids_of(tied, BLACKS), draw=True), 201)
        read(await ask(tied, "president", "POST", "/seasons/spring/close?lots=shared"))
        frozen = await table(tied)
        read(await merge(tied, await player(tied, "P8"), await newcomer(tied, "Zed")))
        assert await table(tied) == frozen
        assert await states(tied) == ["in_force"]
        read(await ask(tied, "president", "POST", "/seasons/spring/reopen?reason=a%20mistake"))
        reopened = await table(tied)
        assert ties(reopened) == [(2, 6, "needed"), (8, 3, "drawn")]
        names = ["Zed" if one["nickname"] == "P8" else one["nickname"] for one in lot["players"]]
        assert places(reopened, names) == [8, 9, 10]
        assert await states(tied) == ["in_force"]
        assert list(audit(tied.database)) == []


class TestRequest:
    """What is refused, repeated and hidden."""

    A = "p_" + "a" * 18
    B = "p_" + "b" * 18

    @pytest.mark.parametrize(
        "body, fault",
        [
            ({}, ("missing", "/group")),
            ({"group": [A, B]}, ("value", "/drawn")),
            ({"group": [A, B], "draw": False}, ("value", "/drawn")),
            ({"group": [A, B], "drawn": [A, B], "draw": True}, ("value", "/drawn")),
            ({"group": [A], "draw": True}, ("too_short", "/group")),
            ({"group": [A, A], "draw": True}, ("value", "")),
            ({"group": [A, B], "drawn": [A, A]}, ("value", "")),
            ({"group": [A, B], "drawn": [A, B, B]}, ("value", "")),
            ({"group": [A, B], "drawn": []}, ("too_short", "/drawn")),
            ({"group": f"{A},{B}", "draw": True}, ("type", "/group")),
            ({"group": [A, 7], "draw": True}, ("type", "/group/1")),
            ({"group": [A, "x" * 65], "draw": True}, ("too_long", "/group/1")),
            ({"group": [A, B], "draw": "yes"}, ("type", "/draw")),
            ({"group": [A, B], "draw": True, "seed": "mine"}, ("unknown_field", "/seed")),
        ],
    )
    async def test_what_is_wrong_with_it_is_named(
        self, tied: KeptSeason, body: dict[str, Any], fault: tuple[str, str]
    ) -> None:
        refused = await draw(tied, **body)
        assert [(found["code"], found["pointer"]) for found in refused.json()["violations"]] == [fault]

    @pytest.mark.parametrize("role", ["anonymous", "reader", "judge"])
    async def test_only_the_chief_judge_and_the_president_draw(self, tied: KeptSeason, role: str) -> None:
        refused = await draw(tied, role, group=await ids_of(tied, BLACKS), draw=True)
        assert refused.status_code == (401 if role == "anonymous" else 403)
        assert await listed(tied) == []

    async def test_a_repeated_request_draws_once(self, tied: KeptSeason) -> None:
        body = {"group": await ids_of(tied, BLACKS), "draw": True}
        path = "/seasons/spring/lots"
        first = await ask(tied, "president", "POST", path, body, idempotency_key="lot")
        again = await ask(tied, "president", "POST", path, body, idempotency_key="lot")
        assert (first.status_code, again.status_code) == (201, 201)
        assert again.headers["idempotency-replayed"] == "true"
        assert again.content == first.content
        assert len(await listed(tied)) == 1

    async def test_of_many_draws_at_once_one_counts(self, tied: KeptSeason) -> None:
        group = await ids_of(tied, BLACKS)
        answers: list[Response] = []

        async def one_draw(role: str) -> None:
            answers.append(await draw(tied, role, group=group, draw=True))

        async with anyio.create_task_group() as tasks:
            for role in ("chief_judge", "president") * 3:
                tasks.start_soon(one_draw, role)
        assert sorted(answer.status_code for answer in answers) == [201, 409, 409, 409, 409, 409]
        (made,) = [answer.json() for answer in answers if answer.status_code == 201]
        assert [lot["drawn"] for lot in await listed(tied)] == [made["drawn"]]

    async def test_pages_hold_every_lot_once(self, tied: KeptSeason) -> None:
        first = read(await draw(tied, group=await ids_of(tied, BLACKS), draw=True), 201)
        read(await merge(tied, await player(tied, "P8"), await newcomer(tied, "Zed")))
        second = read(await draw(tied, group=await ids_of(tied, CITIZENS), draw=True), 201)
        page = read(await ask(tied, "reader", "GET", "/seasons/spring/lots?limit=1"))
        assert [lot["drawn"] for lot in page["items"]] == [first["drawn"]]
        rest = read(await ask(tied, "reader", "GET", f"/seasons/spring/lots?limit=1&cursor={page['next_cursor']}"))
        assert [lot["drawn"] for lot in rest["items"]] == [second["drawn"]]
        assert rest["next_cursor"] is None

    async def test_an_unchanged_list_is_not_sent_again(self, tied: KeptSeason) -> None:
        answer = await ask(tied, "reader", "GET", "/seasons/spring/lots")
        headers = {"if_none_match": answer.headers["etag"]}
        assert (await ask(tied, "reader", "GET", "/seasons/spring/lots", **headers)).status_code == 304
        read(await draw(tied, group=await ids_of(tied, BLACKS), draw=True), 201)
        assert (await ask(tied, "reader", "GET", "/seasons/spring/lots", **headers)).status_code == 200

    async def test_a_draw_is_among_the_seasons_changes(self, tied: KeptSeason, kept_app: FastAPI) -> None:
        lot = read(await draw(tied, group=await ids_of(tied, BLACKS), draw=True), 201)
        with kept_app.state.database.read() as tx:
            query = text("SELECT target, revision, role, detail FROM changes WHERE action = 'lot_drawn'")
            (row,) = [tuple(row) for row in tx.execute(query)]
        assert row[:3] == ("spring", lot["revision"], "chief_judge")
        assert lot["seed"] in row[3]

    async def test_of_a_season_that_is_not_public_strangers_learn_nothing(
        self, kept_app: FastAPI, kept_client: AsyncClient
    ) -> None:
        season = make_season(kept_app.state.database, kept_client, system="sport-percent", public=False)
        assert (await ask(season, "anonymous", "GET", "/seasons/spring/lots")).status_code == 404
        assert read(await ask(season, "reader", "GET", "/seasons/spring/lots"))["items"] == []
