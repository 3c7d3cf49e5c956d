"""An import whose client or server is killed on the way: whole games only, and the same file completes it."""

import json
import random
import socket
import threading
import time
import urllib.request
from contextlib import suppress
from functools import cache
from typing import Any

import httpx
import pytest

from app.repositories.database import Database
from app.repositories.games import games
from app.repositories.seasons import seasons
from app.scoring.game import Game
from app.services.audit import audit
from app.sheets import write_csv
from tests.http.kept_season import Founded, found
from tests.processes.running import Killable, any_game, running

GAMES = 4_000


@cache
def played() -> list[dict[str, Any]]:
    return [any_game(n) | {"external_id": f"game {n}"} for n in range(GAMES)]


@cache
def ndjson() -> bytes:
    return b"".join(json.dumps(game).encode() + b"\n" for game in played())


def rows() -> bytes:
    return b"".join(write_csv(map(Game.read, played())))


def headers(season: Founded, media: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {season.secrets['judge']}", "Content-Type": media}


def head(season: Founded, file: bytes, media: str) -> bytes:
    told = {"Host": "mafrate", "Content-Length": str(len(file)), **headers(season, media)}
    lines = [f"POST {season.path}/import HTTP/1.1", *(f"{name}: {value}" for name, value in told.items())]
    return "\r\n".join(lines).encode() + b"\r\n\r\n"


def kept(database: Database, season: Founded) -> list[str | None]:
    """External ids in the order kept."""
    with database.read() as tx:
        of = seasons.find(tx, season.club, season.slug)
        assert of
        return [game.external_id for game in games.each(tx, of.id)]


def send(address: str, content: bytes) -> socket.socket:
    """A connection on which so much was sent; the server may be gone before all was."""
    host, port = address.removeprefix("http://").split(":")
    connection = socket.create_connection((host, int(port)))
    with suppress(OSError):
        connection.sendall(content)
    return connection


def send_aside(address: str, content: bytes) -> threading.Thread:
    """A client that does as :func:`send` meanwhile."""

    def run() -> None:
        with suppress(OSError), send(address, content) as connection:
            connection.recv(1)

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def await_more(database: Database, season: Founded, before: int) -> None:
    """Return when more games than before are kept, or none have come for a while."""
    deadline = time.monotonic() + 20
    while len(kept(database, season)) <= before and time.monotonic() < deadline:
        time.sleep(0.01)


def whole(database: Database, season: Founded, before: int) -> int:
    """How many games are kept: the first of the file without a gap, whole, no fewer than before."""
    ids = kept(database, season)
    assert ids == [f"game {n}" for n in range(len(ids))]
    assert len(ids) >= before
    assert list(audit(database)) == []
    return len(ids)


def interrupt(database: Database, url: str, times: int, file: bytes, media: str) -> None:
    """Kill the client and the server in turn, each at a random point of its import."""
    season = found(database)
    chance = random.Random(times)
    request = head(season, file, media) + file
    count = 0
    service = Killable(url)
    try:
        for cycle in range(times):
            if cycle % 2 == 0:
                service.wait_until_ready()
                # So little that the file is not through before the last cycle.
                most = len(request) * (cycle + 1) // times
                send(service.address, request[: chance.randint(300, most)]).close()
                time.sleep(chance.uniform(0, 0.05))
            else:
                service.wait_until_ready()
                share = cycle / times
                connection = send_aside(service.address, request[: int(len(request) * share)])
                if GAMES * share > count + 1_100:
                    await_more(database, season, count)
                time.sleep(chance.uniform(0, 0.3))
                service.kill()
                connection.join()
                count = whole(database, season, count)
                service = Killable(url)
        service.wait_until_ready()
        path = f"{service.address}{season.path}/import"
        answer = httpx.post(path, content=file, headers=headers(season, media), timeout=60)
        count = whole(database, season, count)
    finally:
        service.kill()
    *told, last = [json.loads(line) for line in answer.content.splitlines()]
    assert len(told) == GAMES
    assert last["summary"]["created"] + last["summary"]["unchanged"] == GAMES
    assert 0 < last["summary"]["unchanged"] < GAMES, "nothing was interrupted"
    assert count == GAMES


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_twenty_interruptions_leave_whole_games_and_the_file_completes_them(
    database: Database, database_url: str
) -> None:
    interrupt(database, database_url, 20, ndjson(), "application/x-ndjson")


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_interruptions_leave_whole_games_on_postgresql_too(database: Database, database_url: str) -> None:
    """Of a sheet: a game is ten of its rows."""
    interrupt(database, database_url, 6, rows(), "text/csv")


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_clients_that_send_everything_before_they_read_get_their_answer(database: Database, database_url: str) -> None:
    """The answer to a file, and the refusal of one, though nobody reads it before the last byte was sent."""
    season = found(database)
    with running(database_url, workers=1) as address:
        request = urllib.request.Request(
            f"{address}{season.path}/import", ndjson(), headers(season, "application/x-ndjson")
        )
        with urllib.request.urlopen(request, timeout=60) as response:
            *_, last = response
        assert json.loads(last)["summary"]["created"] == GAMES
        for key, type in (("nobody's", "application/x-ndjson"), (season.secrets["judge"], "text/plain")):
            refused = {"Authorization": f"Bearer {key}", "Content-Type": type}
            request = urllib.request.Request(f"{address}{season.path}/import", ndjson(), refused)
            with pytest.raises(urllib.error.HTTPError) as error:
                urllib.request.urlopen(request, timeout=60)
            assert error.value.code == (401 if key == "nobody's" else 415)
            error.value.close()
