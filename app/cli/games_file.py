"""A file of games on this machine, or standard input, in any format."""

import codecs
import io
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from shutil import copyfileobj
from tempfile import SpooledTemporaryFile
from typing import BinaryIO, Final, Literal, TypeAlias, cast

from pydantic import ValidationError

from app.cli.application import VERBATIM, CommandError
from app.scoring.exact_json import MalformedJSON, loads
from app.scoring.game import Game
from app.scoring.rule_system import RuleSystem
from app.scoring.text import words
from app.sheets import ReadGame, day_here, read_csv, read_ndjson, read_xlsx
from app.validation import UnreadableFile, input_violations
from app.web.language import Language

Kind: TypeAlias = Literal["json", "ndjson", "csv", "xlsx"]

_SUFFIXES: Final[Mapping[str, Kind]] = {
    ".json": "json", ".ndjson": "ndjson", ".jsonl": "ndjson", ".csv": "csv", ".xlsx": "xlsx",
}  # fmt: skip
_CHUNK: Final = 65_536
_UNKNOWN: Final = words("{}: имя файла должно кончаться на {}", "{}: expected a file name ending in {}")


@contextmanager
def open_games(name: str, system: RuleSystem, language: Language) -> Iterator[Iterable[ReadGame]]:
    """The games of a file, or of standard input for ``-``; a moment with its zone is a day of this machine's zone.

    Raises:
        CommandError: nothing can be read from it; the reason is said in ``language``.
    """
    try:
        with ExitStack() as stack:
            file, kind = _standard_input(stack) if name == "-" else _file(name, stack)
            yield _read(file, kind, system)
    except UnreadableFile as error:
        where = "standard input" if name == "-" else name
        reasons = "\n  ".join(violation.message(language) for violation in error.violations)
        raise CommandError(VERBATIM, f"{where}: {reasons}") from None


def _file(name: str, stack: ExitStack) -> tuple[BinaryIO, Kind]:
    kind = _SUFFIXES.get(Path(name).suffix.lower())
    if kind is None:
        raise CommandError(_UNKNOWN, name, ", ".join(_SUFFIXES))
    return stack.enter_context(Path(name).open("rb")), kind


def _standard_input(stack: ExitStack) -> tuple[BinaryIO, Kind]:
    given = io.BufferedReader(cast(io.RawIOBase, sys.stdin.buffer), _CHUNK)
    kind = _kind_of(given.peek())
    if kind != "xlsx":
        return given, kind
    # A workbook is read back and forth.
    aside = stack.enter_context(SpooledTemporaryFile(max_size=_CHUNK))  # noqa: SIM115 - it is entered
    copyfileobj(given, aside)
    return cast(BinaryIO, aside), kind


def _kind_of(head: bytes) -> Kind:
    """The kind of a file that begins with ``head``."""
    if head.startswith(b"PK"):
        return "xlsx"
    first, _, more = head.removeprefix(codecs.BOM_UTF8).lstrip().partition(b"\n")
    if not first.startswith((b"{", b"[")):
        return "csv"
    try:
        return "ndjson" if more and isinstance(loads(first), dict) else "json"
    except MalformedJSON:
        return "json"


def _read(file: BinaryIO, kind: Kind, system: RuleSystem) -> Iterable[ReadGame]:
    match kind:
        case "json":
            return _read_json(file.read())
        case "ndjson":
            return read_ndjson(_chunks(file))
        case "csv":
            return read_csv(_chunks(file), system, day_here)
        case "xlsx":
            return read_xlsx(file, system, day_here)


def _read_json(content: bytes) -> Iterator[ReadGame]:
    """One game, a list of games, or a body for ``…/standings``."""
    try:
        value = loads(content)
    except MalformedJSON:
        yield from read_ndjson([content])
        return
    if isinstance(value, dict) and "games" in value:
        value = value["games"]
    for number, body in enumerate(value if isinstance(value, list) else [value], start=1):
        try:
            game = Game.read(body)
        except ValidationError as error:
            yield ReadGame(number, None, input_violations(error))
        else:
            yield ReadGame(number, game, [], game.external_id)


def _chunks(file: BinaryIO) -> Iterator[bytes]:
    while chunk := file.read(_CHUNK):
        yield chunk
