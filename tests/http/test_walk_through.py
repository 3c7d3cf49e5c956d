"""A club's spring from the first game to the closed table, by four keys: every step, every refusal, the history."""

from copy import deepcopy
from decimal import Decimal
from typing import Any

import pytest

from tests.http.desk import ask, merge, newcomer, player, row_of, table
from tests.http.kept_season import KeptSeason, problem, read

pytestmark = pytest.mark.anyio


async def decide(spring: KeptSeason, role: str, kept: dict[str, Any], decision: str, note: str | None = None) -> Any:
    body = {"decision": decision, "note": note}
    return await spring.ask(role, "POST", f"/{kept['id']}/approval", body, {"if-match": kept["etag"]})


async def season(spring: KeptSeason, role: str, action: str, body: object = None) -> Any:
    return await ask(spring, role, "POST", f"/seasons/{spring.slug}/{action}", body)


async def test_a_season_from_the_first_game_to_the_closed_table(spring: KeptSeason, game: dict[str, Any]) -> None:
    # A judge submits; a reader and a stranger may not.
    game |= {"played_on": "2025-03-14", "external_id": "first"}
    assert problem(await spring.submit(game, "reader"))[:2] == (403, "forbidden")
    assert problem(await spring.submit(game, "anonymous"))[:2] == (401, "unauthorized")
    first = await spring.kept(game)
    assert first["status"] == "counted"

    # A bonus of 0.6 waits for the president; nobody else may decide it, and nobody decides what he did not see.
    second = deepcopy(game) | {"external_id": "second"}
    second["seats"][0]["bonus"] = 0.6
    waiting = await spring.kept(second)
    assert waiting["status"] == "pending"
    assert [(one["clause"], one["seat"], one["by"]) for one in waiting["breakdown"]["approvals"]] == [
        ("4", 1, "president")
    ]
    queue = read(await ask(spring, "president", "GET", f"/seasons/{spring.slug}/approvals"))["items"]
    assert [item["game"]["id"] for item in queue] == [waiting["id"]]
    assert problem(await decide(spring, "judge", waiting, "approve"))[:2] == (403, "forbidden")
    assert (await decide(spring, "chief_judge", waiting, "approve")).status_code in (403, 409)
    assert (
        problem(await spring.ask("president", "POST", f"/{waiting['id']}/approval", {"decision": "approve"}))[0] == 428
    )
    assert problem(await season(spring, "president", "close"))[2] == "games_pending"

    # The president rejects it; the game stays out until it is corrected, and the judge who submitted it corrects it.
    rejected = read(await decide(spring, "president", waiting, "reject", "0.5 is enough"))
    assert rejected["status"] == "rejected"
    assert problem(await decide(spring, "president", waiting, "approve"))[0] == 412
    assert (await table(spring))["games"] == 1
    second["seats"][0]["bonus"] = 0.5
    assert problem(await spring.correct(waiting, second))[0] == 412
    corrected = read(await spring.correct(rejected, second, query="?reason=as%20told"))
    assert corrected["status"] == "counted"

    # A third one is approved as it is.
    third = deepcopy(game) | {"external_id": "third"}
    third["seats"][1]["bonus"] = 0.7
    approved = read(await decide(spring, "president", await spring.kept(third), "approve", "a rare game"))
    assert approved["status"] == "counted"
    assert problem(await decide(spring, "president", approved, "approve"))[2] == "not_pending"

    # P1: three wins and 0.5; P2: three wins and 0.7; red's others three wins.
    now = await table(spring)
    ranks = {row["player"]["nickname"]: (row["rank"], row["values"]["points"]) for row in now["rows"]}
    assert ranks["P2"] == (1, Decimal("6.7"))
    assert ranks["P1"] == (2, Decimal("6.5"))
    assert ranks["P7"] == (3, 6)

    # A game is voided and comes back; the table follows.
    voided = read(await spring.ask("chief_judge", "DELETE", f"/{approved['id']}?reason=a%20doubt"))
    assert voided["status"] == "voided"
    assert (await table(spring))["games"] == 2
    restored = read(await spring.ask("chief_judge", "POST", f"/{approved['id']}/restore"))
    assert restored["status"] == "counted"
    assert (await table(spring))["rows"] == now["rows"]

    # P3 also played as "Р3", in Cyrillic, by mistake: merged, and his games with him.
    twin = await newcomer(spring, "Р3")
    fourth = deepcopy(game) | {"external_id": "fourth"}
    fourth["seats"][2]["player"] = "Р3"
    await spring.kept(fourth)
    p3 = await player(spring, "P3")
    assert problem(await ask(spring, "judge", "POST", f"/players/{twin['id']}/merge", {"into": p3["id"]}))[:2] == (
        403,
        "forbidden",
    )
    read(await merge(spring, twin, p3))
    merged = await table(spring)
    assert row_of(merged, twin) is None
    assert (row_of(merged, p3) or {})["values"]["games"] == 4
    assert (await spring.submit(fourth)).status_code == 200  # sent again, it finds the survivor

    # Maffamily draws no lots.
    group = {"group": [p3["id"], (await player(spring, "P4"))["id"]], "draw": True}
    assert problem(await season(spring, "president", "lots", group))[2] == "not_a_tie"

    # Only the president closes; a closed season takes nothing and never changes.
    assert problem(await season(spring, "chief_judge", "close"))[:2] == (403, "forbidden")
    read(await season(spring, "president", "close"))
    closed = await table(spring)
    assert problem(await spring.submit(game | {"external_id": "late"}))[2] == "season_closed"
    assert problem(await spring.ask("president", "DELETE", f"/{first['id']}"))[2] == "season_closed"
    awards = read(await ask(spring, "anonymous", "GET", f"/seasons/{spring.slug}/awards"))
    assert awards["provisional"] is False
    given = {award["code"]: [one["nickname"] for one in award["players"]] for award in awards["awards"]}
    assert given["free_entry"] == ["P2"]
    assert given["best_player"] == ["P2"]
    assert await table(spring) == closed

    # It is reopened with a reason, and takes games again.
    assert (await season(spring, "president", "reopen")).status_code == 422
    read(await season(spring, "president", "reopen?reason=a%20game%20was%20forgotten"))
    await spring.kept(game | {"external_id": "late"})
    assert (await table(spring))["games"] == 5

    # The history of the second game tells it all to the club, and roles only to the public.
    told = (await spring.get(waiting["id"], "president", "/history"))["items"]
    assert [(step["action"], step["status"], step["who"]["role"]) for step in told] == [
        ("submitted", "pending", "judge"),
        ("rejected", "rejected", "president"),
        ("corrected", "counted", "judge"),
    ]
    assert told[2]["reason"] == "as told"
    public = (await spring.get(waiting["id"], "anonymous", "/history"))["items"]
    assert [(step["who"]["role"], step["who"]["key"]) for step in public] == [
        ("judge", None),
        ("president", None),
        ("judge", None),
    ]
    assert {step.get("reason") for step in public} == {None}
