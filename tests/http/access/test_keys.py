"""Keys over HTTP: made, listed, revoked, expired, used (docs/api.md)."""

import hashlib
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from fastapi import FastAPI
from httpx import ASGITransport, AsyncClient
from sqlalchemy import text

from app.repositories.clubs import keys
from app.routers.common import use_case
from app.web.failed_logins import FAILURES_A_MINUTE
from tests.http.club import ADMIN, Club, bearer

pytestmark = pytest.mark.anyio

SECRET = re.compile(r"mfr_[0-9a-f]{12}_[0-9a-f]{64}")


class Clock(datetime):
    """A clock that tests put forward; no time passes by itself."""

    moment = datetime(2025, 3, 14, 18, 0, tzinfo=UTC)

    @classmethod
    def now(cls, tz: Any = None) -> Any:
        return cls.moment


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> type[Clock]:
    monkeypatch.setattr(Clock, "moment", Clock.moment)
    monkeypatch.setattr(use_case, "datetime", Clock)
    return Clock


async def test_the_president_makes_a_key_and_its_secret_is_shown_once(club: Club) -> None:
    body = {"role": "judge", "name": "Kim", "expires_at": "2099-07-01T00:00:00+03:00"}
    made = await club.ask("president", "POST", "/keys", body)
    assert made.status_code == 201
    assert made.headers["cache-control"] == "no-store"
    wire = made.json()
    assert made.headers["location"] == f"/v1/clubs/moscow/keys/{wire['id']}"
    assert made.headers["etag"]
    assert SECRET.fullmatch(wire["secret"])
    assert (wire["role"], wire["name"], wire["last_used_at"]) == ("judge", "Kim", None)
    assert datetime.fromisoformat(wire["expires_at"]) == datetime(2099, 6, 30, 21, tzinfo=UTC)
    listed = (await club.ask("president", "GET", "/keys")).text
    assert wire["id"] in listed
    assert "secret" not in listed
    assert wire["secret"] not in listed


async def test_only_a_hash_of_the_secret_is_kept(club: Club, kept_app: FastAPI) -> None:
    secret = club.secrets["judge"]
    with kept_app.state.database.read() as tx:
        key = keys.by_prefix(tx, secret.rpartition("_")[0])
    assert key
    assert key.secret_hash == hashlib.sha256(secret.encode()).hexdigest()
    assert secret.rpartition("_")[2] not in repr(key)


async def test_two_secrets_have_nothing_in_common(club: Club) -> None:
    secrets = [club.secrets[role] for role in ("reader", "judge", "chief_judge", "president")]
    assert all(SECRET.fullmatch(secret) for secret in secrets)
    assert len({part for secret in secrets for part in secret.split("_")[1:]}) == 8


async def test_a_key_without_a_name_is_called_by_its_role(club: Club) -> None:
    assert (await club.ask("president", "POST", "/keys", {"role": "reader"})).json()["name"] == "reader"


@pytest.mark.parametrize(
    "body, fault",
    [
        ({}, ("missing", "/role")),
        ({"role": "owner"}, ("value", "/role")),
        ({"role": "admin"}, ("value", "/role")),
        ({"role": "anonymous"}, ("value", "/role")),
        ({"role": None}, ("missing", "/role")),
        ({"role": "judge", "name": "x" * 129}, ("too_long", "/name")),
        ({"role": "judge", "expires_at": "2025-03-14T18:00:00Z"}, ("value", "/expires_at")),
        ({"role": "judge", "expires_at": "2099-03-14T18:00:00"}, ("value", "/expires_at")),
        ({"role": "judge", "expires_at": "2099-03-14"}, ("value", "/expires_at")),
        ({"role": "judge", "expires_at": "2099-02-30T18:00:00Z"}, ("value", "/expires_at")),
        ({"role": "judge", "expires_at": "9999-12-31T23:59:59-12:00"}, ("value", "/expires_at")),
        ({"role": "judge", "expires_at": "2099-03-14T18:00:00+99:99"}, ("value", "/expires_at")),
        ({"role": "judge", "expires_at": 4102444800}, ("value", "/expires_at")),
        ({"role": "judge", "expires_at": []}, ("type", "/expires_at")),
        ({"role": "judge", "secret": "mine"}, ("unknown_field", "/secret")),
    ],
)
async def test_what_is_wrong_with_a_key_is_named(club: Club, body: dict[str, Any], fault: tuple[str, str]) -> None:
    refused = await club.ask("president", "POST", "/keys", body)
    assert refused.status_code == 422
    assert [(found["code"], found["pointer"]) for found in refused.json()["violations"]] == [fault]


async def test_what_is_wrong_with_a_moment_is_said_in_russian_too(club: Club) -> None:
    body = {"role": "judge", "expires_at": "soon"}
    refused = await club.ask("president", "POST", "/keys", body, {"accept-language": "ru"})
    assert refused.json()["violations"][0]["message"].startswith("нужны дата и время")


@pytest.mark.parametrize(
    "moment", ["2099-03-14T18:00:00Z", "2099-03-14t18:00:00.5z", "2099-03-14T20:00:00.123456+02:00"]
)
async def test_a_moment_is_written_as_rfc_3339_has_it(club: Club, moment: str) -> None:
    made = await club.ask("president", "POST", "/keys", {"role": "judge", "expires_at": moment})
    assert datetime.fromisoformat(made.json()["expires_at"]) == datetime.fromisoformat(moment.upper())


async def test_keys_are_listed_page_by_page(club: Club) -> None:
    first = (await club.ask("president", "GET", "/keys?limit=3")).json()
    last = (await club.ask("president", "GET", f"/keys?limit=3&cursor={first['next_cursor']}")).json()
    assert [key["role"] for key in first["items"] + last["items"]] == ["president", "reader", "judge", "chief_judge"]
    assert last["next_cursor"] is None


@pytest.mark.parametrize(
    "query", ["limit=0", "limit=201", "limit=x", "cursor=x", "cursor=%00", "page=2", "limit=1&limit=2"]
)
async def test_a_page_that_cannot_be_is_refused(club: Club, query: str) -> None:
    refused = await club.ask("president", "GET", f"/keys?{query}")
    assert refused.status_code == 422
    assert refused.json()["violations"][0]["pointer"] == "?" + query.partition("=")[0]


async def test_a_revoked_key_opens_nothing_and_is_not_listed(club: Club) -> None:
    revoked = await club.ask("president", "DELETE", f"/keys/{club.ids['judge']}")
    assert (revoked.status_code, revoked.content) == (204, b"")
    answer = await club.client.get("/v1/me", headers=bearer(club.secrets["judge"]))
    assert answer.status_code == 401
    listed = (await club.ask("president", "GET", "/keys")).json()["items"]
    assert [key["role"] for key in listed] == ["president", "reader", "chief_judge"]
    assert (await club.ask("president", "DELETE", f"/keys/{club.ids['judge']}")).status_code == 404


async def test_the_last_key_of_a_president_stays(club: Club) -> None:
    own = f"/keys/{club.ids['president']}"
    refused = await club.ask("president", "DELETE", own)
    assert (refused.status_code, refused.json()["code"]) == (409, "last_president_key")
    assert (await club.ask("president", "GET", "/keys")).status_code == 200
    second = await club.ask("admin", "POST", "/keys", {"role": "president", "name": "heir"})
    assert second.status_code == 201
    assert (await club.ask("president", "DELETE", own)).status_code == 204
    assert (await club.ask("president", "GET", "/keys")).status_code == 401
    heir = bearer(second.json()["secret"])
    assert (await club.client.get("/v1/clubs/moscow/keys", headers=heir)).status_code == 200


async def test_a_presidents_key_that_has_expired_does_not_count_as_the_last(club: Club, clock: type[Clock]) -> None:
    tomorrow = (clock.moment + timedelta(days=1)).isoformat()
    await club.ask("president", "POST", "/keys", {"role": "president", "expires_at": tomorrow})
    clock.moment += timedelta(days=2)
    refused = await club.ask("president", "DELETE", f"/keys/{club.ids['president']}")
    assert (refused.status_code, refused.json()["code"]) == (409, "last_president_key")


async def test_a_key_opens_until_the_moment_it_expires_at(club: Club, clock: type[Clock]) -> None:
    expires_at = clock.moment + timedelta(hours=1)
    body = {"role": "reader", "name": "guest", "expires_at": expires_at.isoformat()}
    guest = bearer((await club.ask("president", "POST", "/keys", body)).json()["secret"])
    clock.moment = expires_at - timedelta(microseconds=1)
    me = await club.client.get("/v1/me", headers=guest)
    assert me.status_code == 200
    assert datetime.fromisoformat(me.json()["key"]["expires_at"]) == expires_at
    clock.moment = expires_at
    assert (await club.client.get("/v1/me", headers=guest)).status_code == 401


async def test_the_last_use_is_written_at_most_once_a_minute(club: Club, clock: type[Clock]) -> None:
    async def last_use() -> datetime:
        listed = (await club.ask("president", "GET", "/keys")).json()["items"]
        return datetime.fromisoformat(next(key["last_used_at"] for key in listed if key["role"] == "judge"))

    reader = bearer(club.secrets["judge"])
    first = clock.moment
    await club.client.get("/v1/me", headers=reader)
    assert await last_use() == first
    clock.moment = first + timedelta(seconds=59)
    await club.client.get("/v1/me", headers=reader)
    assert await last_use() == first
    clock.moment = first + timedelta(seconds=60)
    await club.client.get("/v1/me", headers=reader)
    assert await last_use() == clock.moment


async def test_the_admins_key_makes_keys_of_presidents_and_no_others(club: Club) -> None:
    for role in ("reader", "judge", "chief_judge"):
        refused = await club.ask("admin", "POST", "/keys", {"role": role})
        assert (refused.status_code, refused.json()["type"]) == (403, "/problems/forbidden")
    assert (await club.ask("admin", "POST", "/keys", {"role": "president"})).status_code == 201


async def test_the_admin_is_told_so_and_has_no_club(kept_client: AsyncClient) -> None:
    me = await kept_client.get("/v1/me", headers=bearer(ADMIN))
    assert me.json() == {
        "role": "admin",
        "club": None,
        "key": {"id": None, "name": "MAFRATE_ADMIN_KEY", "expires_at": None},
    }


async def test_without_a_key_nobody_is_asked_for_one(kept_client: AsyncClient) -> None:
    answer = await kept_client.get("/v1/me")
    assert answer.status_code == 401
    assert answer.json()["type"] == "/problems/unauthorized"
    assert answer.headers["www-authenticate"].startswith("Bearer")


async def test_a_repeated_request_makes_one_key_and_shows_its_secret_once(club: Club) -> None:
    headers = {"idempotency-key": "kims key"}
    body = {"role": "judge", "name": "Kim"}
    first = await club.ask("president", "POST", "/keys", body, headers)
    again = await club.ask("president", "POST", "/keys", body, headers)
    assert again.headers["idempotency-replayed"] == "true"
    assert again.json() == {**first.json(), "secret": None}
    listed = (await club.ask("president", "GET", "/keys")).json()["items"]
    assert [key["name"] for key in listed].count("Kim") == 1


async def test_no_secret_is_kept_anywhere_in_the_database(club: Club, kept_app: FastAPI) -> None:
    headers = {"idempotency-key": "kims key"}
    made = await club.ask("president", "POST", "/keys", {"role": "judge"}, headers)
    chance = made.json()["secret"].rpartition("_")[2]
    with kept_app.state.database.read() as tx:
        for table in ("keys", "answers", "changes"):
            assert chance not in repr(tx.execute(text(f"SELECT * FROM {table}")).all())


async def test_every_change_of_keys_says_who_and_when(club: Club, kept_app: FastAPI, clock: type[Clock]) -> None:
    made = (await club.ask("president", "POST", "/keys", {"role": "judge"})).json()
    await club.ask("president", "DELETE", f"/keys/{made['id']}")
    with kept_app.state.database.read() as tx:
        president = keys.by_prefix(tx, club.secrets["president"].rpartition("_")[0])
        rows = tx.execute(
            text("SELECT action, key_id, role FROM changes WHERE target = :key ORDER BY id"), {"key": made["id"]}
        ).all()
    assert president
    assert [tuple(row) for row in rows] == [
        ("key_created", president.id, "president"),
        ("key_revoked", president.id, "president"),
    ]


class TestFailedAttempts:
    """Authentication that fails too often from one address (docs/api.md, ``rate-limited``)."""

    async def fail(self, client: AsyncClient, times: int) -> None:
        for _ in range(times):
            answer = await client.get("/v1/me", headers=bearer("mfr_aaaaaaaaaaaa_" + "0" * 64))
            assert answer.status_code == 401

    async def test_after_so_many_a_minute_they_are_told_to_wait(self, kept_client: AsyncClient) -> None:
        await self.fail(kept_client, FAILURES_A_MINUTE)
        limited = await kept_client.get("/v1/me", headers=bearer("guess"))
        assert (limited.status_code, limited.json()["type"]) == (429, "/problems/rate-limited")
        assert 1 <= int(limited.headers["retry-after"]) <= 60

    async def test_a_valid_key_of_a_club_is_never_limited(self, club: Club) -> None:
        await self.fail(club.client, FAILURES_A_MINUTE)
        assert (await club.client.get("/v1/me", headers=bearer("guess"))).status_code == 429
        for _ in range(3):
            assert (await club.ask("judge", "GET", "/players")).status_code == 200

    async def test_past_the_limit_a_guess_at_the_admins_key_is_not_looked_at(
        self, kept_app: FastAPI, kept_client: AsyncClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Not even the right one: who guesses learns nothing from the answer, nor from how long it takes."""
        await self.fail(kept_client, FAILURES_A_MINUTE)
        looked: list[str] = []
        monkeypatch.setattr(use_case, "identify", lambda *_, **__: looked.append("at"))
        for secret in ("guess", ADMIN, "mfr_aaaaaaaaaaaa_" + "0" * 63):
            assert (await kept_client.get("/v1/me", headers=bearer(secret))).status_code == 429
        assert looked == []
        monkeypatch.undo()
        async with AsyncClient(
            transport=ASGITransport(kept_app, client=("192.0.2.2", 5000)), base_url="http://mafrate"
        ) as elsewhere:
            assert (await elsewhere.get("/v1/me", headers=bearer(ADMIN))).status_code == 200

    async def test_another_address_is_not_limited(self, kept_app: FastAPI) -> None:
        def at(address: str) -> AsyncClient:
            transport = ASGITransport(kept_app, client=(address, 5000))
            return AsyncClient(transport=transport, base_url="http://mafrate")

        async with at("192.0.2.1") as guessing, at("192.0.2.2") as other:
            await self.fail(guessing, FAILURES_A_MINUTE)
            assert (await guessing.get("/v1/me", headers=bearer("guess"))).status_code == 429
            assert (await other.get("/v1/me", headers=bearer("guess"))).status_code == 401

    async def test_who_brings_no_key_has_not_failed(self, kept_client: AsyncClient) -> None:
        for _ in range(FAILURES_A_MINUTE + 5):
            assert (await kept_client.get("/v1/me")).status_code == 401
        assert (await kept_client.get("/v1/me", headers=bearer("guess"))).status_code == 401
