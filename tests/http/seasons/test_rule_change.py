"""Other rules for a season that has games: the preview, the refusal, rescoring (docs/api.md#seasons)."""

import json
from decimal import Decimal
from typing import Any

import pytest
from fastapi import FastAPI
from httpx import AsyncClient, Response

from app.repositories.games import ledger
from app.services.audit import audit
from app.services.seasons import rule_change
from tests.http.desk import ask, merge, newcomer, player, table
from tests.http.games.test_approvals import decide
from tests.http.games.test_correcting import bonused
from tests.http.games.test_submitting import ON
from tests.http.kept_season import KeptSeason, make_season, problem, read
from tests.http.seasons.test_closing import close
from tests.league import EXPECTED, lines_of, top_of

pytestmark = pytest.mark.anyio

PERCENT = {"rule_system": {"id": "sport-percent", "version": 1}}
BACK = {"rule_system": {"id": "maffamily", "version": 1}}


@pytest.fixture
def red(game: dict[str, Any]) -> dict[str, Any]:
    """Red won on 14 March; seats 1 to 6 citizens, 7 the sheriff, 8 and 9 mafia, 10 the don."""
    return {**game, **ON}


@pytest.fixture
async def games(spring: KeptSeason, red: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Seven games of a maffamily season, by external id.

    a, b and c count there; d waits for the president. Under sport-percent c would wait for the chief judge (0.7), and
    d for nobody.
    """
    black = {**red, "outcome": "black", "first_kill": {"seat": 7, "best_move": [8, 9, 3]}}
    sent: dict[str, tuple[dict[str, Any], str]] = {
        "a": (bonused(red, s1=0.3), "judge"),
        "b": (black, "judge"),
        "c": (bonused(red, s2=0.7), "president"),
        "d": (bonused(red, s3=0.6), "judge"),
        "voided": (bonused(red, s1=0.1), "judge"),
        "friendly": ({**red, "rated": False}, "judge"),
        "cancelled": ({**red, "cancelled": True, "outcome": None}, "judge"),
    }
    kept = {name: await spring.kept({**game, "external_id": name}, role) for name, (game, role) in sent.items()}
    kept["voided"] = read(await spring.ask("judge", "DELETE", f"/{kept['voided']['id']}"))
    return kept


async def change(season: KeptSeason, body: object, query: str = "", role: str = "president") -> Response:
    return await ask(season, role, "PATCH", f"/seasons/{season.slug}{query}", body)


async def preview(season: KeptSeason, body: object) -> dict[str, Any]:
    return read(await change(season, body, "?dry_run=true"))


async def shown(season: KeptSeason) -> dict[str, Any]:
    """The whole table with unpublished rows, but for the revision."""
    answer = await ask(season, "reader", "GET", f"/seasons/{season.slug}/standings?include=unpublished")
    return {name: value for name, value in read(answer).items() if name != "revision"}


async def revision(season: KeptSeason) -> int:
    found: int = read(await ask(season, "reader", "GET", f"/seasons/{season.slug}"))["revision"]
    return found


def placed(table: dict[str, Any], column: str = "points") -> dict[str, tuple[int | None, object]]:
    """Everybody's place and value."""
    return {row["player"]["nickname"]: (row["rank"], row["values"][column]) for row in table["rows"]}


def sides(previewed: dict[str, Any], side: str) -> list[dict[str, Any]]:
    """A side of the preview as the rows of a table, the best first."""
    there = [{"player": one["player"], **one[side]} for one in previewed["players"] if one[side] is not None]
    return sorted(there, key=lambda row: (row["rank"] is None, row["rank"] or 0, row["player"]["nickname"]))


def rows(table: dict[str, Any]) -> list[dict[str, Any]]:
    there = [{name: row[name] for name in ("player", "rank", "published", "values")} for row in table["rows"]]
    return sorted(there, key=lambda row: (row["rank"] is None, row["rank"] or 0, row["player"]["nickname"]))


# Under maffamily a, b and c: P1 2.3 + 0 + 2, P2 2 + 0 + 2.7, P7 2 + 0.75 + 2, P3 to P6 4, P8 to P10 2.
BEFORE = {
    "P7": (1, Decimal("4.75")),
    "P2": (2, Decimal("4.7")),
    "P1": (3, Decimal("4.3")),
    **dict.fromkeys(("P3", "P4", "P5", "P6"), (4, 4)),
    **dict.fromkeys(("P8", "P9", "P10"), (8, 2)),
}
# Under sport-percent a, b and d: a winner 1.3, a loser 0.3; P1 +0.3 in a, P7 +0.3 for two blacks in b, P3 +0.6 in d.
# P7 is before P1 by two wins as sheriff, P10 before P8 and P9 by one as don.
AFTER = {
    "P3": (1, Decimal("3.5")),
    "P7": (2, Decimal("3.2")),
    "P1": (3, Decimal("3.2")),
    **dict.fromkeys(("P2", "P4", "P5", "P6"), (4, Decimal("2.9"))),
    "P10": (8, Decimal("1.9")),
    **dict.fromkeys(("P8", "P9"), (9, Decimal("1.9"))),
}


async def test_a_season_follows_other_rules_in_one_step(spring: KeptSeason, games: dict[str, dict[str, Any]]) -> None:
    assert placed(await table(spring)) == BEFORE
    before = await revision(spring)
    changed = read(await change(spring, PERCENT))
    assert changed["rule_system"] == {"id": "sport-percent", "version": 1}
    assert changed["revision"] == before + 1
    after = await table(spring)
    assert (after["rule_system"], after["games"]) == ({"id": "sport-percent", "version": 1}, 3)
    assert placed(after) == AFTER
    statuses = {name: (await spring.get(game["id"]))["status"] for name, game in games.items()}
    assert statuses == {
        "a": "counted", "b": "counted", "c": "pending", "d": "counted",
        "voided": "voided", "friendly": "unrated", "cancelled": "cancelled",
    }  # fmt: skip
    assert list(audit(spring.database)) == []


async def test_the_preview_shows_both_tables_and_changes_nothing(
    spring: KeptSeason, games: dict[str, dict[str, Any]]
) -> None:
    before = (await revision(spring), await shown(spring))
    previewed = await preview(spring, PERCENT)
    assert (await revision(spring), await shown(spring)) == before
    assert (previewed["season"], previewed["revision"], previewed["possible"]) == ("spring", before[0], True)
    assert (previewed["before"]["rule_system"]["id"], previewed["before"]["games"]) == ("maffamily", 3)
    assert (previewed["after"]["rule_system"]["id"], previewed["after"]["games"]) == ("sport-percent", 3)
    assert {
        one["player"]["nickname"]: [(one[side]["rank"], one[side]["values"]["points"]) for side in ("before", "after")]
        for one in previewed["players"]
    } == {name: [BEFORE[name], AFTER[name]] for name in BEFORE}
    assert [one["player"]["nickname"] for one in previewed["players"]][:3] == ["P3", "P7", "P1"]
    waits = {"clause": "bonus", "seat": 2, "by": "chief_judge", "points": Decimal("0.7")}
    assert previewed["moved"] == [
        {"id": games["c"]["id"], "external_id": "c", "before": "counted", "after": "pending", "waits_for": [waits]},
        {"id": games["d"]["id"], "external_id": "d", "before": "pending", "after": "counted", "waits_for": []},
    ]
    counts = ("examined", "moved_games", "pending_games", "refused_games")
    assert [previewed[name] for name in counts] == [6, 2, 1, 0]
    assert previewed["refused"] == []


async def test_the_preview_equals_what_then_happens(spring: KeptSeason, games: dict[str, dict[str, Any]]) -> None:
    previewed = await preview(spring, PERCENT)
    assert sides(previewed, "before") == rows(await shown(spring))
    await change(spring, PERCENT)
    after = await shown(spring)
    assert sides(previewed, "after") == rows(after)
    assert previewed["after"] == {name: after[name] for name in ("rule_system", "games", "order", "columns")}
    for moved in previewed["moved"]:
        game = await spring.get(moved["id"])
        assert game["status"] == moved["after"]
        open_ones = [
            {"clause": one["clause"], "seat": one["seat"], "by": one["by"]}
            for one in game["breakdown"]["approvals"]
            if one["state"] == "pending"
        ]
        assert open_ones == [{name: one[name] for name in ("clause", "seat", "by")} for one in moved["waits_for"]]


async def test_every_rescored_game_has_a_version_that_says_what_changed(
    spring: KeptSeason, games: dict[str, dict[str, Any]]
) -> None:
    changed = read(await change(spring, PERCENT, "?reason=the%20federation%20asks"))
    history = (await spring.get(games["b"]["id"], path="/history"))["items"]
    assert [(one["version"], one["action"], one["status"]) for one in history] == [
        (1, "submitted", "counted"),
        (2, "rescored", "counted"),
    ]
    version = history[1]
    assert version["rule_system"] == {"id": "sport-percent", "version": 1}
    assert (version["revision"], version["reason"]) == (changed["revision"], "the federation asks")
    assert version["who"] == {
        "role": "president",
        "key": {"id": spring.ids["president"], "name": version["who"]["key"]["name"]},
    }
    assert version["game"] == history[0]["game"]
    # Black won: 0 became 0.3, two named of three 0.75 became 0.6, 2 became 1.3.
    moves = {one["seat"]: (one["before"], one["after"]) for one in version["changes"]}
    assert moves == {
        **dict.fromkeys(range(1, 7), (0, Decimal("0.3"))),
        7: (Decimal("0.75"), Decimal("0.6")),
        **dict.fromkeys((8, 9, 10), (2, Decimal("1.3"))),
    }
    assert (await spring.get(games["voided"]["id"]))["version"] == 2


async def test_an_earlier_revision_keeps_its_rules_and_its_table(
    spring: KeptSeason, games: dict[str, dict[str, Any]]
) -> None:
    before = await revision(spring)
    then = await table(spring, f"?revision={before}")
    row = f"/seasons/spring/standings/{games['b']['game']['seats'][6]['player_id']}?revision={before}"
    lines = read(await ask(spring, "anonymous", "GET", row))
    await change(spring, PERCENT)
    assert await table(spring, f"?revision={before}") == then
    assert read(await ask(spring, "anonymous", "GET", row)) == lines


async def test_rules_that_refuse_games_are_refused_with_the_list_of_them(
    spring: KeptSeason, games: dict[str, dict[str, Any]], red: dict[str, Any]
) -> None:
    """Under sport-percent a winner's bonus is 0.3 to 0.8, a loser's 0.2 to 0.5."""
    low = await spring.kept(bonused({**red, "external_id": "low"}, s1=0.2, s4=0.3, s8=0.1))
    lower = await spring.kept(bonused(red, s10=0.05))
    before = (await revision(spring), await shown(spring))
    refused = await change(spring, PERCENT)
    assert problem(refused) == (422, "rule-violation", None)
    named = [
        {"id": low["id"], "external_id": "low", "codes": ["bonus_range"]},
        {"id": lower["id"], "external_id": lower["external_id"], "codes": ["bonus_range"]},
    ]
    assert refused.json()["games"] == named
    assert refused.json()["refused"] == 2
    assert [(one["code"], one["clause"], one["pointer"]) for one in refused.json()["violations"]] == [
        ("bonus_range", "bonus", f"/games/{low['id']}/seats/0/bonus"),
        ("bonus_range", "bonus", f"/games/{low['id']}/seats/7/bonus"),
        ("bonus_range", "bonus", f"/games/{lower['id']}/seats/9/bonus"),
    ]
    assert (await revision(spring), await shown(spring)) == before
    assert (await spring.get(games["a"]["id"]))["version"] == 1
    assert list(audit(spring.database)) == []
    previewed = await preview(spring, PERCENT)
    assert (previewed["possible"], previewed["examined"], previewed["refused_games"]) == (False, 8, 2)
    assert previewed["refused"] == named
    assert {one["player"]["nickname"]: one["after"]["rank"] for one in previewed["players"]} == {
        name: rank for name, (rank, _) in AFTER.items()
    }


async def test_approvals_come_back_with_the_rules_that_asked_for_them(
    spring: KeptSeason, games: dict[str, dict[str, Any]]
) -> None:
    before = await shown(spring)
    await change(spring, PERCENT)
    waiting = await spring.get(games["c"]["id"])
    old = games["c"]
    assert problem(await decide(spring, old, "approve", "chief_judge")) == (412, "precondition-failed", None)
    read(await decide(spring, waiting, "approve", "chief_judge"))
    percent = await shown(spring)
    assert percent["games"] == 4
    await change(spring, BACK)
    assert await shown(spring) == before
    back = await spring.get(games["c"]["id"])
    assert back["breakdown"]["approvals"] == old["breakdown"]["approvals"]
    assert (await spring.get(games["d"]["id"]))["status"] == "pending"
    previewed = await preview(spring, PERCENT)
    assert [game["external_id"] for game in previewed["moved"]] == ["d"]
    await change(spring, PERCENT)
    assert await shown(spring) == percent
    (approval,) = (await spring.get(games["c"]["id"]))["breakdown"]["approvals"]
    assert (approval["state"], approval["decided_by"]) == ("approved", spring.ids["chief_judge"])
    assert list(audit(spring.database)) == []


async def test_a_rejection_is_one_of_the_rules_it_was_made_under(
    spring: KeptSeason, games: dict[str, dict[str, Any]]
) -> None:
    read(await decide(spring, games["d"], "reject", note="too much"))
    previewed = await preview(spring, PERCENT)
    assert [(game["external_id"], game["before"], game["after"]) for game in previewed["moved"]] == [
        ("c", "counted", "pending"),
        ("d", "rejected", "counted"),
    ]
    await change(spring, PERCENT)
    assert (await spring.get(games["d"]["id"]))["status"] == "counted"
    previewed = await preview(spring, BACK)
    assert [(game["external_id"], game["before"], game["after"]) for game in previewed["moved"]] == [
        ("c", "pending", "counted"),
        ("d", "counted", "rejected"),
    ]
    assert (previewed["moved_games"], previewed["pending_games"]) == (2, 0)
    await change(spring, BACK)
    rejected = await spring.get(games["d"]["id"])
    assert (rejected["status"], rejected["breakdown"]["approvals"][0]["note"]) == ("rejected", "too much")


async def test_what_was_corrected_meanwhile_needs_its_approval_again(
    spring: KeptSeason, games: dict[str, dict[str, Any]], red: dict[str, Any]
) -> None:
    await change(spring, PERCENT)
    kept = await spring.get(games["c"]["id"])
    read(await spring.correct(kept, bonused(red, s2=0.65), "president"))
    await change(spring, BACK)
    (approval,) = (await spring.get(kept["id"]))["breakdown"]["approvals"]
    assert (approval["clause"], approval["seat"], approval["state"]) == ("4", 2, "pending")


async def test_a_voided_game_is_scored_anew_when_it_is_restored(
    spring: KeptSeason, games: dict[str, dict[str, Any]], red: dict[str, Any]
) -> None:
    """Its bonus of 0.1 is below what sport-percent allows, and stops nothing while the game is out."""
    fine = await spring.kept({**red, "external_id": "fine"})
    await spring.ask("judge", "DELETE", f"/{fine['id']}")
    read(await change(spring, PERCENT))
    restored = read(await spring.ask("judge", "POST", f"/{fine['id']}/restore"))
    assert restored["breakdown"]["rule_system"]["id"] == "sport-percent"
    assert restored["breakdown"]["seats"][0]["total"] == Decimal("1.3")
    refused = await spring.ask("judge", "POST", f"/{games['voided']['id']}/restore")
    assert problem(refused) == (422, "rule-violation", None)
    assert list(audit(spring.database)) == []


async def test_a_merged_players_survivor_stays_in_his_seat(
    spring: KeptSeason, games: dict[str, dict[str, Any]]
) -> None:
    survivor = await newcomer(spring, "Zoe")
    read(await merge(spring, await player(spring, "P3"), survivor))
    await change(spring, PERCENT)
    places = placed(await table(spring))
    assert (places["Zoe"], "P3" in places) == (AFTER["P3"], False)
    assert list(audit(spring.database)) == []


async def test_games_are_rescored_batch_by_batch(
    spring: KeptSeason, games: dict[str, dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rule_change, "_AT_ONCE", 2)
    monkeypatch.setattr(ledger, "WORTH_SUMMING", 1)
    previewed = await preview(spring, PERCENT)
    await change(spring, PERCENT)
    assert placed(await table(spring)) == AFTER
    assert sides(previewed, "after") == rows(await shown(spring))
    assert (await spring.get(games["c"]["id"]))["status"] == "pending"
    assert list(audit(spring.database)) == []


async def test_rules_may_change_together_with_the_rest_of_a_season(
    spring: KeptSeason, games: dict[str, dict[str, Any]]
) -> None:
    before = await revision(spring)
    changed = read(await change(spring, {**PERCENT, "name": "Percent", "slug": "percent", "ends_on": None}))
    assert (changed["slug"], changed["name"], changed["ends_on"]) == ("percent", "Percent", None)
    assert changed["revision"] == before + 1
    assert placed(read(await ask(spring, "anonymous", "GET", "/seasons/percent/standings"))) == AFTER
    assert (await ask(spring, "reader", "GET", f"/seasons/percent/games/{games['a']['id']}")).status_code == 200


async def test_only_cancelled_games_and_friendly_draws_pass_to_rules_of_another_kind(
    spring: KeptSeason, red: dict[str, Any]
) -> None:
    """city-average asks for the days that winners lived."""
    await spring.kept({**red, "cancelled": True, "outcome": None})
    read(await change(spring, {"rule_system": "city-average"}))
    assert list(audit(spring.database)) == []
    read(await change(spring, BACK))
    await spring.kept(red)
    refused = await change(spring, {"rule_system": "city-average"})
    assert {one["code"] for one in refused.json()["violations"]} == {"days_lived_required"}


async def test_a_preview_of_nothing_shows_the_same_twice(spring: KeptSeason, games: dict[str, dict[str, Any]]) -> None:
    for body in ({}, BACK, {"name": "Other"}):
        previewed = await preview(spring, body)
        assert sides(previewed, "before") == sides(previewed, "after")
        assert (previewed["moved"], previewed["possible"]) == ([], True)
    assert games["a"]["version"] == 1


async def test_a_preview_speaks_the_language_that_is_asked_for(
    spring: KeptSeason, games: dict[str, dict[str, Any]]
) -> None:
    answer = await ask(spring, "president", "PATCH", "/seasons/spring?dry_run=true", PERCENT, accept_language="ru")
    assert answer.headers["content-language"] == "ru"
    labels = {column["key"]: column["label"] for column in answer.json()["after"]["columns"]}
    assert labels["rating"] == "Рейтинг"
    assert games["a"]["version"] == 1


@pytest.mark.parametrize("query", ["", "?dry_run=true"])
async def test_who_may_not_change_rules_may_not_look_ahead(
    spring: KeptSeason, games: dict[str, dict[str, Any]], query: str
) -> None:
    for role, status in {"anonymous": 401, "reader": 403, "judge": 403, "chief_judge": 403}.items():
        assert (await change(spring, PERCENT, query, role)).status_code == status
    assert problem(await change(spring, {"rule_system": "percent"}, query)) == (422, "invalid-request", None)
    assert problem(await change(spring, {"format": "tournament"}, query)) == (409, "conflict", "format_fixed")
    outside = await change(spring, {**PERCENT, "starts_on": "2025-03-15"}, query)
    assert [one["code"] for one in outside.json()["violations"]] == ["played_on_outside_season"]
    read(await decide(spring, games["d"], "approve"))
    await close(spring)
    assert problem(await change(spring, PERCENT, query)) == (409, "conflict", "season_closed")


async def test_when_every_place_is_taken_a_preview_comes_back_later(
    kept_app: FastAPI, spring: KeptSeason, games: dict[str, dict[str, Any]]
) -> None:
    places = kept_app.state.standings_slots
    free, places.free = places.free, 0
    assert (await change(spring, PERCENT, "?dry_run=true")).status_code == 503
    places.free = free
    assert (await preview(spring, PERCENT))["examined"] == len(games) - 1


def league_games(name: str) -> list[dict[str, Any]]:
    return [json.loads(line, parse_float=str) for line in lines_of(name)]


async def accepted(client: AsyncClient, system: str, games: list[dict[str, Any]]) -> list[bool]:
    answers = [await client.post(f"/v1/rule-systems/{system}/score?version=1", json=game) for game in games]
    return [answer.status_code == 200 for answer in answers]


async def test_season_5_goes_to_other_rules_and_back_unless_games_of_it_do_not(
    kept_app: FastAPI, kept_client: AsyncClient
) -> None:
    """expected.json: 193 of the 219 games are valid under maffamily, 85 under sport-percent, and these under both."""
    every = league_games("s05")
    by_system = [await accepted(kept_client, system, every) for system in ("maffamily", "sport-percent")]
    assert [sum(valid) for valid in by_system] == [193, 85]
    both = [game for game, *valid in zip(every, *by_system, strict=True) if all(valid)]
    assert len(both) == 85
    season = make_season(kept_app.state.database, kept_client, days=(None, None), nicknames=0)
    for game in both:
        read(await season.ask("president", "POST", "?create_players=true", game), 201)

    first = await shown(season)
    previewed = await preview(season, PERCENT)
    read(await change(season, PERCENT))
    percent = await shown(season)
    figures = EXPECTED["s05"]["sport-percent"]
    assert (percent["games"], len(percent["rows"])) == (figures["valid"], figures["players"])
    assert top_of(percent) == figures["top"]
    assert sides(previewed, "after") == rows(percent)
    assert list(audit(season.database)) == []
    read(await change(season, BACK))
    assert await shown(season) == first
    assert list(audit(season.database)) == []

    only_there = {}
    for game, maffamily, percent_too in zip(every, *by_system, strict=True):
        if maffamily and not percent_too:
            kept = read(await season.ask("president", "POST", "?create_players=true", game), 201)
            only_there[kept["id"]] = kept["external_id"]
    assert len(only_there) == 108
    whole = await shown(season)
    refused = await change(season, PERCENT)
    assert problem(refused) == (422, "rule-violation", None)
    assert {game["id"]: game["external_id"] for game in refused.json()["games"]} == only_there
    assert {one["pointer"].split("/")[2] for one in refused.json()["violations"]} == only_there.keys()
    assert await shown(season) == whole
    assert (await preview(season, PERCENT))["refused"] == refused.json()["games"]
    assert list(audit(season.database)) == []
