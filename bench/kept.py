"""Kept seasons: tables that are ready, the first read after a game, submissions; on SQLite and on PostgreSQL."""

import time
from collections.abc import Iterator
from contextlib import closing
from datetime import date, timedelta
from http.client import HTTPConnection
from typing import Final

from app.repositories.database import Database
from bench import club, games
from bench.databases import new_database
from bench.load import Request, Server, serving
from bench.verdict import Verdict

ROUNDS: Final = 11
SECONDS: Final = 0.7
FIRST_READS: Final = 40
PLAYERS: Final = 100
SHORT: Final = 1_000
LONG: Final = 100_000
CLIENTS: Final = 8
SUBMISSION_SECONDS: Final = 1.5
SUBMISSIONS: Final = 6_000
"""Games of a round: more than can be submitted in its time, for each is sent once."""
EVENING: Final = 200

_SEASONS: Final = f"/v1/clubs/{club.SLUG}/seasons"
_KEY: Final = {"Authorization": f"Bearer {club.SECRET}"}


def tables() -> Iterator[Verdict]:
    """A table of 100 players on a warm worker, and 304."""
    for dialect in ("sqlite", "postgresql"):
        with new_database(dialect) as url:
            if url is None:
                print(f"({dialect} is not reached)")
                continue
            _play(url, {"short": SHORT})
            with serving({"MAFRATE_DATABASE_URL": url}) as server:
                yield from _tables(server, dialect)


def _tables(server: Server, dialect: str) -> Iterator[Verdict]:
    path = f"{_SEASONS}/short/standings"
    body, etag = _get(server, path)
    _get(server, f"/bench/sized/{len(body)}")
    floors = ("/bench/sized", "/bench/unchanged")
    if dialect == "postgresql":
        floors = ("/bench/selected", "/bench/selected/unchanged")
    requests = (
        Request("GET", path),
        Request("GET", floors[0]),
        Request("GET", path, headers={"If-None-Match": etag}, status=304),
        Request("GET", floors[1], status=304),
    )
    for request in requests:
        server.rate([request], SECONDS)
    rounds = [[server.rate([request], SECONDS) for request in requests] for _ in range(ROUNDS)]
    table, fixed, unchanged, nothing = zip(*rounds, strict=True)
    beside = "fixed bytes" if dialect == "sqlite" else "one SELECT, fixed bytes"
    yield Verdict(f"{dialect}: a table of {PLAYERS}", table, beside, fixed, "/s", 0.7, at_least=True)
    beside = "always 304" if dialect == "sqlite" else "one SELECT, 304"
    yield Verdict(f"{dialect}: 304", unchanged, beside, nothing, "/s", 0.8, at_least=True)


def growth() -> Iterator[Verdict]:
    """The first read after one more game, in a long season and in a short one with as many players."""
    for dialect in ("sqlite", "postgresql"):
        with new_database(dialect) as url:
            if url is None:
                print(f"({dialect} is not reached)")
                continue
            _play(url, {"short": SHORT, "long": LONG})
            with serving({"MAFRATE_DATABASE_URL": url}) as server:
                for slug in ("long", "short"):
                    _get(server, f"{_SEASONS}/{slug}/standings")
                rounds = [[_first_read(server, slug, n) for slug in ("long", "short")] for n in range(FIRST_READS)]
            long, short = zip(*rounds, strict=True)
            yield Verdict(
                f"{dialect}: first read, {LONG:,} games", long, f"{SHORT:,} games", short, "ms", 1.5, at_least=False
            )


def submissions() -> Iterator[Verdict]:
    """Submitting a game, beside writing the same rows without looking at them."""
    for dialect in ("sqlite", "postgresql"):
        with new_database(dialect) as url:
            if url is None:
                print(f"({dialect} is not reached)")
                continue
            _play(url, {"short": SHORT})
            wires = games.season(club.SYSTEM, EVENING, PLAYERS, 3)
            with serving({"MAFRATE_DATABASE_URL": url}) as server:
                rounds = []
                for number in range(ROUNDS + 1):
                    sent = [_body(wires, number * SUBMISSIONS + n) for n in range(SUBMISSIONS)]
                    submit = [Request("POST", f"{_SEASONS}/short/games", body, _KEY, 201) for body in sent]
                    write = [Request("POST", "/bench/games/short", body, {}, 201) for body in sent]
                    rounds.append([server.rate(each, SUBMISSION_SECONDS, CLIENTS) for each in (submit, write)])
            mine, floor = zip(*rounds[1:], strict=True)
            yield Verdict(f"{dialect}: submit a game", mine, "write the same rows", floor, "/s", 0.6, at_least=True)


def _body(wires: list[games.Wire], number: int) -> bytes:
    """A game that nobody sent before: each evening is as the others, on a day of its own."""
    day = date(2025, 1, 1) + timedelta(days=number // EVENING)
    return games.body(wires[number % EVENING] | {"external_id": None, "played_on": day.isoformat()})


def _play(url: str, counts: dict[str, int]) -> None:
    with closing(Database(url)) as database:
        made = club.found(database, PLAYERS)
        for slug, count in counts.items():
            club.play(database, made, slug, count)


def _get(server: Server, path: str) -> tuple[bytes, str]:
    with closing(HTTPConnection("127.0.0.1", server.port)) as connection:
        connection.request("GET", path)
        response = connection.getresponse()
        body = response.read()
        assert response.status == 200, body
        return body, response.headers.get("ETag", "")


def _first_read(server: Server, slug: str, number: int) -> float:
    """Milliseconds of the first read after one more game."""
    wire = games.season(club.SYSTEM, 1, PLAYERS, seed=1_000 + number)[0] | {"external_id": None}
    with closing(HTTPConnection("127.0.0.1", server.port)) as connection:
        headers = _KEY | {"Content-Type": "application/json"}
        connection.request("POST", f"{_SEASONS}/{slug}/games", games.body(wire), headers)
        response = connection.getresponse()
        answered = response.read()
        assert response.status == 201, answered
        started = time.perf_counter()
        connection.request("GET", f"{_SEASONS}/{slug}/standings")
        response = connection.getresponse()
        response.read()
        assert response.status == 200
        return (time.perf_counter() - started) * 1000
