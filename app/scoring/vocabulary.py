"""What several regulations share: roles, the columns that every table has, and how a regulation is written down."""

from typing import Final

from app.scoring.names import ROLES
from app.scoring.rule_system import Clause
from app.scoring.rules.kind import Rule
from app.scoring.rules.penalties import act
from app.scoring.rules.table_rules import Column
from app.scoring.table import Reading, Role, exactly
from app.scoring.text import Text, words

RED: Final = ("citizen", "sheriff")
BLACK: Final = ("mafia", "don")

CITIZEN: Final = Role(team="red", name=ROLES["citizen"])
SHERIFF: Final = Role(team="red", name=ROLES["sheriff"])
DOCTOR: Final = Role(team="red", name=ROLES["doctor"])
COMMISSAR: Final = Role(team="red", name=ROLES["commissar"])
MAFIA: Final = Role(team="black", name=ROLES["mafia"])
DON: Final = Role(team="black", name=ROLES["don"])
MANIAC: Final = Role(team="maniac", name=ROLES["maniac"])


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

TEN_SEATS: Final = exactly(
    {"citizen": CITIZEN, "sheriff": SHERIFF, "mafia": MAFIA, "don": DON},
    (
        reading(
            "За столом десять мест: текст этого не задаёт.",
            "The table has ten seats: the text does not say so.",
            "most",
        ),
        reading(
            "Шесть мирных, шериф, две мафии и дон: текст этого не задаёт.",
            "Six citizens, a sheriff, two mafia and a don: the text does not say so.",
            "counts",
        ),
    ),
    citizen=6,
    sheriff=1,
    mafia=2,
    don=1,
)
"""The table of sport Mafia."""

BROKE_RED_AT_TEN: Final = act("broke_red_at_ten", "слом в красного на 10", "broke into a red at ten", RED)
BROKE_RED_AT_FOUR: Final = act("broke_red_at_four", "слом в красного на 4", "broke into a red at four", ("citizen",))
FALSE_SHERIFF_CHECK: Final = act(
    "false_sheriff_check", "оставленная ложная проверка", "left a false check as true", RED
)
BLACK_FAKE_SHERIFF: Final = act(
    "black_fake_sheriff",
    "вскрытие шерифом с красной проверкой на настоящего шерифа",
    "posed as sheriff with a red check of the real one",
    BLACK,
)
