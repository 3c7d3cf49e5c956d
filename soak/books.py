"""What clients know: which games were sent and acknowledged, and every answer that cannot be true."""

import hashlib
import threading
import time
from collections import Counter
from collections.abc import Iterable
from typing import Any

MOST_SHOWN = 10


class SeasonBooks:
    """What is known of one season's games, by external id."""

    def __init__(self) -> None:
        self.sent: dict[str, int] = {}
        """How often each was sent."""
        self.acknowledged: dict[str, str] = {}
        """The id that the service gave each."""
        self.epoch = 0
        """Rises when what was acknowledged may be lost from now on, and when it is known what was."""
        self.in_doubt = False


class Books:
    """The books of all clients; any thread may write."""

    def __init__(self, clubs: Iterable[str]) -> None:
        self.seasons = {club: SeasonBooks() for club in clubs}
        self.wrong: dict[str, list[str]] = {name: [] for name in ("lost", "stale", "mixed", "unexpected", "audit")}
        self.counts: Counter[str] = Counter()
        self._acknowledged_at: dict[str, float] = {}
        """When each service acknowledged something last."""
        self._silent: dict[str, float] = {}
        """For how many seconds each acknowledged nothing, at most."""
        self.pauses: list[tuple[str, float]] = []
        """After what nothing was acknowledged for how many seconds."""
        self._bytes_of: dict[tuple[str, str], bytes] = {}
        self._lock = threading.Lock()

    def note_sent(self, club: str, name: str) -> None:
        with self._lock:
            sent = self.seasons[club].sent
            sent[name] = sent.get(name, 0) + 1

    def note_acknowledged(self, club: str, name: str, public_id: str, address: str) -> None:
        with self._lock:
            known = self.seasons[club].acknowledged.setdefault(name, public_id)
            now = time.monotonic()
            silent = now - self._acknowledged_at.get(address, now)
            self._silent[address] = max(silent, self._silent.get(address, 0.0))
            self._acknowledged_at[address] = now
            self.counts["acknowledged"] += 1
        if known != public_id:
            self.find("mixed", f"{club} {name} is {known} and {public_id}")

    def doubt(self) -> None:
        """From now on, until :meth:`reconcile`, what is acknowledged may be lost."""
        with self._lock:
            for season in self.seasons.values():
                season.epoch += 1
                season.in_doubt = True

    def bounds(self, club: str) -> tuple[int, int]:
        """How many games a table has at least that is asked for now, and the epoch in which that holds."""
        with self._lock:
            season = self.seasons[club]
            return 0 if season.in_doubt else len(season.acknowledged), season.epoch

    def check_table(self, club: str, table: dict[str, Any], bounds: tuple[int, int] | None) -> None:
        """Look whether a table can be one of the season's.

        Everyone plays every game, and a game has 7 winners or 3.
        """
        games, rows = table["games"], table["rows"]
        wins = sum(row["values"]["wins"] for row in rows)
        whole = all(row["values"]["games"] == games for row in rows) and (wins - 3 * games) % 4 == 0
        if games and not (whole and len(rows) == 10):
            self.find("mixed", f"{club}: {games} games, rows of {[row['values']['games'] for row in rows]}")
        least, epoch = self.bounds(club) if bounds is None else bounds
        with self._lock:
            season = self.seasons[club]
            most, now = len(season.sent), season.epoch
        if games > most:
            self.find("stale", f"{club}: {games} games, {most} were sent")
        if bounds is not None and epoch == now and games < least:
            self.find("stale", f"{club}: {games} games, {least} were acknowledged before")

    def check_bytes(self, path: str, etag: str, body: bytes) -> None:
        """Look whether an ETag still stands for the bytes that it stood for, wherever they come from."""
        digest = hashlib.blake2b(body, digest_size=16).digest()
        with self._lock:
            known = self._bytes_of.setdefault((path, etag), digest)
        if known != digest:
            self.find("stale", f"{path}: other bytes under {etag}")

    def reconcile(self, club: str, stored: dict[str, str], *, may_lose: bool) -> int:
        """Compare what was acknowledged with what is stored; what may be lost is forgotten, and counted."""
        with self._lock:
            season = self.seasons[club]
            missing = {name for name, public_id in season.acknowledged.items() if stored.get(name) != public_id}
            foreign = stored.keys() - season.sent.keys()
            if may_lose:
                season.epoch += 1
                season.in_doubt = False
                for name in missing:
                    del season.acknowledged[name]
                self.counts["lost, as they may be"] += len(missing)
        if not may_lose:
            for name in sorted(missing):
                self.find("lost", f"{club} {name}")
        for name in sorted(foreign):
            self.find("mixed", f"{club} {name} was sent by nobody")
        return len(missing)

    def find(self, kind: str, what: str) -> None:
        """Note something wrong."""
        with self._lock:
            self.wrong[kind].append(what)

    def begin(self) -> None:
        """Something is about to happen: count anew for how long services acknowledge nothing."""
        with self._lock:
            now = time.monotonic()
            self._silent = dict.fromkeys(self._silent, 0.0)
            self._acknowledged_at = {address: max(at, now - 0.5) for address, at in self._acknowledged_at.items()}

    def await_acknowledgements(self, what: str, addresses: Iterable[str], seconds: float) -> None:
        """Wait until each of these services has acknowledged something, and note for how long one of them had not.

        It is counted from :meth:`begin` on.
        """
        began = time.monotonic()
        waiting = among = set(addresses)
        while waiting:
            if time.monotonic() > began + seconds:
                self.find("unexpected", f"{', '.join(waiting)}: nothing acknowledged for {seconds:.0f} s after: {what}")
                return
            time.sleep(0.02)
            waiting = {address for address in among if self._acknowledged_at.get(address, 0) <= began}
        self.pauses.append((what, max(self._silent[address] for address in among)))
