"""Ready tables: validators, codings, and that nothing that changed is ever answered as it was."""

import gzip
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from fastapi import FastAPI
from httpx import ASGITransport, AsyncClient
from pydantic import SecretStr

from app.config import Settings
from app.main import create_app
from app.repositories.seasons import seasons
from tests.http.club import ADMIN, bearer
from tests.http.kept_season import KeptSeason, make_season, problem
from tests.http.tables import FIRST, SECOND, ask, id_of, places, table

pytestmark = pytest.mark.anyio

PATHS = ("/standings", "/standings.csv", "/standings.xlsx", "/awards", "/standings/{player}")


@pytest.fixture
async def played(spring: KeptSeason) -> KeptSeason:
    """The season after the first game."""
    await spring.kept(FIRST)
    return spring


async def etag(season: KeptSeason, path: str = "/standings", role: str = "anonymous", **headers: str) -> str:
    answer = await ask(season, path, role, **headers)
    assert answer.status_code == 200, answer.text
    return str(answer.headers["etag"])


async def change(season: KeptSeason, path: str, **values: Any) -> None:
    """Change something of the club as its president."""
    answer = await season.client.patch(
        f"/v1/clubs/{season.club}{path}", json=values, headers=bearer(season.secrets["president"])
    )
    assert answer.status_code == 200, answer.text


@pytest.mark.parametrize("path", PATHS)
async def test_what_is_unchanged_is_not_sent_again(played: KeptSeason, path: str) -> None:
    path = path.format(player=id_of(await table(played), "P1"))
    for coding in ("identity", "gzip"):
        first = await ask(played, path, accept_encoding=coding)
        tag = first.headers["etag"]
        assert tag.startswith('"')
        for named in (tag, f"W/{tag}", f'"other", {tag}'):
            again = await ask(played, path, accept_encoding=coding, if_none_match=named)
            assert (again.status_code, again.content) == (304, b"")
            for header in ("etag", "cache-control", "vary"):
                assert again.headers[header] == first.headers[header]
        other = await ask(played, path, accept_encoding=coding, if_none_match='"other"')
        assert (other.status_code, other.content) == (200, first.content)


async def test_every_change_of_the_season_changes_the_validator(played: KeptSeason) -> None:
    tags = [await etag(played)]
    second = await played.kept(SECOND)
    tags.append(await etag(played))
    corrected = await played.correct(second, SECOND | {"outcome": "draw", "seats": FIRST["seats"]})
    assert corrected.status_code == 200
    tags.append(await etag(played))
    await played.ask("judge", "DELETE", f"/{second['id']}")
    tags.append(await etag(played))
    await change(played, f"/players/{id_of(await table(played), 'P1')}", nickname="Ann")
    tags.append(await etag(played))
    await change(played, "/seasons/spring", ends_on="2025-06-30")
    tags.append(await etag(played))
    assert len(set(tags)) == len(tags)


async def test_a_validator_is_of_all_that_the_bytes_depend_on(played: KeptSeason) -> None:
    player = id_of(await table(played), "P1")
    tags = [
        await etag(played, accept_language="en"),
        await etag(played, accept_language="ru"),
        await etag(played, accept_encoding="identity"),
        await etag(played, "/standings?order=points"),
        await etag(played, "/standings?as_of=2025-03-14"),
        await etag(played, "/standings?revision=1"),
        await etag(played, "/standings?include=unpublished", "reader"),
        await etag(played, "/standings.csv"),
        await etag(played, "/standings.xlsx"),
        await etag(played, "/awards"),
        await etag(played, f"/standings/{player}"),
    ]
    assert len(set(tags)) == len(tags)


async def test_the_same_numbers_of_other_seasons_have_other_validators(
    played: KeptSeason, kept_client: AsyncClient
) -> None:
    other = make_season(played.database, kept_client, club="kyiv")
    await other.kept(FIRST)
    assert await etag(other) != await etag(played)


async def test_an_old_validator_never_holds_again(played: KeptSeason) -> None:
    before = await etag(played)
    second = await played.kept(SECOND)
    await played.ask("judge", "DELETE", f"/{second['id']}")
    assert (await ask(played, if_none_match=before)).status_code == 200


@pytest.mark.parametrize("accepted, coding", [
    ("gzip", "gzip"), ("gzip, deflate, br", "gzip"), ("*", "gzip"), ("GZIP;q=0.5", "gzip"),
    ("identity", None), ("", None), ("br", None), ("gzip;q=0", None), ("gzip;q=0, *", None), ("gzip;q=x", None),
])  # fmt: skip
async def test_a_table_is_compressed_for_who_takes_it_so(played: KeptSeason, accepted: str, coding: str | None) -> None:
    plain = await ask(played, accept_encoding="identity")
    answer = await ask(played, accept_encoding=accepted)
    assert answer.headers.get("content-encoding") == coding
    assert answer.json() == plain.json()
    assert answer.headers["etag"].endswith('-gzip"') is (coding == "gzip")
    assert int(answer.headers["content-length"]) == len(
        gzip.compress(plain.content, 6, mtime=0) if coding else plain.content
    )


@pytest.mark.parametrize("path, varies", [
    ("/standings", "Accept-Language, Accept-Encoding"), ("/awards", "Accept-Language, Accept-Encoding"),
    ("/standings.csv", "Accept-Encoding"), ("/standings.xlsx", "Accept-Language"),
])  # fmt: skip
async def test_an_answer_says_what_it_varies_on(played: KeptSeason, path: str, varies: str) -> None:
    answer = await ask(played, path)
    assert answer.headers["vary"] == varies
    assert answer.headers["x-content-type-options"] == "nosniff"


async def test_what_is_not_for_everyone_is_not_kept_by_others(kept_app: FastAPI, kept_client: AsyncClient) -> None:
    season = make_season(kept_app.state.database, kept_client, public=False)
    assert (await ask(season, role="reader")).headers["cache-control"] == "private, no-cache"
    await change(season, "/seasons/spring", public=True)
    assert (await ask(season)).headers["cache-control"] == "no-cache"
    assert (await ask(season, role="reader")).headers["cache-control"] == "no-cache"
    hidden = await ask(season, "/standings?include=unpublished", "reader")
    assert hidden.headers["cache-control"] == "private, no-cache"


async def test_who_may_not_read_is_told_so_before_anything_else(played: KeptSeason) -> None:
    tag = await etag(played)
    await change(played, "/seasons/spring", public=False)
    assert problem(await ask(played, if_none_match=tag)) == (404, "not-found", None)
    assert problem(await ask(played, if_none_match=await etag(played, role="reader"))) == (404, "not-found", None)
    unpublished = await etag(played, "/standings?include=unpublished", "reader")
    await change(played, "/seasons/spring", public=True)
    answer = await ask(played, "/standings?include=unpublished", if_none_match=unpublished)
    assert problem(answer) == (401, "unauthorized", None)


async def test_a_table_that_was_answered_often_is_refused_like_any_other(played: KeptSeason) -> None:
    for _ in range(3):
        await table(played)
    assert problem(await ask(played, authorization="Bearer mf_nobody_0000")) == (401, "unauthorized", None)
    assert problem(await ask(played, "/standings?order=luck")) == (422, "invalid-request", None)
    await change(played, "/seasons/spring", public=False)
    for _ in range(3):
        assert (await ask(played, role="reader")).status_code == 200
        assert problem(await ask(played)) == (404, "not-found", None)


async def test_a_table_that_was_answered_often_is_counted_by_its_route(played: KeptSeason) -> None:
    label = 'method="GET",route="/v1/clubs/{club}/seasons/{season}/standings",status="200"'

    async def so_far() -> int:
        text = (await played.client.get("/metrics")).text
        found = re.search(re.escape(f"mafrate_request_seconds_count{{{label}}} ") + r"(\d+)", text)
        return int(found[1]) if found else 0

    before = await so_far()
    for _ in range(5):
        await table(played)
    assert await so_far() == before + 5


async def test_a_revoked_key_reads_nothing_any_more(played: KeptSeason) -> None:
    await change(played, "/seasons/spring", public=False)
    assert (await ask(played, role="reader")).status_code == 200
    answer = await played.client.delete(
        f"/v1/clubs/{played.club}/keys/{played.ids['reader']}", headers=bearer(played.secrets["president"])
    )
    assert answer.status_code == 204
    assert problem(await ask(played, role="reader")) == (401, "unauthorized", None)


async def test_head_says_what_get_would(played: KeptSeason) -> None:
    got = await ask(played)
    head = await played.client.head(f"/v1/clubs/{played.club}/seasons/{played.slug}/standings")
    assert (head.status_code, head.content) == (200, b"")
    assert dict(head.headers) == dict(got.headers)


@asynccontextmanager
async def worker(database_url: str, cache_url: str | None = None) -> AsyncIterator[tuple[FastAPI, AsyncClient]]:
    """Another process of the service as far as anything can tell: nothing but the database is shared."""
    app = create_app(Settings(database_url=database_url, cache_url=cache_url, admin_key=SecretStr(ADMIN)))
    transport = ASGITransport(app, raise_app_exceptions=False)
    async with AsyncClient(transport=transport, base_url="http://mafrate") as client:
        yield app, client
    app.state.scoreboard.close()
    app.state.database.close()


@pytest.fixture(params=["alone", "with Redis"])
def cache_url(request: pytest.FixtureRequest) -> str | None:
    return None if request.param == "alone" else str(request.getfixturevalue("redis_url"))


async def test_what_one_worker_took_is_in_the_next_table_of_another(database_url: str, cache_url: str | None) -> None:
    async with worker(database_url, cache_url) as (app, one), worker(database_url, cache_url) as (_, other):
        here = make_season(app.state.database, one)
        there = here._replace(client=other)
        for _ in range(3):
            assert places(await table(here)) == places(await table(there)) == []
        first = await here.kept(FIRST)
        assert await table(there) == await table(here)
        assert (await table(there))["games"] == 1
        await there.kept(SECOND)
        assert (await table(here))["games"] == 2
        await there.ask("judge", "DELETE", f"/{first['id']}")
        assert (await table(here))["games"] == 1
        await change(here, f"/players/{id_of(await table(here), 'P1')}", nickname="Ann")
        assert "Ann" in [name for _, name in places(await table(there))]
        await change(there, "/seasons/spring", public=False)
        assert (await ask(here)).status_code == 404


async def test_two_workers_give_one_validator(database_url: str) -> None:
    async with worker(database_url) as (app, one), worker(database_url) as (_, other):
        here = make_season(app.state.database, one)
        await here.kept(FIRST)
        assert await etag(here) == await etag(here._replace(client=other))


async def test_a_table_is_shared_through_redis_and_made_once(
    database_url: str,
    redis_url: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with worker(database_url, redis_url) as (app, one), worker(database_url, redis_url) as (second, other):
        here = make_season(app.state.database, one)
        await here.kept(FIRST)
        made = await ask(here)
        monkeypatch.setattr(second.state.scoreboard.tallies, "of", lambda _: pytest.fail("made again"))
        shared = await ask(here._replace(client=other))
        assert (shared.status_code, shared.content, shared.headers) == (200, made.content, made.headers)


async def test_a_shared_table_is_not_shown_to_who_may_not_read_it(database_url: str, redis_url: str) -> None:
    async with worker(database_url, redis_url) as (app, one), worker(database_url, redis_url) as (_, other):
        here = make_season(app.state.database, one, public=False)
        await here.kept(FIRST)
        assert (await ask(here, role="reader")).status_code == 200
        assert (await ask(here._replace(client=other))).status_code == 404


@pytest.mark.unsound
async def test_a_season_hidden_while_its_table_is_made_is_not_answered(
    played: KeptSeason, kept_app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between reading that the season is public and making its table, somebody hides it."""
    snapshots = kept_app.state.scoreboard.answers
    obtain = snapshots.obtain

    async def hide_then_obtain(*args: Any, **options: Any) -> Any:
        monkeypatch.setattr(snapshots, "obtain", obtain)
        with played.database.write() as tx:
            season = seasons.find_locked(tx, played.club, played.slug)
            assert season
            seasons.advance(tx, season)
            seasons.change(tx, season.id, {"public": False})
        return await obtain(*args, **options)

    monkeypatch.setattr(snapshots, "obtain", hide_then_obtain)
    assert problem(await ask(played)) == (404, "not-found", None)


async def test_on_sqlite_a_table_that_is_ready_asks_the_database_nothing(
    played: KeptSeason, kept_app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    if played.database.dialect != "sqlite":
        pytest.skip("PostgreSQL is asked for the season's head each time")
    await table(played)
    for way in ("read", "glance", "write"):
        monkeypatch.setattr(kept_app.state.database, way, lambda: pytest.fail("asked"))
    assert (await table(played))["games"] == 1
