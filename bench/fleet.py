"""Many clients at one worker: tables that are ready and reads with a key, on PostgreSQL beside SQLite."""

from collections.abc import Iterator
from contextlib import ExitStack, closing
from typing import Final

from app.repositories.database import Database
from bench import club
from bench.databases import new_database
from bench.load import Request, serving
from bench.verdict import Verdict

CLIENTS: Final = (8, 64, 256)
GAMES: Final = 1_000
PLAYERS: Final = 100
ROUNDS: Final = 5
SECONDS: Final = 0.7
TARGET: Final = 0.6

_SEASON: Final = f"/v1/clubs/{club.SLUG}/seasons/short"
_KEY: Final = {"Authorization": f"Bearer {club.SECRET}"}
_READS: Final = {
    "a ready table": Request("GET", f"{_SEASON}/standings"),
    "a ready table with a key": Request("GET", f"{_SEASON}/standings", headers=_KEY),
    "a season with a key": Request("GET", _SEASON, headers=_KEY),
}


def fleet() -> Iterator[Verdict]:
    """Reads of 8, 64 and 256 clients on PostgreSQL, beside the same on SQLite."""
    with ExitStack() as until:
        urls = [until.enter_context(new_database(dialect)) for dialect in ("postgresql", "sqlite")]
        if urls[0] is None:
            print("(postgresql is not reached)")
            return
        servers = []
        for url in urls:
            assert url is not None
            with closing(Database(url)) as database:
                club.play(database, club.found(database, PLAYERS), "short", GAMES)
            servers.append(until.enter_context(serving({"MAFRATE_DATABASE_URL": url})))
        for name, request in _READS.items():
            for clients in CLIENTS:
                for server in servers:
                    server.rate([request], SECONDS, clients)
                rounds = [[server.rate([request], SECONDS, clients) for server in servers] for _ in range(ROUNDS)]
                mine, floor = zip(*rounds, strict=True)
                yield Verdict(
                    f"postgresql: {name}, {clients} clients", mine, "sqlite", floor, "/s", TARGET, at_least=True
                )
