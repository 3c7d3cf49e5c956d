"""Files that arrive slowly, in pieces, or not to their end."""

import asyncio
import random
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from typing import Any

import pytest
from fastapi import FastAPI
from httpx import AsyncClient
from sqlalchemy import make_url

from app.main import FILES_AT_ONCE, FILES_OF_A_CLUB
from app.routers.files import imports
from app.services.audit import audit
from app.web import bodies, streaming
from tests.http.club import bearer
from tests.http.importing import NDJSON, ON, batches_of, bring, ndjson, post, revision, stored
from tests.http.kept_season import KeptSeason, found, make_season, problem, read

pytestmark = pytest.mark.anyio


def games(game: dict[str, Any], count: int) -> list[dict[str, Any]]:
    return [{**game, **ON, "external_id": f"a/{n}"} for n in range(count)]


async def test_a_file_is_read_as_it_arrives_and_no_lock_is_held_meanwhile(
    spring: KeptSeason, game: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    revisions: list[int] = []

    async def arriving() -> AsyncIterator[bytes]:
        for number, sent in enumerate(games(game, 6), 1):
            yield ndjson([sent])
            revisions.append(revision(spring))
            if number % 3 == 0:
                # Somebody else writes amid the upload, and waits for nobody.
                async with asyncio.timeout(5):
                    await spring.kept({**game, **ON, "external_id": f"b/{number}"})

    with batches_of(monkeypatch, 2):
        answer = await bring(spring, arriving())
    assert answer.results == ["created"] * 6
    # After the third game two are kept; after the fifth those two, the other's game, and two more.
    assert [revisions[2], revisions[4]] == [1, 3]
    assert list(audit(spring.database)) == []


@pytest.mark.parametrize("cut", ["", "\n", "\r\n"])
async def test_chunks_may_end_anywhere(spring: KeptSeason, game: dict[str, Any], cut: str) -> None:
    sent = ndjson(games(game, 3)).replace(b"\n", (cut or "\n").encode())
    chance = random.Random(cut)

    async def arriving() -> AsyncIterator[bytes]:
        start = 0
        while start < len(sent):
            size = chance.randint(0, 90)
            yield sent[start : start + size]
            start += size

    assert (await bring(spring, arriving())).results == ["created"] * 3


class Gone:
    """A client that sends ``chunks`` and then is not there any more."""

    def __init__(self, chunks: list[bytes]) -> None:
        self.messages = [{"type": "http.request", "body": chunk, "more_body": True} for chunk in chunks]
        self.answered: list[Any] = []

    async def receive(self) -> Any:
        await asyncio.sleep(0)
        return self.messages.pop(0) if self.messages else {"type": "http.disconnect"}

    async def send(self, message: Any) -> None:
        self.answered.append(message)


async def vanish(app: FastAPI, season: KeptSeason, chunks: list[bytes], query: str = "", media: str = NDJSON) -> None:
    headers = {**bearer(season.secrets["president"]), "content-type": media, "transfer-encoding": "chunked"}
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": f"{season.path}/import",
        "raw_path": f"{season.path}/import".encode(),
        "root_path": "",
        "query_string": query.encode(),
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "client": ("127.0.0.1", 1),
        "server": ("mafrate", 80),
    }
    client = Gone(chunks)
    await app(scope, client.receive, client.send)


async def test_a_client_that_goes_away_leaves_whole_games_and_a_repetition_completes_them(
    kept_app: FastAPI, spring: KeptSeason, game: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = ndjson(games(game, 30))
    chance = random.Random(30)
    seen = 0
    with batches_of(monkeypatch, 4):
        for cut in sorted(chance.sample(range(len(sent)), 12)):
            await vanish(kept_app, spring, [sent[start : min(start + 700, cut)] for start in range(0, cut, 700)])
            seen = len(stored(spring))
            assert seen == sent[:cut].count(b"\n") // 4 * 4  # every batch that came whole
            assert list(audit(spring.database)) == []
        assert seen > 0
        again = await bring(spring, sent)
    assert again.results == ["unchanged"] * seen + ["created"] * (30 - seen)
    assert len(stored(spring)) == 30
    assert list(audit(spring.database)) == []


@pytest.mark.parametrize("query", ["mode=atomic", "dry_run=true"])
async def test_a_client_that_goes_away_from_an_import_at_once_leaves_nothing(
    kept_app: FastAPI, spring: KeptSeason, game: dict[str, Any], monkeypatch: pytest.MonkeyPatch, query: str
) -> None:
    with batches_of(monkeypatch, 2):
        await vanish(kept_app, spring, [ndjson([one]) for one in games(game, 9)], query)
    assert (stored(spring), revision(spring)) == ({}, 0)
    assert kept_app.state.import_slots.free == FILES_AT_ONCE


async def send_amid(
    season: KeptSeason, game: dict[str, Any], change: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> Any:
    """Four games, of which the first two are kept when ``change`` happens; who sends is the chief judge."""

    async def arriving() -> AsyncIterator[bytes]:
        for number, sent in enumerate(games(game, 4)):
            if number == 3:
                await change()
            yield ndjson([sent])

    with batches_of(monkeypatch, 2):
        return await post(season, arriving(), role="chief_judge")


async def test_a_key_that_is_revoked_while_a_file_arrives_keeps_no_more(
    spring: KeptSeason, game: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def revoke() -> None:
        path = f"/v1/clubs/{spring.club}/keys/{spring.ids['chief_judge']}"
        answer = await spring.client.delete(path, headers=bearer(spring.secrets["president"]))
        assert answer.status_code == 204

    assert problem(await send_amid(spring, game, revoke, monkeypatch)) == (401, "unauthorized", None)
    assert {*stored(spring)} == {"a/0", "a/1"}


async def test_a_season_that_is_closed_while_a_file_arrives_keeps_no_more(
    spring: KeptSeason, game: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def close() -> None:
        path = spring.path.replace("/games", "/close")
        read(await spring.client.post(path, headers=bearer(spring.secrets["president"])))

    assert problem(await send_amid(spring, game, close, monkeypatch)) == (409, "conflict", "season_closed")
    assert {*stored(spring)} == {"a/0", "a/1"}
    assert list(audit(spring.database)) == []


@pytest.mark.parametrize("query", ["", "?mode=atomic"])
async def test_a_client_that_stops_sending_is_given_up(
    spring: KeptSeason, game: dict[str, Any], monkeypatch: pytest.MonkeyPatch, query: str
) -> None:
    async def stalling() -> AsyncIterator[bytes]:
        yield ndjson(games(game, 2))
        await asyncio.sleep(10)

    monkeypatch.setattr(bodies, "BODY_SECONDS", 0.1)
    with batches_of(monkeypatch, 1):
        answer = await post(spring, stalling(), query)
    assert problem(answer) == (408, "too-slow", None)
    assert len(stored(spring)) == (0 if query else 2)


async def test_more_files_at_once_than_a_club_has_places_come_back_later(
    kept_app: FastAPI, spring: KeptSeason, game: dict[str, Any]
) -> None:
    go = asyncio.Event()
    kyiv = make_season(spring.database, spring.client, club="kyiv")

    async def waiting(number: int) -> AsyncIterator[bytes]:
        yield ndjson([{**game, **ON, "external_id": f"b/{number}"}])
        await go.wait()

    others = [asyncio.create_task(bring(spring, waiting(number))) for number in range(FILES_OF_A_CLUB)]
    while kept_app.state.import_slots.free > FILES_AT_ONCE - FILES_OF_A_CLUB:
        await asyncio.sleep(0.01)
    refused = await post(spring, ndjson(games(game, 1)))
    assert problem(refused) == (503, "unavailable", None)
    assert int(refused.headers["retry-after"]) >= 1
    # They hold none of the threads that answer everybody else.
    await spring.kept({**game, **ON, "external_id": "c"})
    # Nor do they keep another club out, nor anybody from taking files out.
    assert (await bring(kyiv, ndjson(games(game, 1)))).results == ["created"]
    assert (await spring.client.get(f"{spring.path}.ndjson")).status_code == 200
    go.set()
    assert [(await other).results for other in others] == [["created"]] * 4
    assert (await bring(spring, ndjson(games(game, 1)))).results == ["created"]


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_a_database_that_is_locked_too_long_refuses_and_a_repetition_completes(
    kept_app: FastAPI, spring: KeptSeason, game: dict[str, Any], database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_app.state.database, "_wait", 0.2)
    sent = games(game, 4)
    with closing(sqlite3.connect(str(make_url(database_url).database), isolation_level=None)) as other:

        async def locking() -> AsyncIterator[bytes]:
            yield ndjson(sent[:3])
            other.execute("BEGIN IMMEDIATE")
            yield ndjson(sent[3:])

        with batches_of(monkeypatch, 2):
            assert problem(await post(spring, locking())) == (503, "unavailable", None)
        other.execute("ROLLBACK")
    assert {*stored(spring)} == {"a/0", "a/1"}
    assert (await bring(spring, ndjson(sent))).results == ["unchanged", "unchanged", "created", "created"]
    assert list(audit(spring.database)) == []


async def test_what_is_kept_aside_is_not_held_in_memory(
    spring: KeptSeason, game: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streaming, "IN_MEMORY", 100)
    bad = {**game, "winner": "x"}
    found = await bring(spring, ndjson([bad] * 50), "?dry_run=true")
    assert (found.results, found.games[49]["line"]) == (["invalid"] * 50, 50)


async def test_a_file_to_be_taken_at_once_has_a_largest_size(
    spring: KeptSeason, game: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imports, "SPOOLED_BYTES", 1_000)
    sent = ndjson(games(game, 3))
    assert problem(await post(spring, sent, "?mode=atomic")) == (413, "too-large", None)
    assert (await bring(spring, sent)).results == ["created"] * 3


async def test_a_file_of_nothing_but_faults_is_given_up(
    spring: KeptSeason, game: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two bytes of a file ask for a hundred of an answer."""
    monkeypatch.setattr(imports, "MOST_FAULTS", 1_000)
    assert (await bring(spring, b"1\n" * 5)).results == ["invalid"] * 5
    with batches_of(monkeypatch, 2):
        answer = await post(spring, ndjson(games(game, 2)) + b"1\n" * 20)
    assert problem(answer) == (422, "invalid-request", None)
    assert [found["code"] for found in answer.json()["violations"]] == ["too_many_faults"]
    assert len(stored(spring)) == 2


async def test_the_table_after_an_import_is_that_of_all_its_games(
    kept_client: AsyncClient, kept_app: FastAPI, game: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sums are kept on the way, and are those of the rows."""
    monkeypatch.setattr("app.services.files.importing._SUMMED_EVERY", 5)
    monkeypatch.setattr("app.repositories.games.ledger.WORTH_SUMMING", 1)
    spring = KeptSeason(kept_client, kept_app.state.database, *found(kept_app.state.database))
    with batches_of(monkeypatch, 2):
        await bring(spring, ndjson(games(game, 13)))
        await bring(spring, ndjson([{**one, "table": 1} for one in games(game, 15)]), "?on_conflict=correct")
    table = read(await kept_client.get(spring.path.replace("/games", "/standings")))
    assert table["games"] == 15
    assert {row["values"]["games"] for row in table["rows"]} == {15}
    assert list(audit(spring.database)) == []
