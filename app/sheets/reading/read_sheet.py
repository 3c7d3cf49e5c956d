"""The games below a header; below a faulty one, what else is wrong with the sheet."""

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Final

from app.scoring.violation import Violation
from app.sheets.reading.header import Header, Row
from app.sheets.reading.read_game import ReadGame
from app.sheets.reading.split_games import split_games
from app.sheets.vocabulary.columns import Context
from app.validation import UnreadableFile

_MOST_TOLD: Final = 100
_MOST_GAMES: Final = 1_000
"""Limits of what is told beside a faulty header: violations, and games that are looked at for them."""

_OF_ONE_CELL: Final = frozenset({"value", "missing"})


def read_sheet(header: Header, rows: Iterable[Row], context: Context) -> Iterator[ReadGame]:
    """The games of the rows below the header.

    Raises:
        UnreadableFile: the header is faulty; with what is wrong below it, as far as that can be told.
    """
    if header.faults:
        raise UnreadableFile([*header.faults, *islice(_faults_below(header, rows, context), _MOST_TOLD)])
    yield from split_games(rows, header, context)


def _faults_below(header: Header, rows: Iterable[Row], context: Context) -> Iterator[Violation]:
    if header.keys:
        games = split_games(rows, header, context)
    else:
        games = chain.from_iterable(split_games([row], header, context) for row in rows)
    for game in islice(games, _MOST_GAMES):
        if header.lacks:
            yield from (fault for fault in game.violations if fault.code in _OF_ONE_CELL)
        else:
            yield from game.faults(context.system.check if context.system else lambda _: ())
