"""The words that clubs write in cells and headers, in English, Russian and Ukrainian."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from app.scoring.rule_system import RuleSystem
from app.scoring.rules.penalties import ConductPenalties
from app.scoring.systems import newest_systems
from app.scoring.text import Text, words
from app.spelling import TO_CYRILLIC, nearest


class UnreadableCell(ValueError):
    """A cell does not say what its column is for; ``expected`` says what that is."""

    def __init__(self, expected: Text, suggestions: tuple[str, ...] = ()) -> None:
        super().__init__(expected.en)
        self.expected = expected
        self.suggestions = suggestions


_CYRILLIC: Final = re.compile("[\u0400-\u052f]")

_LONGEST: Final = 200
"""Characters; no word is as long."""


def bare(word: str) -> str:
    """What words are compared by: letters and digits only, case folded, ё as е.

    Latin letters that look like Cyrillic ones are those, where the word has a Cyrillic letter at all.
    """
    return _bare(word[:_LONGEST])


@lru_cache(maxsize=4096)
def _bare(word: str) -> str:
    letters = re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", word).casefold().replace("ё", "е"))
    return letters.translate(TO_CYRILLIC) if _CYRILLIC.search(letters) else letters


class Words:
    """Codes and how clubs write each; ``russian`` holds the one word per code that is written out."""

    def __init__(self, expected: Text, russian: Mapping[str, str], also: Mapping[str, str]) -> None:
        self.expected = expected
        self.russian = dict(russian)
        self._codes: dict[str, str] = {}
        self._spelled: dict[str, str] = {}
        for code in russian:
            self._learn(code, [code, russian[code], *also.get(code, "").split(", ")])

    def learn(self, code: str, name: Text) -> None:
        """Know ``name`` as a way to write ``code``, before any other meaning of it."""
        self.russian.setdefault(code, name.ru)
        self._learn(code, [code, name.ru, name.en])

    def _learn(self, code: str, spellings: Iterable[str]) -> None:
        for spelling in spellings:
            if key := bare(spelling):
                self._codes[key] = code
                self._spelled[key] = spelling

    def find(self, word: str) -> str | None:
        """The code that ``word`` means, if it is known."""
        return self._codes.get(bare(word))

    def near(self, word: str) -> tuple[str, ...]:
        """Known words that look like ``word``, the nearest first, one per code."""
        found: dict[str, str] = {}
        for key in nearest(bare(word), self._codes, 3):
            found.setdefault(self._codes[key], self._spelled[key])
        return tuple(found.values())


_ROLES_RU: Final = {
    "citizen": "мирный",
    "sheriff": "шериф",
    "doctor": "доктор",
    "commissar": "комиссар",
    "mafia": "мафия",
    "don": "дон",
    "maniac": "маньяк",
}
_ROLES: Final = {
    "citizen": "мирный житель, мирный игрок, мирная, мирн, мир, житель, красный, красная, красн, "
    "civilian, townsperson, town, villager, мирний, мирний житель, мирна, мешканець, громадянин, червоний, червона",
    "sheriff": "шер",
    "doctor": "врач, doc, medic, лікар",
    "commissar": "комиссар полиции, комис, commissioner, комісар",
    "mafia": "маф, мафиози, мафиозник, черный, черная, черн, black, mafioso, мафія, мафіозі, чорний, чорна",
    "don": "дон мафии, дон мафії",
    "maniac": "манияк, psycho, маніяк",
}
_OUTCOMES_RU: Final = {"red": "красные", "black": "чёрные", "maniac": "маньяк", "draw": "ничья"}
_OUTCOMES: Final = {
    "red": "красных, красный, красная, красной, мирные, мирных, мирные жители, мирных жителей, "
    "город, города, city, town, citizens, reds, червоні, червоних, мирні, мирних, місто, міста",
    "black": "черных, черный, черная, черной, мафия, мафии, mafia, blacks, чорні, чорних, чорний, мафія, мафії",
    "maniac": "маньяка, маніяк, маніяка",
    "draw": "нічия, tie, drawn",
}
_VICTORY: Final = re.compile(
    r"\b(команд[аы]|team|побед(а|ил[аи]?)|выиграл[аи]?|перемо(га|гл[аи]|жець)|переміг|вигра(в|л[аи])|wins?|won|victory)\b",
    re.I,
)
_STAGES_RU: Final = {"qualifying": "отбор", "semifinal": "полуфинал", "final": "финал"}
_STAGES: Final = {
    "qualifying": "отборы, отборочный, отборочная, отборочные, отборочный этап, отборочный тур, квалификация, "
    "qualification, qualifier, відбір, відбірковий, відбіркова, кваліфікація",
    "semifinal": "полуфиналы, 1/2, 1/2 финала, semi, semis, semifinals, півфінал, 1/2 фіналу",
    "final": "финалы, finals, фінал",
}
_PENALTIES_RU: Final = {
    "broke_red_at_ten": "слом на 10",
    "broke_red_at_four": "слом на 4",
    "false_sheriff_check": "ложная проверка",
    "black_fake_sheriff": "вскрытие шерифом",
    "discretionary": "на усмотрение судьи",
}
_PENALTIES: Final = {
    "broke_red_at_ten": "слом в красного на 10, сломал в красного на 10 человек, сломал красного на 10, злам на 10",
    "broke_red_at_four": "слом в красного на 4, сломал в красного на 4 человека, сломал красного на 4, злам на 4",
    "false_sheriff_check": "ложная проверка шерифа, оставил ложную проверку, неверная проверка, хибна перевірка",
    "black_fake_sheriff": "вскрылся шерифом, вскрылся шерифом с красной проверкой настоящего шерифа, "
    "черный вскрылся шерифом, розкриття шерифом",
    "discretionary": "усмотрение судьи, на усмотрение, на розсуд судді",
}

OUTCOMES: Final = Words(
    words("красные, чёрные, маньяк или ничья", "an outcome: red, black, maniac or draw"),
    _OUTCOMES_RU,
    _OUTCOMES,
)
STAGES: Final = Words(
    words("отбор, полуфинал или финал", "a stage: qualifying, semifinal or final"), _STAGES_RU, _STAGES
)


def outcome_word(phrase: str) -> str:
    """``победа красных`` without the word for victory, ``команда красных`` without that for a team."""
    return _VICTORY.sub("", phrase)


class Vocabulary(NamedTuple):
    """The words that depend on the regulation."""

    roles: Words
    penalties: Words


def vocabulary(system: RuleSystem | None = None) -> Vocabulary:
    """The words of every built-in regulation, and of ``system``, whose own come first."""
    roles = Words(
        words("мирный, шериф, мафия, дон или другая роль этого регламента", "a role: citizen, sheriff, mafia, don …"),
        _ROLES_RU,
        _ROLES,
    )
    penalties = Words(
        words(
            "причины штрафа через ;, например: слом на 10; ложная проверка",
            "reasons: broke_red_at_ten, false_sheriff_check …",
        ),
        _PENALTIES_RU,
        _PENALTIES,
    )
    for known in (*newest_systems(), *([system] if system else [])):
        for code, role in known.table.roles.items():
            roles.learn(code, role.name)
        for _, rule in known.game_rules:
            if isinstance(rule, ConductPenalties):
                for act in rule.acts:
                    penalties.learn(act.code, act.name)
    return Vocabulary(roles, penalties)
