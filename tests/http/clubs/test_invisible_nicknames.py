"""Nicknames that only invisible characters tell apart: one person to this service, two to older ones."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from httpx import AsyncClient

from app.repositories import schema
from app.scoring import nickname
from app.services.audit import audit
from tests.http.archives import archive_of, bring_in, database_of, new_club, parts_of, zipped
from tests.http.conftest import RED_WON
from tests.http.desk import ask, merge, newcomer
from tests.http.games.test_submitting import ON
from tests.http.kept_season import KeptSeason, faults, read

pytestmark = pytest.mark.anyio

SPACE, HYPHEN, JOINER = "\u200b", "\u00ad", "\u2060"
BOB, ZOE, OTHER_ZOE, SECOND = f"Bo{HYPHEN}b", f"Zo{SPACE}e", f"Z{JOINER}oe", f"P1{SPACE}"


@contextmanager
def older_service() -> Iterator[None]:
    """Nicknames are kept and compared with all their characters, as before version 0004 of the schema."""
    with pytest.MonkeyPatch.context() as before:
        before.setattr(nickname, "without_invisible", lambda text: text)
        for remembered in (nickname._visible, nickname.folded):
            remembered.cache_clear()
        yield
    for remembered in (nickname._visible, nickname.folded):
        remembered.cache_clear()


def played(*players: str, outcome: str = "red", **facts: Any) -> dict[str, Any]:
    """Who is not named is P5 and so on; seats 1 to 7 are red."""
    names = [*players, *(f"P{n}" for n in range(len(players) + 1, 11))]
    seats = [{**seat, "player": name} for seat, name in zip(RED_WON["seats"], names, strict=True)]
    return {"outcome": outcome, "seats": seats, **ON, **facts}


@pytest.fixture
async def older(spring: KeptSeason) -> KeptSeason:
    """Two P1 at one table with Bob and the first Zoe, then the second P1 with the second Zoe; all as told apart."""
    with older_service():
        games = (
            played("P1", SECOND, BOB, ZOE, number=1),
            played(SECOND, OTHER_ZOE, "P3", "P4", number=2),
        )
        for game in games:
            read(await spring.ask("judge", "POST", "?create_players=true", game), 201)
    return spring


def migrated(season: KeptSeason) -> KeptSeason:
    schema.migrate(season.database, "0003")
    schema.bring_up_to_date(season.database)
    return season


async def ids(season: KeptSeason) -> dict[str, str]:
    listed = read(await ask(season, "judge", "GET", "/players?limit=200"))["items"]
    return {player["nickname"]: player["id"] for player in listed}


async def table(season: KeptSeason) -> dict[str, Any]:
    found = read(await ask(season, "judge", "GET", f"/seasons/{season.slug}/standings?include=unpublished"))
    return {
        row["player"]["id"]: (row["rank"], row["values"]["games"], row["values"]["points"]) for row in found["rows"]
    }


@pytest.mark.parametrize("closed", [False, True])
async def test_a_season_of_an_older_service_stays_as_it_was(older: KeptSeason, *, closed: bool) -> None:
    with older_service():
        before, then = await ids(older), await table(older)
        if closed:
            read(await ask(older, "president", "POST", f"/seasons/{older.slug}/close"))
        assert list(audit(older.database)) == []
    migrated(older)
    assert await table(older) == then
    assert then[before["P1"]][1:] == (1, 2)
    assert then[before[SECOND]][1:] == (2, 4)
    assert list(audit(older.database)) == []


async def test_nicknames_are_folded_anew_unless_two_players_would_become_one(older: KeptSeason) -> None:
    with older_service():
        before = await ids(older)
    after = await ids(migrated(older))
    assert after == {("Bob" if name == BOB else name): player for name, player in before.items()}
    for written, meant in (("Bob", BOB), (BOB, BOB), ("p1", "P1"), (SECOND, "P1"), ("ZOE", ZOE), (OTHER_ZOE, ZOE)):
        found = read(await ask(older, "judge", "GET", f"/players?nickname={written}"))["items"]
        assert [player["id"] for player in found] == [before[meant]], ascii(written)


async def test_those_who_would_become_one_are_likely_duplicates(older: KeptSeason) -> None:
    """P1 and his double sat at one table: they cannot be merged, and one of them should be renamed."""
    items = read(await ask(migrated(older), "judge", "GET", "/players/duplicates"))["items"]
    invisible = [item["reason"] for item in items if item["reason"]["code"] == "invisible"]
    assert items[: len(invisible)] == [item for item in items if item["reason"]["code"] == "invisible"]
    assert sorted(sorted(reason["nicknames"]) for reason in invisible) == sorted(
        [["P1", SECOND], sorted([ZOE, OTHER_ZOE])]
    )
    assert invisible[0]["message"].endswith("differ only by invisible characters.")


async def test_those_who_never_met_are_merged_and_the_others_renamed(older: KeptSeason) -> None:
    who = await ids(migrated(older))
    read(await merge(older, {"id": who[OTHER_ZOE]}, {"id": who[ZOE]}))
    read(await ask(older, "president", "PATCH", f"/players/{who[SECOND]}", {"nickname": "Second"}))
    listed = read(await ask(older, "judge", "GET", "/players/duplicates"))["items"]
    assert [item["reason"]["nicknames"] for item in listed if item["reason"]["code"] == "invisible"] == [["P1", SECOND]]
    assert (await table(older))[who[ZOE]][1:] == (2, 4)
    assert list(audit(older.database)) == []
    read(await older.submit(played("Second", "Zoe", "Bob", number=3)), 201)
    assert (await table(older))[who[SECOND]][1] == 3
    assert list(audit(older.database)) == []


async def test_the_same_game_again_is_the_stored_one(older: KeptSeason) -> None:
    with older_service():
        kept = await older.kept(played(BOB, number=4, external_id="four"))
    migrated(older)
    again = read(await older.submit(played("Bob", number=4, external_id="four")))
    assert (again["id"], again["version"]) == (kept["id"], 1)


@pytest.mark.parametrize("of_today", [False, True])
async def test_an_archive_arrives_with_everybody(older: KeptSeason, elsewhere: AsyncClient, *, of_today: bool) -> None:
    if of_today:
        migrated(older)
        archive, then = await archive_of(older), await table(older)
    else:
        with older_service():
            archive, then = of_version_0003(await archive_of(older)), await table(older)
            schema.migrate(older.database, "0003")
        schema.bring_up_to_date(older.database)
    secret = await new_club(elsewhere)
    read(await bring_in(elsewhere, secret, archive), 201)
    there = KeptSeason(
        elsewhere, database_of(elsewhere), "moscow", "spring", {"president": secret, "judge": secret}, {}
    )
    assert sorted((await table(there)).values(), key=str) == sorted(then.values(), key=str)
    assert await ids(there) == {name: player for name, player in (await ids(older)).items() if player in then}
    assert list(audit(there.database)) == []


def of_version_0003(archive: bytes) -> bytes:
    """The archive as a service of that version wrote it, which had no withdrawn lots."""
    parts = parts_of(archive)
    assert parts.pop("withdrawn_lots.ndjson") == b""
    manifest = json.loads(parts["mafrate.json"]) | {"schema_version": "0003"}
    manifest["rows"].pop("withdrawn_lots", None)
    return zipped(parts | {"mafrate.json": json.dumps(manifest).encode()})


async def test_an_invisible_character_makes_nobody_new(spring: KeptSeason) -> None:
    anna = await newcomer(spring, f"An{SPACE}na")
    assert anna["nickname"] == "Anna"
    taken = await ask(spring, "judge", "POST", "/players", {"nickname": f"{HYPHEN}ANNA"})
    assert (taken.status_code, taken.json()["code"]) == (409, "nickname_taken")
    kept = read(await spring.ask("judge", "POST", "?create_players=true", played(f"A{JOINER}nna", f"Bo{SPACE}b")), 201)
    assert [seat["player"] for seat in kept["game"]["seats"]][:2] == ["Anna", "Bob"]
    assert kept["game"]["seats"][0]["player_id"] == anna["id"]
    twice = await spring.submit(played("Anna", f"Anna{SPACE}"))
    assert faults(twice) == [("player_duplicate", "/seats/1/player")]


@pytest.mark.parametrize("name", [SPACE, f" {SPACE} ", "\u2800", "\u3164", "\u0301"])
async def test_a_nickname_shows_something(spring: KeptSeason, name: str) -> None:
    for language, message in (("en", "expected a visible character"), ("ru", "нужен хотя бы один видимый символ")):
        answer = await ask(spring, "judge", "POST", "/players", {"nickname": name}, accept_language=language)
        assert answer.status_code == 422
        assert [(one["code"], one["pointer"], one["message"]) for one in answer.json()["violations"]] == [
            ("value", "/nickname", message)
        ]


async def test_migrating_down_and_up_again_changes_nothing_more(older: KeptSeason) -> None:
    once = await ids(migrated(older))
    assert await ids(migrated(older)) == once
