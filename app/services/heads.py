"""The heads of seasons that this process has read, and whether they are still so."""

from typing import Final

from app.repositories import heads
from app.repositories.database import Database
from app.repositories.heads import Head

_MOST: Final = 10_000


class Heads:
    """Seasons by address. On SQLite a head is known as long as nobody, in any process, has committed since."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._known: dict[tuple[str, str], tuple[int, Head]] = {}

    def known(self, club: str, season: str) -> Head | None:
        """The season's head without asking the database, if that can be; takes microseconds.

        Raises:
            Unavailable: the database is gone.
        """
        mark, head = self._known.get((club, season), (None, None))
        return head if mark is not None and mark == self._database.change_mark() else None

    def read(self, club: str, season: str) -> Head | None:
        """The season's head as the database has it; None when there is no such season.

        Raises:
            Unavailable: the database is gone or crowded out.
        """
        # Looked at first: what is committed between this and the SELECT is read, and seen as a change all the same.
        mark = self._database.change_mark()
        with self._database.glance() as tx:
            head = heads.find(tx, club, season)
        if mark is not None and head is not None:
            if len(self._known) >= _MOST:
                self._known.clear()
            self._known[club, season] = (mark, head)
        return head
