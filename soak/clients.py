"""Writers, who send each game until it is acknowledged, and readers, who doubt what they are told."""

import random
import threading
import time
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import httpx

from soak.books import Books
from tests.http.kept_season import Founded
from tests.processes.running import any_game

_TIMEOUT: Final = httpx.Timeout(40, connect=5)
_AGAIN_SECONDS: Final = 0.1
_NUMBERS: Final = 1_000
"""Games are told apart by their external ids, whatever their numbers."""
_FORMS: Final = ("standings", "standings", "standings?order=points", "standings.csv", "awards")


class Gate:
    """Lets clients on, or has all of them wait between two requests."""

    def __init__(self) -> None:
        self._open = threading.Event()
        self._open.set()
        self._inside = 0
        self._changed = threading.Condition()

    def enter(self) -> None:
        while True:
            self._open.wait()
            with self._changed:
                if self._open.is_set():
                    self._inside += 1
                    return

    def leave(self) -> None:
        with self._changed:
            self._inside -= 1
            self._changed.notify_all()

    def close(self) -> None:
        """Return once nobody is inside."""
        with self._changed:
            self._open.clear()
            self._changed.wait_for(lambda: self._inside == 0)

    def open(self) -> None:
        with self._changed:
            self._open.set()


class Reached(NamedTuple):
    """Services to talk to: those that write, and those that only read, which may be behind."""

    writing: Callable[[], Sequence[str]]
    behind: Callable[[], Sequence[str]]


class Clients:
    """So many writers and as many readers, at work until they are stopped."""

    def __init__(self, books: Books, seasons: Sequence[Founded], reached: Reached, *, size: int) -> None:
        self.books = books
        self.gate = Gate()
        self._seasons = seasons
        self._reached = reached
        self._stopped = threading.Event()
        self._threads = [
            *(threading.Thread(target=self._write, args=(number,), daemon=True) for number in range(size)),
            *(threading.Thread(target=self._read, args=(number,), daemon=True) for number in range(size)),
        ]
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Let each end what it is at."""
        self._stopped.set()
        for thread in self._threads:
            thread.join()

    def _write(self, number: int) -> None:
        chance = random.Random(number)
        season = self._seasons[number % len(self._seasons)]
        headers = {"Authorization": f"Bearer {season.secrets['judge']}"}
        count = 0
        with httpx.Client(timeout=_TIMEOUT) as http:
            while not self._stopped.is_set():
                count += 1
                name = f"w{number}-{time.time_ns()}"
                game = any_game(count % _NUMBERS) | {"external_id": name}
                self.books.note_sent(season.club, name)
                while not self._stopped.is_set() and not self._submit(http, chance, season, headers, name, game):
                    time.sleep(_AGAIN_SECONDS)

    def _submit(
        self,
        http: httpx.Client,
        chance: random.Random,
        season: Founded,
        headers: dict[str, str],
        name: str,
        game: object,
    ) -> bool:
        self.gate.enter()
        try:
            address = chance.choice(self._reached.writing())
            answer = http.post(address + season.path, json=game, headers=headers)
        except httpx.TransportError:
            self.books.counts["connections lost"] += 1
            return False
        finally:
            self.gate.leave()
        if answer.status_code in {200, 201}:
            self.books.note_acknowledged(season.club, name, answer.json()["id"], address)
            return True
        self._note(answer)
        return False

    def _read(self, number: int) -> None:
        chance = random.Random(-number)
        tags: dict[tuple[str, str], str] = {}
        with httpx.Client(timeout=_TIMEOUT) as http:
            while not self._stopped.is_set():
                season = chance.choice(self._seasons)
                path = f"/v1/clubs/{season.club}/seasons/{season.slug}/{chance.choice(_FORMS)}"
                behind = self._reached.behind()
                is_behind = bool(behind) and chance.random() < 0.3
                address = chance.choice(behind if is_behind else self._reached.writing())
                headers = {"Accept-Encoding": "identity"}
                if chance.random() < 0.3:
                    headers["Authorization"] = f"Bearer {season.secrets['reader']}"
                if chance.random() < 0.5 and (address, path) in tags:
                    headers["If-None-Match"] = tags[address, path]
                self.gate.enter()
                bounds = self.books.bounds(season.club)
                try:
                    answer = http.get(address + path, headers=headers)
                except httpx.TransportError:
                    self.books.counts["connections lost"] += 1
                    time.sleep(_AGAIN_SECONDS)
                    continue
                finally:
                    self.gate.leave()
                self._judge(season, path, answer, None if is_behind else bounds)
                if answer.status_code == 200:
                    tags[address, path] = answer.headers["etag"]

    def _judge(self, season: Founded, path: str, answer: httpx.Response, bounds: tuple[int, int] | None) -> None:
        if answer.status_code == 200:
            self.books.counts["tables read"] += 1
            self.books.check_bytes(path, answer.headers["etag"], answer.content)
            if path.endswith(("standings", "points")):
                self.books.check_table(season.club, answer.json(), bounds)
        elif answer.status_code == 304:
            self.books.counts["unchanged"] += 1
        else:
            self._note(answer)
            time.sleep(_AGAIN_SECONDS)

    def _note(self, answer: httpx.Response) -> None:
        if answer.status_code == 503 and "retry-after" in answer.headers:
            self.books.counts["503"] += 1
        else:
            self.books.find(
                "unexpected", f"{answer.request.method} {answer.url}: {answer.status_code} {answer.text[:200]}"
            )
