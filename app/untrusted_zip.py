"""Zip files as anyone may have made them: nothing is unpacked beyond what their own directory says and limits allow."""

import zipfile
from collections.abc import Iterator
from typing import BinaryIO, Final

from app.scoring.text import Text, words
from app.scoring.violation import Found, Violation
from app.validation import UnreadableFile

MOST_RATIO: Final = 200
"""Unpacked to packed, of what a part has beyond its first megabyte."""

_FREE: Final = 1_000_000
_MOST_AT_ONCE: Final = 1_000_000
_CHUNK: Final = 1 << 16
_METHODS: Final = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
"""The others are unpacked a block at a time, and a block of a hundred bytes may hold a gigabyte."""

_PARTS: Final = words("в архиве слишком много файлов; предел — {}", "more than {} parts in the archive")
_UNPACKED: Final = words("после распаковки больше {} байт", "more than {} bytes when unpacked")
_RATIO: Final = words(
    "файл в архиве сжат подозрительно сильно: больше чем в {} раз", "a part is compressed to less than 1/{} of its size"
)
_METHOD: Final = words(
    "архив сжат необычным способом; упакуйте его обычным zip", "a part uses a compression method other than deflate"
)


def open_zip(file: BinaryIO, *, most_parts: int, most_unpacked: int) -> zipfile.ZipFile:
    """The zip file, whose parts :func:`chunks` reads.

    Raises:
        zipfile.BadZipFile: it is damaged.
        UnreadableFile: ``file_too_large``: more parts, more bytes when unpacked, or packed to less than
            1/:data:`MOST_RATIO`; ``file_type``: packed otherwise than zip files are everywhere.
    """
    try:
        found = zipfile.ZipFile(_LimitedReads(file))
    except _ReadTooLarge:
        raise _refused("file_too_large", _PARTS, most_parts) from None
    except Exception:  # broken bytes make zipfile raise whatever they hit
        raise zipfile.BadZipFile from None
    parts = found.infolist()
    if len(parts) > most_parts:
        raise _refused("file_too_large", _PARTS, most_parts)
    if sum(part.file_size for part in parts) > most_unpacked:
        raise _refused("file_too_large", _UNPACKED, most_unpacked)
    if any(part.file_size > _FREE + MOST_RATIO * part.compress_size for part in parts):
        raise _refused("file_too_large", _RATIO, MOST_RATIO)
    if any(part.compress_type not in _METHODS for part in parts):
        raise _refused("file_type", _METHOD)
    return found


def chunks(file: zipfile.ZipFile, part: zipfile.ZipInfo) -> Iterator[bytes]:
    """A part as it is unpacked, no more of it than the directory says it has.

    Raises:
        zipfile.BadZipFile: it is damaged, or encrypted.
    """
    try:
        with file.open(part) as unpacked:
            while chunk := unpacked.read(_CHUNK):
                yield chunk
    except Exception:
        raise zipfile.BadZipFile from None


class _ReadTooLarge(Exception):
    """More is asked for at once than any part of a file of ours needs."""


class _LimitedReads:
    """A file of which only a little is read at once: zipfile takes a directory whole, as long as it says that it is."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.seek = file.seek
        self.tell = file.tell
        self.seekable = file.seekable

    def read(self, size: int = -1) -> bytes:
        if size > _MOST_AT_ONCE:
            raise _ReadTooLarge
        read = self._file.read(_MOST_AT_ONCE + 1 if size < 0 else size)
        if len(read) > _MOST_AT_ONCE:
            raise _ReadTooLarge
        return read


def _refused(code: str, text: Text, limit: Found = None) -> UnreadableFile:
    return UnreadableFile([Violation(code, "", text, () if limit is None else (limit,), limit)])
