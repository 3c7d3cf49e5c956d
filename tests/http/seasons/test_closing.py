"""Closing a season freezes its tables and awards; reopening lets it go on (docs/api.md#seasons)."""

import io
from copy import deepcopy
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from fastapi import FastAPI
from httpx import ASGITransport, AsyncClient, Response
from python_calamine import CalamineWorkbook
from sqlalchemy import text

from app.config import Settings
from app.main import create_app
from app.repositories import journal
from app.repositories.seasons import seasons
from app.services.audit import audit
from tests.http.club import bearer
from tests.http.games.test_correcting import bonused
from tests.http.games.test_submitting import ON, city_game, register
from tests.http.kept_season import KeptSeason, make_season, problem, read

pytestmark = pytest.mark.anyio

VIEWS = (
    "/standings",
    "/standings?order=points",
    "/standings?include=unpublished",
    "/standings.csv",
    "/standings.csv?order=points",
    "/standings.xlsx",
    "/awards",
)


async def of_season(
    season: KeptSeason, role: str, method: str, path: str, json: object = None, language: str = "en", **headers: str
) -> Response:
    """Ask for a path below the season with the key of a role."""
    carried = bearer(season.secrets[role]) if role in season.secrets else {}
    address = f"/v1/clubs/{season.club}/seasons/{season.slug}{path}"
    return await season.client.request(
        method, address, json=json, headers={**carried, "accept-language": language, **headers}
    )


async def of_club(season: KeptSeason, method: str, path: str, json: object = None) -> dict[str, Any]:
    """Ask for a path below the club with its president's key."""
    address = f"/v1/clubs/{season.club}{path}"
    answer = await season.client.request(method, address, json=json, headers=bearer(season.secrets["president"]))
    assert answer.is_success, answer.text
    value: dict[str, Any] = answer.json()
    return value


async def close(season: KeptSeason, query: str = "") -> dict[str, Any]:
    return read(await of_season(season, "president", "POST", f"/close{query}"))


async def reopen(season: KeptSeason, reason: str = "mistake") -> dict[str, Any]:
    return read(await of_season(season, "president", "POST", f"/reopen?reason={reason}"))


async def player_id(season: KeptSeason, nickname: str) -> str:
    found = await of_club(season, "GET", f"/players?nickname={nickname}")
    player: str = found["items"][0]["id"]
    return player


async def everything(season: KeptSeason) -> dict[tuple[str, str], tuple[bytes, str]]:
    """What every view of the season answers in both languages, with its ETag."""
    views = [*VIEWS, *[f"/standings/{await player_id(season, name)}" for name in ("P1", "P8")]]
    answers = {}
    for language in ("ru", "en"):
        for view in views:
            answer = await of_season(season, "reader", "GET", view, language=language)
            assert answer.status_code == 200, answer.text
            answers[view, language] = answer.content, answer.headers["etag"]
    return answers


@pytest.fixture
def red(game: dict[str, Any]) -> dict[str, Any]:
    """Red won on 14 March: two points for seats 1 to 7."""
    return {**game, **ON}


@pytest.fixture
async def played(spring: KeptSeason, red: dict[str, Any]) -> KeptSeason:
    """Three games in four revisions.

    P1: 2.5 + 2.5 + 0 = 5 points, 2 wins of 3; P2 to P7: 4 points; P8: 2.4 points; P9, P10: 2 points, 1 win.
    """
    await spring.kept({**bonused(red, s1=0.5), "external_id": "a"})
    await spring.kept({**bonused(red, s1=0.5), "external_id": "b", "played_on": "2025-03-15"})
    third = {**bonused(red, s8=0.4), "outcome": "black", "played_on": "2025-04-01", "external_id": "c"}
    await spring.kept(third)
    kept = await spring.kept({**red, "external_id": "d"})
    await spring.ask("judge", "DELETE", f"/{kept['id']}")
    return spring


async def test_a_closed_season_says_so_and_its_awards_are_no_longer_provisional(played: KeptSeason) -> None:
    before = read(await of_season(played, "anonymous", "GET", ""))
    assert (before["revision"], before["closed_at"]) == (5, None)
    provisional = read(await of_season(played, "anonymous", "GET", "/awards"))
    closed = await close(played, "?reason=season%20is%20over")
    assert {**closed, "closed_at": None} == {**before, "revision": 6}
    assert datetime.fromisoformat(closed["closed_at"]) <= datetime.now(UTC)
    answer = await of_season(played, "anonymous", "GET", "")
    assert read(answer) == closed
    awards = read(await of_season(played, "anonymous", "GET", "/awards"))
    assert (provisional["provisional"], awards["provisional"]) == (True, False)
    assert awards == {**provisional, "provisional": False, "revision": 6}
    held = {award["code"]: [player["nickname"] for player in award["players"]] for award in awards["awards"]}
    assert held == {
        "best_player": ["P1"],
        "free_entry": ["P1"],
        "priority_registration": ["P1", *(f"P{n}" for n in range(2, 8)), "P8", "P10", "P9"],
    }
    with played.database.read() as tx:
        season = seasons.find(tx, played.club, played.slug)
        assert season
        (change,) = journal.after(tx, season.id, 5, limit=9)
    assert (change.action, change.target, change.role, change.reason) == (
        "season_closed", "spring", "president", "season is over",
    )  # fmt: skip


async def test_closing_changes_nothing_in_the_table_but_its_revision(played: KeptSeason) -> None:
    before = await of_season(played, "reader", "GET", "/standings")
    sheet = await of_season(played, "reader", "GET", "/standings.csv")
    await close(played)
    after = await of_season(played, "reader", "GET", "/standings")
    assert read(after) == {**read(before), "revision": 6}
    assert after.headers["etag"] != before.headers["etag"]
    assert (await of_season(played, "reader", "GET", "/standings.csv")).content == sheet.content


async def test_a_frozen_table_never_changes_whatever_becomes_of_its_players(played: KeptSeason) -> None:
    await close(played)
    frozen = await everything(played)
    first, second = await player_id(played, "P1"), await player_id(played, "P2")
    await of_club(played, "PATCH", f"/players/{first}", {"nickname": "Алиса"})
    zoe = await of_club(played, "POST", "/players", {"nickname": "Zoe"})
    await of_club(played, "POST", f"/players/{second}/merge", {"into": zoe["id"]})
    assert await everything(played) == frozen
    rows = read(await of_season(played, "anonymous", "GET", "/standings"))["rows"]
    assert [row["player"] for row in rows[:2]] == [{"id": first, "nickname": "P1"}, {"id": second, "nickname": "P2"}]
    assert read(await of_season(played, "anonymous", "GET", f"/standings/{second}"))["row"]["values"]["points"] == 4
    assert list(audit(played.database)) == []


async def test_a_reopened_season_is_what_its_games_give(played: KeptSeason, red: dict[str, Any]) -> None:
    await close(played)
    first, second = await player_id(played, "P1"), await player_id(played, "P2")
    await of_club(played, "PATCH", f"/players/{first}", {"nickname": "Ann"})
    zoe = await of_club(played, "POST", "/players", {"nickname": "Zoe"})
    await of_club(played, "POST", f"/players/{second}/merge", {"into": zoe["id"]})
    reopened = await reopen(played, "a game was forgotten")
    assert (reopened["revision"], reopened["closed_at"]) == (7, None)
    table = read(await of_season(played, "anonymous", "GET", "/standings"))
    assert table["revision"] == 7
    assert [row["player"]["nickname"] for row in table["rows"]][:2] == ["Ann", "P3"]
    assert "Zoe" in [row["player"]["nickname"] for row in table["rows"]]
    assert "P2" not in [row["player"]["nickname"] for row in table["rows"]]
    assert read(await of_season(played, "anonymous", "GET", "/awards"))["provisional"] is True
    with played.database.read() as tx:
        season = seasons.find(tx, played.club, played.slug)
        assert season
        (change,) = journal.after(tx, season.id, 6, limit=9)
    assert (change.action, change.reason, change.revision) == ("season_reopened", "a game was forgotten", 7)
    assert list(audit(played.database)) == []
    await played.kept({**red, "external_id": "e"})
    assert (await close(played))["revision"] == 9
    table = read(await of_season(played, "anonymous", "GET", "/standings"))
    assert (table["games"], table["revision"]) == (4, 9)


async def test_nothing_is_written_in_a_closed_season(played: KeptSeason, red: dict[str, Any]) -> None:
    kept = read(await played.ask("judge", "GET", "?status=counted"))["items"][0]
    await close(played)
    frozen = await everything(played)
    writes: tuple[tuple[str, str, object], ...] = (
        ("POST", "/games", red),
        ("PUT", f"/games/{kept['id']}", red),
        ("DELETE", f"/games/{kept['id']}", None),
        ("POST", f"/games/{kept['id']}/restore", None),
        ("POST", f"/games/{kept['id']}/approval", {"decision": "approve"}),
        ("PATCH", "", {"name": "Other"}),
        ("PATCH", "", {"public": False}),
        ("POST", "/close", None),
    )
    for method, path, body in writes:
        answer = await of_season(played, "president", method, path, body, **{"if-match": "*"})
        assert problem(answer) == (409, "conflict", "season_closed"), (method, path)
    assert await everything(played) == frozen
    assert read(await of_season(played, "reader", "GET", ""))["revision"] == 6


async def test_a_season_is_not_closed_while_a_game_waits(spring: KeptSeason, red: dict[str, Any]) -> None:
    await spring.kept(red)
    waiting = [await spring.kept({**bonused(red, s1=0.6), "external_id": name}) for name in ("x", "y")]
    refused = await of_season(spring, "president", "POST", "/close")
    assert problem(refused) == (409, "conflict", "games_pending")
    assert refused.json()["pending"] == 2
    assert refused.json()["games"] == [{"id": game["id"], "external_id": game["external_id"]} for game in waiting]
    assert "2" in refused.json()["detail"]
    season = read(await of_season(spring, "president", "GET", ""))
    assert (season["revision"], season["closed_at"]) == (3, None)
    for game, decision in zip(waiting, ("approve", "reject"), strict=True):
        body = {"decision": decision, "note": "so it is"}
        read(await spring.ask("president", "POST", f"/{game['id']}/approval", body, {"if-match": game["etag"]}))
    await close(spring)
    assert read(await of_season(spring, "reader", "GET", "/standings"))["games"] == 2


@pytest.mark.parametrize("reason", ["", "?reason=", "?reason=%20", f"?reason={'x' * 501}", "?reason=a%00b"])
async def test_reopening_needs_a_reason(played: KeptSeason, reason: str) -> None:
    await close(played)
    refused = await of_season(played, "president", "POST", f"/reopen{reason}")
    assert problem(refused)[:2] == (422, "invalid-request")
    assert [found["pointer"] for found in refused.json()["violations"]] == ["?reason"]
    assert read(await of_season(played, "president", "GET", ""))["closed_at"] is not None


async def test_what_is_open_is_not_reopened(played: KeptSeason) -> None:
    refused = await of_season(played, "president", "POST", "/reopen?reason=why")
    assert problem(refused) == (409, "conflict", "season_open")
    assert read(await of_season(played, "president", "GET", ""))["revision"] == 5


async def test_earlier_revisions_and_days_are_still_answered(played: KeptSeason) -> None:
    third = read(await of_season(played, "reader", "GET", "/standings?revision=3"))
    first_day = read(await of_season(played, "reader", "GET", "/standings?as_of=2025-03-14"))
    await close(played)
    assert read(await of_season(played, "reader", "GET", "/standings?revision=3")) == third
    assert read(await of_season(played, "reader", "GET", "/standings?as_of=2025-03-14")) == {**first_day, "revision": 6}
    now = await of_season(played, "reader", "GET", "/standings")
    first = await player_id(played, "P1")
    await of_club(played, "PATCH", f"/players/{first}", {"nickname": "Ann"})
    frozen = read(await of_season(played, "reader", "GET", "/standings?revision=6"))
    assert frozen == read(now)
    await reopen(played)
    as_recorded = read(await of_season(played, "reader", "GET", "/standings?revision=6"))
    assert as_recorded["rows"][0]["player"]["nickname"] == "Ann"
    assert [row["values"] for row in as_recorded["rows"]] == [row["values"] for row in frozen["rows"]]


async def test_an_order_that_the_season_was_not_frozen_in_is_refused_as_ever(played: KeptSeason) -> None:
    before = await of_season(played, "reader", "GET", "/standings?order=luck")
    await close(played)
    after = await of_season(played, "reader", "GET", "/standings?order=luck")
    assert (after.status_code, after.json()["violations"]) == (422, before.json()["violations"])


async def test_unpublished_rows_are_frozen_too(kept_app: FastAPI, kept_client: AsyncClient) -> None:
    """Regulation C: nobody has ten games, so nobody is published; participation counts all the same."""
    city = make_season(kept_app.state.database, kept_client, system="city-average")
    register(city, "P1", on=None)
    await city.kept(city_game(P2=False))
    before = read(await of_season(city, "reader", "GET", "/standings?include=unpublished"))
    await close(city)
    after = read(await of_season(city, "reader", "GET", "/standings?include=unpublished"))
    assert after == {**before, "revision": 2}
    assert after["rows"]
    assert {row["rank"] for row in after["rows"]} == {None}
    assert read(await of_season(city, "anonymous", "GET", "/standings"))["rows"] == []
    row = after["rows"][0]
    mine = f"/standings/{row['player']['id']}?include=unpublished"
    assert read(await of_season(city, "reader", "GET", mine))["row"] == row


async def test_a_tournament_is_frozen_with_its_coefficients(
    kept_app: FastAPI, kept_client: AsyncClient, red: dict[str, Any]
) -> None:
    """Regulation B, k: red won one game of three, so its win points count 1 + (1.5 - 1)/1.5 = 4/3."""
    cup = make_season(kept_app.state.database, kept_client, system="sport-percent", format="tournament")
    for number, outcome in enumerate(("red", "black", "black")):
        await cup.kept({**deepcopy(red), "outcome": outcome, "stage": "qualifying", "number": number})
    before = read(await of_season(cup, "reader", "GET", "/standings"))
    first = await player_id(cup, "P1")
    lines = read(await of_season(cup, "reader", "GET", f"/standings/{first}"))
    await close(cup, "?lots=shared")
    assert read(await of_season(cup, "reader", "GET", "/standings")) == {**before, "revision": 4}
    assert read(await of_season(cup, "reader", "GET", f"/standings/{first}")) == {**lines, "revision": 4}
    assert lines["season_lines"][0]["code"] == "difficulty"
    assert lines["row"]["values"]["difficulty"] == Decimal("0.3333")
    assert list(audit(cup.database)) == []


@pytest.mark.unsound
async def test_what_the_games_would_no_longer_give_is_reported_and_not_applied(
    played: KeptSeason, database_url: str
) -> None:
    await close(played)
    frozen = await everything(played)
    first = await player_id(played, "P1")
    amend(
        played,
        "UPDATE frozen_seasons SET tables = replace(tables, :a, :b)",
        a='"season","games":3',
        b='"season","games":4',
    )
    found = {one.what: (one.expected, one.found) for one in audit(played.database)}
    assert found == {"games, frozen by rating": (3, 4), "games, frozen by points": (3, 4)}
    amend(
        played,
        "UPDATE frozen_seasons SET tables = replace(tables, :a, :b)",
        a='"season","games":4',
        b='"season","games":3',
    )
    assert list(audit(played.database)) == []
    # As if later rules gave less for the same games.
    amend(
        played,
        "UPDATE ledger SET lines = replace(lines, '500000', '400000'), points = points - 100000 WHERE lines LIKE :line",
        line="%500000%",
    )
    whats = [one.what for one in audit(played.database)]
    assert {f"row of {first}, frozen by rating", "awards, frozen by points"} <= set(whats)
    later = create_app(Settings(database_url=database_url))  # a process that has no answers at hand
    async with AsyncClient(transport=ASGITransport(later), base_url="http://mafrate") as client:
        after = await everything(played._replace(client=client))
    later.state.database.close()
    of_lines = [view for view in frozen if view[0].startswith(("/standings/", "/standings.xlsx"))]
    assert {view: after[view] for view in frozen if view not in of_lines} == {
        view: frozen[view] for view in frozen if view not in of_lines
    }
    books = [view for view in of_lines if view[0] == "/standings.xlsx"]
    assert [first_sheet(after[view][0]) for view in books] == [first_sheet(frozen[view][0]) for view in books]


def first_sheet(book: bytes) -> list[Any]:
    """The table of a workbook; what follows are lines, which are read as they are now."""
    return CalamineWorkbook.from_filelike(io.BytesIO(book)).get_sheet_by_index(0).to_python()


def amend(season: KeptSeason, statement: str, **values: str) -> None:
    """Change rows behind the service's back."""
    with season.database.write() as tx:
        assert tx.execute(text(statement), values).rowcount


@pytest.mark.unsound
async def test_frozen_tables_that_are_lost_or_unreadable_are_reported(played: KeptSeason) -> None:
    await close(played)
    amend(played, "UPDATE frozen_seasons SET tables = '{}'")
    assert [one.what for one in audit(played.database)] == ["frozen tables"]
    amend(played, "DELETE FROM frozen_seasons")
    assert [one.what for one in audit(played.database)] == ["frozen tables"]


async def test_a_tournament_is_not_closed_by_chance_while_lots_are_needed(
    kept_app: FastAPI, kept_client: AsyncClient, red: dict[str, Any]
) -> None:
    """Six citizens share the second place, three blacks the eighth."""
    cup = make_season(kept_app.state.database, kept_client, system="sport-percent")
    await cup.kept(red)
    ties = read(await of_season(cup, "reader", "GET", "/standings"))["ties"]
    refused = await of_season(cup, "president", "POST", "/close")
    assert problem(refused) == (409, "conflict", "lots_needed")
    assert refused.json()["ties"] == [{**tie, "players": sorted(tie["players"])} for tie in ties]
    assert [(tie["rank"], len(tie["players"]), tie["lot"]) for tie in ties] == [(2, 6, "needed"), (8, 3, "needed")]
    for tie in ties:
        body = {"group": tie["players"], "drawn": tie["players"]}
        read(await of_season(cup, "president", "POST", "/lots", body), 201)
    await close(cup)
    assert (await of_season(cup, "president", "POST", "/close?lots=drawn")).status_code == 422


async def test_a_season_closed_with_shared_places_says_so_in_its_journal(
    kept_app: FastAPI, kept_client: AsyncClient, red: dict[str, Any]
) -> None:
    cup = make_season(kept_app.state.database, kept_client, system="sport-percent")
    await cup.kept(red)
    before = read(await of_season(cup, "reader", "GET", "/standings"))
    await close(cup, "?lots=shared")
    assert read(await of_season(cup, "reader", "GET", "/standings")) == {**before, "revision": 2}
    change = read(await of_season(cup, "reader", "GET", "/changes"))["items"][0]
    assert (change["action"], change["detail"]) == ("season_closed", {"lots": "shared"})


async def test_a_season_without_games_is_closed_too(spring: KeptSeason) -> None:
    await close(spring)
    table = read(await of_season(spring, "anonymous", "GET", "/standings"))
    assert (table["games"], table["rows"], table["revision"]) == (0, [], 1)
    assert list(audit(spring.database)) == []


async def test_closing_that_is_sent_twice_is_done_once(played: KeptSeason) -> None:
    headers = {"idempotency-key": "over"}
    first = await of_season(played, "president", "POST", "/close", **headers)
    again = await of_season(played, "president", "POST", "/close", **headers)
    assert (first.status_code, again.status_code, again.content) == (200, 200, first.content)
    assert read(await of_season(played, "reader", "GET", ""))["revision"] == 6


@pytest.mark.parametrize("role", ["anonymous", "reader", "judge", "chief_judge"])
@pytest.mark.parametrize("path", ["/close", "/reopen?reason=why"])
async def test_only_the_president_closes_and_reopens(played: KeptSeason, role: str, path: str) -> None:
    refused = await of_season(played, role, "POST", path)
    assert problem(refused)[:2] == ((401, "unauthorized") if role == "anonymous" else (403, "forbidden"))
    assert read(await of_season(played, "reader", "GET", ""))["closed_at"] is None
