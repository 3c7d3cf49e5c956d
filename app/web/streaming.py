"""Bodies that are read while they arrive, and answers that are kept aside until they may be sent."""

import asyncio
import errno
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import BinaryIO, Final, cast

import anyio.from_thread
from starlette.requests import ClientDisconnect, Request

from app.repositories.database.errors import DiskFull
from app.web import bodies
from app.web.bodies import BodyTooLarge, BodyTooSlow

IN_MEMORY: Final = 1_000_000
"""Bytes of what is kept aside that stay out of the disk."""

CHUNK: Final = 65_536

_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})


class BodyStream:
    """The body of a request, for a thread to read: chunk by chunk, no further ahead than the connection's buffer.

    Args:
        request: whose body it is.
        limit: in bytes; None: any length.
    """

    def __init__(self, request: Request, limit: int | None = None) -> None:
        self._request = request
        self._limit = limit
        self.received = 0
        """Bytes so far."""

    def __iter__(self) -> Iterator[bytes]:
        """The chunks, as they come.

        Raises:
            ClientDisconnect: the client has gone before the end.
            BodyTooLarge: beyond the limit.
            BodyTooSlow: nothing came for :data:`app.web.bodies.BODY_SECONDS`.
        """
        more = True
        while more:
            chunk, more = anyio.from_thread.run(self._next)
            self.received += len(chunk)
            if self._limit is not None and self.received > self._limit:
                raise BodyTooLarge(self._limit)
            yield chunk

    async def _next(self) -> tuple[bytes, bool]:
        try:
            async with asyncio.timeout(bodies.BODY_SECONDS):
                message = await self._request.receive()
        except TimeoutError:
            raise BodyTooSlow(bodies.BODY_SECONDS) from None
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        return message.get("body", b""), message.get("more_body", False)


def spooled() -> BinaryIO:
    """A file for bytes to be kept aside in: in memory while they are few, on disk with nobody's name on it after."""
    return cast(BinaryIO, tempfile.SpooledTemporaryFile(max_size=IN_MEMORY))


def spool(write: Callable[[BinaryIO], None]) -> BinaryIO:
    """What ``write`` writes, kept aside to be sent (:func:`sent`)."""
    file = spooled()
    try:
        write(file)
    except BaseException:
        file.close()
        raise
    return file


@contextmanager
def whole(body: BodyStream) -> Iterator[BinaryIO]:
    """The body as a file, once all of it has come.

    Raises:
        ClientDisconnect, BodyTooLarge, BodyTooSlow: see :class:`BodyStream`.
    """
    with spooled() as file:
        file.writelines(body)
        yield file


@contextmanager
def with_room() -> Iterator[None]:
    """For what keeps things aside: a disk that is full passes, and nothing of the request is wrong.

    Raises:
        DiskFull: there is no room for them.
    """
    try:
        yield
    except Exception as error:
        if _is_of_full_disk(error):
            raise DiskFull("no room to keep things aside") from error
        raise


def _is_of_full_disk(error: BaseException | None) -> bool:
    """Whether that is what it comes from: who writes a file may tell it in words of his own."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in _FULL:
            return True
        error = error.__context__
    return False


def sent(file: BinaryIO) -> Iterator[bytes]:
    """The file from its beginning; closed after it, or when nobody takes the rest."""
    with file:
        yield from chunks_of(file)


def chunks_of(file: BinaryIO) -> Iterator[bytes]:
    """The file from its beginning."""
    file.seek(0)
    while chunk := file.read(CHUNK):
        yield chunk
