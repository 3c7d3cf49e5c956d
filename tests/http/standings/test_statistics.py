"""Statistics of players and seasons, and a player's place after each day (docs/api.md#statistics)."""

from typing import Any

import pytest

from tests.http.club import bearer
from tests.http.conftest import RED_WON
from tests.http.kept_season import KeptSeason, read

pytestmark = pytest.mark.anyio

NAMES = [f"P{number}" for number in range(1, 11)]


def game(day: str, outcome: str, players: list[str] = NAMES, **more: Any) -> dict[str, Any]:
    """Seats 1 to 6 are citizens, 7 the sheriff, 8 and 9 mafia, 10 the don."""
    seats = [{**seat, "player": player} for seat, player in zip(RED_WON["seats"], players, strict=True)]
    return {"played_on": day, "outcome": outcome, "seats": seats, **more}


async def ask(season: KeptSeason, path: str, role: str = "anonymous") -> dict[str, Any]:
    headers = bearer(season.secrets[role]) if role in season.secrets else {}
    return read(await season.client.get(f"/v1/clubs/{season.club}/seasons/{season.slug}{path}", headers=headers))


async def play(season: KeptSeason) -> dict[str, str]:
    """Four counted games: red, red, black, draw; a friendly one and a voided one; the players' ids."""
    kill: dict[str, Any] = {"first_kill": {"seat": 7, "best_move": [8, 9, 1]}}
    swapped = ["P10", *NAMES[1:9], "P1"]
    await season.kept(game("2025-03-14", "red", judge="Anna", number=1, **kill))
    await season.kept(game("2025-03-14", "red", judge="anna ", number=2))
    await season.kept(game("2025-03-20", "black", swapped, number=1, first_kill={"seat": 1}))
    await season.kept(game("2025-03-27", "draw", judge="Boris", first_kill={"seat": 8, "best_move": [8, 9, 10]}))
    await season.kept(game("2025-03-28", "red", judge="Boris", rated=False))
    gone = await season.kept(game("2025-03-28", "black", judge="Boris", table=9))
    await season.ask("chief_judge", "DELETE", f"/{gone['id']}")
    table = await ask(season, "/standings?include=unpublished", "reader")
    return {row["player"]["nickname"]: row["player"]["id"] for row in table["rows"]}


def score(games: int, wins: int, losses: int, draws: int, points: Any) -> dict[str, Any]:
    return {"games": games, "wins": wins, "losses": losses, "draws": draws, "points": points}


async def test_a_players_games_by_everything(spring: KeptSeason) -> None:
    """P1: a citizen in seat 1 who won twice (2 points each) and drew once, the don in seat 10 who won once (2)."""
    ids = await play(spring)
    found = await ask(spring, f"/players/{ids['P1']}/statistics")
    assert found["player"] == {"id": ids["P1"], "nickname": "P1"}
    assert found["total"] == score(4, 3, 0, 1, 6)
    assert found["by_role"] == [
        {"role": "citizen", **score(3, 2, 0, 1, 4)}, {"role": "don", **score(1, 1, 0, 0, 2)}
    ]  # fmt: skip
    assert [(one["team"], one["games"]) for one in found["by_team"]] == [("black", 1), ("red", 3)]
    assert [(one["seat"], one["games"]) for one in found["by_seat"]] == [(1, 3), (10, 1)]
    assert found["by_judge"] == [
        {"judge": "Anna", **score(2, 2, 0, 0, 4)},
        {"judge": "Boris", **score(1, 0, 0, 1, 0)},
        {"judge": None, **score(1, 1, 0, 0, 2)},
    ]
    assert [(one["result"], one["games"]) for one in found["by_result"]] == [("draw", 1), ("won", 3)]
    assert found["first_kills"] == score(0, 0, 0, 0, 0)
    assert found["longest_runs"] == [{"result": "won", "games": 3, "since": "2025-03-14", "until": "2025-03-20"}]
    met = {one["player"]["nickname"]: (one["games"], one["wins"]) for one in found["with"]}
    assert met == dict.fromkeys(("P2", "P3", "P4", "P5", "P6", "P7"), (3, 2))
    against = {one["player"]["nickname"]: (one["games"], one["wins"]) for one in found["against"]}
    assert against == {"P8": (3, 2), "P9": (3, 2), "P10": (4, 3)}
    killed = await ask(spring, f"/players/{ids['P7']}/statistics")
    assert killed["first_kills"]["games"] == 1
    assert killed["best_moves"] == [{"hits": 2, "games": 1}]
    assert (await ask(spring, f"/players/{ids['P8']}/statistics"))["best_moves"] == [{"hits": 3, "games": 1}]


async def test_a_season_in_figures(spring: KeptSeason) -> None:
    await play(spring)
    found = await ask(spring, "/statistics")
    assert found["games"] == 4
    assert found["outcomes"] == [
        {"outcome": "black", "games": 1}, {"outcome": "draw", "games": 1}, {"outcome": "red", "games": 2}
    ]  # fmt: skip
    assert found["first_kills"] == [
        {"role": "citizen", "games": 1}, {"role": "mafia", "games": 1}, {"role": "sheriff", "games": 1}
    ]  # fmt: skip
    assert found["best_moves"] == [{"hits": 2, "games": 1}, {"hits": 3, "games": 1}]
    assert [(one["judge"], one["games"]) for one in found["by_judge"]] == [("Anna", 2), ("Boris", 1), (None, 1)]
    assert [(one["day"], one["games"], one["outcomes"]) for one in found["by_day"]] == [
        ("2025-03-14", 2, [{"outcome": "red", "games": 2}]),
        ("2025-03-20", 1, [{"outcome": "black", "games": 1}]),
        ("2025-03-27", 1, [{"outcome": "draw", "games": 1}]),
    ]


async def test_progress_is_what_the_table_was_as_of_each_day(spring: KeptSeason) -> None:
    ids = await play(spring)
    for name in ("P1", "P8", "P10"):
        found = await ask(spring, f"/standings/{ids[name]}/progress?include=unpublished", "reader")
        assert [(day["day"], day["games"]) for day in found["days"]] == [
            ("2025-03-14", 2), ("2025-03-20", 1), ("2025-03-27", 1)
        ]  # fmt: skip
        for day in found["days"]:
            table = await ask(spring, f"/standings?include=unpublished&as_of={day['day']}", "reader")
            (row,) = [row for row in table["rows"] if row["player"]["id"] == ids[name]]
            assert (day["rank"], day["values"]) == (row["rank"], row["values"])


async def test_hidden_games_are_in_no_figure_without_a_key(spring: KeptSeason) -> None:
    ids = await play(spring)
    season = f"/v1/clubs/{spring.club}/seasons/{spring.slug}"
    president = bearer(spring.secrets["president"])
    answer = await spring.client.patch(season, json={"hidden_from": {"day": "2025-03-20"}}, headers=president)
    assert answer.status_code == 200, answer.text
    for role, games in (("anonymous", 2), ("reader", 4), ("anonymous", 2)):
        assert (await ask(spring, "/statistics", role))["games"] == games
        assert (await ask(spring, f"/players/{ids['P1']}/statistics", role))["total"]["games"] == games
        days = (await ask(spring, f"/standings/{ids['P1']}/progress", role))["days"]
        assert [day["day"] for day in days][-1] == {2: "2025-03-14", 4: "2025-03-27"}[games]


async def test_nobody_else_has_statistics(spring: KeptSeason) -> None:
    await play(spring)
    base = f"/v1/clubs/{spring.club}/seasons"
    for path in ("spring/players/p_0000000000000000/statistics", "spring/standings/p_0/progress", "summer/statistics"):
        assert (await spring.client.get(f"{base}/{path}")).status_code == 404, path
