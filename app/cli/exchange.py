"""Files on their way to a service and from it: what they are, and their bytes."""

import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from http.client import HTTPResponse
from pathlib import Path
from typing import BinaryIO, Final, Literal, TypeAlias

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

from app.cli.client import BrokeOff, Service
from app.cli.root import CannotDo, named

Form: TypeAlias = Literal["ndjson", "csv", "xlsx", "zip"]

MEDIA: Final[dict[Form, str]] = {
    "ndjson": "application/x-ndjson",
    "csv": "text/csv",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "zip": "application/zip",
}
_SUFFIXES: Final[dict[str, Form]] = {
    ".ndjson": "ndjson",
    ".jsonl": "ndjson",
    ".csv": "csv",
    ".xlsx": "xlsx",
    ".zip": "zip",
}
_CHUNK: Final = 65_536
_SLUG: Final = "[A-Za-z0-9][A-Za-z0-9-]*"


def club_and_season(named: str) -> tuple[str, str | None]:
    """The slugs that ``CLUB/SEASON`` or ``CLUB`` names.

    Raises:
        CannotDo: it names neither.
    """
    found = re.fullmatch(f"({_SLUG})(?:/({_SLUG}))?", named)
    if found is None:
        raise CannotDo(f"expected CLUB/SEASON, such as moscow/2025-spring, got {named}")
    return found[1], found[2]


def season_path(named: str) -> str:
    """Where the season is that ``CLUB/SEASON`` names.

    Raises:
        CannotDo: it names none.
    """
    club, season = club_and_season(named)
    if season is None:
        raise CannotDo(f"expected CLUB/SEASON, such as moscow/2025-spring, got {named}")
    return f"/v1/clubs/{club}/seasons/{season}"


def form_of(name: str) -> Form:
    """What a file is by its name.

    Raises:
        CannotDo: the name does not say.
    """
    try:
        return _SUFFIXES[Path(name).suffix.lower()]
    except KeyError:
        raise CannotDo(f"{name}: say what it is with --format ndjson, csv, xlsx or zip") from None


def language_of(asked: str | None) -> str:
    """The language of messages: as asked, else as the environment says."""
    return asked or ("ru" if os.environ.get("LANG", "").startswith("ru") else "en")


@contextmanager
def sent(
    service: Service, path: str, file: BinaryIO, headers: dict[str, str], name: str, *, media: str
) -> Iterator[HTTPResponse]:
    """The answer to a file that was sent, with a progress bar on a terminal until it comes."""
    with (
        ExitStack() as stack,
        Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            DownloadColumn(),
            TransferSpeedColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            disable=not sys.stderr.isatty(),
            transient=True,
        ) as progress,
    ):
        task = progress.add_task("sending", total=_size(file))

        def chunks() -> Iterator[bytes]:
            while chunk := file.read(_CHUNK):
                yield chunk
                progress.advance(task, len(chunk))
            progress.update(task, description="waiting for the answer")

        asked = service.ask("POST", path, chunks(), headers, media=media, about=name)
        response = stack.enter_context(asked)
        progress.stop()
        yield response


def _size(file: BinaryIO) -> int | None:
    """In bytes; None of a pipe or a terminal."""
    with suppress(OSError):
        found = os.fstat(file.fileno())
        return found.st_size if stat.S_ISREG(found.st_mode) else None
    return None


def keep(response: HTTPResponse, output: Path) -> int:
    """Write the answer to a file that has it all or is not touched; its size in bytes."""
    if output.exists() and not output.is_file():  # a device or a pipe: nothing may take its place
        with named(output), output.open("wb") as file:
            return copy(response, file, output)
    output = output.resolve()  # a link stays one
    draft = output.with_name(f".{output.name}.{os.getpid()}")
    try:
        with named(output):
            file = draft.open("xb")
        with file:
            size = copy(response, file, output)
        draft.replace(output)
    finally:
        draft.unlink(missing_ok=True)
    return size


def copy(response: HTTPResponse, file: BinaryIO, name: Path | str) -> int:
    """Write the answer into an open file; its size in bytes."""
    size = 0
    while chunk := response.read(_CHUNK):
        with named(name):
            file.write(chunk)
        size += len(chunk)
    with named(name):
        file.flush()
    if size != int(response.headers.get("Content-Length", size)):
        raise BrokeOff("The answer broke off; ask again.")
    return size
