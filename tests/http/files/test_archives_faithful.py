"""A season of each regulation moves from one kind of database to the other and back, and every answer with it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from httpx import AsyncClient

from app.scoring.exact_json import loads
from app.scoring.nickname import folded
from app.services.audit import audit
from app.web.render import render
from tests.http.archives import database_of, moved, service
from tests.http.desk import ask, merge, newcomer, player, table
from tests.http.everything import everything
from tests.http.importing import bring, post
from tests.http.kept_season import KeptSeason, make_season, read
from tests.scoring.golden import Golden, StandingsCase, golden_files

pytestmark = pytest.mark.anyio

MOST_GAMES = 60


def richest() -> Iterator[Any]:
    """Of each system's golden tables, season and tournament, the one of most rows whose games are not too many."""
    for golden in golden_files():
        for format in ("season", "tournament"):
            fit = [
                case
                for case in golden.standings
                if case.format == format
                and not case.violations
                and sum(played.times for played in case.games) <= MOST_GAMES
            ]
            if fit:
                case = max(fit, key=lambda case: (len(case.rows), len(case.games)))
                yield pytest.param(golden, case, id=f"{golden.system}: {case.case}")


def games_of(golden: Golden, case: StandingsCase) -> list[dict[str, Any]]:
    """The case's games, each of them a day of its own, played by those whom the club has registered: P1 …"""
    games: list[dict[str, Any]] = []
    known: dict[str, str] = {}
    for played in case.games:
        for _ in range(played.times):
            game = loads(render(golden.facts(played)))
            for seat in game["seats"]:
                seat["player"] = known.setdefault(folded(seat["player"]), f"P{len(known) + 1}")
            games.append({**game, "played_on": f"2025-03-{1 + len(games) % 28:02}", "number": len(games)})
    return games


async def lived(season: KeptSeason, games: list[dict[str, Any]]) -> bytes:
    """The games come in a file; then one player goes by another name, two become one, lots are drawn, the season is
    closed, and once more somebody turns out to be somebody else. The file.
    """
    file = b"".join(render(game) + b"\n" for game in games)
    assert (await post(season, file)).status_code == 200
    rows = read(await ask(season, "reader", "GET", "/seasons/spring/standings?include=unpublished"))["rows"]
    nicknames = [row["player"]["nickname"] for row in rows]
    read(await ask(season, "president", "PATCH", f"/players/{rows[0]['player']['id']}", {"nickname": "Renamed"}))
    read(await merge(season, rows[-1]["player"], await newcomer(season, "Somebody")))
    for tie in (await table(season))["ties"]:
        if tie["lot"] == "needed":
            body = {"group": tie["players"], "draw": True}
            read(await ask(season, "president", "POST", "/seasons/spring/lots", body), 201)
    read(await ask(season, "president", "POST", "/seasons/spring/close"))
    read(await merge(season, await player(season, nicknames[1]), await newcomer(season, "Another")))
    return file


@pytest.mark.parametrize("golden, case", list(richest()))
async def test_every_answer_comes_along_and_back(
    kept_client: AsyncClient, elsewhere: AsyncClient, tmp_path: Path, golden: Golden, case: StandingsCase
) -> None:
    made = {"system": golden.system, "format": case.format, "nicknames": 60}
    source = make_season(database_of(elsewhere), elsewhere, **made)
    file = await lived(source, games_of(golden, case))
    before = await everything(source)
    there = await moved(source, kept_client)
    assert await everything(there) == before
    async with service(tmp_path / "back.db") as third:
        back = await moved(there, third)
        assert await everything(back) == before
        assert list(audit(back.database)) == list(audit(there.database)) == []
        read(await ask(back, "president", "POST", "/seasons/spring/reopen?reason=look"))
        exported = await ask(back, "president", "GET", "/seasons/spring/games.ndjson")
        for sent in (file, before["/games.ndjson"], exported.content):
            assert set((await bring(back, sent)).results) == {"unchanged"}
