"""Archives that are not taken: by whom, of what kind, with what wrong in them; and nothing of them is kept."""

import json
import random
from typing import Any
from zipfile import ZIP_BZIP2

import pytest
from httpx import AsyncClient

from app.repositories.schema import newest_version
from app.services.audit import audit
from tests.http.archives import (
    archive_of,
    bring_in,
    closed,
    database_of,
    edited,
    faults,
    kept_nothing,
    lines_of,
    new_club,
    parts_of,
    taken,
    with_lines,
    zipped,
)
from tests.http.club import bearer
from tests.http.desk import ask, newcomer, player
from tests.http.kept_season import KeptSeason, problem, read

pytestmark = pytest.mark.anyio


async def test_only_the_president_takes_and_brings_archives(
    spring: KeptSeason, game: dict[str, Any], elsewhere: AsyncClient
) -> None:
    archive = await archive_of(await closed(spring, game))
    for role, status in (("anonymous", 401), ("reader", 403), ("judge", 403), ("chief_judge", 403)):
        assert (await taken(spring, role)).status_code == status
        brought = await bring_in(spring.client, spring.secrets.get(role), archive, "?slug=copy")
        assert brought.status_code == status
    secret = await new_club(elsewhere)
    assert (await bring_in(elsewhere, spring.secrets["president"], archive)).status_code == 401
    assert problem(await bring_in(elsewhere, secret, archive, club="kyiv"))[:2] == (404, "not-found")
    other = await new_club(spring.client, "kyiv")
    assert problem(await bring_in(spring.client, other, archive, "?slug=copy"))[:2] == (403, "forbidden")


@pytest.mark.parametrize("media", ["application/json", "text/csv", "application/octet-stream", ""])
async def test_the_body_is_a_zip(archive: bytes, elsewhere: AsyncClient, media: str) -> None:
    answer = await bring_in(elsewhere, await new_club(elsewhere), archive, media=media)
    assert problem(answer)[:2] == (415, "unsupported-media-type")


async def test_an_address_that_is_taken(spring: KeptSeason) -> None:
    archive = await archive_of(spring)
    answer = await bring_in(spring.client, spring.secrets["president"], archive)
    assert problem(answer) == (409, "conflict", "slug_taken")


@pytest.mark.parametrize("query, pointer", [("?slug=Весна", "?slug"), ("?dry_run=2", "?dry_run"), ("?mode=x", "?mode")])
async def test_what_may_be_asked(archive: bytes, elsewhere: AsyncClient, query: str, pointer: str) -> None:
    answer = await bring_in(elsewhere, await new_club(elsewhere), archive, query)
    assert [where for _, where in faults(answer)] == [pointer]


@pytest.mark.parametrize(
    "table, line, members, expected",
    [
        ("games", 1, {"version": "2"}, ("type", "/games.ndjson/1/version")),
        ("games", 2, {"version": 2**31}, ("type", "/games.ndjson/2/version")),
        ("games", 1, {"entered": True}, ("type", "/games.ndjson/1/entered")),
        ("games", 1, {"played_on": "14.03.2025"}, ("type", "/games.ndjson/1/played_on")),
        ("games", 1, {"created_at": "2025-03-14T18:00:00"}, ("type", "/games.ndjson/1/created_at")),
        ("games", 1, {"status": None}, ("type", "/games.ndjson/1/status")),
        ("games", 1, {"status": "gone"}, ("value", "/games.ndjson/1/status")),
        ("games", 1, {"public_id": "g_1"}, ("value", "/games.ndjson/1/public_id")),
        ("games", 1, {"extra": 1}, ("value", "/games.ndjson/1")),
        ("seats", 3, {"registered": 1}, ("type", "/seats.ndjson/3/registered")),
        ("seats", 3, {"seat": 2**15}, ("type", "/seats.ndjson/3/seat")),
        ("players", 1, {"nickname": "a\u0001"}, ("value", "/players.ndjson/1/nickname")),
        ("players", 1, {"nickname": "a\u0000"}, ("type", "/players.ndjson/1/nickname")),
        ("players", 1, {"nickname": " "}, ("value", "/players.ndjson/1/nickname")),
        ("nicknames", 1, {"folded": "somebody else"}, ("value", "/nicknames.ndjson/1/folded")),
        ("nicknames", 1, {"nickname": "Somebody"}, ("value", "/nicknames.ndjson/1/folded")),
        ("keys", 1, {"role": "owner"}, ("value", "/keys.ndjson/1/role")),
        ("keys", 1, {"secret_hash": "0"}, ("value", "/keys.ndjson/1")),
        ("seasons", 1, {"slug": "Весна"}, ("value", "/seasons.ndjson/1/slug")),
        ("seasons", 1, {"format": "cup"}, ("value", "/seasons.ndjson/1/format")),
        ("seasons", 1, {"rule_system": "chess"}, ("value", "/seasons.ndjson/1/rule_system")),
        ("approvals", 1, {"state": "maybe"}, ("value", "/approvals.ndjson/1/state")),
        ("seats", 1, {"game_id": 10**6}, ("unsound", "/seats.ndjson")),
        ("seats", 1, {"player_id": 10**6}, ("unsound", "/seats.ndjson")),
        ("game_versions", 2, {"key_id": 10**6}, ("unsound", "/game_versions.ndjson")),
        ("ledger", 1, {"sign": 2}, ("unsound", "/ledger.ndjson")),
        ("games", 1, {"season_id": 10**6}, ("unsound", "/games.ndjson")),
        ("seasons", 1, {"revision": 2**62}, ("unsound", "")),
        ("games", 1, {"version": 2**30}, ("unsound", "")),
    ],
)
async def test_a_row_that_cannot_be(
    archive: bytes, elsewhere: AsyncClient, table: str, line: int, members: dict[str, object], expected: tuple[str, str]
) -> None:
    secret = await new_club(elsewhere)
    answer = await bring_in(elsewhere, secret, edited(archive, table, line, **members))
    assert faults(answer) == [expected]
    assert await kept_nothing(elsewhere, secret)


async def test_all_faults_are_told_at_once(archive: bytes, elsewhere: AsyncClient) -> None:
    lines = lines_of(archive, "seats")
    for number in (3, 5):
        lines[number - 1] |= {"seat": "x", "registered": "yes"}
    answer = await bring_in(elsewhere, await new_club(elsewhere), with_lines(archive, "seats", lines))
    assert faults(answer) == [
        ("type", f"/seats.ndjson/{number}/{column}") for number in (3, 5) for column in ("seat", "registered")
    ]


@pytest.mark.parametrize(
    "table, line, members",
    [
        ("ledger", 31, {"points": 9_000_000}),
        ("ledger", 31, {"lines": "[]"}),
        ("ledger", 31, {"role": "don"}),
        ("game_versions", 2, {"facts": "{}"}),
        ("game_versions", 2, {"facts": "nonsense"}),
        ("game_versions", 2, {"seated": "[]"}),
        ("game_versions", 2, {"totals": "[[1, 5000000]]"}),
        ("game_versions", 2, {"fingerprint": "x"}),
        ("games", 2, {"status": "rejected"}),
        ("games", 2, {"external_id": "other"}),
        ("approvals", 1, {"state": "rejected"}),
        ("approvals", 1, {"points": 1}),
        ("seasons", 1, {"rule_system": "sport-percent"}),
        ("frozen_seasons", 1, {"tables": "{}"}),
        ("frozen_seasons", 1, {"tables": "["}),
        ("changes", 3, {"revision": 1}),
    ],
)
async def test_what_does_not_follow_from_the_facts_is_refused(
    archive: bytes, elsewhere: AsyncClient, table: str, line: int, members: dict[str, object]
) -> None:
    secret = await new_club(elsewhere)
    answer = await bring_in(elsewhere, secret, edited(archive, table, line, **members))
    assert {code for code, _ in faults(answer)} == {"unsound"}
    assert await kept_nothing(elsewhere, secret)


@pytest.mark.parametrize("figure", ["1/0", "7/3", "nonsense", "1e999999999"])
async def test_a_frozen_figure_that_the_games_do_not_give(archive: bytes, elsewhere: AsyncClient, figure: str) -> None:
    tables = json.loads(lines_of(archive, "frozen_seasons")[0]["tables"])
    tables["rows"][0][1]["rating"] = {"fraction": figure}
    answer = await bring_in(
        elsewhere, await new_club(elsewhere), edited(archive, "frozen_seasons", 1, tables=json.dumps(tables))
    )
    assert {code for code, _ in faults(answer)} == {"unsound"}


@pytest.mark.parametrize("table", ["clubs", "seasons", "games", "seats", "game_versions", "ledger", "changes", "keys"])
async def test_rows_that_are_missing_or_too_many(archive: bytes, elsewhere: AsyncClient, table: str) -> None:
    secret = await new_club(elsewhere)
    lines = lines_of(archive, table)
    for wrong in (lines[:-1], [*lines, lines[0]]):
        answer = await bring_in(elsewhere, secret, with_lines(archive, table, wrong))
        assert faults(answer) != []
    assert await kept_nothing(elsewhere, secret)


async def test_a_part_that_broke_off_is_noticed(archive: bytes, elsewhere: AsyncClient) -> None:
    parts = parts_of(archive)
    parts["changes.ndjson"] = parts["changes.ndjson"].splitlines(keepends=True)[0]
    answer = await bring_in(elsewhere, await new_club(elsewhere), zipped(parts))
    assert faults(answer) == [("file_broken", "/changes.ndjson")]


async def test_other_files(archive: bytes, elsewhere: AsyncClient) -> None:
    secret = await new_club(elsewhere)
    manifest = parts_of(archive)["mafrate.json"]
    for file, expected in (
        (b"", ("file_type", "")),
        (b"PK", ("file_broken", "")),
        (b"{}", ("file_type", "")),
        (b"PK\x03\x04 and nothing more", ("file_broken", "")),
        (archive[:-30], ("file_broken", "")),
        (zipped({"a.txt": b"a"}), ("file_type", "")),
        (zipped({"mafrate.json": b"{"}), ("file_broken", "/mafrate.json")),
        (zipped({"mafrate.json": b"{}"}), ("missing", "/mafrate.json/format")),
        (zipped({"mafrate.json": manifest}), ("file_broken", "/clubs.ndjson")),
        (
            zipped({"mafrate.json": manifest.replace(newest_version().encode(), b"9999")}),
            ("file_type", "/mafrate.json/schema_version"),
        ),
        (zipped({"mafrate.json": b" " * 100_000 + manifest}), ("file_type", "")),
        (zipped({"mafrate.json": manifest}, ZIP_BZIP2), ("file_type", "")),
        (zipped({f"{n}": b"" for n in range(101)}), ("file_too_large", "")),
        (zipped({"mafrate.json": manifest, "clubs.ndjson": b" " * 50_000_000}), ("file_too_large", "")),
    ):
        assert expected in faults(await bring_in(elsewhere, secret, file)), file[:40]
    assert await kept_nothing(elsewhere, secret)


@pytest.mark.parametrize("name", ["season", "awards_from"])
@pytest.mark.parametrize("address", ["", "Spring", "весна", "a/b", "a b", "-a", "a" * 64, 7])
async def test_addresses_that_no_season_can_have(
    archive: bytes, elsewhere: AsyncClient, name: str, address: object
) -> None:
    parts = parts_of(archive)
    parts["mafrate.json"] = json.dumps({**json.loads(parts["mafrate.json"]), name: address}).encode()
    secret = await new_club(elsewhere)
    assert [where for _, where in faults(await bring_in(elsewhere, secret, zipped(parts)))] == [f"/mafrate.json/{name}"]
    assert await kept_nothing(elsewhere, secret)


async def test_a_line_without_end_is_not_held(archive: bytes, elsewhere: AsyncClient) -> None:
    parts = parts_of(archive)
    parts["clubs.ndjson"] = random.Random(1).randbytes(3_000_000).replace(b"\n", b" ")
    answer = await bring_in(elsewhere, await new_club(elsewhere), zipped(parts))
    assert faults(answer) == [("file_too_large", "/clubs.ndjson")]


async def test_nicknames_that_mean_others_are_all_named(
    spring: KeptSeason, game: dict[str, Any], elsewhere: AsyncClient
) -> None:
    """There P4 is also Zoe and P5 also Max; here Zoe, P4, Max and P5 are four people."""
    await spring.kept({**game, "played_on": "2025-03-14"})
    for old, new in (("P4", "Zoe"), ("P5", "Max")):
        one = await player(spring, old)
        read(await ask(spring, "president", "PATCH", f"/players/{one['id']}", {"nickname": new}))
    secret = await new_club(elsewhere)
    there = KeptSeason(elsewhere, database_of(elsewhere), "moscow", "spring", {"judge": secret}, {})
    for nickname in ("Zoe", "P4", "Max", "P5"):
        await newcomer(there, nickname)
    answer = await bring_in(elsewhere, secret, await archive_of(spring))
    assert problem(answer) == (409, "conflict", "nickname_taken")
    assert answer.json()["nicknames"] == ["Max", "Zoe"]
    assert read(await elsewhere.get("/v1/clubs/moscow/seasons", headers=bearer(secret)))["items"] == []


async def test_two_who_are_one_here_are_named(spring: KeptSeason, game: dict[str, Any], elsewhere: AsyncClient) -> None:
    await spring.kept({**game, "played_on": "2025-03-14"})
    secret = await new_club(elsewhere)
    there = KeptSeason(
        elsewhere, database_of(elsewhere), "moscow", "spring", {"judge": secret, "president": secret}, {}
    )
    one = await newcomer(there, "P1")
    read(await ask(there, "president", "PATCH", f"/players/{one['id']}", {"nickname": "P2"}))
    answer = await bring_in(elsewhere, secret, await archive_of(spring))
    assert problem(answer) == (409, "conflict", "nickname_taken")
    assert answer.json()["nicknames"] == ["P2"]


STRANGE: list[object] = [
    None,
    True,
    -1,
    0,
    1,
    2**63 - 1,
    2**70,
    0.5,
    "",
    "x",
    "[]",
    "{}",
    "null",
    "2025-01-01",
    [],
    {},
    "\ud800",
]


def changed(archive: bytes, chance: random.Random) -> bytes:
    """The archive with another value in one row, or another byte in a part or in the zip."""
    parts = parts_of(archive)
    name = chance.choice([name for name, content in parts.items() if content])
    how = chance.random()
    if how < 0.2:
        return another_byte(archive, chance)
    if how < 0.4 or name == "mafrate.json":
        return zipped({**parts, name: another_byte(parts[name], chance)})
    table = name.removesuffix(".ndjson")
    lines = lines_of(archive, table)
    line = chance.choice(lines)
    line[chance.choice(list(line))] = chance.choice(STRANGE)
    return with_lines(archive, table, lines)


def another_byte(content: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(len(content))
    return content[:place] + bytes([chance.randrange(256)]) + content[place + 1 :]


@pytest.mark.parametrize("seed", range(6))
async def test_whatever_is_changed_is_refused_or_sound(archive: bytes, kept_client: AsyncClient, seed: int) -> None:
    """Never a 500, and what is taken passes the audit."""
    chance = random.Random(seed)
    secret = await new_club(kept_client)
    for number in range(10):
        answer = await bring_in(kept_client, secret, changed(archive, chance), f"?slug=s{number}")
        assert answer.status_code in {201, 409, 422}, answer.text
    assert list(audit(database_of(kept_client))) == []
