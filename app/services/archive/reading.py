"""The zip that an archive is: its manifest and its lines, read within limits, never further than asked."""

import zipfile
from collections.abc import Iterator
from typing import BinaryIO, Final, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from app.repositories.schema import versions
from app.scoring.exact_json import MalformedJSON, loads
from app.scoring.text import Text, words
from app.scoring.violation import Found, Violation
from app.shape import Misshapen, shape_violations

FORMAT: Final = "mafrate season"
MANIFEST: Final = "mafrate.json"

MOST_UNPACKED: Final = 2_000_000_000
"""Bytes, of all parts together."""
MOST_RATIO: Final = 200
"""Unpacked to packed, of what a part has beyond its first megabyte."""
MOST_PARTS: Final = 100
LONGEST_LINE: Final = 16_000_000

_FREE: Final = 1_000_000

_NOT_ONE: Final = words("это не архив сезона", "not an archive of a season")
_DAMAGED: Final = words("архив повреждён", "the archive is damaged")
_PARTS: Final = words("в архиве больше {} частей", "more than {} parts in the archive")
_UNPACKED: Final = words("после распаковки больше {} байт", "more than {} bytes when unpacked")
_RATIO: Final = words("часть архива сжата больше чем в {} раз", "a part is packed to less than 1/{} of its size")
_LINE: Final = words("строка длиннее {} байт", "a line is longer than {} bytes")
_NEWER: Final = words("ожидается версия не новее {}", "expected a version up to {}")


class Manifest(BaseModel):
    """What an archive says of itself."""

    model_config = ConfigDict(strict=True)

    format: Literal["mafrate season"]
    schema_version: str
    season: str
    awards_from: str | None = None
    rows: dict[str, int]


def member(table: str) -> str:
    """What the part is called that has the rows of a table."""
    return f"{table}.ndjson"


def refused(code: str, text: Text, *args: object, pointer: str = "", limit: Found = None) -> Misshapen:
    """The one reason why an archive is not read."""
    return Misshapen([Violation(code, pointer, text, args, limit)])


class Archive:
    """An archive of a season.

    Raises:
        Misshapen: ``file_type``: something else, or of a service that is newer; ``file_too_large``: beyond the limits
            of this module by its own directory, before anything is unpacked; ``file_broken``; or what is wrong in its
            manifest.
    """

    def __init__(self, file: BinaryIO) -> None:
        file.seek(0)
        if not file.read(4).startswith(b"PK"):
            raise refused("file_type", _NOT_ONE)
        try:
            self._zip = zipfile.ZipFile(file)
        except Exception:  # broken bytes make zipfile raise whatever they hit
            raise refused("file_broken", _DAMAGED) from None
        parts = self._zip.infolist()
        if len(parts) > MOST_PARTS:
            raise refused("file_too_large", _PARTS, MOST_PARTS, limit=MOST_PARTS)
        if sum(part.file_size for part in parts) > MOST_UNPACKED:
            raise refused("file_too_large", _UNPACKED, MOST_UNPACKED, limit=MOST_UNPACKED)
        if any(part.file_size > _FREE + MOST_RATIO * part.compress_size for part in parts):
            raise refused("file_too_large", _RATIO, MOST_RATIO, limit=MOST_RATIO)
        self._parts = {part.filename: part for part in parts}
        self.manifest = self._manifest()

    def lines(self, part: str) -> Iterator[bytes]:
        """The lines of a part, whole; none where there is no such part.

        Raises:
            Misshapen: ``file_broken``, ``file_too_large``.
        """
        if part not in self._parts:
            return
        try:
            opened = self._zip.open(self._parts[part])
            while line := opened.readline(LONGEST_LINE + 1):
                if len(line) > LONGEST_LINE:
                    raise refused("file_too_large", _LINE, LONGEST_LINE, pointer=f"/{part}", limit=LONGEST_LINE)
                yield line
        except Misshapen:
            raise
        except Exception:
            raise refused("file_broken", _DAMAGED, pointer=f"/{part}") from None

    def _manifest(self) -> Manifest:
        if MANIFEST not in self._parts or self._parts[MANIFEST].file_size > LONGEST_LINE:
            raise refused("file_type", _NOT_ONE)
        try:
            manifest = Manifest.model_validate(loads(b"".join(self.lines(MANIFEST))))
        except MalformedJSON:
            raise refused("file_broken", _DAMAGED, pointer=f"/{MANIFEST}") from None
        except ValidationError as error:
            raise Misshapen(shape_violations(error, f"/{MANIFEST}")) from None
        known = versions()
        if manifest.schema_version not in known:
            where = f"/{MANIFEST}/schema_version"
            raise refused("file_type", _NEWER, known[-1], pointer=where, limit=known[-1])
        return manifest
