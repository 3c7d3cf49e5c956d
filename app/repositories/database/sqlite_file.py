"""The file of an SQLite database: made for its owner alone, and looked at, because anyone may move or overwrite it.

Nothing here opens the file but SQLite itself: when a process closes a file, the system drops all locks that the process
has on it, those of its SQLite connections too, and another process would then take the database for its own.
"""

import os
import sqlite3
import stat
import threading
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Final, NamedTuple

from app.repositories.database.engines import open_sqlite
from app.repositories.database.errors import Damaged, FileGone, Unavailable

_OWNERS: Final = 0o600
_OTHERS: Final = stat.S_IROTH | stat.S_IWOTH
_CHECK_SECONDS: Final = 0.2
_STEPS: Final = 10_000


class _Look(NamedTuple):
    """What a look at the file costs nothing to tell."""

    device: int
    inode: int
    size: int
    modified: int

    def is_same_file(self, other: "_Look") -> bool:
        return (self.device, self.inode) == (other.device, other.inode)


class SQLiteFile:
    """The file at a path. A look at it takes microseconds, so that there is one before each use.

    Args:
        path: where it is, or will be.
        wait: seconds to wait for a lock.
        reopen: closes what is open of a file that was there before; called when another has taken its place.
    """

    def __init__(self, path: Path, wait: float, reopen: Callable[[], None]) -> None:
        self.path = path
        self.replaced = 0
        """How often another file has taken the place."""
        self._name = os.fspath(path)
        self._wait = wait
        self._reopen = reopen
        self._watcher: sqlite3.Connection | None = None
        self._watching = threading.Lock()
        self._guard = threading.Lock()
        self._seen: _Look | None = None
        self._checked: _Look | None = None
        self._damaged: _Look | None = None
        self._log: int | None = None
        self._version: str | None = None

    def make(self) -> None:
        """Make an empty file unless there is one. One that was open to everybody is its owner's from now on.

        Raises:
            Unavailable: there can be no such file.
        """
        make_for_owner(self.path)

    def look(self) -> None:
        """Look whether the file is there, and still the same; if another sound one is, it is gone on with.

        Raises:
            FileGone: there is none, or another that is no database of the same version.
            Damaged: it does not begin as it should, is cut short, or an earlier reader found it so.
        """
        found = self._look()
        if found != self._seen:
            with self._guard:
                self._take(found)
        if found == self._damaged:
            raise Damaged(f"{self.path}: the file is malformed")

    def change_mark(self) -> int:
        """A number that differs whenever anyone, in any process, has committed since; costs microseconds.

        Raises:
            Unavailable: the file is gone or locked.
        """
        self.look()
        try:
            with self._watching:
                if self._watcher is None:
                    self._watcher = open_sqlite(self.path, wait=self._wait)
                version: int = self._watcher.execute("PRAGMA data_version").fetchone()[0]
                return self.replaced << 64 | version
        except sqlite3.OperationalError as error:
            raise Unavailable(type(error).__name__) from error

    def demand_stored(self) -> None:
        """Refuse what was just committed to a file, or to a log, that is not there any more.

        Raises:
            FileGone: so it is; what was committed is lost.
        """
        found = self._look()
        if self._seen is not None and not found.is_same_file(self._seen):
            raise FileGone(f"{self.path} is another file now")
        try:
            log = os.stat(self._name + "-wal").st_ino  # noqa: PTH116 - microseconds count here
        except OSError:
            log = None
        with self._guard:
            if log is None or log != (self._log or log):
                self._begin_anew()
                raise FileGone(f"{self.path}-wal was taken away")
            self._log = log

    def note_damage(self) -> None:
        """Note that somebody found the file damaged: until it changes, it is not used."""
        with suppress(FileGone):
            self._damaged = self._look()

    def check(self) -> None:
        """Read through the file, as far as a fifth of a second goes, unless it is as it was at the last check.

        Raises:
            FileGone: it is not there.
            Damaged: what it says contradicts itself.
        """
        self.look()
        found = self._look()
        if found == self._checked:
            return
        if _is_malformed(self.path):
            self.note_damage()
            raise Damaged(f"{self.path}: the file is malformed")
        self._checked = found

    def forget(self) -> None:
        """Forget which file it was; the next look takes whatever is there."""
        self._end_watch()
        with self._guard:
            self._seen = self._log = None

    def _end_watch(self) -> None:
        with self._watching:
            if self._watcher is not None:
                self._watcher.close()
                self._watcher = None

    def _look(self) -> _Look:
        try:
            found = os.stat(self._name)  # noqa: PTH116 - microseconds count here
        except OSError as error:
            raise FileGone(f"there is no database at {self.path}") from error
        return _Look(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)

    def _take(self, found: _Look) -> None:
        if self._seen is None:
            self._version = _version(self.path)
        elif not found.is_same_file(self._seen):
            version = _version(self.path)
            if version is None or version != (self._version or version):
                raise FileGone(f"{self.path} is another file now, at version {version or 'none'}")
            self._version, self._damaged = version, None
            self._begin_anew()
        elif (found.size or self._version) and not self._is_whole(found):
            self._damaged = found
        elif self._damaged is not None:
            self._damaged = None
            self._begin_anew()  # connections have seen what was there meanwhile
        self._seen = found

    def _begin_anew(self) -> None:
        self.replaced += 1
        self._log = None
        self._end_watch()
        self._reopen()

    def _is_whole(self, found: _Look) -> bool:
        if self._seen is not None and found.size < self._seen.size:
            return not _is_malformed(self.path)
        return _begins_as_it_should(self.path)


def make_for_owner(path: Path) -> None:
    """Make an empty file at ``path``, and its folder, unless they are there; nobody but its owner may read it.

    One that was open to everybody is closed to all but its owner, and with it what SQLite keeps beside it.

    Raises:
        Unavailable: there can be no such file.
    """
    make_folder(path)
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, _OWNERS))
    except FileExistsError:
        pass
    except OSError as error:
        raise Unavailable(f"expected a file that can be written: {path}") from error
    for ending in ("", "-wal", "-shm"):
        _close_to_others(path.with_name(path.name + ending))


def make_folder(path: Path) -> None:
    """Make the folder that a database is to be in, with all above it.

    Raises:
        Unavailable: there can be no such folder.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise Unavailable(f"expected a folder and no file on the way: {path.parent}") from error
    except OSError as error:
        raise Unavailable(f"expected a folder that can be written: {path.parent}: {error.strerror}") from error


def _close_to_others(path: Path) -> None:
    with suppress(FileNotFoundError, PermissionError):  # another's file is its owner's to close
        if path.stat().st_mode & _OTHERS:
            path.chmod(_OWNERS)


def _version(path: Path) -> str | None:
    """At which version the tables of a database are; None of an empty one, and of what is none."""
    try:
        with closing(_reading(path)) as connection:
            (version,) = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    except (sqlite3.Error, TypeError):
        return None
    return str(version)


def _begins_as_it_should(path: Path) -> bool:
    try:
        with closing(_reading(path)) as connection:
            connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    except sqlite3.DatabaseError as error:
        return not _is_of_damage(error)
    return True


def _is_malformed(path: Path) -> bool:
    deadline = time.monotonic() + _CHECK_SECONDS
    try:
        with closing(_reading(path)) as connection:
            connection.set_progress_handler(lambda: time.monotonic() > deadline, _STEPS)
            (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
            return bool(found != "ok")
    except sqlite3.DatabaseError as error:
        return _is_of_damage(error)


def _is_of_damage(error: sqlite3.DatabaseError) -> bool:
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


def _reading(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True, timeout=1.0)
