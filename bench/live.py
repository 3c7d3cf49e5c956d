"""Submitting to two workers while five hundred follow the season, beside the same while nobody does."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Final

from app.repositories.database import Database
from bench import club, games
from bench.databases import new_database
from bench.load import Request, Server, await_server
from bench.verdict import Verdict

LISTENERS: Final = 500
WORKERS: Final = 2
ROUNDS: Final = 7
SECONDS: Final = 2.0
CLIENTS: Final = 8
GAMES_A_ROUND: Final = 1_500
PLAYERS: Final = 100

_SEASON: Final = f"/v1/clubs/{club.SLUG}/seasons/live"
_KEY: Final = {"Authorization": f"Bearer {club.SECRET}"}


def live() -> Iterator[Verdict]:
    """Both databases; every listener must see every revision once and in order."""
    for dialect in ("sqlite", "postgresql"):
        with new_database(dialect) as url:
            if url is None:
                print(f"({dialect} is not reached)")
                continue
            with closing(Database(url)) as database:
                club.play(database, club.found(database, PLAYERS), "live", 1)
            with _workers(url) as server:
                rounds = [_round(server, number) for number in range(ROUNDS + 1)][1:]
        followed, alone = zip(*rounds, strict=True)
        yield Verdict(
            f"{dialect}: submit, {LISTENERS} listening", followed, "nobody listening", alone, "/s", 0.8, at_least=True
        )


def _round(server: Server, number: int) -> tuple[float, float]:
    sent = games.season(club.SYSTEM, 2 * GAMES_A_ROUND, PLAYERS, seed=100 + number)
    requests = [
        Request("POST", f"{_SEASON}/games", games.body(wire | {"external_id": None}), _KEY, 201) for wire in sent
    ]
    alone = server.rate(requests[:GAMES_A_ROUND], SECONDS, CLIENTS)
    with _listening(server.port):
        followed = server.rate(requests[GAMES_A_ROUND:], SECONDS, CLIENTS)
    return followed, alone


@contextmanager
def _listening(port: int) -> Iterator[None]:
    command = [sys.executable, "-m", "bench.listeners", str(port), str(LISTENERS), f"{_SEASON}/standings/events"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin
        assert process.stdout
        if process.stdout.readline() != "ready\n":
            raise RuntimeError("not everybody may listen")
        yield
        process.stdin.close()
        if process.wait() != 0:
            raise RuntimeError("listeners were told something else")


@contextmanager
def _workers(url: str) -> Iterator[Server]:
    """The service as an operator starts it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = {"DATABASE_URL": url, "PORT": str(port), "WORKERS": str(WORKERS), "LOG_LEVEL": "warning"}
    environment = os.environ | {f"MAFRATE_{name}": value for name, value in settings.items()}
    command: Sequence[str] = [sys.executable, "-m", "app"]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        await_server(port, process)
        yield Server(port, process.pid)
    finally:
        process.terminate()
        process.wait(20)
