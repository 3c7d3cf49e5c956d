"""Webhooks of a club over HTTP: their settings, and what they are told of each change."""

import base64
import hashlib
import hmac
import json
import re
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

import pytest
from fastapi import FastAPI

from app.services.clubs.webhooks.event_types import TYPES
from docs.examples.receiver import is_from_service
from tests.http.club import Club, bearer
from tests.http.conftest import RED_WON
from tests.http.kept_season import KeptSeason, problem, read
from tests.services.clubs.webhooks.delivering import Desk, Message

pytestmark = pytest.mark.anyio

URL = "https://bot.example/hook"


async def made(club: Club, **asked: Any) -> dict[str, Any]:
    return read(await club.ask("president", "POST", "/webhooks", {"url": URL, **asked}), 201)


async def test_a_webhook_is_made_changed_and_deleted(club: Club) -> None:
    answer = await club.ask("president", "POST", "/webhooks", {"url": URL, "types": ["game.counted"]})
    webhook = read(answer, 201)
    path = f"/webhooks/{webhook['id']}"
    assert answer.headers["location"] == f"/v1/clubs/{club.slug}{path}"
    assert re.fullmatch("whsec_[A-Za-z0-9+/]{43}=", webhook.pop("secret"))
    assert (webhook["url"], webhook["name"], webhook["types"]) == (URL, "bot.example", ["game.counted"])
    assert (webhook["failing_since"], webhook["disabled_at"]) == (None, None)
    got = await club.ask("president", "GET", path)
    assert read(got) == webhook
    assert read(await club.ask("president", "GET", "/webhooks"))["items"] == [webhook]
    changed = read(await club.ask("president", "PATCH", path, {"types": None, "name": "Bot"}))
    assert changed == webhook | {"types": None, "name": "Bot"}
    disabled = read(await club.ask("president", "PATCH", path, {"disabled": True}))
    assert disabled["disabled_at"] is not None
    assert read(await club.ask("president", "PATCH", path, {"disabled": False})) == changed
    assert (await club.ask("president", "DELETE", path)).status_code == 204
    assert problem(await club.ask("president", "GET", path))[1] == "not-found"
    changes = read(await club.ask("president", "GET", "/changes"))["items"]
    assert [one["action"] for one in changes if one["action"].startswith("webhook")] == [
        "webhook_deleted",
        "webhook_changed",
        "webhook_changed",
        "webhook_changed",
        "webhook_created",
    ]


async def test_a_secret_is_shown_once_also_where_the_request_is_repeated(club: Club) -> None:
    once = {"idempotency-key": "a"}
    first = read(await club.ask("president", "POST", "/webhooks", {"url": URL}, once), 201)
    again = read(await club.ask("president", "POST", "/webhooks", {"url": URL}, once), 201)
    assert again == first | {"secret": None}


async def test_if_match_knows_the_settings_of_a_webhook(club: Club) -> None:
    webhook = await made(club)
    path = f"/webhooks/{webhook['id']}"
    stale = (await club.ask("president", "GET", path)).headers["etag"]
    changed = await club.ask("president", "PATCH", path, {"name": "Bot"}, {"if-match": stale})
    assert changed.status_code == 200
    assert problem(await club.ask("president", "PATCH", path, {"name": "B"}, {"if-match": stale}))[0] == 412
    assert problem(await club.ask("president", "DELETE", path, None, {"if-match": stale}))[0] == 412
    etag = {"if-match": changed.headers["etag"]}
    assert (await club.ask("president", "DELETE", path, None, etag)).status_code == 204


async def test_a_club_has_ten_webhooks_at_most(club: Club) -> None:
    for _ in range(10):
        await made(club)
    answer = await club.ask("president", "POST", "/webhooks", {"url": URL})
    assert problem(answer) == (409, "conflict", "too_many_webhooks")


@pytest.mark.parametrize(
    "url",
    [
        "http://bot.example/",
        "ftp://bot.example/",
        "https://user:word@bot.example/",
        "https://bot.example/#part",
        "https:///path",
        "https://",
        "bot.example",
        "https://bot.example:0/",
        "https://bot.example:99999/",
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://[::ffff:10.0.0.1]/",
        "https://localhost/",
        "https://bot.example/ä",
        "https://bot.example/a b",
        "https://bot.example/" + "a" * 2000,
        7,
    ],
)
async def test_a_url_that_nothing_may_be_sent_to_is_refused(club: Club, url: object) -> None:
    webhook = await made(club)
    for method, path in (("POST", "/webhooks"), ("PATCH", f"/webhooks/{webhook['id']}")):
        answer = await club.ask("president", method, path, {"url": url})
        assert problem(answer)[:2] == (422, "invalid-request"), answer.text
        assert [fault["pointer"] for fault in answer.json()["violations"]] == ["/url"]


@pytest.mark.parametrize("types", [[], ["game.deleted"], "game.counted", ["webhook.test"]])
async def test_types_that_there_are_not_are_refused(club: Club, types: object) -> None:
    answer = await club.ask("president", "POST", "/webhooks", {"url": URL, "types": types})
    assert problem(answer)[:2] == (422, "invalid-request")


class Told:
    """What a webhook of the season's club is told."""

    def __init__(self, season: KeptSeason, desk: Desk) -> None:
        self.season = season
        self.desk = desk

    async def ask(self, method: str, path: str, json: object = None, headers: Mapping[str, str] = {}) -> Any:
        address = f"/v1/clubs/{self.season.club}{path}"
        key = bearer(self.season.secrets["president"])
        answer = await self.season.client.request(method, address, json=json, headers={**key, **headers})
        assert answer.is_success, answer.text
        return answer.json() if answer.content and "json" in answer.headers["content-type"] else answer

    async def only(self) -> Message:
        """The one event since the last time."""
        (message,) = await self.desk.settle()
        return message


@pytest.fixture
def told(spring: KeptSeason, kept_app: FastAPI) -> Told:
    return Told(spring, Desk(kept_app.state.database))


def game(number: int, bonus: float = 0) -> dict[str, Any]:
    """A game of nine known players, of which another has the first seat."""
    wire = deepcopy(RED_WON) | {"played_on": "2025-03-14", "number": number, "external_id": f"{number}"}
    wire["seats"][0]["bonus"] = bonus
    return wire


async def test_each_kind_of_change_is_told_once_with_ids_alone(told: Told) -> None:
    spring = told.season
    await spring.kept(game(1))  # before there is anybody to tell
    webhook = await told.ask("POST", "/webhooks", {"url": URL})
    assert await told.desk.settle() == []

    kept = await spring.kept(game(2))
    message = await told.only()
    assert is_from_service(
        {name.lower(): value for name, value in message.headers.items()}, message.body, webhook["secret"]
    )
    counted = {"id": kept["id"], "version": 1, "status": "counted"}
    data = {"club": "moscow", "season": "spring", "revision": 2, "sequence": 1, "game": counted}
    assert message.told["data"] == data
    assert (message.url, message.type) == (URL, "game.counted")
    assert set(message.told) == {"type", "timestamp", "data"}

    corrected = read(await spring.correct(kept, game(2) | {"outcome": "black"}))
    message = await told.only()
    assert (message.type, message.told["data"]["game"]) == ("game.corrected", counted | {"version": 2})
    await spring.ask("president", "DELETE", f"/{kept['id']}")
    message = await told.only()
    voided = counted | {"version": 3, "status": "voided"}
    assert (message.type, message.told["data"]["game"]) == ("game.voided", voided)
    assert corrected["version"] == 2
    await spring.ask("president", "POST", f"/{kept['id']}/restore")
    assert (await told.only()).type == "game.counted"

    waiting = await spring.kept(game(3, bonus=0.6))
    message = await told.only()
    pending = {"id": waiting["id"], "version": 1, "status": "pending"}
    assert (message.type, message.told["data"]["game"]) == ("game.pending", pending)
    verdict = {"if-match": waiting["etag"]}
    await spring.ask("president", "POST", f"/{waiting['id']}/approval", {"decision": "approve"}, verdict)
    message = await told.only()
    assert (message.type, message.told["data"]["game"]) == (
        "approval.decided",
        {"id": waiting["id"], "version": 2, "status": "counted"},
    )

    await spring.kept(game(4) | {"rated": False})
    assert await told.desk.settle() == [], "a friendly game is in no table"

    file = {**bearer(spring.secrets["judge"]), "content-type": "application/x-ndjson"}
    lines = b"\n".join(json.dumps(game(number)).encode() for number in (5, 6, 7))
    assert (await spring.client.post(f"{spring.path}/import", content=lines, headers=file)).status_code == 200
    message = await told.only()
    assert (message.type, message.told["data"]["game"], message.told["data"]["games"]) == ("games.imported", None, 3)

    await told.ask("PATCH", "/seasons/spring", {"rule_system": "sport-percent"})
    assert (await told.only()).type == "season.rules_changed"
    await told.ask("PATCH", "/seasons/spring", {"name": "Vesna"})
    assert await told.desk.settle() == []

    other = await told.ask("POST", "/players", {"nickname": "Pete"})
    one = kept["game"]["seats"][0]["player_id"]
    await told.ask("POST", f"/players/{one}/merge", {"into": other["id"]})
    message = await told.only()
    assert message.type == "player.merged"
    assert message.told["data"]["player"] == {"id": one, "merged_into": other["id"]}
    assert message.told["data"]["season"] == "spring"

    await told.ask("POST", "/seasons/spring/close?lots=shared")
    assert (await told.only()).type == "season.closed"
    await told.ask("POST", "/seasons/spring/reopen?reason=mistake")
    assert (await told.only()).type == "season.reopened"

    everything = told.desk.receivers.got
    assert [message.sequence for message in everything] == list(range(1, len(everything) + 1))
    assert {message.type for message in everything} == set(TYPES)
    assert not re.search(rb"P[0-9]|Pete|Vesna|mistake", b"".join(message.body for message in everything))


async def test_a_merge_that_changes_no_season_or_several_is_one_event(told: Told) -> None:
    await told.ask("POST", "/webhooks", {"url": URL})
    one = await told.ask("POST", "/players", {"nickname": "Pete"})
    other = await told.ask("POST", "/players", {"nickname": "Peter"})
    await told.ask("POST", f"/players/{one['id']}/merge", {"into": other["id"]})
    message = await told.only()
    assert (message.told["data"]["season"], message.told["data"]["seasons"]) == (None, [])
    await told.ask("POST", "/seasons", {"slug": "autumn", "name": "Autumn", "rule_system": "maffamily"})
    kept = await told.season.kept(game(1))
    await told.ask("POST", "/seasons/autumn/games", game(1))
    await told.desk.settle()
    await told.ask("POST", f"/players/{kept['game']['seats'][0]['player_id']}/merge", {"into": other["id"]})
    message = await told.only()
    assert (message.type, message.told["data"]["revision"]) == ("player.merged", None)
    assert message.told["data"]["seasons"] == [
        {"season": "spring", "revision": 2},
        {"season": "autumn", "revision": 2},
    ]


async def test_a_webhook_is_told_of_the_types_that_it_takes_and_of_seasons_that_begin_later(told: Told) -> None:
    await told.ask("POST", "/webhooks", {"url": URL, "types": ["game.counted"]})
    await told.ask("POST", "/webhooks", {"url": f"{URL}/2", "types": ["game.voided", "game.counted"]})
    await told.ask("POST", "/seasons", {"slug": "autumn", "name": "Autumn", "rule_system": "maffamily"})
    kept = await told.ask("POST", "/seasons/autumn/games", game(1))
    await told.ask("DELETE", f"/seasons/autumn/games/{kept['id']}")
    got = await told.desk.settle()
    assert [message.type for message in got if message.url == URL] == ["game.counted"]
    assert [message.type for message in got if message.url != URL] == ["game.counted", "game.voided"]
    assert {message.told["data"]["season"] for message in got} == {"autumn"}


async def test_what_a_season_was_elsewhere_is_not_told_where_it_is_taken_in(told: Told, other_club: Club) -> None:
    await told.season.kept(game(1))
    archive = await told.ask("GET", "/seasons/spring/archive.zip")
    await other_club.ask("president", "POST", "/webhooks", {"url": URL})
    key = bearer(other_club.secrets["president"])
    made = await other_club.client.post(
        f"/v1/clubs/{other_club.slug}/archives",
        content=archive.content,
        headers={**key, "content-type": "application/zip"},
    )
    assert made.status_code == 201, made.text
    assert await told.desk.settle() == []
    await other_club.ask("president", "POST", "/seasons/spring/games?create_players=true", game(2))
    assert (await told.only()).told["data"]["revision"] == 2


async def test_a_test_is_sent_and_its_delivery_shown(told: Told) -> None:
    webhook = await told.ask("POST", "/webhooks", {"url": URL, "types": ["season.closed"]})
    path = f"/webhooks/{webhook['id']}"
    asked = await told.ask("POST", f"{path}/test")
    assert (asked["state"], asked["attempts"], asked["event"]["type"]) == ("pending", 0, "webhook.test")
    message = await told.only()
    assert message.headers["webhook-id"] == asked["event"]["id"]
    assert message.told == {name: value for name, value in asked["event"].items() if name != "id"}
    (shown,) = (await told.ask("GET", f"{path}/deliveries"))["items"]
    assert (shown["state"], shown["attempts"], shown["last_status"]) == ("delivered", 1, 204)
    for again in (f"/webhooks/deliveries/{shown['id']}/retry", f"{path}/deliveries/{shown['id']}/retry"):
        assert (await told.ask("POST", again))["state"] == "pending"
        assert (await told.only()).headers["webhook-id"] == asked["event"]["id"]
    await told.ask("PATCH", path, {"disabled": True})
    for what in (f"{path}/test", f"/webhooks/deliveries/{shown['id']}/retry"):
        answer = await told.season.client.post(
            f"/v1/clubs/moscow{what}", headers=bearer(told.season.secrets["president"])
        )
        assert problem(answer) == (409, "conflict", "webhook_disabled")


async def test_a_former_secret_signs_for_a_day(told: Told) -> None:
    webhook = await told.ask("POST", "/webhooks", {"url": URL})
    path = f"/webhooks/{webhook['id']}"
    rotated = await told.ask("POST", f"{path}/secret/rotate")
    assert rotated == webhook | {"secret": rotated["secret"]}
    secrets = (rotated["secret"], webhook["secret"])
    assert len({*secrets}) == 2
    for hours, signs in ((0, [True, True]), (24, [True, False])):
        told.desk.clock.pass_by(hours=hours)
        await told.ask("POST", f"{path}/test")
        (message,) = await told.desk.settle()
        signatures = message.headers["webhook-signature"].split()
        assert len(signatures) == sum(signs)
        assert [expected(message, secret) in signatures for secret in secrets] == signs


def expected(message: Message, secret: str) -> str:
    """The signature, as https://www.standardwebhooks.com says."""
    signed = f"{message.headers['webhook-id']}.{message.headers['webhook-timestamp']}.".encode() + message.body
    key = base64.b64decode(secret.split("_", 1)[1])
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
