"""Eight clients at once on two workers: nothing is lost, nothing counts twice."""

import random
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import httpx

from app.repositories import journal
from app.repositories.database import Database
from app.repositories.seasons import seasons
from app.services.audit import audit
from tests.http.kept_season import Founded, found
from tests.processes.running import any_game, running

CLIENTS = 8
STEPS = 20
SHARED = 10
"""Games that every client submits."""


class Done(NamedTuple):
    """A write that was answered with success."""

    game: str
    version: int
    revision: int
    action: str
    number: int | None
    """What tells the facts from all others that were ever written."""


class Client:
    """One of the clients; each request is a new connection, so that either worker may get it."""

    def __init__(self, address: str, season: Founded, number: int, known: list[str]) -> None:
        self.number = number
        self.known = known
        """Ids of games, shared by the clients."""
        self.done: list[Done] = []
        self.statuses: Counter[int] = Counter()
        self.shared: dict[str, str] = {}
        """Ids that this client was answered for what every client submits."""
        self._address = address + season.path
        self._standings = self._address.replace("/games", "/standings")
        self._headers = {"authorization": f"Bearer {season.secrets['chief_judge']}"}
        self._chance = random.Random(number)
        self._written = 0

    def run(self) -> None:
        """Submit what everybody submits, then submit, correct, void and restore at random."""
        with httpx.Client(limits=httpx.Limits(max_keepalive_connections=0), timeout=60) as self._http:
            for number in self._chance.sample(range(SHARED), SHARED):
                self.submit_shared(number)
            for _ in range(STEPS):
                self._chance.choice([self.submit, self.correct, self.correct, self.void, self.restore])()

    def submit_shared(self, number: int) -> None:
        """The same game as every other client, once by ``external_id`` and once by ``Idempotency-Key``."""
        by_id = self.ask("POST", "", any_game(number) | {"external_id": f"shared {number}"})
        self.shared[f"external id {number}"] = by_id.json()["id"]
        while True:
            by_key = self.ask("POST", "", any_game(number), {"idempotency-key": f"shared-{number}"})
            if by_key.status_code != 409:
                break
            assert by_key.json()["code"] == "in_progress"
        self.shared[f"idempotency key {number}"] = by_key.json()["id"]

    def submit(self) -> None:
        number = self.unique()
        answer = self.ask("POST", "", any_game(number))
        self.note(answer, "submitted", number)
        self.known.append(answer.json()["id"])
        # The next request, whichever worker gets it, finds the game in the table.
        table = self._http.get(self._standings)
        assert table.status_code == 200
        assert table.json()["revision"] >= answer.json()["revision"]

    def correct(self) -> None:
        if self.known:
            game = self._chance.choice(self.known)
            etag = self.ask("GET", f"/{game}").headers["etag"]
            number = self.unique()
            self.note(self.ask("PUT", f"/{game}", any_game(number), {"if-match": etag}), "corrected", number)

    def void(self) -> None:
        if self.known:
            self.note(self.ask("DELETE", f"/{self._chance.choice(self.known)}"), "voided", None)

    def restore(self) -> None:
        if self.known:
            self.note(self.ask("POST", f"/{self._chance.choice(self.known)}/restore"), "restored", None)

    def unique(self) -> int:
        self._written += 1
        return 1000 * (self.number + 1) + self._written

    def ask(
        self, method: str, path: str, game: dict[str, Any] | None = None, headers: dict[str, str] | None = None
    ) -> httpx.Response:
        answer = self._http.request(
            method, self._address + path, json=game, headers={**self._headers, **(headers or {})}
        )
        self.statuses[answer.status_code] += 1
        assert answer.status_code in {200, 201, 409, 412}, answer.text
        return answer

    def note(self, answer: httpx.Response, action: str, number: int | None) -> None:
        if answer.status_code in {200, 201}:
            wire = answer.json()
            self.done.append(Done(wire["id"], wire["version"], wire["revision"], action, number))


def test_eight_clients_lose_nothing_and_count_nothing_twice(database: Database, database_url: str) -> None:
    season = found(database)
    known: list[str] = []
    with running(database_url, workers=2) as address:
        clients = [Client(address, season, number, known) for number in range(CLIENTS)]
        start = threading.Barrier(CLIENTS)

        def run(client: Client) -> None:
            start.wait()
            client.run()

        with ThreadPoolExecutor(CLIENTS) as threads:
            for one in [threads.submit(run, client) for client in clients]:
                one.result(timeout=120)
        histories = read_histories(address, season, {*known})
    assert not [status for client in clients for status in client.statuses if status >= 500]
    assert sum(client.statuses[412] for client in clients) > 0, "no two clients ever met at a game"
    assert list(audit(database)) == []

    # One game each for what everybody submitted, by either kind of key.
    assert all(client.shared == clients[0].shared for client in clients)
    shared = set(clients[0].shared.values())
    assert len(shared) == 2 * SHARED
    with database.read() as tx:
        kept = seasons.find(tx, season.club, season.slug)
        assert kept
        written = journal.after(tx, kept.id, 0, limit=100_000)
    assert Counter(one.target for one in written if one.action == "game_submitted") == Counter([*shared, *known])

    # Revisions have no gaps, and none was answered to two writes.
    assert [one.revision for one in written] == list(range(1, kept.revision + 1))

    # Every write that was answered is the version that it was answered as.
    for client in clients:
        for done in client.done:
            version = histories[done.game][done.version]
            if done.number is not None:
                assert (version["action"], version["game"]["number"]) == (done.action, done.number)
                assert version["revision"] == done.revision
    corrected = [done for client in clients for done in client.done if done.action == "corrected"]
    assert len({(done.game, done.version) for done in corrected}) == len(corrected)


def read_histories(address: str, season: Founded, games: set[str]) -> dict[str, dict[int, dict[str, Any]]]:
    """Every version of each game by its number."""
    histories = {}
    with httpx.Client(base_url=address) as http:
        for game in games:
            answer = http.get(f"{season.path}/{game}/history?limit=200")
            assert answer.status_code == 200
            histories[game] = {one["version"]: one for one in answer.json()["items"]}
    return histories
