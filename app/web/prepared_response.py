"""Answers that were made before: bytes and headers only have to be sent."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from starlette.background import BackgroundTask
from starlette.responses import Response

from app.web.header_values import REMEMBERED, entity_tags, weights

Headers: TypeAlias = tuple[tuple[bytes, bytes], ...]

_GZIP: Final = "-gzip"


class Media(NamedTuple):
    """A form that answers have."""

    name: str
    type: str
    extension: str | None = None
    """Of the file that it is saved as; None: it is shown."""
    compressed: bool = True
    """Whether gzip makes it smaller."""


class Readers(NamedTuple):
    """Who gets the same answer."""

    private: bool
    """It is for whoever asked; no cache that others share keeps it."""
    by_key: bool
    """Whoever brings another key, or none, gets another one."""


JSON: Final = Media("json", "application/json")
NDJSON: Final = Media("ndjson", "application/x-ndjson", "ndjson")
CSV: Final = Media("csv", "text/csv; charset=utf-8", "csv")
XLSX: Final = Media(
    "xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx", compressed=False
)


class PreparedResponse(Response):
    """A response whose headers were written before, without asking again what they should be."""

    def __init__(self, status: int, body: bytes, headers: Sequence[tuple[bytes, bytes]]) -> None:
        self.status_code = status
        self.body = body
        self.background: BackgroundTask | None = None
        self.raw_headers = [*headers]
        if status != 304:
            self.raw_headers.append((b"content-length", b"%d" % len(body)))


@lru_cache(maxsize=4096)
def validators(tag: str, media: Media, language: str | None, *, readers: Readers, gzipped: bool) -> Headers:
    """What says for how long and for whom an answer holds; a 304 has it too.

    Each coding has a strong ETag of its own (RFC 9110, 8.8.3.3). Whoever has the answer asks again before each use.
    """
    varies = [
        *([] if language is None else ["Accept-Language"]),
        *(["Accept-Encoding"] if media.compressed else []),
        *(["Authorization"] if readers.by_key else []),
    ]
    return (
        (b"etag", f'"{tag}{_GZIP if gzipped else ""}"'.encode()),
        (b"cache-control", b"private, no-cache" if readers.private else b"no-cache"),
        (b"vary", ", ".join(varies).encode()),
    )


@lru_cache(maxsize=4096)
def described(media: Media, language: str | None, name: str, *, gzipped: bool) -> Headers:
    """What says how an answer is written; ``name``: of the file without its extension, where it is saved as one."""
    headers = [(b"content-type", media.type.encode()), (b"x-content-type-options", b"nosniff")]
    if language is not None:
        headers.append((b"content-language", language.encode()))
    if gzipped:
        headers.append((b"content-encoding", b"gzip"))
    if media.extension is not None:
        file = f'attachment; filename="{name}.{media.extension}"'
        headers.append((b"content-disposition", file.encode()))
    return tuple(headers)


def names(if_none_match: str, tag: str) -> bool:
    """Whether ``If-None-Match`` names the answer with this tag, in either coding (RFC 9110, 13.1.2)."""
    return tag in _tags(if_none_match)


@lru_cache(maxsize=REMEMBERED)
def _tags(if_none_match: str) -> frozenset[str]:
    return frozenset(tag.removesuffix(_GZIP) for tag in entity_tags(if_none_match))


@lru_cache(maxsize=REMEMBERED)
def takes_gzip(accept_encoding: str) -> bool:
    """Whether ``Accept-Encoding`` allows gzip (RFC 9110, 12.5.3)."""
    accepted = weights(accept_encoding)
    return accepted.get("gzip", accepted.get("*", 0.0)) > 0
