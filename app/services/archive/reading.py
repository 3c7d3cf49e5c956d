"""Read the zip file of an archive: its manifest and its lines, within limits and on demand."""

from collections.abc import Iterator
from typing import Annotated, BinaryIO, Final, Literal, TypeAlias
from zipfile import BadZipFile

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from app import untrusted_zip
from app.patterns import SLUG
from app.repositories.schema import versions
from app.scoring.exact_json import MalformedJSON, loads
from app.scoring.text import Text, words
from app.scoring.violation import Found, Violation
from app.sheets.reading.lines import byte_lines
from app.validation import InvalidInput, UnreadableFile, input_violations

FORMAT: Final = "mafrate season"
MANIFEST: Final = "mafrate.json"

MOST_UNPACKED: Final = 1_000_000_000
"""Bytes, of all parts together: some 200,000 games."""
MOST_PARTS: Final = 100
LONGEST_LINE: Final = 2_000_000
LONGEST_TABLES: Final = 16_000_000
"""Of the line that has a closed season's tables."""
LONGEST_MANIFEST: Final = 100_000

_NOT_ONE: Final = words("это не архив сезона", "not a season archive")
_DAMAGED: Final = words("архив повреждён", "the archive is damaged")
_LINE: Final = words("строка длиннее {} байт", "a line is longer than {} bytes")
_NEWER: Final = words("архив сделан более новым сервисом; здесь читаются версии до {}", "expected a version up to {}")

_Slug: TypeAlias = Annotated[str, StringConstraints(pattern=SLUG)]


class Manifest(BaseModel):
    """What an archive says of itself."""

    model_config = ConfigDict(strict=True)

    format: Literal["mafrate season"]
    schema_version: str
    season: _Slug
    awards_from: _Slug | None = None
    rows: dict[str, int]


def member(table: str) -> str:
    """What the part is called that has the rows of a table."""
    return f"{table}.ndjson"


def refused(code: str, text: Text, *args: object, pointer: str = "", limit: Found = None) -> InvalidInput:
    """The one reason why an archive is not read."""
    return InvalidInput([Violation(code, pointer, text, args, limit)])


class Archive:
    """An archive of a season.

    Raises:
        InvalidInput: ``file_type``: something else, or of a service that is newer; ``file_too_large``: beyond the
            limits of this module by its own directory, before anything is unpacked; ``file_broken``; or what is wrong
            in its manifest.
    """

    def __init__(self, file: BinaryIO) -> None:
        file.seek(0)
        if not file.read(4).startswith(b"PK"):
            raise refused("file_type", _NOT_ONE)
        try:
            self._zip = untrusted_zip.open_zip(file, most_parts=MOST_PARTS, most_unpacked=MOST_UNPACKED)
        except BadZipFile:
            raise refused("file_broken", _DAMAGED) from None
        except UnreadableFile as error:
            raise InvalidInput(error.violations) from None
        self._parts = {part.filename: part for part in self._zip.infolist()}
        self.manifest = self._manifest()

    def lines(self, part: str) -> Iterator[bytes]:
        """The lines of a part, whole; none where there is no such part.

        Raises:
            InvalidInput: ``file_broken``, ``file_too_large``.
        """
        if part not in self._parts:
            return
        longest = LONGEST_TABLES if part == member("frozen_seasons") else LONGEST_LINE
        try:
            for line in byte_lines(untrusted_zip.chunks(self._zip, self._parts[part]), longest):
                if len(line) > longest:
                    raise refused("file_too_large", _LINE, longest, pointer=f"/{part}", limit=longest)
                yield line
        except BadZipFile:
            raise refused("file_broken", _DAMAGED, pointer=f"/{part}") from None

    def _manifest(self) -> Manifest:
        if MANIFEST not in self._parts or self._parts[MANIFEST].file_size > LONGEST_MANIFEST:
            raise refused("file_type", _NOT_ONE)
        try:
            manifest = Manifest.model_validate(loads(b"\n".join(self.lines(MANIFEST))))
        except MalformedJSON:
            raise refused("file_broken", _DAMAGED, pointer=f"/{MANIFEST}") from None
        except ValidationError as error:
            raise InvalidInput(input_violations(error, f"/{MANIFEST}")) from None
        known = versions()
        if manifest.schema_version not in known:
            where = f"/{MANIFEST}/schema_version"
            raise refused("file_type", _NEWER, known[-1], pointer=where, limit=known[-1])
        return manifest
