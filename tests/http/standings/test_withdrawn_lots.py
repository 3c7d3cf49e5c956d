"""Lots that are withdrawn: a slip at the table is mended, and stays on record (docs/lots.md)."""

from typing import Any

import pytest
from fastapi import FastAPI
from httpx import AsyncClient, Response
from sqlalchemy import text

from app.repositories.seasons import seasons
from app.services.audit.whole import audit_season
from tests.http.archives import archive_of, bring_in, database_of, edited, moved, new_club
from tests.http.desk import ask, merge, newcomer, player, table
from tests.http.everything import everything
from tests.http.kept_season import KeptSeason, make_season, problem, read
from tests.http.standings.test_lots import BLACKS, CITIZENS, draw, ids_of, listed, places, red_won, ties

pytestmark = pytest.mark.anyio

REASON = "?reason=read%20out%20wrongly"


@pytest.fixture
async def tied(kept_app: FastAPI, kept_client: AsyncClient) -> KeptSeason:
    """A season of one game under sport-percent."""
    season = make_season(kept_app.state.database, kept_client, system="sport-percent")
    await season.kept(red_won("1"))
    return season


async def withdraw(
    season: KeptSeason, lot: str, role: str = "president", query: str = REASON, **headers: str
) -> Response:
    return await ask(season, role, "POST", f"/seasons/spring/lots/{lot}/withdraw{query}", **headers)


async def drawn(season: KeptSeason) -> tuple[list[str], dict[str, Any]]:
    """The ids of the three blacks, and their lot as it was drawn at the table."""
    group = await ids_of(season, BLACKS)
    return group, read(await draw(season, group=group, drawn=[group[1], group[2], group[0]]), 201)


async def test_a_slip_is_mended_and_stays_on_record(tied: KeptSeason) -> None:
    group, slip = await drawn(tied)
    before = await table(tied)
    answer = read(await withdraw(tied, slip["id"]))
    who = {"role": "president", "key": {"id": tied.ids["president"], "name": "president"}}
    assert answer == {
        **slip,
        "state": "withdrawn",
        "withdrawal": {
            "revision": before["revision"] + 1,
            "at": answer["withdrawal"]["at"],
            "reason": "read out wrongly",
            "who": who,
        },
    }
    between = await table(tied)
    assert ties(between) == [(2, 6, "needed"), (8, 3, "needed")]
    assert await table(tied, f"?revision={before['revision']}") == before
    mended = read(await draw(tied, group=group, drawn=group), 201)
    assert mended["id"] != slip["id"]
    assert places(await table(tied), BLACKS) == [8, 9, 10]
    assert await table(tied, f"?revision={between['revision']}") == between
    assert [(lot["id"], lot["state"], lot["drawn"]) for lot in await listed(tied)] == [
        (slip["id"], "withdrawn", slip["drawn"]),
        (mended["id"], "in_force", group),
    ]


async def test_strangers_see_neither_the_reason_nor_the_key(tied: KeptSeason) -> None:
    _, slip = await drawn(tied)
    read(await withdraw(tied, slip["id"]))
    ((stranger,), (reader,)) = [await listed(tied, role) for role in ("anonymous", "reader")]
    assert stranger["withdrawal"] == {
        **reader["withdrawal"],
        "reason": None,
        "who": {"role": "president", "key": None},
    }
    changes = read(await ask(tied, "reader", "GET", "/seasons/spring/changes"))["items"]
    assert (changes[0]["action"], changes[0]["reason"]) == ("lot_withdrawn", "read out wrongly")
    assert changes[0]["detail"] == {"lot": slip["id"], "drawn": slip["drawn"]}


async def test_the_next_lot_of_the_group_is_not_drawn_here(tied: KeptSeason) -> None:
    group, slip = await drawn(tied)
    read(await withdraw(tied, slip["id"]))
    assert problem(await draw(tied, group=group, draw=True)) == (409, "conflict", "draw_at_table")
    read(await draw(tied, group=await ids_of(tied, CITIZENS), draw=True), 201)
    # Nor when one of the group has another name now: they are the same people.
    zoe = await newcomer(tied, "Zoe")
    read(await merge(tied, await player(tied, "P9"), zoe))
    group = [zoe["id"], group[0], group[2]]
    assert problem(await draw(tied, group=group, draw=True)) == (409, "conflict", "draw_at_table")
    read(await draw(tied, group=group, drawn=group), 201)


async def test_what_cannot_be_withdrawn(tied: KeptSeason) -> None:
    group, slip = await drawn(tied)
    here = read(await draw(tied, group=await ids_of(tied, CITIZENS), draw=True), 201)
    assert problem(await withdraw(tied, here["id"])) == (409, "conflict", "drawn_here")
    assert problem(await withdraw(tied, "l_99"))[:2] == (404, "not-found")
    assert (await withdraw(tied, slip["id"], query="")).status_code == 422
    assert problem(await withdraw(tied, slip["id"], "chief_judge"))[:2] == (403, "forbidden")
    read(await withdraw(tied, slip["id"]))
    assert problem(await withdraw(tied, slip["id"])) == (409, "conflict", "lot_withdrawn")
    last = read(await draw(tied, group=group, drawn=group), 201)
    read(await ask(tied, "president", "POST", "/seasons/spring/close?lots=shared"))
    assert problem(await withdraw(tied, last["id"])) == (409, "conflict", "season_closed")


async def test_a_withdrawal_that_is_repeated_is_answered_once(tied: KeptSeason) -> None:
    _, slip = await drawn(tied)
    first = await withdraw(tied, slip["id"], idempotency_key="w")
    again = await withdraw(tied, slip["id"], idempotency_key="w")
    assert (again.status_code, again.content) == (200, first.content)
    assert again.headers["idempotency-replayed"] == "true"


async def test_a_lot_goes_with_all_that_merges_made_of_it(tied: KeptSeason) -> None:
    """And a merge after that makes nothing more of it."""
    _, slip = await drawn(tied)
    read(await merge(tied, await player(tied, "P9"), await newcomer(tied, "Zoe")))
    assert ties(await table(tied)) == [(2, 6, "needed"), (8, 3, "drawn")]
    read(await withdraw(tied, slip["id"]))
    read(await merge(tied, await player(tied, "P10"), await newcomer(tied, "Ada")))
    assert ties(await table(tied)) == [(2, 6, "needed"), (8, 3, "needed")]
    assert [(lot["id"], lot["state"]) for lot in await listed(tied)] == [(slip["id"], "withdrawn")]


async def test_an_archive_has_lots_that_were_withdrawn(tied: KeptSeason, elsewhere: AsyncClient) -> None:
    group, slip = await drawn(tied)
    read(await withdraw(tied, slip["id"]))
    read(await draw(tied, group=group, drawn=group), 201)
    there = await moved(tied, elsewhere)
    assert await everything(there) == await everything(tied)
    with there.database.read() as tx:
        season = seasons.find(tx, there.club, there.slug)
        assert season
        assert list(audit_season(tx, season)) == []


async def test_a_lot_that_was_drawn_in_another_service_is_not_withdrawn_here(
    tied: KeptSeason, elsewhere: AsyncClient
) -> None:
    """Even where its seed was dropped, because a player has another id here."""
    lot = read(await draw(tied, group=await ids_of(tied, CITIZENS), draw=True), 201)
    secret = await new_club(elsewhere)
    there = KeptSeason(elsewhere, database_of(elsewhere), "moscow", "spring", {"president": secret}, {})
    read(await ask(there, "president", "POST", "/players", {"nickname": "P1"}), 201)
    read(await bring_in(elsewhere, secret, await archive_of(tied)), 201)
    assert [one["seed"] for one in await listed(there)] == [None]
    assert problem(await withdraw(there, lot["id"])) == (409, "conflict", "drawn_here")


@pytest.mark.parametrize(
    "change",
    [
        {"withdrawn_in": 2},
        {"withdrawn_in": 1},
        {"drawn": '["p_000000000000000000"]'},
        {"tied": "[]"},
        {"revision": 1},
        {"reason": "x" * 501},
        {"withdrawn_role": "nobody"},
    ],
)
async def test_a_withdrawn_lot_of_an_archive_must_be_what_was_written_down(
    tied: KeptSeason, elsewhere: AsyncClient, change: dict[str, Any]
) -> None:
    _, slip = await drawn(tied)
    read(await withdraw(tied, slip["id"]))
    answer = await bring_in(
        elsewhere, await new_club(elsewhere), edited(await archive_of(tied), "withdrawn_lots", 1, **change)
    )
    assert answer.status_code == 422


@pytest.mark.unsound
@pytest.mark.parametrize(
    "forged",
    [
        "DELETE FROM withdrawn_lots",
        "UPDATE withdrawn_lots SET withdrawn_in = withdrawn_in + 1",
        "UPDATE withdrawn_lots SET drawn = '[]'",
        "UPDATE withdrawn_lots SET tied = '[]'",
        "DELETE FROM changes WHERE action = 'lot_withdrawn'",
        "INSERT INTO lots (season_id, tied, drawn, revision, key_id, role, at) "
        "SELECT season_id, tied, drawn, revision, key_id, role, at FROM withdrawn_lots",
    ],
)
async def test_the_audit_finds_a_withdrawal_that_was_forged(tied: KeptSeason, forged: str) -> None:
    _, slip = await drawn(tied)
    read(await withdraw(tied, slip["id"]))
    with tied.database.write() as tx:
        tx.execute(text(forged))
    with tied.database.read() as tx:
        season = seasons.find(tx, tied.club, tied.slug)
        assert season
        assert list(audit_season(tx, season)) != []
