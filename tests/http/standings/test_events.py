"""Events of a season: every revision once and in order, over reconnects, for whoever may read it."""

import asyncio
import json
from copy import deepcopy
from datetime import UTC, datetime
from itertools import count
from typing import Any

import pytest
from fastapi import FastAPI
from httpx import AsyncClient

from app.repositories.clubs import keys
from app.repositories.database import Database
from app.repositories.tables import KEYS, SEASONS
from app.services.standings.events import live_seasons
from app.web import event_stream
from tests.http.club import bearer
from tests.http.conftest import RED_WON
from tests.http.kept_season import KeptSeason, make_season, problem, read
from tests.http.streams import Event, Stream, streaming

pytestmark = pytest.mark.anyio

_numbers = count(1)


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_seasons, "LOOK_SECONDS", 0.005)


def another(**changes: Any) -> dict[str, Any]:
    """A game that nobody has sent yet."""
    return deepcopy(RED_WON) | {"played_on": "2025-03-14", "number": next(_numbers), **changes}


def path(season: KeptSeason, query: str = "") -> str:
    return f"/v1/clubs/{season.club}/seasons/{season.slug}/standings/events{query}"


def revision(number: int, *games: tuple[str, str], more: int = 0) -> Event:
    named = [{"id": id, "status": status} for id, status in games]
    return Event("revision", number, {"revision": number, "games": named, "more": more})


async def test_each_change_is_an_event_with_the_games_that_it_changed(spring: KeptSeason, kept_app: FastAPI) -> None:
    async with streaming(kept_app, path(spring)) as stream:
        assert (stream.status, stream.headers["content-type"]) == (200, "text/event-stream")
        assert stream.headers["cache-control"] == "no-store"
        game = await spring.kept(another())
        assert await stream.event() == revision(1, (game["id"], "counted"))
        assert stream.retry == 3000
        corrected = read(await spring.correct(game, another(outcome="black"), "president"))
        assert await stream.event() == revision(2, (game["id"], "counted"))
        await spring.ask("president", "DELETE", f"/{corrected['id']}")
        assert await stream.event() == revision(3, (game["id"], "voided"))
        bonus = another()
        bonus["seats"][0]["bonus"] = 0.6
        waiting = await spring.kept(bonus)
        assert await stream.event() == revision(4, (waiting["id"], "pending"))
        renamed = await spring.client.patch(
            f"/v1/clubs/{spring.club}/players/{waiting['game']['seats'][0]['player_id']}",
            json={"nickname": "Anna"},
            headers=bearer(spring.secrets["president"]),
        )
        assert renamed.status_code == 200
        assert await stream.event() == revision(5)


async def test_a_batch_is_one_event_that_names_a_hundred_games(spring: KeptSeason, kept_app: FastAPI) -> None:
    games = [another() | {"external_id": f"{number}"} for number in range(103)]
    games[100]["seats"][0]["bonus"] = 0.6  # waits for the president: in no table, and changed all the same
    content = b"\n".join(json.dumps(game).encode() for game in games)
    headers = {**bearer(spring.secrets["judge"]), "content-type": "application/x-ndjson"}
    async with streaming(kept_app, path(spring)) as stream:
        answer = await spring.client.post(f"{spring.path}/import", content=content, headers=headers)
        ids = [json.loads(line)["id"] for line in answer.text.splitlines()[:-1]]
        event = await stream.event()
    assert (event.id, event.data["more"]) == (1, 3)
    assert [game["id"] for game in event.data["games"]] == ids[:100]
    async with streaming(kept_app, path(spring, "?after=0")) as stream:
        assert await stream.event() == event


async def test_a_season_under_other_rules_names_every_game(spring: KeptSeason, kept_app: FastAPI) -> None:
    kept = [await spring.kept(another()) for _ in range(2)]
    async with streaming(kept_app, path(spring)) as stream:
        changed = await spring.client.patch(
            spring.path.removesuffix("/games"),
            json={"rule_system": "sport-percent"},
            headers=bearer(spring.secrets["president"]),
        )
        assert changed.status_code == 200
        assert await stream.event() == revision(3, *[(game["id"], "counted") for game in kept])


@pytest.mark.parametrize("query", ["", "?after=1"], ids=["as it happens", "missed"])
async def test_games_that_are_hidden_are_named_to_the_club_alone(
    spring: KeptSeason, kept_app: FastAPI, query: str
) -> None:
    shown, hidden = another(), another(played_on="2025-03-15")
    season = spring.path.removesuffix("/games")
    president = bearer(spring.secrets["president"])
    told = await spring.client.patch(season, json={"hidden_from": {"day": "2025-03-15"}}, headers=president)
    assert told.status_code == 200
    games = [await spring.kept(shown), await spring.kept(hidden)] if query else []
    reader = bearer(spring.secrets["reader"])
    async with (
        streaming(kept_app, path(spring, query)) as public,
        streaming(kept_app, path(spring, query), reader) as own,
    ):
        games = games or [await spring.kept(shown), await spring.kept(hidden)]
        first, second = ((game["id"], "counted") for game in games)
        assert await own.events_to(3) == [revision(2, first), revision(3, second)]
        assert await public.events_to(3) == [revision(2, first), revision(3)]


async def test_whoever_comes_back_misses_nothing_and_is_told_nothing_twice(
    spring: KeptSeason, kept_app: FastAPI
) -> None:
    seen: list[Event] = []
    for _ in range(3):
        last = {"Last-Event-ID": str(seen[-1].id)} if seen else {}
        # The address of a browser stays as it was at first; what it was told last counts for more.
        async with streaming(kept_app, path(spring, "?after=0"), last) as stream:
            for _ in range(2):
                await spring.kept(another())
            seen += await stream.events_to(len(seen) + 2)
        await spring.kept(another())  # while nobody listens
        async with streaming(kept_app, path(spring), {"Last-Event-ID": str(seen[-1].id)}) as stream:
            seen.append(await stream.event())
    assert [event.id for event in seen] == list(range(1, 10))
    assert {event.name for event in seen} == {"revision"}


async def test_many_listeners_are_told_the_same_by_one_task(spring: KeptSeason, kept_app: FastAPI) -> None:
    async def listen() -> list[int]:
        async with streaming(kept_app, path(spring, "?after=0")) as stream:
            return [event.id for event in await stream.events_to(30)]

    listening = [asyncio.create_task(listen()) for _ in range(40)]
    for _ in range(30):
        await spring.kept(another())
    told = await asyncio.gather(*listening)
    assert told == [list(range(1, 31))] * 40
    assert kept_app.state.live_seasons._followed == {}
    assert kept_app.state.stream_slots.free > 40


@pytest.mark.parametrize("after", ["?after=2", "?after=9000"])
async def test_whoever_is_ahead_of_the_season_begins_anew(spring: KeptSeason, kept_app: FastAPI, after: str) -> None:
    await spring.kept(another())
    async with streaming(kept_app, path(spring, after)) as stream:
        assert await stream.event() == Event("reset", 1, {"revision": 1})
        await spring.kept(another())
        assert (await stream.event()).id == 2


@pytest.mark.unsound
async def test_whoever_was_told_what_the_database_has_lost_begins_anew(spring: KeptSeason, kept_app: FastAPI) -> None:
    """It was restored from an older copy, or the same revision is another one there."""
    for _ in range(2):
        await spring.kept(another())
    async with streaming(kept_app, path(spring)) as stream:
        for lost in ({"revision": 1}, {"change_token": 5}, {"revision": 0, "change_token": 6}):
            with kept_app.state.database.write() as tx:
                tx.execute(SEASONS.update().values(lost))
                now = tx.execute(SEASONS.select()).one().revision
            assert await stream.event() == Event("reset", now, {"revision": now})


async def test_whoever_missed_too_much_begins_anew(
    spring: KeptSeason, kept_app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_seasons, "MOST_MISSED", 2)
    for _ in range(3):
        await spring.kept(another())
    async with streaming(kept_app, path(spring, "?after=0")) as stream:
        assert await stream.event() == Event("reset", 3, {"revision": 3})
        await spring.kept(another())
        assert (await stream.event()).id == 4
    async with streaming(kept_app, path(spring, "?after=2")) as stream:
        assert [event.id for event in await stream.events_to(4)] == [3, 4]


async def test_a_client_that_does_not_read_holds_nothing_and_catches_up(
    spring: KeptSeason, kept_app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_seasons, "_CHUNKS_KEPT", 2)
    monkeypatch.setattr(live_seasons, "CHUNK_BYTES", 300)
    async with streaming(kept_app, path(spring)) as slow, streaming(kept_app, path(spring)) as quick:
        for number in range(1, 21):
            await spring.kept(another())
            assert (await quick.event()).id == number
        assert [event.id for event in await slow.events_to(20)] == list(range(1, 21))


async def test_a_season_that_is_not_public_is_followed_with_a_key_of_the_club(
    kept_app: FastAPI, kept_client: AsyncClient
) -> None:
    hidden = make_season(kept_app.state.database, kept_client, public=False)
    other = make_season(kept_app.state.database, kept_client, club="kyiv")
    for headers in ({}, bearer(other.secrets["president"])):
        assert problem(await kept_client.get(path(hidden), headers=headers))[1] == "not-found"
    async with streaming(kept_app, path(hidden), bearer(hidden.secrets["reader"])) as stream:
        await hidden.kept(another())
        assert (await stream.event()).id == 1


async def test_who_may_read_is_asked_again_before_each_event(spring: KeptSeason, kept_app: FastAPI) -> None:
    """A revoked key, an expired one, and a season that is public no longer end the stream before the event."""

    async def told(stream: Stream) -> int:
        return (await stream.event()).id

    reader, judge = bearer(spring.secrets["reader"]), bearer(spring.secrets["judge"])
    async with (
        streaming(kept_app, path(spring), reader) as revoked,
        streaming(kept_app, path(spring), judge) as expired,
        streaming(kept_app, path(spring), bearer(spring.secrets["president"])) as president,
        streaming(kept_app, path(spring)) as anonymous,
    ):
        streams = [revoked, expired, president, anonymous]
        await spring.kept(another(), "president")
        assert [await told(stream) for stream in streams] == [1, 1, 1, 1]
        shut(kept_app.state.database, spring)
        await spring.kept(another(), "president")
        assert [await told(stream) for stream in (president, anonymous)] == [2, 2]
        await revoked.end()
        await expired.end()
        closing = {"public": False}
        season = spring.path.removesuffix("/games")
        await spring.client.patch(season, json=closing, headers=bearer(spring.secrets["president"]))
        assert await told(president) == 3
        await anonymous.end()
    answer = await spring.client.get(path(spring), headers=reader)
    assert problem(answer)[1] == "unauthorized"


def shut(database: Database, season: KeptSeason) -> None:
    """Let the reader's key be revoked, and the judge's time be over."""
    now = datetime.now(UTC)
    with database.write() as tx:
        for row in tx.execute(KEYS.select().where(KEYS.c.role.in_(["reader", "judge"]))).all():
            if row.role == "reader":
                keys.revoke(tx, row.id, now)
            else:
                tx.execute(KEYS.update().where(KEYS.c.id == row.id).values(expires_at=now))


async def test_a_deleted_season_ends_its_streams(spring: KeptSeason, kept_app: FastAPI) -> None:
    async with streaming(kept_app, path(spring)) as stream:
        season = spring.path.removesuffix("/games")
        gone = await spring.client.delete(season, headers=bearer(spring.secrets["president"]))
        assert gone.status_code == 204
        await stream.end()


async def test_beyond_the_limit_of_streams_others_are_told_to_come_again(spring: KeptSeason, kept_app: FastAPI) -> None:
    kept_app.state.stream_slots.free = 1
    async with streaming(kept_app, path(spring)):
        answer = await spring.client.get(path(spring))
        assert problem(answer)[:2] == (503, "unavailable")
        assert answer.headers["retry-after"] == "2"
        assert (await spring.client.get(path(spring).removesuffix("/events"))).status_code == 200
    async with streaming(kept_app, path(spring)) as stream:
        assert stream.status == 200


async def test_a_comment_shows_that_a_silent_stream_is_alive(
    spring: KeptSeason, kept_app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_stream, "COMMENT_SECONDS", 0.01)
    async with streaming(kept_app, path(spring)) as stream:
        while stream._text.count(":") < 4:  # retry and three comments
            await stream.take()
        await spring.kept(another())
        assert (await stream.event()).id == 1
        assert stream.comments >= 3


@pytest.mark.parametrize("last", ["x", "-1", "1.5", "", "9" * 19])
async def test_a_last_event_that_is_none_is_refused(spring: KeptSeason, last: str) -> None:
    answer = await spring.client.get(path(spring), headers={"Last-Event-ID": last})
    assert problem(answer)[:2] == (422, "invalid-request")
    assert [fault["pointer"] for fault in answer.json()["violations"]] == ["Last-Event-ID"]
    answer = await spring.client.get(path(spring, "?after=x"))
    assert [fault["pointer"] for fault in answer.json()["violations"]] == ["?after"]


async def test_head_tells_what_a_stream_begins_with_and_ends(spring: KeptSeason, kept_app: FastAPI) -> None:
    async with streaming(kept_app, path(spring), method="HEAD") as stream:
        assert (stream.status, stream.headers["content-type"]) == (200, "text/event-stream")
        message = await stream.take()
        assert (message.get("body"), stream.is_over) == (b"", True)


async def test_streams_end_with_the_process_and_count_as_quick(spring: KeptSeason, kept_app: FastAPI) -> None:
    route = "/v1/clubs/{club}/seasons/{season}/standings/events"
    answered = f'mafrate_request_seconds_count{{method="GET",route="{route}",status="200"}}'

    async def measured() -> tuple[float, float]:
        lines = (await spring.client.get("/metrics")).text.splitlines()
        values = {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines if line[0] != "#")}
        return values.get(answered, 0.0), values["mafrate_open_streams"]

    before, opened = await measured()
    async with streaming(kept_app, path(spring)) as stream:
        assert await measured() == (before + 1, opened + 1)
        kept_app.state.live_seasons.stop()
        await stream.end()
    await kept_app.state.live_seasons.ended()
    assert await measured() == (before + 1, opened)
    assert (await spring.client.get(path(spring))).text == "retry: 3000\n\n"
