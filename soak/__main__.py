"""``python -m soak [--minutes 30] [--clients 8] [--seed 1]``: 1 when anything was lost, stale, mixed or unexpected.

A shorter run has fewer kills and failovers in proportion.
"""

import argparse
import random
import sys
import time
from collections.abc import Callable
from contextlib import closing
from statistics import median

from soak.books import MOST_SHOWN, Books
from soak.processes import PgBouncer
from soak.stages import CLUBS, OnPostgreSQL, OnSQLite, clients_of, finish
from tests.clusters import folder_of_servers

WHOLE_MINUTES = 30
KILLS = 200
FAILOVERS = 20


def main() -> int:
    """Run every stage, print what was found."""
    asked = argparse.ArgumentParser(prog="soak", description=__doc__)
    asked.add_argument("--minutes", type=float, default=WHOLE_MINUTES)
    asked.add_argument("--clients", type=int, default=8, help="so many write, and so many read")
    asked.add_argument("--seed", type=int, default=1)
    given = asked.parse_args()
    share = min(1.0, given.minutes / WHOLE_MINUTES)
    end = time.monotonic() + given.minutes * 60
    chance = random.Random(given.seed)
    if PgBouncer.program() is None:
        print("PgBouncer is not installed (apt-get install pgbouncer): it is left out")
    began = time.monotonic()
    all_books = {}
    kills, failovers = max(4, round(KILLS * share)), max(3, round(FAILOVERS * share))
    with folder_of_servers() as folder:
        books = all_books["PostgreSQL"] = Books(CLUBS)
        with closing(OnPostgreSQL(folder, books, chance)) as world:
            with clients_of(books, world.pair.url, world.reached(), world.start, size=given.clients) as clients:
                say("PostgreSQL: primaries lost")
                world.failovers(clients.gate, failovers, over(end - given.minutes * 30))
                say("PostgreSQL: Redis and PgBouncer lost")
                world.losses()
                say("PostgreSQL: kills")
                world.kills(kills * 3 // 4, over(end - given.minutes * 10))
            finish(books, world.pair.own_url())
        books = all_books["SQLite"] = Books(CLUBS)
        file = OnSQLite(folder, books, chance)
        try:
            with clients_of(books, file.url, file.reached(), file.service.start, size=given.clients):
                say("SQLite: disk full")
                file.fill_disk()
                say("SQLite: clock back")
                file.turn_clock_back()
                say("SQLite: kills")
                file.kills(kills - kills * 3 // 4, over(end))
        finally:
            file.service.kill()
        finish(books, file.url)
    for name, found in all_books.items():
        print(report(name, found))
    print(f"\n{(time.monotonic() - began) / 60:.1f} minutes")
    return 1 if any(what for found in all_books.values() for what in found.wrong.values()) else 0


def over(moment: float) -> Callable[[], bool]:
    """Tells whether the moment has come."""
    return lambda: time.monotonic() > moment


def say(what: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {what}", flush=True)


def report(name: str, books: Books) -> str:
    """What was done and found, a line each."""
    lines = [f"\n{name}", *(f"  {what}: {count}" for what, count in sorted(books.counts.items()))]
    for what in dict.fromkeys(what for what, _ in books.pauses):
        seconds = [took for which, took in books.pauses if which == what]
        lines.append(f"  written again after: {what}: median {median(seconds):.1f} s, at most {max(seconds):.1f} s")
    for kind, found in books.wrong.items():
        lines += [f"  {kind.upper()}: {len(found)}", *(f"    {one}" for one in found[:MOST_SHOWN])]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
