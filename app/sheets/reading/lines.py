"""From chunks of bytes, as they arrive, to lines: of bytes for JSON, of text for CSV."""

import codecs
from collections.abc import Iterable, Iterator
from typing import Final

MOST_BYTES: Final = 1_000_000
"""Of a line."""

_UNDECIDED: Final = 65536
"""Bytes that are looked at together to tell UTF-8 from Windows-1251."""


def byte_lines(chunks: Iterable[bytes], most: int = MOST_BYTES) -> Iterator[bytes]:
    """The lines without their ends (LF); a line longer than ``most`` bytes is cut to ``most + 1`` of them.

    Holds no more than one chunk and one such line, however long the file or the line is.
    """
    parts: list[bytes] = []
    held = 0
    for chunk in chunks:
        start = 0
        while (end := chunk.find(b"\n", start)) >= 0:
            if parts:
                parts.append(chunk[start : min(end, start + most + 1 - held)])
                yield b"".join(parts)
                parts, held = [], 0
            else:
                yield chunk[start : min(end, start + most + 1)]
            start = end + 1
        rest = chunk[start : start + most + 1 - held]
        if rest:
            parts.append(rest)
            held += len(rest)
    if parts:
        yield b"".join(parts)


def text_lines(chunks: Iterable[bytes]) -> Iterator[str]:
    """The lines of a text that is UTF-8, Windows-1251 or, with a byte order mark, UTF-16; without their ends.

    Which of the first two it is, the first 64 KB with letters beyond ASCII decide: whatever more of their lines fit.
    What a line has that its encoding has not becomes a lone surrogate, so that one broken line breaks no other.
    """
    encoding: str | None = None
    undecided: list[bytes] = []
    size = 0
    for line in byte_lines(_with_plain_ends(_without_utf_16(chunks))):
        if encoding is None:
            undecided.append(line)
            size += len(line)
            if size >= _UNDECIDED:
                encoding = _encoding_of(undecided)
                yield from _decoded(undecided, encoding)
                undecided, size = [], 0
        else:
            yield line.decode(encoding, "surrogateescape")
    yield from _decoded(undecided, _encoding_of(undecided))


def _decoded(lines: Iterable[bytes], encoding: str | None) -> Iterator[str]:
    for line in lines:
        yield line.decode(encoding or "ascii", "surrogateescape")


def _encoding_of(lines: Iterable[bytes]) -> str | None:
    """None where all is ASCII so far."""
    fit = unfit = 0
    for line in lines:
        if not line.isascii():
            try:
                line.decode()
                fit += 1
            except UnicodeDecodeError:
                unfit += 1
    return None if fit == unfit == 0 else "utf-8" if fit >= unfit else "cp1251"


def _without_utf_16(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The chunks without a byte order mark; UTF-16 as UTF-8."""
    chunks = iter(chunks)
    head = b""
    for chunk in chunks:
        head += chunk
        if len(head) >= len(codecs.BOM_UTF8):
            break
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        decoder = codecs.getincrementaldecoder("utf-16")("replace")
        yield decoder.decode(head).encode("utf-8", "replace")
        for chunk in chunks:
            yield decoder.decode(chunk).encode("utf-8", "replace")
        return
    yield head.removeprefix(codecs.BOM_UTF8)
    yield from chunks


def _with_plain_ends(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Each line end (CR LF or CR) as LF."""
    ended = False
    for chunk in chunks:
        if chunk:
            if ended and chunk[:1] == b"\n":
                chunk = chunk[1:]
                ended = False
            if b"\r" in chunk:
                ended = chunk.endswith(b"\r")
                chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
            elif chunk:
                ended = False
            yield chunk
