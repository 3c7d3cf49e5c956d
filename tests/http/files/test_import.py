"""Games imported from NDJSON (docs/api.md#import); points worked out by hand."""

import json
from copy import deepcopy
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from fastapi import FastAPI
from httpx import AsyncClient

from app.repositories import journal
from app.repositories.clubs import players
from app.repositories.seasons import seasons
from app.services.audit import audit
from tests.http.games.test_submitting import city_game, register
from tests.http.importing import NDJSON, ON, batches_of, bring, ndjson, post, revision, stored
from tests.http.kept_season import KeptSeason, make_season, points, problem, read
from tests.repositories.kept import in_force

pytestmark = pytest.mark.anyio


def shifted(game: dict[str, Any], by: int) -> dict[str, Any]:
    """The same table with everybody ``by`` seats further."""
    names = [seat["player"] for seat in game["seats"]]
    names = names[-by:] + names[:-by]
    return {**game, "seats": [{**seat, "player": name} for seat, name in zip(game["seats"], names, strict=True)]}


async def test_each_game_is_answered_in_order_and_is_in_the_table(spring: KeptSeason, game: dict[str, Any]) -> None:
    """Red won twice: P1 to P7 have 2 points each time; black won once: P8, P9 and P10."""
    file = [{**game, **ON, "external_id": f"a/{n}"} for n in range(3)]
    file[1]["outcome"] = "black"
    found = await bring(spring, ndjson(file), role="judge")
    assert (found.status, found.results, found.faults) == (200, ["created"] * 3, [])
    assert [(one["line"], one["external_id"]) for one in found.games] == [(1, "a/0"), (2, "a/1"), (3, "a/2")]
    assert found.summary == {
        "created": 3, "unchanged": 0, "corrected": 0, "pending": 0, "conflict": 0, "invalid": 0, "applied": True,
        "not_registered": {"games": 0, "players": []}, "new_players": [], "more": 0,
    }  # fmt: skip
    assert [game.public_id for game in stored(spring).values()] == [one["id"] for one in found.games]
    table = read(await spring.client.get(spring.path.replace("/games", "/standings")))
    assert (table["games"], table["revision"]) == (3, 1)
    assert {row["player"]["nickname"]: row["values"]["points"] for row in table["rows"]} == {
        f"P{n}": 4 if n < 8 else 2 for n in range(1, 11)
    }
    assert list(audit(spring.database)) == []


async def test_an_imported_game_is_what_a_submitted_one_is(
    kept_app: FastAPI, kept_client: AsyncClient, spring: KeptSeason, game: dict[str, Any]
) -> None:
    game |= {**ON, "external_id": "x", "outcome": "black", "first_kill": {"seat": 7, "best_move": [8, 9, 3]}}
    game["seats"][6] |= {"bonus": "0,3", "bonus_note": "named two"}
    game["seats"][2] |= {"penalties": ["broke_red_at_ten"], "removed": True}
    other = make_season(kept_app.state.database, kept_client, club="tver")
    submitted = await other.kept(game)
    (told,) = (await bring(spring, ndjson([game]), role="judge")).games
    imported = await spring.get(told["id"])
    assert points(imported) == points(submitted)
    assert points(imported)[7] == Decimal("1.05")  # worked out by hand
    for kept in (imported, submitted):
        for seat in (*kept["game"]["seats"], *kept["breakdown"]["seats"]):
            del seat["player_id"]
        del kept["id"], kept["etag"]
    assert imported == submitted


async def test_running_the_same_file_again_changes_nothing(spring: KeptSeason, game: dict[str, Any]) -> None:
    file = ndjson(
        [{**game, **ON, "external_id": "a"}, {**game, "played_on": "2025-03-15"}, {**game, "played_on": "2025-03-16"}]
    )
    first = await bring(spring, file)
    before = revision(spring)
    again = await bring(spring, file)
    assert (first.results, again.results) == (["created"] * 3, ["unchanged"] * 3)
    assert [one["id"] for one in again.games] == [one["id"] for one in first.games]
    assert [one["external_id"] for one in again.games] == [one["external_id"] for one in first.games]
    assert revision(spring) == before
    assert len(stored(spring)) == 3


async def test_a_game_without_an_id_is_known_again_by_its_facts(spring: KeptSeason, game: dict[str, Any]) -> None:
    game |= ON
    (first,) = (await bring(spring, ndjson([game]))).games
    assert first["external_id"] in stored(spring)
    turned = {**deepcopy(game), "seats": game["seats"][::-1], "judge": None, "rated": True}
    turned["seats"][0] |= {"player": " p10 ", "bonus": 0, "penalties": []}
    (again,) = (await bring(spring, ndjson([turned]))).games
    assert (again["result"], again["id"], again["external_id"]) == ("unchanged", first["id"], first["external_id"])
    other = [{**game, "table": 2, "played_on": "2025-03-16"}, {**game, "played_on": "2025-03-15"}, shifted(game, 1)]
    assert (await bring(spring, ndjson(other))).results == ["created"] * 3


async def test_a_game_kept_without_an_id_is_known_by_its_own(spring: KeptSeason, game: dict[str, Any]) -> None:
    kept = await spring.kept({**game, **ON})
    exported = {**game, **ON, "external_id": kept["id"]}
    (told,) = (await bring(spring, ndjson([exported]))).games
    assert (told["result"], told["id"]) == ("unchanged", kept["id"])
    other = {**exported, "table": 4}
    assert (await bring(spring, ndjson([other]))).results == ["conflict"]
    (told,) = (await bring(spring, ndjson([other]), "?on_conflict=correct")).games
    assert (told["result"], told["id"]) == ("corrected", kept["id"])
    now = await spring.get(kept["id"])
    assert (now["external_id"], now["version"], now["game"]["table"]) == (None, 2, 4)
    assert list(audit(spring.database)) == []


async def test_what_is_wrong_with_a_game_is_said_and_spoils_no_other(spring: KeptSeason, game: dict[str, Any]) -> None:
    """Line by line: shape, JSON, the regulation, an unknown player, a day outside the season."""
    game |= ON
    too_much, stranger = deepcopy(game), deepcopy(game)
    too_much["seats"][0]["bonus"] = 0.8
    too_much["seats"][8]["bonus"] = 0.5
    stranger["seats"][3]["player"] = "Р4"  # Cyrillic
    lines = [
        json.dumps({**game, "external_id": "good"}),
        "",
        json.dumps({**game, "external_id": "misshapen", "winner": 1}),
        '{"external_id": "broken',
        json.dumps({**too_much, "external_id": "too much"}),
        json.dumps(stranger),
        json.dumps({**game, "played_on": "2025-06-01"}),
        "   ",
        json.dumps({**game, "external_id": "also good"}),
    ]
    found = await bring(spring, "\n".join(lines).encode())
    assert found.results == ["created", "invalid", "invalid", "invalid", "invalid", "invalid", "created"]
    assert found.faults == [
        (3, "unknown_field", "/winner"),
        (4, "json", ""),
        (5, "bonus_range", "/seats/0/bonus"),
        (5, "bonus_range", "/seats/8/bonus"),
        (5, "bonus_total_exceeded", "/seats"),
        (6, "unknown_player", "/seats/3/player"),
        (7, "played_on_outside_season", "/played_on"),
    ]
    assert [game["external_id"] for game in found.games[:4]] == ["good", "misshapen", None, "too much"]
    assert found.games[4]["violations"][0]["suggestions"] == ["P4"]
    assert [game["id"] is None for game in found.games] == [False, True, True, True, True, True, False]
    assert {*stored(spring)} == {"good", "also good"}
    assert list(audit(spring.database)) == []


async def test_faults_are_told_in_the_language_of_the_request(spring: KeptSeason, game: dict[str, Any]) -> None:
    file = ndjson([{**game, **ON, "stage": "final"}])
    answers = [await post(spring, file, language=language) for language in ("ru", "en")]
    assert [answer.headers["content-language"] for answer in answers] == ["ru", "en"]
    said = [json.loads(answer.text.splitlines()[0])["violations"][0]["message"] for answer in answers]
    assert said[0] != said[1]


async def test_a_game_that_awaits_an_approval_is_pending_unless_the_key_decides(
    spring: KeptSeason, game: dict[str, Any]
) -> None:
    game |= ON
    game["seats"][1]["bonus"] = 0.6
    judged = await bring(spring, ndjson([{**game, "external_id": "a"}]), role="judge")
    decided = await bring(spring, ndjson([{**game, "external_id": "b"}]), role="president")
    assert (judged.results, decided.results) == (["pending"], ["created"])
    assert [game.status for game in stored(spring).values()] == ["pending", "counted"]
    waiting = read(await spring.client.get(
        spring.path.replace("/games", "/approvals"), headers={"authorization": f"Bearer {spring.secrets['judge']}"}
    ))  # fmt: skip
    assert len(waiting["items"]) == 1
    assert list(audit(spring.database)) == []


async def test_unrated_and_cancelled_games_are_kept_and_in_no_table(spring: KeptSeason, game: dict[str, Any]) -> None:
    file = [{**game, **ON, "rated": False}, {**game, "played_on": "2025-03-15", "outcome": None, "cancelled": True}]
    assert (await bring(spring, ndjson(file))).results == ["created"] * 2
    assert [game.status for game in stored(spring).values()] == ["unrated", "cancelled"]
    assert list(audit(spring.database)) == []


async def test_other_facts_under_a_known_id_are_a_conflict_or_a_correction(
    spring: KeptSeason, game: dict[str, Any]
) -> None:
    first, second = {**game, **ON, "external_id": "a"}, {**game, **ON, "external_id": "a", "outcome": "black"}
    (made,) = (await bring(spring, ndjson([first]))).games
    refused = await bring(spring, ndjson([second]))
    assert (refused.status, refused.results) == (200, ["conflict"])
    assert refused.faults == [(1, "external_id_conflict", "/external_id")]
    assert refused.games[0]["id"] == made["id"]
    corrected = await bring(spring, ndjson([second]), "?on_conflict=correct")
    assert (corrected.results, corrected.games[0]["id"]) == (["corrected"], made["id"])
    assert points(await spring.get(made["id"]))[8] == 2
    # What was true once does not come back with an old file.
    for file in (first, second):
        assert (await bring(spring, ndjson([file]), "?on_conflict=correct")).results == ["unchanged"]
    assert (await spring.get(made["id"]))["version"] == 2
    assert list(audit(spring.database)) == []


async def test_an_import_corrects_what_its_key_may_correct(spring: KeptSeason, game: dict[str, Any]) -> None:
    first, second = {**game, **ON, "external_id": "a"}, {**game, **ON, "external_id": "a", "outcome": "black"}
    await bring(spring, ndjson([first]), role="chief_judge")
    refused = await bring(spring, ndjson([second]), "?on_conflict=correct", role="judge")
    assert (refused.results, refused.faults) == (["conflict"], [(1, "forbidden", "/external_id")])
    mine = [{**first, "external_id": "b"}, {**second, "external_id": "b"}]
    own = await bring(spring, ndjson(mine), "?on_conflict=correct", role="judge")
    assert own.results == ["created", "corrected"]
    assert (await bring(spring, ndjson([second]), "?on_conflict=correct", role="chief_judge")).results == ["corrected"]
    assert list(audit(spring.database)) == []


async def test_a_voided_game_is_not_revived(spring: KeptSeason, game: dict[str, Any]) -> None:
    kept = await spring.kept({**game, **ON, "external_id": "a"}, "president")
    await spring.ask("president", "DELETE", f"/{kept['id']}")
    assert (await bring(spring, ndjson([{**game, **ON, "external_id": "a"}]))).results == ["unchanged"]
    other = {**game, **ON, "external_id": "a", "table": 2}
    assert (await bring(spring, ndjson([other]), "?on_conflict=correct")).results == ["corrected"]
    assert (await spring.get(kept["id"]))["status"] == "voided"
    assert list(audit(spring.database)) == []


async def test_an_id_that_comes_again_in_the_file_finds_the_game_before_it(
    spring: KeptSeason, game: dict[str, Any]
) -> None:
    file = [{**game, **ON, "external_id": "a", "table": table} for table in (1, 1, 2, 1)]
    assert (await bring(spring, ndjson(file))).results == ["created", "unchanged", "conflict", "unchanged"]
    again = [{**one, "external_id": "b"} for one in file]
    found = await bring(spring, ndjson(again), "?on_conflict=correct")
    assert found.results == ["created", "unchanged", "corrected", "unchanged"]
    assert len({one["id"] for one in found.games}) == 1
    assert list(audit(spring.database)) == []


async def test_an_atomic_import_keeps_all_or_nothing(spring: KeptSeason, game: dict[str, Any]) -> None:
    good = [{**game, **ON, "external_id": f"a/{n}"} for n in range(3)]
    kept = await spring.kept(good[0])
    before = revision(spring)
    bad = [*good, {**good[1], "table": 2}, {**good[2], "outcome": "blue"}, {**good[1]}]
    refused = await bring(spring, ndjson(bad), "?mode=atomic")
    assert refused.status == 422
    assert refused.results == ["unchanged", "created", "created", "conflict", "invalid", "unchanged"]
    assert [one["id"] for one in refused.games] == [kept["id"], None, None, None, None, None]
    assert refused.summary["applied"] is False
    assert (revision(spring), {*stored(spring)}) == (before, {"a/0"})
    taken = await bring(spring, ndjson(good), "?mode=atomic")
    assert (taken.status, taken.results) == (200, ["unchanged", "created", "created"])
    assert taken.summary["applied"] is True
    assert {game.public_id for game in stored(spring).values()} == {one["id"] for one in taken.games}
    assert list(audit(spring.database)) == []


@pytest.mark.parametrize("mode", ["partial", "atomic"])
async def test_a_dry_run_answers_what_would_be_and_keeps_nothing(
    spring: KeptSeason, game: dict[str, Any], mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = [{**game, **ON, "external_id": f"a/{n}"} for n in (1, 2, 1, 3)]
    file.append({**shifted(game, 1), **ON, "seats": game["seats"][:9]})
    file.append({**file[0], "table": 2})
    file[3]["seats"] = [{**seat, "player": f"New {seat['seat']}"} for seat in game["seats"]]
    query = f"?mode={mode}&create_players=true&on_conflict=correct"
    with batches_of(monkeypatch, 2):
        tried = await bring(spring, ndjson(file), f"{query}&dry_run=true")
        assert (tried.summary["applied"], revision(spring), stored(spring)) == (False, 0, {})
        assert {one["id"] for one in tried.games} == {None}
        done = await bring(spring, ndjson(file), query)
    assert tried.results == done.results == ["created", "created", "unchanged", "created", "invalid", "corrected"]
    assert tried.status == done.status == (200 if mode == "partial" else 422)
    assert len(stored(spring)) == (3 if mode == "partial" else 0)


async def test_players_are_made_once_for_the_file_and_only_of_good_games(
    spring: KeptSeason, game: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    named = [{**seat, "player": name} for seat, name in zip(game["seats"], "ABCDEFGHIJ", strict=True)]
    bad = [{**seat, "player": f"Bad {seat['seat']}"} for seat in game["seats"]]
    again = [{**seat, "player": seat["player"].lower()} for seat in named]
    file = [{**game, **ON, "external_id": f"a/{n}", "seats": seats} for n, seats in enumerate([named, bad, again])]
    file[1]["stage"] = "final"
    assert (await bring(spring, ndjson(file[:1]))).faults == [
        (1, "unknown_player", f"/seats/{n}/player") for n in range(10)
    ]
    with batches_of(monkeypatch, 2):
        assert (await bring(spring, ndjson(file), "?create_players=true")).results == ["created", "invalid", "created"]
    with spring.database.read() as tx:
        season = seasons.find(tx, spring.club, spring.slug)
        assert season
        made = {one.nickname for one in players.of_club(tx, season.club_id).values()}
    assert made == {*"ABCDEFGHIJ", *(f"P{n}" for n in range(1, 11))}
    assert list(audit(spring.database)) == []


async def test_where_the_regulation_asks_for_registration_it_is_looked_at_as_when_submitted(
    kept_app: FastAPI, kept_client: AsyncClient
) -> None:
    city = make_season(kept_app.state.database, kept_client, system="city-average", nicknames=5)
    register(city, "P1", on=None)
    register(city, "P2", on="2025-03-14")
    register(city, "P3", on="2025-03-15")
    found = await bring(city, ndjson([city_game(P4=False)]), "?create_players=true")
    kept = await city.get(found.games[0]["id"])
    shown = {seat["player"]: seat["registered"] for seat in kept["game"]["seats"]}
    assert shown == {"P1": True, "P2": True, "P3": False, "P4": False, "P5": True, "P6": False}
    with city.database.read() as tx:
        season = seasons.find(tx, city.club, city.slug)
        assert season
        assert [entry.number for entry in in_force(tx, season.id) if entry.seat.registered] == [1, 2, 5]
    assert list(audit(city.database)) == []


async def test_a_game_of_no_day_was_played_on_the_day_it_is_imported(spring: KeptSeason, game: dict[str, Any]) -> None:
    read(await spring.client.patch(
        spring.path.removesuffix("/games"),
        json={"starts_on": None, "ends_on": None},
        headers={"authorization": f"Bearer {spring.secrets['president']}"},
    ))  # fmt: skip
    await bring(spring, ndjson([game]))
    ((kept,),) = [stored(spring).values()]
    assert abs((kept.played_on - datetime.now(UTC).date()).days) <= 1
    assert (await bring(spring, ndjson([game]))).results == ["unchanged"]


async def test_a_tournaments_games_need_their_stage(
    kept_app: FastAPI, kept_client: AsyncClient, game: dict[str, Any]
) -> None:
    cup = make_season(kept_app.state.database, kept_client, system="sport-percent", format="tournament")
    found = await bring(cup, ndjson([{**game, **ON, "stage": "final"}, {**game, **ON}]))
    assert (found.results, found.faults) == (["created", "invalid"], [(2, "stage_required", "/stage")])


async def test_a_batch_is_one_revision_and_who_did_it_is_written_down(
    spring: KeptSeason, game: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    with batches_of(monkeypatch, 2):
        await bring(spring, ndjson([{**game, "played_on": f"2025-03-1{n}"} for n in range(5)]), role="chief_judge")
    with spring.database.read() as tx:
        season = seasons.find(tx, spring.club, spring.slug)
        assert season
        written = journal.after(tx, season.id, 0, limit=10)
    assert [(one.action, one.revision, one.role) for one in written] == [
        ("games_imported", n, "chief_judge") for n in (1, 2, 3)
    ]
    assert [json.loads(one.detail or "") for one in written] == [{"games": 2}, {"games": 2}, {"games": 1}]


async def test_an_empty_file_changes_nothing(spring: KeptSeason) -> None:
    found = await bring(spring, b"")
    assert (found.games, found.summary["applied"], revision(spring)) == ([], True, 0)


@pytest.mark.parametrize("role, status", [("anonymous", 401), ("reader", 403), ("judge", 200), ("president", 200)])
async def test_whoever_submits_games_imports_them(
    spring: KeptSeason, game: dict[str, Any], role: str, status: int
) -> None:
    assert (await post(spring, ndjson([{**game, **ON}]), role=role)).status_code == status


async def test_a_closed_season_takes_no_file(spring: KeptSeason, game: dict[str, Any]) -> None:
    headers = {"authorization": f"Bearer {spring.secrets['president']}"}
    read(await spring.client.post(spring.path.replace("/games", "/close"), headers=headers))
    assert problem(await post(spring, ndjson([{**game, **ON}]))) == (409, "conflict", "season_closed")


@pytest.mark.parametrize(
    "media", [None, "application/json", "application/x-www-form-urlencoded", "application/octet-stream", "text/plain"]
)
async def test_a_body_of_another_type_is_refused_with_the_types_there_are(
    spring: KeptSeason, game: dict[str, Any], media: str | None
) -> None:
    answer = await post(spring, ndjson([{**game, **ON}]), media=media)
    assert problem(answer) == (415, "unsupported-media-type", None)
    assert NDJSON in answer.json()["detail"]
    assert "text/csv" in answer.json()["detail"]


@pytest.mark.parametrize("query", ["?mode=best", "?dry_run=maybe", "?on_conflict=ignore", "?modes=atomic"])
async def test_an_unknown_way_to_import_is_refused(spring: KeptSeason, game: dict[str, Any], query: str) -> None:
    assert problem(await post(spring, ndjson([{**game, **ON}]), query)) == (422, "invalid-request", None)
    assert stored(spring) == {}


async def test_a_renamed_and_a_merged_player_are_who_they_were(spring: KeptSeason, game: dict[str, Any]) -> None:
    file = ndjson([{**game, **ON, "external_id": "a"}, {**game, **ON}])
    await bring(spring, file)
    headers = {"authorization": f"Bearer {spring.secrets['president']}"}
    club = f"/v1/clubs/{spring.club}/players"
    known = read(await spring.client.get(club, headers=headers))["items"]
    ids = {one["nickname"]: one["id"] for one in known}
    read(await spring.client.patch(f"{club}/{ids['P1']}", json={"nickname": "Newly named"}, headers=headers))
    made = read(await spring.client.post(club, json={"nickname": "Survivor"}, headers=headers), 201)
    read(await spring.client.post(f"{club}/{ids['P2']}/merge", json={"into": made["id"]}, headers=headers))
    assert (await bring(spring, file)).results == ["unchanged"] * 2
