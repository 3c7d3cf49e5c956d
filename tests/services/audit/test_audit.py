"""The audit names every difference between what is kept and what the facts give."""

import json
from copy import deepcopy
from typing import Any

import pytest
from fastapi import FastAPI
from httpx import AsyncClient
from sqlalchemy import text

from app.repositories import journal
from app.repositories.clubs import merges, players
from app.repositories.games import ledger
from app.repositories.journal import NewChange
from app.repositories.seasons import seasons
from app.services.audit import Difference, audit
from app.services.games.likeness import follow_merge
from tests.http.club import kept_app, kept_client  # noqa: F401  found by name
from tests.http.conftest import RED_WON
from tests.http.games.test_submitting import ON, city_game, register, rename
from tests.http.kept_season import KeptSeason, make_season, read, spring  # noqa: F401  found by name
from tests.http.seasons.test_closing import of_season

pytestmark = pytest.mark.anyio


@pytest.fixture
async def played(spring: KeptSeason) -> dict[str, Any]:  # noqa: F811
    """A season in which everything happened to games; the one that is answered was submitted, corrected and counts."""
    game = {**deepcopy(RED_WON), **ON}
    bonused = deepcopy(game)
    bonused["seats"][0]["bonus"] = 0.6
    voided = await spring.kept(game)
    await spring.ask("judge", "DELETE", f"/{voided['id']}")
    restored = await spring.kept(game)
    await spring.ask("judge", "DELETE", f"/{restored['id']}")
    await spring.ask("judge", "POST", f"/{restored['id']}/restore")
    await spring.kept(bonused)
    await spring.kept(bonused, "president")
    await spring.kept({**game, "rated": False})
    await spring.kept({**game, "cancelled": True, "outcome": None})
    kept = await spring.kept({**game, "outcome": "draw", "external_id": "a"})
    return read(await spring.correct(kept, {**game, "external_id": "a"}))


def found(spring: KeptSeason) -> list[Difference]:  # noqa: F811
    return list(audit(spring.database))


async def test_nothing_differs_in_a_season_that_was_only_used(
    spring: KeptSeason,  # noqa: F811
    played: dict[str, Any],
) -> None:
    assert played["status"] == "counted"
    assert found(spring) == []


async def test_nothing_differs_after_players_were_renamed_and_merged(
    spring: KeptSeason,  # noqa: F811
    played: dict[str, Any],
) -> None:
    assert played["status"] == "counted"
    rename(spring, "P2", "Bob")
    with spring.database.write() as tx:
        season = seasons.find_locked(tx, spring.club, spring.slug)
        assert season
        made = players.add(tx, season.club_id, [players.Newcomer("Zoe", "zoe", True, None)], season.created_at)
        loser = players.named(tx, season.club_id, ["p3"])["p3"]
        revision = seasons.advance(tx, season)
        merges.merge(tx, loser=loser.id, survivor=made["zoe"].id)
        follow_merge(tx, season.club_id, made["zoe"].id)
        merges.follow(tx, season.id, revision)
        journal.add(
            tx,
            NewChange(
                action="player_merged",
                target=loser.public_id,
                at=season.created_at,
                key_id=None,
                role="president",
                season_id=season.id,
                revision=revision,
                detail=json.dumps({"into": made["zoe"].public_id}),
            ),
        )
    assert found(spring) == []


async def test_nothing_differs_where_registration_counts(
    kept_app: FastAPI,  # noqa: F811
    kept_client: AsyncClient,  # noqa: F811
) -> None:
    city = make_season(kept_app.state.database, kept_client, system="city-average")
    register(city, "P3", on=None, registered=False)
    await city.kept(city_game(P4=False))
    register(city, "P3", on=None)
    assert found(city) == []


GAME = "(SELECT id FROM games WHERE public_id = :game)"
SEAT_3 = f"game_id = {GAME} AND seat = 3"
ENTRY_3 = f"{SEAT_3} AND revision = 11 AND sign = 1"
CURRENT = f"game_id = {GAME} AND version = 2"


@pytest.mark.parametrize(
    "by_hand, of_the_game, seat, what, expected_and_found",
    [
        (f"UPDATE ledger SET points = 3000000 WHERE {ENTRY_3}", True, 3, "points entered under revision 11",
         (2_000_000, 3_000_000)),
        (f"UPDATE ledger SET lines = '[]' WHERE {ENTRY_3}", True, 3,
         "lines entered under revision 11", ((ledger.Line("1", "win", "main", 2_000_000),), ())),
        (f"UPDATE ledger SET role = 'sheriff' WHERE {ENTRY_3}", True, 3,
         "role entered under revision 11", ("citizen", "sheriff")),
        (f"DELETE FROM ledger WHERE {ENTRY_3}", True, 3, "rows entered under revision 11", (1, 0)),
        (f"UPDATE seats SET player_id = (SELECT player_id FROM seats WHERE game_id = {GAME} AND seat = 4) "
         f"WHERE {SEAT_3}", True, 3, "player and registration in the seats", None),
        (f"UPDATE seats SET registered = NOT registered WHERE {SEAT_3}", True, 3,
         "player and registration in the seats", None),
        (f"UPDATE game_versions SET totals = '[[1,2000000]]' WHERE {CURRENT}", True, 3, "total", (2_000_000, None)),
        (f"UPDATE game_versions SET facts = replace(facts, '\"red\"', '\"black\"') WHERE {CURRENT}", True, 3, "total",
         (0, 2_000_000)),
        (f"UPDATE game_versions SET facts = replace(facts, '\"don\"', '\"mafia\"') WHERE {CURRENT}", True, None,
         "what the rules forbid", ("nothing", ["role_count", "role_count"])),
        (f"UPDATE game_versions SET facts = 'nonsense' WHERE {CURRENT}", True, None, "what is written of it",
         ("readable", "MalformedJSON")),
        (f"UPDATE game_versions SET seated = '[]' WHERE {CURRENT}", True, 3, "player and registration in the version",
         None),
        (f"UPDATE game_versions SET fingerprint = 'a 2025-03-14 ' WHERE {CURRENT}", True, None, "fingerprint", None),
        (f"UPDATE game_versions SET revision = 1 WHERE {CURRENT}", True, None, "revisions of the versions", None),
        (f"UPDATE game_versions SET status = 'pending' WHERE {CURRENT}", True, None, "status of the current version",
         ("counted", "pending")),
        (f"DELETE FROM game_versions WHERE game_id = {GAME} AND version = 1", True, None, "versions", ("1 to 2", [2])),
        (f"DELETE FROM game_versions WHERE {CURRENT}", True, None, "versions", ("1 to 2", [1])),
        (f"UPDATE games SET status = 'voided' WHERE id = {GAME}", True, None, "status", ("counted", "voided")),
        (f"UPDATE games SET status = 'pending' WHERE id = {GAME}", True, None, "status", ("counted", "pending")),
        (f"UPDATE games SET external_id = 'b' WHERE id = {GAME}", True, None, "external id", ("a", "b")),
        (f"UPDATE games SET played_on = '2025-03-15' WHERE id = {GAME}", True, None, "day", None),
        (f"UPDATE games SET stage = 'final' WHERE id = {GAME}", True, None, "stage", (None, "final")),
        (f"UPDATE games SET entered = 10 WHERE id = {GAME}", True, None, "revision of its entry", (11, 10)),
        (f"UPDATE games SET entered = NULL WHERE id = {GAME}", True, None, "revision of its entry", (11, None)),
        ("DELETE FROM approvals WHERE state = 'approved'", False, None, "approvals", None),
        ("UPDATE approvals SET state = 'approved'", False, None, "status", ("counted", "pending")),
        ("UPDATE approvals SET points = 1", False, None, "approvals", None),
        ("UPDATE seasons SET revision = 12", False, None, "what was done under revision 12", ("a change", "none")),
        ("UPDATE seasons SET revision = 10", False, None, "what was done under revision 11", ("none", "a change")),
        ("DELETE FROM changes WHERE revision = 5", False, None, "what was done under revision 5", ("a change", "none")),
        ("UPDATE season_rules SET rule_system = 'sport-percent'", False, None, "rules",
         (("sport-percent", 1), ("maffamily", 1))),
        ("UPDATE ledger SET game_id = 999999 WHERE revision = 11 AND sign = 1", False, None,
         "entries of game number 999999, which the season has not", (0, 10)),
    ],
)  # fmt: skip
@pytest.mark.unsound
async def test_a_row_changed_by_hand_is_named(
    spring: KeptSeason,  # noqa: F811
    played: dict[str, Any],
    by_hand: str,
    of_the_game: bool,
    seat: int | None,
    what: str,
    expected_and_found: tuple[object, object] | None,
) -> None:
    assert played["revision"] == 11
    with spring.database.write() as tx:
        touched = tx.execute(text(by_hand), {"game": played["id"]} if ":game" in by_hand else {}).rowcount
    assert touched
    named = [one for one in found(spring) if (one.seat, one.what) == (seat, what)]
    assert named, "\n".join(map(str, found(spring)))
    for one in named:
        assert (one.club, one.season) == ("moscow", "spring")
        if of_the_game:
            assert one.game == played["id"]
        if expected_and_found is not None:
            assert (one.expected, one.found) == expected_and_found
        assert what in str(one)


@pytest.mark.unsound
async def test_sums_that_are_kept_for_cold_starts_are_audited(
    spring: KeptSeason,  # noqa: F811
    played: dict[str, Any],
) -> None:
    with spring.database.write() as tx:
        season = seasons.find_locked(tx, spring.club, spring.slug)
        assert season
        ledger.store_sums(tx, season.id, season.revision)
    assert found(spring) == []
    with spring.database.write() as tx:
        tx.execute(text("UPDATE kept_sums SET sums = replace(sums, '2000000', '3000000')"))
    assert {one.what.partition(" count ")[0] for one in found(spring)} == {"times that the kept sums"}
    assert played["status"] == "counted"


async def test_a_season_closed_before_its_players_were_merged_is_as_it_was(
    spring: KeptSeason,  # noqa: F811
    played: dict[str, Any],
) -> None:
    (waiting,) = read(await spring.ask("judge", "GET", "?status=pending"))["items"]
    await spring.ask("judge", "DELETE", f"/{waiting['id']}")
    read(await of_season(spring, "president", "POST", "/close"))
    with spring.database.write() as tx:
        season = seasons.find_locked(tx, spring.club, spring.slug)
        assert season
        made = players.add(tx, season.club_id, [players.Newcomer("Zoe", "zoe", True, None)], season.created_at)
        loser = players.named(tx, season.club_id, ["p3"])["p3"]
        merges.merge(tx, loser=loser.id, survivor=made["zoe"].id)
        follow_merge(tx, season.club_id, made["zoe"].id)
    assert found(spring) == []
    assert played["status"] == "counted"


@pytest.mark.unsound
@pytest.mark.parametrize(
    "by_hand, what",
    [
        ("action = 'registered'", "facts, version 2"),
        ("action = 'registered', facts = (SELECT facts FROM game_versions WHERE version = 1)", "facts, version 2"),
        ("action = 'restored'", "facts, version 2"),
    ],
)
async def test_a_registration_changes_who_is_registered_and_nothing_else(
    kept_app: FastAPI,  # noqa: F811
    kept_client: AsyncClient,  # noqa: F811
    by_hand: str,
    what: str,
) -> None:
    city = make_season(kept_app.state.database, kept_client, system="city-average")
    kept = await city.kept(city_game())
    kept = read(await city.correct(kept, city_game() | {"table": 2}))
    read(await city.correct(kept, city_game() | {"table": 3}))
    assert found(city) == []
    with city.database.write() as tx:
        tx.execute(text(f"UPDATE game_versions SET {by_hand} WHERE version = 2"))
    assert what in [one.what for one in found(city)]
