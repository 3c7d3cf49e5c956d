"""Importing 100,000 games: beside writing the same rows unseen, in how much memory, and the table after it."""

import json
import time
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection
from typing import Final

from app.repositories.database import Database
from bench import club, games
from bench.databases import new_database
from bench.load import Server, serving
from bench.verdict import Verdict

PLAYERS: Final = 100
GAMES: Final = 100_000
SHORT: Final = 10_000
_CHUNK: Final = 65_536
_WIRES: Final = 2_000
_SEASONS: Final = f"/v1/clubs/{club.SLUG}/seasons"


def imports() -> Iterator[Verdict]:
    """NDJSON with validation, scoring and ledger, on SQLite and on PostgreSQL."""
    bodies = []
    for wire in games.season(club.SYSTEM, _WIRES, PLAYERS):
        del wire["external_id"], wire["number"]
        bodies.append(games.body(wire)[:-1])
    for dialect in ("sqlite", "postgresql"):
        with new_database(dialect) as url:
            if url is None:
                print(f"({dialect} is not reached)")
                continue
            with closing(Database(url)) as database:
                made = club.found(database, PLAYERS)
                for slug in ("mine", "floor", "short", "long"):
                    club.play(database, made, slug, 0)
            environment = {"MAFRATE_DATABASE_URL": url}
            rates: dict[str, list[float]] = {"mine": [], "floor": []}
            with serving(environment) as server:
                for start in range(0, GAMES, SHORT):
                    for slug, path in (("mine", f"{_SEASONS}/mine/games/import"), ("floor", "/bench/import/floor")):
                        rates[slug].append(SHORT / _send(server, path, bodies, start, SHORT))
            name = "write the same rows"
            yield Verdict(f"{dialect}: import a game", rates["mine"], name, rates["floor"], "/s", 0.5, at_least=True)
            peaks = []
            for slug, count in (("short", SHORT), ("long", GAMES)):
                with serving(environment) as server:
                    _send(server, f"{_SEASONS}/{slug}/games/import", bodies, 0, count)
                    peaks.append(server.peak_memory() / 1e6)
                    first = _first_read(server, slug)
            short, long = peaks
            name = f"{dialect}: peak memory, {GAMES:,} games"
            yield Verdict(name, [long], f"{SHORT:,} games", [short], "MB", 1.1, at_least=False)
            yield Verdict(f"{dialect}: the table after them", [first], "a second", [1000.0], "ms", 1.0, at_least=False)


def _send(server: Server, path: str, bodies: list[bytes], start: int, count: int) -> float:
    """Seconds until the whole answer to so many games is there; every one must be new."""

    def lines() -> Iterator[bytes]:
        chunk = bytearray()
        for number in range(start, start + count):
            chunk += bodies[number % _WIRES] + b',"number":%d,"external_id":"%d"}\n' % (number, number)
            if len(chunk) >= _CHUNK:
                yield bytes(chunk)
                chunk.clear()
        yield bytes(chunk)

    with closing(HTTPConnection("127.0.0.1", server.port)) as connection:
        headers = {"Authorization": f"Bearer {club.SECRET}", "Content-Type": "application/x-ndjson"}
        started = time.perf_counter()
        connection.request("POST", path, lines(), headers, encode_chunked=True)
        response = connection.getresponse()
        *_, last = response
        took = time.perf_counter() - started
    assert response.status == 200, last
    told = json.loads(last).get("summary", {"created": count})
    assert told["created"] == count, told
    return took


def _first_read(server: Server, slug: str) -> float:
    """Milliseconds of the season's first table."""
    with closing(HTTPConnection("127.0.0.1", server.port)) as connection:
        started = time.perf_counter()
        connection.request("GET", f"{_SEASONS}/{slug}/standings")
        response = connection.getresponse()
        body = response.read()
    assert response.status == 200, body
    return (time.perf_counter() - started) * 1000
