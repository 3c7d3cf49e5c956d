"""What an import tells: as lines or one document, with warnings, new players, and every fault in one round."""

import json
from decimal import Decimal
from typing import Any

import pytest
from httpx import Response

from app.services.files import new_players
from tests.http.club import bearer
from tests.http.importing import CSV, NDJSON, ON, RESULTS, batches_of, bring, ndjson, post, stored
from tests.http.kept_season import KeptSeason, problem

pytestmark = pytest.mark.anyio

JSON = "application/json"


async def ask(
    season: KeptSeason, content: bytes, query: str = "", *, accept: str = JSON, media: str = NDJSON
) -> Response:
    headers = {**bearer(season.secrets["president"]), "content-type": media, "accept": accept, "accept-language": "en"}
    return await season.client.post(f"{season.path}/import{query}", content=content, headers=headers)


async def report(season: KeptSeason, content: bytes, query: str = "", *, media: str = NDJSON) -> dict[str, Any]:
    answer = await ask(season, content, query, media=media)
    assert answer.headers["content-type"] == JSON, answer.text
    assert answer.headers["content-length"] == str(len(answer.content))
    value: dict[str, Any] = json.loads(answer.content, parse_float=Decimal)
    assert list(value) == ["items", "summary"]
    counted = {result: sum(one["result"] == result for one in value["items"]) for result in RESULTS}
    assert {result: value["summary"][result] for result in RESULTS} == counted
    return value


async def test_one_document_says_what_the_lines_say(spring: KeptSeason, game: dict[str, Any]) -> None:
    file = ndjson([{**game, "played_on": f"2025-03-1{n}"} for n in range(3)]) + b"{\n"
    first = await report(spring, file)
    assert [one["result"] for one in first["items"]] == ["created"] * 3 + ["invalid"]
    lines = (await ask(spring, file, accept=NDJSON)).content.splitlines()
    again = await report(spring, file)
    assert [*again["items"], {"summary": again["summary"]}] == [json.loads(line, parse_float=Decimal) for line in lines]


@pytest.mark.parametrize("query", ["?dry_run=true", "?mode=atomic"])
async def test_one_document_names_no_game_that_is_not_stored(
    spring: KeptSeason, game: dict[str, Any], query: str
) -> None:
    answer = await ask(spring, ndjson([{**game, **ON}, {}]), query)
    assert answer.status_code == (422 if "atomic" in query else 200)
    assert answer.headers["content-type"] == JSON
    assert [one["id"] for one in answer.json()["items"]] == [None, None]
    assert answer.json()["summary"]["applied"] is False


async def test_one_document_may_have_no_games_and_many(spring: KeptSeason, game: dict[str, Any]) -> None:
    assert (await report(spring, b""))["items"] == []
    many = await report(spring, b"{}\n" * 5_000)
    assert [one["line"] for one in many["items"]] == list(range(1, 5_001))


@pytest.mark.parametrize(
    "accept, media",
    [
        ("*/*", NDJSON),
        ("", NDJSON),
        ("application/x-ndjson, application/json", NDJSON),
        ("application/json;q=0.5, application/x-ndjson", NDJSON),
        ("application/json;q=0", NDJSON),
        ("application/json, text/plain, */*", JSON),
        ("application/x-ndjson;q=0.5, application/json", JSON),
        ("Application/JSON", JSON),
    ],
)
async def test_the_client_chooses(spring: KeptSeason, accept: str, media: str) -> None:
    assert (await ask(spring, b"", accept=accept)).headers["content-type"] == media


async def test_a_file_that_cannot_be_read_is_a_problem_in_any_form(spring: KeptSeason) -> None:
    assert problem(await ask(spring, b"", media=CSV)) == (422, "invalid-request", None)


async def test_a_line_has_the_warnings_of_the_games_breakdown(spring: KeptSeason, game: dict[str, Any]) -> None:
    """A bonus for a player who was removed deserves a second look."""
    game["seats"][4] |= {"bonus": 0.1, "removed": True}
    file = ndjson([{**game, **ON, "external_id": "a"}])
    for query in ("?dry_run=true", ""):
        (told,) = (await bring(spring, file, query)).games
        assert [(one["code"], one["seat"]) for one in told["warnings"]] == [("bonus_to_penalised", 5)]
        assert told["warnings"][0]["message"]
    (again,) = (await bring(spring, file)).games
    assert (again["result"], again["warnings"]) == ("unchanged", [])
    game["seats"][3]["bonus"] = 0.1
    corrected = await bring(spring, ndjson([{**game, **ON, "external_id": "a"}]), "?on_conflict=correct")
    assert corrected.results == ["corrected"]
    assert [one["code"] for one in corrected.games[0]["warnings"]] == ["bonus_to_penalised"]
    kept = await spring.get(told["id"] or corrected.games[0]["id"])
    assert kept["breakdown"]["warnings"] == corrected.games[0]["warnings"]


def renamed(game: dict[str, Any], names: dict[int, str]) -> dict[str, Any]:
    seats = [{**seat, "player": names.get(seat["seat"], seat["player"])} for seat in game["seats"]]
    return {**game, **ON, "seats": seats}


async def nicknames(season: KeptSeason) -> set[str]:
    path = f"/v1/clubs/{season.club}/players?limit=200"
    answer = await season.client.get(path, headers=bearer(season.secrets["president"]))
    return {player["nickname"] for player in answer.json()["items"]}


async def test_new_players_are_named_beside_those_who_may_be_meant(spring: KeptSeason, game: dict[str, Any]) -> None:
    await bring(spring, ndjson([renamed(game, {1: "Вега", 2: "Мадам Ли"})]), "?create_players=true")
    file = ndjson([
        renamed(game, {1: "Мадам Ли*", 2: "Вегаа"}),
        renamed(game, {1: "Вегаа", 3: "мадам  ли", 4: "Незнакомец", 5: "Вега (гость)"}),
        {**renamed(game, {1: "Nobody"}), "outcome": "white"},
    ])  # fmt: skip
    expected = [
        {"nickname": "Мадам Ли*", "like": ["Мадам Ли"]},
        {"nickname": "Вегаа", "like": ["Вега"]},
        {"nickname": "Незнакомец", "like": []},
        {"nickname": "Вега (гость)", "like": ["Вега"]},
    ]
    before = await nicknames(spring)
    tried = await bring(spring, file, "?create_players=true&dry_run=true")
    assert (tried.summary["new_players"], tried.summary["more"]) == (expected, 0)
    assert await nicknames(spring) == before
    refused = await bring(spring, file)
    assert (refused.results, refused.summary["new_players"]) == (["invalid"] * 3, [])
    taken = await bring(spring, file, "?create_players=true")
    assert taken.results == ["created", "created", "invalid"]
    assert taken.summary["new_players"] == expected
    assert await nicknames(spring) == before | {"Мадам Ли*", "Вегаа", "Незнакомец", "Вега (гость)"}
    again = await bring(spring, file, "?create_players=true")
    assert again.summary["new_players"] == []


async def test_new_players_are_listed_up_to_a_number_over_all_batches(
    spring: KeptSeason, game: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(new_players, "MOST_NAMED", 3)
    file = ndjson([renamed({**game, "table": n}, {1: f"Newcomer {n}", 2: f"Fresh {n}"}) for n in range(4)])
    with batches_of(monkeypatch, 2):
        found = await bring(spring, file, "?create_players=true")
    assert [new["nickname"] for new in found.summary["new_players"]] == ["Newcomer 0", "Fresh 0", "Newcomer 1"]
    assert found.summary["more"] == 5


HEADER = "Игра;Дата;Место;Игрок;Роль;Исход;Доп"
ROLES = ("мирный",) * 6 + ("шериф", "мафия", "мафия", "дон")


def sheet(day: str, cells: dict[tuple[int, str], str], header: str = HEADER) -> bytes:
    lines = [header]
    for seat, role in enumerate(ROLES, start=1):
        usual = {"Игра": "1", "Дата": day, "Место": str(seat), "Игрок": f"P{seat}", "Роль": role, "Исход": "красные"}
        lines.append(";".join(cells.get((seat, name), usual.get(name, "")) for name in header.split(";")))
    return "\n".join(lines).encode()


async def test_cells_rules_players_and_days_are_told_in_one_round(spring: KeptSeason) -> None:
    """The season ends on 31 May; a bonus is at most 0.7."""
    cells = {(2, "Роль"): "мирнй", (3, "Доп"): "много", (5, "Доп"): "0,9", (3, "Игрок"): "P33", (6, "Игрок"): "P66"}
    found = await bring(spring, sheet("01.06.2025", cells), media=CSV)
    assert sorted(found.faults) == [
        (2, "bonus_range", "/rows/6/Доп"),
        (2, "played_on_outside_season", "/rows/2/Дата"),
        (2, "unknown_player", "/rows/4/Игрок"),
        (2, "unknown_player", "/rows/7/Игрок"),
        (2, "value", "/rows/3/Роль"),
        (2, "value", "/rows/4/Доп"),
    ]
    created = await bring(spring, sheet("01.06.2025", cells), "?create_players=true", media=CSV)
    assert {code for _, code, _ in created.faults} == {"bonus_range", "played_on_outside_season", "value"}
    assert created.summary["new_players"] == []


async def test_a_faulty_header_does_not_hide_what_stands_below(spring: KeptSeason) -> None:
    content = sheet("14.03.2025", {(3, "Доп"): "много", (5, "Доп"): "0,9"}, HEADER + ";Итого")
    answer = await post(spring, content, media=CSV)
    assert problem(answer) == (422, "invalid-request", None)
    assert [(found["code"], found["pointer"]) for found in answer.json()["violations"]] == [
        ("unknown_field", "/rows/1/Итого"),
        ("value", "/rows/4/Доп"),
        ("bonus_range", "/rows/6/Доп"),
    ]


async def test_a_moment_is_a_day_of_the_club(spring: KeptSeason) -> None:
    """21:00 in UTC is midnight in Moscow."""
    found = await bring(spring, sheet("2025-03-13T21:00:00.000Z", {}), media=CSV)
    assert found.results == ["created"]
    assert [game.played_on.isoformat() for game in stored(spring).values()] == ["2025-03-14"]
    assert (await bring(spring, sheet("14.03.2025", {}), media=CSV)).results == ["unchanged"]
