"""Empty sheets to fill in, for one regulation; filled ones import."""

import codecs
import io
from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Any, Final

import xlsxwriter
from xlsxwriter.utility import xl_range_abs

from app.scoring.rule_system import RuleSystem
from app.scoring.rules.penalties import ConductPenalties
from app.scoring.terms import Format
from app.sheets.vocabulary.columns import COLUMNS, Column
from app.sheets.vocabulary.words import OUTCOMES, STAGES, Words, vocabulary
from app.sheets.writing.csv_games import csv_line
from app.sheets.writing.layout import CREATED_AT, Formats, lay_out
from app.sheets.writing.rows import Language, flag_words, title

_GAMES: Final = 20
"""Games that the template has numbered rows for."""
_ROWS: Final = 5_000
"""Rows with lists to choose from."""

_ONLY_WHERE_READ: Final = frozenset({"bonus", "penalties", "ppk", "days_lived", "registered", "draw_makers"}) | {
    "night_actions",
    "first_kill",
}
_NEEDS: Final = {"bonus_note": "bonus", "best_move": "first_kill"}


def csv_template(system: RuleSystem, language: Language = "en", format: Format = "season") -> bytes:
    """The header and the numbered seats of one game, in the dialect of :func:`~app.sheets.write_csv`."""
    columns = _columns(system, format)
    lines = [csv_line([title(column, language) for column in columns], language)]
    for seat in range(1, system.table.most + 1):
        numbered: Mapping[str, int] = {"game": 1, "seat": seat}
        lines.append(csv_line([numbered.get(column.field) for column in columns], language))
    return (codecs.BOM_UTF8 if language == "ru" else b"") + b"".join(lines)


def xlsx_template(system: RuleSystem, language: Language = "en", format: Format = "season") -> bytes:
    """A workbook with numbered games and seats, drop-down lists of the regulation's words, and a page of help."""
    columns = _columns(system, format)
    file = io.BytesIO()
    book = xlsxwriter.Workbook(file)
    with closing(book):
        book.set_properties({"created": CREATED_AT})
        formats = Formats(book)
        sheet = book.add_worksheet("Игры" if language == "ru" else "games")
        lay_out(sheet, formats, language, columns)
        _number(sheet, formats, system, columns)
        _offer(book, sheet, _lists(system, language), columns)
        _explain(book.add_worksheet("Справка" if language == "ru" else "help"), formats, language, columns)
    return file.getvalue()


def _columns(system: RuleSystem, format: Format) -> list[Column]:
    def belongs(field: str) -> bool:
        field = _NEEDS.get(field, field)
        return field in system.reads or field not in _ONLY_WHERE_READ

    left_out = {"external_id", *([] if format == "tournament" else ["stage"])}
    return [column for column in COLUMNS if belongs(column.field) and column.field not in left_out]


def _number(sheet: Any, formats: Formats, system: RuleSystem, columns: Sequence[Column]) -> None:
    at = {column.field: index for index, column in enumerate(columns)}
    seats = system.table.most
    for game in range(_GAMES):
        for seat in range(seats):
            row = 1 + game * seats + seat
            line = formats.last if seat == seats - 1 else None
            sheet.set_row(row, None, line)
            sheet.write_number(row, at["game"], game + 1, line)
            sheet.write_number(row, at["seat"], seat + 1, line)


def _lists(system: RuleSystem, language: Language) -> dict[str, list[str]]:
    """What each column may be chosen from."""
    known = vocabulary(system)
    said = flag_words(language)

    def spelled(codes: Sequence[str], words: Words) -> list[str]:
        return [words.russian[code] if language == "ru" else code for code in codes]

    penalties = [act.code for _, rule in system.game_rules if isinstance(rule, ConductPenalties) for act in rule.acts]
    return {
        "outcome": spelled(system.table.outcomes, OUTCOMES),
        "stage": spelled(list(STAGES.russian), STAGES),
        "role": spelled(list(system.table.roles), known.roles),
        "penalties": spelled(penalties, known.penalties),
        "removed": [said.yes, said.no_effect],
        "rated": [said.yes, said.no],
        "cancelled": [said.yes, said.no],
        "registered": [said.yes, said.no],
        "first_kill": [said.yes],
        "ppk": [said.yes],
        "draw_makers": [said.yes, said.nobody],
    }


def _offer(book: Any, sheet: Any, lists: Mapping[str, Sequence[str]], columns: Sequence[Column]) -> None:
    """Drop-down lists, kept on a hidden sheet: lists within a validation have at most 255 characters."""
    kept = book.add_worksheet("lists")
    kept.hide()
    for at, column in enumerate(columns):
        choices = lists.get(column.field)
        if choices:
            kept.write_column(0, at, choices)
            source = f"=lists!{xl_range_abs(0, at, len(choices) - 1, at)}"
            # Several reasons go into one cell, so others than the listed ones may be typed there.
            validation = {"validate": "list", "source": source, "show_error": column.field != "penalties"}
            sheet.data_validation(1, at, _ROWS, at, validation)


def _explain(sheet: Any, formats: Formats, language: Language, columns: Sequence[Column]) -> None:
    sheet.set_column(0, 0, 18)
    sheet.set_column(1, 1, 90)
    for row, column in enumerate(columns):
        sheet.write_string(row, 0, title(column, language), formats.title)
        sheet.write_string(row, 1, column.hint.say(language), formats.wrapped)
