"""kill -9 amid a stream of games: whatever was answered 201 is there, once."""

import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from app.repositories.database import Database
from app.repositories.games import games
from app.repositories.seasons import seasons
from app.services.audit import audit
from tests.http.kept_season import Founded, found
from tests.processes.running import Killable, any_game

CLIENTS = 4


class Stream:
    """Clients that submit games until the service is gone, and what they know of each."""

    def __init__(self, season: Founded) -> None:
        self.answered: dict[str, str] = {}
        """Ids of the games that were answered 201, by external id."""
        self.unanswered: dict[str, int] = {}
        """Numbers of the games of which nobody knows whether they were kept, by external id."""
        self._season = season
        self._next = 0
        self._lock = threading.Lock()

    def submit(self, http: httpx.Client, number: int) -> httpx.Response:
        headers = {"authorization": f"Bearer {self._season.secrets['judge']}"}
        game = any_game(number) | {"external_id": f"game {number}"}
        return http.post(self._season.path, json=game, headers=headers)

    def run(self, address: str) -> None:
        """Submit one game after another until the service no longer answers."""
        with httpx.Client(base_url=address, timeout=30) as http:
            while True:
                with self._lock:
                    self._next += 1
                    number = self._next
                name = f"game {number}"
                self.unanswered[name] = number
                try:
                    answer = self.submit(http, number)
                except httpx.TransportError:
                    return
                assert answer.status_code == 201, answer.text
                self.answered[name] = answer.json()["id"]
                del self.unanswered[name]

    def ask_again(self, address: str) -> None:
        """Send again what was not answered; it is kept now, whether or not it was before."""
        with httpx.Client(base_url=address, timeout=30) as http:
            for name, number in list(self.unanswered.items()):
                answer = self.submit(http, number)
                assert answer.status_code in {200, 201}, answer.text
                self.answered[name] = answer.json()["id"]
                del self.unanswered[name]


def kill_again_and_again(database: Database, url: str, times: int) -> None:
    season = found(database)
    stream = Stream(season)
    chance = random.Random(times)
    for cycle in range(times):
        service = Killable(url)
        try:
            service.wait_until_ready()
            stream.ask_again(service.address)
            before = len(stream.answered)
            with ThreadPoolExecutor(CLIENTS) as threads:
                clients = [threads.submit(stream.run, service.address) for _ in range(CLIENTS)]
                while len(stream.answered) == before and not any(client.done() for client in clients):
                    time.sleep(0.005)
                time.sleep(chance.uniform(0, 0.2))
                service.kill()
            for client in clients:
                client.result()
        finally:
            service.kill()
        assert len(stream.answered) > before, f"nothing was submitted in cycle {cycle}"
    with database.read() as tx:
        kept = seasons.find(tx, season.club, season.slug)
        assert kept
        stored = {game.external_id: game.public_id for game in games.each(tx, kept.id)}
    assert {name: stored.get(name) for name in stream.answered} == stream.answered
    assert stored.keys() - stream.answered.keys() <= stream.unanswered.keys()
    assert list(audit(database)) == []


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_twenty_kills_lose_no_game_that_was_answered(database: Database, database_url: str) -> None:
    kill_again_and_again(database, database_url, 20)


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_kills_lose_no_game_on_postgresql_either(database: Database, database_url: str) -> None:
    kill_again_and_again(database, database_url, 5)
