"""What several regulations share: roles, the columns that every table has, and how a regulation is written down."""

from typing import Final

from app.scoring.rule_system import Clause
from app.scoring.rules.kind import Rule
from app.scoring.rules.table_rules import Column
from app.scoring.table import Reading, Role
from app.scoring.text import Text, words

RED: Final = ("citizen", "sheriff")
BLACK: Final = ("mafia", "don")

CITIZEN: Final = Role(team="red", name=words("мирный житель", "citizen"))
SHERIFF: Final = Role(team="red", name=words("шериф", "sheriff"))
DOCTOR: Final = Role(team="red", name=words("доктор", "doctor"))
COMMISSAR: Final = Role(team="red", name=words("комиссар", "commissar"))
MAFIA: Final = Role(team="black", name=words("мафия", "mafia"))
DON: Final = Role(team="black", name=words("дон", "don"))
MANIAC: Final = Role(team="maniac", name=words("маньяк", "maniac"))

SPORT_ROLES: Final = {"citizen": CITIZEN, "sheriff": SHERIFF, "mafia": MAFIA, "don": DON}


def clause(number: str, ru: str, en: str, *rules: Rule, readings: tuple[Reading, ...] = ()) -> Clause:
    """A clause in document order: its number, its words, its rules."""
    return Clause(number=number, text=words(ru, en), rules=rules, readings=readings)


def reading(ru: str, en: str, parameter: str | None = None) -> Reading:
    """How a clause is read where its text leaves room, and the parameter that holds it."""
    return Reading(ru=ru, en=en, parameter=parameter)


def column(
    key: str,
    label: Text,
    formula: str,
    decimals: int = 0,
    *,
    tournament_decimals: int | None = None,
    unit: str | None = None,
) -> Column:
    """A column of the table."""
    return Column(
        key=key, label=label, formula=formula, decimals=decimals, tournament_decimals=tournament_decimals, unit=unit
    )


GAMES: Final = column("games", words("Игр", "Games"), "games")
WINS: Final = column("wins", words("Побед", "Wins"), "wins")
WIN_RATE: Final = column("win_rate", words("Процент побед", "Win rate"), "100 * wins / games", 2, unit="%")
POINTS: Final = column("points", words("Баллы", "Points"), "points", 2)
