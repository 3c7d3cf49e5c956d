"""The columns of a sheet: one for every fact of a game, with the names that clubs give it."""

import re
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias

from app.scoring.rule_system import RuleSystem
from app.scoring.text import Text, words
from app.sheets.vocabulary import cells, dates
from app.sheets.vocabulary.calendar import Calendar
from app.sheets.vocabulary.words import OUTCOMES, STAGES, Vocabulary, bare, outcome_word
from app.spelling import nearest


class Context(NamedTuple):
    """What a cell's meaning depends on, beside its column."""

    words: Vocabulary
    calendar: Calendar
    system: RuleSystem | None = None
    """The regulation, if one is known."""


ReadCell: TypeAlias = Callable[[str, Context], object]


@dataclass(frozen=True, slots=True)
class Column:
    """One column. ``of``: a fact of the ``seat`` in its row, of the ``game``, or of ``either``, as the cell says."""

    field: str
    of: Literal["seat", "game", "either"]
    russian: str
    """The clubs' name, in headers that this service writes."""
    also: str
    """Other names, English, Russian and Ukrainian, with commas between."""
    read: ReadCell
    """What a cell says; raises :class:`app.sheets.vocabulary.words.UnreadableCell`."""
    hint: Text
    """What a cell may hold."""
    width: int = 10
    """In characters, on a screen."""

    @property
    def names(self) -> tuple[str, ...]:
        """Every name, the field's own first."""
        return (self.field, self.russian, *self.also.split(", "))


def _alone(read: Callable[[str], object]) -> ReadCell:
    return lambda text, _context: read(text)


def _mark(*names: str) -> ReadCell:
    return _alone(cells.mark(frozenset(map(bare, names))))


_TEXT: Final = _alone(cells.text_of)
_WHOLE: Final = _alone(cells.whole)
_FLAG: Final = _alone(cells.flag)
_A_TEXT: Final = words("любой текст", "any text")

COLUMNS: Final[tuple[Column, ...]] = (
    Column(
        "game",
        "game",
        "Игра",
        "гра",
        _TEXT,
        words(
            "номер игры в этом файле: одинаковый во всех строках одной игры",
            "the same in all rows of a game, different in the next game",
        ),
    ),
    Column(
        "external_id",
        "game",
        "Внешний номер",
        "id, external id, ид, код игры, зовнішній номер, код гри",
        _TEXT,
        words("номер игры в вашей программе", "the game's id in your own software"),
        width=18,
    ),
    Column(
        "played_on",
        "game",
        "Дата",
        "date, дата игры, дата гри",
        lambda text, context: dates.day(text, context.calendar).isoformat(),
        dates.A_DAY,
        width=12,
    ),
    Column("table", "game", "Стол", "номер стола, стіл, номер столу", _WHOLE, cells.A_NUMBER),
    Column(
        "number",
        "game",
        "Номер",
        "game number, номер игры, № игры, номер гри, № гри",
        _WHOLE,
        cells.A_NUMBER,
    ),
    Column("judge", "game", "Судья", "host, referee, ведущий, суддя, ведучий", _TEXT, _A_TEXT, width=16),
    Column(
        "stage",
        "game",
        "Стадия",
        "этап, стадія, етап",
        lambda text, _context: cells.one_of(text, STAGES),
        STAGES.expected,
        width=12,
    ),
    Column(
        "outcome",
        "game",
        "Исход",
        "result, winner, результат, результат игры, победитель, кто победил, переможець, результат гри",
        lambda text, _context: cells.one_of(outcome_word(text), OUTCOMES),
        OUTCOMES.expected,
        width=12,
    ),
    Column(
        "rated",
        "game",
        "Рейтинговая",
        "в рейтинг, рейтинговая игра, рейтингова",
        _FLAG,
        words("«нет», если игра не идёт в рейтинг", "no for a friendly game"),
    ),
    Column(
        "cancelled",
        "game",
        "Отменена",
        "canceled, отмена, скасована",
        _FLAG,
        words("«да», если игра прервана или отменена", "yes if the game was stopped"),
    ),
    Column(
        "seat",
        "seat",
        "Место",
        "номер места, № места, место за столом, seat number, слот, бокс, місце, номер місця, місце за столом",
        _WHOLE,
        cells.A_NUMBER,
    ),
    Column(
        "player",
        "seat",
        "Игрок",
        "nickname, nick, name, ник, никнейм, имя, гравець, нік, нікнейм",
        _alone(lambda text: re.sub(r"\s*[\r\n\t]\s*", " ", cells.text_of(text))),
        words("ник", "a nickname"),
        width=20,
    ),
    Column(
        "role",
        "seat",
        "Роль",
        "",
        lambda text, context: cells.word(text, context.words.roles),
        words("роль, например мирный", "a role"),
        width=14,
    ),
    Column(
        "bonus",
        "seat",
        "Доп",
        "допы, доп балл, доп баллы, допбалл, допбаллы, дополнительные баллы, бонус, дод, дод бали, додаткові бали",
        _alone(cells.points),
        cells.POINTS,
    ),
    Column(
        "bonus_note",
        "seat",
        "За что доп",
        "note, comment, комментарий, примечание, за что, коментар, примітка",
        _TEXT,
        _A_TEXT,
        width=24,
    ),
    Column(
        "penalties",
        "seat",
        "Штраф",
        "penalty, штрафы, штрафи",
        lambda text, context: cells.reasons(text, context.words.penalties),
        words("причины штрафа через ;", "reasons separated by ;"),
        width=24,
    ),
    Column(
        "removed",
        "seat",
        "Удаление",
        "removal, удалён, удалена, дисквалификация, дискв, видалення, видалений, дискваліфікація",
        _alone(lambda text: None if (harmed := cells.removal(text)) is None else {"affected_team": harmed}),
        cells.REMOVAL,
    ),
    Column("fouls", "seat", "Фолы", "foul, фол, фоли", _WHOLE, cells.A_NUMBER),
    Column(
        "first_kill",
        "either",
        "ПУ",
        "first killed, первый убиенный, первый убитый, перший вбитий",
        _mark("first_kill", "ПУ", "первый убиенный", "первый убитый", "killed first"),
        cells.A_MARK,
    ),
    Column(
        "best_move",
        "either",
        "ЛХ",
        "лучший ход, кращий хід, найкращий хід",
        _alone(cells.seats),
        cells.SEATS,
    ),
    Column("ppk", "either", "ППК", "", _mark("ppk", "ППК"), cells.A_MARK),
    Column(
        "days_lived",
        "seat",
        "Прожито дней",
        "дней прожито, прожил дней, прожито днів",
        _WHOLE,
        cells.A_NUMBER,
        width=13,
    ),
    Column(
        "registered",
        "seat",
        "Зарегистрирован",
        "зарегистрирована, регистрация, registration, зареєстрований, зареєстрована, реєстрація",
        _FLAG,
        cells.YES_OR_NO,
        width=16,
    ),
    Column(
        "draw_makers",
        "either",
        "Сделал ничью",
        "сделали ничью, зробив нічию, зробили нічию",
        _mark("draw_makers"),
        words(
            "«да» у двоих, кто сделал ничью; «никто» в первой строке, если таких нет",
            "yes in the rows of the two draw makers; if there were none, nobody in the first row",
        ),
        width=14,
    ),
    Column(
        "night_actions",
        "either",
        "Ночные действия",
        "night actions, ночи, нічні дії",
        _alone(cells.acts),
        cells.ACTS,
        width=18,
    ),
)

BY_FIELD: Final[Mapping[str, Column]] = {column.field: column for column in COLUMNS}
_BY_NAME: Final[Mapping[str, Column]] = {bare(name): column for column in COLUMNS for name in column.names if name}
_SPELLED: Final[Mapping[str, str]] = {bare(name): name for column in COLUMNS for name in column.names if name}

FREE_TEXT: Final = frozenset(column.field for column in COLUMNS if column.read is _TEXT) | {"player"}
"""The fields that hold any text, and so might hold what a spreadsheet takes for a formula."""

NEVER_DATES: Final = FREE_TEXT - {"game"}
"""Texts that a date cell spoils: the spreadsheet made it of something else that was typed, such as ``11.09``."""

CARRIED: Final = ("played_on", "table")
"""The fields whose blank cells say what the game above says; a dash there says that there is none."""

FLAGS: Final = frozenset(column.field for column in COLUMNS if column.read is _FLAG)
"""The fields where a dash says no; elsewhere it says nothing."""


def column_named(name: str) -> Column | None:
    """The column that a header cell names, in whatever case and spacing."""
    return _BY_NAME.get(bare(name))


def names_near(name: str, taken: Container[str]) -> tuple[str, ...]:
    """Names of columns that look like ``name``, the nearest first, one per column, none of the fields ``taken``."""
    possible = [key for key, column in _BY_NAME.items() if column.field not in taken]
    found: dict[str, str] = {}
    for key in nearest(bare(name), possible, 3):
        found.setdefault(_BY_NAME[key].field, _SPELLED[key])
    return tuple(found.values())
