"""Tables of the past are added up by the database: two at once, so that it has time for others (docs/limits.md)."""

import asyncio
import threading
from copy import deepcopy
from typing import Any

import pytest

from app.services.standings.cache.tallies import tallies_at
from tests.http.conftest import RED_WON
from tests.http.kept_season import KeptSeason, read

pytestmark = pytest.mark.anyio


async def test_two_are_added_up_at_once_and_the_present_table_waits_for_none(
    spring: KeptSeason, monkeypatch: pytest.MonkeyPatch
) -> None:
    for day in range(1, 6):
        await spring.kept(deepcopy(RED_WON) | {"played_on": f"2025-03-0{day}"})
    begun, together, most = threading.Lock(), 0, 0
    may_end = threading.Event()
    original = tallies_at

    def slow(*words: Any, **options: Any) -> Any:
        nonlocal together, most
        with begun:
            together += 1
            most = max(most, together)
        may_end.wait(10)
        with begun:
            together -= 1
        return original(*words, **options)

    monkeypatch.setattr("app.services.standings.standings.tallies_at", slow)
    address = spring.path.removesuffix("/games") + "/standings"
    past = [asyncio.ensure_future(spring.client.get(f"{address}?as_of=2025-03-0{day}")) for day in range(1, 6)]
    assert read(await spring.client.get(address))["games"] == 5
    may_end.set()
    assert [read(await table)["games"] for table in past] == [1, 2, 3, 4, 5]
    assert most <= 2
