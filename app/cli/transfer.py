"""Files on their way to a service and from it: their formats, and their bytes."""

import os
import re
import stat
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, Literal, NamedTuple, TypeAlias

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

from app.cli.application import CommandError
from app.cli.client import Service
from app.cli.output import file_errors
from app.scoring.text import words

if TYPE_CHECKING:
    from httpx import Response

FileFormat: TypeAlias = Literal["ndjson", "csv", "xlsx", "zip"]

MEDIA_TYPES: Final[Mapping[FileFormat, str]] = {
    "ndjson": "application/x-ndjson",
    "csv": "text/csv",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "zip": "application/zip",
}
_SUFFIXES: Final[Mapping[str, FileFormat]] = {
    ".ndjson": "ndjson",
    ".jsonl": "ndjson",
    ".csv": "csv",
    ".xlsx": "xlsx",
    ".zip": "zip",
}
_CHUNK: Final = 65_536
_SLUG: Final = "[A-Za-z0-9][A-Za-z0-9-]*"

_NO_SEASON: Final = words(
    "укажите КЛУБ/СЕЗОН, например moscow/2025-spring, а не {}",
    "expected CLUB/SEASON, such as moscow/2025-spring, got {}",
)
_JSON: Final = words(
    "{}: JSON с играми — это файл .ndjson, по игре в строке; из массива: jq -c '.[]' {} > games.ndjson. "
    "Одну игру оценивает mafrate score {}",
    "{}: JSON with games is an .ndjson file, one game per line; from an array: jq -c '.[]' {} > games.ndjson. "
    "To score a single game, use mafrate score {}",
)
_UNKNOWN: Final = words(
    "{}: неизвестный тип файла; укажите --format ndjson, csv, xlsx или zip",
    "{}: unknown file type; specify --format ndjson, csv, xlsx or zip",
)


def club_and_season(target: str) -> tuple[str, str | None]:
    """The slugs in ``CLUB/SEASON`` or ``CLUB``.

    Raises:
        CommandError: it is neither.
    """
    found = re.fullmatch(f"({_SLUG})(?:/({_SLUG}))?", target)
    if found is None:
        raise CommandError(_NO_SEASON, target)
    return found[1], found[2]


def slugs_of(target: str) -> tuple[str, str]:
    """The slugs of the season ``CLUB/SEASON``.

    Raises:
        CommandError: it names no season.
    """
    club, season = club_and_season(target)
    if season is None:
        raise CommandError(_NO_SEASON, target)
    return club, season


def season_path(target: str) -> str:
    """The path of the season ``CLUB/SEASON`` in the API.

    Raises:
        CommandError: it names no season.
    """
    club, season = slugs_of(target)
    return f"/v1/clubs/{club}/seasons/{season}"


def format_of(name: str) -> FileFormat:
    """The format of a file by its name.

    Raises:
        CommandError: the name does not say.
    """
    suffix = Path(name).suffix.lower()
    if suffix == ".json":
        raise CommandError(_JSON, name, name, name)
    try:
        return _SUFFIXES[suffix]
    except KeyError:
        raise CommandError(_UNKNOWN, name) from None


@contextmanager
def open_input(name: str) -> Iterator[BinaryIO]:
    """A file, or standard input for ``-``."""
    if name == "-":
        yield sys.stdin.buffer
    else:
        with Path(name).open("rb") as file:
            yield file


class Upload(NamedTuple):
    """What a file is called and holds, and where it is sent."""

    name: str
    format: FileFormat
    path: str
    query: Mapping[str, str | None]
    language: str


@contextmanager
def upload(service: Service, file: BinaryIO, to: Upload, *, media: str) -> Iterator["Response"]:
    """The response of the type ``media`` to a file, with a progress bar on a terminal until it comes."""
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        disable=not sys.stderr.isatty(),
        transient=True,
    ) as progress:
        task = progress.add_task("sending", total=_size(file))

        def chunks() -> Iterator[bytes]:
            while chunk := file.read(_CHUNK):
                yield chunk
                progress.advance(task, len(chunk))
            progress.update(task, description="waiting for the response")

        headers = {"Content-Type": MEDIA_TYPES[to.format], "Accept-Language": to.language}
        about = "file" if to.name == "-" else to.name
        with service.request(
            "POST", to.path, query=to.query, headers=headers, body=chunks(), media=media, about=about
        ) as response:
            progress.stop()
            yield response


def _size(file: BinaryIO) -> int | None:
    """In bytes; None of a pipe or a terminal."""
    with suppress(OSError):
        found = os.fstat(file.fileno())
        return found.st_size if stat.S_ISREG(found.st_mode) else None
    return None


def lines(response: "Response") -> Iterator[bytes]:
    """The lines of the response, without their ends; a last one that has no end is none."""
    rest = b""
    for chunk in response.iter_bytes():
        *whole, rest = (rest + chunk).split(b"\n")
        yield from whole


def save(response: "Response", output: Path) -> int:
    """Write the response to a file, which is replaced only by all of it; its size in bytes."""
    if output.exists() and not output.is_file():  # a device or a pipe: nothing may take its place
        with file_errors(output), output.open("wb") as file:
            return copy(response, file, output)
    output = output.resolve()  # a link stays one
    draft = output.with_name(f".{output.name}.{os.getpid()}")
    try:
        with file_errors(output):
            file = draft.open("xb")
        with file:
            size = copy(response, file, output)
        draft.replace(output)
    finally:
        draft.unlink(missing_ok=True)
    return size


def copy(response: "Response", file: BinaryIO, name: Path | str) -> int:
    """Write the response into an open file; its size in bytes."""
    size = 0
    for chunk in response.iter_bytes():
        with file_errors(name):
            file.write(chunk)
        size += len(chunk)
    with file_errors(name):
        file.flush()
    return size
