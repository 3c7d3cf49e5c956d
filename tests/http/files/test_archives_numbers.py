"""Each number of an archive made another: it is refused, or the service answers all about the season, and soundly."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any, Final

import pytest
from httpx import AsyncClient

from app.repositories.seasons import seasons
from app.repositories.tables import metadata
from app.services.audit.whole import audit_season
from tests.http.archives import archive_of, bring_in, database_of, edited, lines_of, new_club, service
from tests.http.club import bearer
from tests.http.everything import everything
from tests.http.files.test_archives import lived
from tests.http.kept_season import KeptSeason, make_season, read

pytestmark = pytest.mark.anyio

HUGE: Final = {"BigInteger": 2**63 - 1, "Integer": 2**31 - 1, "SmallInteger": 2**15 - 1}
"""The largest number that a column can hold."""
DAYS: Final = ("0001-01-01", "9999-12-31", None)
MOMENTS: Final = ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", None)
PARTS: Final = (
    "clubs", "keys", "players", "nicknames", "seasons", "season_rules", "frozen_seasons", "games", "game_versions",
    "seats", "approvals", "former_approvals", "ledger", "lots", "withdrawn_lots", "cup_entries", "changes",
)  # fmt: skip
MORE: Final = ("/standings.xlsx", "/standings?rule_system=sport-percent", "/archive.zip", "/games.xlsx")


@pytest.fixture
async def whole(tmp_path: Path, game: dict[str, Any]) -> bytes:
    """The archive of a closed season that had everything done to it, with lots drawn and withdrawn."""
    async with service(tmp_path / "source.db") as client:
        spring = make_season(database_of(client), client)
        await lived(spring, game)
        address = "/v1/clubs/moscow/seasons/spring"
        president = bearer(spring.secrets["president"])
        read(await client.patch(address, json={"rule_system": "sport-percent"}, headers=president))
        table = read(await client.get(f"{address}/standings?include=unpublished", headers=president))
        group = next((tie["players"] for tie in table["ties"] if tie["lot"] == "needed"), None)
        assert group is not None
        lots, lot = f"{address}/lots", {"group": group, "drawn": group}
        slip = read(await client.post(lots, json=lot, headers=president), 201)
        read(await client.post(f"{lots}/{slip['id']}/withdraw?reason=slip", headers=president))
        read(await client.post(lots, json=lot, headers=president), 201)
        read(await client.post(f"{address}/close?lots=shared", headers=president))
        return await archive_of(spring)


def others(table: str, column: str) -> tuple[object, ...]:
    """What else a column could hold, for columns of numbers, days and moments."""
    match type(metadata.tables[table].c[column].type).__name__:
        case "BigInteger" | "Integer" | "SmallInteger" as kind:
            return -1, 0, HUGE[kind], None
        case "Date":
            return DAYS
        case "Instant":
            return MOMENTS
        case _:
            return ()


def changes(archive: bytes, table: str) -> Iterator[tuple[str, bytes]]:
    """The archive with another number in the first row of a table, a column at a time."""
    first = lines_of(archive, table)[:1]
    for column, value in first[0].items() if first else ():
        for other in others(table, column):
            if value != other:
                yield f"{table}.{column}: {other}", edited(archive, table, 1, **{column: other})


@pytest.mark.parametrize("table", PARTS)
async def test_a_season_with_another_number_is_refused_or_sound(
    whole: bytes, elsewhere: AsyncClient, table: str
) -> None:
    numbers = count()
    for what, archive in changes(whole, table):
        await refused_or_sound(elsewhere, f"club-{next(numbers)}", archive, what)


@pytest.mark.parametrize("table", ["clubs", "keys", "seasons", "season_rules", "changes"])
async def test_and_so_is_a_season_without_games(tmp_path: Path, elsewhere: AsyncClient, table: str) -> None:
    async with service(tmp_path / "source.db") as client:
        archive = await archive_of(make_season(database_of(client), client))
    numbers = count()
    for what, changed in changes(archive, table):
        await refused_or_sound(elsewhere, f"club-{next(numbers)}", changed, what)


async def refused_or_sound(client: AsyncClient, club: str, archive: bytes, what: str) -> None:
    """Import the archive into a club of its own, and read all of what was taken in."""
    secret = await new_club(client, club)
    answer = await bring_in(client, secret, archive, club=club)
    if answer.status_code == 422:
        return
    assert answer.status_code == 201, (what, answer.text)
    there = KeptSeason(client, database_of(client), club, "spring", {"president": secret}, {})
    with there.database.read() as tx:
        season = seasons.find(tx, club, "spring")
        assert season is not None
        assert list(audit_season(tx, season)) == [], what
    await everything(there)
    for path in MORE:
        found = await client.get(f"/v1/clubs/{club}/seasons/spring{path}", headers=bearer(secret))
        assert found.status_code == 200, (what, path, found.text)
    if season.closed_at is not None:
        reopened = await client.post(f"/v1/clubs/{club}/seasons/spring/reopen?reason=x", headers=bearer(secret))
        assert reopened.status_code == 200, (what, reopened.text)
    for change in ({"name": "Another"}, {"rule_system": "city-average"}):
        changed = await client.patch(f"/v1/clubs/{club}/seasons/spring", json=change, headers=bearer(secret))
        assert changed.status_code in (200, 422), (what, changed.text)
