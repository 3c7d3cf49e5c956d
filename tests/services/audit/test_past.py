"""The audit names what is forged in a season's past, which only tables of earlier revisions show."""

from collections.abc import Awaitable
from typing import Any, TypeAlias

import pytest
from httpx import Response
from sqlalchemy import text

from app.repositories.games import ledger
from app.repositories.seasons import seasons
from app.services.audit import audit, audit_season
from tests.http.club import kept_app, kept_client  # noqa: F401  found by name
from tests.http.desk import ask, merge, newcomer, player
from tests.http.kept_season import KeptSeason, read, spring  # noqa: F401  found by name
from tests.services.audit.forging import copied, forged, past  # noqa: F401  found by name

pytestmark = pytest.mark.anyio

Case: TypeAlias = tuple[list[str], str | None, int | None, str, tuple[object, object] | None]
"""What is done by hand, and what is to be found then: game, seat, what, and what is expected and found."""

A = "game_id = (SELECT id FROM games WHERE external_id = 'a')"
B = "game_id = (SELECT id FROM games WHERE external_id = 'b')"
C = "game_id = (SELECT id FROM games WHERE external_id = 'c')"
D = "game_id = (SELECT id FROM games WHERE external_id = 'd')"
FIRST = f"{A} AND revision = 1"
THIRD_SEAT = f"{FIRST} AND seat = 3"
REVERSED = f"{A} AND revision = 2 AND sign = -1"

CASES: list[Case] = [
    # Each field of a row that was taken out long ago.
    ([f"UPDATE ledger SET points = points + 1 WHERE {THIRD_SEAT}"], "a", 3, "points entered under revision 1",
     (2_000_000, 2_000_001)),
    ([f"UPDATE ledger SET lines = '[]' WHERE {THIRD_SEAT}"], "a", 3, "lines entered under revision 1",
     ((ledger.Line("1", "win", "main", 2_000_000),), ())),
    ([f"UPDATE ledger SET lines = '{{' WHERE {THIRD_SEAT}"], "a", 3, "lines entered under revision 1",
     ((ledger.Line("1", "win", "main", 2_000_000),), "{")),
    ([f"UPDATE ledger SET player_id = (SELECT min(id) FROM players) WHERE {THIRD_SEAT}"], "a", 3,
     "player_id entered under revision 1", None),
    ([f"UPDATE ledger SET role = 'don' WHERE {THIRD_SEAT}"], "a", 3, "role entered under revision 1",
     ("citizen", "don")),
    ([f"UPDATE ledger SET team = 'black' WHERE {THIRD_SEAT}"], "a", 3, "team entered under revision 1",
     ("red", "black")),
    ([f"UPDATE ledger SET result = 'lost' WHERE {THIRD_SEAT}"], "a", 3, "result entered under revision 1",
     ("won", "lost")),
    ([f"UPDATE ledger SET outcome = 'draw' WHERE {THIRD_SEAT}"], "a", 3, "outcome entered under revision 1",
     ("red", "draw")),
    ([f"UPDATE ledger SET stage = 'final' WHERE {THIRD_SEAT}"], "a", 3, "stage entered under revision 1",
     (None, "final")),
    ([f"UPDATE ledger SET first_kill = NOT first_kill WHERE {THIRD_SEAT}"], "a", 3,
     "first_kill entered under revision 1", (False, True)),
    ([f"UPDATE ledger SET registered = NOT registered WHERE {THIRD_SEAT}"], "a", 3,
     "registered entered under revision 1", (True, False)),
    ([f"UPDATE ledger SET opens = NOT opens WHERE {THIRD_SEAT}"], "a", 3, "opens entered under revision 1",
     (False, True)),
    ([f"UPDATE ledger SET played_on = '2025-03-15' WHERE {THIRD_SEAT}"], "a", 3,
     "played_on entered under revision 1", None),
    ([f"UPDATE ledger SET points = points + 1 WHERE {REVERSED} AND seat = 3"], "a", 3,
     "points taken out under revision 2", (2_000_000, 2_000_001)),
    # Rows that are missing, twice there, or there at another time.
    ([f"DELETE FROM ledger WHERE {THIRD_SEAT}", f"DELETE FROM ledger WHERE {REVERSED} AND seat = 3"], "a", 3,
     "rows entered under revision 1", (1, 0)),
    ([f"DELETE FROM ledger WHERE {THIRD_SEAT}", f"DELETE FROM ledger WHERE {REVERSED} AND seat = 3"], "a", 3,
     "rows taken out under revision 2", (1, 0)),
    ([f"DELETE FROM ledger WHERE {FIRST}", f"DELETE FROM ledger WHERE {REVERSED}"], "a", None,
     "rows entered under revision 1", (10, 0)),
    ([f"UPDATE ledger SET revision = 3 WHERE {A} AND revision = 4"], "a", None, "rows entered under revision 3",
     (0, 10)),
    ([copied(FIRST, 5)], "a", None, "rows entered under revision 5", (0, 10)),
    ([copied(REVERSED, 5)], "a", None, "rows taken out under revision 5", (0, 10)),
    ([copied(f"{THIRD_SEAT} AND sign = 1", 5), copied(f"{THIRD_SEAT} AND sign = 1", 6, "-1")], "a", None,
     "rows entered under revision 5", (0, 1)),
    ([copied(f"{B} AND revision = 6", 5), copied(f"{B} AND revision = 6 AND sign = 1", 6, "-1")], "b", None,
     "rows entered under revision 5", (0, 10)),
    ([copied(f"{B} AND revision = 6 AND sign = 1", 20)], "b", None, "rows entered under revision 20", (0, 10)),
    # What merges made of entries.
    ([f"UPDATE ledger SET player_id = (SELECT player_id FROM ledger WHERE {A} AND revision = 1 AND seat = 1) "
      f"WHERE {A} AND revision = 7 AND seat = 1 AND sign = 1"], "a", 1, "player_id entered under revision 7", None),
    ([f"DELETE FROM ledger WHERE {A} AND revision = 7"], "a", None, "rows entered under revision 7", (10, 0)),
    ([f"DELETE FROM ledger WHERE {A} AND revision = 7"], "a", None, "rows taken out under revision 7", (10, 0)),
    ([copied(f"{B} AND revision = 6", 7), copied(f"{B} AND revision = 6 AND sign = 1", 7, "-1"),
      f"UPDATE ledger SET player_id = (SELECT id FROM players WHERE nickname = 'Zoe') "
      f"WHERE {B} AND revision = 7 AND sign = 1 AND seat = 3"], "b", 3, "player_id entered under revision 7", None),
    # Past versions, and their status, which says what is in tables.
    ([f"UPDATE game_versions SET facts = 'nonsense' WHERE {FIRST}"], "a", None, "what is written of it, version 1",
     ("readable", "MalformedJSON")),
    ([f"UPDATE game_versions SET facts = replace(facts, '\"don\"', '\"mafia\"') WHERE {FIRST}"], "a", None,
     "what the rules forbid, version 1", ("nothing", ["role_count", "role_count"])),
    ([f"UPDATE game_versions SET facts = replace(facts, '\"seats\"', '\"judge\"\\:null,\"seats\"') WHERE {FIRST}"],
     "a", None, "facts, version 1", ("in canonical form", "in another")),
    ([f"UPDATE game_versions SET facts = replace(facts, '\"red\"', '\"draw\"') WHERE {FIRST}"], "a", None,
     "fingerprint, version 1", None),
    ([f"UPDATE game_versions SET facts = replace(facts, '\"red\"', '\"draw\"') WHERE {FIRST}"], "a", 3,
     "result entered under revision 1", ("draw", "won")),
    ([f"UPDATE game_versions SET facts = replace(facts, '0.6', '0.55') WHERE {B} AND version = 1"], "b", None,
     "facts, version 2", ("those of version 1", "others")),
    ([f"UPDATE game_versions SET seated = '[]' WHERE {FIRST}"], "a", 3,
     "player and registration in the version, version 1", None),
    ([f"UPDATE game_versions SET seated = 'nonsense' WHERE {FIRST}"], "a", None,
     "what is written of it, version 1", ("readable", "JSONDecodeError")),
    ([f"UPDATE game_versions SET seated = replace(seated, '[10,', '[9,') WHERE {FIRST}"], "a", None,
     "who sits where, version 1", ("each seat once, in order", [1, 2, 3, 4, 5, 6, 7, 8, 9, 9])),
    ([f"UPDATE game_versions SET totals = '[[1,2000000]]' WHERE {FIRST}"], "a", 3, "total, version 1",
     (2_000_000, None)),
    ([f"UPDATE game_versions SET totals = replace(totals, '[10,', '[9,0],[10,') WHERE {FIRST}"], "a", None,
     "totals, version 1", None),
    ([f"UPDATE game_versions SET totals = '{{}}' WHERE {FIRST}"], "a", 3, "total, version 1", (2_000_000, None)),
    ([f"UPDATE game_versions SET fingerprint = 'a 2025-03-14 ' WHERE {FIRST}"], "a", None,
     "fingerprint, version 1", None),
    ([f"UPDATE game_versions SET fingerprint = fingerprint || '3' WHERE {FIRST}"], "a", None,
     "unregistered in the fingerprint, version 1", ("some of []", "3")),
    ([f"UPDATE game_versions SET status = 'fine' WHERE {FIRST}"], "a", None, "status of the version, version 1",
     ("counted", "fine")),
    ([f"UPDATE game_versions SET status = 'counted' WHERE {A} AND version = 3"], "a", None,
     "status of the version, version 3", ("voided", "counted")),
    ([f"UPDATE game_versions SET status = 'counted' WHERE {A} AND version = 3"], "a", None,
     "rows entered under revision 3", (10, 0)),
    ([f"UPDATE game_versions SET status = 'counted' WHERE {B} AND version = 1"], "b", None,
     "what was written down of it, version 1", None),
    ([f"UPDATE game_versions SET status = 'counted' WHERE {B} AND version = 1"], "b", None,
     "rows entered under revision 5", (10, 0)),
    ([f"UPDATE game_versions SET action = 'corrected' WHERE {FIRST}"], "a", None, "what was done, version 1",
     (["submitted"], "corrected")),
    ([f"UPDATE game_versions SET action = 'approved' WHERE {A} AND version = 2"], "a", None,
     "what was done, version 2", (["corrected", "registered", "rescored", "voided"], "approved")),
    ([f"UPDATE game_versions SET rule_system = 'sport-percent' WHERE {FIRST}"], "a", None, "rules, version 1",
     (("maffamily", 1), ("sport-percent", 1))),
    ([f"UPDATE game_versions SET rule_version = 99 WHERE {FIRST}"], "a", None, "what is written of it, version 1",
     ("readable", "UnknownRuleSystem")),
    (["UPDATE games SET created_at = created_at + 1 WHERE external_id = 'a'"], "a", None,
     "who submitted it, and when", None),
    # Rules, approvals and what was written down.
    (["UPDATE season_rules SET revision = 9 WHERE revision = 8"], "a", None, "rules",
     (("maffamily", 1), ("sport-percent", 1))),
    (["UPDATE season_rules SET revision = 99 WHERE revision = 8"], None, None, "rules from revision 99",
     ("written down", ("sport-percent", 1))),
    (["UPDATE season_rules SET rule_version = 99 WHERE revision = 0"], None, None, "rules from revision 0", None),
    (["DELETE FROM season_rules WHERE revision = 0"], None, None, "rules from the start", None),
    (["UPDATE approvals SET state = 'granted'"], "d", 1, "what became of the approval by clause bonus", None),
    (["UPDATE approvals SET state = 'approved'"], "d", 1, "what became of the approval by clause bonus", None),
    (["UPDATE approvals SET decided_role = 'reader'"], "d", 1, "what became of the approval by clause bonus", None),
    (["UPDATE changes SET detail = '{' WHERE revision = 2"], None, None,
     "detail of game_corrected under revision 2", ("readable", "MalformedJSON")),
    (["UPDATE changes SET detail = '[]' WHERE revision = 12"], None, None,
     "detail of games_imported under revision 12", ("an object", [])),
    (["DELETE FROM changes WHERE revision IN (4, 5, 6)"], None, None, "what was done under revision 4 to 6",
     ("a change", "none")),
    (["DELETE FROM changes WHERE revision IN (12, 13)"], None, None, "what was done under revision 12 to 13",
     ("a change", "none")),
    (["UPDATE seasons SET revision = 9000000000000000000"], None, None,
     "what was done under revision 14 to 9000000000000000000", ("a change", "none")),
    (["UPDATE changes SET detail = replace(detail, '\"counted\"', '\"pending\"') WHERE revision = 1"], "a", None,
     "what was written down of it, version 1", None),
]  # fmt: skip


async def test_a_past_of_all_kinds_is_sound(past: KeptSeason) -> None:  # noqa: F811
    assert list(audit(past.database)) == []
    with forged(past) as (tx, season):
        assert season.revision == 13
        assert list(audit_season(tx, season)) == []


async def test_what_is_forged_in_the_past_is_named(past: KeptSeason) -> None:  # noqa: F811
    with past.database.read() as tx:
        ids = {row.public_id: row.external_id for row in tx.execute(text("SELECT public_id, external_id FROM games"))}
    missed: list[Any] = []
    for statements, game, seat, what, expected_and_found in CASES:
        with forged(past, *statements) as (tx, season):
            found = list(audit_season(tx, season))
        named = [one for one in found if (ids.get(one.game or ""), one.seat, one.what) == (game, seat, what)]
        assert {(one.club, one.season) for one in found} <= {("moscow", "spring")}
        told = [(repr(one.expected), repr(one.found)) for one in named]
        if not named or (expected_and_found is not None and tuple(map(repr, expected_and_found)) not in told):
            missed.append((statements, what, list(map(str, found))))
    assert missed == []


async def test_merges_that_a_closed_season_follows_late_are_known_by_when_they_were_made(
    past: KeptSeason,  # noqa: F811
) -> None:
    """P2 is merged into Ann and she into Bob while the season is closed; P3 into Cid before, Cid into Dan after it."""
    ann, bob, cid, dan = [await newcomer(past, name) for name in ("Ann", "Bob", "Cid", "Dan")]

    async def done(asked: Awaitable[Response]) -> None:
        read(await asked)

    (waiting,) = read(await past.ask("judge", "GET", "?status=pending"))["items"]
    await done(past.ask("president", "DELETE", f"/{waiting['id']}"))
    await done(merge(past, await player(past, "P3"), cid))
    await done(ask(past, "president", "POST", "/seasons/spring/close?lots=shared"))
    await done(merge(past, await player(past, "P2"), ann))
    await done(merge(past, ann, bob))
    assert list(audit(past.database)) == []
    await done(ask(past, "president", "POST", "/seasons/spring/reopen?reason=why"))
    await done(merge(past, cid, dan))
    assert list(audit(past.database)) == []
    taken_for = f"UPDATE ledger SET player_id = (SELECT id FROM players WHERE nickname = :name) WHERE {A} AND sign = 1"
    for seat, revision, name in ((2, 17, "Ann"), (3, 15, "Dan"), (3, 18, "Cid")):
        with forged(past, f"{taken_for} AND seat = {seat} AND revision = {revision}", name=name) as (tx, season):
            found = [(one.seat, one.what) for one in audit_season(tx, season)]
        assert (seat, f"player_id entered under revision {revision}") in found
    # A season that came from elsewhere has its own changes only: that two were merged it knows, and not when.
    with forged(past, "DELETE FROM changes WHERE season_id IS NULL") as (tx, season):
        assert list(audit_season(tx, season)) == []


@pytest.mark.unsound
async def test_what_is_of_no_season_is_found_too(past: KeptSeason) -> None:  # noqa: F811
    with past.database.write() as tx:
        tx.execute(text("UPDATE changes SET detail = '7' WHERE season_id IS NULL AND action = 'player_merged'"))
        tx.execute(text(copied(FIRST, 1, season="999999")))
    # What the merges were is told by the season's own changes.
    assert [(one.club, one.season) for one in audit(past.database)] == [
        ("moscow", None), ("moscow", None), (None, None),
    ]  # fmt: skip
    assert [str(one) for one in audit(past.database)] == [
        *["moscow: detail of player_merged: expected an object, found 7"] * 2,
        "rows in the ledger of season number 999999, which there is not: expected none, found some",
    ]


@pytest.mark.parametrize(
    "statement, what",
    [
        ("UPDATE kept_sums SET sums = '{'", "kept sums"),
        ("UPDATE kept_sums SET revision = 14", "revision of the kept sums"),
    ],
)
async def test_kept_sums_that_cannot_be_are_named(
    past: KeptSeason,  # noqa: F811
    statement: str,
    what: str,
) -> None:
    with past.database.write() as tx:
        season = seasons.find_locked(tx, past.club, past.slug)
        assert season
        ledger.store_sums(tx, season.id, season.revision)
    assert list(audit(past.database)) == []
    with forged(past, statement) as (tx, season):
        assert [one.what for one in audit_season(tx, season)] == [what]


async def test_what_cannot_be_read_at_all_is_told(past: KeptSeason) -> None:  # noqa: F811
    if past.database.dialect == "sqlite":  # which keeps in a column whatever it is given
        with forged(past, "UPDATE ledger SET played_on = 'nonsense' WHERE revision = 1") as (tx, season):
            found = [(one.season, one.what, one.found) for one in audit_season(tx, season)]
        assert found == [("spring", "what is kept of it", "ValueError")]
