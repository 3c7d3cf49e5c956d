"""What happens to the service while clients are at work."""

import random
import resource
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from app.repositories.database import Database
from app.repositories.games import games
from app.repositories.schema import bring_up_to_date
from app.repositories.seasons import seasons
from app.services.audit import audit
from soak.books import Books
from soak.clients import Clients, Gate, Reached
from soak.processes import PgBouncer, Redis, Service, until
from soak.servers import Pair
from tests.http.kept_season import Founded, found

CLUBS: Final = ("moscow", "tula")
PAUSE_SECONDS: Final = 60.0
"""For so long nothing may be acknowledged after whatever happens."""

ACKNOWLEDGED_BETWEEN: Final = 10
"""Games that are acknowledged between two kills."""

_HOUR: Final = 3600


def stored(url: str, club: str) -> dict[str, str]:
    """The id of each game of the club's season, by external id."""
    with closing(Database(url)) as database, database.read() as tx:
        season = seasons.find(tx, club, "spring")
        assert season is not None
        return {str(game.external_id): game.public_id for game in games.each(tx, season.id)}


def reconcile(books: Books, gate: Gate, url: str, *, may_lose: bool = False) -> int:
    """Have clients wait, and compare what they know with what is stored."""
    gate.close()
    try:
        return sum(books.reconcile(club, stored(url, club), may_lose=may_lose) for club in CLUBS)
    finally:
        gate.open()


def finish(books: Books, url: str) -> None:
    """Compare once more, and compute every number again."""
    for club in CLUBS:
        books.reconcile(club, stored(url, club), may_lose=False)
    with closing(Database(url)) as database:
        for difference in audit(database):
            books.find("audit", str(difference))


@contextmanager
def clients_of(books: Books, url: str, reached: Reached, start: Callable[[], None], *, size: int) -> Iterator[Clients]:
    """Clients at work in two new seasons of a new database, once ``start`` has started the services."""
    with closing(Database(url)) as database:
        bring_up_to_date(database)
        made: Sequence[Founded] = [found(database, club=club) for club in CLUBS]
    start()
    clients = Clients(books, made, reached, size=size)
    try:
        yield clients
    finally:
        clients.stop()


class OnPostgreSQL:
    """Two services that write, one of them by way of PgBouncer, and one that reads from the standby."""

    def __init__(self, folder: Path, books: Books, chance: random.Random) -> None:
        self.books = books
        self.chance = chance
        self.pair = Pair(folder)
        self.redis = Redis()
        self.pooler = PgBouncer(folder) if PgBouncer.program() else None
        told = {"MAFRATE_CACHE_URL": self.redis.url}
        by_way = self.pair.url if self.pooler is None else self.pooler.url
        self.writing = [Service(self.pair.url, workers=2, told=told), Service(by_way, workers=1, told=told)]
        self.reading = Service(self.pair.reading_url, workers=1, told=told | {"MAFRATE_READ_ONLY": "true"})

    def start(self) -> None:
        """Start everything but the servers."""
        self.redis.start()
        if self.pooler is not None:
            self.pooler.point_at(self.pair.primary.port)
            self.pooler.start()
        for service in (*self.writing, self.reading):
            service.start()

    def reached(self) -> Reached:
        """Where clients go."""
        return Reached(lambda: [service.address for service in self.writing], lambda: [self.reading.address])

    def close(self) -> None:
        for service in (*self.writing, self.reading):
            service.kill()
        self.redis.kill()
        if self.pooler is not None:
            self.pooler.kill()
        self.pair.close()

    def _await(self, what: str) -> None:
        addresses = [service.address for service in self.writing]
        self.books.await_acknowledgements(what, addresses, PAUSE_SECONDS)

    def kills(self, times: int, is_over: Callable[[], bool]) -> None:
        """``kill -9`` of workers and of whole services."""
        kill_again_and_again(self.books, [*self.writing, self.reading], times, is_over, self.chance)

    def failovers(self, gate: Gate, times: int, is_over: Callable[[], bool]) -> None:
        """Lose the primary: killed, frozen, and with a standby that lacked commits."""
        for number in range(times):
            if is_over():
                return
            how = ("killed", "frozen", "lossy")[number % 3]
            self.books.begin()
            if how == "lossy":
                self.books.doubt()
                self.pair.let_go()
                time.sleep(self.chance.uniform(0.5, 2))
                self.pair.lose()
            else:
                self.pair.fail_over(signal.SIGSTOP if how == "frozen" else signal.SIGKILL)
            if self.pooler is not None:
                self.pooler.point_at(self.pair.primary.port)
            if how == "frozen":  # it is left as it is until writing goes on
                self.pair.wait_for_standby(False)
                self._await(f"primary {how}")
                self.pair.standby.kill()
                self.pair.wait_for_standby(True)
            self.pair.join()  # until then nothing more is acknowledged
            if how == "lossy":
                reconcile(self.books, gate, self.pair.own_url(), may_lose=True)
            if how != "frozen":
                self._await(f"primary {how}")
            self.books.counts[f"primaries {how}"] += 1
            time.sleep(self.chance.uniform(0.5, 2))
            reconcile(self.books, gate, self.pair.own_url())

    def losses(self) -> None:
        """Redis killed, frozen and back; PgBouncer killed and back."""
        self.books.begin()
        self.redis.kill()
        self._await("Redis lost")
        self.books.begin()
        self.redis.start()
        self.redis.signal(signal.SIGSTOP)
        self._await("Redis frozen")
        self.redis.signal(signal.SIGCONT)
        if self.pooler is not None:
            for _ in range(3):
                self.books.begin()
                self.pooler.kill()
                time.sleep(1)
                self.pooler.start()
                self._await("PgBouncer lost")
        for service in self.writing:
            if not until(service.is_ready):
                self.books.find("unexpected", f"{service.address} is not ready again")


class OnSQLite:
    """One service of two workers on a file."""

    def __init__(self, folder: Path, books: Books, chance: random.Random) -> None:
        self.books = books
        self.chance = chance
        self.path = folder / "soak.db"
        self.url = f"sqlite:///{self.path}"
        self.service = Service(self.url, workers=2)

    def reached(self) -> Reached:
        """Where clients go."""
        return Reached(lambda: [self.service.address], list)

    def _await(self, what: str) -> None:
        addresses = [self.service.address]
        self.books.await_acknowledgements(what, addresses, PAUSE_SECONDS)

    def kills(self, times: int, is_over: Callable[[], bool]) -> None:
        """``kill -9`` of workers and of the whole service."""
        kill_again_and_again(self.books, [self.service], times, is_over, self.chance)

    def fill_disk(self) -> None:
        """Let no file grow any more, then let them grow again."""
        size = max(self.path.stat().st_size, self.path.with_name("soak.db-wal").stat().st_size)
        workers = self.service.workers()
        for worker in workers:
            resource.prlimit(worker, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
        before = self.books.counts["503"]
        if not until(lambda: self.books.counts["503"] > before + 3, 30):
            self.books.find("unexpected", "the full disk was not noticed")
        self.books.begin()
        for worker in workers:
            resource.prlimit(worker, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        self._await("disk full")

    def turn_clock_back(self) -> None:
        """Start with a clock that is an hour behind, then with the right one."""
        for what, shift in (("clock an hour back", -_HOUR), ("clock right again", 0)):
            self.books.begin()
            self.service.kill()
            self.service.start(shift)
            self._await(what)
            time.sleep(1)


def kill_again_and_again(
    books: Books, services: Sequence[Service], times: int, is_over: Callable[[], bool], chance: random.Random
) -> None:
    """``kill -9``: three times out of four one worker, else the whole service."""
    for _ in range(times):
        if is_over():
            return
        several = [service for service in services if service.is_supervised]
        if several and chance.random() < 0.75:
            service = chance.choice(several)
            service.kill_worker(chance)
        else:
            service = chance.choice(services)
            service.kill()
            service.start()
        books.counts["kills"] += 1
        enough = books.counts["acknowledged"] + ACKNOWLEDGED_BETWEEN
        if not until(lambda enough=enough: books.counts["acknowledged"] >= enough):
            books.find("unexpected", f"nothing was acknowledged after {service.address} was killed")
    for service in services:
        if not until(service.is_ready):
            books.find("unexpected", f"{service.address} is not ready again")
