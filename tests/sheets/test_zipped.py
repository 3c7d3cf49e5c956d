"""Zip files that would take more memory than they say, or than they are worth."""

import bz2
import struct
from io import BytesIO
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZIP_LZMA, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

import pytest

from app import untrusted_zip
from app.sheets.xlsx.package import Package
from app.validation import UnreadableFile

LIMITS = {"most_parts": 100, "most_unpacked": 10_000_000}


def packed(method: int, **parts: bytes) -> bytes:
    file = BytesIO()
    with ZipFile(file, "w", method) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return file.getvalue()


def forged(content: bytes, method: int, size: int) -> bytes:
    """A zip of one part that says of these bytes that they were packed by a method and become so many."""
    file = BytesIO()
    with ZipFile(file, "w", ZIP_STORED) as archive:
        archive.writestr(ZipInfo("part"), content)
    told = bytearray(file.getvalue())
    listed = told.rfind(b"PK\x01\x02")
    for place, form, value in (
        (8, "<H", method), (22, "<I", size), (listed + 10, "<H", method), (listed + 24, "<I", size)
    ):  # fmt: skip
        struct.pack_into(form, told, place, value)
    return bytes(told)


def refusal(file: bytes) -> list[str]:
    with pytest.raises(UnreadableFile) as refused:
        untrusted_zip.open_zip(BytesIO(file), **LIMITS)
    return [violation.code for violation in refused.value.violations]


def content_of(file: bytes, part: str = "part") -> bytes:
    archive = untrusted_zip.open_zip(BytesIO(file), **LIMITS)
    return b"".join(untrusted_zip.chunks(archive, archive.getinfo(part)))


@pytest.mark.parametrize("method", [ZIP_STORED, ZIP_DEFLATED])
def test_what_zip_files_are_is_read(method: int) -> None:
    assert content_of(packed(method, part=b"x" * 100_000)) == b"x" * 100_000


@pytest.mark.parametrize("method", [ZIP_BZIP2, ZIP_LZMA, 9, 93, 99])
def test_other_methods_are_refused_before_anything_is_unpacked(method: int) -> None:
    assert refusal(forged(bz2.compress(b"x"), method, 1)) == ["file_type"]


def test_a_workbook_of_a_kilobyte_that_holds_gigabytes_is_refused() -> None:
    with pytest.raises(UnreadableFile):
        Package(BytesIO(forged(bz2.compress(b"\0" * 50_000_000), ZIP_BZIP2, 900_000)))


def test_limits_are_those_of_the_directory() -> None:
    assert refusal(packed(ZIP_DEFLATED, part=b" " * 5_000_000)) == ["file_too_large"]
    assert refusal(packed(ZIP_STORED, part=b" " * 10_000_001)) == ["file_too_large"]
    assert refusal(packed(ZIP_STORED, **{str(number): b"" for number in range(101)})) == ["file_too_large"]


@pytest.mark.parametrize("size", [1, 999_999])
def test_a_part_is_as_long_as_it_says(size: int) -> None:
    """Its checksum is that of all its bytes, of which no more are given."""
    with pytest.raises(BadZipFile):
        content_of(forged(b"x" * 1_000_000, ZIP_STORED, size))


class Watched(BytesIO):
    """A file that remembers how much was read of it at once."""

    most = 0

    def read(self, size: int | None = -1) -> bytes:
        read = super().read(size)
        self.most = max(self.most, len(read))
        return read


def test_a_directory_is_not_read_however_long_it_says_it_is() -> None:
    """A million entries of 47 bytes would be as many objects before they could be counted."""
    entry = struct.pack("<4s4B4HL2L5H2L", b"PK\x01\x02", 20, 3, 20, 0, 0, 8, 0, 33, 0, 0, 0, 1, *[0] * 6) + b"a"
    count, start = 100_000, 30
    size = count * len(entry)
    end = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, count, count, size, start)
    end += struct.pack("<4sLQL", b"PK\x06\x07", 0, start + size, 1)
    end += struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 2**16 - 1, 2**16 - 1, 2**32 - 1, 2**32 - 1, 0)
    file = Watched(b"PK\x03\x04".ljust(start, b"\0") + entry * count + end)
    with pytest.raises(UnreadableFile) as refused:
        untrusted_zip.open_zip(file, **LIMITS)
    assert [violation.code for violation in refused.value.violations] == ["file_too_large"]
    assert file.most <= 1_000_000
