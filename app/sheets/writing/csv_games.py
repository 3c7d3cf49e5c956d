"""Games as CSV: a row a seat, in the dialect of a language's spreadsheets."""

import codecs
import csv
import io
from collections.abc import Iterable, Iterator
from decimal import Decimal

from app.scoring.game import Game
from app.sheets.vocabulary.columns import COLUMNS
from app.sheets.writing.rows import Cell, Language, rows_of, title


def write_csv(games: Iterable[Game], language: Language = "en") -> Iterator[bytes]:
    """The header, then the rows of each game; UTF-8.

    English: the wire's names, commas, decimal points. Russian: the clubs' words, semicolons, decimal commas and a byte
    order mark, as their spreadsheets want it. Free text cannot start a formula. :func:`read_csv` gives the same games.
    """
    if language == "ru":
        yield codecs.BOM_UTF8
    yield csv_line([title(column, language) for column in COLUMNS], language)
    for row in rows_of(games, language):
        yield csv_line(row, language)


def csv_line(cells: Iterable[Cell], language: Language) -> bytes:
    """One row of a CSV in the language's dialect."""
    line = io.StringIO()
    written = [_number(cell, language) if isinstance(cell, Decimal) else cell for cell in cells]
    csv.writer(line, delimiter=";" if language == "ru" else ",", lineterminator="\r\n").writerow(written)
    return line.getvalue().encode()


def _number(number: Decimal, language: Language) -> str:
    text = f"{number:f}"
    return text.replace(".", ",") if language == "ru" else text
