"""Games as NDJSON: a game a line, in the wire's form."""

from collections.abc import Iterable, Iterator
from typing import Final

from pydantic import ValidationError

from app.scoring.exact_json import MalformedJSON, loads
from app.scoring.game import Game
from app.scoring.text import words
from app.scoring.violation import Violation
from app.sheets.reading.lines import MOST_BYTES, byte_lines
from app.sheets.reading.read_game import ReadGame
from app.validation import MOST_VIOLATIONS, input_violations

_MALFORMED: Final = words("ошибка в JSON: {}", "invalid JSON: {}")
_TOO_LONG: Final = words("строка длиннее {} байт", "the line is longer than {} bytes")


def read_ndjson(chunks: Iterable[bytes], model: type[Game] = Game) -> Iterator[ReadGame]:
    """The games of a file as it arrives, one item per line that is not blank; ``model``: what a line may hold.

    A byte order mark and CR LF are fine. A line that is no game spoils no other. Memory: a chunk and a line.
    What ``chunks`` raises comes out, and the line it cut short does not.
    """
    for number, line in enumerate(byte_lines(chunks), start=1):
        if number == 1:
            line = line.removeprefix(b"\xef\xbb\xbf")
        if line and not line.isspace():
            yield _read(number, line, model)


def _read(number: int, line: bytes, model: type[Game]) -> ReadGame:
    if len(line) > MOST_BYTES:
        return ReadGame(number, None, [Violation("too_long", "", _TOO_LONG, (MOST_BYTES,), MOST_BYTES)])
    try:
        value = loads(line)
    except MalformedJSON as error:
        return ReadGame(number, None, [Violation("json", "", _MALFORMED, (error.reason,))])
    try:
        game = model.read(value)
    except ValidationError as error:
        return ReadGame(number, None, input_violations(error)[:MOST_VIOLATIONS], _external_id(value))
    return ReadGame(number, game, [], game.external_id)


def _external_id(value: object) -> str | None:
    """The id of a line that is no game, where it has one that could be."""
    named = value.get("external_id") if isinstance(value, dict) else None
    return named if isinstance(named, str) and 0 < len(named) <= 128 else None
