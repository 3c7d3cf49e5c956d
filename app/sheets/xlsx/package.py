"""The zip archive and the XML that an XLSX file is made of, read within limits.

Why not with a library: those that read XLSX fast hold a sheet as a full matrix and repeat shared strings in it, so that
half a megabyte of file can ask for gigabytes. Here a part is parsed as it is unpacked.
"""

from collections.abc import Iterator, Mapping
from typing import BinaryIO, Final, Protocol
from xml.parsers import expat
from zipfile import BadZipFile, ZipInfo

from app import untrusted_zip
from app.scoring.text import Text, words
from app.scoring.violation import Found, Violation
from app.validation import UnreadableFile

MOST_ENTRIES: Final = 2_000
MOST_UNPACKED: Final = 128_000_000
"""Bytes, of all parts of the file together."""

_DEEPEST: Final = 64
_CHUNK: Final = 1 << 16
_QUIET: Final = 16
"""Chunks that may pass without a tag."""

_NOT_XLSX: Final = words("это не книга XLSX; сохраните файл как .xlsx", "not an XLSX workbook; save the file as .xlsx")
_OLD: Final = words("это книга старого формата .xls; сохраните её как .xlsx", "old .xls format; save it as .xlsx")
_ENCRYPTED: Final = words("книга защищена паролем; сохраните её без пароля", "encrypted; save it without a password")
_OTHER: Final = words("это файл .xlsb или .ods; сохраните его как .xlsx", "an .xlsb or .ods workbook; save it as .xlsx")
_MACROS: Final = words(
    "в книге макросы; сохраните её как .xlsx без них", "contains macros; save it as .xlsx without macros"
)
_LINKS: Final = words(
    "книга ссылается на другие книги; замените ссылки значениями",
    "contains links to other workbooks; replace them with values",
)
_BROKEN: Final = words("книга повреждена", "the workbook is damaged")
_DEEP: Final = words("книга повреждена: вложенность XML больше {}", "XML nested deeper than {}")

_OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_PACKAGE: Final = "EncryptedPackage".encode("utf-16-le")


class Handler(Protocol):
    """What is told of the elements of a part, by their names without prefix."""

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """An element begins."""

    def end(self, name: str) -> None:
        """An element ends."""

    def text(self, data: str) -> None:
        """Text, perhaps only a piece of it."""


def rejection(code: str, text: Text, *args: object, limit: Found = None) -> UnreadableFile:
    """The error of a workbook that is not read."""
    return UnreadableFile([Violation(code, "", text, args, limit)])


def damaged() -> UnreadableFile:
    """The error of a workbook that cannot be understood."""
    return rejection("file_broken", _BROKEN)


class Package:
    """The parts of an XLSX file.

    Raises:
        UnreadableFile: ``file_type``: another kind of file, encrypted, with macros or with links to other workbooks;
            ``file_too_large``: beyond the limits of this module by its own directory, before anything is unpacked;
            ``file_broken``.
    """

    def __init__(self, file: BinaryIO) -> None:
        file.seek(0)
        head = file.read(_CHUNK)
        if head.startswith(_OLE):
            raise rejection("file_type", _ENCRYPTED if _ENCRYPTED_PACKAGE in head else _OLD)
        if not head.startswith(b"PK"):
            raise rejection("file_type", _NOT_XLSX)
        try:
            self._zip = untrusted_zip.open_zip(file, most_parts=MOST_ENTRIES, most_unpacked=MOST_UNPACKED)
        except BadZipFile:
            raise damaged() from None
        entries = self._zip.infolist()
        self._entries = {entry.filename.replace("\\", "/").lstrip("/").lower(): entry for entry in entries}
        _refuse_other_kinds(self._entries)

    def __contains__(self, part: str) -> bool:
        return part.lower() in self._entries

    def parse(self, part: str, handler: Handler) -> Iterator[None]:
        """Tell ``handler`` of everything in a part; yields after each chunk of it.

        Raises:
            UnreadableFile: no such part, not well-formed, nested too deeply, with a document type.
        """
        entry = self._entries.get(part.lower())
        if entry is None:
            raise damaged()
        parser = expat.ParserCreate("utf-8")  # whatever else the part says of itself, expat may fail to look up
        parser.buffer_text = True
        watch = _Watch(handler)
        parser.StartElementHandler = watch.start
        parser.EndElementHandler = watch.end
        parser.CharacterDataHandler = handler.text
        parser.StartDoctypeDeclHandler = watch.doctype
        try:
            for chunk in untrusted_zip.chunks(self._zip, entry):
                parser.Parse(chunk, False)
                watch.chunk()
                yield
            parser.Parse(b"", True)
        except (BadZipFile, expat.ExpatError):
            raise damaged() from None
        yield


class _Watch:
    """Stops a part that would cost too much before it is whole."""

    def __init__(self, handler: Handler) -> None:
        self._handler = handler
        self._depth = 0
        self._quiet = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        self._quiet = 0
        if self._depth > _DEEPEST:
            raise rejection("file_broken", _DEEP, _DEEPEST, limit=_DEEPEST)
        self._handler.start(name.rpartition(":")[2] if ":" in name else name, attributes)

    def end(self, name: str) -> None:
        self._depth -= 1
        self._handler.end(name.rpartition(":")[2] if ":" in name else name)

    def doctype(self, *_declaration: object) -> None:
        raise damaged()

    def chunk(self) -> None:
        # A tag without end would be scanned anew with every chunk.
        self._quiet += 1
        if self._quiet > _QUIET:
            raise damaged()


def _refuse_other_kinds(entries: Mapping[str, ZipInfo]) -> None:
    if "[content_types].xml" not in entries:
        raise rejection("file_type", _OTHER if "mimetype" in entries else _NOT_XLSX)
    if any(name.endswith("vbaproject.bin") or "/macrosheets/" in name for name in entries):
        raise rejection("file_type", _MACROS)
    if "xl/workbook.bin" in entries:
        raise rejection("file_type", _OTHER)
    if "xl/workbook.xml" not in entries:
        raise rejection("file_type", _NOT_XLSX)
    if any(name.startswith("xl/externallinks/") for name in entries):
        raise rejection("file_type", _LINKS)
    if any(entry.flag_bits & 1 for entry in entries.values()):
        raise rejection("file_type", _ENCRYPTED)
