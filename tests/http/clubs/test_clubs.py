"""Clubs over HTTP (docs/api.md#clubs-keys-and-players)."""

from typing import Any

import pytest
from httpx import AsyncClient

from tests.http.club import ADMIN, Club, bearer

pytestmark = pytest.mark.anyio

ASKED = {"slug": "moscow", "name": "MAFFAMILY", "timezone": "Europe/Moscow", "day_ends_at": "05:30"}


async def test_the_admin_makes_a_club_and_is_shown_its_presidents_key(kept_client: AsyncClient) -> None:
    made = await kept_client.post("/v1/clubs", json=ASKED, headers=bearer(ADMIN))
    assert made.status_code == 201
    assert made.headers["location"] == "/v1/clubs/moscow"
    assert made.headers["cache-control"] == "no-store"
    wire = made.json()
    key = wire.pop("key")
    assert wire == ASKED
    assert {**key, "id": "", "secret": ""} == {"id": "", "name": "president", "role": "president", "secret": ""}
    me = await kept_client.get("/v1/me", headers=bearer(key["secret"]))
    assert me.json() == {
        "role": "president",
        "club": "moscow",
        "key": {"id": key["id"], "name": "president", "expires_at": None},
    }


async def test_a_club_is_public_and_has_the_etag_it_was_made_with(kept_client: AsyncClient) -> None:
    made = await kept_client.post("/v1/clubs", json=ASKED, headers=bearer(ADMIN))
    read = await kept_client.get("/v1/clubs/moscow")
    assert (read.status_code, read.json()) == (200, ASKED)
    assert read.headers["etag"] == made.headers["etag"]
    again = await kept_client.get("/v1/clubs/moscow", headers={"if-none-match": read.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


async def test_a_club_that_says_no_time_zone_is_in_utc(kept_client: AsyncClient) -> None:
    body = {"slug": "nowhere", "name": "Nowhere"}
    assert (await kept_client.post("/v1/clubs", json=body, headers=bearer(ADMIN))).json()["timezone"] == "UTC"


@pytest.mark.parametrize(
    "zone",
    ["Moscow", "Europe/Kyjiv", "europe/kyiv", "localtime", "Factory", "../../etc/passwd", "/etc/passwd", "", "Europe"],
)
async def test_a_time_zone_is_one_of_ianas(kept_client: AsyncClient, zone: str) -> None:
    refused = await kept_client.post("/v1/clubs", json={**ASKED, "timezone": zone}, headers=bearer(ADMIN))
    assert refused.status_code == 422
    assert [(fault["code"], fault["pointer"]) for fault in refused.json()["violations"]] == [("value", "/timezone")]
    assert (await kept_client.get("/v1/clubs/moscow")).status_code == 404


async def test_a_misspelt_time_zone_gets_a_suggestion(kept_client: AsyncClient) -> None:
    refused = await kept_client.post("/v1/clubs", json={**ASKED, "timezone": "Europe/Kyjiv"}, headers=bearer(ADMIN))
    assert "Europe/Kyiv" in refused.json()["violations"][0]["suggestions"]


async def test_the_day_of_a_new_club_ends_at_six(kept_client: AsyncClient) -> None:
    body = {"slug": "nowhere", "name": "Nowhere"}
    made = await kept_client.post("/v1/clubs", json=body, headers=bearer(ADMIN))
    assert made.json()["day_ends_at"] == "06:00"
    assert (await kept_client.get("/v1/clubs/nowhere")).json()["day_ends_at"] == "06:00"


@pytest.mark.parametrize("end", ["00:00", "00:01", "09:59", "11:59", "12:00"])
async def test_a_day_ends_between_midnight_and_noon(club: Club, end: str) -> None:
    changed = await club.ask("president", "PATCH", "", {"day_ends_at": end})
    assert (changed.status_code, changed.json()["day_ends_at"]) == (200, end)
    assert (await club.ask("anonymous", "GET", "")).json()["day_ends_at"] == end


@pytest.mark.parametrize("end", ["12:01", "24:00", "6:00", "06:60", "06:00:00", "0600", "06:00\n", "٠٦:٠٠", "", "noon"])
async def test_a_day_ends_at_no_other_time(club: Club, end: str) -> None:
    for asked in (
        await club.ask("president", "PATCH", "", {"day_ends_at": end}),
        await club.client.post("/v1/clubs", json={**ASKED, "slug": "tver", "day_ends_at": end}, headers=bearer(ADMIN)),
    ):
        assert asked.status_code == 422
        assert [(one["code"], one["pointer"]) for one in asked.json()["violations"]] == [("value", "/day_ends_at")]
    assert (await club.ask("anonymous", "GET", "")).json()["day_ends_at"] == "06:00"


@pytest.mark.parametrize(
    "language, message",
    [
        ("en", "expected a time from 00:00 to 12:00, such as 06:00"),
        ("ru", "нужно время от 00:00 до 12:00, например 06:00"),
    ],
)
async def test_the_refusal_says_which_times_a_day_may_end_at(club: Club, language: str, message: str) -> None:
    for end, code in (("13:00", "value"), (6, "value")):
        refused = await club.ask("president", "PATCH", "", {"day_ends_at": end}, {"accept-language": language})
        [found] = refused.json()["violations"]
        assert (found["code"], found["message"]) == (code, message)


@pytest.mark.parametrize(
    "change, fault",
    [
        ({"slug": "Moscow"}, ("value", "/slug")),
        ({"slug": "-moscow"}, ("value", "/slug")),
        ({"slug": "москва"}, ("value", "/slug")),
        ({"slug": "a/b"}, ("value", "/slug")),
        ({"slug": "moscow\n"}, ("value", "/slug")),
        ({"slug": "m" * 64}, ("value", "/slug")),
        ({"slug": ""}, ("value", "/slug")),
        ({"slug": 7}, ("type", "/slug")),
        ({"name": ""}, ("too_short", "/name")),
        ({"name": "x" * 129}, ("too_long", "/name")),
        ({"name": "a\u0000b"}, ("value", "/name")),
        ({"name": None}, ("missing", "/name")),
        ({"key": "mine"}, ("unknown_field", "/key")),
    ],
)
async def test_what_is_wrong_with_a_club_is_named(
    kept_client: AsyncClient, change: dict[str, Any], fault: tuple[str, str]
) -> None:
    refused = await kept_client.post("/v1/clubs", json={**ASKED, **change}, headers=bearer(ADMIN))
    assert refused.status_code == 422
    assert refused.json()["type"] == "/problems/invalid-request"
    assert [(found["code"], found["pointer"]) for found in refused.json()["violations"]] == [fault]


async def test_a_slug_of_63_characters_is_the_longest(kept_client: AsyncClient) -> None:
    slug = "m" * 63
    assert (await kept_client.post("/v1/clubs", json={**ASKED, "slug": slug}, headers=bearer(ADMIN))).status_code == 201
    assert (await kept_client.get(f"/v1/clubs/{slug}")).status_code == 200


async def test_two_clubs_do_not_share_a_slug(club: Club) -> None:
    refused = await club.client.post("/v1/clubs", json=ASKED, headers=bearer(ADMIN))
    assert (refused.status_code, refused.json()["code"]) == (409, "slug_taken")
    assert refused.json()["type"] == "/problems/conflict"


@pytest.mark.parametrize("slug", ["tver", "MOSCOW", "..", "%00", "%27%20OR%201=1", "a" * 64])
async def test_a_club_that_is_not_there_is_not_found(club: Club, slug: str) -> None:
    assert (await club.client.get(f"/v1/clubs/{slug}")).status_code == 404


async def test_the_president_changes_the_club(club: Club) -> None:
    before = await club.ask("anonymous", "GET", "")
    changed = await club.ask("president", "PATCH", "", {"name": "Second", "timezone": "Asia/Tbilisi"})
    assert (changed.status_code, changed.json()) == (
        200,
        {"slug": "moscow", "name": "Second", "timezone": "Asia/Tbilisi", "day_ends_at": "06:00"},
    )
    after = await club.ask("anonymous", "GET", "")
    assert after.json() == changed.json()
    assert after.headers["etag"] == changed.headers["etag"] != before.headers["etag"]


async def test_what_a_change_leaves_out_stays(club: Club) -> None:
    before = (await club.ask("anonymous", "GET", "")).json()
    assert (await club.ask("president", "PATCH", "", {})).json() == before
    assert (await club.ask("president", "PATCH", "", {"name": None})).json() == before


async def test_another_slug_is_another_address(club: Club) -> None:
    assert (await club.ask("president", "PATCH", "", {"slug": "moskva"})).json()["slug"] == "moskva"
    assert (await club.ask("president", "GET", "")).status_code == 404
    moved = await club.client.get("/v1/clubs/moskva/keys", headers=bearer(club.secrets["president"]))
    assert len(moved.json()["items"]) == 4


async def test_a_slug_cannot_be_taken_from_another_club(club: Club, other_club: Club) -> None:
    refused = await club.ask("president", "PATCH", "", {"slug": other_club.slug})
    assert (refused.status_code, refused.json()["code"]) == (409, "slug_taken")


async def test_a_repeated_request_makes_one_club_and_shows_the_secret_once(kept_client: AsyncClient) -> None:
    headers = {**bearer(ADMIN), "idempotency-key": "the first club"}
    first = await kept_client.post("/v1/clubs", json=ASKED, headers=headers)
    again = await kept_client.post("/v1/clubs", json=ASKED, headers=headers)
    assert (first.status_code, again.status_code) == (201, 201)
    assert "idempotency-replayed" not in first.headers
    assert again.headers["idempotency-replayed"] == "true"
    assert again.headers["location"] == first.headers["location"]
    assert again.headers["etag"] == first.headers["etag"]
    shown = first.json()
    assert shown["key"].pop("secret").startswith("mfr_")
    shown["key"]["secret"] = None
    assert again.json() == shown
    other = await kept_client.post("/v1/clubs", json={**ASKED, "slug": "tver"}, headers=headers)
    assert (other.status_code, other.json()["type"]) == (422, "/problems/idempotency-mismatch")
