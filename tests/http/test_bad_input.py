"""Bad input: always a clear 4xx problem that repeats nothing of what was sent, never a 500."""

import json
from collections.abc import AsyncIterator
from typing import Any

import anyio
import pytest
from fastapi import FastAPI
from httpx import ASGITransport, AsyncClient, Response

from app import validation
from app.routers import stateless
from app.web import bodies as bodies_
from app.web.middleware import drain_body

pytestmark = pytest.mark.anyio

SCORE = "/v1/rule-systems/maffamily/score"
STANDINGS = "/v1/rule-systems/maffamily/standings"
JSON = {"content-type": "application/json"}


def faults(answer: Response) -> list[tuple[str, str]]:
    assert answer.status_code == 422, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert problem["type"] == "/problems/invalid-request"
    for violation in problem["violations"]:
        assert violation["message"]
        assert violation["clause"] is None
    return [(violation["code"], violation["pointer"]) for violation in problem["violations"]]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"   ",
        b"{",
        b"{} {}",
        b"{'a': 1}",
        b"[1,]",
        b"{/* a */}",
        b"\x00",
        b"tru",
        b'{"outcome": NaN}',
        b'{"outcome": Infinity}',
        b'{"outcome": -Infinity}',
        b'{"table": 01}',
        b'{"table": +1}',
        b'{"judge": "\n"}',
        b'{"outcome": "red", "outcome": "black"}',
        b'{"seats": [{"seat": 1, "seat": 1}]}',
        b'{"judge": "\\ud800"}',
        b'{"\\udfff": 1}',
        b'{"table": ' + b"9" * 5000 + b"}",
        b'{"table": 1e' + b"9" * 30 + b"}",
        b"[" * 100_000,
        b"[" * 100_000 + b"]" * 100_000,
        b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
        "{'исход': 1}".encode("cp1251"),
        '{"outcome": "red"}'.encode("utf-16"),
        b'{"judge": "\xed\xa0\x80"}',
        b'{"judge": "\xc0\xaf"}',
    ],
)
@pytest.mark.parametrize("path", [SCORE, STANDINGS])
async def test_what_is_not_strict_json_is_one_violation_of_code_json(
    client: AsyncClient, path: str, body: bytes
) -> None:
    assert faults(await client.post(path, content=body, headers=JSON)) == [("json", "")]


@pytest.mark.parametrize("body", ["null", "true", "1", "0.5", '"red"', "[]"])
async def test_a_game_is_an_object(client: AsyncClient, body: str) -> None:
    assert faults(await client.post(SCORE, content=body, headers=JSON)) == [("type", "")]


@pytest.mark.parametrize(
    "member, written, fault",
    [
        ("outcome", '"blak"', ("value", "/outcome")),
        ("outcome", "1", ("type", "/outcome")),
        ("outcome", "null", ("missing", "/outcome")),
        ("stage", '"quarterfinal"', ("value", "/stage")),
        ("rated", "1", ("type", "/rated")),
        ("cancelled", '"true"', ("type", "/cancelled")),
        ("table", "1.5", ("type", "/table")),
        ("table", "1e-2", ("type", "/table")),
        ("table", "true", ("type", "/table")),
        ("table", '"1"', ("type", "/table")),
        ("table", "-1", ("too_small", "/table")),
        ("table", "1000001", ("too_large", "/table")),
        ("table", "123456789012345678901234567890", ("too_large", "/table")),
        ("played_on", '"14.03.2025"', ("value", "/played_on")),
        ("played_on", '"2025-02-30"', ("value", "/played_on")),
        ("played_on", '"2025-03-14T00:00"', ("value", "/played_on")),
        ("played_on", "20250314", ("value", "/played_on")),
        ("played_on", "[]", ("type", "/played_on")),
        ("external_id", '"' + "x" * 129 + '"', ("too_long", "/external_id")),
        ("judge", '"a\\u0000b"', ("value", "/judge")),
        ("seats", "{}", ("type", "/seats")),
        ("seats", '"ten"', ("type", "/seats")),
        ("first_kill", "4", ("type", "/first_kill")),
        ("first_kill", '{"seat": "4"}', ("type", "/first_kill/seat")),
        ("first_kill", '{"seat": 4, "best_move": [1, "2", 3]}', ("type", "/first_kill/best_move/1")),
        ("first_kill", '{"set": 4}', ("unknown_field", "/first_kill/set")),
        ("ppk", '"4"', ("type", "/ppk")),
        ("ppk", "[1, true]", ("type", "/ppk/1")),
        ("draw_makers", "4", ("type", "/draw_makers")),
        ("night_actions", '[{"night": 1, "seat": 1}]', ("missing", "/night_actions/0/target")),
        ("points", "12", ("unknown_field", "/points")),
        ("a/b~c", "1", ("unknown_field", "/a~1b~0c")),
    ],
)
async def test_a_members_shape_is_named_by_code_and_pointer(
    client: AsyncClient, game: dict[str, Any], member: str, written: str, fault: tuple[str, str]
) -> None:
    game.pop(member, None)
    body = f"{json.dumps(game)[:-1]}, {json.dumps(member)}: {written}}}"
    assert faults(await client.post(SCORE, content=body, headers=JSON)) == [fault]


@pytest.mark.parametrize(
    "member, written, fault",
    [
        ("seat", '"1"', "type"),
        ("seat", "1e500", "type"),
        ("seat", "null", "missing"),
        ("player", "7", "type"),
        ("player", '"   "', "too_short"),
        ("player", '"' + "x" * 65 + '"', "too_long"),
        ("player", '"a\\tb"', "value"),
        ("role", "null", "missing"),
        ("bonus", "true", "type"),
        ("bonus", "[]", "type"),
        ("bonus", "1e500", "value"),
        ("bonus", "1e99999999", "value"),
        ("bonus", "1e-99999999", "value"),
        ("bonus", '"1e99999999"', "value"),
        ("bonus", '"1_0"', "value"),
        ("bonus", '"٠.٣"', "value"),
        ("bonus", '" 0.3"', "value"),
        ("bonus", '"0.3\\n"', "value"),
        ("bonus", '"NaN"', "value"),
        ("bonus", "1" * 400 + ".5", "value"),
        ("penalties", '"broke_red_at_ten"', "type"),
        ("removed", "1", "type"),
        ("removed", '{"affected_team": 0}', "type"),
        ("fouls", "-1", "too_small"),
    ],
)
async def test_a_seats_shape_is_named_by_code_and_pointer(
    client: AsyncClient, game: dict[str, Any], member: str, written: str, fault: str
) -> None:
    game["seats"][3].pop(member, None)
    seat = f"{json.dumps(game['seats'][3])[:-1]}, {json.dumps(member)}: {written}}}"
    body = json.dumps(game).replace(json.dumps(game["seats"][3]), seat)
    [(code, pointer)] = faults(await client.post(SCORE, content=body, headers=JSON))
    assert code == fault
    assert pointer in {f"/seats/3/{member}", f"/seats/3/{member}/affected_team"}


async def test_all_shape_errors_come_at_once_and_no_rule_violation_beside_them(
    client: AsyncClient, game: dict[str, Any]
) -> None:
    game["seats"] = [{"seat": 1, "player": "", "role": 1}, {"seat": 1}]
    game |= {"rated": "yes", "what": 1}
    assert set(faults(await client.post(SCORE, json=game))) == {
        ("too_short", "/seats/0/player"),
        ("type", "/seats/0/role"),
        ("missing", "/seats/1/player"),
        ("missing", "/seats/1/role"),
        ("type", "/rated"),
        ("unknown_field", "/what"),
    }


async def test_a_wrong_word_comes_with_the_right_ones_and_the_nearest(
    client: AsyncClient, game: dict[str, Any]
) -> None:
    [violation] = (await client.post(SCORE, json=game | {"outcome": "Blak"})).json()["violations"]
    assert violation["limit"] == ["red", "black", "maniac", "draw"]
    assert violation["suggestions"] == ["black"]
    [violation] = (await client.post(SCORE, json=game | {"outcome": "?"})).json()["violations"]
    assert "suggestions" not in violation


async def test_the_nearest_word_is_not_looked_for_where_none_can_be_near(
    client: AsyncClient, game: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_for: list[str] = []

    def near(word: str, *_: object) -> list[str]:
        looked_for.append(word)
        return []

    monkeypatch.setattr(validation, "nearest", near)
    for word in ("blak", "b" * 64, "b" * 65, "b" * 30_000):
        assert faults(await client.post(SCORE, json=game | {"outcome": word})) == [("value", "/outcome")]
    assert looked_for == ["blak", "b" * 64]


async def test_a_length_comes_with_its_limit(client: AsyncClient, game: dict[str, Any]) -> None:
    game["seats"][0]["player"] = "x" * 65
    [violation] = (await client.post(SCORE, json=game)).json()["violations"]
    assert (violation["code"], violation["limit"], violation["message"]) == (
        "too_long",
        64,
        "expected at most 64 characters",
    )


async def test_no_problem_repeats_what_was_sent(client: AsyncClient, game: dict[str, Any]) -> None:
    game["seats"][0] |= {"role": ["s3cret"], "bonus": "s3cret", "player": "s3cret\n" * 20}
    bodies = [json.dumps(game | {"outcome": "s3cret", "played_on": "s3cret"}), '{"a": s3cret', '"s3cret"']
    for body in bodies:
        answer = await client.post(SCORE, content=body, headers=JSON)
        assert answer.status_code == 422
        assert "s3cret" not in answer.text


async def test_a_byte_order_mark_is_read_over(client: AsyncClient, game: dict[str, Any]) -> None:
    body = b"\xef\xbb\xbf" + json.dumps(game).encode()
    assert (await client.post(SCORE, content=body, headers=JSON)).status_code == 200


@pytest.mark.parametrize(
    "content_type", ["application/json", "Application/JSON; charset=UTF-8", "application/vnd.club.game+json"]
)
async def test_json_may_be_called_by_any_of_its_names(
    client: AsyncClient, game: dict[str, Any], content_type: str
) -> None:
    answer = await client.post(SCORE, content=json.dumps(game), headers={"content-type": content_type})
    assert answer.status_code == 200


@pytest.mark.parametrize(
    "headers, word",
    [
        ({}, "Set Content-Type: application/json"),
        ({"content-type": ""}, "Only JSON is accepted"),
        ({"content-type": "text/plain"}, "Only JSON is accepted"),
        ({"content-type": "application/x-www-form-urlencoded"}, "Only JSON is accepted"),
        ({"content-type": "text/x+json"}, "Only JSON is accepted"),
        ({"content-type": "application/json; charset=windows-1251"}, "encoded in UTF-8"),
        ({"content-type": "application/json", "content-encoding": "gzip"}, "Content-Encoding"),
    ],
)
@pytest.mark.parametrize("path", [SCORE, STANDINGS])
async def test_another_type_of_body_is_told_which_one_is_read(
    client: AsyncClient, game: dict[str, Any], path: str, headers: dict[str, str], word: str
) -> None:
    answer = await client.post(path, content=json.dumps(game).encode(), headers=headers)
    assert (answer.status_code, answer.json()["type"]) == (415, "/problems/unsupported-media-type")
    assert word in answer.json()["detail"]


class Endless:
    """A body without end or stated length; ``sent`` says how much of it was taken."""

    def __init__(self) -> None:
        self.sent = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while True:
            self.sent += 100_000
            yield b" " * 100_000


@pytest.mark.parametrize("path, limit", [(SCORE, 1_000_000), (STANDINGS, 32_000_000)])
@pytest.mark.parametrize("stated", [None, "10"])
async def test_a_body_is_counted_while_it_arrives_whatever_its_headers_say(
    client: AsyncClient, path: str, limit: int, stated: str | None
) -> None:
    body = Endless()
    headers = JSON if stated is None else JSON | {"content-length": stated}
    answer = await client.post(path, content=body, headers=headers)
    assert (answer.status_code, answer.json()["type"]) == (413, "/problems/too-large")
    assert str(limit) in answer.json()["detail"]
    assert answer.headers["connection"] == "close"
    assert body.sent <= limit + 200_000 + drain_body.MOST_BYTES


async def test_a_body_that_says_it_is_too_large_is_not_looked_at(
    client: AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drain_body, "MOST_BYTES", 0)
    for stated in ("1000001", "9" * 100):
        body = Endless()
        answer = await client.post(SCORE, content=body, headers=JSON | {"content-length": stated})
        assert answer.status_code == 413
        assert body.sent == 0


async def test_a_body_of_exactly_the_limit_is_read(client: AsyncClient, game: dict[str, Any]) -> None:
    body = json.dumps(game).encode().ljust(1_000_000)
    assert (await client.post(SCORE, content=body, headers=JSON)).status_code == 200
    assert (await client.post(SCORE, content=body + b" ", headers=JSON)).status_code == 413


async def test_a_body_that_does_not_arrive_is_given_up(client: AsyncClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies_, "BODY_SECONDS", 0.01)

    async def slow() -> AsyncIterator[bytes]:
        yield b"{"
        await anyio.sleep(5)
        yield b"}"

    answer = await client.post(SCORE, content=slow(), headers=JSON)
    assert (answer.status_code, answer.json()["type"]) == (408, "/problems/too-slow")


@pytest.mark.parametrize(
    "query, faults_found",
    [
        ("?verson=1", [("unknown_field", "?verson")]),
        ("?version=one", [("type", "?version")]),
        ("?version=", [("type", "?version")]),
        ("?version=0", [("too_small", "?version")]),
        ("?version=99999999999999999999", [("too_large", "?version")]),
        ("?version=1&version=1", [("value", "?version")]),
        ("?%ff=%ff", [("unknown_field", "?\ufffd")]),
    ],
)
async def test_a_query_has_a_shape_too(
    client: AsyncClient, game: dict[str, Any], query: str, faults_found: list[tuple[str, str]]
) -> None:
    assert faults(await client.post(SCORE + query, json=game)) == faults_found
    assert faults(await client.get("/v1/rule-systems/maffamily" + query)) == faults_found


@pytest.mark.parametrize("system", ["mafamily", "MAFFAMILY", "club:x", "%00", "..%2f..%2fetc", "я" * 500, "%ed%a0%80"])
async def test_an_unknown_system_is_not_found(client: AsyncClient, game: dict[str, Any], system: str) -> None:
    for answer in (
        await client.get(f"/v1/rule-systems/{system}"),
        await client.post(f"/v1/rule-systems/{system}/score", json=game),
        await client.post(f"/v1/rule-systems/{system}/standings", json={}),
    ):
        assert (answer.status_code, answer.json()["type"]) == (404, "/problems/not-found")


async def test_a_misspelt_system_is_answered_with_the_nearest(client: AsyncClient) -> None:
    answer = await client.get("/v1/rule-systems/sport-procent")
    assert "did you mean sport-percent?" in answer.json()["detail"]


async def test_a_fault_of_the_service_tells_nothing_of_itself(
    app: FastAPI, game: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("the password is hunter2")

    monkeypatch.setattr(stateless, "find_system", broken)
    async with AsyncClient(transport=ASGITransport(app, raise_app_exceptions=False), base_url="http://t") as client:
        answer = await client.post(SCORE, json=game)
    assert (answer.status_code, answer.json()["type"]) == (500, "/problems/internal")
    assert "hunter2" not in answer.text
    assert answer.json()["violations"] == []


@pytest.mark.parametrize("member", ["seats", "ppk", "draw_makers", "night_actions"])
async def test_a_list_that_is_far_too_long_is_refused_without_a_look_at_its_members(
    client: AsyncClient, game: dict[str, Any], member: str
) -> None:
    game[member] = [{}] * 100_000

    answer = await client.post("/v1/rule-systems/sport-percent/score", json=game)

    assert answer.status_code == 422
    found = answer.json()["violations"]
    assert [(violation["code"], violation["pointer"]) for violation in found] == [("too_long", f"/{member}")]


async def test_an_object_with_very_many_members_is_refused_as_one_fault(client: AsyncClient) -> None:
    answer = await client.post("/v1/rule-systems/maffamily/score", json={f"x{i}": i for i in range(1001)})

    assert answer.status_code == 422
    assert [violation["code"] for violation in answer.json()["violations"]] == ["json"]


@pytest.mark.parametrize("place", ["/seats", "/seats/3/player", "/seats/3/role", "/seats/3/seat", "/outcome"])
async def test_null_is_absent_where_a_member_is_required(client: AsyncClient, game: dict[str, Any], place: str) -> None:
    holder: Any = game
    *steps, last = place.strip("/").split("/")
    for step in steps:
        holder = holder[int(step)] if step.isdigit() else holder[step]
    holder[last] = None
    with_null = await client.post("/v1/rule-systems/maffamily/score", json=game)
    del holder[last]
    without = await client.post("/v1/rule-systems/maffamily/score", json=game)

    assert [(found["code"], found["pointer"]) for found in with_null.json()["violations"]] == [("missing", place)]
    assert with_null.json() == without.json()


@pytest.mark.parametrize("written", ["1.0", "1e0", "10e-1"])
async def test_a_whole_number_is_one_however_it_is_written(
    client: AsyncClient, game: dict[str, Any], written: str
) -> None:
    body = json.dumps(game).replace('"seat": 1,', f'"seat": {written},')

    answer = await client.post(
        "/v1/rule-systems/maffamily/score", content=body, headers={"Content-Type": "application/json"}
    )

    assert answer.status_code == 200
    assert b'"seat":1,' in answer.content


async def test_an_unknown_member_is_unknown_with_null_too(client: AsyncClient, game: dict[str, Any]) -> None:
    answer = await client.post("/v1/rule-systems/maffamily/score", json={**game, "winner": None})

    assert [(found["code"], found["pointer"]) for found in answer.json()["violations"]] == [
        ("unknown_field", "/winner")
    ]
