"""Reads that requests share: what is answered was read after it was asked for."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import closing
from typing import Any

import pytest
from sqlalchemy import text

from app.repositories.clubs import keys
from app.repositories.database import Database
from app.repositories.database.errors import Unavailable
from app.repositories.database.shared_reads import SharedReads
from app.repositories.seasons import season_states, seasons
from app.repositories.seasons.season_states import SeasonState
from app.repositories.tables import SEASONS
from tests.repositories.kept import Kept, keep

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)]


@pytest.fixture
async def reads(database: Database) -> AsyncIterator[SharedReads]:
    assert database.shared_reads is not None
    yield database.shared_reads
    database.shared_reads.close()


def state_of(database: Database, kept: Kept) -> SeasonState:
    with database.read() as tx:
        return season_states.by_id(tx, kept.season.id)


def advance(database: Database, kept: Kept) -> None:
    with database.write() as tx:
        seasons.advance(tx, seasons.lock(tx, kept.season.id))


def counted(reads: SharedReads, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many keys each SELECT asked for, from now on."""
    asked: list[int] = []
    select = reads._select

    async def count(current: Any) -> None:
        asked.extend(len(keys) for keys in current.asked.values())
        await select(current)

    monkeypatch.setattr(reads, "_select", count)
    return asked


async def test_who_asks_at_once_shares_one_select(
    database: Database, reads: SharedReads, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, other = keep(database, "one"), keep(database, "two")
    states = [state_of(database, kept), state_of(database, other)]
    asked = counted(reads, monkeypatch)
    checks = [season_states.is_unchanged_now(reads, states[n % 2]) for n in range(20)]
    assert await asyncio.gather(*checks) == [True] * 20
    assert asked == [2]


async def test_nobody_gets_what_was_read_before_it_asked(
    database: Database, reads: SharedReads, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first SELECT has read when the season changes, and has not answered when the second client asks."""
    kept = keep(database)
    state = state_of(database, kept)
    second: list[asyncio.Task[bool]] = []
    select = reads._select

    async def change_meanwhile(current: Any) -> None:
        await select(current)
        if not second:
            advance(database, kept)
            second.append(asyncio.ensure_future(season_states.is_unchanged_now(reads, state)))
            await asyncio.sleep(0)

    monkeypatch.setattr(reads, "_select", change_meanwhile)
    assert await season_states.is_unchanged_now(reads, state)
    assert not await second[0]


async def test_a_key_is_read_as_it_is_now(database: Database, reads: SharedReads) -> None:
    kept = keep(database)
    assert await keys.by_prefix_now(reads, kept.key.prefix) == kept.key
    assert await keys.by_prefix_now(reads, "mfr_nobody") is None


async def test_a_connection_that_was_lost_is_made_anew(database: Database, reads: SharedReads) -> None:
    kept = keep(database)
    state = state_of(database, kept)
    assert await season_states.is_unchanged_now(reads, state)
    with database.glance() as tx:
        tx.execute(
            text(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        )
    assert await season_states.is_unchanged_now(reads, state)


async def test_who_waits_for_a_server_that_is_gone_is_told(database_url: str) -> None:
    with closing(Database("postgresql://nobody@127.0.0.1:1/none")) as gone:
        assert gone.shared_reads is not None
        for _ in range(2):
            with pytest.raises(Unavailable):
                await keys.by_prefix_now(gone.shared_reads, "mfr_any")


async def test_a_revision_without_a_token_of_its_own_is_compared_in_full(
    database: Database, reads: SharedReads
) -> None:
    """As a version of the service leaves it that knows no tokens."""
    kept = keep(database)
    for values in ({"revision": 1}, {"change_token": None}):
        with database.write() as tx:
            tx.execute(SEASONS.update().where(SEASONS.c.id == kept.season.id).values(values))
        state = state_of(database, kept)
        assert not await season_states.is_unchanged_now(reads, state)
        with database.read() as tx:
            assert season_states.is_unchanged(tx, state)
