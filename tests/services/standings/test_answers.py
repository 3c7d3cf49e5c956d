"""Ready answers: made once, bounded, shared through Redis while it is there, and never the worse for it."""

import asyncio
import socket
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from typing import Any

import anyio
import pytest
import redis

from app.repositories.standings.shared_cache import SharedCache
from app.services.standings.cache.answers import AnswerCache, AnswerKey, BuiltAnswer, Openness, View, tag_of
from app.services.standings.table_query import TableQuery

pytestmark = pytest.mark.anyio

KEY = AnswerKey("stamp", View("standings", "en", TableQuery()))
OPEN = Openness(public=True, hidden_stage=None, hidden_day=None)
BODY = b'{"rows":[]}' * 50


def key(number: int) -> AnswerKey:
    return KEY._replace(stamp=f"stamp {number}")


def building(made: list[AnswerKey], key: AnswerKey = KEY, body: bytes = BODY) -> Callable[[], BuiltAnswer]:
    """Builds an answer and notes that it did."""

    def build() -> BuiltAnswer:
        made.append(key)
        return BuiltAnswer(key, OPEN, body)

    return build


async def obtained(snapshots: AnswerCache, made: list[AnswerKey], key: AnswerKey = KEY, body: bytes = BODY) -> bytes:
    return (await snapshots.obtain(key, building(made, key, body), openness=OPEN)).body


@asynccontextmanager
async def silent_server() -> AsyncIterator[str]:
    """The URL of a Redis that takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"redis://127.0.0.1:{server.getsockname()[1]}"


@asynccontextmanager
async def nobody() -> AsyncIterator[str]:
    """The URL of a Redis that is not there."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield f"redis://127.0.0.1:{bound.getsockname()[1]}"


def test_keys_that_differ_anywhere_have_other_tags() -> None:
    view = KEY.view
    others = [
        view._replace(name="awards"),
        view._replace(language="ru"),
        view._replace(language=None),
        view._replace(player="p_1"),
        view._replace(asked=TableQuery(order="points")),
        view._replace(asked=TableQuery(unpublished=True)),
        view._replace(asked=TableQuery(revision=1)),
    ]
    keys = [KEY, key(1), *(KEY._replace(view=other) for other in others)]
    assert len({tag_of(each) for each in keys}) == len(keys)


def test_no_id_in_a_path_makes_one_key_look_like_another() -> None:
    asked = TableQuery(unpublished=True)
    hidden = KEY._replace(view=View("player", "en", asked, "p_1"))
    crafted = KEY._replace(view=View("player", "en", TableQuery(), f"p_1', {asked!r}"))
    assert tag_of(crafted) != tag_of(hidden)


async def test_an_answer_is_made_once_and_then_ready() -> None:
    snapshots, made = AnswerCache(), list[AnswerKey]()
    assert snapshots.ready(KEY) is None
    assert await obtained(snapshots, made) == BODY
    found = snapshots.ready(KEY)
    assert found
    assert (found.body, made) == (BODY, [KEY])


async def test_who_asks_while_an_answer_is_made_waits_for_that_one() -> None:
    snapshots, made = AnswerCache(), list[AnswerKey]()
    release = threading.Event()

    def build() -> BuiltAnswer:
        release.wait(5)
        return building(made)()

    asked = [asyncio.ensure_future(snapshots.obtain(KEY, build, openness=OPEN)) for _ in range(50)]
    await anyio.sleep(0.05)
    asked[0].cancel()
    release.set()
    answers = await asyncio.gather(*asked, return_exceptions=True)
    assert isinstance(answers[0], asyncio.CancelledError)
    assert {answer.body for answer in answers[1:] if not isinstance(answer, BaseException)} == {BODY}
    assert made == [KEY]


async def test_an_answer_that_could_not_be_made_is_tried_again_by_who_asks_next() -> None:
    snapshots, made = AnswerCache(), list[AnswerKey]()

    def fail() -> BuiltAnswer:
        raise ZeroDivisionError

    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            await snapshots.obtain(KEY, fail, openness=OPEN)
    assert await obtained(snapshots, made) == BODY


async def test_an_answer_that_turned_out_newer_is_kept_under_what_it_is_of() -> None:
    snapshots, made = AnswerCache(), list[AnswerKey]()
    answer = await snapshots.obtain(key(1), building(made, key(2)), openness=OPEN)
    assert answer.key == key(2)
    assert snapshots.ready(key(1)) is None
    assert snapshots.ready(key(2)) == answer


async def test_answers_take_no_more_memory_than_they_may() -> None:
    snapshots, made = AnswerCache(most_bytes=10_000), list[AnswerKey]()
    for number in range(20):
        await obtained(snapshots, made, key(number))
        snapshots.ready(key(0))
    ready = [number for number in range(20) if snapshots.ready(key(number))]
    assert ready[0] == 0, "who is asked for stays"
    assert ready[1:] == list(range(ready[1], 20))
    assert len(ready) == 10_000 // (len(BODY) + 1_000 + len(answer_gzipped(snapshots)))


def answer_gzipped(snapshots: AnswerCache) -> bytes:
    found = snapshots.ready(key(0))
    assert found
    return found.gzipped


async def test_an_answer_larger_than_all_memory_is_given_and_not_kept() -> None:
    snapshots, made = AnswerCache(most_bytes=10), list[AnswerKey]()
    assert await obtained(snapshots, made) == BODY
    assert snapshots.ready(KEY) is None
    assert await obtained(snapshots, made) == BODY


async def test_another_process_finds_in_redis_what_one_made(redis_url: str) -> None:
    made: list[AnswerKey] = []
    with closing(SharedCache(redis_url)) as shared:
        assert await obtained(AnswerCache(shared), made) == BODY
        assert await obtained(AnswerCache(shared), made) == BODY
        assert await obtained(AnswerCache(shared), made, key(1)) == BODY
    assert made == [KEY, key(1)]


async def test_what_redis_keeps_goes_by_itself(redis_url: str) -> None:
    with closing(SharedCache(redis_url)) as shared, closing(redis.Redis.from_url(redis_url)) as server:
        await obtained(AnswerCache(shared), [])
        assert 0 < server.ttl(f"mafrate:{tag_of(KEY)}") <= 24 * 3600


@pytest.mark.parametrize("rubbish", [b"", b"nonsense", b"0" * 500, "the tag alone", "of another key", "cut short"])
async def test_what_is_no_answer_in_redis_is_made_anew(redis_url: str, rubbish: bytes | str) -> None:
    made: list[AnswerKey] = []
    with closing(SharedCache(redis_url)) as shared, closing(redis.Redis.from_url(redis_url)) as server:
        await obtained(AnswerCache(shared), [])
        await obtained(AnswerCache(shared), [], key(1), b"of another")
        name, kept = f"mafrate:{tag_of(KEY)}", shared.get(tag_of(KEY))
        other = shared.get(tag_of(key(1)))
        assert kept
        assert other
        written = {"the tag alone": tag_of(KEY).encode(), "of another key": other, "cut short": kept[:-4]}
        server.set(name, rubbish if isinstance(rubbish, bytes) else written[rubbish])
        assert await obtained(AnswerCache(shared), made) == BODY
        assert shared.get(tag_of(KEY)) == kept
    assert made == [KEY]


async def test_redis_holding_something_else_under_the_name_changes_nothing(redis_url: str) -> None:
    made: list[AnswerKey] = []
    with closing(SharedCache(redis_url)) as shared, closing(redis.Redis.from_url(redis_url)) as server:
        server.rpush(f"mafrate:{tag_of(KEY)}", "a list")
        assert await obtained(AnswerCache(shared), made) == BODY
    assert made == [KEY]


@pytest.mark.parametrize("gone", [nobody, silent_server])
async def test_without_redis_answers_are_made_and_it_is_left_alone_for_a_while(
    gone: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[AnswerKey] = []
    async with gone() as url:
        with closing(SharedCache(url)) as shared:
            snapshots = AnswerCache(shared)
            assert await obtained(snapshots, made) == BODY
            connect = shared._redis.get
            monkeypatch.setattr(shared._redis, "get", lambda *_: pytest.fail("asked again"))
            monkeypatch.setattr(shared._redis, "set", lambda *_, **__: pytest.fail("asked again"))
            assert await obtained(snapshots, made, key(1)) == BODY
            assert not shared.answers()
            monkeypatch.setattr(shared._redis, "get", connect)
    assert made == [KEY, key(1)]


async def test_a_redis_that_came_back_is_asked_again_after_a_while(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(SharedCache(redis_url)) as shared:
        monkeypatch.setattr(shared._redis, "get", refuse)
        assert shared.get("anything") is None
        monkeypatch.undo()
        shared.put(tag_of(KEY), b"value")
        assert not shared.answers()
        monkeypatch.setattr(shared, "_resting_until", 0.0)
        shared.put(tag_of(KEY), b"value")
        assert shared.get(tag_of(KEY)) == b"value"
        assert shared.answers()


def refuse(*_args: Any) -> None:
    raise redis.ConnectionError
