"""The file of an SQLite database: made for its owner alone, and looked at, because anyone may move or overwrite it."""

import os
import sqlite3
import stat
import threading
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Final, NamedTuple

from app.repositories.database.errors import Damaged, FileGone, Unavailable

_OWNERS: Final = 0o600
_OTHERS: Final = stat.S_IROTH | stat.S_IWOTH
_MAGIC: Final = b"SQLite format 3\0"
_HEADER_BYTES: Final = 100
_GROWING_SECONDS: Final = 0.5
"""How long a file may be shorter than its header says: a checkpoint writes the header first."""
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


class Present(NamedTuple):
    """The file at the path and its log, as a writer finds them; numbers of inodes."""

    file: int
    log: int | None


class SQLiteFile:
    """The file at a path. A look at it takes microseconds, so that there is one before each use.

    Args:
        path: where it is, or will be.
        reopen: closes what is open of a file that was there before; called when another has taken its place.
    """

    def __init__(self, path: Path, reopen: Callable[[], None]) -> None:
        self.path = path
        self.replaced = 0
        """How often another file has taken the place."""
        self._name = os.fspath(path)
        self._reopen = reopen
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

    def present(self) -> Present:
        """What a transaction writes to; the same before it and after its commit, unless a file was taken away.

        Raises:
            FileGone: the file is not the one that was looked at last, or its log was taken away before.
        """
        found = self._look()
        if self._seen is not None and not found.is_same_file(self._seen):
            raise FileGone(f"{self.path} is another file now")
        try:
            log = os.stat(self._name + "-wal").st_ino  # noqa: PTH116 - microseconds count here
        except OSError:
            log = None
        with self._guard:
            if self._log is not None and log != self._log:
                self._begin_anew()
                raise FileGone(f"{self.path}-wal is gone")
            self._log = log
        return Present(found.inode, log)

    def demand_present(self, before: Present) -> None:
        """Refuse when a transaction was committed to a file that is not there any more.

        Raises:
            FileGone: so it is; what was committed is lost.
        """
        if self.present() != before:
            raise FileGone(f"{self.path} was taken away")

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
        with self._guard:
            self._seen = self._log = None

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
        elif (found.size or self._version) and not self._is_whole():
            self._damaged = found
        elif self._damaged is not None:
            self._damaged = None
            self._begin_anew()  # connections have seen what was there meanwhile
        self._seen = found

    def _begin_anew(self) -> None:
        self.replaced += 1
        self._log = None
        self._reopen()

    def _is_whole(self) -> bool:
        deadline = time.monotonic() + _GROWING_SECONDS
        while True:
            with self.path.open("rb") as file:
                header = file.read(_HEADER_BYTES)
                size = os.fstat(file.fileno()).st_size
            if not header.startswith(_MAGIC) or len(header) < _HEADER_BYTES:
                return False
            page = int.from_bytes(header[16:18], "big")
            if size >= (page if page > 1 else 65_536) * int.from_bytes(header[28:32], "big"):
                return True
            if time.monotonic() > deadline:
                return False
            time.sleep(0.01)


def make_for_owner(path: Path) -> None:
    """Make an empty file at ``path``, and its folder, unless they are there; nobody but its owner may read it.

    One that was open to everybody is closed to all but its owner, and with it what SQLite keeps beside it.

    Raises:
        Unavailable: there can be no such file.
    """
    make_folder(path)
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, _OWNERS))
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


def _is_malformed(path: Path) -> bool:
    deadline = time.monotonic() + _CHECK_SECONDS
    try:
        with closing(_reading(path)) as connection:
            connection.set_progress_handler(lambda: time.monotonic() > deadline, _STEPS)
            (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
            return bool(found != "ok")
    except sqlite3.DatabaseError as error:
        return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


def _reading(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True, timeout=1.0)
