"""A season in one file: out of a service, into another, and there what it was (docs/archive.md)."""

from copy import deepcopy
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import pytest
from fastapi import FastAPI
from httpx import AsyncClient

from app.services.audit import audit
from tests.http.archives import (
    archive_of,
    bring_in,
    database_of,
    moved,
    new_club,
    of_older_service,
    parts_of,
    taken,
    zipped,
)
from tests.http.club import bearer
from tests.http.desk import ask, merge, newcomer, player, table
from tests.http.everything import everything
from tests.http.importing import post
from tests.http.kept_season import KeptSeason, make_season, problem, read
from tests.http.standings.test_lots import BLACKS, draw, ids_of, listed, red_won
from tests.league import FOLDER

pytestmark = pytest.mark.anyio


async def lived(season: KeptSeason, game: dict[str, Any]) -> None:
    """Everything that happens to a season: games are corrected, voided, restored, approved, rejected; players renamed
    and merged; rules changed and changed back; entries made; an earlier closing undone.
    """
    game = {**deepcopy(game), "played_on": "2025-03-14"}
    bonused = deepcopy(game)
    bonused["seats"][0] |= {"bonus": 0.6, "bonus_note": "сильный мирный"}
    first = await season.kept({**game, "external_id": "a", "judge": "Ира"})
    read(await season.correct(first, {**game, "external_id": "a", "outcome": "black"}, query="?reason=misread"))
    gone = await season.kept({**game, "played_on": "2025-03-15"})
    read(await season.ask("judge", "DELETE", f"/{gone['id']}?reason=twice"))
    back = await season.kept({**game, "played_on": "2025-03-16"})
    read(await season.ask("judge", "DELETE", f"/{back['id']}"))
    read(await season.ask("judge", "POST", f"/{back['id']}/restore"))
    for decision in ("approve", "reject"):
        waits = await season.kept({**bonused, "external_id": decision})
        body, match = {"decision": decision, "note": "so be it"}, {"if-match": waits["etag"]}
        read(await season.ask("president", "POST", f"/{waits['id']}/approval", body, match))
    await season.kept({**game, "rated": False, "external_id": "friendly"})
    await season.kept({**game, "cancelled": True, "outcome": None, "external_id": "stopped"})
    twin = await newcomer(season, "P1 old")
    other = deepcopy(game)
    other["seats"][0]["player"] = "P1 old"
    await season.kept({**other, "played_on": "2025-03-17"})
    one = await player(season, "P1")
    read(await merge(season, twin, one))
    two = await player(season, "P2")
    read(await ask(season, "president", "PATCH", f"/players/{two['id']}", {"nickname": "Лис"}))
    read(await ask(season, "judge", "POST", f"/seasons/{season.slug}/entries", {"player": two["id"]}), 201)
    for system in ("sport-percent", "maffamily"):
        read(await ask(season, "president", "PATCH", f"/seasons/{season.slug}", {"rule_system": system}))
    read(await ask(season, "president", "POST", f"/seasons/{season.slug}/close"))
    read(await ask(season, "president", "POST", f"/seasons/{season.slug}/reopen?reason=one%20more"))
    await season.kept({**game, "played_on": "2025-03-18", "external_id": "last"})


async def test_a_season_comes_into_an_empty_service_and_is_what_it_was(
    spring: KeptSeason, game: dict[str, Any], elsewhere: AsyncClient
) -> None:
    await lived(spring, game)
    answer = await taken(spring)
    assert answer.headers["content-type"] == "application/zip"
    assert answer.headers["content-disposition"] == 'attachment; filename="moscow-spring.zip"'
    with ZipFile(BytesIO(answer.content)) as opened:  # no moment in it: the same season gives the same bytes
        assert {part.date_time for part in opened.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    secret = await new_club(elsewhere)
    brought = await bring_in(elsewhere, secret, answer.content)
    made = read(brought, 201)
    assert (made["games"], made["players_created"], made["applied"]) == (9, 11, True)
    assert brought.headers["location"] == "/v1/clubs/moscow/seasons/spring"
    there = KeptSeason(elsewhere, database_of(elsewhere), "moscow", "spring", {"president": secret}, {})
    now = read(await ask(there, "president", "GET", "/seasons/spring"))
    assert made["season"] == now
    assert await everything(there) == await everything(spring)
    assert list(audit(there.database)) == []


async def test_a_season_of_an_sqlite_service_comes_into_any(
    kept_client: AsyncClient, game: dict[str, Any], elsewhere: AsyncClient
) -> None:
    spring = make_season(database_of(elsewhere), elsewhere)
    await lived(spring, game)
    there = await moved(spring, kept_client)
    assert await everything(there) == await everything(spring)
    assert list(audit(there.database)) == []


async def test_what_came_lives_on(spring: KeptSeason, game: dict[str, Any], elsewhere: AsyncClient) -> None:
    await lived(spring, game)
    there = await moved(spring, elsewhere)
    listed = read(await ask(there, "president", "GET", "/seasons/spring/games"))["items"]
    first = next(one for one in listed if one["external_id"] == "a")
    corrected = {**game, "played_on": "2025-03-14", "external_id": "a"}
    before = await table(there)
    read(await there.correct(first, corrected, "president"))
    read(await there.ask("president", "DELETE", f"/{first['id']}"))
    await there.kept({**game, "played_on": "2025-03-20"}, "president")
    three, four = await ask(there, "president", "GET", "/players?nickname=P3"), await newcomer_of(there)
    read(await merge(there, four, read(three)["items"][0]))
    assert (await table(there))["revision"] == before["revision"] + 3
    assert list(audit(there.database)) == []


async def newcomer_of(season: KeptSeason) -> dict[str, Any]:
    return read(await ask(season, "president", "POST", "/players", {"nickname": "Нов", "registered": True}), 201)


async def test_a_closed_season_comes_closed_with_its_frozen_table(
    spring: KeptSeason, game: dict[str, Any], elsewhere: AsyncClient
) -> None:
    """Also when a player was merged after the closing, of which the frozen table does not know."""
    await spring.kept({**game, "played_on": "2025-03-14"})
    twin = await newcomer(spring, "Twin")
    other = deepcopy(game)
    other["seats"][2]["player"] = "Twin"
    await spring.kept({**other, "played_on": "2025-03-15"})
    read(await ask(spring, "president", "POST", "/seasons/spring/close"))
    read(await merge(spring, twin, await player(spring, "P3")))
    there = await moved(spring, elsewhere)
    assert await everything(there) == await everything(spring)
    assert "Twin" in [row["player"]["nickname"] for row in (await table(there))["rows"]]
    assert problem(await there.submit(game, "president"))[2] == "season_closed"
    read(await ask(there, "president", "POST", "/seasons/spring/reopen?reason=look"))
    assert [row["values"]["games"] for row in (await table(there))["rows"] if row["player"]["nickname"] == "P3"] == [2]
    assert list(audit(there.database)) == []


async def test_lots_stay_in_force_and_can_be_drawn_again_from_their_seed(
    kept_app: FastAPI, kept_client: AsyncClient, elsewhere: AsyncClient
) -> None:
    tied = make_season(kept_app.state.database, kept_client, system="sport-percent")
    await tied.kept(red_won("1"))
    lot = read(await draw(tied, group=await ids_of(tied, BLACKS), draw=True), 201)
    there = await moved(tied, elsewhere)
    (came,) = await listed(there, "president")
    assert came == (await listed(tied, "president"))[0]
    assert (came["state"], came["seed"]) == ("in_force", lot["seed"])
    assert list(audit(there.database)) == []


async def test_beside_the_season_it_was_taken_from_a_copy_has_ids_of_its_own(
    spring: KeptSeason, game: dict[str, Any]
) -> None:
    """Another club of the same service: the same figures, other ids."""
    await lived(spring, game)
    secret = await new_club(spring.client, "kyiv")
    made = read(await bring_in(spring.client, secret, await archive_of(spring), "?slug=copy", "kyiv"), 201)
    assert (made["season"]["slug"], made["players_created"]) == ("copy", 11)
    copy = spring._replace(club="kyiv", slug="copy", secrets={"president": secret})
    here, there = await everything(spring), await everything(copy)
    assert len(here) == len(there)
    ids = [{game["id"] for path, answer in told.items() if path == "/games" for game in answer["items"]}
           for told in (here, there)]  # fmt: skip
    assert len(ids[0]) == len(ids[1]) == 9
    assert ids[0].isdisjoint(ids[1])
    assert figures(here) == figures(there)
    assert list(audit(spring.database)) == []


async def test_the_etag_of_a_season_taken_in_is_that_of_the_season(spring: KeptSeason, game: dict[str, Any]) -> None:
    await spring.kept({**game, "played_on": "2025-03-02"})
    secret = await new_club(spring.client, "kyiv")
    made = await bring_in(spring.client, secret, await archive_of(spring), "?slug=copy", "kyiv")
    auth = {"Authorization": f"Bearer {secret}"}
    assert (await spring.client.get(made.headers["location"], headers=auth)).headers["etag"] == made.headers["etag"]
    changing = auth | {"If-Match": made.headers["etag"]}
    assert (
        await spring.client.patch(made.headers["location"], json={"name": "Copy"}, headers=changing)
    ).status_code == 200


def figures(told: dict[str, Any]) -> list[Any]:
    """What the tables of all revisions and days say of each nickname."""
    tables = [answer for path, answer in told.items() if path.startswith("/standings?")]
    return [[(row["rank"], row["player"]["nickname"], row["values"]) for row in table["rows"]] for table in tables]


async def test_a_seed_is_forgotten_where_ids_are_others(kept_app: FastAPI, kept_client: AsyncClient) -> None:
    """The order was drawn from a seed and the players' ids: of other ids it would give another."""
    tied = make_season(kept_app.state.database, kept_client, system="sport-percent")
    await tied.kept(red_won("1"))
    read(await draw(tied, group=await ids_of(tied, BLACKS), draw=True), 201)
    secret = await new_club(kept_client, "kyiv")
    read(await bring_in(kept_client, secret, await archive_of(tied), club="kyiv"), 201)
    copy = tied._replace(club="kyiv", secrets={"president": secret})
    (here,), (there,) = await listed(tied), await listed(copy)
    assert (there["seed"], there["state"]) == (None, "in_force")
    assert [one["nickname"] for one in there["players"]] == [one["nickname"] for one in here["players"]]
    assert [row["player"]["nickname"] for row in (await table(copy))["rows"]] == [
        row["player"]["nickname"] for row in (await table(tied))["rows"]
    ]
    assert list(audit(kept_app.state.database)) == []


async def test_a_cup_finds_its_qualifying_season_where_the_club_has_it(
    spring: KeptSeason, elsewhere: AsyncClient
) -> None:
    body = {"slug": "cup", "name": "Cup", "rule_system": "sport-percent", "format": "tournament"}
    read(await ask(spring, "president", "POST", "/seasons", {**body, "awards_from": "spring"}), 201)
    cup = spring._replace(slug="cup")
    secret = await new_club(elsewhere)
    archive = await archive_of(cup)
    alone = read(await bring_in(elsewhere, secret, archive, "?slug=alone"), 201)
    assert alone["season"]["awards_from"] is None
    read(await bring_in(elsewhere, secret, await archive_of(spring)), 201)
    assert read(await bring_in(elsewhere, secret, archive), 201)["season"]["awards_from"] == "spring"


async def test_players_are_known_by_their_nicknames_old_and_new(
    spring: KeptSeason, game: dict[str, Any], elsewhere: AsyncClient
) -> None:
    """The club knows P3, and as Zoe him who was P4 there once; all others are new, and nobody is two."""
    await spring.kept({**game, "played_on": "2025-03-14"})
    four = await player(spring, "P4")
    read(await ask(spring, "president", "PATCH", f"/players/{four['id']}", {"nickname": "Zoe"}))
    secret = await new_club(elsewhere)
    there = KeptSeason(elsewhere, database_of(elsewhere), "moscow", "spring", dict.fromkeys(ROLES, secret), {})
    three, zoe = await newcomer(there, "p3"), await newcomer(there, "P4")
    made = read(await bring_in(elsewhere, secret, await archive_of(spring)), 201)
    assert made["players_created"] == 8
    rows = {row["player"]["nickname"]: row["player"]["id"] for row in (await table(there))["rows"]}
    assert (rows["p3"], rows["P4"], len(rows)) == (three["id"], zoe["id"], 10)
    assert (await player(there, "Zoe"))["id"] == zoe["id"]
    assert list(audit(there.database)) == []


ROLES = ("president", "judge", "reader")


async def test_seasons_of_one_club_share_players_and_keys(
    spring: KeptSeason, game: dict[str, Any], elsewhere: AsyncClient
) -> None:
    body = {"slug": "summer", "name": "Summer", "rule_system": "maffamily"}
    read(await ask(spring, "president", "POST", "/seasons", body), 201)
    summer = spring._replace(slug="summer")
    for season in (spring, summer):
        await season.kept({**game, "played_on": "2025-05-14"})
    secret = await new_club(elsewhere)
    created = []
    for season in (spring, summer):
        created.append(read(await bring_in(elsewhere, secret, await archive_of(season)), 201)["players_created"])
    assert created == [10, 0]
    there = KeptSeason(elsewhere, database_of(elsewhere), "moscow", "spring", {"president": secret}, {})
    assert await everything(there) == await everything(spring)
    assert await everything(there._replace(slug="summer")) == await everything(summer)


async def test_a_dry_run_tells_what_would_be_and_keeps_nothing(
    spring: KeptSeason, game: dict[str, Any], elsewhere: AsyncClient
) -> None:
    await spring.kept({**game, "played_on": "2025-03-14"})
    archive = await archive_of(spring)
    secret = await new_club(elsewhere)
    told = read(await bring_in(elsewhere, secret, archive, "?dry_run=true"))
    assert (told["games"], told["players_created"], told["applied"]) == (1, 10, False)
    nothing = read(await elsewhere.get("/v1/clubs/moscow/seasons", headers=bearer(secret)))
    assert nothing["items"] == []
    assert read(await elsewhere.get("/v1/clubs/moscow/players", headers=bearer(secret)))["items"] == []
    assert read(await bring_in(elsewhere, secret, archive), 201)["season"] == told["season"]


async def test_an_archive_of_an_older_service_becomes_one_of_today(
    spring: KeptSeason, game: dict[str, Any], elsewhere: AsyncClient
) -> None:
    """Version 0001 had no entries, approvals of rules that were left, withdrawn lots, or ends of a club's day."""
    await spring.kept({**game, "played_on": "2025-03-14"})
    parts = parts_of(of_older_service(await archive_of(spring), "0001"))
    for later in ("former_approvals", "cup_entries", "withdrawn_lots"):
        assert parts.pop(f"{later}.ndjson") == b""
    secret = await new_club(elsewhere)
    read(await bring_in(elsewhere, secret, zipped(parts)), 201)
    there = KeptSeason(elsewhere, database_of(elsewhere), "moscow", "spring", {"president": secret}, {})
    assert await everything(there) == await everything(spring)


async def test_a_club_keeps_its_own_end_of_the_day(
    spring: KeptSeason, game: dict[str, Any], elsewhere: AsyncClient
) -> None:
    await spring.kept({**game, "played_on": "2025-03-14"})
    secret = await new_club(elsewhere)
    read(await elsewhere.patch("/v1/clubs/moscow", json={"day_ends_at": "04:00"}, headers=bearer(secret)))
    read(await bring_in(elsewhere, secret, await archive_of(spring)), 201)
    assert read(await elsewhere.get("/v1/clubs/moscow"))["day_ends_at"] == "04:00"


async def test_no_key_opens_anything_by_having_been_somebodys(
    spring: KeptSeason, game: dict[str, Any], elsewhere: AsyncClient
) -> None:
    await spring.kept({**game, "played_on": "2025-03-14"})
    archive = await archive_of(spring)
    assert not any(secret.encode() in b"".join(parts_of(archive).values()) for secret in spring.secrets.values())
    there = await moved(spring, elsewhere)
    tried = [*spring.secrets.values(), *spring.ids.values(), *(f"{one}_" for one in spring.ids.values())]
    for secret in tried:
        answer = await elsewhere.get("/v1/me", headers=bearer(secret))
        assert answer.status_code == 401, secret
    listed = read(await ask(there, "president", "GET", "/keys"))["items"]
    assert [key["role"] for key in listed] == ["president"]


async def test_a_real_season_comes_with_every_figure(spring: KeptSeason, elsewhere: AsyncClient) -> None:
    read(await ask(spring, "president", "PATCH", "/seasons/spring", {"starts_on": None, "ends_on": None}))
    file = FOLDER / "s05.ndjson"
    assert (await post(spring, file.read_bytes(), "?create_players=true")).status_code == 200
    there = await moved(spring, elsewhere)
    here, came = await table(spring), await table(there)
    assert here["games"] > 100
    assert came == here
    assert list(audit(there.database)) == []
