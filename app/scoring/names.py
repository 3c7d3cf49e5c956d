"""How messages name what is a code on the wire: roles, outcomes and fields of a game."""

from collections.abc import Mapping
from typing import Final

from app.scoring.terms import Outcome
from app.scoring.text import Text, words

OUTCOMES: Final[Mapping[Outcome, Text]] = {
    "red": words("красные", "red"),
    "black": words("чёрные", "black"),
    "maniac": words("маньяк", "maniac"),
    "draw": words("ничья", "draw"),
}
"""A team is named as its victory."""

ROLES: Final[Mapping[str, Text]] = {
    "citizen": words("мирный житель", "citizen"),
    "sheriff": words("шериф", "sheriff"),
    "doctor": words("доктор", "doctor"),
    "commissar": words("комиссар", "commissar"),
    "mafia": words("мафия", "mafia"),
    "don": words("дон", "don"),
    "maniac": words("маньяк", "maniac"),
}
"""The roles of the built-in regulations, also where another regulation does not know them."""

FIELDS: Final[Mapping[str, Text]] = {
    "ppk": words("ППК", "ppk"),
    "night_actions": words("Ночные действия", "night_actions"),
    "draw_makers": words("Сделал ничью", "draw_makers"),
    "bonus": words("Доп", "bonus"),
    "penalties": words("Штраф", "penalties"),
    "marks": words("Отметки", "marks"),
    "exit": words("Выбыл", "exit"),
    "removed.reason": words("Причина удаления", "removed.reason"),
    "team_marks": words("Отметки команд", "team_marks"),
    "votes": words("Голоса", "votes"),
    "protocols": words("Протоколы", "protocols"),
    "days_lived": words("Прожито дней", "days_lived"),
    "registered": words("Зарегистрирован", "registered"),
}
"""Fields that some regulations do not use, in Russian as the columns of a sheet."""
