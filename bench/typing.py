"""A judge's form: what each keystroke asks, a search or a check of the unfinished game, in a club of 5,000 players."""

from collections.abc import Iterator
from contextlib import closing
from typing import Final
from urllib.parse import quote

from app.repositories.database import Database
from bench import club, games
from bench.databases import new_database
from bench.load import Request, serving
from bench.verdict import Verdict

PLAYERS: Final = 5_000
ROUNDS: Final = 7
SECONDS: Final = 0.5
MOST_MS: Final = 10.0
_KEY: Final = {"Authorization": f"Bearer {club.SECRET}"}
_TYPED: Final = ("", "и", "иг", "игр", "игро", "игрок", "игрок 1", "игрок 12", "игрок 123", "4", "49", "499", "4999")


def typing() -> Iterator[Verdict]:
    """Each keystroke's answer within 10 ms of server time, beside fixed bytes."""
    for dialect in ("sqlite", "postgresql"):
        with new_database(dialect) as url:
            if url is None:
                print(f"({dialect} is not reached)")
                continue
            with closing(Database(url)) as database:
                club.found(database, PLAYERS)
            with serving({"MAFRATE_DATABASE_URL": url}) as server:
                searches = [
                    Request("GET", f"/v1/clubs/{club.SLUG}/players?search={quote(text)}&limit=10", headers=_KEY)
                    for text in _TYPED
                ]
                fixed = [Request("POST", "/bench/fixed", b"{}")]
                for name, requests in (("search", searches), ("partial check", _checks())):
                    server.rate(requests, SECONDS, connections=1)
                    rounds = [
                        [1000 / server.rate(each, SECONDS, connections=1) for each in (requests, fixed)]
                        for _ in range(ROUNDS)
                    ]
                    mine, floor = zip(*rounds, strict=True)
                    yield Verdict(f"{dialect}: {name}", mine, "10 ms", [MOST_MS] * ROUNDS, "ms", 1, at_least=False)
                    yield Verdict(f"{dialect}: {name}", mine, "fixed bytes", floor, "ms", 50, at_least=False)


def _checks() -> list[Request]:
    """A game typed seat by seat, and its outcome at last."""
    (game,) = games.season(club.SYSTEM, 1, PLAYERS)
    typed = [{"seats": game["seats"][:seats]} for seats in range(1, 11)]
    bodies = [games.body(each) for each in (*typed, game)]
    path = f"/v1/rule-systems/{club.SYSTEM.id}/score?partial=true"
    return [Request("POST", path, body) for body in bodies]
