"""From games to the rows of a sheet: every fact has a column, and reading the rows gives the same facts."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from decimal import Decimal
from functools import cache
from typing import Final, Literal, NamedTuple, TypeAlias

from app.scoring.game import Game, NightAction, Seat
from app.sheets.vocabulary import cells
from app.sheets.vocabulary.cells import FORMULA_STARTS, RESERVED
from app.sheets.vocabulary.columns import CARRIED, COLUMNS, FREE_TEXT, Column
from app.sheets.vocabulary.words import OUTCOMES, STAGES, UnreadableCell, Vocabulary, vocabulary

Language: TypeAlias = Literal["ru", "en"]
Cell: TypeAlias = str | int | Decimal | date | None

_NONE: Final = "–"
"""What says that there is nothing, where a blank cell would say what the game above says."""
_OTHER_CELL: Final = r"(?<=[;,\t\n\r])(\s*)([=+\-@＝＋－＠])"
"""Where a program that splits cells elsewhere would see the start of a formula."""
_DELICATE: Final = re.compile(rf"[\x00-\x09\x0b-\x1f\x7f-\x9f\ufffe\uffff]|{_OTHER_CELL}")


def neutral(text: str, *, formulas: bool = True) -> str:
    """Free text as a cell that no spreadsheet takes for a formula and that no file format changes.

    An apostrophe before ``=``, ``+``, ``-``, ``@`` and the like (only where ``formulas``), a JSON string after an
    apostrophe where spaces around, control characters or the start of a formula inside would be at risk.
    :func:`app.sheets.vocabulary.cells.text_of` undoes it.
    """
    if not text or text != text.strip() or _DELICATE.search(text):
        return f"'{_json(text)}"
    if text[0] == "'" or text in RESERVED or (formulas and text[0] in FORMULA_STARTS):
        return f"'{text}"
    return text


def _json(value: object) -> str:
    return _DELICATE.sub(_escaped, json.dumps(value, ensure_ascii=False))


def _escaped(found: re.Match[str]) -> str:
    spaces, start = found.group(1, 2)
    return f"{spaces}\\u{ord(start):04x}" if start else f"\\u{ord(found[0]):04x}"


def title(column: Column, language: Language) -> str:
    """The name of a column: the wire's in English, the clubs' in Russian."""
    return column.russian if language == "ru" else column.field


def rows_of(games: Iterable[Game], language: Language = "en", *, formulas: bool = True) -> Iterator[list[Cell]]:
    """A row a seat, its cells in the order of :data:`COLUMNS`; None is a blank cell.

    Where a blank cell would be read as what the games above say, a dash says that there is none.
    """
    spelled = _RowWriter(language)
    carried: set[str] = set()
    for number, game in enumerate(games, start=1):
        for row in spelled.rows(game):
            row["game"] = number
            for field in CARRIED:
                if row[field] is not None:
                    carried.add(field)
                elif field in carried:
                    row[field] = _NONE
            yield [
                neutral(value, formulas=formulas) if isinstance(value, str) and field in FREE_TEXT else value
                for field, value in ((column.field, row.get(column.field)) for column in COLUMNS)
            ]


class FlagWords(NamedTuple):
    """The words of one language that flags and marks are written with."""

    yes: str
    no: str
    no_effect: str
    nobody: str


def flag_words(language: Language) -> FlagWords:
    """The words of ``language`` for flags and marks."""
    return (
        FlagWords("да", "нет", "не повлияло", "никто")
        if language == "ru"
        else FlagWords("yes", "no", "no_effect", "nobody")
    )


class _RowWriter:
    """Writes games as rows in the words of one language."""

    def __init__(self, language: Language) -> None:
        self._russian = language == "ru"
        self._known: Vocabulary = vocabulary()
        self._said = flag_words(language)
        self._role = cache(self._written_role)
        self._penalty = cache(self._written_penalty)

    def rows(self, game: Game) -> list[dict[str, Cell]]:
        """The rows of a game; one without seats has a row of its own."""
        of_game: dict[str, Cell] = {
            "external_id": game.external_id,
            "played_on": game.played_on,
            "table": game.table,
            "number": game.number,
            "judge": game.judge,
            "stage": game.stage and self._choice(STAGES.russian, game.stage),
            "outcome": game.outcome and self._choice(OUTCOMES.russian, game.outcome),
            "rated": None if game.rated else self._said.no,
            "cancelled": self._said.yes if game.cancelled else None,
        }
        rows = [of_game | self._seat(seat) for seat in game.seats] or [of_game]
        at = {seat.seat: index for index, seat in reversed([*enumerate(game.seats)])}
        if game.first_kill is not None:
            seat, move = game.first_kill.seat, game.first_kill.best_move
            if seat is not None:
                self._mark(rows, at, "first_kill", (seat,))
            if move:
                rows[0 if seat is None else at.get(seat, 0)]["best_move"] = _seats(move)
        self._mark(rows, at, "ppk", game.ppk)
        if game.draw_makers is not None:
            self._mark(rows, at, "draw_makers", game.draw_makers)
            if not game.draw_makers:
                rows[0]["draw_makers"] = self._said.nobody
        if game.night_actions:
            rows[0]["night_actions"] = " ".join(map(_act, game.night_actions))
        return rows

    def _mark(self, rows: list[dict[str, Cell]], at: Mapping[int, int], field: str, seats: tuple[int, ...]) -> None:
        """Marks in the rows of the seats, where reading them from top to bottom gives the same seats; else a list."""
        if tuple(sorted(at.keys() & set(seats), key=at.__getitem__)) == seats:
            for seat in seats:
                rows[at[seat]][field] = self._said.yes
        else:
            rows[0][field] = json.dumps(seats)

    def _seat(self, seat: Seat) -> dict[str, Cell]:
        removed, registered = seat.removed, seat.registered
        return {
            "seat": seat.seat,
            "player": seat.player,
            "role": self._role(seat.role),
            "bonus": seat.bonus,
            "bonus_note": seat.bonus_note,
            "penalties": self._penalties(seat.penalties),
            "removed": None if removed is None else self._said.yes if removed.affected_team else self._said.no_effect,
            "fouls": seat.fouls,
            "days_lived": seat.days_lived,
            "registered": None if registered is None else self._said.yes if registered else self._said.no,
        }

    def _choice(self, russian: Mapping[str, str], code: str) -> str:
        return russian[code] if self._russian else code

    def _penalties(self, codes: tuple[str, ...]) -> str | None:
        if not codes:
            return None
        text = "; ".join(map(self._penalty, codes))
        known = self._known.penalties
        return _or_json(text, list(codes), lambda text: cells.reasons(text, known))

    def _written_penalty(self, code: str) -> str:
        return self._known.penalties.russian.get(code, code) if self._russian else code

    def _written_role(self, code: str) -> str:
        known = self._known.roles
        text = known.russian.get(code, code) if self._russian else code
        return _or_json(text, code, lambda text: cells.word(text, known))


def _or_json(text: str, value: object, read: Callable[[str], object]) -> str:
    """``text`` where it reads as ``value``, else that as JSON."""
    try:
        if read(text) == value:
            return text
    except UnreadableCell:
        pass
    return _json(value)


def _seats(numbers: tuple[int, ...]) -> str:
    text = " ".join(map(str, numbers))
    try:
        return text if cells.seats(text) == [*numbers] else json.dumps(numbers)
    except UnreadableCell:
        return json.dumps(numbers)


def _act(action: NightAction) -> str:
    saved, survived = "+" if action.saved else "", "" if action.died else "-"
    return f"{action.night}:{action.seat}>{action.target}{saved}{survived}"
