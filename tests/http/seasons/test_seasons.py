"""Seasons and tournaments over HTTP: made, listed, changed (docs/api.md#seasons)."""

from typing import Any

import pytest
from fastapi import FastAPI
from httpx import Response

from app.repositories.seasons import seasons
from app.scoring.systems import find_system, newest_systems
from tests.http.club import SEASON, Club, bearer
from tests.http.conftest import RED_WON

pytestmark = pytest.mark.anyio

PATH = "/seasons/spring"


async def make(club: Club, **change: Any) -> Response:
    return await club.ask("president", "POST", "/seasons", {**SEASON, **change})


async def change(club: Club, **members: Any) -> Response:
    return await club.ask("president", "PATCH", PATH, members)


async def play(club: Club, played_on: str) -> None:
    game = {**RED_WON, "played_on": played_on}
    answer = await club.ask("judge", "POST", f"{PATH}/games?create_players=true", game)
    assert answer.status_code == 201, answer.text


def faults(answer: Response) -> list[tuple[str, str]]:
    assert answer.status_code == 422, answer.text
    return [(found["code"], found["pointer"]) for found in answer.json()["violations"]]


@pytest.fixture
async def season(club: Club) -> dict[str, Any]:
    answer = await make(club)
    assert answer.status_code == 201, answer.text
    wire: dict[str, Any] = answer.json()
    return wire


async def test_a_season_is_made_at_revision_0_with_the_newest_version_of_its_rules(club: Club) -> None:
    made = await make(club)
    assert made.status_code == 201
    assert made.headers["location"] == "/v1/clubs/moscow/seasons/spring"
    assert made.json() == {
        **SEASON,
        "rule_system": {"id": "maffamily", "version": find_system("maffamily").version},
        "public": True,
        "revision": 0,
        "closed_at": None,
        "awards_from": None,
        "hidden_from": None,
    }
    read = await club.ask("anonymous", "GET", PATH)
    assert (read.status_code, read.json(), read.headers["etag"]) == (200, made.json(), made.headers["etag"])
    assert read.headers["cache-control"] == "no-cache"


async def test_an_etag_that_is_current_is_answered_304(club: Club, season: dict[str, Any]) -> None:
    tag = (await club.ask("anonymous", "GET", PATH)).headers["etag"]
    again = await club.ask("anonymous", "GET", PATH, headers={"if-none-match": f'"other", {tag}'})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    await change(club, name="Another")
    changed = await club.ask("anonymous", "GET", PATH, headers={"if-none-match": tag})
    assert changed.status_code == 200
    assert changed.headers["etag"] != tag


async def test_only_address_name_and_rules_must_be_said(club: Club) -> None:
    body = {"slug": "spring", "name": "Spring", "rule_system": {"id": "sport-percent", "version": 1}}
    made = await club.ask("president", "POST", "/seasons", body)
    assert made.json() == {
        **body,
        "format": "season",
        "starts_on": None,
        "ends_on": None,
        "public": True,
        "revision": 0,
        "closed_at": None,
        "awards_from": None,
        "hidden_from": None,
    }


@pytest.mark.parametrize("system", ["maffamily", "sport-percent", "city-average"])
@pytest.mark.parametrize("format", ["season", "tournament"])
async def test_every_built_in_system_rates_either_format(club: Club, system: str, format: str) -> None:
    made = await make(club, rule_system=system, format=format)
    assert made.status_code == 201
    assert (made.json()["rule_system"]["id"], made.json()["format"]) == (system, format)


@pytest.mark.parametrize(
    "member, value, fault",
    [
        ("slug", "Spring", ("value", "/slug")),
        ("slug", "../x", ("value", "/slug")),
        ("slug", "a" * 64, ("value", "/slug")),
        ("name", "", ("too_short", "/name")),
        ("rule_system", "maffamly", ("value", "/rule_system")),
        ("rule_system", "club:moscow:own", ("value", "/rule_system")),
        ("rule_system", "'; DROP TABLE seasons; --", ("value", "/rule_system")),
        ("rule_system", 7, ("type", "/rule_system")),
        ("rule_system", None, ("missing", "/rule_system")),
        ("rule_system", {"id": "maffamly", "version": 1}, ("value", "/rule_system")),
        ("rule_system", {"id": "maffamily", "version": 7}, ("value", "/rule_system/version")),
        ("rule_system", {"id": "maffamily", "version": 0}, ("too_small", "/rule_system/version")),
        ("rule_system", {"id": "maffamily", "version": 10**30}, ("too_large", "/rule_system/version")),
        ("rule_system", {"id": "maffamily", "version": "1"}, ("type", "/rule_system/version")),
        ("rule_system", {"version": 1}, ("missing", "/rule_system/id")),
        ("rule_system", {"id": "maffamily", "v": 1}, ("unknown_field", "/rule_system/v")),
        ("format", "league", ("value", "/format")),
        ("starts_on", "2025-02-30", ("value", "/starts_on")),
        ("starts_on", "2025-06-01", ("value", "/ends_on")),
        ("ends_on", "2025-02-28", ("value", "/ends_on")),
        ("public", "yes", ("type", "/public")),
        ("revision", 7, ("unknown_field", "/revision")),
        ("closed_at", None, ("unknown_field", "/closed_at")),
    ],
)
async def test_what_is_wrong_with_a_season_is_named(
    club: Club, member: str, value: object, fault: tuple[str, str]
) -> None:
    assert faults(await make(club, **{member: value})) == [fault]
    assert (await club.ask("president", "GET", PATH)).status_code == 404


async def test_an_unknown_system_gets_a_suggestion(club: Club) -> None:
    (fault,) = (await make(club, rule_system="maffamly")).json()["violations"]
    assert fault["suggestions"] == ["maffamily"]
    assert fault["limit"] == [system.id for system in newest_systems()]


async def test_a_season_of_one_day_is_a_season(club: Club) -> None:
    assert (await make(club, starts_on="2025-03-01", ends_on="2025-03-01")).status_code == 201


async def test_a_clubs_seasons_do_not_share_an_address_but_two_clubs_may(club: Club, other_club: Club) -> None:
    assert (await make(club)).status_code == 201
    refused = await make(club, name="Other")
    assert (refused.status_code, refused.json()["code"]) == (409, "slug_taken")
    assert (await make(other_club)).status_code == 201


async def test_a_season_that_is_not_public_is_its_clubs_own(club: Club, other_club: Club) -> None:
    await make(club, public=False)
    for role in ("reader", "judge", "chief_judge", "president"):
        read = await club.ask(role, "GET", PATH)
        assert (read.status_code, read.headers["cache-control"]) == (200, "private, no-cache")
        stranger = await club.client.get("/v1/clubs/moscow/seasons/spring", headers=bearer(other_club.secrets[role]))
        assert stranger.status_code == 404
    for role in ("anonymous", "admin"):
        assert (await club.ask(role, "GET", PATH)).status_code == 404
    # A stranger learns the same of it as of one that is not there.
    hidden, absent = await club.ask("anonymous", "GET", PATH), await club.ask("anonymous", "GET", "/seasons/spring2")
    assert hidden.json()["detail"] == absent.json()["detail"]
    tag = (await club.ask("reader", "GET", PATH)).headers["etag"]
    assert (await club.ask("anonymous", "GET", PATH, headers={"if-none-match": tag})).status_code == 404


async def test_the_list_shows_each_what_he_may_read_the_newest_first(club: Club, other_club: Club) -> None:
    await make(club)
    await make(club, slug="secret", public=False)
    await make(club, slug="summer")
    await make(other_club, slug="elsewhere")

    async def listed(role: str, secrets: dict[str, str]) -> list[str]:
        headers = bearer(secrets[role]) if role in secrets else {}
        answer = await club.client.get("/v1/clubs/moscow/seasons", headers=headers)
        assert answer.status_code == 200
        return [season["slug"] for season in answer.json()["items"]]

    assert await listed("reader", club.secrets) == ["summer", "secret", "spring"]
    for stranger in (await listed("anonymous", {}), await listed("admin", club.secrets)):
        assert stranger == ["summer", "spring"]
    assert await listed("president", other_club.secrets) == ["summer", "spring"]


async def test_the_list_comes_page_by_page(club: Club) -> None:
    for slug in ("a", "b", "c"):
        await make(club, slug=slug, public=slug != "b")
    first = (await club.ask("anonymous", "GET", "/seasons?limit=1")).json()
    last = (await club.ask("anonymous", "GET", f"/seasons?limit=1&cursor={first['next_cursor']}")).json()
    assert [season["slug"] for season in first["items"] + last["items"]] == ["c", "a"]
    assert last["next_cursor"] is None


async def test_every_change_raises_the_revision_by_one(club: Club, season: dict[str, Any]) -> None:
    changed = await change(club, name="Spring cup", public=False, starts_on="2025-03-02", ends_on="2025-06-01")
    assert changed.status_code == 200
    assert changed.json() == {
        **season,
        "name": "Spring cup",
        "public": False,
        "starts_on": "2025-03-02",
        "ends_on": "2025-06-01",
        "revision": 1,
    }
    read = await club.ask("reader", "GET", PATH)
    assert (read.json(), read.headers["etag"]) == (changed.json(), changed.headers["etag"])


@pytest.mark.parametrize("body", [{}, {"name": "Spring"}, {"name": None, "public": None}, {"rule_system": "maffamily"}])
async def test_what_is_the_same_already_is_no_change(
    club: Club, season: dict[str, Any], body: dict[str, object]
) -> None:
    assert (await change(club, **body)).json() == season


async def test_a_day_that_is_null_is_open(club: Club, season: dict[str, Any]) -> None:
    opened = (await change(club, ends_on=None)).json()
    assert (opened["starts_on"], opened["ends_on"]) == ("2025-03-01", None)
    assert (await change(club, starts_on=None)).json()["starts_on"] is None


@pytest.mark.parametrize("body", [{"starts_on": "2025-06-01"}, {"ends_on": "2025-02-28"}])
async def test_a_change_must_leave_the_days_in_order(club: Club, season: dict[str, Any], body: dict[str, str]) -> None:
    assert faults(await change(club, **body)) == [("value", "/ends_on")]
    assert (await club.ask("reader", "GET", PATH)).json() == season


async def test_another_slug_is_another_address(club: Club, season: dict[str, Any]) -> None:
    await make(club, slug="taken")
    refused = await change(club, slug="taken")
    assert (refused.status_code, refused.json()["code"]) == (409, "slug_taken")
    assert (await change(club, slug="vesna")).json()["slug"] == "vesna"
    assert (await club.ask("reader", "GET", PATH)).status_code == 404
    assert (await club.ask("reader", "GET", "/seasons/vesna")).status_code == 200


async def test_format_and_rules_may_change_before_the_first_game(
    club: Club, season: dict[str, Any], kept_app: FastAPI
) -> None:
    changed = await change(club, format="tournament", rule_system={"id": "sport-percent", "version": 1})
    assert changed.json() == {
        **season,
        "format": "tournament",
        "rule_system": {"id": "sport-percent", "version": 1},
        "revision": 1,
    }
    with kept_app.state.database.read() as tx:
        found = seasons.find(tx, "moscow", "spring")
        assert found
        assert seasons.rules_at(tx, found.id, 0) == ("maffamily", season["rule_system"]["version"])
        assert seasons.rules_at(tx, found.id, 1) == ("sport-percent", 1)


class TestWithAGame:
    @pytest.fixture(autouse=True)
    async def played(self, club: Club, season: dict[str, Any]) -> None:
        await play(club, "2025-03-14")
        await play(club, "2025-04-20")

    async def test_the_format_is_fixed(self, club: Club) -> None:
        before = (await club.ask("reader", "GET", PATH)).json()
        refused = await change(club, format="tournament", rule_system="sport-percent")
        assert (refused.status_code, refused.json()["code"]) == (409, "format_fixed")
        assert (await club.ask("reader", "GET", PATH)).json() == before

    async def test_the_same_format_and_rules_are_no_change(self, club: Club, season: dict[str, Any]) -> None:
        kept = await change(club, format="season", rule_system=season["rule_system"], name="Other")
        assert (kept.status_code, kept.json()["name"]) == (200, "Other")

    @pytest.mark.parametrize(
        "body, fault",
        [
            ({"starts_on": "2025-03-15"}, ("/starts_on", "2025-03-14")),
            ({"ends_on": "2025-04-19"}, ("/ends_on", "2025-04-20")),
            ({"starts_on": "2025-05-01"}, ("/starts_on", "2025-04-20")),
        ],
    )
    async def test_its_days_must_hold_every_game(
        self, club: Club, body: dict[str, str], fault: tuple[str, str]
    ) -> None:
        refused = await change(club, **body)
        assert (refused.status_code, refused.json()["type"]) == (422, "/problems/rule-violation")
        (found,) = refused.json()["violations"]
        assert (found["code"], found["pointer"], found["actual"]) == ("played_on_outside_season", *fault)

    async def test_both_ends_are_told_at_once(self, club: Club) -> None:
        refused = await change(club, starts_on="2025-03-15", ends_on="2025-04-19")
        assert [found["pointer"] for found in refused.json()["violations"]] == ["/starts_on", "/ends_on"]

    @pytest.mark.parametrize(
        "body",
        [
            {"starts_on": "2025-03-14", "ends_on": "2025-04-20"},
            {"starts_on": "0001-01-01", "ends_on": "9999-12-31"},
            {"starts_on": None, "ends_on": None},
        ],
    )
    async def test_days_that_hold_every_game_will_do(self, club: Club, body: dict[str, Any]) -> None:
        changed = await change(club, **body)
        assert changed.status_code == 200
        assert {name: changed.json()[name] for name in body} == body


async def test_a_repeated_request_makes_one_season(club: Club) -> None:
    headers = {"idempotency-key": "spring"}
    first = await club.ask("president", "POST", "/seasons", SEASON, headers)
    again = await club.ask("president", "POST", "/seasons", SEASON, headers)
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.content == first.content
    assert again.headers["idempotency-replayed"] == "true"
    other = await club.ask("president", "POST", "/seasons", {**SEASON, "name": "Other"}, headers)
    assert (other.status_code, other.json()["type"]) == (422, "/problems/idempotency-mismatch")
    assert len((await club.ask("reader", "GET", "/seasons")).json()["items"]) == 1


@pytest.mark.parametrize("key", ["", "x" * 256, "tab\there", "\x7f"])
async def test_an_idempotency_key_is_short_and_printable(club: Club, key: str) -> None:
    refused = await club.ask("president", "POST", "/seasons", SEASON, {"idempotency-key": key})
    assert refused.status_code == 422
    assert refused.json()["type"] == "/problems/invalid-request"


async def test_an_idempotency_key_of_255_characters_will_do(club: Club) -> None:
    assert (await club.ask("president", "POST", "/seasons", SEASON, {"idempotency-key": "x" * 255})).status_code == 201


async def test_a_refusal_is_not_kept_for_repetition(club: Club) -> None:
    headers = {"idempotency-key": "spring"}
    assert (await club.ask("judge", "POST", "/seasons", SEASON, headers)).status_code == 403
    assert (await make(club, slug="taken")).status_code == 201
    refused = await club.ask("president", "POST", "/seasons", {**SEASON, "slug": "taken"}, headers)
    assert refused.status_code == 409
    mended = await club.ask("president", "POST", "/seasons", SEASON, headers)
    assert (mended.status_code, "idempotency-replayed" in mended.headers) == (201, False)
