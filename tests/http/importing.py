"""Files sent to a season, and what was answered about each of their games."""

import json
from collections.abc import AsyncIterable, Iterable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any, Final, NamedTuple

import pytest
from httpx import Response

from app.repositories.games import games
from app.repositories.seasons import seasons
from app.services.files import importing
from tests.http.club import bearer
from tests.http.kept_season import KeptSeason

NDJSON: Final = "application/x-ndjson"
CSV: Final = "text/csv"
XLSX: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
RESULTS: Final = ("created", "unchanged", "corrected", "pending", "conflict", "invalid")
ON: Final = {"played_on": "2025-03-14"}


class Imported(NamedTuple):
    """An answer to an import."""

    status: int
    games: list[dict[str, Any]]
    summary: dict[str, Any]

    @property
    def results(self) -> list[str]:
        """What became of each game."""
        return [game["result"] for game in self.games]

    @property
    def faults(self) -> list[tuple[int, str, str]]:
        """Line, code and pointer of every violation."""
        return [(game["line"], found["code"], found["pointer"]) for game in self.games for found in game["violations"]]


def ndjson(sent: Iterable[object]) -> bytes:
    """A game a line."""
    return b"".join(json.dumps(game).encode() + b"\n" for game in sent)


async def post(
    season: KeptSeason,
    content: bytes | AsyncIterable[bytes],
    query: str = "",
    *,
    role: str = "president",
    media: str | None = NDJSON,
    language: str = "en",
) -> Response:
    """Send a file."""
    carried = bearer(season.secrets[role]) if role in season.secrets else {}
    typed = {} if media is None else {"content-type": media}
    headers = {**carried, **typed, "accept-language": language}
    return await season.client.post(f"{season.path}/import{query}", content=content, headers=headers)


async def bring(season: KeptSeason, content: bytes | AsyncIterable[bytes], query: str = "", **how: Any) -> Imported:
    """Send a file whose games must be answered one by one; numbers exact."""
    answer = await post(season, content, query, **how)
    assert answer.status_code in {200, 422}, answer.text
    assert answer.headers["content-type"] == NDJSON, answer.text
    *told, last = [json.loads(line, parse_float=Decimal) for line in answer.content.splitlines()]
    summary = last["summary"]
    counted = {result: sum(game["result"] == result for game in told) for result in RESULTS}
    assert {result: summary[result] for result in RESULTS} == counted
    return Imported(answer.status_code, told, summary)


def stored(season: KeptSeason) -> dict[str | None, games.Game]:
    """Every game of the season by its external id."""
    with season.database.read() as tx:
        found = seasons.find(tx, season.club, season.slug)
        assert found
        return {game.external_id: game for game in games.each(tx, found.id)}


def revision(season: KeptSeason) -> int:
    """The revision that the season is at."""
    with season.database.read() as tx:
        found = seasons.find(tx, season.club, season.slug)
        assert found
        return found.revision


@contextmanager
def batches_of(monkeypatch: pytest.MonkeyPatch, size: int) -> Iterator[None]:
    """So many games are a batch."""
    with monkeypatch.context() as patched:
        patched.setattr(importing, "MOST_GAMES", size)
        yield
